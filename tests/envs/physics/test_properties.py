"""What must hold of every stroke, over random layouts, strikes, materials and boards."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.calibration.shots import break_shot, midgame_shot
from carrom.physics.calibration.strokes import discs_at_rest, rest_overlaps, set_out
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.simulation import Simulation
from carrom.physics.strike import Strike
from carrom.pieces import STRIKER

BOARD = Board()
ENGINE = MujocoEngine()
seeds = st.integers(0, 2**32 - 1)


def random_stroke(seed: int) -> tuple[Layout, Strike]:
    rng = np.random.default_rng(seed)
    layout = midgame_shot(BOARD, rng, pieces=int(rng.integers(0, 20))).layout
    place = rng.uniform(-0.2, 0.2)
    touch = BOARD.carromman_radius + BOARD.striker_radius
    away = np.hypot(*(layout.positions - (place, BOARD.base_line_y)).T) > touch
    layout = Layout(layout.positions, layout.on_board & away)
    return layout, Strike(place, rng.uniform(-2.5, 2.5), float(np.exp(rng.uniform(-3, 1.9))))


def check(board: Board, layout: Layout, motion: Motion) -> None:
    overlap, outside = rest_overlaps(board, motion)
    assert overlap <= 1e-6
    assert outside <= 1e-6
    fallen = [p.index for p in motion.pocketed]
    assert len(set(fallen)) == len(fallen)
    times = [p.time for p in motion.pocketed]
    assert times == sorted(times)
    assert all(0 <= p.time <= motion.duration + 1e-9 for p in motion.pocketed)
    gone = np.flatnonzero(layout.on_board & ~motion.layout.on_board).tolist()
    assert sorted(i for i in fallen if i != STRIKER) == gone
    assert not (motion.layout.on_board & ~layout.on_board).any()
    assert (motion.striker is None) == (STRIKER in fallen)
    moved = np.any(motion.layout.positions != layout.positions, axis=1) & layout.on_board
    assert not (moved & ~motion.touched).any()
    assert not (motion.touched & ~layout.on_board).any()
    assert motion.first_touch is None or motion.touched[motion.first_touch]
    assert (motion.first_touch is None) == (not motion.touched.any())
    points, _ = discs_at_rest(board, motion)
    assert np.isfinite(points).all()


@settings(max_examples=150, deadline=None)
@given(seeds)
def test_random_strokes(seed):
    layout, strike = random_stroke(seed)
    motion, diagnostics = ENGINE.examine(layout, strike)
    energy = BOARD.striker_mass * strike.speed**2 / 2
    assert diagnostics.impact_gain <= 1e-12 * energy
    assert diagnostics.cluster_gain <= 1e-9 * energy
    assert diagnostics.steps <= 3000
    check(BOARD, layout, motion)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_random_materials_and_boards(seed):
    rng = np.random.default_rng(seed)
    board = Board(
        pocket_diameter=rng.uniform(0.043, 0.046),
        carromman_diameter=rng.uniform(0.0302, 0.0318),
        striker_diameter=rng.uniform(0.0318, 0.0413),
        striker_mass=rng.uniform(0.008, 0.015),
    )
    engine = MujocoEngine(board, Material.sample(rng))
    for layout, strike in (break_shot(board, rng), midgame_shot(board, rng)):
        motion, diagnostics = engine.examine(layout, strike)
        energy = board.striker_mass * strike.speed**2 / 2
        assert diagnostics.impact_gain <= 1e-12 * energy
        assert diagnostics.cluster_gain <= 1e-9 * energy
        check(board, layout, motion)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_a_fall_is_at_its_pocket(seed):
    layout, strike = random_stroke(seed)
    motion = ENGINE.play(layout, strike, trajectory_rate=2000.0)
    assert motion.trajectory is not None
    for fall in motion.pocketed:
        last = motion.trajectory.positions[-1, fall.index]
        apart = math.dist(last, BOARD.pocket_centres[fall.pocket])
        assert apart < BOARD.pocket_radius


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_energy_never_grows_from_event_to_event(seed):
    simulation = Simulation(BOARD, Material())
    rng = np.random.default_rng(seed)
    set_out(simulation, BOARD, midgame_shot(BOARD, rng, pieces=12))
    masses, radii = BOARD.masses, BOARD.radii
    last, time = math.inf, -1.0
    while simulation.time > time:
        time = simulation.time
        inside = simulation.in_play
        speed2 = (simulation.velocity**2).sum(1)
        energies = masses * (speed2 / 2 + (radii * simulation.spin) ** 2 / 4)
        energy = float(energies[inside].sum())
        # In a cluster the springs hold some of it for a while.
        if not simulation.shot["clustered"][0]:
            assert energy <= last * (1 + 1e-12)
            last = energy
        simulation.run(until=time + 1e-12)
    assert last == 0.0


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(seeds)
def test_many_random_strokes(seed):
    layout, strike = random_stroke(seed)
    motion, diagnostics = ENGINE.examine(layout, strike)
    assert diagnostics.steps <= 3000
    check(BOARD, layout, motion)
