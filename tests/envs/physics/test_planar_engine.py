"""The planar engine's interface, which is the reference engine's."""

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

from carrom.board import Board, to_board, to_seat
from carrom.errors import BoardError, ConfigError, PhysicsError
from carrom.layout import Layout
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.dump import StrokeDump
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.planar import engine as planar_engine
from carrom.physics.planar.engine import AT_ONCE, PlanarEngine
from carrom.physics.planar.slots import SIZES, from_slots, slots_for, to_slots
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, STRIKER

BOARD = Board()
NO_NUMBER: Any = "left"


@pytest.fixture(scope="module")
def engine() -> PlanarEngine:
    return PlanarEngine()


@pytest.fixture(scope="module")
def double() -> PlanarEngine:
    return PlanarEngine(precision="float64")


@pytest.fixture(scope="module")
def shots() -> list[Shot]:
    rng = np.random.default_rng(8)
    midgame = [midgame_shot(BOARD, rng, pieces) for pieces in (0, 1, 8, 9) * 5]
    return [*midgame, break_shot(BOARD, rng)]


def layout_of(**places: tuple[float, float]) -> Layout:
    """A layout of the named carrommen only: ``layout_of(c0=(x, y))``."""
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    for name, place in places.items():
        positions[int(name[1:])], on_board[int(name[1:])] = place, True
    return Layout(positions, on_board)


def bits(motion: Motion) -> tuple:
    """Everything in a motion but the film."""
    striker = None if motion.striker is None else motion.striker.tobytes()
    return (
        motion.layout.positions.tobytes(),
        motion.layout.on_board.tobytes(),
        motion.pocketed,
        motion.first_touch,
        motion.touched.tobytes(),
        motion.duration,
        striker,
    )


def test_batches_repeats_and_pickles_are_the_same_bits(engine, shots):
    layouts, strikes = [shot.layout for shot in shots], [shot.strike for shot in shots]
    seats = [k % 4 for k in range(len(shots))]
    together = [bits(motion) for motion in engine.play_many(layouts, strikes, seats)]
    apart = [engine.play_many([layouts[k]], [strikes[k]], [seats[k]])[0] for k in (0, 2, 7)]
    assert [bits(motion) for motion in apart] == [together[k] for k in (0, 2, 7)]
    backwards = engine.play_many(layouts[::-1], strikes[::-1], seats[::-1])
    assert [bits(motion) for motion in backwards][::-1] == together
    copy = pickle.loads(pickle.dumps(engine))
    assert bits(copy.play(*shots[3])) == bits(engine.play(*shots[3]))
    other = pickle.loads(pickle.dumps(PlanarEngine(precision="float64", lanes=64)))
    assert (other.lanes, other.precision) == (64, "float64")
    assert engine.play_many([], [], []) == []


def test_batches_longer_than_a_program(engine, shots):
    few = shots[:-1]
    layouts, strikes = [shot.layout for shot in few], [shot.strike for shot in few]
    expected = [bits(motion) for motion in engine.play_many(layouts, strikes, [0] * len(few))]
    times = AT_ONCE // len(few) + 1
    many = engine.play_many(layouts * times, strikes * times, [0] * len(few) * times)
    assert len(many) > AT_ONCE
    assert [bits(motion) for motion in many] == expected * times


def test_one_and_many_agree(engine, shots):
    """Two programs: the same strokes to what few impacts make of rounding."""
    many = engine.play_many(
        [shot.layout for shot in shots], [shot.strike for shot in shots], [0] * len(shots)
    )
    distances = []
    for shot, motion in zip(shots, many, strict=True):
        alone = engine.play(*shot)
        assert alone.first_touch == motion.first_touch
        if np.array_equal(alone.layout.on_board, motion.layout.on_board):
            distances.append(np.abs(alone.layout.positions - motion.layout.positions).max())
    assert len(distances) >= len(shots) - 2
    assert np.median(distances) < 1e-5


def test_double_precision(engine, double, shots):
    for shot in shots[1:4]:
        here, there = engine.play(*shot), double.play(*shot)
        np.testing.assert_allclose(here.layout.positions, there.layout.positions, atol=1e-3)
        assert there.duration == pytest.approx(here.duration, abs=1e-3)
    lone = double.play(layout_of(), Strike(0.0, 0.0, 0.6))
    assert lone.striker is not None
    way = 0.6**2 / (2 * double.material.deceleration)
    assert lone.striker[1] == pytest.approx(BOARD.base_line_y + way, abs=1e-14)


@pytest.mark.parametrize("rate", [30.0, 977.0])
def test_film_does_not_change_the_outcome(engine, shots, rate):
    for layout, strike in [*shots[:4], shots[-1]]:
        motion = engine.play(layout, strike, trajectory_rate=rate)
        assert bits(motion) == bits(engine.play(layout, strike))
        film = motion.trajectory
        assert film is not None
        frames = len(film.times) - 1
        assert film.times[:-1].tolist() == (np.arange(frames) / rate).tolist()
        assert film.times[-1] == motion.duration
        assert frames == math.ceil(motion.duration * rate)
        np.testing.assert_allclose(film.positions[0, STRIKER], strike.position(BOARD, 0), atol=3e-8)
        on_board = motion.layout.on_board
        np.testing.assert_array_equal(
            film.positions[-1, :STRIKER][on_board], motion.layout.positions[on_board]
        )
        assert not film.in_play[:, :STRIKER][:, ~layout.on_board].any()
        for fall in motion.pocketed:
            shown = film.in_play[:, fall.index]
            np.testing.assert_array_equal(shown, film.times < fall.time)
        way = np.abs(
            np.diff(film.positions[:, [*np.flatnonzero(layout.on_board), STRIKER]], axis=0)
        )
        assert way.max() <= 1.3 * strike.speed / rate + 1e-6


def test_film_of_a_lone_striker_is_the_parabola(engine):
    strike = Strike(0.0, 0.0, 0.6)
    motion = engine.play(layout_of(), strike, trajectory_rate=240.0)
    assert motion.trajectory is not None
    t = np.minimum(motion.trajectory.times, 0.6 / engine.material.deceleration)
    expected = BOARD.base_line_y + 0.6 * t - engine.material.deceleration * t**2 / 2
    assert motion.trajectory.positions[:, STRIKER, 1] == pytest.approx(expected, abs=1e-7)
    assert motion.duration == pytest.approx(0.6 / engine.material.deceleration, abs=1e-6)


def test_film_of_a_recording_in_parts(engine, shots, monkeypatch):
    """A stroke recorded in several parts, and its film, are those of one part."""
    layout, strike = shots[2]
    whole = engine.play(layout, strike, trajectory_rate=200.0)
    monkeypatch.setattr(planar_engine, "STEPS_AT_ONCE", 3)
    parts = engine.play(layout, strike, trajectory_rate=200.0)
    assert whole.trajectory is not None
    assert parts.trajectory is not None
    assert parts.first_touch == whole.first_touch
    assert parts.duration == pytest.approx(whole.duration, abs=1e-3)
    np.testing.assert_allclose(parts.trajectory.positions, whole.trajectory.positions, atol=1e-3)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_other_seats_see_the_same_stroke(double, seat):
    rng = np.random.default_rng(seed=seat)
    for _ in range(8):
        layout, strike = midgame_shot(BOARD, rng, pieces=2)
        turned = Layout(to_board(layout.positions, seat), layout.on_board)
        here, there = double.play(layout, strike), double.play(turned, strike, seat)
        assert there.first_touch == here.first_touch
        back = to_seat(there.layout.positions, seat)
        np.testing.assert_allclose(back, here.layout.positions, atol=1e-7)
        assert [(p.index, (p.pocket - seat) % 4) for p in there.pocketed] == [
            (p.index, p.pocket) for p in here.pocketed
        ]


def test_mirrored_stroke_is_the_mirror_image(engine):
    rng = np.random.default_rng(11)
    flip = np.array([-1.0, 1.0])
    for _ in range(12):
        layout, strike = midgame_shot(BOARD, rng)
        mirrored = dataclasses.replace(strike, place=-strike.place, direction=-strike.direction)
        here = engine.play(layout, strike)
        there = engine.play(Layout(layout.positions * flip, layout.on_board), mirrored)
        np.testing.assert_array_equal(there.layout.positions * flip, here.layout.positions)
        assert there.touched.tolist() == here.touched.tolist()
        assert there.duration == here.duration


def test_touches(engine):
    """The striker sends 0 into 5; 9 lies aside, and stays to the last bit."""
    layout = layout_of(c0=(0.0, 0.0), c5=(0.0, 0.1), c9=(0.2, 0.0))
    motion = engine.play(layout, Strike(0.0, 0.0, 2.0))
    assert motion.first_touch == 0
    assert np.flatnonzero(motion.touched).tolist() == [0, 5]
    assert motion.layout.positions[9].tolist() == [0.2, 0.0]
    missed = engine.play(layout, Strike(-0.15, 0.0, 1.0))
    assert missed.first_touch is None
    assert not missed.touched.any()


def test_straight_into_the_pocket(engine):
    """A carromman on the line from the striker to the pocket falls in it, first of all."""
    pocket = BOARD.pocket_centres[1]
    start = np.array([0.1, BOARD.base_line_y])
    direction = math.atan2(-(pocket - start)[0], (pocket - start)[1])
    x, y = start + 0.7 * (pocket - start)
    motion = engine.play(layout_of(c4=(x, y)), Strike(0.1, direction, 1.5))
    assert motion.pocketed[0].index == 4
    assert motion.pocketed[0].pocket == 1
    assert not motion.layout.on_board[4]
    assert 0 < motion.pocketed[0].time <= motion.duration


def test_the_striker_falls_and_is_gone(engine):
    pocket = BOARD.pocket_centres[2]
    start = np.array([0.0, BOARD.base_line_y])
    direction = math.atan2(-(pocket - start)[0], (pocket - start)[1])
    motion = engine.play(layout_of(), Strike(0.0, direction, 1.3))
    assert motion.striker_pocketed
    assert motion.striker is None
    assert motion.pocketed[0].pocket == 2


def test_order_of_falling(engine):
    """Three carrommen on the brinks of three pockets, each pushed over at its time."""
    c = BOARD.pocket_offset
    layout = layout_of(c2=(c - 0.001, -c), c11=(-c, c), c18=(c, c))
    motion = engine.play(layout, Strike(0.0, 0.0, 0.0))
    assert sorted((p.index, p.pocket) for p in motion.pocketed) == [(2, 0), (11, 2), (18, 1)]
    assert [p.time for p in motion.pocketed] == pytest.approx([engine.material.fall_time] * 3)
    assert motion.duration == pytest.approx(engine.material.fall_time)


def test_improper_strike_is_played_from_where_it_stands(engine):
    motion = engine.play(layout_of(), Strike(0.3, 0.0, 0.0, forward=0.05))
    assert motion.striker == pytest.approx([0.3, BOARD.base_line_y + 0.05], abs=1e-7)
    assert motion.duration == 0.0


def test_striker_set_onto_a_carromman_is_computed(engine):
    layout = layout_of(c3=(0.01, BOARD.base_line_y + 0.02))
    assert engine.play(layout, Strike(0.0, 0.0, 3.0)).first_touch == 3
    # It slides out from under one that it does not close on, and stays where nothing moves.
    assert engine.play(layout, Strike(0.0, math.pi, 0.1)).first_touch is None
    still = engine.play(layout, Strike(0.0, 0.0, 0.0))
    assert still.layout == layout
    assert still.duration == 0.0


@pytest.mark.parametrize("place", [-1, 1])
def test_striker_against_the_frame_is_played(engine, place):
    reach = BOARD.half_side - BOARD.striker_radius
    strike = Strike(place * reach, 0.0, 0.5, forward=-reach - BOARD.base_line_y + 0.05)
    motion = engine.play(layout_of(), strike, np.int64(2))
    assert motion.striker is not None
    expected = reach - 0.05 - 0.5**2 / (2 * engine.material.deceleration)
    assert motion.striker == pytest.approx((-place * reach, expected), abs=1e-5)


def test_another_board_and_material():
    board = Board(side=0.738, striker_mass=0.012)
    engine = PlanarEngine(board, Material(friction=0.05))
    motion = engine.play(layout_of(), Strike(0.0, 0.0, 0.5))
    assert motion.striker is not None
    way = 0.5**2 / (2 * 0.05 * 9.81)
    assert motion.striker[1] == pytest.approx(board.base_line_y + way, abs=1e-6)


def test_absurd_speed_raises(engine, tmp_path):
    layout = layout_of(c7=(0.0, 0.0))
    with pytest.raises(PhysicsError, match="diverged") as caught:
        engine.play(layout, Strike(0.01, 0.002, 1e6), 2)
    caught.value.dump.save(tmp_path / "stroke.json")
    dump = StrokeDump.load(tmp_path / "stroke.json")
    assert (dump.layout, dump.seat, dump.material) == (layout, 2, engine.material)
    with pytest.raises(PhysicsError, match="diverged"):
        engine.play_many([layout] * 2, [Strike(0.0, 0.0, 1.0), Strike(0.0, 0.0, 1e6)], [0, 0])


def test_a_stroke_without_end_raises(shots, monkeypatch):
    """Given up after the first part of a recording, in which it cannot end."""
    monkeypatch.setattr(planar_engine, "MOST_STEPS", 1)
    engine = PlanarEngine(material=Material(friction=0.005, restitution_frame=0.98))
    with pytest.raises(PhysicsError, match="not at rest after"):
        engine.play(shots[-1].layout, dataclasses.replace(shots[-1].strike, speed=900.0))


@pytest.mark.parametrize(
    ("strike", "match"),
    [
        (Strike(math.nan, 0.0, 1.0), "finite"),
        (Strike(0.0, math.inf, 1.0), "finite"),
        (Strike(0.0, 0.0, 1.0, forward=math.nan), "finite"),
        (Strike(0.0, 0.0, -1.0), "speed >= 0"),
        (Strike(NO_NUMBER, 0.0, 1.0), "finite numbers"),
        (Strike(5.0, 0.0, 1.0), r"place = 5\.0 m.*place in \[-0\.34765, 0\.34765\]"),
        (Strike(0.3476, 0.0, 1.0, forward=-0.0967), "rounded corners"),
    ],
)
def test_bad_strike(engine, strike, match):
    with pytest.raises(ConfigError, match=match):
        engine.play(layout_of(), strike)
    with pytest.raises(ConfigError, match=match):
        engine.play_many([layout_of()], [strike], [3])


@pytest.mark.parametrize("seat", [-1, 4, 1.0, None])
def test_no_such_seat(engine, seat):
    with pytest.raises(ConfigError, match=r"seat = .*expected 0, 1, 2 or 3"):
        engine.play(layout_of(), Strike(0.0, 0.0, 1.0), seat)
    with pytest.raises(ConfigError, match=r"seat = .*expected 0, 1, 2 or 3"):
        engine.play_many([layout_of()], [Strike(0.0, 0.0, 1.0)], [seat])


def test_bad_input(engine):
    strike = Strike(0.0, 0.0, 1.0)
    for layout, match in (
        (layout_of(c0=(0.0, 0.0), c1=(0.01, 0.0)), "0 and 1 overlap"),
        (layout_of(c4=(0.0, 0.36)), "carromman 4 at"),
        (layout_of(c4=(0.0, math.nan)), "carromman 4 at"),
    ):
        with pytest.raises(BoardError, match=match):
            engine.play(layout, strike)
        with pytest.raises(BoardError, match=match):
            engine.play_many([layout_of(), layout], [strike] * 2, [0, 0])
    with pytest.raises(ConfigError, match="trajectory_rate = 0"):
        engine.play(layout_of(), strike, trajectory_rate=0)
    with pytest.raises(ConfigError, match="1 layouts, 2 strikes"):
        engine.play_many([layout_of()], [strike] * 2, [0, 0])
    with pytest.raises(ConfigError, match=r"lanes = 1\.5"):
        PlanarEngine(lanes=1.5)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="lanes = 0"):
        PlanarEngine(lanes=0)
    with pytest.raises(ConfigError, match="precision = 'float16'"):
        PlanarEngine(precision="float16")


@pytest.mark.parametrize("carrommen", range(N_CARROMMEN + 1))
def test_slots_hold_every_carromman(carrommen):
    rng = np.random.default_rng(carrommen)
    on_board = np.zeros((4, N_CARROMMEN), bool)
    for row in on_board:
        row[rng.permutation(N_CARROMMEN)[:carrommen]] = True
    positions = rng.normal(size=(4, N_CARROMMEN, 2))
    slots = slots_for(carrommen)
    assert slots in SIZES
    places, present, carromman = to_slots(positions, on_board, slots)
    assert present.sum(1).tolist() == [carrommen] * 4
    for k in range(4):
        assert carromman[k, present[k]].tolist() == np.flatnonzero(on_board[k]).tolist()
    with_striker = np.concatenate([places, np.zeros((4, 1, 2))], 1)
    back = from_slots(with_striker, on_board)
    np.testing.assert_array_equal(back[on_board], positions[on_board])


def test_no_slots_for_more():
    with pytest.raises(BoardError, match="20 carrommen: expected at most 19"):
        slots_for(20)
