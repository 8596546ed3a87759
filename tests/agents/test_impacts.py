"""Impacts in closed form, against the direct shot's own geometry and the MuJoCo engine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from carrom.aiming import as_complex, as_points, direct_shot
from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.material import MATERIALS, Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom_agents.impacts import bounce, hit

BOARD = Board()
EMPTY = Layout(np.zeros((19, 2)), np.zeros(19, bool))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_without_spin_a_hit_is_that_of_the_direct_shot(seed: int) -> None:
    """``carrom.aiming`` finds the throw by another iteration, from the place and not the way."""
    rng = np.random.default_rng(seed)
    material = Material.sample(rng)
    target, aim = complex(*rng.uniform(-0.15, 0.15, 2)), 0.34 + 0.34j
    places = rng.uniform(-0.18, 0.18, 20)
    points = as_points(np.full(20, target)), as_points(np.full(20, aim))
    shots = direct_shot(BOARD, material, places, *points, 1.0)
    thick = shots.cut < math.radians(60)
    ghost = as_complex(shots.ghost)
    run = ghost - (places + 1j * BOARD.base_line_y)
    impact = hit(
        run / np.abs(run),
        np.full(20, (aim - target) / abs(aim - target)),
        0.0,
        restitution=material.restitution_striker,
        friction=material.friction_rim,
        mass_ratio=BOARD.carromman_mass / BOARD.striker_mass,
    )
    line = (target - ghost) / np.abs(target - ghost)
    np.testing.assert_allclose(np.angle(impact.line / line)[thick], 0, atol=2e-3)
    np.testing.assert_allclose(impact.cosine[thick], np.cos(shots.cut)[thick], atol=2e-3)


def test_a_spinning_disc_throws_the_way_it_turns() -> None:
    straight, still = np.ones(1, complex), {"restitution": 0.75, "friction": 0.12}
    for spin in (-0.5, 0.5):
        impact = hit(straight, straight, spin, **still, mass_ratio=0.4)
        # Turning counter-clockwise, the rim in front moves to the left.
        assert np.sign(np.angle(straight / impact.line))[0] == np.sign(spin)
        assert np.sign(impact.spin)[0] == -np.sign(spin)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS)
@pytest.mark.parametrize("frame", [1, 1j, -1])
def test_a_striker_leaves_the_frame_as_foreseen(material: Material, frame: complex) -> None:
    """Sent at the point foreseen, it comes to rest on the line on to the end."""
    engine = MujocoEngine(BOARD, material)
    limit = BOARD.half_side - BOARD.striker_radius
    rng = np.random.default_rng(0)
    played = 0
    while played < 25:
        place = rng.uniform(-0.18, 0.18)
        start = np.array([place + 1j * BOARD.base_line_y])
        end = np.array([complex(*rng.uniform(-0.3, 0.3, 2))])
        way = bounce(start, end, np.array([frame]), limit, 0.0, material)
        point = way.point[0]
        if abs((point / frame).imag) > 0.28 or abs(point - start[0]) < 0.05:
            continue
        run, further = point - start[0], end[0] - point
        before = math.sqrt(2 * material.deceleration * abs(further)) / way.speed[0]
        speed = math.sqrt(before**2 + 2 * material.deceleration * abs(run))
        if speed > material.full_speed:
            continue
        strike = Strike(place, math.atan2(-run.real, run.imag), speed)
        rest = engine.play(EMPTY, strike).striker
        if rest is None or np.max(np.abs(rest)) > limit - 2e-3:
            continue
        played += 1
        went = complex(*rest) - point
        assert abs(np.angle(went / further)) < math.radians(1.0)
        # Spin makes it slide a little farther than without.
        assert 0.95 < abs(went) / abs(further) < 1.25


@given(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(-0.8, 0.8))
@example(0.25, -0.25, 0.75)
@settings(max_examples=50, deadline=None)
def test_turning_and_shift_are_the_derivatives_of_the_way(y0: float, y1: float, spin: float):
    """Other ends ask for other angles: the ratio of their changes is what is reported."""
    material, limit, step = Material(), 0.35, 1e-6
    frame = np.array([1 + 0j])

    def way(to: float):
        return bounce(np.array([1j * y0]), np.array([1j * to]), frame, limit, spin, material)

    one, two = way(y1), way(y1 + step)
    turned_in = np.angle((two.point - 1j * y0) / (one.point - 1j * y0))[0]
    turned_out = np.angle((1j * (y1 + step) - two.point) / (1j * y1 - one.point))[0]
    if abs(turned_in) > 1e-12:
        ratio = abs(turned_out / turned_in)
        assert ratio == pytest.approx(one.turning[0], rel=0.15)
