"""Where carrommen go back: the queen and jumped ones, dues and penalties (65, 84-86, 93, 94).

Pure functions in ``jax.numpy``; ``board`` is static. Positions (19, 2) in metres, board frame,
on_board bool (19,), both in index order (``carrom.pieces``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from carrom.baseline import CLEARANCE
from carrom.board import Board
from carrom.laws.places import (
    TOLERANCE,
    Candidates,
    Circles,
    away_from,
    crossings,
    is_free,
    join,
    kept_free,
    line_crossings,
    nearest_free,
    openness,
)
from carrom.pieces import COLOURS, N_CARROMMEN, QUEEN, Colour

_RIM_PLACES = 48
"""Candidates on either rim of the ring in which dues may lie."""


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
    return nearest_free(jnp.zeros(2), positions, on_board, next_seat, board=board)


def place_jumped(
    positions: ArrayLike,
    on_board: ArrayLike,
    jumped: ArrayLike,
    striker: ArrayLike,
    next_seat: ArrayLike,
    *,
    board: Board,
) -> tuple[jax.Array, jax.Array]:
    """Put back everything that jumped off the board (65).

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
        place = nearest_free(target, positions, on_board, next_seat, board=board)
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


class DueFaults(NamedTuple):
    """What is wrong with the place of a due or penalty carromman; bools.

    Attributes:
        outside: not wholly inside the outer circle (84.a, 85, A26).
        on_centre: covers the centre circle, wholly or partly (89.b, A27).
        overlaps: lies on another carromman or would move it (84.b, 86).
        makes_shot: is lined up with the queen on a pocket (114, 17).
    """

    outside: jax.Array
    on_centre: jax.Array
    overlaps: jax.Array
    makes_shot: jax.Array


def due_faults(
    points: ArrayLike, positions: ArrayLike, on_board: ArrayLike, *, board: Board
) -> DueFaults:
    """What is wrong with placing a due at ``points`` (..., 2).

    A carromman and the queen make a shot (114) when the line through both enters a pocket
    beyond the farther one. Pockets are at the corners and dues near the centre, so it is
    enough that the line does.

    Args:
        points: (..., 2), m, board frame.
        positions: (19, 2), of the carrommen that lie there.
        on_board: bool (19,), without the one to be placed.
        board: gives all sizes.
    """
    points, positions = jnp.asarray(points), jnp.asarray(positions)
    on_board = jnp.asarray(on_board)
    inner, outer = board.placing_radii
    distance = jnp.hypot(points[..., 0], points[..., 1])
    queen = positions[QUEEN]
    line = (points - queen)[..., None, :]
    to_pocket = jnp.asarray(board.pocket_centres) - queen
    cross = line[..., 0] * to_pocket[:, 1] - line[..., 1] * to_pocket[:, 0]
    # |cross| is the pocket's distance from the line times the length of ``line``.
    enters = jnp.abs(cross) < (board.pocket_radius - TOLERANCE) * jnp.hypot(
        line[..., 0], line[..., 1]
    )
    return DueFaults(
        outside=distance > outer + TOLERANCE,
        on_centre=distance < inner - TOLERANCE,
        overlaps=~is_free(points, positions, on_board, board),
        makes_shot=jnp.any(enters, axis=-1) & on_board[QUEEN],
    )


def legal_due_place(
    points: ArrayLike, positions: ArrayLike, on_board: ArrayLike, *, board: Board
) -> jax.Array:
    """Whether a due may be placed at ``points`` (..., 2), bool (...); see ``due_faults``."""
    faults = due_faults(points, positions, on_board, board=board)
    return ~(faults.outside | faults.on_centre | faults.overlaps | faults.makes_shot)


def place_due(
    positions: ArrayLike, on_board: ArrayLike, debtor_seat: ArrayLike, *, board: Board
) -> tuple[jax.Array, jax.Array]:
    """Where a scripted creditor places a due, penalty or wrongly pocketed carromman.

    Of the legal places it takes the one from which the debtor needs the thinnest cut to pocket
    the carromman, whichever striker place and pocket he chooses. It chooses between points on
    both rims of the ring and all corners of the legal region, so it finds a place whenever
    there is one.

    Args:
        positions: (19, 2).
        on_board: bool (19,), without the carromman to be placed.
        debtor_seat: seat of the player who has to pocket it again.
        board: gives all sizes.

    Returns:
        The place (2,) and whether there is one (79.a), bool; without one, the place is
        meaningless.
    """
    positions, on_board = jnp.asarray(positions), jnp.asarray(on_board)
    candidates = _due_candidates(positions, on_board, board)
    legal = candidates.exist & legal_due_place(candidates.points, positions, on_board, board=board)
    ease = jnp.where(legal, openness(candidates.points, debtor_seat, board), jnp.inf)
    best = jnp.argmin(ease)
    return candidates.points[best], legal[best]


def _due_candidates(positions: jax.Array, on_board: jax.Array, board: Board) -> Candidates:
    inner, outer = board.placing_radii
    # A hair inside the legal ring, so that rounding cannot push a place out of it.
    rims = np.array([inner + CLEARANCE, outer - CLEARANCE])
    men = kept_free(positions, on_board, board)
    circles = Circles(
        jnp.concatenate([men.centres, jnp.zeros((2, 2))]),
        jnp.concatenate([men.radii, jnp.asarray(rims, men.radii.dtype)]),
        jnp.concatenate([men.exist, jnp.array([True, True])]),
    )
    angles = np.linspace(0, 2 * math.pi, _RIM_PLACES, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    on_rims = jnp.asarray((rims[:, None, None] * circle).reshape(-1, 2), positions.dtype)
    # A circle that none other meets has no corner: any point of it will do.
    beside = positions + men.radii[:, None] * jnp.array([1.0, 0.0])
    queen, tangents = positions[QUEEN], _pocket_tangents(positions[QUEEN], board)
    shots = line_crossings(circles, queen, tangents)
    return join(
        Candidates(on_rims, jnp.ones(len(on_rims), bool)),
        Candidates(beside, on_board),
        crossings(circles),
        shots._replace(exist=shots.exist & on_board[QUEEN]),
    )


def _pocket_tangents(queen: jax.Array, board: Board) -> jax.Array:
    """Directions from the queen along the edges of every pocket, unit vectors (8, 2)."""
    offset = jnp.asarray(board.pocket_centres) - queen
    distance = jnp.hypot(offset[:, 0], offset[:, 1])
    edge = board.pocket_radius + CLEARANCE
    half = jnp.arcsin(jnp.minimum(edge / jnp.maximum(distance, edge), 1.0))
    angle = jnp.arctan2(offset[:, 1], offset[:, 0])
    both = jnp.concatenate([angle - half, angle + half])
    return jnp.stack([jnp.cos(both), jnp.sin(both)], axis=-1)
