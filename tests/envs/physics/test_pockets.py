"""The law of capture on chords of the fall circle, far from the frame."""

import math

import numpy as np
import pytest

from carrom.board import Board
from carrom.physics.calibration.ground import one_disc
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation, fall_radii

BOARD = Board()
NEAR = 12e-3
"""Distance of the chord from the pocket's centre, towards the board, m."""


def cross(material: Material, transit: float) -> tuple[Simulation, float]:
    """Send a carromman along the chord so that it takes ``transit``, s.

    Returns:
        The simulation just after the crossing, and when the disc entered the circle.
    """
    circle = float(fall_radii(BOARD, material)[0])
    half = math.sqrt(circle**2 - NEAR**2)
    before, slowing = 5e-3, material.deceleration
    # Speeds where it enters and where it starts, from s = v t - a t^2 / 2.
    enter = 2 * half / transit + slowing * transit / 2
    start = math.sqrt(enter**2 + 2 * slowing * before)
    entered = (start - enter) / slowing
    inwards, along = np.array([1, 1]) * math.sqrt(0.5), np.array([1, -1]) * math.sqrt(0.5)
    x, y = BOARD.pocket_centres[1] - NEAR * inwards - (half + before) * along
    vx, vy = start * along
    simulation = Simulation(BOARD, material)
    one_disc(simulation, (float(x), float(y)), (float(vx), float(vy)))
    simulation.run(until=entered + transit + 1e-4)
    return simulation, entered


@pytest.mark.parametrize("fall_time", [5e-3, 15e-3, 25e-3])
def test_a_disc_falls_if_it_stays_inside_for_the_fall_time(fall_time):
    material = Material(fall_time=fall_time)
    simulation, entered = cross(material, fall_time + 0.05e-3)
    assert not simulation.in_play[0]
    assert simulation.shot["fall_time"][0, 0] == pytest.approx(entered + fall_time, abs=4e-6)
    assert simulation.shot["pocket"][0, 0] == 1


@pytest.mark.parametrize("fall_time", [5e-3, 15e-3, 25e-3])
def test_a_disc_that_leaves_earlier_plays_on(fall_time):
    simulation, _ = cross(Material(fall_time=fall_time), fall_time - 0.05e-3)
    assert simulation.in_play[0]
    assert np.hypot(*simulation.velocity[0]) > 0.3


def test_the_clock_starts_anew_at_each_visit():
    """Two visits of 3/4 of the fall time each do not add up."""
    material = Material(fall_time=15e-3)
    simulation, _ = cross(material, 0.75 * material.fall_time)
    first = simulation.position[0].copy()
    turned = -simulation.velocity[0]
    one_disc(simulation, tuple(first.tolist()), tuple(turned.tolist()))
    simulation.run(until=0.8 * material.fall_time)
    assert simulation.in_play[0]


def test_at_once_without_a_fall_time():
    simulation, entered = cross(Material(fall_time=0.0), 10e-3)
    assert not simulation.in_play[0]
    assert simulation.shot["fall_time"][0, 0] == pytest.approx(entered, abs=1e-6)


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.4])
def test_fall_factor_scales_the_circle(factor):
    material = Material(fall_factor=factor)
    simulation = Simulation(BOARD, material)
    circle = factor * math.sqrt(BOARD.pocket_radius**2 - (BOARD.carromman_radius - 1e-3) ** 2)
    for distance, falls in ((circle - 0.02e-3, True), (circle + 0.02e-3, False)):
        place = BOARD.pocket_offset - distance * math.sqrt(0.5)
        one_disc(simulation, (place, place), (0.0, 0.0))
        simulation.run()
        assert simulation.in_play[0] != falls
