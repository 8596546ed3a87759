"""The frame as a disc's centre meets it, and the circles in which it falls.

Inside the frame a centre has a square with rounded corners to itself: the straight frames
at a distance of the disc's radius, and at each pocket an arc concentric with it, of radius
r_p - R. The region is convex and a disc touches one part of it at a time.
"""

from __future__ import annotations

import math

import numba

from carrom.physics.state import Record


@numba.njit
def frame_gap(x: float, y: float, radius: float, scene: Record) -> tuple[float, float, float]:
    """Gap between rim and frame, m (negative: overlap), and the outward unit normal there."""
    over_x, over_y = abs(x) - scene.pocket_offset, abs(y) - scene.pocket_offset
    if over_x > 0.0 and over_y > 0.0:
        distance = math.sqrt(over_x * over_x + over_y * over_y)
        gap = scene.pocket_radius - radius - distance
        return gap, math.copysign(over_x / distance, x), math.copysign(over_y / distance, y)
    if abs(x) > abs(y):
        return scene.half_side - radius - abs(x), math.copysign(1.0, x), 0.0
    return scene.half_side - radius - abs(y), 0.0, math.copysign(1.0, y)


@numba.njit
def is_in_corner(x: float, y: float, scene: Record) -> bool:
    """Whether the frame nearest to a centre is a corner's arc."""
    return abs(x) > scene.pocket_offset and abs(y) > scene.pocket_offset


@numba.njit
def time_to_frame(x: float, y: float, vx: float, vy: float, radius: float, scene: Record) -> float:
    """Time until a disc of constant velocity reaches the frame, s; infinite at rest."""
    time = math.inf
    if vx != 0.0:
        time = (scene.half_side - radius - math.copysign(x, x * vx)) / abs(vx)
    if vy != 0.0:
        time = min(time, (scene.half_side - radius - math.copysign(y, y * vy)) / abs(vy))
    if time == math.inf:
        return time
    end_x, end_y = x + time * vx, y + time * vy
    if not is_in_corner(end_x, end_y, scene):
        return max(time, 0.0)
    x -= math.copysign(scene.pocket_offset, end_x)
    y -= math.copysign(scene.pocket_offset, end_y)
    return max(leaving_time(x, y, vx, vy, scene.pocket_radius - radius), 0.0)


@numba.njit
def leaving_time(x: float, y: float, vx: float, vy: float, radius: float) -> float:
    """When a point of constant velocity leaves a circle about the origin, s.

    A point that misses the circle leaves it where it is nearest.
    """
    speed2, along = vx * vx + vy * vy, x * vx + y * vy
    discriminant = along * along - speed2 * (x * x + y * y - radius * radius)
    return (-along + math.sqrt(max(discriminant, 0.0))) / speed2


@numba.njit
def entering_time(x: float, y: float, vx: float, vy: float, radius: float) -> float:
    """When a point of constant velocity outside a circle about the origin enters it, s."""
    speed2, along = vx * vx + vy * vy, x * vx + y * vy
    outside = x * x + y * y - radius * radius
    discriminant = along * along - speed2 * outside
    if along >= 0.0 or discriminant <= 0.0:
        return math.inf
    return outside / (-along + math.sqrt(discriminant))


@numba.njit
def pocket_vector(x: float, y: float, scene: Record) -> tuple[float, float]:
    """From the pocket of a centre's quadrant to the centre, m."""
    return (
        x - math.copysign(scene.pocket_offset, x),
        y - math.copysign(scene.pocket_offset, y),
    )


@numba.njit
def pocket_index(x: float, y: float) -> int:
    """Index into ``Board.pocket_centres`` of the pocket of a point's quadrant."""
    if y > 0.0:
        return 1 if x > 0.0 else 2
    return 0 if x > 0.0 else 3
