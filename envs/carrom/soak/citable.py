"""The laws that can decide on a stroke."""

from __future__ import annotations

from carrom.laws import LAW_IDS, MatchFormat

ONLY_SINGLES = ("58",)
ONLY_DOUBLES = ("49.b", "59", "78.b.i", "78.b.ii", "79.b")
ONLY_WITH_LIMIT = ("56.b", "60.a")
ONLY_WITHOUT_LIMIT = ("60.b",)
BY_THE_UMPIRE = (
    *("15", "27.a", "27.b", "44", "45.a", "45.b", "45.c", "47", "48", "51", "52.a", "53.a"),
    *("53.b", "53.c", "54", "55", "56.a", "57", "63.a", "63.b", "64.a", "64.b", "65.a", "65.b"),
    *("65.c", "65.d", "71", "72.a", "72.b", "72.c", "73", "74", "75", "76", "77.a", "77.b"),
    *("78.a", "79.a", "80", "83", "87.a", "87.b", "89.a", "92", "93", "95.a", "95.b", "95.c"),
    *("95.d", "96", "97.a", "97.b", "98.a", "98.b", "99.a", "99.b", "100.a", "100.b", "101.a"),
    *("101.b", "113", "116", "125.a", "127.b", "137", "139", "140", "142"),
    *(f"{law}.{letter}" for law in range(102, 113) for letter in "ab"),
)
"""Laws the umpire cites by himself in any format; those said to be broken come on top."""


def citable(format: MatchFormat) -> tuple[str, ...]:
    """The laws the umpire can cite by himself, in the order of their numbers."""
    limited = format.board_limit is not None
    laws = {
        *BY_THE_UMPIRE,
        *(ONLY_DOUBLES if format.doubles else ONLY_SINGLES),
        *(ONLY_WITH_LIMIT if limited else ONLY_WITHOUT_LIMIT),
    }
    return tuple(law for law in LAW_IDS if law in laws)
