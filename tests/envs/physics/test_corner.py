"""The corner arcs: discs that run along a frame into one."""

import math

import numpy as np
import pytest

from carrom.board import Board
from carrom.physics.calibration.ground import one_disc
from carrom.physics.material import Material
from carrom.physics.model import CORNER_HOP
from carrom.physics.simulation import Simulation

BOARD = Board()
# Long enough over the pocket that none falls on its way through.
MATERIAL = Material(fall_time=0.1)
REACH = BOARD.pocket_radius - BOARD.carromman_radius


def along_the_frame(simulation: Simulation, gap: float, speed: float) -> None:
    wall = BOARD.half_side - BOARD.carromman_radius
    one_disc(simulation, (BOARD.pocket_offset - 0.05, wall - gap), (speed, 0.0))


@pytest.mark.parametrize("speed", [0.4, 1.5, 5.0])
def test_few_hops_and_each_off_the_arc(speed):
    simulation = Simulation(BOARD, MATERIAL)
    for gap in (1e-9, 1e-5, 1e-3, 3e-3):
        along_the_frame(simulation, gap, speed)
        hops, last = 0, -1.0
        while simulation.time > last and simulation.in_play[0]:
            last, steps = simulation.time, int(simulation.shot["n_steps"][0])
            before = simulation.velocity[0].copy()
            simulation.run(until=last + 1e-12)
            corner = np.abs(simulation.position[0]) - BOARD.pocket_offset
            if int(simulation.shot["n_steps"][0]) == steps or (corner <= 0).any():
                continue
            hops += 1
            normal = np.sign(simulation.position[0]) * corner / np.hypot(*corner)
            velocity = simulation.velocity[0]
            assert -velocity @ normal >= CORNER_HOP * np.hypot(*velocity) * (1 - 1e-3)
            assert np.hypot(*velocity) <= np.hypot(*before)
        assert 1 <= hops <= 60


def test_never_outside_the_arc():
    simulation = Simulation(BOARD, MATERIAL)
    rng = np.random.default_rng(0)
    for _ in range(60):
        angle, speed = rng.uniform(0, math.pi / 2), math.exp(rng.uniform(-1, 1.8))
        x, y = BOARD.pocket_centres[1] - rng.uniform(0.005, 0.04, 2)
        one_disc(simulation, (x, y), (speed * math.cos(angle), speed * math.sin(angle)))
        last = -1.0
        while simulation.time > last:
            last = simulation.time
            simulation.run(until=last + 1e-12)
            corner = np.abs(simulation.position[0]) - BOARD.pocket_offset
            if simulation.in_play[0] and (corner > 0).all():
                # An impact happens up to a micrometre late and lets the disc go on for its step.
                assert np.hypot(*corner) <= REACH + 12e-6


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_springs_on_the_arc_agree_with_impacts(speed):
    """A disc driven into the arc, and off it into a neighbour that is within reach."""
    material = Material(friction_rim=0.0, friction_frame=0.0, fall_time=0.1)
    outwards = np.array([1.0, 1.0]) * math.sqrt(0.5)
    place, velocity = np.zeros((20, 2)), np.zeros((20, 2))
    place[0] = BOARD.pocket_centres[1] + (REACH - 1e-6) * outwards
    place[1] = place[0] - (BOARD.carromman_diameter + 1e-5, 0.0)
    velocity[0] = speed * outwards
    ends = []
    for springs in (True, False):
        simulation = Simulation(BOARD, material, springs=springs)
        simulation.place(place, np.arange(20) < 2, velocity=velocity)
        simulation.run(until=2e-3)
        assert (simulation.diagnostics().clusters > 0) == springs
        ends.append(simulation.velocity[:2].copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=0.005 * speed)
