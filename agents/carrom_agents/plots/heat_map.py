"""Where a stroke succeeds: a heat map over place and direction, the board beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib import colormaps

from carrom.physics.strike import Strike
from carrom.render.diagram import diagram
from carrom.render.plot import pixels_of
from carrom.view import View
from carrom_agents.plots.style import COLOURS, SEQUENTIAL, dress, new_figure, save
from carrom_agents.shot_map import ShotMap

_BOARD_PIXELS = 700
_MARKS = "os^Dv"


def draw_heat_map(
    shots: ShotMap,
    view: View,
    target: Path,
    *,
    title: str = "",
    players: Mapping[str, Strike] | None = None,
) -> Path:
    """Draw how often strikes succeed, and the position with the best of them.

    Args:
        shots: of the position.
        view: the position.
        target: the picture to write, .png.
        title: of the position.
        players: by name, how they would strike; they are marked, at whatever speed.

    Raises:
        ConfigError: the picture cannot be written.
    """
    place, direction, share = shots.best
    figure = new_figure(10.5, 4.8)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.25))
    strike = Strike(place, direction, shots.speed, forward=view.forward)
    left.imshow(pixels_of(diagram(view, strike=strike).drawing, _BOARD_PIXELS))
    left.set_axis_off()
    left.set_title(title or "the position")

    axes = dress(right, grid=False)
    axes.set_facecolor("0.85")  # where the striker may not stand
    wide, high = (_ends(cells) for cells in (100 * shots.places, np.degrees(shots.directions)))
    picture = axes.imshow(
        shots.success.T,
        origin="lower",
        aspect="auto",
        extent=(*wide, *high),
        cmap=colormaps[SEQUENTIAL],
        vmin=0,
        vmax=1,
        interpolation="nearest",
    )
    degrees = float(np.degrees(direction))
    axes.plot(
        100 * place,
        degrees,
        "*",
        color="white",
        markeredgecolor="black",
        markersize=15,
        label=f"best cell: {share:.2f}",
    )
    for index, (name, chosen) in enumerate((players or {}).items()):
        axes.plot(
            100 * chosen.place,
            np.degrees(chosen.direction),
            _MARKS[index % len(_MARKS)],
            color=COLOURS[(index + 1) % len(COLOURS)],
            markeredgecolor="white",
            markersize=9,
            label=f"{name}: {chosen.speed:.1f} m/s",
        )
    # A player may strike where the map does not reach.
    axes.set_xlim(wide)
    axes.set_ylim(high)
    axes.set_xlabel("striker's place, cm right of the middle")
    axes.set_ylabel("direction, degrees left of straight ahead")
    axes.set_title(f"{shots.speed:g} m/s, noise {shots.noise}, {shots.tries} strokes per cell")
    # Below, where it hides nothing.
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=4, frameon=False)
    figure.colorbar(picture, label="share of strokes that succeed")
    return save(figure, target)


def _ends(middles: np.ndarray) -> tuple[float, float]:
    """Outer edges of equal cells with these middles."""
    half = (middles[-1] - middles[0]) / (2 * max(len(middles) - 1, 1))
    half = half or 0.5  # a single cell has no neighbour to tell its width
    return float(middles[0] - half), float(middles[-1] + half)
