"""Impacts: restitution, direction, friction at the rims, and the corner arcs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.ground import one_disc
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS, STRIKER

SPEEDS = (0.05, 0.2, 1.0, 3.0, 6.0)
"""m/s."""
_BYSTANDER = 5
"""A disc far away whose speed sets the length of the impact's step."""
_SMOOTH = Material(friction_rim=0.0, friction_frame=0.0)


class FloatingSimulation(Simulation):
    """Discs that the board does not slow: impacts show by themselves."""

    def __init__(self, board: Board, material: Material) -> None:
        super().__init__(board, material)
        self._scene["deceleration"] = 0.0


class Collision(NamedTuple):
    """An impact as it happened.

    Attributes:
        normal: (2,), the line of centres at the exact touch.
        contact_normal: (2,), the line of centres at the step that made the impact.
        before: (2, 2), velocities of the moving and of the resting disc, m/s.
        after: (2, 2), the same after it.
    """

    normal: NDArray[np.float64]
    contact_normal: NDArray[np.float64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]

    @property
    def restitution(self) -> float:
        """Speed of separation over speed of approach."""
        approach = (self.before[0] - self.before[1]) @ self.normal
        return float((self.after[1] - self.after[0]) @ self.normal / approach)


def collide(
    simulation: Simulation,
    board: Board,
    index: int,
    other: int,
    *,
    speed: float,
    cut: float,
    spin: float = 0.0,
    angle: float = 0.0,
    bystander: float = 0.0,
    beside: float | None = None,
) -> Collision:
    """Send disc ``index`` at a resting ``other`` and stop after the impact.

    Args:
        simulation: what computes it.
        board: the board.
        index: the moving disc.
        other: the disc at rest, at the board's centre.
        speed: m/s.
        cut: angle between the path and the line of centres at the touch, rad.
        spin: of the moving disc, rad/s.
        angle: direction of the line of centres, rad.
        bystander: speed of a third disc, far away, m/s.
        beside: gap of a fourth disc to the resting one, across the line of centres, m.
    """
    normal = np.array([math.cos(angle), math.sin(angle)])
    across = np.array([-normal[1], normal[0]])
    heading = math.cos(cut) * normal + math.sin(cut) * across
    touch = board.radii[index] + board.radii[other]
    places, velocities, spins = np.zeros((N_DISCS, 2)), np.zeros((N_DISCS, 2)), np.zeros(N_DISCS)
    places[index] = -touch * normal - 1e-5 * heading
    velocities[index] = speed * heading
    spins[index] = spin
    in_play = np.isin(np.arange(N_DISCS), (index, other))
    if bystander > 0:
        in_play[_BYSTANDER] = True
        places[_BYSTANDER], velocities[_BYSTANDER] = (-0.3, -0.3), (bystander, 0.0)
    if beside is not None:
        in_play[7] = True
        # A little behind, so that the disc that is struck moves away from it.
        backwards = math.cos(0.03) * across + math.sin(0.03) * normal
        places[7] = -(board.carromman_diameter + beside) * backwards
    simulation.place(places, in_play, velocity=velocities, spin=spins)
    pair, shot = [index, other], simulation.shot
    before, centres = simulation.velocity[pair].copy(), simulation.position[pair].copy()
    while not shot["touched"][0, other] or shot["clustered"][0]:
        if not shot["touched"][0, other]:
            before, centres = simulation.velocity[pair].copy(), simulation.position[pair].copy()
        simulation.run(until=simulation.time + 1e-12)
    line = centres[1] - centres[0]
    return Collision(normal, line / np.hypot(*line), before, simulation.velocity[pair].copy())


def restitution_error(board: Board) -> list[Check]:
    """Largest error of the restitution of impacts, per kind of contact."""
    simulation = FloatingSimulation(board, _SMOOTH)
    worst = {"two carrommen": 0.0, "striker and carromman": 0.0}
    kinds = (
        ("two carrommen", 3, _SMOOTH.restitution_carromman),
        ("striker and carromman", STRIKER, _SMOOTH.restitution_striker),
    )
    for kind, index, expected in kinds:
        for speed in SPEEDS:
            for cut in (0.0, 0.8):
                for bystander in (0.0, 0.3, 6.0):
                    collision = collide(
                        simulation, board, index, 0,
                        speed=speed, cut=cut, angle=speed, bystander=bystander,
                    )  # fmt: skip
                    worst[kind] = max(worst[kind], abs(collision.restitution - expected))
    return [
        *(Check(f"restitution, {kind}: error", value, 1e-3) for kind, value in worst.items()),
        Check("restitution, frame: error", _frame_restitution_error(board), 1e-3),
    ]


def spring_restitution_error(board: Board) -> Check:
    """Largest error of the restitution while contacts are springs."""
    simulation = FloatingSimulation(board, _SMOOTH)
    worst = 0.0
    for speed in SPEEDS:
        for index, expected in (
            (3, _SMOOTH.restitution_carromman),
            (STRIKER, _SMOOTH.restitution_striker),
        ):
            reach = speed * _SMOOTH.contact_time
            collision = collide(simulation, board, index, 0, speed=speed, cut=0.0, beside=reach / 4)
            assert simulation.diagnostics().clusters == 1
            worst = max(worst, abs(collision.restitution - expected))
    return Check("restitution of springs: error", worst, 3e-3)


def _frame_restitution_error(board: Board) -> float:
    simulation = FloatingSimulation(board, _SMOOTH)
    worst = 0.0
    for speed in SPEEDS:
        for angle in (0.0, 0.9):
            heading = np.array([math.cos(angle), math.sin(angle)])
            wall = board.half_side - board.carromman_radius
            one_disc(simulation, (wall - 1e-5, 0.05), tuple((speed * heading).tolist()))
            before = simulation.velocity[0].copy()
            while simulation.velocity[0, 0] > 0:
                before = simulation.velocity[0].copy()
                simulation.run(until=simulation.time + 1e-12)
            after = simulation.velocity[0]
            worst = max(worst, abs(-after[0] / before[0] - _SMOOTH.restitution_frame))
            worst = max(worst, abs(after[1] - before[1]) / speed)
    return worst


def departure_error(board: Board, phases: int) -> Check:
    """Largest error of the direction in which a struck carromman departs, over cuts to 75 deg."""
    simulation = FloatingSimulation(board, _SMOOTH)
    rng = np.random.default_rng(1)
    worst = 0.0
    for speed in SPEEDS:
        for cut in np.radians([0, 20, 40, 60, 75]):
            for _ in range(phases):
                normal, _, _, after = collide(
                    simulation, board, STRIKER, 0, speed=speed, cut=float(cut),
                    angle=rng.uniform(0, 6), bystander=rng.choice([0.0, 0.3, 6.0]),
                )  # fmt: skip
                sine = (normal[0] * after[1, 1] - normal[1] * after[1, 0]) / np.hypot(*after[1])
                worst = max(worst, abs(math.asin(sine)))
    return Check("departure angle, cuts 0 to 75 deg: error", math.degrees(worst), 0.1, "deg")


def tangential_error(board: Board, cases: int) -> list[Check]:
    """Largest error of the tangential impulse against min(mu J_n, J_stick), and momentum."""
    rng = np.random.default_rng(2)
    worst = lost = 0.0
    for simulation, material in _rubbing(board):
        for _ in range(cases):
            index = int(rng.choice([3, STRIKER]))
            spin = rng.uniform(-100, 100)
            _, normal, before, after = collide(
                simulation, board, index, 0, speed=float(np.exp(rng.uniform(-2, 1.8))),
                cut=rng.uniform(-1.2, 1.2), angle=rng.uniform(0, 6), spin=spin,
            )  # fmt: skip
            masses = board.masses[[index, 0]]
            impulse = masses[:, None] * (after - before)
            momentum = np.abs(masses @ before).max()
            lost = max(lost, float(np.abs(impulse.sum(0)).max()) / momentum)
            tangent = np.array([-normal[1], normal[0]])
            slip = (before[1] - before[0]) @ tangent - board.radii[index] * spin
            sticking = -slip / (3 / masses).sum()
            limit = material.friction_rim * (impulse[1] @ normal)
            expected = math.copysign(min(limit, abs(sticking)), sticking)
            error = abs(impulse[1] @ tangent - expected) / np.hypot(*impulse[1])
            worst = max(worst, float(error))
    return [
        Check("tangential impulse: error over impulse", worst, 1e-6),
        Check("momentum of an impact: relative error", lost, 1e-6),
    ]


def _rubbing(board: Board) -> Iterator[tuple[FloatingSimulation, Material]]:
    for friction in (0.05, 0.12, 0.4):
        material = dataclasses.replace(_SMOOTH, friction_rim=friction)
        yield FloatingSimulation(board, material), material


def arc_error(board: Board) -> Check:
    """Largest error of the direction in which a disc leaves a corner's arc."""
    simulation = FloatingSimulation(board, dataclasses.replace(_SMOOTH, fall_time=0.1))
    reach = board.pocket_radius - board.carromman_radius
    pocket = board.pocket_offset
    worst = 0.0
    for speed in (0.5, 2.0, 5.0):
        for around in np.radians([10, 30, 45, 60, 80]):
            for incidence in np.radians([-60, -20, 0, 35, 65]):
                normal = np.array([math.cos(around), math.sin(around)])
                tangent = np.array([-normal[1], normal[0]])
                heading = math.cos(incidence) * normal + math.sin(incidence) * tangent
                start = pocket + reach * normal - 1e-3 * heading
                x, y = start.tolist()
                vx, vy = (speed * heading).tolist()
                one_disc(simulation, (x, y), (vx, vy))
                inward = -1.0
                while inward < 0:
                    simulation.run(until=simulation.time + 1e-12)
                    inward = -float(simulation.velocity[0] @ normal)
                out = simulation.velocity[0]
                bounce = -_SMOOTH.restitution_frame * math.cos(incidence)
                expected = bounce * normal + math.sin(incidence) * tangent
                sine = expected[0] * out[1] - expected[1] * out[0]
                sine /= np.hypot(*expected) * np.hypot(*out)
                worst = max(worst, abs(math.asin(sine)))
    return Check("corner arc: error of direction", math.degrees(worst), 0.05, "deg")
