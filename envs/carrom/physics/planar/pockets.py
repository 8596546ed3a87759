"""Falling: a disc is pocketed when its centre has been inside a fall circle for ``fall_time``.

Entering and leaving a circle are not events. A clock per disc is enough, because what a
straight leg has to do with the circles is known in advance.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.physics.planar.ground import distance_in, time_to_cover
from carrom.physics.planar.lanes import NEVER, Discs, Geometry, Parameters, fall_radius2


class Crossing(NamedTuple):
    """What lies ahead of each disc on its present leg, each (N, B).

    Attributes:
        falls: time until it falls, s; ``NEVER`` if it does not.
        leaves: path to the edge of the circle it is in, m; meaningless outside.
        enters: time until it comes into the next circle ahead, s.
    """

    falls: jax.Array
    leaves: jax.Array
    enters: jax.Array


def crossings(
    discs: Discs,
    ux: jax.Array,
    uy: jax.Array,
    speed: jax.Array,
    stop: jax.Array,
    parameters: Parameters,
    geometry: Geometry,
) -> Crossing:
    """Follow each disc through the fall circles, as if no frame and no disc were in its way."""
    radius2, fall_time = fall_radius2(parameters, geometry), parameters.fall_time
    inside = discs.clock >= 0
    ahead = jnp.full_like(discs.x, NEVER)
    half2 = here = here2 = jnp.zeros_like(discs.x)
    for side_x in (-1, 1):
        for side_y in (-1, 1):
            to_x = side_x * geometry.pocket_offset - discs.x
            to_y = side_y * geometry.pocket_offset - discs.y
            along, aside = to_x * ux + to_y * uy, to_x * uy - to_y * ux
            chord2 = radius2 - aside * aside
            in_this = inside & ((discs.x > 0) == (side_x > 0)) & ((discs.y > 0) == (side_y > 0))
            here, here2 = jnp.where(in_this, along, here), jnp.where(in_this, chord2, here2)
            # The circles do not overlap: the first one is that with the nearest middle.
            nearer = (chord2 > 0) & (along > 0) & ~in_this & (along < ahead)
            ahead, half2 = jnp.where(nearer, along, ahead), jnp.where(nearer, chord2, half2)
    leaves = jnp.maximum(here + jnp.sqrt(jnp.maximum(here2, 0)), 0)
    half = jnp.sqrt(half2)
    enters = time_to_cover(jnp.maximum(ahead - half, 0), speed, discs.braking)
    # It falls if it goes no further than to the far edge until its time is up.
    remaining = jnp.maximum(fall_time - discs.clock, 0)
    way_here = distance_in(jnp.minimum(remaining, stop), speed, discs.braking)
    up_to = jnp.minimum(enters + fall_time, stop)
    chord = distance_in(up_to, speed, discs.braking) - jnp.maximum(ahead - half, 0)
    falls = jnp.minimum(
        jnp.where(inside & (way_here <= leaves), remaining, NEVER),
        jnp.where((enters < NEVER) & (chord <= 2 * half), enters + fall_time, NEVER),
    )
    return Crossing(falls, leaves, enters)


def clocks(
    discs: Discs, crossing: Crossing, inside: jax.Array, time: jax.Array, way: jax.Array
) -> jax.Array:
    """The clocks after a leg's part of ``time`` s, (B,), and ``way`` m, (N, B).

    Args:
        discs: at its beginning.
        crossing: as seen at its beginning.
        inside: which discs are in play and inside a fall circle at its end, (N, B).
        time: (B,).
        way: (N, B).
    """
    stayed = (discs.clock >= 0) & (way <= crossing.leaves)
    since = jnp.where(stayed, discs.clock + time, jnp.maximum(time - crossing.enters, 0))
    return jnp.where(inside, since, -1)
