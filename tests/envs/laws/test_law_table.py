"""The course of play at a table, law by law: through the environments."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carrom
from carrom.aec import CarromAECEnv
from carrom.board import Board, to_seat
from carrom.clock import Clock
from carrom.decision import Claim, Kind, Placement, Waiver
from carrom.laws import (
    Event,
    MatchState,
    StrokeFacts,
    cited,
    new_match,
    next_board_jit,
    place_centre_jit,
    rule_jit,
)
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.rack import TIGHT
from carrom.tasks import Position, racked

BOARD = Board()
SHOT = StrokeFacts.shot


def make(**options: Any) -> carrom.CarromEnv:
    """One board, the agent to break."""
    env = gym.make("CarromBoard-v0", **{"first": "agent", "max_strokes": 5_000, **options})
    assert isinstance(env.unwrapped, carrom.CarromEnv)
    env.unwrapped.reset(seed=1)
    return env.unwrapped


def set_position(env: carrom.CarromEnv, layout: Layout, match: MatchState) -> None:
    state = env.get_state()
    assert state.table is not None
    state.table.position = Position(layout, match)
    env.set_state(state)


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


# ---- toss ----------------------------------------------------------------------------


def toss(doubles: bool, seed: int, takes_break: bool) -> tuple[str, str]:
    """Who won the toss and, after his choice, who breaks."""
    env = CarromAECEnv(doubles=doubles, toss="agent", task="board")
    env.reset(seed=seed)
    winner = env.agent_selection
    assert env.infos[winner]["decision"] == "toss"
    action: Any = {"strike": np.zeros(3, np.float32), "toss": int(takes_break)}
    env.step(action)
    breaker = env.agent_selection
    assert env.infos[breaker]["decision"] == "strike"
    # He has white, and the rack before him.
    assert env.observe(breaker)[69] == 1
    seat = int(breaker[-1]) * (1 if doubles else 2)
    white = to_seat(env.layout().positions[:9], seat)
    assert np.any(np.all(np.abs(white - [0.0, -0.0318]) < 1e-3, axis=1))
    return winner, breaker


@pytest.mark.law("39.a", "39.c")
def test_the_winner_of_the_toss_breaks_or_takes_the_side_and_the_other_breaks():
    won = set()
    for seed in range(8):
        winner, breaker = toss(doubles=False, seed=seed, takes_break=True)
        assert breaker == winner
        again, breaker = toss(doubles=False, seed=seed, takes_break=False)
        assert (again, {winner, breaker}) == (winner, {"player_0", "player_1"})
        won.add(winner)
    assert won == {"player_0", "player_1"}


@pytest.mark.law("39.b")
def test_in_doubles_the_pair_has_the_same_choice():
    won = set()
    for seed in range(12):
        winner, breaker = toss(doubles=True, seed=seed, takes_break=True)
        assert breaker == winner
        _, breaker = toss(doubles=True, seed=seed, takes_break=False)
        # Partners sit opposite: the other pair has the other parity.
        assert int(breaker[-1]) % 2 != int(winner[-1]) % 2
        won.add(int(winner[-1]) % 2)
    assert won == {0, 1}


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


# ---- the clock -----------------------------------------------------------------------


class Watch:
    """A clock that only runs when told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def timed(**options: Any) -> tuple[carrom.CarromEnv, Watch]:
    """An environment that allows 15 seconds by a watch of ours."""
    env, watch = make(time_limit_s=15.0, **options), Watch()
    env.setting = dataclasses.replace(env.setting, clock=Clock(15.0, "wall", watch))
    env.reset(seed=1)
    return env, watch


MISS = Strike(place=0.0, direction=3.0, speed=0.5)


@pytest.mark.law("46")
def test_a_break_after_more_than_15_seconds_is_a_technical_foul():
    env, watch = timed()
    watch.time = 15.5
    env.answer(MISS)
    (late,) = env.last_strokes
    assert (late.seat, late.strike) == (0, None)
    assert {"46", "63.a"} <= set(cited(late.ruling))
    assert bool(late.ruling.turn_kept)
    assert late.ruling.owed.tolist() == [1, 0]
    # The clock starts anew, and 15 seconds are not late.
    watch.time += 15.0
    env.answer(MISS)
    assert env.last_strokes[0].strike == MISS


@pytest.mark.law("50", "64.a")
def test_a_late_stroke_within_the_turn_is_a_foul_that_loses_it():
    env, watch = timed()
    env.report(SHOT(pocketed=(1, 0)))
    assert env.view().turn_begun
    watch.time += 16.0
    env.answer(MISS)
    late = env.last_strokes[0]
    assert {"50", "64.a"} <= set(cited(late.ruling))
    assert bool(late.ruling.turn_lost)
    assert late.after.match.board.on_board.tolist() == [9, 9]


@pytest.mark.law("124.b")
def test_the_time_of_the_other_player_does_not_count():
    watches: list[Watch] = []

    def slow(view: Any, rng: np.random.Generator) -> Strike:
        watches[0].time += 14.0
        return MISS

    env, watch = timed(opponent=slow)
    watches.append(watch)
    for _ in range(3):
        watch.time += 14.0
        env.answer(MISS)
        assert all(stroke.strike == MISS for stroke in env.last_strokes)
    assert watch.time > 4 * 14


@pytest.mark.law("88.a", "88.b")
@pytest.mark.parametrize(("thought", "placed"), [(15.0, 1), (15.5, 0)])
def test_a_due_placed_after_more_than_15_seconds_is_forfeited(thought, placed):
    env, watch = timed(due_placing="agent")
    creditor(env)
    watch.time += thought
    env.answer(Placement(0.0, 0.05))
    stroke = env.last_strokes[0]
    assert len(stroke.laid) == placed
    assert stroke.ruling.waived.tolist() == [0, 1 - placed]
    assert stroke.after.match.board.owed.tolist() == [0, 0]


# ---- placing -------------------------------------------------------------------------


def creditor(env: carrom.CarromEnv) -> None:
    """White, the agent, has pocketed one of each colour; black owes one, and has one down."""
    env.report(SHOT(pocketed=(1, 1)))
    clear = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
    for index, x in zip([*range(1, 9), *range(10, 18)], np.linspace(-0.3, 0.3, 16), strict=True):
        clear = clear.with_piece(index, (float(x), 0.2))
    state = env.get_state()
    assert state.table is not None
    set_position(env, clear.with_piece(QUEEN, (0.0, 0.0)), state.table.position.match)
    env.report(Event.TECHNICAL_FOUL_OPPONENT)
    assert env.view().request.kind is Kind.PLACE


@pytest.mark.law("84.a", "9")
def test_a_due_lies_where_the_creditor_leaves_it():
    env = make(due_placing="agent")
    creditor(env)
    env.answer(Placement(0.0, 0.05))
    (stroke,) = env.last_strokes
    (laid,) = stroke.laid
    assert (laid.index, laid.seat, laid.breach) == (9, 0, None)
    assert laid.place == (0.0, 0.05)
    assert bool(stroke.ruling.turn_kept)


@pytest.mark.law("85", "89.b", "114", "64.a")
@pytest.mark.parametrize(
    ("wish", "law"),
    [((0.0, 0.08), "85"), ((0.02, 0.01), "89.b"), ((0.04, 0.04), "114"), ((0.3, 0.3), "85")],
)
def test_a_due_placed_against_the_laws_is_corrected_and_a_foul(wish, law):
    env = make(due_placing="agent")
    creditor(env)
    env.answer(Placement(*wish))
    due, foul = env.last_strokes[:2]
    (laid,) = due.laid
    assert laid.breach == law
    distance = float(np.hypot(*laid.place))
    assert 0.0318 - 1e-6 <= distance <= 0.0691 + 1e-6
    # The placer has struck in this turn: he loses it, with one penalty.
    assert foul.seat == 0
    assert {law, "64.a"} <= set(cited(foul.ruling))
    assert foul.ruling.penalties_charged.tolist() == [1, 0]
    assert bool(foul.ruling.turn_lost)


@pytest.mark.law("86", "84.b")
def test_a_due_placed_onto_another_is_laid_beside_it_and_that_one_is_left_alone():
    env = make(due_placing="agent")
    creditor(env)
    state = env.get_state()
    assert state.table is not None
    incident = state.table.incident
    assert incident is not None
    inside = incident.layout.with_piece(1, (0.0, 0.05))
    state.table.incident = dataclasses.replace(incident, layout=inside)
    env.set_state(state)
    env.answer(Placement(0.001, 0.05))
    due = env.last_strokes[0]
    (laid,) = due.laid
    assert laid.breach == "86"
    assert np.hypot(laid.place[0], laid.place[1] - 0.05) >= 0.0318 - 1e-6
    assert due.after.layout.positions[1].tolist() == [0.0, 0.05]


@pytest.mark.law("80", "87.a")
def test_a_creditor_may_forgive_what_he_could_place():
    env = make(due_placing="agent")
    creditor(env)
    env.answer(Waiver())
    (stroke,) = env.last_strokes
    assert stroke.laid == ()
    assert stroke.ruling.waived.tolist() == [0, 1]
    assert stroke.after.match.board.owed.tolist() == [0, 0]
    assert stroke.after.match.board.on_board.tolist() == [8, 8]


@pytest.mark.law("87.b")
@pytest.mark.parametrize(("claimed", "points"), [(0, 7), (1, 8), (2, 9)])
def test_extra_points_are_claimed_in_whole_or_in_part(claimed, points):
    class Claimant:
        def __call__(self, view: Any, rng: np.random.Generator) -> Strike:
            return MISS

        def decide(self, view: Any, rng: np.random.Generator) -> Claim:
            assert view.request.claims == 2
            return Claim(claimed)

    env = make(opponent=Claimant(), claims="agent")
    # Black's last with white's queen still there, striker pocketed, improper: 4 C/m, 3, 2 extra.
    *_, terminated, _, info = env.report(SHOT(pocketed=(5, 9), striker=True, proper=False))
    assert terminated
    assert info["result"] == {"winner": "opponent", "points": (0, points)}


@pytest.mark.law("9", "67", "68", "93", "U24")
@pytest.mark.parametrize("seed", range(6))
def test_the_queen_is_placed_first_then_the_rest_and_what_lies_stays(position, seed):
    env = make()
    rng = np.random.default_rng(seed)
    lying = random_layout(BOARD, rng, white=6, black=5, queen=True, seat=0)
    # Two carrommen that lie on each other, as flat ones never come to lie.
    one, other = np.flatnonzero(lying.on_board)[[1, -2]]
    lying = lying.with_piece(int(one), (0.3, 0.3)).with_piece(int(other), (0.3, 0.31))
    set_position(env, lying, position(on_board=(6, 5)))
    # Queen and a white one pocketed with the striker: both come out, and a due (98.a).
    env.report(SHOT(pocketed=(1, 0), queen=True, striker=True))
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


# ---- striker and turns ---------------------------------------------------------------


@pytest.mark.law("127.b")
def test_a_slip_that_leaves_no_line_is_no_stroke_and_the_clock_runs_on():
    env = make(striker_placing="strict", time_limit_s=15.0, clock="step")
    for _ in range(16):
        env.answer(Strike(0.0, 0.0, 0.05))
        (slip,) = env.last_strokes
        assert int(slip.facts.event) == Event.NO_STROKE
        assert slip.after.layout == slip.before.layout
        assert bool(slip.ruling.turn_kept)
    # Sixteen seconds are gone.
    env.answer(Strike(0.0, 0.0, 0.05))
    assert int(env.last_strokes[0].facts.event) == Event.TECHNICAL_FOUL


@pytest.mark.law("134")
@pytest.mark.parametrize(("struck", "law"), [(False, "63.a"), (True, "64.a")])
def test_setting_the_striker_onto_a_man_restores_it_and_is_a_foul(struck, law, position):
    env = make(striker_placing="strict")
    lying = random_layout(BOARD, np.random.default_rng(5), white=6, black=5, queen=True, seat=0)
    lying = lying.with_piece(0, (0.05, BOARD.base_line_y))
    set_position(env, lying, position(on_board=(6, 5), strokes_in_turn=np.int32(struck)))
    env.answer(Strike(0.06, 0.0, 2.0))
    foul = env.last_strokes[0]
    assert np.array_equal(
        foul.after.layout.positions[lying.on_board], lying.positions[lying.on_board]
    )
    assert {"134", law} <= set(cited(foul.ruling))
    assert bool(foul.ruling.turn_lost) == struck


@pytest.mark.law("142")
def test_a_board_on_which_the_striker_cannot_be_set_is_replayed(position):
    env = make()
    row = np.linspace(-0.25, 0.25, 12)
    blocked = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
    for index, x in zip([*range(6), *range(9, 14), QUEEN], row, strict=True):
        blocked = blocked.with_piece(index, (float(x), BOARD.base_line_y))
    before = position(on_board=(6, 5), score=(4, 2))
    set_position(env, blocked, before)
    env.report(Event.TECHNICAL_FOUL)
    told = env.last_strokes[1]
    assert int(told.facts.event) == Event.NO_STRIKER_SPACE
    assert bool(told.ruling.board_replayed)
    assert env.layout().on_board.all()
    assert env.view().break_to_be_made
    assert env.view().score == (4, 2)


@pytest.mark.law("51")
@pytest.mark.parametrize("doubles", [False, True])
def test_whoever_strikes_out_of_turn_loses_the_board_by_his_own_men_and_the_queen(doubles):
    for offender in range(1, 4 if doubles else 2):
        env = CarromAECEnv(doubles=doubles, task="board", reward="points")
        env.reset(seed=2)
        turn = env.possible_agents.index(env.agent_selection)
        agent = env.possible_agents[(turn + offender) % len(env.possible_agents)]
        env.step_as(agent, env.action_space(agent).sample())
        assert all(env.terminations.values())
        # Nine carrommen and the queen: twelve points.
        assert env.infos[agent]["result"] == {"winner": "opponent", "points": (0, 12)}


@pytest.mark.law("139")
@pytest.mark.parametrize(
    ("id", "event", "over"),
    [
        ("Carrom-v0", Event.CONCEDE_GAME, True),
        ("CarromMatch-v0", Event.CONCEDE_GAME, False),
        ("CarromMatch-v0", Event.CONCEDE_MATCH, True),
    ],
)
def test_a_player_may_concede_at_any_time(id: str, event: Event, over: bool):
    env = gym.make(id, first="agent").unwrapped
    assert isinstance(env, carrom.CarromEnv)
    env.reset(seed=0)
    *_, terminated, truncated, _ = env.report(event)
    assert (terminated, truncated) == (over, False)
    assert env.view().games == (0, 1)
