"""Contacts that overlap in time: springs in place of impacts.

A contact lasts ``contact_time``. Where a third body is touched within that time, as in a
tight rack, impulses one after the other are wrong (they pocket half as much on a break), and
the contacts act as springs until nothing overlaps. A MuJoCo contact of low impedance is a
physical spring: with ``solimp`` d near its minimum of 1e-4 and ``solref = (-k, -b)`` the
acceleration of approach is k x + b v whatever the masses, so every pair has the same
duration and its own restitution. (Near impedance 1 it would prescribe the acceleration.)
"""

from __future__ import annotations

import functools
import math

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics.boundary import frame_gap
from carrom.physics.encounters import PRESSED_SPEED
from carrom.physics.state import Record

SPRING_IMPEDANCE = 1e-4
STEPS_PER_CONTACT = 24
"""Steps per contact time: at 24 the speeds after a break's first contacts are right to 0.4 %
of the striker's."""
_SEPARATION = 1e-9
"""Gap left between discs that are pushed apart, m."""


@functools.lru_cache(maxsize=256)
def spring_damping(restitution: float, steps: int = STEPS_PER_CONTACT) -> float:
    """Damping b of x'' = -(pi^2 x + b x')+ that gives ``restitution``, in contact times.

    Found by bisection on the integrator in use, at ``steps`` per contact time: the textbook
    value is too weak here, because the force is never negative and the steps are finite.
    """
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if _spring_restitution(middle, steps) > restitution:
            low = middle
        else:
            high = middle
    return low


@numba.njit(cache=True)
def _spring_restitution(damping: float, steps: int) -> float:
    """Mean restitution over the phase at which the first step finds the overlap."""
    phases, step, total = 16, 1.0 / steps, 0.0
    for phase in range(phases):
        overlap, speed = step * (phase + 0.5) / phases, 1.0
        for _ in range(20 * steps):
            speed -= step * max(math.pi**2 * overlap + damping * speed, 0.0)
            overlap += step * speed
            if overlap <= 0.0:
                break
        total -= speed
    return total / phases


@numba.njit
def contacts_overlap(
    scene: Record, shot: Record, position: NDArray[np.float64], velocity: NDArray[np.float64]
) -> bool:
    """Whether a third body is within reach of a contact while it lasts."""
    n = len(scene.radius)
    for i in range(n):
        if not shot.in_play[i]:
            continue
        gap, nx, ny = frame_gap(position[i, 0], position[i, 1], scene.radius[i], scene)
        closing = velocity[i, 0] * nx + velocity[i, 1] * ny
        if gap <= 0.0 and closing > PRESSED_SPEED:
            reach = closing * scene.contact_time
            if _disc_within(scene, shot, position, reach, i, i):
                return True
        for j in range(i + 1, n):
            if not shot.in_play[j]:
                continue
            rx, ry = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
            touch = scene.radius[i] + scene.radius[j]
            distance2 = rx * rx + ry * ry
            if distance2 > touch * touch:
                continue
            vx, vy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
            closing = -(rx * vx + ry * vy) / touch
            if closing <= PRESSED_SPEED:
                continue
            reach = closing * scene.contact_time
            for k in (i, j):
                x, y = position[k, 0], position[k, 1]
                if frame_gap(x, y, scene.radius[k], scene)[0] < reach:
                    return True
                if _disc_within(scene, shot, position, reach, k, i + j - k):
                    return True
    return False


@numba.njit
def _disc_within(
    scene: Record, shot: Record, position: NDArray[np.float64], reach: float, i: int, other: int
) -> bool:
    """Whether a disc besides ``i`` and ``other`` is within ``reach`` of disc ``i``'s rim."""
    for k in range(len(scene.radius)):
        if not shot.in_play[k] or k in (i, other):
            continue
        rx, ry = position[k, 0] - position[i, 0], position[k, 1] - position[i, 1]
        touch = scene.radius[i] + scene.radius[k] + reach
        if rx * rx + ry * ry < touch * touch:
            return True
    return False


@numba.njit
def contacts_last(
    scene: Record, shot: Record, position: NDArray[np.float64], velocity: NDArray[np.float64]
) -> bool:
    """Whether an overlap still is a collision, so that the contacts must stay springs.

    Overlaps of pressed discs do not count, or a cluster need not end: the board's friction
    holds discs against a spring of up to mu m g, that is at an overlap of a nanometre, and
    spin can press them together for as long as it lasts. A pressed contact is one with no
    more energy, in motion or in its spring, than an impact at ``PRESSED_SPEED`` has.
    """
    n = len(scene.radius)
    held = PRESSED_SPEED * scene.contact_time / math.pi
    for i in range(n):
        if not shot.in_play[i]:
            continue
        gap, nx, ny = frame_gap(position[i, 0], position[i, 1], scene.radius[i], scene)
        closing = velocity[i, 0] * nx + velocity[i, 1] * ny
        if gap < -held or (gap < 0.0 and abs(closing) > PRESSED_SPEED):
            return True
        for j in range(i + 1, n):
            if not shot.in_play[j]:
                continue
            rx, ry = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
            touch, distance2 = scene.radius[i] + scene.radius[j], rx * rx + ry * ry
            if distance2 >= touch * touch:
                continue
            vx, vy = velocity[j, 0] - velocity[i, 0], velocity[j, 1] - velocity[i, 1]
            closing = (rx * vx + ry * vy) / touch
            if abs(closing) > PRESSED_SPEED or touch - math.sqrt(distance2) > held:
                return True
    return False


@numba.njit
def deepest_overlap(scene: Record, shot: Record, position: NDArray[np.float64]) -> float:
    """Largest overlap of two discs or of a disc and the frame, m; negative if none."""
    n = len(scene.radius)
    deepest = -math.inf
    for i in range(n):
        if not shot.in_play[i]:
            continue
        gap = frame_gap(position[i, 0], position[i, 1], scene.radius[i], scene)[0]
        deepest = max(deepest, -gap)
        for j in range(i + 1, n):
            if not shot.in_play[j]:
                continue
            rx, ry = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
            touch, distance2 = scene.radius[i] + scene.radius[j], rx * rx + ry * ry
            if distance2 < touch * touch:
                deepest = max(deepest, touch - math.sqrt(distance2))
    return deepest


@numba.njit
def push_apart(scene: Record, shot: Record, position: NDArray[np.float64]) -> None:
    """Undo the overlaps of some micrometres that impacts leave.

    They would be energy stored in the springs: it raised a restitution of 0.75 to 1.3 at
    0.05 m/s.
    """
    n = len(scene.radius)
    for _ in range(20):
        done = True
        for i in range(n):
            if not shot.in_play[i]:
                continue
            gap, nx, ny = frame_gap(position[i, 0], position[i, 1], scene.radius[i], scene)
            if gap < 0.5 * _SEPARATION:
                position[i, 0] += (gap - _SEPARATION) * nx
                position[i, 1] += (gap - _SEPARATION) * ny
                done = False
            for j in range(i + 1, n):
                if not shot.in_play[j]:
                    continue
                rx, ry = position[j, 0] - position[i, 0], position[j, 1] - position[i, 1]
                touch, distance2 = scene.radius[i] + scene.radius[j], rx * rx + ry * ry
                if distance2 >= touch * touch or distance2 == 0.0:
                    continue
                distance = math.sqrt(distance2)
                masses = scene.mass[i] + scene.mass[j]
                push = (touch - distance + _SEPARATION) / (distance * masses)
                position[i, 0] -= push * scene.mass[j] * rx
                position[i, 1] -= push * scene.mass[j] * ry
                position[j, 0] += push * scene.mass[i] * rx
                position[j, 1] += push * scene.mass[i] * ry
                done = False
        if done:
            return
