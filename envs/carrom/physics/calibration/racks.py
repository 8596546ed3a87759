"""Racks: springs in clusters against the independent spring-dashpot reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.shots import break_shot
from carrom.physics.calibration.springs import spring_reference
from carrom.physics.calibration.strokes import set_out
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS, STRIKER
from carrom.rack import Packing, rack

GAPS = (0.0, 0.02e-3, 0.1e-3, 0.3e-3)
"""m."""
_CHAIN = 8e-3
"""By then the first chain of contacts is over and no disc has come near a frame, s."""
_REFERENCE = 0.09
"""How long a break is computed by the reference, s: its dense contacts are over."""


def rack_checks(board: Board) -> list[Check]:
    """Energy kept and speed of the front carromman after the first chain of contacts.

    The striker hits a corner of the rack head-on, at 4 and 6 m/s; without friction.
    """
    material = Material(
        friction=0.005, restitution_striker=0.85, restitution_carromman=0.85,
        friction_rim=0.0, friction_frame=0.0,
    )  # fmt: skip
    simulation = Simulation(board, material)
    energy_error = front_error = 0.0
    for gap in GAPS:
        position = np.zeros((N_DISCS, 2))
        position[:STRIKER] = rack(board, np.random.default_rng(0), packing=Packing(gap, 0.0))
        corner = position[:STRIKER][np.argmin(position[:STRIKER, 1])]
        touch = board.carromman_radius + board.striker_radius
        position[STRIKER] = corner - (0.0, touch + 1e-3)
        for speed in (4.0, 6.0):
            velocity = np.zeros((N_DISCS, 2))
            velocity[STRIKER] = 0.0, speed
            simulation.place(position, np.ones(N_DISCS, bool), velocity=velocity)
            simulation.run(until=_CHAIN)
            places, expected = position.copy(), velocity.copy()
            spring_reference(
                board, material, places, expected, np.zeros(N_DISCS),
                duration=_CHAIN, steps_per_contact=100,
            )  # fmt: skip
            kept, front = _kept_and_front(board, simulation.velocity, speed)
            kept_expected, front_expected = _kept_and_front(board, expected, speed)
            energy_error = max(energy_error, abs(kept - kept_expected))
            front_error = max(front_error, abs(front - front_expected))
    return [
        Check("rack: energy kept, against springs", energy_error, 0.005),
        Check("rack: front carromman's speed, against springs", front_error, 0.005),
    ]


def _kept_and_front(
    board: Board, velocity: NDArray[np.float64], speed: float
) -> tuple[float, float]:
    kept = board.masses @ (velocity**2).sum(1) / (board.striker_mass * speed**2)
    return float(kept), float(velocity[:STRIKER, 1].max() / speed)


def pocketed_on_breaks(board: Board, breaks: int) -> Check:
    """Carrommen pocketed per tight break against the reference, in standard errors.

    The reference computes the first part of a break, the engine the rest of it.
    """
    material = Material()
    simulation = Simulation(board, material)
    rng = np.random.default_rng(3)
    counts = np.zeros((breaks, 2))
    for k in range(breaks):
        set_out(simulation, board, break_shot(board, rng))
        position, velocity = simulation.position.copy(), simulation.velocity.copy()
        simulation.run()
        counts[k, 0] = np.sum(~simulation.in_play[:STRIKER])
        spin = np.zeros(N_DISCS)
        spring_reference(board, material, position, velocity, spin, duration=_REFERENCE)
        simulation.place(position, np.ones(N_DISCS, bool), velocity=velocity, spin=spin)
        simulation.run()
        counts[k, 1] = np.sum(~simulation.in_play[:STRIKER])
    # The two see the same racks, but after a few contacts they are independent.
    error = np.sqrt(counts.var(0, ddof=1).sum() / breaks)
    difference = abs(counts[:, 0].mean() - counts[:, 1].mean())
    name = f"pocketed per break {counts[:, 0].mean():.2f}, springs {counts[:, 1].mean():.2f}"
    return Check(name, float(difference / error), 2.0, "standard errors")
