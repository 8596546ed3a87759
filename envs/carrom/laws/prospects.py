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
from carrom.laws.places import TOLERANCE, norm, turned, unit

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
    points, positions = jnp.asarray(points), jnp.asarray(positions)
    on_board, seats = jnp.asarray(on_board), jnp.asarray(seats)
    to_pocket = jnp.asarray(board.pocket_centres) - points[:, None]
    distance, way = norm(to_pocket), unit(to_pocket)
    along, across = _seen(points[:, None], way, positions)
    # A carromman on the way leaves a negative angle.
    gap = (jnp.abs(across) - board.carromman_diameter) / jnp.maximum(along, TOLERANCE)
    ahead = (along > 0) & (along < distance[..., None]) & on_board
    beside = jnp.min(jnp.where(ahead, gap, jnp.inf), axis=-1)
    turn = jnp.maximum(jnp.minimum(board.pocket_radius / distance, beside), 0.0)
    touching = board.striker_radius + board.carromman_radius
    ghost = points[:, None] - touching * way

    def from_seat(seat: jax.Array) -> jax.Array:
        strikers = _strikers(seat, board)
        run = ghost[:, :, None] - strikers
        length, heading = norm(run), unit(run)
        cosine = jnp.einsum("npsk,npk->nps", heading, way)
        if striker_hindered:
            along, across = _seen(jnp.broadcast_to(strikers, run.shape), heading, positions)
            beyond = along - jnp.clip(along, 0.0, length[..., None])
            hinders = (beyond**2 + across**2 < (touching - TOLERANCE) ** 2) & on_board
            cosine = jnp.where(jnp.any(hinders, axis=-1), 0.0, cosine)
        best = jnp.max(cosine / length, axis=-1)
        return jnp.max(touching * turn * jnp.maximum(best, 0.0), axis=-1)

    def if_asked(seat: jax.Array) -> jax.Array:
        return jax.lax.cond(seats[seat], from_seat, lambda _: jnp.zeros(len(points)), seat)

    return jnp.max(jax.lax.map(if_asked, jnp.arange(4)), axis=0)


def _strikers(seat: ArrayLike, board: Board) -> jax.Array:
    """Places of the striker spread over those of a seat, (_MIDDLE_PLACES + 2, 2)."""
    left, middle, right = legal_places(board)
    along = np.concatenate(
        [[sum(left) / 2], np.linspace(*middle, _MIDDLE_PLACES), [sum(right) / 2]]
    )
    places = np.stack([along, np.full(len(along), board.base_line_y)], axis=-1)
    return turned(jnp.asarray(places), seat)


def _seen(start: jax.Array, heading: jax.Array, points: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Points (m, 2) along and across ways: starts and unit headings (..., 2), results (..., m)."""
    offset = points - start[..., None, :]
    x, y = heading[..., None, 0], heading[..., None, 1]
    return (
        offset[..., 0] * x + offset[..., 1] * y,
        offset[..., 1] * x - offset[..., 0] * y,
    )
