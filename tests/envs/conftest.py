"""Positions in the middle of a match, put onto the table of an environment."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

import carrom
from carrom.decision import Decision, Kind
from carrom.laws import MatchState, QueenState, StrokeFacts, colour_of, new_board, new_match
from carrom.laws.state import flags, integers
from carrom.layout import Layout
from carrom.pieces import QUEEN
from carrom.play import report
from carrom.table import Table
from carrom.tasks import Position

Scattered: TypeAlias = Callable[..., Layout]
Put: TypeAlias = Callable[..., Table]
Tell: TypeAlias = Callable[..., None]

_STEPS = np.arange(-3, 4) * 0.05
_SPOTS = [(x, y) for y in _STEPS for x in _STEPS if max(abs(x), abs(y)) > 0.11]
"""m. Clear of the outer circle, where dues are laid, and of every player's base lines."""


def _scattered(white: int = 6, black: int = 6, queen: bool = True) -> Layout:
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    on_board[:white] = on_board[9 : 9 + black] = True
    # Colours alternate round the board.
    positions[:18] = np.array(_SPOTS)[np.r_[0:18:2, 1:18:2]]
    on_board[QUEEN] = queen
    return Layout(positions, on_board)


def _match(
    env: carrom.CarromEnv | carrom.CarromAECEnv,
    layout: Layout,
    seat: int,
    breaker: int,
    board: dict[str, Any],
    game: dict[str, Any],
    match: dict[str, Any],
) -> MatchState:
    format = env.setting.format
    fresh = new_board(integers(breaker))
    counts = layout.counts
    state = dataclasses.replace(
        fresh,
        seat=integers(seat),
        striker=integers(colour_of(seat, fresh, doubles=format.doubles)),
        on_board=integers(counts),
        has_pocketed=flags([count < 9 for count in counts]),
        break_done=flags(True),
        turns_passed=integers(4),
        queen=integers(QueenState.ON_BOARD if layout.queen_on_board else QueenState.WAITING),
    )
    start = new_match(format)
    return dataclasses.replace(
        start,
        board=dataclasses.replace(state, **_leaves(board)),
        game=dataclasses.replace(start.game, **_leaves(game)),
        **_leaves(match),
    )


def _leaves(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: (flags if np.asarray(x).dtype == bool else integers)(x) for name, x in fields.items()
    }


@pytest.fixture(scope="session")
def scattered() -> Scattered:
    """A layout of so many carrommen round the outer circle, the queen on the centre circle."""
    return _scattered


@pytest.fixture(scope="session")
def put() -> Put:
    """Puts a position onto the table: the player of ``seat`` has to strike.

    By default six carrommen of each colour and the queen lie there, and the side of seat 0 has
    white. Further keywords are fields of the board's state.
    """

    def put(
        env: carrom.CarromEnv | carrom.CarromAECEnv,
        *,
        seat: int = 0,
        breaker: int = 0,
        layout: Layout | None = None,
        game: dict[str, Any] | None = None,
        match: dict[str, Any] | None = None,
        **board: Any,
    ) -> Table:
        layout = _scattered() if layout is None else layout
        state = _match(env, layout, seat, breaker, board, game or {}, match or {})
        if isinstance(env, carrom.CarromAECEnv):
            table = env._table_in_play()
        else:
            snapshot = env.get_state()
            assert snapshot.table is not None
            table = snapshot.table
        table.position = Position(layout, state)
        table.ask(Decision(Kind.STRIKE, seat))
        if isinstance(env, carrom.CarromAECEnv):
            env.agent_selection = env._names[seat]
        else:
            env.set_state(carrom.EnvState(table, env.np_random))
        return table

    return put


@pytest.fixture(scope="session")
def tell() -> Tell:
    """Tells the umpire of a stroke of the player with the turn, where every seat is an agent."""

    def tell(env: carrom.CarromAECEnv, facts: StrokeFacts) -> None:
        table = env._table_in_play()
        report(env._physics, table, table.position.seat, facts)
        env._book()

    return tell
