"""The direct shot against a collision computed forwards, with vectors and impulses."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from carrom.aiming import as_complex, as_points, direct_shot, straight_place
from carrom.board import Board
from carrom.physics.material import Material
from carrom.physics.strike import Strike

BOARD = Board()


def _play_forwards(material: Material, strike: Strike, target: np.ndarray) -> np.ndarray:
    """The carromman's velocity after the striker's impact, by impulses along and across."""
    start, velocity = strike.position(BOARD, 0), strike.velocity(0)
    heading = velocity / np.linalg.norm(velocity)
    reach = BOARD.striker_radius + BOARD.carromman_radius
    along = (target - start) @ heading
    across = np.linalg.norm(target - start - along * heading)
    slide = along - math.sqrt(reach**2 - across**2)
    speed = math.sqrt(strike.speed**2 - 2 * material.deceleration * slide)
    centre = start + slide * heading
    normal = (target - centre) / reach
    tangent = np.array([-normal[1], normal[0]])
    inverse_mass = 1 / BOARD.striker_mass + 1 / BOARD.carromman_mass
    push = (1 + material.restitution_striker) * speed * (heading @ normal) / inverse_mass
    # Spin answers a push at the rim of a solid disc twice as readily as the centre does.
    sticking = speed * (heading @ tangent) / (3 * inverse_mass)
    rub = math.copysign(min(abs(sticking), material.friction_rim * push), sticking)
    return (push * normal + rub * tangent) / BOARD.carromman_mass


@given(
    st.tuples(st.floats(-0.3, 0.3), st.floats(-0.15, 0.3)),
    st.integers(0, 3),
    st.floats(-0.18, 0.18),
    st.floats(0.3, 2.0),
    st.floats(0.0, 0.2),
)
@settings(deadline=None)
def test_the_carromman_arrives_where_and_as_fast_as_meant(
    point: tuple[float, float], pocket: int, place: float, arrival: float, friction: float
) -> None:
    target, aim = np.array(point), BOARD.pocket_centres[pocket]
    material = Material(friction_rim=friction)
    shot = direct_shot(BOARD, material, place, target, aim, arrival)
    assume(shot.cut < math.radians(75))
    assume(np.hypot(*(shot.ghost - [place, BOARD.base_line_y])) > 0.1)
    strike = Strike(place, float(shot.direction), float(shot.speed))
    velocity = _play_forwards(material, strike, target)
    way = aim - target
    distance = np.linalg.norm(way)
    sine = (way[0] * velocity[1] - way[1] * velocity[0]) / (distance * np.linalg.norm(velocity))
    assert abs(math.degrees(math.asin(sine))) < 0.1
    assert way @ velocity > 0
    left = velocity @ velocity - 2 * material.deceleration * distance
    assert math.sqrt(left) == pytest.approx(arrival, rel=0.01)


def test_many_shots_at_once_are_the_same_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    targets, places = rng.uniform(-0.3, 0.3, (5, 1, 2)), rng.uniform(-0.18, 0.18, 7)
    aims = BOARD.pocket_centres[rng.integers(4, size=(5, 1))]
    together = direct_shot(BOARD, Material(), places, targets, aims, 1.0)
    for i in range(5):
        for j in range(7):
            one = direct_shot(BOARD, Material(), places[j], targets[i, 0], aims[i, 0], 1.0)
            assert one.direction == pytest.approx(together.direction[i, j], abs=1e-12)
            assert one.speed == pytest.approx(together.speed[i, j], rel=1e-9)
            np.testing.assert_allclose(one.onward, together.onward[i, j], atol=1e-9)


def test_momentum_is_kept() -> None:
    target, aim = np.array([0.1, 0.1]), BOARD.pocket_centres[1]
    material = Material(friction=0.005)  # as good as nothing lost on the way
    shot = direct_shot(BOARD, material, 0.05, target, aim, 1.0)
    strike = Strike(0.05, float(shot.direction), float(shot.speed))
    carromman = _play_forwards(material, strike, target)
    total = BOARD.striker_mass * shot.onward + BOARD.carromman_mass * carromman
    np.testing.assert_allclose(total, BOARD.striker_mass * strike.velocity(0), rtol=0.03)


def test_from_the_straight_place_the_cut_is_zero() -> None:
    target, aim = np.array([0.2, 0.1]), BOARD.pocket_centres[1]
    place = straight_place(BOARD, target, aim)
    shot = direct_shot(BOARD, Material(), place, target, aim, 1.0)
    assert float(shot.cut) == pytest.approx(0, abs=1e-6)


def test_plane_vectors_survive_the_way_through_complex_numbers() -> None:
    points = np.random.default_rng(0).normal(size=(4, 3, 2))
    np.testing.assert_array_equal(as_points(as_complex(points)), points)
