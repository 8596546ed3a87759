"""Pictures of a tournament: the ladder with its intervals, and who won against whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from carrom_agents.bradley_terry import Float
from carrom_agents.statistics import Estimate

_MARGIN = 0.08
"""Share of the ratings' range that is left free on either side."""


def draw_ladder(ratings: Mapping[str, Estimate], label: str, target: Path) -> None:
    """Draw ratings with their intervals, the strongest on top.

    An end that is not there is an arrow to the edge of the picture.

    Args:
        ratings: by player, the strongest first.
        label: of the axis.
        target: the picture to write, .png.
    """
    # No pyplot: it would choose a window system, and keeps its figures for ever.
    figure = Figure(figsize=(7, 1.2 + 0.45 * len(ratings)), layout="constrained")
    axes = figure.subplots()
    ends = [end for e in ratings.values() for end in (e.low, e.value, e.high) if math.isfinite(end)]
    margin = _MARGIN * max(max(ends) - min(ends), 1.0)
    left, right = min(ends) - margin, max(ends) + margin
    for place, estimate in enumerate(ratings.values()):
        for end, edge, arrow in ((estimate.low, left, "<"), (estimate.high, right, ">")):
            reach, mark = (end, "|") if math.isfinite(end) else (edge, arrow)
            axes.plot(
                [estimate.value, reach],
                [place, place],
                color="C0",
                marker=mark,
                markevery=[1],
                clip_on=False,
            )
        axes.plot([estimate.value], [place], "o", color="C0")
    axes.axvline(0, color="0.7", zorder=0)
    axes.set_yticks(range(len(ratings)), list(ratings))
    axes.set_ylim(len(ratings) - 0.5, -0.5)
    axes.set_xlim(left, right)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.3)
    FigureCanvasAgg(figure).print_png(str(target))


def draw_wins(names: Sequence[str], shares: Float, target: Path) -> None:
    """Draw who scored how much against whom.

    Args:
        names: of the players, in the order of both axes of ``shares``.
        shares: (n, n), of the row's player against the column's, 0 to 1; NaN where they
            have not met.
        target: the picture to write, .png.
    """
    side = 2.2 + 0.6 * len(names)
    figure = Figure(figsize=(side + 1, side), layout="constrained")
    axes = figure.subplots()
    axes.set_facecolor("0.85")  # where nobody has met
    picture = axes.imshow(shares, cmap="RdBu", vmin=0, vmax=1)
    for (row, column), share in np.ndenumerate(shares):
        if not math.isnan(share):
            colour = "white" if abs(share - 0.5) > 0.3 else "black"
            axes.text(column, row, f"{share:.2f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(picture, label="score of the row against the column", shrink=0.8)
    FigureCanvasAgg(figure).print_png(str(target))
