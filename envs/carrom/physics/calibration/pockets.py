"""Pockets: where a disc at rest falls, and when a moving one does."""

from __future__ import annotations

import math

from carrom.board import Board
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.ground import one_disc
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation, fall_radii
from carrom.pieces import STRIKER


def falls_at_rest(simulation: Simulation, board: Board, index: int, distance: float) -> bool:
    """Whether a disc left at ``distance`` from a pocket's centre, towards the board, falls."""
    place = board.pocket_offset - distance * math.sqrt(0.5)
    one_disc(simulation, (place, place), (0.0, 0.0), index=index)
    simulation.run()
    return not simulation.in_play[index]


def static_capture_error(board: Board) -> Check:
    """Largest distance between where discs at rest stop falling and the fall circle."""
    material = Material()
    simulation = Simulation(board, material)
    worst = 0.0
    for index in (0, STRIKER):
        circle = float(fall_radii(board, material)[index])
        inside, outside = 0.0, board.pocket_radius
        while outside - inside > 1e-7:
            middle = (inside + outside) / 2
            if falls_at_rest(simulation, board, index, middle):
                inside = middle
            else:
                outside = middle
        worst = max(worst, abs(inside - circle))
    return Check("fall at rest: error of the distance", worst * 1e3, 0.02, "mm")


def capture_time_error(board: Board) -> list[Check]:
    """Largest error of the time of a fall, and how late the disc is taken off the board."""
    worst, late, way = 0.0, 0.0, 0.03
    for fall_time in (0.0, 5e-3, 15e-3):
        material = Material(fall_time=fall_time)
        simulation = Simulation(board, material)
        circle = float(fall_radii(board, material)[0])
        for speed in (0.5, 1.0, 1.5):
            place = board.pocket_offset - (circle + way) * math.sqrt(0.5)
            slowing = material.deceleration
            # v at the circle: v^2 = v0^2 - 2 a s.
            start = math.sqrt(speed**2 + 2 * slowing * way)
            along = start * math.sqrt(0.5)
            one_disc(simulation, (place, place), (along, along))
            simulation.run()
            expected = (start - speed) / slowing + fall_time
            worst = max(worst, abs(float(simulation.shot["fall_time"][0, 0]) - expected))
            late = max(late, simulation.time - expected)
    return [
        Check("time of a fall: error", worst * 1e6, 4.0, "us"),
        Check("a fallen disc is taken off late by", late * 1e6, 4.0, "us"),
    ]
