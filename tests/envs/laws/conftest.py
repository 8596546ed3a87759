"""Positions and batches for the tests of the umpire."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
import pytest

from carrom.laws import (
    SINGLES,
    MatchFormat,
    MatchState,
    QueenState,
    Ruling,
    StrokeFacts,
    new_board,
    new_match,
    rule,
    side_with,
)
from carrom.laws.state import flags, integers
from haste import jit_in_haste

Position = Callable[..., MatchState]
Judge = Callable[..., tuple[MatchState, Ruling]]


@pytest.fixture(scope="session")
def position() -> Position:
    """Builds a position in the middle of a board of singles, white to play by default."""

    def build(
        striker: int = 0,
        on_board: tuple[int, int] = (6, 5),
        queen: int = QueenState.ON_BOARD,
        owed: tuple[int, int] = (0, 0),
        down: tuple[bool, bool] | None = None,
        score: tuple[int, int] = (0, 0),
        format: MatchFormat = SINGLES,
        seat: int | None = None,
        turns_passed: int = 4,
        **board_fields: Any,
    ) -> MatchState:
        seat = striker * 2 if seat is None else seat
        breaker = integers((seat - striker * format.seat_step) % 4)
        board = dataclasses.replace(
            new_board(breaker),
            striker=integers(striker),
            seat=integers(seat),
            on_board=integers(on_board),
            queen=integers(queen),
            owed=integers(owed),
            has_pocketed=flags([n < 9 for n in on_board] if down is None else down),
            break_done=flags(True),
            turns_passed=integers(turns_passed),
            **board_fields,
        )
        state = new_match(format)
        white_side = int(side_with(0, board, doubles=format.doubles))
        by_side = score if white_side == 0 else score[::-1]
        game = dataclasses.replace(state.game, score=integers(by_side))
        return dataclasses.replace(state, board=board, game=game)

    return build


def _stack(trees: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)


@pytest.fixture(scope="session")
def judge_all() -> Callable[..., Any]:
    """Rules on many positions at once: lists in, stacked numpy states and rulings out."""

    @functools.cache
    def compiled(format: MatchFormat):
        return jit_in_haste(jax.vmap(functools.partial(rule, format=format)))

    def judge(
        states: Sequence[MatchState], facts: Sequence[StrokeFacts], format: MatchFormat = SINGLES
    ) -> tuple[MatchState, Ruling]:
        return jax.device_get(compiled(format)(_stack(states), _stack(facts)))

    return judge
