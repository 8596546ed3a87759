"""Where the striker may stand (laws 130, 134, 142).

All places are x coordinates in the striking seat's frame; the striker's centre is in the
middle between the two base lines, where it touches both (130.a). The legal places are an
interval between the base circles and one small island over each circle, which the striker
must cover completely without touching the arrow (130.b).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.pieces import N_CARROMMEN

Interval = tuple[float, float]

CLEARANCE = 1e-6
"""Gap in metres left between a striker placed beside a carromman and that carromman."""


def legal_places(board: Board) -> tuple[Interval, Interval, Interval]:
    """The three closed intervals of legal striker places on an empty board (130).

    Returns:
        Left island, middle, right island, as (lowest x, highest x) in metres.
    """
    radius, circle = board.striker_radius, board.base_circle_radius
    middle = board.base_circle_x - radius - circle
    cover = radius - circle
    # On the base line a disc at (x, y) is |x + y| / sqrt(2) from the nearer arrow.
    arrow = -board.base_line_y - (radius + board.arrow_thickness / 2) * math.sqrt(2)
    inner, outer = board.base_circle_x - cover, min(board.base_circle_x + cover, arrow)
    return ((-outer, -inner), (-middle, middle), (inner, outer))


def free_places(
    board: Board, positions: NDArray[np.float64], on_board: NDArray[np.bool_]
) -> tuple[Interval, ...]:
    """The legal places at which the striker overlaps no carromman.

    Args:
        board: the board.
        positions: (19, 2), the *striking seat's* frame.
        on_board: (19,), which carrommen count.

    Returns:
        Disjoint closed intervals in increasing order; empty when the carrommen block every
        place (142: the board is replayed).
    """
    free = list(legal_places(board))
    reach = board.striker_radius + board.carromman_radius + CLEARANCE
    for index in range(N_CARROMMEN):
        height = positions[index, 1] - board.base_line_y
        if not on_board[index] or abs(height) >= reach:
            continue
        half = math.sqrt(reach * reach - height * height)
        low, high = float(positions[index, 0]) - half, float(positions[index, 0]) + half
        free = [piece for interval in free for piece in _without(interval, low, high)]
    return tuple(free)


def _without(interval: Interval, low: float, high: float) -> list[Interval]:
    """What is left of a closed interval without the open interval (low, high)."""
    start, end = interval
    parts = [(start, min(end, low)), (max(start, high), end)]
    return [interval] if high <= start or low >= end else [p for p in parts if p[0] <= p[1]]


def nearest_place(places: tuple[Interval, ...], x: float) -> float | None:
    """The place nearest to ``x``, or None when there is none (142)."""
    candidates = [min(max(x, low), high) for low, high in places]
    return min(candidates, key=lambda place: abs(place - x), default=None)


def is_free(places: tuple[Interval, ...], x: float) -> bool:
    """Whether the striker may stand at ``x``."""
    return any(low <= x <= high for low, high in places)
