"""How hard a carromman is to pocket from where it lies, for those who have to.

Plane geometry in ``jax.numpy``, branch-free, for the scripted placer and for equally near
places of the queen. Only direct shots count: one straight way of the striker, one straight way
of the carromman. Lengths in metres, board frame.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from carrom.baseline import legal_places
from carrom.board import Board
from carrom.laws.places import TOLERANCE, for_each, turned, unit

_MIDDLE_PLACES = 7
"""Striker places tried between the base circles; one more is tried over each circle."""


def openness(points: ArrayLike, seat: ArrayLike, board: Board) -> jax.Array:
    """How straight a player can play carrommen at ``points`` into some pocket.

    Args:
        points: (n, 2).
        seat: the player's.
        board: gives base line and pockets.

    Returns:
        (n,), the largest cosine of the cut over striker places and pockets: 1 on a direct line
        from the base line to a pocket, 0 where the thinnest cut is needed, negative where the
        carromman cannot be pocketed without a cushion.
    """
    points = jnp.asarray(points)
    approach = unit(points[:, None] - _strikers(seat, board))
    pocket = unit(jnp.asarray(board.pocket_centres) - points[:, None])
    cosine = jnp.einsum("nsk,npk->nsp", approach, pocket)
    return jnp.max(cosine, axis=(1, 2))


def leeway(
    points: ArrayLike,
    positions: ArrayLike,
    on_board: ArrayLike,
    seats: ArrayLike,
    *,
    board: Board,
    striker_hindered: bool = True,
) -> jax.Array:
    """By how much the direction of the best direct shot at carrommen may be off, rad.

    A striker that runs D and is off by an angle e meets the carromman off by D e across its
    way. That turns the line of centres, and with it the carromman's way of length d, by
    D e / ((R + r) cos cut), R and r being the radii. So a way into the pocket forgives
    e = (R + r) cos(cut) / D times the angle by which it may turn: half the pocket's width
    over d, or less where another carromman lies closer to the way.

    Args:
        points: (n, 2), each considered by itself.
        positions: (19, 2), of the carrommen that lie there.
        on_board: bool (19,), without those considered.
        seats: bool (4,), sides of the board from which it may be played.
        board: gives all sizes.
        striker_hindered: whether carrommen stand in the striker's way, on its place included.

    Returns:
        (n,), the largest over seats, sampled striker places and pockets; 0 where none is a direct
        shot.
    """
    positions, on_board = jnp.asarray(positions), jnp.asarray(on_board)
    seats = jnp.asarray(seats)
    # Components first, points last: processors work at many at once along the last axis.
    at = jnp.moveaxis(jnp.asarray(points), -1, 0)
    to_pocket = jnp.asarray(board.pocket_centres.T)[:, :, None] - at[:, None]
    distance, way = _length(to_pocket), _unit(to_pocket)

    def narrowed(man: jax.Array, beside: jax.Array) -> jax.Array:
        along, across = _seen(at[:, None], way, man)
        # A carromman on the way leaves a negative angle.
        gap = (jnp.abs(across) - board.carromman_diameter) / jnp.maximum(along, TOLERANCE)
        ahead = (along > 0) & (along < distance)
        return jnp.where(ahead, jnp.minimum(beside, gap), beside)

    beside = for_each(narrowed, jnp.full_like(distance, jnp.inf), positions, on_board)
    turn = jnp.maximum(jnp.minimum(board.pocket_radius / distance, beside), 0.0)
    touching = board.striker_radius + board.carromman_radius
    ghost = at[:, None] - touching * way

    def from_seat(seat: jax.Array) -> jax.Array:
        striker = _strikers(seat, board).T[:, :, None, None]
        run = ghost[:, None] - striker
        length, heading = _length(run), _unit(run)
        cosine = heading[0] * way[0] + heading[1] * way[1]

        def unless_hindered(man: jax.Array, cosine: jax.Array) -> jax.Array:
            along, across = _seen(striker, heading, man)
            beyond = along - jnp.clip(along, 0.0, length)
            hinders = beyond**2 + across**2 < (touching - TOLERANCE) ** 2
            return jnp.where(hinders, 0.0, cosine)

        if striker_hindered:
            cosine = for_each(unless_hindered, cosine, positions, on_board)
        best = jnp.max(cosine / length, axis=0)
        return jnp.max(touching * turn * jnp.maximum(best, 0.0), axis=0)

    def if_asked(seat: jax.Array) -> jax.Array:
        return jax.lax.cond(seats[seat], from_seat, lambda _: jnp.zeros(at.shape[1:]), seat)

    return jnp.max(jax.lax.map(if_asked, jnp.arange(4)), axis=0)


def _strikers(seat: ArrayLike, board: Board) -> jax.Array:
    """Places of the striker spread over those of a seat, (_MIDDLE_PLACES + 2, 2)."""
    left, middle, right = legal_places(board)
    along = np.concatenate(
        [[sum(left) / 2], np.linspace(*middle, _MIDDLE_PLACES), [sum(right) / 2]]
    )
    places = np.stack([along, np.full(len(along), board.base_line_y)], axis=-1)
    return turned(jnp.asarray(places), seat)


def _seen(start: jax.Array, heading: jax.Array, point: jax.Array) -> tuple[jax.Array, jax.Array]:
    """A point (2,) along and across ways: starts and unit headings (2, ...), results (...)."""
    x, y = point[0] - start[0], point[1] - start[1]
    return x * heading[0] + y * heading[1], y * heading[0] - x * heading[1]


def _length(vectors: jax.Array) -> jax.Array:
    """Lengths (...) of vectors (2, ...)."""
    return jnp.sqrt(vectors[0] ** 2 + vectors[1] ** 2)


def _unit(vectors: jax.Array) -> jax.Array:
    """Vectors (2, ...) at length one; zero stays zero."""
    return vectors / jnp.maximum(_length(vectors), TOLERANCE)
