"""Discs, planned strikes, paths and pocketings as shapes."""

from __future__ import annotations

import math

import numpy as np

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.motion import Motion, Trajectory
from carrom.pieces import COLOURS, STRIKER, Colour
from carrom.render.board_shapes import arrow_head
from carrom.render.diagram_source import StrikeLike
from carrom.render.shapes import Disc, Label, Line, Points, Polygon, Shape, Theme

_PLAN, _PATH = 0.0022, 0.0026
"""Widths of lines, m."""
_HEADS = 1.5
"""Arrowheads of strikes, times those on the board."""
_SHOWN_DEPARTURE = 0.11
"""m of a struck carromman's way that are shown."""
_LEAST_WAY = 0.002
"""m that a disc has to move for its path to be drawn."""
_BADGE = 0.011


def disc_shapes(layout: Layout, board: Board, theme: Theme) -> list[Shape]:
    """The carrommen that lie on the board."""
    return [
        shape
        for index in np.flatnonzero(layout.on_board).tolist()
        for shape in _disc(layout.positions[index], board, theme, int(COLOURS[index]))
    ]


def _disc(centre: Points, board: Board, theme: Theme, colour: int) -> list[Shape]:
    x, y = centre.tolist()
    face, groove = theme.style.discs[colour]
    radius = board.striker_radius if colour == Colour.STRIKER else board.carromman_radius
    edge = 0.0012
    return [
        Disc(x, y, radius - edge / 2, fill=face, edge=theme.style.ink, width=edge),
        Disc(x, y, 0.6 * radius, edge=groove, width=edge),
    ]


def plan_shapes(
    layout: Layout,
    strike: StrikeLike,
    seat: int,
    board: Board,
    theme: Theme,
    *,
    ghost: bool = True,
) -> list[Shape]:
    """The striker where it is set, and its way until it first touches something.

    Args:
        layout: the position.
        strike: in the frame of ``seat``.
        seat: side of the board.
        board: dimensions.
        theme: colours.
        ghost: whether to show the way and the striker at its first touch; otherwise only the
            striker where it was set and which way it went.
    """
    start, velocity = strike.position(board, seat), strike.velocity(seat)
    shapes = _disc(start, board, theme, Colour.STRIKER)
    speed = math.hypot(*velocity.tolist())
    if speed == 0:
        return shapes
    ahead = velocity / speed
    heading = math.atan2(ahead[1], ahead[0])
    if not ghost:
        tip = start + ahead * board.striker_radius * 0.95
        return [*shapes, Polygon(arrow_head(tip, heading, _HEADS), theme.plan)]
    way, struck = first_touch(layout, start, ahead, board)
    touch = start + ahead * way
    shapes.append(Line(np.array([start, touch]), theme.plan, _PLAN, dashed=True))
    shapes.append(Polygon(arrow_head(touch, heading, _HEADS), theme.plan))
    x, y = touch.tolist()
    shapes.append(Disc(x, y, board.striker_radius, edge=theme.plan, width=_PLAN, dashed=True))
    if struck is not None:
        # Without friction at the rims a struck disc leaves along the line of the centres.
        centre = layout.positions[struck]
        leaving = (centre - touch) / np.hypot(*(centre - touch))
        end = centre + leaving * _SHOWN_DEPARTURE
        shapes.append(Line(np.array([centre, end]), theme.plan, _PLAN, dashed=True))
        angle = math.atan2(leaving[1], leaving[0])
        shapes.append(Polygon(arrow_head(end, angle, _HEADS), theme.plan))
    return shapes


def first_touch(
    layout: Layout, start: Points, ahead: Points, board: Board
) -> tuple[float, int | None]:
    """How far a striker goes straight ahead until it touches a carromman or the frame.

    The frame is taken as straight up to the corners; friction is left out.

    Args:
        layout: the position.
        start: (2,), the striker's centre, m.
        ahead: (2,), unit vector.
        board: dimensions.

    Returns:
        The way in metres, and the carromman touched, None for the frame.
    """
    edge = board.half_side - board.striker_radius
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        walls = (np.copysign(edge, ahead) - start) / ahead
    way, struck = float(np.min(walls[np.abs(ahead) > 1e-12], initial=4 * edge)), None
    apart = layout.positions - start
    along = apart @ ahead
    aside = apart[:, 1] * ahead[0] - apart[:, 0] * ahead[1]
    reach = board.striker_radius + board.carromman_radius
    met = layout.on_board & (np.abs(aside) < reach) & (along > 0)
    for index in np.flatnonzero(met).tolist():
        distance = max(float(along[index] - math.sqrt(reach**2 - aside[index] ** 2)), 0.0)
        if distance < way:
            way, struck = distance, index
    return max(way, 0.0), struck


def path_shapes(trajectory: Trajectory, theme: Theme) -> list[Shape]:
    """The ways of all discs that moved, and faintly where they came to rest."""
    shapes: list[Shape] = []
    for index in range(STRIKER + 1):
        there = trajectory.in_play[:, index]
        if not there[0]:
            continue
        # The first picture after the fall still shows where it fell.
        count = min(int(there.sum()) + 1, len(there))
        points = trajectory.positions[:count, index]
        steps = np.hypot(*np.diff(points, axis=0).T)
        if steps.sum() < _LEAST_WAY:
            continue
        face, _ = theme.style.discs[int(COLOURS[index])]
        moved = np.r_[True, steps > 1e-6]
        shapes.append(Line(points[moved], theme.style.ink, 1.7 * _PATH, opacity=0.35))
        shapes.append(Line(points[moved], face, _PATH))
        if there[-1]:
            x, y = points[-1].tolist()
            shapes.append(Disc(x, y, 0.012, edge=face, width=_PATH, dashed=True))
    return shapes


def pocketing_shapes(layout: Layout, motion: Motion, board: Board, theme: Theme) -> list[Shape]:
    """Numbers, in order of falling, on the discs that fell and beside their pockets."""
    shapes: list[Shape] = []
    fallen_before = [0, 0, 0, 0]
    for number, fall in enumerate(motion.pocketed, 1):
        pocket = board.pocket_centres[fall.pocket]
        outwards = np.sign(pocket)
        # A pocket's second number stands beside the first, along the frame.
        row = fallen_before[fall.pocket]
        fallen_before[fall.pocket] += 1
        place = pocket + outwards * 0.035 - np.array([outwards[0], 0.0]) * 0.026 * row
        shapes += _badge(place, number, theme)
        if fall.index != STRIKER and layout.on_board[fall.index]:
            shapes += _badge(layout.positions[fall.index], number, theme)
    return shapes


def _badge(centre: Points, number: int, theme: Theme) -> list[Shape]:
    x, y = centre.tolist()
    return [
        Disc(x, y, _BADGE, fill=theme.badge, edge=theme.paper, width=0.0012),
        Label(x, y, str(number), 0.015, theme.paper, bold=True),
    ]
