"""Where pieces go, and what a stroke is on the board, law by law.

Lengths in metres: carrommen of radius 0.0159, centre circle of radius 0.0159, outer circle of
radius 0.0850.
"""

from __future__ import annotations

import math

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from carrom.action import MIN_SPEED
from carrom.board import Board, to_seat
from carrom.laws import StrokeFacts, due_faults_jit, place_centre_jit, place_jumped_jit, rule_jit
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.calibration.shots import midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, QUEEN, STRIKER

BOARD = Board()
DIAMETER = 0.0318
NOBODY = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine(BOARD, Material())


@pytest.mark.law("84.a", "85", "89.b", "A26", "A27")
@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5])
@pytest.mark.parametrize(
    ("distance", "laws"),
    [
        (0.0, ("89.b",)),
        (0.0318 - 1e-5, ("89.b",)),
        (0.0318 + 1e-5, ()),
        (0.0691 - 1e-5, ()),
        (0.0691 + 1e-5, ("85",)),
        (0.3, ("85",)),
    ],
)
def test_a_due_lies_wholly_between_centre_circle_and_outer_circle(distance, angle, laws):
    point = (distance * math.cos(angle), distance * math.sin(angle))
    assert due_faults_jit(NOBODY, point, board=BOARD) == laws


@pytest.mark.law("84.b", "86")
@pytest.mark.parametrize(("gap", "laws"), [(1e-5, ()), (-1e-5, ("86",)), (-0.02, ("86",))])
def test_a_due_may_not_rest_on_another_piece_or_push_it(gap, laws):
    other = NOBODY.with_piece(4, (0.0, 0.05))
    reach = DIAMETER + gap
    # Beside it, at the same distance from the centre.
    turn = 2 * math.asin(reach / 2 / 0.05)
    point = (0.05 * math.sin(turn), 0.05 * math.cos(turn))
    assert due_faults_jit(other, point, board=BOARD) == laws


@pytest.mark.law("A25", "65.b")
@pytest.mark.parametrize("next_seat", range(4))
def test_a_man_that_jumped_with_the_queen_lies_behind_her_for_who_strikes_next(next_seat):
    jumped = np.isin(np.arange(N_CARROMMEN), [4, QUEEN])
    placed = place_jumped_jit(NOBODY, jumped, 0, next_seat, board=BOARD)
    seen = to_seat(placed.positions, next_seat)
    assert seen[QUEEN] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert seen[4] == pytest.approx((0.0, DIAMETER), abs=3e-6)


@pytest.mark.law("66.a")
@pytest.mark.parametrize("crowd", range(4))
def test_what_jumped_goes_to_the_centre_and_leaves_the_others_alone(crowd):
    rng = np.random.default_rng(crowd)
    lying = random_layout(BOARD, rng, white=6, black=7, queen=True, seat=0)
    jumped = np.zeros(N_CARROMMEN, bool)
    jumped[int(np.flatnonzero(~lying.on_board)[0])] = True
    placed = place_jumped_jit(lying, jumped, 0, 2, board=BOARD)
    assert np.array_equal(placed.positions[lying.on_board], lying.positions[lying.on_board])
    placed.check(BOARD)
    distance = np.hypot(*placed.positions[jumped].T)
    free = np.hypot(*lying.positions[lying.on_board].T).min() >= DIAMETER
    assert distance < (1e-6 if free else 2 * DIAMETER)


@pytest.mark.law("U27")
@pytest.mark.parametrize("next_seat", range(4))
def test_a_queen_whose_centre_is_taken_lies_as_near_as_she_fits(next_seat):
    taken = NOBODY.with_piece(0, (0.02, 0.0))
    place = place_centre_jit(taken, next_seat, board=BOARD)
    # Touching the one that covers the centre, on the line through both.
    assert place == pytest.approx((0.02 - DIAMETER, 0.0), abs=3e-6)
    whole = NOBODY.with_piece(0, (0.0, 0.0))
    place = to_seat(np.array(place_centre_jit(whole, next_seat, board=BOARD)), next_seat)
    assert place == pytest.approx((0.0, DIAMETER), abs=3e-6)


@pytest.mark.law("69.a", "70.a")
def test_a_striker_that_touched_but_pocketed_nothing_changes_no_count(position):
    state = position()
    after, ruling = rule_jit(state, StrokeFacts.shot())
    assert bool(ruling.turn_lost)
    assert after.board.on_board.tolist() == state.board.on_board.tolist()
    assert ruling.returned.tolist() == ruling.replaced.tolist() == [0, 0]


@pytest.mark.law("69.b", "70.b")
def test_what_falls_when_the_striker_is_taken_away_counts_in_the_same_stroke(position):
    after, ruling = rule_jit(position(), StrokeFacts.shot(pocketed=(1, 0)))
    assert bool(ruling.turn_kept)
    assert after.board.on_board.tolist() == [5, 5]
    after, ruling = rule_jit(position(), StrokeFacts.shot(striker=True))
    assert bool(ruling.turn_lost)
    assert ruling.dues_charged.tolist() == [1, 0]


@pytest.mark.law("123")
@hypothesis.settings(max_examples=25, deadline=None)
@hypothesis.given(seed=st.integers(0, 2**32 - 1))
def test_a_stroke_ends_when_everything_rests_and_the_striker_is_gone(engine, seed):
    layout, strike = midgame_shot(BOARD, np.random.default_rng(seed))
    motion = engine.play(layout, strike, trajectory_rate=500)
    film = motion.trajectory
    assert film is not None
    lying = film.in_play[-1]
    steps = np.hypot(*np.moveaxis(np.diff(film.positions[:, lying], axis=0), -1, 0))
    # A disc that slows at a and rests at the end has slid at most a t^2 / 2 in the last t.
    assert steps[-1].max(initial=0.0) < 0.6 * Material().deceleration / 500**2
    assert motion.duration >= max((fall.time for fall in motion.pocketed), default=0.0)
    assert np.array_equal(lying[:STRIKER], motion.layout.on_board)
    assert film.positions[-1][:STRIKER][lying[:STRIKER]] == pytest.approx(
        motion.layout.positions[motion.layout.on_board], abs=1e-12
    )
    # Left alone, it stays as it is.
    still = engine.play(motion.layout, Strike(0.0, 0.0, 0.0))
    assert still.layout == motion.layout


@pytest.mark.law("127.a")
def test_the_slowest_strike_leaves_the_lower_base_line(engine, position):
    motion = engine.play(NOBODY, Strike(0.0, 0.0, MIN_SPEED))
    assert motion.striker is not None
    rear = motion.striker[1] - 0.0413 / 2
    # From 0.1015 in front of the frame on, the line is at most 0.0065 thick.
    assert rear > -0.3683 + 0.1015 + 0.0065
    # And so it counts, touch or no touch.
    _, ruling = rule_jit(position(), StrokeFacts.shot(touched=False))
    assert bool(ruling.turn_lost)


@pytest.mark.law("I.speed")
def test_a_striker_hit_with_full_force_makes_three_and_a_half_runs(engine):
    motion = engine.play(NOBODY, Strike(0.0, 0.0, Material().full_speed), trajectory_rate=2000)
    assert motion.trajectory is not None
    way = np.abs(np.diff(motion.trajectory.positions[:, STRIKER, 1])).sum()
    assert way >= 3.5 * BOARD.side


@pytest.mark.law("114")
@pytest.mark.parametrize("queen", [(0.0, 0.0), (0.1, 0.02), (-0.2, 0.15)])
def test_a_due_may_not_be_lined_up_with_the_queen_on_a_pocket(queen):
    lying = NOBODY.with_piece(QUEEN, queen)
    ring = 0.05 * np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0.01, 6.29, 60)])
    centre = np.array(queen)
    faults = 0
    for point in ring:
        apart = np.linalg.norm(point - centre)
        way = (point - centre) / apart
        # Whichever of the two is nearer to a pocket: the line through both enters it.
        misses = [
            abs(way[0] * (p - centre)[1] - way[1] * (p - centre)[0]) for p in BOARD.pocket_centres
        ]
        shot = min(misses) < 0.02225
        laws = due_faults_jit(lying, (float(point[0]), float(point[1])), board=BOARD)
        assert ("114" in laws) == shot
        faults += shot
    assert 0 < faults < len(ring)
