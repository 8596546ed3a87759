"""Sliding on the board in closed form, from one impact of a disc to its next.

The exact law couples speed and spin (Farkas et al., PRL 90, 248302, 2003; tabulated in
``carrom.physics.sliding``). Over a whole leg, from an impact to rest, it is replaced by a
constant deceleration with the same stopping distance and by a spin that falls with the square
root of the speed. Every path is straight, and nothing but an impact changes a leg.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from carrom.physics.material import GRAVITY
from carrom.physics.planar.lanes import NEVER


def stopping_factor(ratio2: jax.Array) -> jax.Array:
    """How much further a spinning disc slides than one without spin.

    S^2 = 1 + q^2 (1/2 + 0.2347 q^3 / (q^3 + 0.75)) with q = R w / v: the limits for slow and
    for fast spin are those of the exact law, and between them S is within 0.3 % of its
    integral.

    Args:
        ratio2: q^2 at the beginning of the leg.
    """
    ratio3 = ratio2 * jnp.sqrt(ratio2)
    return jnp.sqrt(1 + ratio2 * (0.5 + 0.2347 * ratio3 / (ratio3 + 0.75)))


def deceleration(friction: jax.Array, ratio2: jax.Array) -> jax.Array:
    """Constant deceleration mu g / S of a leg that begins with q^2 = ``ratio2``, m/s^2."""
    return friction * GRAVITY / stopping_factor(ratio2)


def time_to_cover(distance: jax.Array, speed: jax.Array, braking: jax.Array) -> jax.Array:
    """Time until a disc has slid ``distance`` >= 0, s; ``NEVER`` if it stops before."""
    left2 = speed * speed - 2 * braking * distance
    time = 2 * distance / (speed + jnp.sqrt(jnp.maximum(left2, 0)) + 1e-30)
    return jnp.where(left2 > 0, time, NEVER)


def distance_in(time: jax.Array, speed: jax.Array, braking: jax.Array) -> jax.Array:
    """Distance slid in ``time``, which must not go beyond the stop, m."""
    return (speed - 0.5 * braking * time) * time
