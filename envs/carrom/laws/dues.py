"""Where dues, penalties and wrongly pocketed carrommen may be laid (84-86, 89.b, 114).

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
    crossings,
    feet,
    is_free,
    join,
    kept_free,
    line_crossings,
    norm,
)
from carrom.laws.prospects import leeway
from carrom.pieces import QUEEN

_RADII, _ANGLES = 4, 32
"""Candidates of the scripted placer spread over the ring in which dues may lie, rims included."""
_AT_ONCE = 128
"""Candidates that the scripted placer judges together; of so many of the most promising it
considers everything that hinders a shot."""


class DueFaults(NamedTuple):
    """What is wrong with the place of a due or penalty carromman; bools.

    Attributes:
        outside: not wholly inside the outer circle (84.a, 85, A26).
        on_centre: covers the centre circle, wholly or partly (89.b, A27).
        overlaps: lies on another carromman or would move it (84.b, 86).
        makes_shot: is lined up with the queen on a pocket (114), a pair or a cannon (16, 17).
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
    distance = norm(points)
    queen = positions[QUEEN]
    line = (points - queen)[..., None, :]
    to_pocket = jnp.asarray(board.pocket_centres) - queen
    cross = line[..., 0] * to_pocket[:, 1] - line[..., 1] * to_pocket[:, 0]
    # |cross| is the pocket's distance from the line times the length of ``line``.
    enters = jnp.abs(cross) < (board.pocket_radius - TOLERANCE) * norm(line)
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


def nearest_due_place(
    wished: ArrayLike, positions: ArrayLike, on_board: ArrayLike, *, board: Board
) -> tuple[jax.Array, jax.Array]:
    """The legal place of a due nearest to ``wished``: how an illegal one is corrected (85, 86).

    The legal places are bounded by circles and by the lines of shots with the queen (114). The
    nearest is the wish itself, the foot of a perpendicular from it on such a boundary, or a
    corner between two; all of them are tried, so the answer is exact, up to the micrometre that
    is left between a carromman and a boundary.

    Args:
        wished: (2,), m, board frame.
        positions: (19, 2).
        on_board: bool (19,), without the carromman to be placed.
        board: gives all sizes.

    Returns:
        The place (2,) and whether there is one (79.a), bool; without one, the place is
        meaningless.
    """
    wished = jnp.asarray(wished, float)
    positions, on_board = jnp.asarray(positions), jnp.asarray(on_board)
    edges = _edges(positions, on_board, board)
    candidates = join(
        Candidates(wished[None], jnp.array([True])),
        # From a circle's centre one direction will do: if another is needed, it is a corner.
        feet(edges.circles, wished, jnp.array([1.0, 0.0])),
        _line_feet(edges, wished),
        _corners(edges),
    )
    legal = candidates.exist & legal_due_place(candidates.points, positions, on_board, board=board)
    distance = jnp.where(legal, norm(candidates.points - wished), jnp.inf)
    best = jnp.argmin(distance)
    return candidates.points[best], legal[best]


def place_due(
    positions: ArrayLike, on_board: ArrayLike, debtor_seats: ArrayLike, *, board: Board
) -> tuple[jax.Array, jax.Array]:
    """Where a scripted creditor places a due, penalty or wrongly pocketed carromman.

    Of the legal places it takes the worst for the debtor: the one whose best direct shot, from
    any of his side's seats, forgives the smallest error of the strike (``prospects.leeway``).
    It chooses between points spread over the ring and all corners of the legal region, so it
    finds a place whenever there is one. What hinders the striker is considered for the most
    promising of them only.

    Args:
        positions: (19, 2).
        on_board: bool (19,), without the carromman to be placed.
        debtor_seats: bool (4,), sides of the board from which it has to be pocketed again.
        board: gives all sizes.

    Returns:
        The place (2,) and whether there is one (79.a), bool; without one, the place is
        meaningless.
    """
    positions, on_board = jnp.asarray(positions), jnp.asarray(on_board)
    edges = _edges(positions, on_board, board)
    candidates = join(
        Candidates(_in_ring(board), jnp.ones(_RADII * _ANGLES, bool)),
        # A circle that none other meets has no corner: any point of it will do.
        feet(edges.circles, jnp.zeros(2), jnp.array([1.0, 0.0])),
        _corners(edges),
    )
    legal = candidates.exist & legal_due_place(candidates.points, positions, on_board, board=board)

    def prospects(points: jax.Array, *, hindered: bool) -> jax.Array:
        return leeway(
            points, positions, on_board, debtor_seats, board=board, striker_hindered=hindered
        )

    # Few candidates are legal, and only these have to be looked at: they come first in ``order``.
    number, count = len(candidates.exist), jnp.sum(legal)
    order = jnp.nonzero(legal, size=number + -number % _AT_ONCE, fill_value=0)[0]

    def judge(part: jax.Array, easiest: jax.Array) -> jax.Array:
        begin = part * _AT_ONCE
        chosen = jax.lax.dynamic_slice_in_dim(order, begin, _AT_ONCE)
        found = prospects(candidates.points[chosen], hindered=False)
        found = jnp.where(begin + jnp.arange(_AT_ONCE) < count, found, jnp.inf)
        return jax.lax.dynamic_update_slice_in_dim(easiest, found, begin, 0)

    parts = (count + _AT_ONCE - 1) // _AT_ONCE
    easiest = jax.lax.fori_loop(0, parts, judge, jnp.full(len(order), jnp.inf))
    # Unhindered, the debtor never has it harder, so the first ranking is an upper bound; among
    # places without any shot it keeps those that stay hard when the board clears.
    bounds, ranks = jax.lax.top_k(-easiest, _AT_ONCE)
    judged = order[ranks]
    points, legal = candidates.points[judged], jnp.isfinite(bounds)

    best = jnp.argmin(jnp.where(legal, prospects(points, hindered=True), jnp.inf))
    return points[best], legal[best]


class _Edges(NamedTuple):
    """What bounds the legal places of dues.

    Attributes:
        circles: round the 19 carrommen, then the ring's inner and outer rim.
        queen: (2,), where the lines of shots with her meet.
        lines: (8, 2), unit directions of these lines.
        has_lines: whether she lies on the board, bool.
    """

    circles: Circles
    queen: jax.Array
    lines: jax.Array
    has_lines: jax.Array


def _edges(positions: jax.Array, on_board: jax.Array, board: Board) -> _Edges:
    men = kept_free(positions, on_board, board)
    circles = Circles(
        jnp.concatenate([men.centres, jnp.zeros((2, 2))]),
        jnp.concatenate([men.radii, jnp.asarray(_rims(board), men.radii.dtype)]),
        jnp.concatenate([men.exist, jnp.array([True, True])]),
    )
    queen = positions[QUEEN]
    return _Edges(circles, queen, _pocket_tangents(queen, board), on_board[QUEEN])


def _rims(board: Board) -> tuple[float, float]:
    """Radii of the ring's rims, a hair inside it, so that rounding cannot push a place out."""
    inner, outer = board.placing_radii
    return inner + CLEARANCE, outer - CLEARANCE


def _in_ring(board: Board) -> jax.Array:
    angles = np.linspace(0, 2 * math.pi, _ANGLES, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    radii = np.linspace(*_rims(board), _RADII)
    return jnp.asarray((radii[:, None, None] * circle).reshape(-1, 2))


def _corners(edges: _Edges) -> Candidates:
    """Where two edges meet; the lines meet each other in the queen, where nothing fits."""
    shots = line_crossings(edges.circles, edges.queen, edges.lines)
    return join(crossings(edges.circles), shots._replace(exist=shots.exist & edges.has_lines))


def _line_feet(edges: _Edges, wished: jax.Array) -> Candidates:
    along = edges.lines @ (wished - edges.queen)
    points = edges.queen + along[:, None] * edges.lines
    return Candidates(points, jnp.broadcast_to(edges.has_lines, along.shape))


def _pocket_tangents(queen: jax.Array, board: Board) -> jax.Array:
    """Directions from the queen along the edges of every pocket, unit vectors (8, 2)."""
    offset = jnp.asarray(board.pocket_centres) - queen
    distance = norm(offset)
    edge = board.pocket_radius + CLEARANCE
    half = jnp.arcsin(jnp.minimum(edge / jnp.maximum(distance, edge), 1.0))
    angle = jnp.arctan2(offset[:, 1], offset[:, 0])
    both = jnp.concatenate([angle - half, angle + half])
    return jnp.stack([jnp.cos(both), jnp.sin(both)], axis=-1)
