import numpy as np
import pytest

from carrom.board import Board
from carrom.physics.calibration.closed_forms import stop
from carrom.physics.calibration.ground import one_disc
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation
from carrom.physics.sliding import farkas, farkas_table


def quadrature(ratio: float) -> tuple[float, float]:
    """Friction of a uniformly pressed disc by summing over its area."""
    speed, rim = ratio, 1 - ratio
    radii = (np.arange(400) + 0.5) / 400
    angles = (np.arange(800) + 0.5) * 2 * np.pi / 800
    r, a = radii[:, None], angles[None]
    vx, vy = speed - rim * r * np.sin(a), rim * r * np.cos(a)
    size = np.hypot(vx, vy)
    weight = 2 * r / (len(radii) * len(angles))
    force = (vx / size * weight).sum()
    torque = (r * (np.cos(a) * vy - np.sin(a) * vx) / size * weight).sum()
    return force, torque


@pytest.mark.parametrize("ratio", [0.02, 0.2, 0.395, 0.5, 0.6, 0.9, 0.99])
def test_closed_form_is_the_integral(ratio):
    force, torque = farkas(np.array([ratio]))[:, 0]
    assert (force, torque) == pytest.approx(quadrature(ratio), abs=2e-4)


def test_limits():
    force, torque = farkas(np.array([0.0, 1.0]))
    assert force.tolist() == [0.0, 1.0]
    assert torque.tolist() == pytest.approx([2 / 3, 0.0])


def test_terminal_ratio_is_the_published_one():
    """Sliding and spinning end together, at v / (R w) = 0.653 (Weidman and Malhotra 2005)."""
    eps = np.linspace(0.5, 0.8, 3001)
    force, torque = farkas(eps / (1 + eps))
    # The ratio stays when dv / v = dw / w: F = 2 T eps for a solid disc.
    terminal = eps[np.argmin(np.abs(force - 2 * torque * eps))]
    assert terminal == pytest.approx(0.653, abs=1e-3)


def test_table_interpolates_within_its_step():
    middle = (np.arange(1024) + 0.5) / 1024
    table = farkas_table()
    error = (table[:, 1:] + table[:, :-1]) / 2 - farkas(middle)
    assert np.abs(error).max() < 1e-5


@pytest.mark.parametrize(("speed", "rim"), [(0.5, 0.0), (0.3, 0.05), (0.3, 0.6), (0.05, 1.2)])
def test_stop_distance(speed, rim):
    board, material = Board(), Material()
    simulation = Simulation(board, material)
    spin = -rim / board.carromman_radius
    one_disc(simulation, (0.2, -0.1), (0.0, speed), spin=spin)
    simulation.run()
    way = simulation.position[0, 1] + 0.1
    expected = stop(speed, rim, material.deceleration).distance
    assert way == pytest.approx(expected, abs=0.03e-3)
    assert simulation.position[0, 0] == 0.2


def test_integration_agrees_with_a_plain_one():
    """``stop`` against small equal time steps."""
    deceleration, speed, rim, x, time, h = 0.8, 0.3, 0.4, 0.0, 0.0, 2e-5
    while speed > 1e-4:
        force, torque = farkas(np.array([speed / (speed + rim)]))[:, 0]
        x += speed * h - deceleration * force * h * h / 2
        speed -= deceleration * force * h
        rim = max(rim - 2 * deceleration * torque * h, 0.0)
        time += h
    assert (x, time) == pytest.approx(stop(0.3, 0.4, deceleration), abs=4e-4)
    assert x == pytest.approx(stop(0.3, 0.4, deceleration).distance, abs=1e-5)
