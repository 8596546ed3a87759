"""What the discs meet next, at their present velocities.

Friction is left out of the search: it makes a disc arrive later, never earlier, so a leg
that ends where the search says stops just short and the search is repeated. Two discs that
decelerate differently can still meet unseen; how far they can come is bounded by the square
of the leg, so legs are short while discs nearly touch.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.boundary import (
    entering_time,
    frame_gap,
    leaving_time,
    pocket_vector,
    time_to_frame,
)
from carrom.physics.state import Record

PRESSED_SPEED = 1e-3
"""Touching discs that close more slowly than this are pressed together, not colliding, m/s.

Spin makes decelerations unequal, so touching discs can be pushed together for a long time;
as impacts that would take thousands of steps.
"""

FREE, TOUCHING, PRESSED, NEAR = 0, 1, 2, 3
"""How close matters stand, by what decides the length of the leg."""


@numba.njit
def largest_speed(velocity: NDArray[np.float64]) -> float:
    """Speed of the fastest disc, m/s; infinite if a speed is not finite."""
    fastest2 = 0.0
    for i in range(len(velocity)):
        speed2 = velocity[i, 0] * velocity[i, 0] + velocity[i, 1] * velocity[i, 1]
        if not speed2 < math.inf:
            return math.inf
        fastest2 = max(fastest2, speed2)
    return math.sqrt(fastest2)


@numba.njit
def time_to_fall(scene: Record, shot: Record) -> float:
    """Time until the first disc over a pocket has been there for long enough, s."""
    time = math.inf
    for i in range(len(scene.radius)):
        if shot.over_pocket[i]:
            remaining = shot.entered[i] + scene.fall_time - shot.time
            time = min(time, max(remaining, 0.0))
    return time


@numba.njit
def next_encounter(
    scene: Record, shot: Record, position: NDArray[np.float64], velocity: NDArray[np.float64]
) -> tuple[int, float]:
    """Look for the next contact or crossing of a fall circle.

    Returns:
        One of the four situations above, and the time, s; infinite if nothing comes.
    """
    n = len(scene.radius)
    time = math.inf
    touching = pressed = near = False
    for i in range(n):
        if not shot.in_play[i]:
            continue
        x, y, vx, vy = position[i, 0], position[i, 1], velocity[i, 0], velocity[i, 1]
        if vx == 0.0 and vy == 0.0:
            continue
        gap, nx, ny = frame_gap(x, y, scene.radius[i], scene)
        if gap <= 0.0 and vx * nx + vy * ny > 0.0:
            touching = True
        else:
            time = min(time, time_to_frame(x, y, vx, vy, scene.radius[i], scene))
        time = min(time, _time_to_circle(scene, shot, i, position, vx, vy))
    margin = scene.largest_deceleration * scene.longest_leg * scene.longest_leg
    for i in range(n):
        if not shot.in_play[i]:
            continue
        for j in range(i + 1, n):
            if not shot.in_play[j]:
                continue
            vx, vy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
            if vx == 0.0 and vy == 0.0:
                continue
            rx, ry = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
            reach = scene.radius[i] + scene.radius[j]
            distance2, along = rx * rx + ry * ry, rx * vx + ry * vy
            outside = distance2 - reach * reach
            closest2 = distance2
            if along < -1e-12:
                speed2 = vx * vx + vy * vy
                discriminant = along * along - speed2 * outside
                if outside <= 0.0:
                    touching = touching or along < -PRESSED_SPEED * reach
                    pressed = True
                elif discriminant > 0.0:
                    time = min(time, outside / (-along + math.sqrt(discriminant)))
                else:
                    closest2 -= along * along / speed2
            near = near or closest2 < (reach + margin) ** 2
    situation = TOUCHING if touching else PRESSED if pressed else NEAR if near else FREE
    return situation, time


@numba.njit
def _time_to_circle(
    scene: Record, shot: Record, i: int, position: NDArray[np.float64], vx: float, vy: float
) -> float:
    """Time until disc ``i`` crosses the fall circle of the pocket in its quadrant, s.

    A leg is too short to reach another quadrant's circle.
    """
    x, y = pocket_vector(position[i, 0], position[i, 1], scene)
    radius = scene.fall_radius[i]
    if shot.over_pocket[i]:
        return max(leaving_time(x, y, vx, vy, radius), 0.0)
    return max(entering_time(x, y, vx, vy, radius), 0.0)
