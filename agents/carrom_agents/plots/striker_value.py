"""What the best strike from each place on the base line is worth."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from carrom.physics.strike import Strike
from carrom.render.diagram import diagram
from carrom.render.plot import pixels_of
from carrom.view import View
from carrom_agents.plots.style import BAND_OPACITY, FAINT, colour, dress, new_figure, save
from carrom_agents.shot_map import PlaceWorth

_BOARD_PIXELS = 700


def draw_striker_value(
    worths: Mapping[str, Sequence[PlaceWorth]], view: View, target: Path, *, title: str = ""
) -> Path:
    """Draw worth over place, with its interval of 95 %, and the position with the best strike.

    Args:
        worths: by who weighs what the strokes leave, the best strike of each place; the strike
            shown on the board is the best of the first.
        view: the position.
        target: the picture to write, .png.
        title: of the position.

    Raises:
        ConfigError: the picture cannot be written.
    """
    figure = new_figure(10.5, 4.6)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.3))
    best = max(next(iter(worths.values())), key=lambda each: each.worth.value)
    strike = Strike(best.place, best.direction, best.speed, forward=view.forward)
    left.imshow(pixels_of(diagram(view, strike=strike).drawing, _BOARD_PIXELS))
    left.set_axis_off()
    left.set_title(title or "the position")

    axes = dress(right)
    for index, (name, found) in enumerate(worths.items()):
        places = np.array([100 * each.place for each in found])
        value, low, high = (
            np.array([getattr(each.worth, end) for each in found])
            for end in ("value", "low", "high")
        )
        for part in _stretches(places):
            axes.fill_between(
                places[part], low[part], high[part], color=colour(index), alpha=BAND_OPACITY, lw=0
            )
            label = f"weighed by {name}" if part.start == 0 else None
            axes.plot(places[part], value[part], "o-", ms=3, color=colour(index), label=label)
    for low, high in view.free_places:
        axes.axvspan(100 * low, 100 * high, ymax=0.015, color=FAINT)
    axes.set_xlabel("striker's place, cm right of the middle (grey: where it may stand)")
    axes.set_ylabel("worth of the best strike found, points")
    axes.legend(frameon=False)
    return save(figure, target)


def _stretches(places: np.ndarray) -> list[slice]:
    """Runs of evenly spaced places: across a gap nothing is joined."""
    steps = np.diff(places)
    gaps = np.flatnonzero(steps > 1.5 * steps.min()) + 1 if len(steps) else []
    edges = [0, *gaps, len(places)]
    return [slice(start, end) for start, end in itertools.pairwise(edges)]
