"""Pictures of drills: how the carrommen lie, and how the best known strike does it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from carrom.baseline import legal_places
from carrom.board import Board
from carrom.env import CarromEnv
from carrom.pieces import QUEEN, STRIKER
from carrom_agents.drills.drill import Drill
from carrom_agents.practice import lay_out, practice_env, stroke_from

_COLUMNS = 4
_PANEL = 2.6
"""Inches."""
_FILM_RATE = 100.0
_MOVED = 0.01
"""m that a carromman must move for its way to be drawn."""
_WHITE, _BLACK, _QUEEN, _STRIKER = "#f3e2bd", "#2b2b2b", "#c0392b", "#2f6db5"


def draw_drills(drills: Sequence[Drill], target: Path) -> None:
    """Draw drills, side by side.

    Ways are those of the best known strike without errors of the hand: the striker's in blue,
    the carrommen's in their colours.

    Args:
        drills: at least one.
        target: the picture to write, .png.
    """
    rows = math.ceil(len(drills) / _COLUMNS)
    # No pyplot: it would choose a window system, and keeps its figures for ever.
    figure = Figure(figsize=(_COLUMNS * _PANEL, rows * (_PANEL + 0.2)), layout="constrained")
    grid = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
    env = practice_env(noise="none", film_rate=_FILM_RATE)
    for axes, drill in zip(grid, drills, strict=False):
        _draw_board(axes, env.setting.board)
        _draw_ways(axes, env, drill)
        _draw_discs(axes, env.setting.board, drill)
        axes.set_title(drill.name, fontsize=9)
    for axes in grid:
        axes.set_axis_off()
    FigureCanvasAgg(figure).print_png(str(target))


def _draw_board(axes: Axes, board: Board) -> None:
    half, line = board.half_side, -board.base_line_y
    axes.set_aspect("equal")
    axes.set_xlim(-half - 0.02, half + 0.02)
    axes.set_ylim(-half - 0.02, half + 0.02)
    axes.add_patch(Rectangle((-half, -half), 2 * half, 2 * half, fc="#e8c98f", ec="#5d3a1a", lw=3))
    for x, y in board.pocket_centres.tolist():
        axes.add_patch(Circle((x, y), board.pocket_radius, color="#5d3a1a"))
    for radius in (board.centre_circle_diameter / 2, board.outer_circle_diameter / 2):
        axes.add_patch(Circle((0, 0), radius, fill=False, ec="#8a6535", lw=0.6))
    _, (left, right), _ = legal_places(board)
    for y in (-line - board.base_line_spacing / 2, -line + board.base_line_spacing / 2):
        axes.plot([left, right], [y, y], color="#8a6535", lw=0.6)
    for x in (-board.base_circle_x, board.base_circle_x):
        axes.add_patch(Circle((x, -line), board.base_circle_radius, fill=False, ec="#8a6535"))


def _draw_ways(axes: Axes, env: CarromEnv, drill: Drill) -> None:
    if drill.best is None or drill.break_to_be_made:
        return
    lay_out(env, drill.position(), seed=0)
    motion = stroke_from(env, drill.best.strike).motion
    assert motion is not None
    assert motion.trajectory is not None
    ways = motion.trajectory.positions
    moved = np.hypot(*np.ptp(ways, axis=0).T) > _MOVED
    for disc in np.flatnonzero(moved).tolist():
        present = motion.trajectory.in_play[0, disc]
        if present:
            x, y = ways[:, disc].T
            style = {"lw": 1.2, "zorder": 3} if disc == STRIKER else {"lw": 1.8, "zorder": 2}
            axes.plot(x, y, color=_colour(disc), **style)


def _draw_discs(axes: Axes, board: Board, drill: Drill) -> None:
    layout = drill.layout
    asked = {int(drill.index_order[i]) for i in drill.success.pocketed + drill.success.cleared}
    for index in np.flatnonzero(layout.on_board).tolist():
        edge = {"ec": "#1e8449", "lw": 1.8} if index in asked else {"ec": "#5d3a1a", "lw": 0.6}
        x, y = layout.positions[index].tolist()
        disc = Circle((x, y), board.carromman_radius, fc=_colour(index), zorder=4, **edge)
        axes.add_patch(disc)
    if drill.best is not None:
        stands = (drill.best.place, board.base_line_y)
        circle = Circle(stands, board.striker_radius, fc="#ffffff80", ec=_STRIKER, zorder=4)
        axes.add_patch(circle)


def _colour(disc: int) -> str:
    if disc in (QUEEN, STRIKER):
        return _QUEEN if disc == QUEEN else _STRIKER
    return _WHITE if disc < QUEEN // 2 else _BLACK
