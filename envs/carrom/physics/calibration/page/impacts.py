"""Chapter: single impacts."""

from __future__ import annotations

import math

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.amounts import Amounts
from carrom.physics.calibration.closed_forms import Struck, rebound, struck
from carrom.physics.calibration.collisions import FloatingSimulation, collide
from carrom.physics.calibration.ground import one_disc
from carrom.physics.calibration.page.section import (
    EXACT_COLOUR,
    MUJOCO_COLOUR,
    PLANAR_COLOUR,
    Section,
    panels,
    picture,
    png,
    table,
)
from carrom.physics.calibration.planar_parts import STRIKER_SLOT, Cases, arc_error, impact_errors
from carrom.physics.calibration.report import impacting
from carrom.physics.calibration.watch import watch
from carrom.physics.material import Material
from carrom.pieces import STRIKER

_NAME = "physics-impacts.png"
_SPEED = 2.0
_CUTS = np.radians(np.arange(0, 80, 8))
_INCIDENCES = np.radians(np.arange(0, 85, 8))


def section(board: Board, amounts: Amounts) -> Section:
    """Departure, throw, energy and rebound."""
    material = Material()
    figure, axes = panels(3)
    exact = [_exact(board, material, float(cut)) for cut in _CUTS]
    measured = _by_mujoco(board, material)
    planar = _by_planar(board, material)
    before = board.striker_mass * _SPEED**2 / 2
    fine = np.radians(np.linspace(0, 78, 200))
    lines = [_exact(board, material, float(cut)) for cut in fine]
    throws = [_throw(one.other) for one in lines]
    axes[0].plot(np.degrees(fine), throws, color=EXACT_COLOUR, label="closed form")
    kept = [one.kept for one in lines]
    axes[1].plot(np.degrees(fine), kept, color=EXACT_COLOUR, label="closed form")
    for name, seen, mark, colour in (
        ("MuJoCo", measured, "o", MUJOCO_COLOUR), ("planar", planar, "x", PLANAR_COLOUR),
    ):  # fmt: skip
        axes[0].plot(
            np.degrees(_CUTS), [_throw(v[1]) for v, _ in seen], mark, color=colour, label=name
        )
        energy = [_energy(board, v, w) / before for v, w in seen]
        axes[1].plot(np.degrees(_CUTS), energy, mark, color=colour, label=name)
    axes[0].set(xlabel="cut (deg)", ylabel="deg off the line of centres", title="throw")
    axes[1].set(xlabel="cut (deg)", ylabel="energy kept", title="striker on a carromman")
    _rebounds(board, material, axes[2])
    axes[2].set(xlabel="angle of incidence (deg)", ylabel="angle of rebound (deg)", title="frame")
    for panel in axes:
        panel.legend(fontsize=8)
    rows = []
    for k in range(0, len(_CUTS), 3):
        of_planar, of_mujoco = _throw(planar[k][0][1]), _throw(measured[k][0][1])
        rows.append(
            (
                f"{math.degrees(_CUTS[k]):.0f}",
                f"{_throw(exact[k].other):.4f}", f"{of_mujoco:.4f}", f"{of_planar:.4f}",
                f"{exact[k].kept:.6f}",
                f"{_energy(board, *measured[k]) / before:.6f}",
                f"{_energy(board, *planar[k]) / before:.6f}",
            )
        )  # fmt: skip
    columns = ("cut, deg", "throw, deg", "MuJoCo", "planar", "energy kept", "MuJoCo", "planar")
    text = f"""A striker at {_SPEED:g} m/s without spin meets a carromman at rest, nominal \
material. Without friction at the rims the carromman would leave along the line of centres; \
friction throws it off by up to atan(mu_rim), less where the rims stop slipping first. A rebound \
off the frame is flatter than its incidence by e and steeper by friction.

{picture(_NAME, "Throw, energy kept and rebound: closed forms and both engines.")}

{table(columns, rows)}

The demands below are harder: 0.05 to 6 m/s, cuts to 75 degrees, spins to 100 rad/s, rims from mu \
0.05 to 0.4, steps of very different lengths, and for the planar engine materials drawn from \
their ranges."""
    checks = (
        *impacting(board, amounts), *impact_errors(board, amounts.planar // 2), arc_error(board),
    )  # fmt: skip
    return Section("3. Impacts", text, checks, {_NAME: png(figure)})


def _exact(board: Board, material: Material, cut: float) -> Struck:
    return struck(
        (board.striker_mass, board.carromman_mass),
        (board.striker_radius, board.carromman_radius),
        _SPEED, cut, 0.0, material.restitution_striker, material.friction_rim,
    )  # fmt: skip


def _throw(velocity: np.ndarray) -> float:
    return math.degrees(math.atan2(velocity[1], velocity[0]))


def _energy(board: Board, velocities: np.ndarray, spins: np.ndarray) -> float:
    masses = np.array([board.striker_mass, board.carromman_mass])
    rims2 = (np.array([board.striker_radius, board.carromman_radius]) * spins) ** 2
    return float(masses @ ((velocities**2).sum(1) / 2 + rims2 / 4))


def _by_mujoco(board: Board, material: Material) -> list[tuple[np.ndarray, np.ndarray]]:
    """Velocities and spins after each cut, striker and carromman, in the frame of the centres."""
    simulation, seen = FloatingSimulation(board, material), []
    for cut in _CUTS:
        after = collide(simulation, board, STRIKER, 0, speed=_SPEED, cut=float(cut)).after
        seen.append((after, simulation.spin[[STRIKER, 0]].copy()))
    return seen


def _by_planar(board: Board, material: Material) -> list[tuple[np.ndarray, np.ndarray]]:
    cases = Cases.empty(len(_CUTS))
    reach = board.striker_radius + board.carromman_radius
    cases.positions[:, STRIKER_SLOT] = -reach, 0.0
    cases.velocities[:, STRIKER_SLOT] = _SPEED * np.stack([np.cos(_CUTS), np.sin(_CUTS)], 1)
    cases.on_board[:, [0, STRIKER_SLOT]] = True
    seen = watch(board, [material], *cases, impacts=1)
    pair = [STRIKER_SLOT, 0]
    return [(seen.velocities[k, pair], seen.spins[k, pair]) for k in range(len(_CUTS))]


def _rebounds(board: Board, material: Material, panel) -> None:
    wall, simulation = board.half_side - board.carromman_radius, FloatingSimulation(board, material)
    fine = np.radians(np.linspace(0, 82, 200))
    line = [
        rebound(board.carromman_radius, _SPEED, float(angle), 0.0, material.restitution_frame,
                material.friction_frame)[0]
        for angle in fine
    ]  # fmt: skip
    panel.plot(np.degrees(fine), [_back(v) for v in line], color=EXACT_COLOUR, label="closed form")
    angles = []
    for angle in _INCIDENCES:
        vx, vy = _SPEED * math.cos(angle), _SPEED * math.sin(angle)
        one_disc(simulation, (wall - 1e-5, 0.0), (vx, vy))
        while simulation.velocity[0, 0] > 0:
            simulation.run(until=simulation.time + 1e-12)
        angles.append(_back(simulation.velocity[0]))
    panel.plot(np.degrees(_INCIDENCES), angles, "o", color=MUJOCO_COLOUR, label="MuJoCo")
    heading = np.stack([np.cos(_INCIDENCES), np.sin(_INCIDENCES)], 1)
    places = np.broadcast_to((wall, 0.0), heading.shape)
    seen = watch(board, [material], *Cases.alone(0, places, _SPEED * heading), impacts=1)
    back = [_back(v) for v in seen.velocities[:, 0]]
    panel.plot(np.degrees(_INCIDENCES), back, "x", color=PLANAR_COLOUR, label="planar")


def _back(velocity: np.ndarray) -> float:
    return math.degrees(math.atan2(velocity[1], -velocity[0]))
