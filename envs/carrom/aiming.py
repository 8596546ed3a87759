"""The geometry of a direct shot: ghost disc, straight line to the pocket, speed needed.

Everything here is plane geometry and the closed forms of the physical model (sliding with
constant deceleration mu g, one impact with restitution along the line of centres), so that
a player, or the target coding of actions, can aim without simulating.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import GRAVITY, Material

Point = NDArray[np.float64]


def ghost_centre(board: Board, target: Point, aim: Point) -> Point:
    """Where the striker's centre must be at the impact that sends ``target`` towards ``aim``.

    Args:
        board: gives the radii.
        target: (2,), centre of the carromman.
        aim: (2,), where it should go.

    Returns:
        (2,): the ghost centre, on the far side of the target from ``aim``.
    """
    line = aim - target
    return target - (board.striker_radius + board.carromman_radius) * line / np.hypot(*line)


def straight_place(board: Board, target: Point, aim: Point) -> float:
    """Where the prolonged line from ``aim`` through ``target`` crosses the base line.

    From there the shot is straight. The result is limited to the ends of the base line; for
    a target that no straight shot from the base line can reach it is the nearer end.
    """
    end = board.base_line_length / 2
    fall = aim[1] - target[1]
    if fall <= 0:  # the pocket is not beyond the target: no straight shot forwards
        return math.copysign(end, target[0] - aim[0])
    slope = (aim[0] - target[0]) / fall
    return float(np.clip(target[0] - slope * (target[1] - board.base_line_y), -end, end))


def heading(start: Point, end: Point) -> float:
    """Direction from ``start`` to ``end``: rad, counter-clockwise from straight ahead."""
    return math.atan2(start[0] - end[0], end[1] - start[1])


@dataclass(frozen=True)
class DirectShot:
    """A strike that sends one carromman straight to one pocket.

    Attributes:
        direction: of the strike, rad, counter-clockwise from straight ahead.
        speed: of the strike, m/s; may exceed what a player can give.
        cut: angle between the strike and the carromman's way, rad; from pi / 2 on there is
            no such shot.
    """

    direction: float
    speed: float
    cut: float


def direct_shot(
    board: Board, material: Material, place: float, target: Point, aim: Point, arrival: float
) -> DirectShot:
    """The direct shot from ``place`` that brings ``target`` to ``aim``.

    With the carromman's way d, the striker's way D and the cut angle phi:
    v_c^2 = arrival^2 + 2 mu g d, v_s = v_c (M + m) / ((1 + e) M cos phi) at the impact, and
    v_0^2 = v_s^2 + 2 mu g D.

    Args:
        board: gives radii and masses.
        material: gives friction and restitution.
        place: striker's x on the base line, m.
        target: (2,), centre of the carromman, striking seat's frame.
        aim: (2,), where it should go.
        arrival: speed at which it should get there, m/s.
    """
    start = np.array([place, board.base_line_y])
    ghost = ghost_centre(board, target, aim)
    run, way = ghost - start, aim - target
    run_length, way_length = np.hypot(*run), np.hypot(*way)
    # A cosine of zero or less is no shot at all: its speed is simply very large.
    cosine = float(run @ way / (run_length * way_length + 1e-12))
    friction = 2 * material.friction * GRAVITY
    share = (1 + material.restitution_striker) * board.striker_mass
    total = board.striker_mass + board.carromman_mass
    carromman_speed = math.sqrt(arrival**2 + friction * way_length)
    striker_speed = carromman_speed * total / (share * max(cosine, 1e-3))
    return DirectShot(
        direction=heading(start, ghost),
        speed=math.sqrt(striker_speed**2 + friction * run_length),
        cut=math.acos(min(max(cosine, -1.0), 1.0)),
    )
