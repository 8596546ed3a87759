"""What a law says in our words, what kind of law it is, and what applies it."""

from __future__ import annotations

import difflib
import re

from carrom.errors import FactsError
from carrom.laws.interpretations import READINGS
from carrom.laws.lawbook import LAW_IDS, LAWS, number_of
from carrom.laws.register import REGISTER


def explain(law: str) -> list[str]:
    """A law, all the letters of a number, or how a doubtful point is read, in lines.

    Args:
        law: such as "72.a", "72" for all its letters, or "A7" or "U3" for a doubtful point.

    Raises:
        FactsError: there is no such law; names the nearest.
    """
    wanted = law.strip().lower()
    if wanted.upper() in READINGS:
        reading = READINGS[wanted.upper()]
        return [
            f"{wanted.upper()} (on {reading.law}): {reading.resolution}",
            *_named("applied by", reading.done_by),
        ]
    found = [known for known in LAW_IDS if known == wanted or _is_part(known, wanted)]
    if not found:
        raise FactsError(f"law {law!r}: unknown; the nearest are {', '.join(_near(wanted))}")
    return [line for known in found for line in _lines(known)]


def _lines(law: str) -> list[str]:
    entry = REGISTER[law]
    tags = ", ".join(tag.value for tag in entry.tags)
    return [
        f"{law} ({tags}): {LAWS[law]}",
        *_named("applied by", entry.applied_by),
        *_named("told by", entry.told_by),
        *([f"    {entry.reason}"] if entry.reason else []),
    ]


def _named(what: str, names: tuple[str, ...]) -> list[str]:
    return [f"    {what} {', '.join(names)}"] if names else []


def _is_part(law: str, number: str) -> bool:
    """Whether ``law`` is a letter of ``number``, or a numeral of its letter."""
    return law.startswith((f"{number}.", f"{number} "))


def _near(wanted: str) -> list[str]:
    """Laws that may have been meant: of the nearest number, or written alike."""
    number = re.match(r"\d+", wanted)
    if number is None:
        return difflib.get_close_matches(wanted, LAW_IDS, n=3, cutoff=0.5) or ["1 to 151.c"]
    distances = {law: abs(number_of(law) - int(number[0])) for law in LAW_IDS}
    return [law for law in LAW_IDS if distances[law] == min(distances.values())]
