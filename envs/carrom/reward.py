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

from typing import Any, TypeAlias

from carrom.laws import BoardState, QueenState, Ruling, StrokeFacts

REWARDS = ("aicf", "points", "result")

_QUEEN_POINTS = 3.0
_WAITING_SHARE = 0.5

Value: TypeAlias = Any
"""A number or a flag of Python, NumPy or JAX. Only arithmetic is done on them, so that the same
rules serve one board in Python and many in compiled code."""


def lead(pair: Value, colour: Value) -> Value:
    """By how much ``colour`` is ahead in a ``pair`` of numbers, (2,), white and black."""
    return (pair[0] - pair[1]) * (1.0 - 2.0 * colour)


def _queen_value(board: BoardState, colour: Value, queen_counts: Value) -> Value:
    """What the queen is worth to ``colour`` as things stand; see the module docstring."""
    waiting = board.queen == QueenState.WAITING
    value = _QUEEN_POINTS * (1.0 - (1.0 - _WAITING_SHARE) * waiting)
    held = [
        (waiting & (board.striker == side)) | (board.queen == QueenState.covered_by(side))
        for side in (0, 1)
    ]
    return lead([value * held[side] * queen_counts[side] for side in (0, 1)], colour)


def potential(board: BoardState, colour: Value, queen_counts: Value) -> Value:
    """Phi of a board that goes on, from ``colour``'s side.

    Args:
        board: a board that has not ended.
        colour: whose potential.
        queen_counts: per colour, whether the queen still earns it points (54).
    """
    men = -lead(board.on_board, colour) - lead(board.owed, colour)
    return men + _queen_value(board, colour, queen_counts)


def board_terms(
    before: BoardState,
    after: BoardState,
    facts: StrokeFacts,
    ruling: Ruling,
    colour: Value,
    queen_counts: Value,
) -> dict[str, Value]:
    """The terms of ``aicf`` for one stroke, from ``colour``'s side.

    Args:
        before: the board before the stroke.
        after: the board after it.
        facts: what the stroke did.
        ruling: what the umpire ruled.
        colour: whose reward.
        queen_counts: per colour, whether the queen still earns it points (54).
    """
    ended = (ruling.board_over | ruling.board_replayed) * 1.0
    queen, cover = _queen_terms(before, after, facts, colour, queen_counts)
    terms = {
        "pocketed": lead(facts.pocketed, colour),
        "due": -lead(ruling.dues_charged, colour),
        "penalty": -lead(ruling.penalties_charged, colour),
        "waived": lead(ruling.waived, colour),
        "queen": (1 - ended) * queen,
        "cover": (1 - ended) * cover,
    }
    start = potential(before, colour, queen_counts)
    rest = potential(after, colour, queen_counts) - start - sum(terms.values())
    terms["returned"] = (1 - ended) * rest
    terms["board"] = ended * (lead(ruling.points, colour) - start - sum(terms.values()))
    return terms


def _queen_terms(
    before: BoardState,
    after: BoardState,
    facts: StrokeFacts,
    colour: Value,
    queen_counts: Value,
) -> tuple[Value, Value]:
    """``queen`` and ``cover``: the change of her value, split at the moment of covering."""
    change = _queen_value(after, colour, queen_counts) - _queen_value(before, colour, queen_counts)
    covered = (after.queen >= QueenState.COVERED_WHITE) & (before.queen != after.queen)
    # Pocketed and covered in one stroke (97.a) earns both terms, in equal parts.
    cover = covered * change * (1.0 - _WAITING_SHARE * facts.pocketed_queen)
    return change - cover, cover
