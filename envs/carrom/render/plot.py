"""Shapes as pixels, by Matplotlib: for PNG files, without OpenGL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import patches
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from carrom.render.shapes import Disc, Drawing, Label, Line, Polygon, Shape, printable
from carrom.render.style import RGB

_POINTS_PER_METRE = 1000.0
"""Typographical points that stand for a metre; with it a line's width is in them."""


def save_png(drawing: Drawing, path: str | Path, pixels: int) -> None:
    """Write the drawing as a PNG file, ``pixels`` wide.

    Raises:
        OSError: the file cannot be written.
    """
    canvas = _canvas(drawing, pixels)
    canvas.print_png(str(path))


def pixels_of(drawing: Drawing, pixels: int) -> NDArray[np.uint8]:
    """The drawing as a picture ``pixels`` wide, shape (height, width, 3), row 0 at the top."""
    canvas = _canvas(drawing, pixels)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _canvas(drawing: Drawing, pixels: int) -> FigureCanvasAgg:
    width, height = drawing.right - drawing.left, drawing.high - drawing.low
    inches = (width * _POINTS_PER_METRE / 72, height * _POINTS_PER_METRE / 72)
    figure = Figure(figsize=inches, dpi=pixels / inches[0], facecolor=_colour(drawing.paper))
    axes = figure.add_axes((0, 0, 1, 1), frameon=False)
    axes.set_xlim(drawing.left, drawing.right)
    axes.set_ylim(drawing.low, drawing.high)
    axes.set_axis_off()
    for order, shape in enumerate(drawing.shapes):
        _draw(axes, shape, order)
    return FigureCanvasAgg(figure)


def _draw(axes: Any, shape: Shape, order: int) -> None:
    match shape:
        case Disc():
            edge = shape.edge is not None
            axes.add_patch(
                patches.Circle(
                    (shape.x, shape.y),
                    shape.radius,
                    facecolor=_colour(shape.fill),
                    edgecolor=_colour(shape.edge),
                    linewidth=shape.width * _POINTS_PER_METRE if edge else 0,
                    linestyle=(0, (4, 3)) if shape.dashed else "solid",
                    zorder=order,
                )
            )
        case Polygon():
            axes.add_patch(
                patches.Polygon(
                    shape.points, facecolor=_colour(shape.fill), linewidth=0, zorder=order
                )
            )
        case Line():
            axes.plot(
                *shape.points.T,
                color=_colour(shape.colour),
                linewidth=shape.width * _POINTS_PER_METRE,
                linestyle=(0, (4, 3)) if shape.dashed else "solid",
                alpha=shape.opacity,
                solid_capstyle="butt",
                zorder=order,
            )
        case Label():
            axes.text(
                shape.x,
                shape.y,
                printable(shape.text),
                fontsize=shape.size * _POINTS_PER_METRE,
                color=_colour(shape.colour),
                ha="center" if shape.centred else "left",
                va="center_baseline" if shape.centred else "baseline",
                weight="bold" if shape.bold else "normal",
                # Names may hold dollar signs; they are no formulae.
                parse_math=False,
                zorder=order,
            )


def _colour(colour: RGB | None) -> Any:
    return "none" if colour is None else tuple(part / 255 for part in colour)
