"""What all plots have in common: colours, axes, and how a picture is written."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from carrom.errors import ConfigError

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444")
"""For one series after another: those of Okabe and Ito, which the colour-blind tell apart too."""
FAINT = "0.75"
"""Of what stands behind the series: raw values, lines of reference."""
BAND_OPACITY = 0.2
SEQUENTIAL = "viridis"
"""Colour map of shares and values, dark to bright; readable without colour, too."""
DIVERGING = "RdBu"
"""Colour map of what has a middle."""
_DOTS_PER_INCH = 110


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches; its axes are to be dressed."""
    # No pyplot: it would choose a window system, and keeps its figures for ever.
    return Figure(figsize=(width, height), layout="constrained", dpi=_DOTS_PER_INCH)


def dress(axes: Axes, *, grid: bool = True) -> Axes:
    """Give axes the looks of all plots: no box, a faint grid behind everything."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(alpha=0.3)
    return axes


def count_strokes(axes: Axes, label: str) -> None:
    """Let the x axis count in thousands and millions, as 200 k and 1 M."""
    axes.xaxis.set_major_formatter(EngFormatter(sep="\N{NO-BREAK SPACE}"))
    axes.set_xlabel(label)


def colour(index: int) -> str:
    """Colour of the series ``index``, 0 and up; they come again after the last."""
    return COLOURS[index % len(COLOURS)]


def save(figure: Figure, target: Path) -> Path:
    """Write a figure, completely or not at all; the same figure gives the same bytes.

    Args:
        figure: what to write.
        target: the file, .png; missing folders are made.

    Returns:
        The file.

    Raises:
        ConfigError: another suffix, or the file cannot be written.
    """
    checked_target(target)
    unfinished = target.with_name(f".{target.name}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        FigureCanvasAgg(figure).print_png(
            str(unfinished), metadata={"Software": None}, pil_kwargs={"optimize": True}
        )
        os.replace(unfinished, target)
    except OSError as error:
        raise ConfigError(f"plot {str(target)!r}: {error}") from error
    return target


def checked_target(target: Path) -> Path:
    """The file a plot is to be written to; for programs, before they compute.

    Raises:
        ConfigError: its suffix is not .png.
    """
    if target.suffix.lower() != ".png":
        raise ConfigError(f"plot {str(target)!r}: expected a name ending in .png")
    return target
