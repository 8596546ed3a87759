"""When two discs meet, and which two first.

The time of contact of two discs that both decelerate is a root of a quartic. Here it is
bounded from below, so tightly that a lane needs about 1.3 bounds per event: the distance of
two centres is at least its component along ANY direction n, and along a fixed n that is a
quadratic in time, exactly, until one of the discs stops. The direction chosen is that of the
line of centres at the contact as it would be without friction.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.planar.lanes import NEVER

_SLOWEST2 = 1e-12
"""Floor of a squared relative speed, m^2/s^2: below it any direction will do."""
_ALREADY = 1e-6
"""Scale of the negative times of discs that touch and close, s per m/s: no such time is one
at which anything else happens, and the fastest pair comes first."""


def tolerance_of(dtype: jax.typing.DTypeLike) -> float:
    """Gap at which discs touch, m: what positions of that precision can tell."""
    return 1e-6 if jnp.finfo(dtype).bits == 32 else 1e-12


def in_contact(distance2: jax.Array, reach: jax.Array, tolerance: float) -> jax.Array:
    """Whether discs with that squared distance of centres and sum of radii touch."""
    return distance2 - reach * reach <= 2 * tolerance * reach


class Movers(NamedTuple):
    """Discs as the search sees them, each (N, B) but ``radius``, which is (N, 1).

    Attributes:
        x: m; out of reach for discs out of play.
        y: m.
        vx: m/s.
        vy: m/s.
        ax: deceleration as a vector along the velocity, m/s^2.
        ay: m/s^2.
        stop: time until the disc stops, s; ``NEVER`` at rest.
        speed: m/s.
        radius: m.
    """

    x: jax.Array
    y: jax.Array
    vx: jax.Array
    vy: jax.Array
    ax: jax.Array
    ay: jax.Array
    stop: jax.Array
    speed: jax.Array
    radius: jax.Array


def time_bound(one: Movers, other: Movers, tolerance: float) -> jax.Array:
    """A time before which two discs do not touch, s; ``NEVER`` if they cannot.

    Negative where they touch already, to within ``tolerance`` m, and close.
    """
    reach = one.radius + other.radius
    dx, dy = other.x - one.x, other.y - one.y
    dvx, dvy = other.vx - one.vx, other.vy - one.vy
    distance2, speed2 = dx * dx + dy * dy, dvx * dvx + dvy * dvy
    along, cross = dx * dvx + dy * dvy, dx * dvy - dy * dvx
    # Direction n at the contact, or where the two are nearest if they miss, at constant
    # velocities: d + v t with t = ahead / v^2, here times v^2.
    chord = jnp.sqrt(jnp.maximum(reach * reach * speed2 - cross * cross, 0))
    ahead = jnp.maximum(-along - chord, 0)
    scale = jnp.maximum(speed2, _SLOWEST2)
    nx, ny = scale * dx + ahead * dvx, scale * dy + ahead * dvy
    length = lax.rsqrt(nx * nx + ny * ny + 1e-36)
    nx, ny = nx * length, ny * length
    # gap + rate t + bend t^2 along n.
    gap = jnp.maximum(nx * dx + ny * dy - reach, 0)
    rate = nx * dvx + ny * dvy
    slow_one, slow_other = nx * one.ax + ny * one.ay, nx * other.ax + ny * other.ay
    bend = 0.5 * (slow_one - slow_other)
    way_one = jnp.maximum(slow_one, 0) * (0.5 * one.stop * one.stop)
    way_other = jnp.maximum(-slow_other, 0) * (0.5 * other.stop * other.stop)
    apart = gap > way_one + way_other
    # The first positive root, as numerator and denominator. Discs that separate can meet
    # again, when the one behind brakes less because it spins.
    discriminant = rate * rate - 4 * bend * gap
    root = jnp.sqrt(jnp.maximum(discriminant, 0))
    closing = rate < 0
    above = jnp.where(closing, 2 * gap, rate + root)
    below = jnp.where(closing, root - rate, -2 * bend)
    stop = jnp.minimum(one.stop, other.stop)
    meets = (discriminant >= 0) & (below > 0) & (above <= stop * below)
    above, below = jnp.where(meets, above, stop), jnp.where(meets, below, 1)
    # Speeds only fall, so nothing happens before this either. Without it a bound can be zero
    # again and again, where n is perpendicular to the relative velocity.
    above_floor = jnp.maximum(jnp.sqrt(distance2) - reach, 0.5 * tolerance)
    below_floor = one.speed + other.speed + 1e-6
    later = above * below_floor > above_floor * below
    above, below = jnp.where(later, above, above_floor), jnp.where(later, below, below_floor)
    touching = in_contact(distance2, reach, tolerance) & (along < 0)
    already = along * (_ALREADY / reach) - 1e-12
    above = jnp.where(touching, already, jnp.where(apart, NEVER, above))
    # A division last: what ends in one the compiler does not compute again for each of its uses.
    return above / jnp.where(touching | apart, 1, below)


def least_bounds(
    movers: Movers, bounds: jax.Array, otherwise: jax.Array, tolerance: float
) -> tuple[jax.Array, jax.Array]:
    """Each disc's smallest time bound against the other discs, if below the given one.

    Disc i is compared with i + 1, i + 2, ... i + N / 2 around the circle of slots, which
    reaches every pair: each comparison is then one elementwise operation on all lanes.

    Args:
        movers: the discs.
        bounds: times to beat, (N, B), s.
        otherwise: what to return in place of a partner where nothing beats them, int32 (N, B).
        tolerance: gap at which discs touch, m.

    Returns:
        The smallest bounds, (N, B), s, and to which partner they belong: i + that many slots,
        int32 (N, B).
    """
    slots = len(bounds)
    twice = jax.tree.map(lambda array: jnp.concatenate([array, array]), movers)

    def compare(
        offset: jax.Array, best: tuple[jax.Array, jax.Array]
    ) -> tuple[jax.Array, jax.Array]:
        other = jax.tree.map(lambda array: lax.dynamic_slice_in_dim(array, offset, slots, 0), twice)
        bound = time_bound(movers, other, tolerance)
        sooner = bound < best[0]
        return jnp.where(sooner, bound, best[0]), jnp.where(sooner, offset, best[1])

    return lax.fori_loop(1, slots // 2 + 1, compare, (bounds, otherwise))
