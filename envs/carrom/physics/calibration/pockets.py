"""Pockets: where a disc at rest falls, and when a moving one does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import Check
from carrom.physics.calibration.closed_forms import chord_speeds
from carrom.physics.calibration.ground import one_disc
from carrom.physics.material import Material
from carrom.physics.simulation import Simulation, fall_radii
from carrom.pieces import STRIKER

FALL_TIMES = (5e-3, 15e-3, 25e-3)
"""s."""
CHORD = 12e-3
"""Distance from the pocket's centre of a chord that leads clear of the frame, m."""
BEFORE = 5e-3
"""How far before its chord a disc starts, m."""
OUTWARDS, ALONG = np.array([1.0, 1.0]) * math.sqrt(0.5), np.array([1.0, -1.0]) * math.sqrt(0.5)
"""From the board's centre to pocket 1, and across."""
CAPTURES = (
    Material(),
    Material(edge_rounding=0.0),
    Material(edge_rounding=1.5e-3),
    Material(fall_factor=0.8),
    Material(fall_factor=1.4, fall_time=0.0),
)
"""Materials that differ in what decides where a disc falls."""


def falls_at_rest(simulation: Simulation, board: Board, index: int, distance: float) -> bool:
    """Whether a disc left at ``distance`` from a pocket's centre, towards the board, falls."""
    place = board.pocket_offset - distance * math.sqrt(0.5)
    one_disc(simulation, (place, place), (0.0, 0.0), index=index)
    simulation.run()
    return not simulation.in_play[index]


def static_capture_error(board: Board) -> list[Check]:
    """Largest distance between where discs at rest stop falling and the fall circle."""
    worst, stay = 0.0, 0
    for material in CAPTURES:
        simulation = Simulation(board, material)
        for index in (0, STRIKER):
            circle = float(fall_radii(board, material)[index])
            inside, outside = 0.0, 2 * board.pocket_radius
            while outside - inside > 1e-7:
                middle = (inside + outside) / 2
                if falls_at_rest(simulation, board, index, middle):
                    inside = middle
                else:
                    outside = middle
            worst = max(worst, abs(inside - circle))
            stay += falls_at_rest(simulation, board, index, circle + 1e-3)
    cases = 2 * len(CAPTURES)
    return [
        Check("fall at rest: error of the distance", worst * 1e3, 0.02, "mm", cases=cases),
        Check("discs at rest 1 mm outside their fall circle that fall", stay, 0, cases=cases),
    ]


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
        Check("time of a fall: error", worst * 1e6, 4.0, "us", cases=9),
        Check("a fallen disc is taken off late by", late * 1e6, 4.0, "us", cases=9),
    ]


def transit_error(board: Board) -> Check:
    """Difference between the least transit in which a crossing disc falls and ``fall_time``."""
    worst = 0.0
    for fall_time in FALL_TIMES:
        material = Material(fall_time=fall_time)
        simulation = Simulation(board, material)
        short, long = 0.5 * fall_time, 1.5 * fall_time
        while long - short > 1e-7:
            middle = (short + long) / 2
            place, velocity, over = chord(board, material, middle)
            one_disc(simulation, (place[0], place[1]), (velocity[0], velocity[1]))
            simulation.run(until=over)
            if simulation.in_play[0]:
                short = middle
            else:
                long = middle
        worst = max(worst, abs(long - fall_time))
    cases = len(FALL_TIMES)
    return Check(
        "shortest transit in which a disc falls: error", worst * 1e6, 4.0, "us", cases=cases
    )


def chord(
    board: Board, material: Material, transit: float
) -> tuple[list[float], list[float], float]:
    """A carromman sent across the fall circle of pocket 1, clear of the frame.

    Returns:
        Place, m, velocity, m/s, and the time when it is over, s.
    """
    half = math.sqrt(float(fall_radii(board, material)[0]) ** 2 - CHORD**2)
    start, entered = chord_speeds(half, transit, BEFORE, material.deceleration)
    place = board.pocket_centres[1] - CHORD * OUTWARDS - (half + BEFORE) * ALONG
    return place.tolist(), (start * ALONG).tolist(), entered + transit + 1e-5


def straight_in(
    board: Board, offsets: NDArray[np.float64], speed: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Carrommen sent at pocket 1 along the diagonal, 40 mm from its centre and beside it.

    Returns:
        Places and velocities, (n, 2).
    """
    places = board.pocket_centres[1] - 0.04 * OUTWARDS + offsets[:, None] * ALONG
    return places, np.broadcast_to(speed * OUTWARDS, places.shape)


def along_frame(
    board: Board, gaps: NDArray[np.float64], speed: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Carrommen sent at pocket 1 along a frame, ``gaps`` off it, from 80 mm before its centre."""
    wall = board.half_side - board.carromman_radius
    places = np.stack([np.full_like(gaps, board.pocket_offset - 0.08), wall - gaps], axis=1)
    return places, np.broadcast_to((speed, 0.0), places.shape)


def pocketed_alone(
    simulation: Simulation, places: NDArray[np.float64], velocities: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which of some carrommen, sent one after the other, fell, (n,)."""
    fell = []
    for place, velocity in zip(places.tolist(), velocities.tolist(), strict=True):
        one_disc(simulation, (place[0], place[1]), (velocity[0], velocity[1]))
        simulation.run()
        fell.append(not simulation.in_play[0])
    return np.array(fell)


def central_falls(board: Board) -> Check:
    """Share of carrommen at 1 m/s straight in that fall, whatever the capture parameters."""
    fell = [
        pocketed_alone(Simulation(board, material), *straight_in(board, np.zeros(1), 1.0))[0]
        for material in CAPTURES
    ]
    return Check(
        "central carrommen at 1 m/s that fall: share", float(np.mean(fell)), 1.0, at_least=True,
        cases=len(fell),
    )  # fmt: skip
