"""Impacts: restitution, direction, friction at the rims, and the corner arcs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.closed_forms import Struck, arc_bounces, rebound, struck
from carrom.physics.calibration.collisions import FloatingSimulation, collide
from carrom.physics.calibration.ground import one_disc
from carrom.physics.contact_ground import ContactSimulation
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation
from carrom.pieces import STRIKER

SPEEDS = (0.05, 0.2, 1.0, 3.0, 6.0)
"""m/s."""
_SMOOTH = Material(friction_rim=0.0, friction_frame=0.0)


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
    cases = len(SPEEDS) * 2
    return [
        *(
            Check(f"restitution, {kind}: error", value, 1e-3, cases=3 * cases)
            for kind, value in worst.items()
        ),
        Check("restitution, frame: error", _frame_restitution_error(board), 1e-3, cases=cases),
    ]


def spring_restitution_error(board: Board) -> list[Check]:
    """Largest error of the restitution while contacts are springs, on both grounds.

    Slower impacts feel the contact ground itself, whose friction gives way a little.
    """
    simulations = FloatingSimulation(board, _SMOOTH), ContactSimulation(board, _SMOOTH)
    errors = [
        _spring_error(board, simulation, speeds)
        for simulation, speeds in zip(simulations, (SPEEDS, SPEEDS[1:]), strict=True)
    ]
    return [
        Check("restitution of springs: error", errors[0], 3e-3, cases=2 * len(SPEEDS)),
        Check(
            "restitution of springs, contact ground, from 0.2 m/s: error", errors[1], 3e-3,
            cases=2 * len(SPEEDS[1:]),
        ),
    ]  # fmt: skip


def _spring_error(board: Board, simulation: Simulation, speeds: Sequence[float]) -> float:
    worst = 0.0
    for speed in speeds:
        for index, expected in (
            (3, _SMOOTH.restitution_carromman),
            (STRIKER, _SMOOTH.restitution_striker),
        ):
            reach = speed * _SMOOTH.contact_time
            collision = collide(simulation, board, index, 0, speed=speed, cut=0.0, beside=reach / 4)
            assert simulation.diagnostics().clusters == 1
            worst = max(worst, abs(collision.restitution - expected))
    return worst


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
    return Check(
        "departure angle, cuts 0 to 75 deg: largest error",
        math.degrees(worst), 0.1, "deg", cases=len(SPEEDS) * 5 * phases,
    )  # fmt: skip


def tangential_error(board: Board, cases: int) -> list[Check]:
    """Largest error of the tangential impulse against min(mu J_n, J_stick), and momentum.

    Also that of the energy that an impact keeps, against the closed form.
    """
    rng = np.random.default_rng(2)
    worst = lost = unlike = 0.0
    for simulation, material in _rubbing(board):
        for _ in range(cases):
            index = int(rng.choice([3, STRIKER]))
            spin = rng.uniform(-100, 100)
            _, normal, before, after = collide(
                simulation, board, index, 0, speed=float(np.exp(rng.uniform(-2, 1.8))),
                cut=rng.uniform(-1.2, 1.2), angle=rng.uniform(0, 6), spin=spin,
            )  # fmt: skip
            spins = simulation.spin[[index, 0]]
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
            expected = _struck(board, material, index, before, normal, spin)
            kept = _energy(board, index, after, spins) / _energy(board, index, before, (spin, 0.0))
            unlike = max(unlike, abs(kept - expected.kept))
    bounces = max(_frame_tangential_error(board, cases // 4, rng))
    return [
        Check("tangential impulse, rims: error over impulse", worst, 1e-6, cases=3 * cases),
        Check(
            "tangential impulse, frame: error over impulse", bounces, 1e-6, cases=3 * (cases // 4)
        ),
        Check("momentum of an impact: relative error", lost, 1e-9, cases=3 * cases),
        Check("energy kept in an impact: error", unlike, 1e-3, cases=3 * cases),
    ]


def _struck(
    board: Board,
    material: Material,
    index: int,
    before: NDArray[np.float64],
    normal: NDArray[np.float64],
    spin: float,
) -> Struck:
    """The closed form of disc ``index`` striking disc 0 at rest, along ``normal``."""
    along, across = before[0] @ normal, before[0] @ (-normal[1], normal[0])
    with_striker = index == STRIKER
    return struck(
        (float(board.masses[index]), board.carromman_mass),
        (float(board.radii[index]), board.carromman_radius),
        math.hypot(along, across),
        math.atan2(across, along),
        spin,
        material.restitution_striker if with_striker else material.restitution_carromman,
        material.friction_rim,
    )


def _energy(
    board: Board,
    index: int,
    velocities: NDArray[np.float64],
    spins: Sequence[float] | NDArray[np.float64],
) -> float:
    """Kinetic energy of discs ``index`` and 0, J."""
    pair = [index, 0]
    rims2 = (board.radii[pair] * np.asarray(spins)) ** 2
    return float(board.masses[pair] @ ((velocities**2).sum(1) / 2 + rims2 / 4))


def _frame_tangential_error(board: Board, cases: int, rng: np.random.Generator) -> Iterator[float]:
    """Error of the velocity along the frame after a bounce, over the change of velocity."""
    for friction in (0.05, 0.12, 0.4):
        material = dataclasses.replace(_SMOOTH, friction_frame=friction)
        simulation = FloatingSimulation(board, material)
        for _ in range(cases):
            speed, spin = float(np.exp(rng.uniform(-2, 1.8))), rng.uniform(-100, 100)
            incidence = rng.uniform(-1.2, 1.2)
            wall = board.half_side - board.carromman_radius
            heading = np.array([math.cos(incidence), math.sin(incidence)])
            x, y = (wall, 0.0) - 1e-5 * heading
            one_disc(simulation, (float(x), float(y)), tuple((speed * heading).tolist()), spin=spin)
            while simulation.velocity[0, 0] > 0:
                simulation.run(until=simulation.time + 1e-12)
            expected, turned = rebound(
                board.carromman_radius, speed, incidence, spin,
                material.restitution_frame, friction,
            )  # fmt: skip
            change = float(np.hypot(*(expected - speed * heading)))
            yield abs(float(simulation.velocity[0, 1]) - float(expected[1])) / change
            yield abs(float(simulation.spin[0]) - turned) * board.carromman_radius / change


def _rubbing(board: Board) -> Iterator[tuple[FloatingSimulation, Material]]:
    for friction in (0.05, 0.12, 0.4):
        material = dataclasses.replace(_SMOOTH, friction_rim=friction)
        yield FloatingSimulation(board, material), material


def arc_error(board: Board) -> Check:
    """Largest error of the direction in which a disc leaves a corner's arc."""
    simulation = FloatingSimulation(board, dataclasses.replace(_SMOOTH, fall_time=0.1))
    cases, out = arc_bounces(board, _SMOOTH.restitution_frame), []
    for place, velocity, normal in zip(cases.places, cases.velocities, cases.normals, strict=True):
        (x, y), (vx, vy) = place.tolist(), velocity.tolist()
        one_disc(simulation, (x, y), (vx, vy))
        inward = -1.0
        while inward < 0:
            simulation.run(until=simulation.time + 1e-12)
            inward = -float(simulation.velocity[0] @ normal)
        out.append(simulation.velocity[0].copy())
    worst = cases.error(np.array(out))
    return Check("corner arc: error of direction", worst, 0.05, "deg", cases=len(out))
