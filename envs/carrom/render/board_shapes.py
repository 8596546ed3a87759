"""The empty board as shapes: frame, surface, pockets and the markings as the laws draw them.

The same drawing as ``carrom.render.markings``, which paints it, in lines and areas.
"""

from __future__ import annotations

import math

import numpy as np

from carrom.board import Board, to_board
from carrom.render.markings import ARC_OPENING, HEAD_HALF_WIDTH, HEAD_LENGTH
from carrom.render.shapes import Disc, Line, Points, Polygon, Shape
from carrom.render.style import Style

_ARC_POINTS = 48
"""Points of an arc; at the size of a screen its corners cannot be seen."""


def board_shapes(board: Board, style: Style) -> list[Shape]:
    """The board without discs, board frame, from the frame up to the markings."""
    outer = board.half_side + board.frame_width
    shapes: list[Shape] = [
        Polygon(_rounded_square(outer, 0.02), style.frame),
        Polygon(_rounded_square(board.half_side, board.pocket_radius), style.surface),
    ]
    shapes += [
        Disc(x, y, board.pocket_radius, fill=style.net) for x, y in board.pocket_centres.tolist()
    ]
    for seat in range(4):
        shapes += _base_lines(board, style, seat)
        shapes += _arrow(board, style, seat)
    thin = board.arrow_thickness
    outer_radius = board.outer_circle_diameter / 2 - thin / 2
    shapes.append(Disc(0.0, 0.0, outer_radius, edge=style.ink, width=thin))
    shapes.append(Disc(0.0, 0.0, board.centre_circle_diameter / 2, fill=style.red))
    return shapes


def _base_lines(board: Board, style: Style, seat: int) -> list[Shape]:
    """The two lines and the two circles of one side."""
    x, thin, radius = board.base_circle_x, board.arrow_thickness, board.base_circle_radius
    low = -(board.half_side - board.base_line_from_frame)
    high = low + board.base_line_spacing
    shapes: list[Shape] = []
    # The upper line is as thin as the arrows: see ``carrom.render.markings``.
    for bottom, top in ((low, low + board.base_line_thickness), (high - thin, high)):
        corners = np.array([[-x, bottom], [x, bottom], [x, top], [-x, top]])
        shapes.append(Polygon(to_board(corners, seat), style.ink))
    for end in (-x, x):
        cx, cy = to_board(np.array([end, board.base_line_y]), seat).tolist()
        shapes.append(Disc(cx, cy, radius, fill=style.surface))
        shapes.append(Disc(cx, cy, radius - thin / 2, edge=style.ink, width=thin))
        shapes.append(Disc(cx, cy, board.base_circle_red_diameter / 2, fill=style.red))
    return shapes


def _arrow(board: Board, style: Style, seat: int) -> list[Shape]:
    """The arrow to the right pocket of one side, with the arc at its start."""
    thin = board.arrow_thickness
    tip = math.sqrt(2) * board.pocket_offset - board.pocket_radius - board.arrow_tip_gap
    start = tip - board.arrow_length
    radius = board.arrow_arc_diameter / 2 - thin / 2
    angles = np.linspace(ARC_OPENING, 2 * math.pi - ARC_OPENING, _ARC_POINTS)
    arc = np.column_stack([start + radius * np.cos(angles), radius * np.sin(angles)])
    shaft = np.array([[start, 0.0], [tip - HEAD_LENGTH / 2, 0.0]])
    heads = [arrow_head(np.array([tip, 0.0]), 0.0)]
    for sign in (1, -1):
        # The head's middle lies on the circle, so a straight head follows the arc.
        lead = HEAD_LENGTH / 2 / radius
        angle = sign * (ARC_OPENING - lead)
        point = np.array([start + radius * math.cos(angle), radius * math.sin(angle)])
        heads.append(arrow_head(point, angle - sign * (math.pi / 2 - lead)))
    lines = [Line(_on_diagonal(line, seat), style.ink, thin) for line in (shaft, arc)]
    return [*lines, *(Polygon(_on_diagonal(head, seat), style.ink) for head in heads)]


def arrow_head(tip: Points, heading: float, scale: float = 1.0) -> Points:
    """The three corners of an arrowhead with its point at ``tip``, shape (3, 2).

    Args:
        tip: (2,), m.
        heading: where it points, rad, counter-clockwise from x.
        scale: times the size of the heads on the board.
    """
    ahead = np.array([math.cos(heading), math.sin(heading)])
    aside = np.array([-ahead[1], ahead[0]]) * HEAD_HALF_WIDTH * scale
    back = tip - ahead * HEAD_LENGTH * scale
    return np.array([tip, back + aside, back - aside])


def _on_diagonal(points: Points, seat: int) -> Points:
    """Points given along the diagonal to the seat's right pocket and to its left."""
    u, v = points.T
    return to_board(np.column_stack([u + v, v - u]) * math.sqrt(0.5), seat)


def _rounded_square(half: float, radius: float) -> Points:
    """The edge of a square about the centre with rounded corners, counter-clockwise."""
    angles = np.linspace(0, math.pi / 2, 13)
    corner = half - radius + radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.concatenate([to_board(corner, turns) for turns in range(4)])
