"""Dues laid in a training by those who play, where the scripted placer had laid them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from carrom.board import to_board
from carrom.decision import Kind, Placement, Request
from carrom.functional import State
from carrom.pieces import N_PER_SIDE
from carrom_agents import laying
from carrom_agents.foresight.rehearsing import Rehearsal, Stroked, views_of
from carrom_agents.planner.rollouts import Evaluate

LaysBy = Callable[[int, int], Evaluate | None]
"""By what the player weighs positions who sits on a board, by number, on a side, 0 or 1; None if
he leaves dues to the script."""


def laid_by_players(rehearsal: Rehearsal, stroked: Stroked, lays_by: LaysBy) -> State:
    """The states with dues, and wrongly pocketed carrommen, where their creditors lay them.

    They lie near the middle of the board, so nothing else changes by it: neither where a
    striker may stand nor what the umpire counts.

    Args:
        rehearsal: whose game it is; of singles.
        stroked: boards [B] after a stroke, of NumPy leaves.
        lays_by: by what who weighs positions.
    """
    states, laid = stroked.states, np.asarray(stroked.laid)
    positions = np.array(states.positions)
    for row in np.flatnonzero(laid.any(axis=1)):
        state: State = jax.tree.map(lambda leaf, row=row: leaf[row : row + 1], states)
        numbers = np.flatnonzero(laid[row]).tolist()
        creditors = {index: _creditor(rehearsal, state, index) for index in numbers}
        weighing = {index: lays_by(int(row), side) for index, side in creditors.items()}
        asked = [index for index, evaluate in weighing.items() if evaluate is not None]
        lying = states.on_board[row].copy()
        lying[asked] = False
        wished = positions[row].copy()
        for index in asked:
            evaluate = weighing[index]
            assert evaluate is not None
            standing = dataclasses.replace(state, positions=wished[None], on_board=lying[None])
            place = _place(rehearsal, standing, 2 * creditors[index], evaluate)
            if place is None:
                break
            wished[index], lying[index] = place, True
        else:
            positions[row] = wished
    return dataclasses.replace(states, positions=positions)


def _creditor(rehearsal: Rehearsal, state: State, index: int) -> int:
    """The side, 0 or 1, that lays carromman ``index`` in a state [1] (78.b)."""
    breaker = int(rehearsal.env.side_of(_first(state.match.board.breaker_seat)))
    return 1 - (breaker + index // N_PER_SIDE) % 2


def _place(
    rehearsal: Rehearsal, state: State, seat: int, evaluate: Evaluate
) -> NDArray[np.float64] | None:
    """Where the player of ``seat`` lays an opponent's carromman in a state [1].

    Returns:
        (2,), m, board frame; None if he leaves it to the script.
    """
    turn = (int(_first(state.match.board.seat)) - seat) % 4
    (view,) = views_of(rehearsal.seen_from(state, np.asarray(seat, np.int32)), rehearsal.env.board)
    request = Request(Kind.PLACE, turn=turn, own_turn=turn == 0, left=1)
    answer = laying.answer(dataclasses.replace(view, request=request), evaluate)
    if not isinstance(answer, Placement):
        return None
    side = (seat + int(_first(state.match.rotation))) % 4
    return to_board(np.array([answer.x, answer.y]), side)


def _first(leaf: Any) -> Any:
    return np.asarray(leaf)[0]
