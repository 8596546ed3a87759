"""The course of play at a table, law by law: through the environments."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carrom
from carrom.board import Board, to_seat
from carrom.clock import Clock
from carrom.laws import (
    Event,
    StrokeFacts,
    new_match,
    next_board_jit,
    place_centre_jit,
    rule_jit,
)
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.rack import TIGHT
from carrom.tasks import Position, racked

BOARD = Board()


def make(**options: Any) -> carrom.CarromEnv:
    """One board, the agent to break."""
    env = gym.make("CarromBoard-v0", **{"first": "agent", "max_strokes": 5_000, **options})
    assert isinstance(env.unwrapped, carrom.CarromEnv)
    env.unwrapped.reset(seed=1)
    return env.unwrapped


@pytest.fixture(scope="module")
def strokes():
    """Forty steps of two random players, as the table saw them."""
    env = make(opponent="random")
    env.action_space.seed(3)
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
        assert (following.seat == stroke.seat) == bool(stroke.ruling.turn_kept)


@pytest.mark.law("46", "50", "88.a")
def test_fifteen_seconds_are_not_late():
    clock = Clock(limit_s=15.0)
    assert [clock.is_late(used_s) for used_s in (0.0, 15.0, 15.01)] == [False, False, True]
    assert not Clock().is_late(1e6)


@pytest.mark.law("117")
def test_striker_and_board_stay_the_same_through_a_board():
    board = Board(striker_diameter=0.0410)
    field = "striker_diameter"
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(board, field, 0.0400)
    env = make(board=board)
    env.action_space.seed(0)
    for _ in range(5):
        assert env.view().board is board
        env.step(env.action_space.sample())


@pytest.mark.law("41.b")
@pytest.mark.parametrize("breaker", [0, 2])
def test_the_next_board_is_racked_at_once_for_its_breaker(breaker):
    match, _ = rule_jit(new_match(breaker_seat=breaker), StrokeFacts.without_stroke(Event.VOID))
    position = racked(next_board_jit(match), BOARD, np.random.default_rng(0), TIGHT, 0.0)
    assert position.layout.on_board.all()
    assert not position.match.board.break_done
    seen = to_seat(position.layout.positions, breaker)
    assert np.hypot(*seen[QUEEN]) < 1e-3
    # The stem of the Y: two white ones between the queen and the breaker.
    stem = seen[:9][np.abs(seen[:9, 0]) < 1e-3]
    assert np.sort(np.round(stem[:, 1] / 0.0318)).tolist() == [-2, -1, 2]


@pytest.mark.law("U31")
def test_a_limit_of_strokes_cuts_a_board_off_without_result():
    env = make(max_strokes=3)
    env.action_space.seed(0)
    over, info = False, {}
    while not over:
        *_, terminated, over, info = env.step(env.action_space.sample())
        assert not terminated
    assert "result" not in info


@pytest.mark.law("39.d")
def test_seats_are_fixed_but_for_changes_of_sides():
    match = new_match()
    empty = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
    conceded = StrokeFacts.without_stroke(Event.CONCEDE_GAME)
    sides = []
    for facts in (StrokeFacts.without_stroke(Event.VOID), conceded):
        match = next_board_jit(rule_jit(match, facts)[0])
        sides.append([Position(empty, match).side_of_board(seat) for seat in (0, 2)])
    # A replayed board leaves them where they are, a game turns them round (58).
    assert sides == [[0, 2], [2, 0]]


@pytest.mark.law("9", "67", "68", "93", "U24")
@pytest.mark.parametrize("seed", range(6))
def test_the_queen_is_placed_first_then_the_rest_and_what_lies_stays(put, seed):
    env = make()
    rng = np.random.default_rng(seed)
    lying = random_layout(BOARD, rng, white=6, black=5, queen=True, seat=0)
    # Two carrommen that lie on each other, as flat ones never come to lie.
    one, other = np.flatnonzero(lying.on_board)[[1, -2]]
    lying = lying.with_piece(int(one), (0.3, 0.3)).with_piece(int(other), (0.3, 0.31))
    put(env, layout=lying)
    # Queen and a white one pocketed with the striker: both come out, and a due (98.a).
    env.report(StrokeFacts.shot(pocketed=(1, 0), queen=True, striker=True))
    (stroke,) = env.last_strokes
    fallen = np.isin(np.arange(N_CARROMMEN), [np.flatnonzero(lying.on_board)[0], QUEEN])
    left = lying.on_board & ~fallen
    placed = stroke.after.layout
    assert np.array_equal(placed.positions[left], lying.positions[left])
    assert placed.counts == (7, 5)
    # She lies where she would if nothing else were to be placed, laid by the umpire.
    alone = Layout(lying.positions, left)
    place = place_centre_jit(alone, stroke.after.physical_seat, board=BOARD)
    queen, *others = stroke.laid
    assert (queen.index, queen.seat, queen.place) == (QUEEN, None, place)
    # The creditor lays the others in the ring.
    assert [laid.seat for laid in others] == [2, 2]
    distance = np.hypot(*np.array([laid.place for laid in others]).T)
    assert np.all((distance > 0.0318 - 1e-6) & (distance < 0.0691 + 1e-6))
