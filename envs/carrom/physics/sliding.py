"""A disc that slides and spins on the board.

Under uniform pressure the friction force against the velocity v is mu m g F(eps) and the
torque against the spin w is mu m g R T(eps), eps = v / (R w): Farkas, Bartels, Unger and
Wolf, "Frictional coupling between sliding and spinning motion", PRL 90, 248302 (2003). The
force is antiparallel to the velocity whatever the spin, so every path is straight.
"""

from __future__ import annotations

import functools
import math

import numba
import numpy as np
from numpy.typing import NDArray

TABLE_SIZE = 1025


def farkas(ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """The friction force F and torque T of a spinning disc, closed form.

    Args:
        ratio: x = eps / (1 + eps) in [0, 1], shape (n,); 1 is a disc without spin.

    Returns:
        (2, n): F in units of mu m g, T in units of mu m g R.
    """
    result = np.empty((2, len(ratio)))
    for k, x in enumerate(ratio):
        if x <= 0.0:
            result[:, k] = 0.0, 2 / 3
        elif x >= 1.0:
            result[:, k] = 1.0, 0.0
        else:
            result[:, k] = _force_and_torque(x / (1 - x))
    return result


def _force_and_torque(eps: float) -> tuple[float, float]:
    q = eps * eps
    if abs(eps - 1) < 1e-12:
        return 8 / (3 * math.pi), 8 / (9 * math.pi)
    if eps < 1:
        k, e = _elliptic(q)
        force = ((q + 1) * e + (q - 1) * k) / eps
        torque = (4 - 2 * q) * e + (q - 1) * k
    else:
        k, e = _elliptic(1 / q)
        force = (q + 1) * e - (q - 1) * k
        torque = eps * ((4 - 2 * q) * e + (2 * q - 5 + 3 / q) * k)
    return 4 / (3 * math.pi) * force, 4 / (9 * math.pi) * torque


def _elliptic(m: float) -> tuple[float, float]:
    """Complete elliptic integrals K(m), E(m), 0 <= m < 1, by the arithmetic-geometric mean."""
    a, b, c, power, total = 1.0, math.sqrt(1 - m), math.sqrt(m), 0.5, 0.5 * m
    while abs(c) > 1e-15 * a:
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        power *= 2
        total += power * c * c
    k = math.pi / (2 * a)
    return k, k * (1 - total)


@functools.cache
def farkas_table() -> NDArray[np.float64]:
    """F and T at ``TABLE_SIZE`` equally spaced ratios, shape (2, TABLE_SIZE)."""
    return farkas(np.linspace(0.0, 1.0, TABLE_SIZE))


@numba.njit
def coupling(speed: float, rim_speed: float, table: NDArray[np.float64]) -> tuple[float, float]:
    """F and T for a speed and a rim speed R |w| that are not both zero, from the table."""
    last = table.shape[1] - 1
    place = speed / (speed + rim_speed) * last
    k = min(int(place), last - 1)
    part = place - k
    force = table[0, k] + part * (table[0, k + 1] - table[0, k])
    torque = table[1, k] + part * (table[1, k + 1] - table[1, k])
    return force, torque


@numba.njit
def slide(
    speed: float, rim_speed: float, deceleration: float, time: float, table: NDArray[np.float64]
) -> tuple[float, float]:
    """Speed and rim speed after ``time`` of sliding, by the midpoint rule.

    dv/dt = -a F and R dw/dt = -2 a T with a = mu g. Exact without spin.
    """
    if rim_speed == 0.0:
        return max(speed - deceleration * time, 0.0), 0.0
    force, torque = coupling(speed, rim_speed, table)
    middle_speed = max(speed - 0.5 * deceleration * time * force, 0.0)
    middle_rim = max(rim_speed - deceleration * time * torque, 0.0)
    if middle_speed + middle_rim > 0.0:
        force, torque = coupling(middle_speed, middle_rim, table)
    return (
        max(speed - deceleration * time * force, 0.0),
        max(rim_speed - 2.0 * deceleration * time * torque, 0.0),
    )


@numba.njit
def mean_speed(
    speed: float, rim_speed: float, deceleration: float, time: float, table: NDArray[np.float64]
) -> tuple[float, float]:
    """Mean speed over the next ``time``, and the rim speed at its middle.

    Drifting at the mean speed lands where the disc lands, also when it stops on the way.
    """
    if rim_speed == 0.0 and speed < deceleration * time:
        return speed * speed / (2.0 * deceleration * time), 0.0
    return slide(speed, rim_speed, deceleration, 0.5 * time, table)
