"""Where the umpire puts the queen and what jumped off the board (65, 93, 94).

Pure functions in ``jax.numpy``; ``board`` is static. Positions (19, 2) in metres, board frame,
on_board bool (19,), both in index order (``carrom.pieces``).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from carrom.baseline import CLEARANCE
from carrom.board import Board
from carrom.laws.places import (
    Candidates,
    away_from,
    crossings,
    feet,
    is_free,
    join,
    kept_free,
    norm,
)
from carrom.laws.prospects import openness
from carrom.pieces import COLOURS, N_CARROMMEN, Colour

_TIE = 1e-6
"""Places whose distances differ by less are equally near."""


def place_centre(
    positions: ArrayLike, on_board: ArrayLike, next_seat: ArrayLike, *, board: Board
) -> jax.Array:
    """Where the umpire puts the queen, or a jumped carromman (65.a, 93, 94), (2,).

    The free place nearest to the board's centre; of equally near ones the one from which the
    next player has the thinnest cut (U27).

    Args:
        positions: (19, 2).
        on_board: bool (19,), without the piece to be placed.
        next_seat: the seat that strikes next (A25).
        board: gives all sizes.
    """
    positions, on_board = jnp.asarray(positions), jnp.asarray(on_board)
    return _nearest_free(jnp.zeros(2), positions, on_board, next_seat, board=board)


def place_jumped(
    positions: ArrayLike,
    on_board: ArrayLike,
    jumped: ArrayLike,
    striker: ArrayLike,
    next_seat: ArrayLike,
    *,
    board: Board,
) -> tuple[jax.Array, jax.Array]:
    """Put back everything that jumped off the board, or up and back on it (65, 66.a).

    The queen first, otherwise a carromman of the striking player (65.b, 65.c), as in
    ``place_centre``; the second touches it on the side away from the next player; the others
    lie as near as possible to the first two (65.d).

    Args:
        positions: (19, 2).
        on_board: bool (19,), without the jumped ones.
        jumped: bool (19,).
        striker: colour of the player whose stroke it was.
        next_seat: the seat that strikes next (A25).
        board: gives all sizes.

    Returns:
        Positions (19, 2) and on_board (19,) with them.
    """
    positions, on_board = jnp.asarray(positions), jnp.asarray(on_board)
    jumped = jnp.asarray(jumped)
    colours = jnp.asarray(COLOURS[:N_CARROMMEN], jnp.int32)
    turn = jnp.where(colours == Colour.QUEEN, 0, jnp.where(colours == striker, 1, 2))
    beside = away_from(next_seat) * (board.carromman_diameter + CLEARANCE)

    def put(carry: tuple[jax.Array, ...], index: jax.Array):
        positions, on_board, first, second, count = carry
        targets = jnp.stack([jnp.zeros(2), first + beside, (first + second) / 2])
        target = targets[jnp.minimum(count, 2)]
        place = _nearest_free(target, positions, on_board, next_seat, board=board)
        now = jumped[index]
        return (
            positions.at[index].set(jnp.where(now, place, positions[index])),
            on_board.at[index].set(on_board[index] | now),
            jnp.where(now & (count == 0), place, first),
            jnp.where(now & (count == 1), place, second),
            count + now,
        ), None

    start = (positions, on_board, jnp.zeros(2), jnp.zeros(2), jnp.int32(0))
    (positions, on_board, *_), _ = jax.lax.scan(put, start, jnp.argsort(turn, stable=True))
    return positions, on_board


def _nearest_free(
    target: ArrayLike,
    positions: jax.Array,
    on_board: jax.Array,
    seat: ArrayLike,
    *,
    board: Board,
) -> jax.Array:
    """The free place nearest to ``target`` (2,); of equally near ones the hardest for ``seat``.

    There always is one near the board's centre: the carrommen cannot fill the board.
    """
    target = jnp.asarray(target)
    circles = kept_free(positions, on_board, board)
    # From the middle of a carromman every way out is equally short; take the one away from
    # the player, where 65.b wants it.
    touching = feet(circles, target, away_from(seat))
    candidates = join(Candidates(target[None], jnp.array([True])), touching, crossings(circles))
    usable = candidates.exist & is_free(candidates.points, positions, on_board, board)
    distance = jnp.where(usable, norm(candidates.points - target), jnp.inf)
    near = distance <= jnp.min(distance) + _TIE
    ease = jnp.where(near, openness(candidates.points, seat, board), jnp.inf)
    return candidates.points[jnp.argmin(ease)]
