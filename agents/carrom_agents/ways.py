"""Straight ways across the board: what lies on them, and where pockets want them to end.

Plane vectors are complex numbers here, in the striking seat's frame and in metres: turning
one is a multiplication, and one call looks along many ways. NumPy arrays give NumPy results;
JAX arrays give JAX results, also in compiled code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from carrom.aiming import as_complex
from carrom.baseline import legal_places
from carrom.board import Board
from carrom.view import View

Complex = NDArray[np.complexfloating[Any, Any]]
Float = NDArray[np.floating[Any]]
Index = NDArray[np.int64]

# What a pocket takes. Measured with the MuJoCo engine on the nominal board, one carromman
# sent past a pocket at every angle and offset: at 1 m/s the offsets that drop span 49 to
# 53 mm at every angle, shifted towards the nearer frame (which guides the carromman in) by
# about 9 mm along the frame and by nothing on the diagonal; faster carrommen rattle out.
MOUTH = 0.025
"""m: half the width of the band of ways that drop, up to an arrival at 1 m/s."""
MOUTH_LOSS = 0.0055
"""s: how much narrower each half is for every m/s more."""
_MOUTH_SHIFT = 0.009
"""m: shift of the band towards the nearer frame, up to 10 degrees from the frame."""
_SHALLOW, _DIAGONAL = math.radians(10), math.radians(45)

TINY = 1e-9
"""Keeps a division by a length or a speed finite."""
_FAR = 10 + 10j
"""m: where obstacles stand that are none."""


def spread_places(board: Board, middle: int, circle: int) -> Float:
    """Places spread over the legal ones (130).

    Args:
        board: the board.
        middle: number of places between the base circles.
        circle: number of places over each base circle.

    Returns:
        (2 circle + middle,), m, ascending.
    """
    counts = (circle, middle, circle)
    return np.concatenate(
        [
            np.linspace(low, high, count)
            for (low, high), count in zip(legal_places(board), counts, strict=True)
        ]
    )


def striker_places(view: View, middle: int, circle: int) -> Float:
    """Those of ``spread_places`` that no carromman blocks (134), and the ends of the free ones.

    Returns:
        (p,), m, ascending; empty only if the view has no free place.
    """
    places = np.concatenate([spread_places(view.board, middle, circle), *view.free_places])
    free = np.zeros(len(places), bool)
    for low, high in view.free_places:
        free |= (places >= low) & (places <= high)
    return np.unique(places[free])


def length(way: Any) -> Any:
    """The length of ways; faster than ``abs``, which looks out for overflow."""
    return way.__array_namespace__().sqrt(way.real**2 + way.imag**2)


def heading_of(way: Any) -> Any:
    """The direction of ways, of length one."""
    # To multiply is faster than to divide, which is done as if the length were complex, too.
    return way * (1 / way.__array_namespace__().maximum(length(way), TINY))


def seen_from(start: Any, heading: Any, points: Any) -> tuple[Any, Any]:
    """Points in the frame of ways; the arguments broadcast.

    Args:
        start: where the ways begin.
        heading: see ``heading_of``.
        points: what is looked at.

    Returns:
        Distance along and, positive on the left, across each way.
    """
    seen = (points - start) * heading.conjugate()
    return seen.real, seen.imag


def least(measure: Callable[[Any], Any], points: Any) -> Any:
    """The least of what ``measure`` says of the points along their leading axis.

    Compiled code looks at one point after the other: of a reduction it would not make vector
    instructions, and of an expression with all points in it too many.
    """
    if not isinstance(points, jax.Array):
        return np.min(measure(points), axis=0)

    def look(number: jax.Array, best: jax.Array) -> jax.Array:
        return jnp.minimum(best, measure(points[number]))

    return lax.fori_loop(1, len(points), look, measure(points[0]))


def nearest(measure: Callable[[Any], Any], points: Any) -> tuple[Any, Any]:
    """As ``least``, and for which point."""
    if not isinstance(points, jax.Array):
        measures = measure(points)
        first = np.argmin(measures, axis=0)[None]
        points = np.broadcast_to(points, measures.shape)
        taken = (np.take_along_axis(each, first, axis=0)[0] for each in (measures, points))
        return next(taken), next(taken)

    def look(number: jax.Array, found: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        best, at = found
        new = measure(points[number])
        return jnp.minimum(best, new), jnp.where(new < best, points[number], at)

    first = measure(points[0])
    return lax.fori_loop(1, len(points), look, (first, jnp.broadcast_to(points[0], first.shape)))


def clearance(start: Any, end: Any, points: Any) -> Any:
    """Least distance of points from straight ways, their ends included.

    Args:
        start: (...), where the ways begin.
        end: (...), where they end.
        points: (m, ...), m points for each way.

    Returns:
        (...), m.
    """
    xp = points.__array_namespace__()
    way = end - start
    heading, end_along = heading_of(way), length(way)

    def squared(point: Any) -> Any:
        along, across = seen_from(start, heading, point)
        beyond = xp.maximum(along - end_along, xp.maximum(-along, 0))
        return beyond**2 + across**2

    return xp.sqrt(least(squared, points))


def pocket_centres(board: Board, like: Any) -> Any:
    """Centres of the pockets, (4, 1, ...), to be looked at from ways of the shape of ``like``."""
    xp = like.__array_namespace__()
    return xp.asarray(as_complex(board.pocket_centres).reshape(-1, *[1] * like.ndim))


def pocket_aims(board: Board, targets: Any) -> Any:
    """Where to send carrommen so that they come through the middle of what a pocket takes.

    Args:
        board: the board.
        targets: (...), centres of the carrommen.

    Returns:
        (..., 4): points in the mouths of the pockets.
    """
    xp = targets.__array_namespace__()
    pockets = as_complex(board.pocket_centres)
    way = pockets - targets[..., None]
    x, y = way.real * np.sign(pockets.real), way.imag * np.sign(pockets.imag)
    from_frame = xp.arctan2(xp.minimum(x, y), xp.maximum(x, y))
    share = xp.clip((_DIAGONAL - from_frame) / (_DIAGONAL - _SHALLOW), 0, 1)
    frame = xp.where(x > y, 1j * np.sign(pockets.imag), np.sign(pockets.real))
    return pockets + _MOUTH_SHIFT * share * frame


def standing(positions: Any, on_board: Any) -> Any:
    """Centres of carrommen (...) at positions (..., 2); those off the board stand far away."""
    return positions.__array_namespace__().where(on_board, as_complex(positions), _FAR)


def others(pieces: Any, carromman: Any) -> Any:
    """What may be in the way of one of the carrommen: all but itself.

    Args:
        pieces: (19, ...) or (19, 1, ...), see ``standing``.
        carromman: (...), which of them.

    Returns:
        (19, ...), with the carromman itself far away.
    """
    xp = pieces.__array_namespace__()
    number = xp.arange(len(pieces)).reshape(-1, *[1] * carromman.ndim)
    return xp.where(number == carromman, _FAR, pieces)


def mouth(arrival: Any) -> Any:
    """Half the width of the band of ways that drop at a speed, m/s; m."""
    xp = jnp if isinstance(arrival, jax.Array) else np
    return MOUTH - MOUTH_LOSS * xp.maximum(xp.asarray(arrival) - 1.0, 0.0)


def touching(board: Board) -> float:
    """Distance of the striker's centre from a carromman's when they touch, m."""
    return board.striker_radius + board.carromman_radius
