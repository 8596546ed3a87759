"""Straight ways across the board: what lies on them, and where pockets want them to end.

Plane vectors are complex numbers here, in the striking seat's frame and in metres: turning
one is a multiplication, and one call looks along many ways.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
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


def striker_places(view: View, middle: int, circle: int) -> Float:
    """Places spread over the legal ones, without those a carromman blocks (130, 134).

    The ends of the free intervals are among them.

    Args:
        view: the position.
        middle: number of places between the base circles.
        circle: number of places over each base circle.

    Returns:
        (p,), m, ascending; empty only if the view has no free place.
    """
    counts = (circle, middle, circle)
    spread = [
        np.linspace(low, high, count)
        for (low, high), count in zip(legal_places(view.board), counts, strict=True)
    ]
    places = np.concatenate([*spread, *view.free_places])
    free = np.zeros(len(places), bool)
    for low, high in view.free_places:
        free |= (places >= low) & (places <= high)
    return np.unique(places[free])


def seen_from(start: Complex, end: Complex, points: Complex) -> tuple[Float, Float]:
    """Points in the frame of ways.

    Args:
        start: (n,), where the ways begin.
        end: (n,), where they end.
        points: (m,), or (n, m) with points of its own for each way.

    Returns:
        Distance along and, positive on the left, across each way, each (n, m).
    """
    way = end - start
    heading = way / np.maximum(np.abs(way), TINY)
    seen = (points - start[:, None]) * heading[:, None].conjugate()
    return seen.real, seen.imag


def distance_from(start: Complex, end: Complex, points: Complex) -> Float:
    """Distance of points from straight ways, their ends included; arguments as above."""
    along, across = seen_from(start, end, points)
    beyond = np.maximum(along - np.abs(end - start)[:, None], np.maximum(-along, 0))
    return np.hypot(beyond, across)


def pocket_aims(board: Board, targets: Complex) -> Complex:
    """Where to send carrommen so that they come through the middle of what a pocket takes.

    Args:
        board: the board.
        targets: (k,), centres of the carrommen.

    Returns:
        (k, 4): points in the mouths of the pockets.
    """
    pockets = as_complex(board.pocket_centres)
    way = pockets - targets[:, None]
    x, y = way.real * np.sign(pockets.real), way.imag * np.sign(pockets.imag)
    from_frame = np.arctan2(np.minimum(x, y), np.maximum(x, y))
    share = np.clip((_DIAGONAL - from_frame) / (_DIAGONAL - _SHALLOW), 0, 1)
    frame = np.where(x > y, 1j * np.sign(pockets.imag), np.sign(pockets.real))
    return pockets + _MOUTH_SHIFT * share * frame


def others(view: View, carromman: Index) -> Complex:
    """The carrommen beside one of them: (n, 19); those that are not there stand far away."""
    pieces = np.where(view.on_board, as_complex(view.positions), _FAR)
    obstacles = np.tile(pieces, (len(carromman), 1))
    obstacles[np.arange(len(carromman)), carromman] = _FAR
    return obstacles


def touching(board: Board) -> float:
    """Distance of the striker's centre from a carromman's when they touch, m."""
    return board.striker_radius + board.carromman_radius
