"""Where the striker may stand (laws 130, 134, 142).

All places are in the striking seat's frame. Where nothing else is said the striker's centre is
in the middle between the two base lines. There, the legal places are an interval between the
base circles and one small island over each circle, which the striker must cover completely
without touching the arrow (130.b). It still touches both lines (130.a) a few millimetres behind
and before the middle; how far the centre stands forward of the middle, towards the board's
centre, is called ``forward``.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board

Interval = tuple[float, float]

CLEARANCE = 1e-6
"""Gap in metres left between a striker placed beside a carromman and that carromman."""
_SLACK = 1e-9
"""What rounding may do to a length, m: exact tangency is proper."""


def line_band(board: Board) -> Interval:
    """How far forward of the middle the striker touches both base lines (130.a).

    The lower line is as thick as the board says, the upper one only an edge: backwards the
    striker must reach the upper line, forwards the upper edge of the lower one.

    Returns:
        Lowest and highest ``forward``, m.
    """
    half_spacing = board.base_line_spacing / 2
    low = half_spacing - board.striker_radius
    high = board.base_line_thickness + board.striker_radius - half_spacing
    return low, high


def striker_faults(board: Board, place: float, forward: float = 0.0) -> tuple[str, ...]:
    """The laws broken by a striker that stands anywhere.

    The base lines end where their circles begin, above and below the circles' centres. A
    striker beyond that end does not touch both; one that covers a circle still does.

    Args:
        board: the board.
        place: x of the striker's centre, m.
        forward: of the middle between the base lines, m.

    Returns:
        "130.a" if it does not touch both base lines, then "130.b" if it covers a base circle
        partly or touches an arrow; empty where it may stand.
    """
    # Everything is symmetric: only the nearer base circle and the arrow beside it matter.
    x, radius = abs(place), board.striker_radius
    beyond = max(x - board.base_circle_x, 0.0)
    upper_line = board.base_line_spacing / 2
    lower_line = -upper_line, board.base_line_thickness - upper_line
    to_upper = forward - upper_line
    to_lower = forward - min(max(forward, lower_line[0]), lower_line[1])
    off_lines = max(math.hypot(beyond, to_upper), math.hypot(beyond, to_lower)) > radius + _SLACK
    to_circle = math.hypot(x - board.base_circle_x, forward)
    covers, clears = radius - board.base_circle_radius, radius + board.base_circle_radius
    partly = covers + _SLACK < to_circle < clears - _SLACK
    (start, end), reach = _arrow(board)
    y = board.base_line_y + forward
    along = min(max((x - y) / math.sqrt(2), start), end) / math.sqrt(2)
    on_arrow = math.hypot(x - along, y + along) < reach - _SLACK
    broken = {"130.a": off_lines, "130.b": partly or on_arrow}
    return tuple(law for law, is_broken in broken.items() if is_broken)


def legal_places(board: Board) -> tuple[Interval, Interval, Interval]:
    """The three closed intervals of legal striker places on an empty board (130).

    Returns:
        Left island, middle, right island, as (lowest x, highest x) in metres, in the middle
        between the base lines.
    """
    left, middle, right = legal_places_at(board, 0.0)
    return left, middle, right


def free_places(
    board: Board,
    positions: NDArray[np.float64],
    on_board: NDArray[np.bool_],
    forward: float = 0.0,
) -> tuple[Interval, ...]:
    """The legal places at which the striker overlaps no carromman (130, 134).

    Args:
        board: the board.
        positions: (19, 2), the *striking seat's* frame.
        on_board: (19,), which carrommen count.
        forward: of the middle between the base lines, m.

    Returns:
        Disjoint closed intervals of x in increasing order; empty when the carrommen block
        every place this far forward (see ``free_line``), or none is legal there.
    """
    free = list(legal_places_at(board, forward))
    reach, line = striker_reach(board), board.base_line_y + forward
    for index in np.flatnonzero(on_board):
        height = positions[index, 1] - line
        if abs(height) >= reach:
            continue
        half = math.sqrt(reach * reach - height * height)
        low, high = float(positions[index, 0]) - half, float(positions[index, 0]) + half
        free = [piece for interval in free for piece in _without(interval, low, high)]
    return tuple(free)


def free_line(
    board: Board, positions: NDArray[np.float64], on_board: NDArray[np.bool_]
) -> float | None:
    """How far forward the striker can be set, preferring the middle between the lines.

    The places at which it can be set are bounded by circles and straight lines. Between two
    neighbouring heights at which such boundaries cross or turn back, every line has a free
    place or none has, so trying one line between each two is exact; the heights themselves
    are tried last, for places no larger than a point.

    Args:
        board: the board.
        positions: (19, 2), the *striking seat's* frame.
        on_board: (19,), which carrommen count.

    Returns:
        0.0 if ``free_places`` there is not empty; otherwise a ``forward``, m, with free places,
        near the middle; None if the striker can be set nowhere (142: the board is replayed).
    """
    if free_places(board, positions, on_board):
        return 0.0
    turns = _turning_heights(board, positions, on_board)
    between = [(low + high) / 2 for low, high in itertools.pairwise(turns)]
    for forward in sorted(between, key=abs) + sorted(turns, key=abs):
        if free_places(board, positions, on_board, forward):
            return forward
    return None


def nearest_place(places: tuple[Interval, ...], x: float) -> float | None:
    """The place nearest to ``x``, or None when there is none (142)."""
    candidates = [min(max(x, low), high) for low, high in places]
    return min(candidates, key=lambda place: abs(place - x), default=None)


def is_free(places: tuple[Interval, ...], x: float) -> bool:
    """Whether the striker may stand at ``x``."""
    return any(low <= x <= high for low, high in places)


def striker_reach(board: Board) -> float:
    """Distance that a striker keeps from the centre of a carromman beside it, m."""
    return board.striker_radius + board.carromman_radius + CLEARANCE


def _arrow(board: Board) -> tuple[Interval, float]:
    """The arrows: start and end, m along the diagonal from the centre, and the distance kept."""
    tip = board.pocket_offset * math.sqrt(2) - board.pocket_radius - board.arrow_tip_gap
    kept = board.striker_radius + board.arrow_thickness / 2
    return (tip - board.arrow_length, tip), kept


def legal_places_at(board: Board, forward: float) -> tuple[Interval, ...]:
    """``legal_places`` on another line; without the islands where a circle is not covered."""
    low, high = line_band(board)
    if not low - _SLACK <= forward <= high + _SLACK:
        return ()
    radius, circle = board.striker_radius, board.base_circle_radius
    # Away from the middle the way round the circle is shorter.
    gain = radius + circle - _leg(radius + circle, forward)
    middle = board.base_circle_x - radius - circle + gain
    cover = radius - circle
    if abs(forward) > cover + _SLACK:
        return ((-middle, middle),)
    half = _leg(cover, forward)
    inner = board.base_circle_x - half
    outer = min(board.base_circle_x + half, _arrow_edge(board, forward))
    if inner > outer:
        return ((-middle, middle),)
    return ((-outer, -inner), (-middle, middle), (inner, outer))


def _leg(hypotenuse: float, other: float) -> float:
    """The other leg of a right triangle; to the last bit the hypotenuse if ``other`` is zero."""
    return math.sqrt(max(hypotenuse**2 - other**2, 0.0)) if other else hypotenuse


def _arrow_edge(board: Board, forward: float) -> float:
    """The x from which on a striker over the right base circle touches the arrow, m."""
    (start, _), kept = _arrow(board)
    depth = -(board.base_line_y + forward)
    behind_start = start / math.sqrt(2) - depth  # how far the line passes behind the start
    if behind_start >= kept:
        return math.inf
    if behind_start > -kept / math.sqrt(2):
        return start / math.sqrt(2) - _leg(kept, behind_start)
    # Beside the arrow a disc at (x, -depth) is (depth - x) / sqrt(2) from the diagonal.
    return depth - kept * math.sqrt(2)


def _turning_heights(
    board: Board, positions: NDArray[np.float64], on_board: NDArray[np.bool_]
) -> list[float]:
    """Every ``forward`` at which the edges of the free places cross or turn back, ascending."""
    line, low, high = board.base_line_y, *line_band(board)
    (start, _), kept = _arrow(board)
    arrow_start = start / math.sqrt(2)
    circles = [
        (complex(x, y - line), striker_reach(board))
        for x, y in positions[on_board].tolist()
        if low - striker_reach(board) < y - line < high + striker_reach(board)
    ]
    edges: list[tuple[complex, complex]] = []
    for side in (-1, 1):
        base_circle = complex(side * board.base_circle_x)
        circles.append((base_circle, board.striker_radius + board.base_circle_radius))
        circles.append((base_circle, board.striker_radius - board.base_circle_radius))
        circles.append((complex(side * arrow_start, -arrow_start - line), kept))
        # Beside the arrow: the diagonal, moved away from it.
        edges.append((side * (-line - kept * math.sqrt(2)) + 0j, side - 1j))
    heights = [low, high]
    for centre, radius in circles:
        heights += [centre.imag - radius, centre.imag + radius]
        for point, direction in edges:
            heights += _line_heights(centre, radius, point, direction / abs(direction))
    for (a, a_radius), (b, b_radius) in itertools.combinations(circles, 2):
        heights += _circle_heights(a, a_radius, b, b_radius)
    return sorted({height for height in heights if low <= height <= high})


def _line_heights(centre: complex, radius: float, point: complex, ahead: complex) -> list[float]:
    """Imaginary parts of the points in which a circle meets a line with unit direction."""
    foot = point + ((centre - point) * ahead.conjugate()).real * ahead
    squared = radius**2 - abs(centre - foot) ** 2
    if squared < 0:
        return []
    half = math.sqrt(squared) * ahead
    return [(foot - half).imag, (foot + half).imag]


def _circle_heights(a: complex, a_radius: float, b: complex, b_radius: float) -> list[float]:
    """Imaginary parts of the points in which two circles meet."""
    distance = abs(b - a)
    if distance == 0:
        return []
    along = (distance**2 + a_radius**2 - b_radius**2) / (2 * distance)
    ahead = (b - a) / distance
    # They meet on the line across the way between their centres.
    return _line_heights(a, a_radius, a + along * ahead, 1j * ahead)


def _without(interval: Interval, low: float, high: float) -> list[Interval]:
    """What is left of a closed interval without the open interval (low, high)."""
    start, end = interval
    parts = [(start, min(end, low)), (max(start, high), end)]
    return [interval] if high <= start or low >= end else [p for p in parts if p[0] <= p[1]]
