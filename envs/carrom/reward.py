"""Rewards, from one side's point of view.

The preset ``aicf`` is dense and in points: it pays the difference of a potential,

    Phi = (own carrommen down - opponent's down) - (own dues owed - opponent's owed) + queen,

where the queen counts 3 for the side that has covered her, half of that while she waits for
her cover, and nothing for a side with 22 points or more (54). At the end of a board the term
``board`` replaces Phi by the points that were really won, so that over a board the terms sum
to points won minus points lost, whatever happened on the way (Ng, Harada and Russell, 1999:
such shaping does not change which policy is best).

| term | paid for | points |
|---|---|---|
| ``pocketed`` | each carromman pocketed: own, opponent's | +1, -1 |
| ``returned`` | each wrongly pocketed own carromman that comes out: own, opponent's | -1, +1 |
| ``due`` | each due charged (13): to me, to the opponent | -1, +1 |
| ``penalty`` | each penalty charged (14): to me, to the opponent | -1, +1 |
| ``waived`` | each due or penalty forgiven (80, 87.a): to me, to the opponent | +1, -1 |
| ``queen`` | the queen pocketed, and lost again | +1.5, -1.5 |
| ``cover`` | the queen covered | +1.5 |
| ``board`` | the end of the board: points less Phi | |

Paying a due moves a carromman back and strikes it off what is owed: worth nothing.

``points`` pays the points of a board when it ends, ``result`` +1 or -1 when the episode is
won or lost. The solo task adds a term ``stroke``, -1 for each stroke, to ``aicf`` and
``points``.
"""

from __future__ import annotations

import numpy as np

from carrom.laws import BoardState, QueenState, Ruling, StrokeFacts

REWARDS = ("aicf", "points", "result")

_QUEEN_POINTS = 3.0
_WAITING_SHARE = 0.5


def _sign(colour: int) -> np.ndarray:
    return np.array([1.0, -1.0]) if colour == 0 else np.array([-1.0, 1.0])


def _holder(board: BoardState) -> int | None:
    """Colour that holds the queen or has to cover her."""
    queen = QueenState(int(board.queen))
    if queen == QueenState.WAITING:
        return int(board.striker)
    return None if queen == QueenState.ON_BOARD else queen - QueenState.COVERED_WHITE


def _queen_value(board: BoardState, colour: int, queen_counts: tuple[bool, bool]) -> float:
    """What the queen is worth to ``colour`` as things stand; see the module docstring."""
    holder = _holder(board)
    if holder is None or not queen_counts[holder]:
        return 0.0
    waiting = int(board.queen) == QueenState.WAITING
    value = _QUEEN_POINTS * (_WAITING_SHARE if waiting else 1.0)
    return value if holder == colour else -value


def potential(board: BoardState, colour: int, queen_counts: tuple[bool, bool]) -> float:
    """Phi of a board that goes on, from ``colour``'s side.

    Args:
        board: a board that has not ended.
        colour: whose potential.
        queen_counts: per colour, whether the queen still earns it points (54).
    """
    sign = _sign(colour)
    down = float(-(board.on_board @ sign))
    return down - float(board.owed @ sign) + _queen_value(board, colour, queen_counts)


def board_terms(
    before: BoardState,
    after: BoardState,
    facts: StrokeFacts,
    ruling: Ruling,
    colour: int,
    queen_counts: tuple[bool, bool],
) -> dict[str, float]:
    """The terms of ``aicf`` for one stroke, from ``colour``'s side.

    Args:
        before: the board before the stroke.
        after: the board after it.
        facts: what the stroke did.
        ruling: what the umpire ruled.
        colour: whose reward.
        queen_counts: per colour, whether the queen still earns it points (54).
    """
    sign = _sign(colour)
    terms = {
        "pocketed": float(np.asarray(facts.pocketed) @ sign),
        "due": -float(np.asarray(ruling.dues_charged) @ sign),
        "penalty": -float(np.asarray(ruling.penalties_charged) @ sign),
        "waived": float(np.asarray(ruling.waived) @ sign),
    }
    start = potential(before, colour, queen_counts)
    if ruling.board_over or ruling.board_replayed:
        points = float(np.asarray(ruling.points) @ sign)
        terms["board"] = points - start - sum(terms.values())
        return terms
    terms |= _queen_terms(before, after, facts, colour, queen_counts)
    terms["returned"] = potential(after, colour, queen_counts) - start - sum(terms.values())
    return terms


def _queen_terms(
    before: BoardState,
    after: BoardState,
    facts: StrokeFacts,
    colour: int,
    queen_counts: tuple[bool, bool],
) -> dict[str, float]:
    """``queen`` and ``cover``: the change of her value, split at the moment of covering."""
    change = _queen_value(after, colour, queen_counts) - _queen_value(before, colour, queen_counts)
    covered = int(after.queen) >= QueenState.COVERED_WHITE and before.queen != after.queen
    if not covered:
        return {"queen": change, "cover": 0.0}
    # Pocketed and covered in one stroke (97.a) earns both terms, in equal parts.
    cover = change * (1 - _WAITING_SHARE) if facts.pocketed_queen else change
    return {"queen": change - cover, "cover": cover}
