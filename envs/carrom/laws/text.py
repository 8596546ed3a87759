"""A ruling in words."""

from __future__ import annotations

import numpy as np

from carrom.laws.lawbook import LAW_IDS, LAWS, law_mask
from carrom.laws.ruling import Ruling

# These accompany a decision but never are it; they are cited last.
_ACCOMPANYING = (
    *("44", "49.b", "52.a", "53.a", "53.b", "53.c", "54", "55", "56.a", "56.b", "57", "58", "59"),
    *("60.a", "60.b", "72.c", "78.a", "78.b.i", "78.b.ii", "79.a", "79.b", "80", "83", "87.a"),
    *("87.b", "89.a", "93"),
)


def cited(ruling: Ruling) -> tuple[str, ...]:
    """The law that was broken, the laws that decided, and those that accompany these.

    Args:
        ruling: a single ruling, not a batch.
    """
    laws = [LAW_IDS[index] for index in np.flatnonzero(law_mask(ruling.laws))]
    broken = _broken(ruling)
    return tuple(sorted(laws, key=lambda law: (law != broken, law in _ACCOMPANYING)))


def _broken(ruling: Ruling) -> str | None:
    return LAW_IDS[int(ruling.breach)] if int(ruling.breach) >= 0 else None


def sentences(ruling: Ruling, names: tuple[str, str] = ("white", "black")) -> list[str]:
    """The ruling, one sentence per law and a last one with its consequences.

    Args:
        ruling: a single ruling, not a batch.
        names: what to call white and black.

    Returns:
        For instance ["72.a: striker pocketed alone: one due; turn lost", ..., "white puts
        back 1; turn to black"].
    """
    said = law_sentences(ruling)
    return [*said, "; ".join(_consequences(ruling, names))]


def law_sentences(ruling: Ruling) -> list[str]:
    """The laws of a ruling, one sentence each; see ``cited`` for their order."""
    broken = _broken(ruling)
    return [f"{'breach of ' if law == broken else ''}{law}: {LAWS[law]}" for law in cited(ruling)]


def _consequences(ruling: Ruling, names: tuple[str, str]) -> list[str]:
    striker = int(ruling.striker)
    said = []
    for verb, counts in (
        ("puts back", ruling.returned),
        ("is forgiven", ruling.waived),
        ("still owes", ruling.owed),
        ("jumped", ruling.replaced),
    ):
        said += [f"{name} {verb} {int(n)}" for name, n in zip(names, counts, strict=True) if int(n)]
    if ruling.queen_returned or ruling.queen_replaced:
        said.append("the queen goes back")
    if ruling.board_replayed:
        said.append("the board is replayed")
    elif ruling.board_over:
        winner = int(ruling.winner)
        points = int(ruling.points[winner])
        by = f"by {points}" if points else "without points"
        said.append(f"{names[winner]} wins the board {by}")
    elif ruling.turn_kept:
        said.append(f"{names[striker]} goes on")
    else:
        said.append(f"turn to {names[1 - striker]}")
    if ruling.rebreak:
        said.append("the break is still to be made")
    if ruling.match_over:
        said.append("the match is over")
    elif ruling.game_over:
        said.append("the game is over")
    if ruling.sides_change:
        said.append("the players change sides")
    return said
