"""The frame as a disc's centre meets it: a square whose corners are arcs about the pockets.

Straight sides at a distance of the disc's radius, and at each pocket an arc concentric with
it, of radius r_p - R, to which both sides are tangent. The region is convex.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.planar.lanes import NEVER, Geometry

_FAR = 10.0
"""Longer than any path on a board, m."""


def path_to_frame(
    x: jax.Array, y: jax.Array, ux: jax.Array, uy: jax.Array, geometry: Geometry
) -> jax.Array:
    """Path of centres (N, B) along unit vectors to the frame, m; ``NEVER`` for null vectors."""
    radius = geometry.radius[:, None]
    side = geometry.half_side - radius
    to_x = jnp.maximum(side - jnp.copysign(x, x * ux), 0)
    to_y = jnp.maximum(side - jnp.copysign(y, y * uy), 0)
    along_x, along_y = jnp.abs(ux), jnp.abs(uy)
    x_first = (to_x * along_y < to_y * along_x) | (along_y == 0)
    to_side, along = jnp.where(x_first, to_x, to_y), jnp.where(x_first, along_x, along_y)
    path = jnp.where(along > 0, to_side / jnp.where(along > 0, along, 1), NEVER)
    # Beyond the pocket's centre the arc comes before the side.
    end_x, end_y = x + ux * path, y + uy * path
    offset = geometry.pocket_offset
    in_corner = (jnp.abs(end_x) > offset) & (jnp.abs(end_y) > offset) & (path < _FAR)
    centre_x = jnp.copysign(offset, end_x) - x
    centre_y = jnp.copysign(offset, end_y) - y
    nearest, aside = centre_x * ux + centre_y * uy, centre_x * uy - centre_y * ux
    reach = geometry.pocket_radius - radius
    to_arc = nearest + jnp.sqrt(jnp.maximum(reach * reach - aside * aside, 0))
    return jnp.where(in_corner, jnp.maximum(to_arc, 0), path)


def gap_to_frame(
    x: jax.Array, y: jax.Array, radius: jax.Array, geometry: Geometry
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Where the frame is nearest to a disc.

    Returns:
        Gap between rim and frame, m, negative for an overlap; the outward unit normal there,
        x and y; whether it is a corner's arc.
    """
    offset = geometry.pocket_offset
    over_x, over_y = jnp.abs(x) - offset, jnp.abs(y) - offset
    in_corner = (over_x > 0) & (over_y > 0)
    distance2 = over_x * over_x + over_y * over_y
    inverse = lax.rsqrt(distance2 + 1e-20)
    beside = jnp.abs(x) > jnp.abs(y)
    nx = jnp.copysign(jnp.where(in_corner, over_x * inverse, jnp.where(beside, 1, 0)), x)
    ny = jnp.copysign(jnp.where(in_corner, over_y * inverse, jnp.where(beside, 0, 1)), y)
    to_side = geometry.half_side - radius - jnp.maximum(jnp.abs(x), jnp.abs(y))
    to_arc = geometry.pocket_radius - radius - distance2 * inverse
    return jnp.where(in_corner, to_arc, to_side), nx, ny, in_corner
