"""Where a carromman fits: circles kept free, and the candidates they leave.

Plane geometry in ``jax.numpy``, branch-free. Lengths in metres, board frame. The centre of a
new carromman must keep a diameter away from every other: outside a circle round each of them.
The extreme places of the region that remains are corners of these circles, so a finite list of
candidates is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from carrom.baseline import CLEARANCE
from carrom.board import Board
from carrom.pieces import N_CARROMMEN

TOLERANCE = 1e-7
"""Slack in metres of every test, above the rounding of 32 bits and below ``CLEARANCE``."""


class Circles(NamedTuple):
    """Circles whose intersections are candidates.

    Attributes:
        centres: (n, 2).
        radii: (n,).
        exist: bool (n,); the others are to be ignored.
    """

    centres: jax.Array
    radii: jax.Array
    exist: jax.Array


class Candidates(NamedTuple):
    """Places to choose from: (n, 2), and which of them exist, bool (n,)."""

    points: jax.Array
    exist: jax.Array


def kept_free(positions: jax.Array, on_board: jax.Array, board: Board) -> Circles:
    """Round each carromman, the circle on which another one would touch it.

    Args:
        positions: (19, 2).
        on_board: bool (19,).
        board: gives the carromman's size.
    """
    reach = jnp.full(N_CARROMMEN, board.carromman_diameter + CLEARANCE)
    return Circles(positions, reach, on_board)


def is_free(points: jax.Array, positions: jax.Array, on_board: jax.Array, board: Board):
    """Whether a carromman at each of the ``points`` (..., 2) overlaps no other, bool (...)."""
    x, y = points[..., 0], points[..., 1]
    apart2 = (board.carromman_diameter - TOLERANCE) ** 2

    def keeps_from(man: jax.Array, free: jax.Array) -> jax.Array:
        return free & ((x - man[0]) ** 2 + (y - man[1]) ** 2 >= apart2)

    return for_each(keeps_from, jnp.ones(x.shape, bool), positions, on_board)


def for_each(
    function: Callable[[jax.Array, jax.Array], jax.Array],
    start: jax.Array,
    positions: jax.Array,
    on_board: jax.Array,
) -> jax.Array:
    """What comes of ``start`` when every carromman on the board has been looked at in turn.

    Processors compute many at once along the last axis, and reduce along it one by one; there
    are more places to judge than carrommen.

    Args:
        function: of a carromman's place, (2,), and what has come of it so far.
        start: before the first.
        positions: (19, 2).
        on_board: bool (19,).
    """

    def look(value: jax.Array, man: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        place, lies = man
        return jnp.where(lies, function(place, value), value), None

    return jax.lax.scan(look, start, (positions, on_board))[0]


def join(*groups: Candidates) -> Candidates:
    """All candidates of several groups."""
    return Candidates(
        jnp.concatenate([group.points for group in groups]),
        jnp.concatenate([group.exist for group in groups]),
    )


def crossings(circles: Circles) -> Candidates:
    """The points in which two of the ``circles`` meet, two for each pair."""
    first, second = np.triu_indices(circles.radii.shape[0], 1)
    a, b = circles.centres[first], circles.centres[second]
    ra, rb = circles.radii[first], circles.radii[second]
    distance = norm(b - a)
    ahead = (b - a) / jnp.maximum(distance, TOLERANCE)[:, None]
    along = (distance**2 + ra**2 - rb**2) / (2 * jnp.maximum(distance, TOLERANCE))
    squared = ra**2 - along**2
    height = jnp.sqrt(jnp.maximum(squared, 0))[:, None] * _left_of(ahead)
    foot = a + along[:, None] * ahead
    exist = circles.exist[first] & circles.exist[second] & (squared >= 0) & (distance > TOLERANCE)
    return Candidates(
        jnp.concatenate([foot + height, foot - height]), jnp.concatenate([exist, exist])
    )


def line_crossings(circles: Circles, origin: jax.Array, directions: jax.Array) -> Candidates:
    """The points in which lines through ``origin`` (2,) meet the ``circles``.

    Args:
        circles: n circles.
        origin: (2,).
        directions: (m, 2), unit vectors.

    Returns:
        2 m n candidates.
    """
    offset = circles.centres - origin
    along = directions @ offset.T
    squared = circles.radii**2 - (jnp.sum(offset**2, axis=-1) - along**2)
    half = jnp.sqrt(jnp.maximum(squared, 0))
    reach = jnp.stack([along - half, along + half])
    points = origin + reach[..., None] * directions[:, None, :]
    exist = jnp.broadcast_to((squared >= 0) & circles.exist, reach.shape)
    return Candidates(points.reshape(-1, 2), exist.reshape(-1))


def feet(circles: Circles, target: jax.Array, otherwise: jax.Array) -> Candidates:
    """The point of each circle nearest to ``target`` (2,).

    From a circle's centre all are equally near; the one in the direction ``otherwise`` is taken.
    """
    offset = target - circles.centres
    way = jnp.where(norm(offset)[:, None] > TOLERANCE, unit(offset), otherwise)
    return Candidates(circles.centres + circles.radii[:, None] * way, circles.exist)


def away_from(seat: ArrayLike) -> jax.Array:
    """The unit vector that points away from ``seat``, (2,)."""
    return turned(jnp.array([[0.0, 1.0]]), seat)[0]


def turned(points: jax.Array, seat: ArrayLike) -> jax.Array:
    """Points (n, 2) of ``seat``'s frame in the board's frame."""
    x, y = points[:, 0], points[:, 1]
    views = jnp.stack([points, jnp.stack([-y, x], -1), -points, jnp.stack([y, -x], -1)])
    return views[seat]


def norm(vectors: jax.Array) -> jax.Array:
    """Lengths (...) of vectors (..., 2)."""
    # Metres neither overflow nor vanish: no need for the care, and ten times the time, of hypot.
    return jnp.sqrt(vectors[..., 0] ** 2 + vectors[..., 1] ** 2)


def unit(vectors: jax.Array) -> jax.Array:
    """Vectors (..., 2) at length one; zero stays zero."""
    return vectors / jnp.maximum(norm(vectors), TOLERANCE)[..., None]


def _left_of(vectors: jax.Array) -> jax.Array:
    return jnp.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)
