"""Racks: springs in clusters against the independent spring-dashpot reference."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.shots import Shot, break_shot
from carrom.physics.calibration.springs import spring_reference
from carrom.physics.calibration.strokes import overlaps, set_out
from carrom.physics.contact_ground import ContactSimulation
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation
from carrom.pieces import N_DISCS, STRIKER
from carrom.rack import Packing, rack

GAPS = (0.0, 0.02e-3, 0.1e-3, 0.3e-3)
"""m."""
_CHAIN = 8e-3
"""By then the first chain of contacts is over and no disc has come near a frame, s."""
_HIT = 0.04
"""By then a striker at 6 m/s has reached the rack, s."""
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
    cases = 2 * len(GAPS)
    return [
        Check("rack: energy kept, against springs", energy_error, 0.005, cases=cases),
        Check("rack: front carromman's speed, against springs", front_error, 0.005, cases=cases),
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
    return Check(name, float(difference / error), 2.0, "standard errors", cases=breaks)


def hard_breaks(board: Board, racks: int) -> list[Check]:
    """Breaks at 6 m/s, gaps of 0.1 to 0.3 mm, followed from event to event."""
    rng = np.random.default_rng(14)
    material = Material()
    simulation = Simulation(board, material)
    contact = ContactSimulation(board, material)
    gain = overlap = beyond = mirrored = 0.0
    unlike, kept = 0, np.zeros((racks, 2))
    for k in range(racks):
        gap = rng.uniform(0.1e-3, 0.3e-3)
        shot = break_shot(board, rng, Packing(gap, 0.4 * gap))
        shot = Shot(shot.layout, dataclasses.replace(shot.strike, speed=6.0))
        ends = []
        for _ in range(2):
            set_out(simulation, board, shot)
            simulation.run()
            ends.append(simulation.position.copy())
        unlike += not np.array_equal(*ends)
        diagnostics = simulation.diagnostics()
        energy = board.striker_mass * shot.strike.speed**2 / 2
        gain = max(gain, diagnostics.impact_gain / energy, diagnostics.cluster_gain / energy)
        deepest, outside = _deepest(simulation, board, shot)
        overlap, beyond = max(overlap, deepest), max(beyond, outside)
        mirrored = max(mirrored, _mirror_error(simulation, board, shot))
        for column, ground in enumerate((simulation, contact)):
            set_out(ground, board, shot)
            ground.run(until=_HIT + 0.03)
            kept[k, column] = board.masses @ (ground.velocity**2).sum(1) / (2 * energy)
    unequal = abs(kept[:, 1].mean() / kept[:, 0].mean() - 1)
    return [
        Check("break at 6 m/s: energy gained, relative", gain, 1e-9, cases=racks),
        Check("break at 6 m/s: overlap outside springs", overlap * 1e3, 0.1, "mm", cases=racks),
        Check("break at 6 m/s: beyond the frame", beyond * 1e3, 0.1, "mm", cases=racks),
        Check("break at 6 m/s: repeats that differ in a bit", unlike, 0, cases=racks),
        Check("break at 6 m/s: mirrored, places at 0.1 s", mirrored, 1e-9, "m", cases=racks),
        Check("break at 6 m/s: energy at 30 ms, contact ground against coulomb", unequal, 0.05,
              cases=racks),
    ]  # fmt: skip


def _deepest(simulation: Simulation, board: Board, shot: Shot) -> tuple[float, float]:
    """Deepest overlap of discs and farthest beyond the frame, where no contact is a spring, m."""
    set_out(simulation, board, shot)
    deepest = beyond = 0.0
    time = -1.0
    while simulation.time > time:
        time = simulation.time
        simulation.run(until=time + 1e-12)
        if not simulation.shot["clustered"][0]:
            overlap, outside = overlaps(board, simulation.position, simulation.in_play)
            deepest, beyond = max(deepest, overlap), max(beyond, outside)
    return deepest, beyond


def _mirror_error(simulation: Simulation, board: Board, shot: Shot) -> float:
    """Distance of a mirrored break's places from the mirrored places, after 0.1 s."""
    flip = np.array([-1.0, 1.0])
    mirrored = Shot(
        Layout(shot.layout.positions * flip, shot.layout.on_board),
        dataclasses.replace(
            shot.strike, place=-shot.strike.place, direction=-shot.strike.direction
        ),
    )
    places = []
    for one in (shot, mirrored):
        set_out(simulation, board, one)
        simulation.run(until=0.1)
        places.append(simulation.position[simulation.in_play].copy())
    return float(np.abs(places[0] * flip - places[1]).max())
