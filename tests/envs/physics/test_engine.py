import dataclasses
import json
import math
import pickle
from typing import Any

import mujoco
import numpy as np
import pytest

from carrom.board import Board, to_board, to_seat
from carrom.errors import BoardError, ConfigError, PhysicsError
from carrom.layout import Layout
from carrom.physics import simulation
from carrom.physics.calibration.shots import break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine, replay
from carrom.physics.simulation import fall_radii
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, STRIKER

BOARD = Board()
NO_NUMBER: Any = "left"


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine()


@pytest.fixture(scope="module")
def shots():
    rng = np.random.default_rng(8)
    breaks = [break_shot(BOARD, rng) for _ in range(4)]
    return breaks + [midgame_shot(BOARD, rng) for _ in range(20)]


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


def test_batches_threads_repeats_and_pickles_are_the_same_bits(engine, shots):
    layouts, strikes, seats = [s.layout for s in shots], [s.strike for s in shots], [0] * len(shots)
    alone = [bits(engine.play(s.layout, s.strike)) for s in shots]
    assert [bits(m) for m in engine.play_many(layouts, strikes, seats)] == alone
    assert [bits(m) for m in engine.play_many(layouts, strikes, seats, threads=3)] == alone
    backwards = [bits(engine.play(s.layout, s.strike)) for s in reversed(shots)]
    assert backwards[::-1] == alone
    copy = pickle.loads(pickle.dumps(engine))
    assert [bits(copy.play(s.layout, s.strike)) for s in shots] == alone


@pytest.mark.parametrize("rate", [30.0, 977.0])
def test_film_does_not_change_the_outcome(engine, shots, rate):
    for layout, strike in shots[2:8]:
        motion = engine.play(layout, strike, trajectory_rate=rate)
        assert bits(motion) == bits(engine.play(layout, strike))
        film = motion.trajectory
        assert film is not None
        frames = len(film.times) - 1
        assert film.times[:-1].tolist() == (np.arange(frames) / rate).tolist()
        assert film.times[-1] == motion.duration
        assert frames == math.ceil(motion.duration * rate)
        np.testing.assert_array_equal(film.positions[0, STRIKER], strike.position(BOARD, 0))
        on_board = motion.layout.on_board
        np.testing.assert_array_equal(
            film.positions[-1, :STRIKER][on_board], motion.layout.positions[on_board]
        )
        for fall in motion.pocketed:
            gone = ~film.in_play[:-1, fall.index]
            # A frame at the very moment of the fall may show either.
            assert np.all(gone[film.times[:-1] > fall.time + 1e-5])
            assert not np.any(gone[film.times[:-1] < fall.time])


def test_film_of_a_lone_striker_is_the_parabola(engine):
    strike = Strike(0.0, 0.0, 0.6)
    motion = engine.play(layout_of(), strike, trajectory_rate=240.0)
    assert motion.trajectory is not None
    t = np.minimum(motion.trajectory.times, 0.6 / engine.material.deceleration)
    expected = BOARD.base_line_y + 0.6 * t - engine.material.deceleration * t**2 / 2
    assert motion.trajectory.positions[:, STRIKER, 1] == pytest.approx(expected, abs=1e-9)
    assert motion.duration == pytest.approx(0.6 / engine.material.deceleration, abs=1e-8)


@pytest.mark.parametrize("seat", [1, 2, 3])
def test_other_seats_see_the_same_stroke(engine, seat):
    rng = np.random.default_rng(seat)
    for _ in range(8):
        layout, strike = midgame_shot(BOARD, rng, pieces=2)
        turned = Layout(to_board(layout.positions, seat), layout.on_board)
        here, there = engine.play(layout, strike), engine.play(turned, strike, seat)
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
        layout, strike = midgame_shot(BOARD, rng, pieces=1)
        mirrored = dataclasses.replace(strike, place=-strike.place, direction=-strike.direction)
        here = engine.play(layout, strike)
        there = engine.play(Layout(layout.positions * flip, layout.on_board), mirrored)
        np.testing.assert_allclose(there.layout.positions * flip, here.layout.positions, atol=1e-9)
        assert there.touched.tolist() == here.touched.tolist()


def test_touches():
    """The striker sends 0 into 5; 9 lies aside."""
    engine = MujocoEngine()
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


@pytest.mark.parametrize(("offset", "falls"), [(-0.02e-3, True), (0.02e-3, False)])
@pytest.mark.parametrize("pocket", range(4))
def test_a_carromman_on_the_brink(engine, pocket, offset, falls):
    """sqrt(r_p^2 - R_flat^2) decides, to 0.02 mm."""
    flat = BOARD.carromman_radius - engine.material.edge_rounding
    brink = math.sqrt(BOARD.pocket_radius**2 - flat**2)
    assert fall_radii(BOARD, engine.material)[0] == pytest.approx(brink)
    centre = BOARD.pocket_centres[pocket]
    x, y = centre - np.sign(centre) * (brink + offset) * math.sqrt(0.5)
    motion = engine.play(layout_of(c18=(x, y)), Strike(0.0, 0.0, 0.0))
    assert [(p.index, p.pocket) for p in motion.pocketed] == ([(18, pocket)] if falls else [])


def test_the_striker_falls_and_is_gone(engine):
    pocket = BOARD.pocket_centres[2]
    start = np.array([0.0, BOARD.base_line_y])
    direction = math.atan2(-(pocket - start)[0], (pocket - start)[1])
    motion = engine.play(layout_of(), Strike(0.0, direction, 1.3))
    assert motion.striker_pocketed
    assert motion.striker is None
    assert motion.pocketed[0].pocket == 2


def test_improper_strike_is_played_from_where_it_stands(engine):
    motion = engine.play(layout_of(), Strike(0.3, 0.0, 0.0, forward=0.05))
    assert motion.striker is not None
    assert motion.striker.tolist() == [0.3, BOARD.base_line_y + 0.05]
    assert motion.duration == 0.0


def test_striker_set_onto_a_carromman_is_computed(engine):
    layout = layout_of(c3=(0.01, BOARD.base_line_y + 0.02))
    motion, diagnostics = engine.examine(layout, Strike(0.0, 0.0, 3.0))
    assert motion.first_touch == 3
    assert diagnostics.impact_gain == 0.0
    # It slides out from under one that it does not close on, and stays where nothing moves.
    assert engine.play(layout, Strike(0.0, math.pi, 0.1)).first_touch is None
    still = engine.play(layout, Strike(0.0, 0.0, 0.0))
    assert still.layout == layout
    assert still.duration == 0.0


def test_absurd_speed_raises_and_replays(engine, tmp_path):
    layout = layout_of(c7=(0.0, 0.0))
    with pytest.raises(PhysicsError, match="diverged") as caught:
        engine.play(layout, Strike(0.01, 0.002, 1e6), 2)
    path = tmp_path / "stroke.json"
    caught.value.dump.save(path)
    assert json.loads(path.read_text())["seat"] == 2
    with pytest.raises(PhysicsError, match="diverged") as again:
        replay(path)
    assert str(again.value) == str(caught.value)
    assert bits(engine.play(layout, Strike(0.0, 0.0, 2.0))) == bits(
        MujocoEngine().play(layout, Strike(0.0, 0.0, 2.0))
    )


@pytest.mark.parametrize("poison", [math.nan, math.inf])
def test_poisoned_state_raises(engine, shots, poison, monkeypatch):
    step = mujoco.mj_step

    def poisoned(model, data):
        step(model, data)
        data.qvel[3] = poison

    monkeypatch.setattr(mujoco, "mj_step", poisoned)
    with pytest.raises(PhysicsError, match="finite"):
        engine.play(*shots[0])


@pytest.mark.parametrize(("limit", "value"), [("LEG_LIMIT", 20), ("TIME_LIMIT", 0.1)])
def test_a_stroke_without_end_raises(shots, limit, value, monkeypatch):
    monkeypatch.setattr(simulation, limit, value)
    with pytest.raises(PhysicsError, match="not at rest after"):
        MujocoEngine().play(*shots[0])


def test_an_error_of_mujoco_raises(engine, shots, monkeypatch):
    def broken(model, data):
        raise mujoco.FatalError("out of memory")

    monkeypatch.setattr(mujoco, "mj_step", broken)
    with pytest.raises(PhysicsError, match="out of memory"):
        engine.play(*shots[0])


def test_warning_of_mujoco_raises(engine, shots, monkeypatch):
    step = mujoco.mj_step

    def warned(model, data):
        step(model, data)
        data.warning.number[mujoco.mjtWarning.mjWARN_BADQACC] += 1

    monkeypatch.setattr(mujoco, "mj_step", warned)
    with pytest.raises(PhysicsError, match="BADQACC"):
        engine.play(*shots[0])


def test_dump_keeps_every_bit(shots, tmp_path, monkeypatch):
    material = Material.sample(np.random.default_rng(3))
    board = Board(striker_mass=0.0141)
    engine = MujocoEngine(board, material)
    with monkeypatch.context() as patch:
        patch.setattr(mujoco, "mj_step", lambda model, data: data.qvel.fill(math.nan))
        with pytest.raises(PhysicsError) as caught:
            engine.play(*shots[5])
    caught.value.dump.save(tmp_path / "stroke.json")
    assert bits(replay(tmp_path / "stroke.json")) == bits(engine.play(*shots[5]))


def test_not_a_dump(tmp_path):
    path = tmp_path / "other.json"
    path.write_text("[1, 2]")
    with pytest.raises(ConfigError, match="expected a saved stroke"):
        replay(path)


@pytest.mark.parametrize(
    ("strike", "match"),
    [
        (Strike(math.nan, 0.0, 1.0), "finite"),
        (Strike(0.0, math.inf, 1.0), "finite"),
        (Strike(0.0, 0.0, math.nan), "finite"),
        (Strike(0.0, 0.0, 1.0, forward=math.nan), "finite"),
        (Strike(0.0, 0.0, -1.0), "speed >= 0"),
        (Strike(NO_NUMBER, 0.0, 1.0), "finite numbers"),
        (Strike(5.0, 0.0, 1.0), r"place = 5\.0 m.*place in \[-0\.34765, 0\.34765\]"),
        (Strike(-0.36, 0.0, 1.0), r"place = -0\.36 m"),
        (Strike(0.0, 0.0, 1.0, forward=-0.1), r"forward = -0\.1 m.*forward in \[-0\.09675, "),
        (Strike(0.0, 0.0, 1.0, forward=0.7), r"forward = 0\.7 m"),
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


@pytest.mark.parametrize("place", [-1, 1])
def test_striker_against_the_frame_is_played(engine, place):
    reach = BOARD.half_side - BOARD.striker_radius
    strike = Strike(place * reach, 0.0, 0.5, forward=-reach - BOARD.base_line_y + 0.05)
    motion = engine.play(layout_of(), strike, np.int64(2))
    assert motion.striker is not None
    expected = reach - 0.05 - 0.5**2 / (2 * engine.material.deceleration)
    assert motion.striker == pytest.approx((-place * reach, expected), abs=1e-5)


def test_bad_input(engine):
    with pytest.raises(BoardError, match="0 and 1 overlap"):
        engine.play(layout_of(c0=(0.0, 0.0), c1=(0.01, 0.0)), Strike(0.0, 0.0, 1.0))
    with pytest.raises(BoardError, match="carromman 4 at"):
        engine.play(layout_of(c4=(0.0, 0.36)), Strike(0.0, 0.0, 1.0))
    with pytest.raises(BoardError, match="carromman 4 at"):
        engine.play(layout_of(c4=(0.0, math.nan)), Strike(0.0, 0.0, 1.0))
    with pytest.raises(ConfigError, match="trajectory_rate = 0"):
        engine.play(layout_of(), Strike(0.0, 0.0, 1.0), trajectory_rate=0)
    with pytest.raises(ConfigError, match="1 layouts, 2 strikes"):
        engine.play_many([layout_of()], [Strike(0.0, 0.0, 1.0)] * 2, [0, 0])
    with pytest.raises(ConfigError, match="threads = 0"):
        engine.play_many([], [], [], threads=0)
    with pytest.raises(ConfigError, match="ground 'ice'"):
        MujocoEngine(ground="ice")


def test_contact_ground_offers_the_same(shots):
    engine = MujocoEngine(ground="contact")
    layout, strike = shots[6]
    motion = engine.play(layout, strike, trajectory_rate=50.0)
    assert bits(motion) == bits(pickle.loads(pickle.dumps(engine)).play(layout, strike))
    assert motion.trajectory is not None
    assert motion.first_touch == MujocoEngine().play(layout, strike).first_touch
