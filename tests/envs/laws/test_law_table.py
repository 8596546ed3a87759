"""The course of play at a table, law by law: through the environment."""

from __future__ import annotations

import dataclasses
import itertools

import gymnasium as gym
import numpy as np
import pytest

import carrom
from carrom.board import Board, to_seat
from carrom.laws import Event, StrokeFacts, new_match, next_board_jit, rule_jit
from carrom.pieces import QUEEN
from carrom.rack import TIGHT
from carrom.tasks import racked


def make(**options) -> carrom.CarromEnv:
    env = gym.make("CarromBoard-v0", **options).unwrapped
    assert isinstance(env, carrom.CarromEnv)
    return env


@pytest.fixture(scope="module")
def strokes():
    """Forty steps of two random players, as the table saw them."""
    env = make(opponent="random", max_strokes=5_000)
    env.action_space.seed(3)
    env.reset(seed=3)
    played = []
    for _ in range(40):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        played += env.last_strokes
        assert not truncated
        if terminated:
            break
    return played


@pytest.mark.law("124.a", "124.b", "124.c")
def test_a_stroke_is_asked_of_the_right_player_once_everything_rests(strokes):
    kept = {bool(stroke.ruling.turn_kept) for stroke in strokes}
    assert kept == {False, True}
    for stroke, following in itertools.pairwise(strokes):
        # Where the last one left it: nothing moves in between.
        assert following.before is stroke.after
        assert stroke.motion is not None
        still = stroke.motion.layout.on_board
        assert np.array_equal(
            following.before.layout.positions[still], stroke.motion.layout.positions[still]
        )
        same = following.before.match.board.seat == stroke.before.match.board.seat
        assert bool(same) == bool(stroke.ruling.turn_kept)


@pytest.mark.law("117")
def test_striker_and_board_stay_the_same_through_a_board():
    board = Board(striker_diameter=0.0410)
    field = "striker_diameter"
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(board, field, 0.0400)
    env = make(board=board)
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(5):
        assert env.view().board is board
        env.step(env.action_space.sample())


@pytest.mark.law("41.b")
@pytest.mark.parametrize("breaker", [0, 2])
def test_the_next_board_is_racked_at_once_for_its_breaker(breaker):
    match, _ = rule_jit(new_match(breaker_seat=breaker), StrokeFacts.without_stroke(Event.VOID))
    position = racked(next_board_jit(match), Board(), np.random.default_rng(0), TIGHT, 0.0)
    assert position.layout.on_board.all()
    assert not position.match.board.break_done
    seen = to_seat(position.layout.positions, breaker)
    assert np.hypot(*seen[QUEEN]) < 1e-3
    # The stem of the Y: two white ones between the queen and the breaker.
    stem = seen[:9][np.abs(seen[:9, 0]) < 1e-3]
    assert np.sort(np.round(stem[:, 1] / 0.0318)).tolist() == [-2, -1, 2]


@pytest.mark.law("U31")
def test_a_limit_of_strokes_cuts_a_board_off_without_result():
    env = make(opponent="random", max_strokes=3)
    env.action_space.seed(0)
    env.reset(seed=0)
    over, info = False, {}
    while not over:
        *_, terminated, over, info = env.step(env.action_space.sample())
        assert not terminated
    assert "result" not in info
