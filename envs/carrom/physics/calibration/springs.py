"""An independent spring-dashpot reference for racks: no MuJoCo, no events, fine fixed steps.

Every contact is a linear spring and dashpot of duration ``contact_time`` that never pulls,
with Coulomb friction at the rims. It takes some tens of milliseconds for a break.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.cluster import spring_damping
from carrom.physics.material import Material
from carrom.pieces import STRIKER


def spring_reference(
    board: Board,
    material: Material,
    position: NDArray[np.float64],
    velocity: NDArray[np.float64],
    spin: NDArray[np.float64],
    *,
    duration: float,
    steps_per_contact: int = 40,
) -> None:
    """Move discs of which none gets near a pocket, in place.

    Args:
        board: side, radii and masses; the corners are square here.
        material: restitutions, rim and frame friction, contact time, board friction.
        position: (n, 2), m; the last disc is the striker.
        velocity: (n, 2), m/s.
        spin: (n,), rad/s.
        duration: s.
        steps_per_contact: steps per contact time.
    """
    n = len(position)
    step = material.contact_time / steps_per_contact
    restitution = np.full((n + 1, n + 1), material.restitution_carromman)
    restitution[n - 1] = restitution[:, n - 1] = material.restitution_striker
    restitution[n] = restitution[:, n] = material.restitution_frame
    damping = np.vectorize(lambda e: spring_damping(float(e), steps_per_contact))(restitution)
    first = STRIKER + 1 - n
    _integrate(
        position,
        velocity,
        spin,
        board.radii[first:],
        board.masses[first:],
        damping / material.contact_time,
        (math.pi / material.contact_time) ** 2,
        board.half_side,
        material.friction_rim,
        material.friction_frame,
        material.deceleration,
        step,
        round(duration / step),
    )


@numba.njit(cache=True)
def _integrate(
    position, velocity, spin, radius, mass, damping, stiffness, half_side, rim, frame, ground,
    step, steps,
):  # fmt: skip
    n = len(radius)
    force, torque = np.zeros((n, 2)), np.zeros(n)
    for _ in range(steps):
        force[:], torque[:] = 0.0, 0.0
        for i in range(n):
            for j in range(i + 1, n):
                dx, dy = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
                touch, distance2 = radius[i] + radius[j], dx * dx + dy * dy
                if distance2 >= touch * touch:
                    continue
                distance = math.sqrt(distance2)
                nx, ny = dx / distance, dy / distance
                vx, vy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
                reduced = mass[i] * mass[j] / (mass[i] + mass[j])
                push = stiffness * (touch - distance) - damping[i, j] * (vx * nx + vy * ny)
                push = max(reduced * push, 0.0)
                slip = vy * nx - vx * ny - spin[i] * radius[i] - spin[j] * radius[j]
                rub = -math.copysign(min(rim * push, abs(slip) * reduced / (3 * step)), slip)
                fx, fy = push * nx - rub * ny, push * ny + rub * nx
                force[i, 0] -= fx
                force[i, 1] -= fy
                force[j, 0] += fx
                force[j, 1] += fy
                torque[i] -= rub * radius[i]
                torque[j] -= rub * radius[j]
            for axis in range(2):
                side = math.copysign(1.0, position[i, axis])
                overlap = side * position[i, axis] - (half_side - radius[i])
                if overlap <= 0.0:
                    continue
                push = stiffness * overlap + damping[n, i] * side * velocity[i, axis]
                push = max(mass[i] * push, 0.0)
                turn = side if axis == 0 else -side  # tangent of the outward normal
                slip = turn * velocity[i, 1 - axis] + spin[i] * radius[i]
                rub = -math.copysign(min(frame * push, abs(slip) * mass[i] / (3 * step)), slip)
                force[i, axis] -= side * push
                force[i, 1 - axis] += turn * rub
                torque[i] += rub * radius[i]
        for i in range(n):
            spin[i] += step * torque[i] * 2 / (mass[i] * radius[i] ** 2)
            for axis in range(2):
                velocity[i, axis] += step * force[i, axis] / mass[i]
            speed = math.sqrt(velocity[i, 0] ** 2 + velocity[i, 1] ** 2)
            if speed > 0.0:
                left = max(speed - ground * step, 0.0) / speed
                velocity[i, 0] *= left
                velocity[i, 1] *= left
            for axis in range(2):
                position[i, axis] += step * velocity[i, axis]
