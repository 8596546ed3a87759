"""The rating ladder, with its intervals."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path

from carrom.errors import ConfigError
from carrom_agents.plots.style import FAINT, colour, dress, new_figure, save
from carrom_agents.roster import short_name
from carrom_agents.statistics import Estimate

_MARGIN = 0.08
"""Share of the ratings' range that is left free on either side."""


def draw_ladder(ratings: Mapping[str, Estimate], label: str, target: Path) -> Path:
    """Draw ratings with their intervals, the strongest on top.

    An end that is not there is an arrow to the edge of the picture.

    Args:
        ratings: by player, the strongest first.
        label: of the axis.
        target: the picture to write, .png.

    Raises:
        ConfigError: the picture cannot be written.
    """
    figure = new_figure(7, 1.2 + 0.45 * len(ratings))
    axes = dress(figure.subplots(), grid=False)
    ends = [end for e in ratings.values() for end in (e.low, e.value, e.high) if math.isfinite(end)]
    margin = _MARGIN * max(max(ends) - min(ends), 1.0)
    left, right = min(ends) - margin, max(ends) + margin
    for place, estimate in enumerate(ratings.values()):
        for end, edge, arrow in ((estimate.low, left, "<"), (estimate.high, right, ">")):
            reach, mark = (end, "|") if math.isfinite(end) else (edge, arrow)
            axes.plot(
                [estimate.value, reach],
                [place, place],
                color=colour(0),
                marker=mark,
                markevery=[1],
                clip_on=False,
            )
        axes.plot([estimate.value], [place], "o", color=colour(0))
    axes.axvline(0, color=FAINT, zorder=0)
    axes.set_yticks(range(len(ratings)), list(ratings))
    axes.set_ylim(len(ratings) - 0.5, -0.5)
    axes.set_xlim(left, right)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=0.3)
    return save(figure, target)


def read_ladder(folder: Path) -> dict[str, Estimate]:
    """The ratings in a tournament's folder, by short name, the strongest first.

    Raises:
        ConfigError: there is no ``ladder.csv``, or it is none.
    """
    table = folder / "ladder.csv"
    try:
        with table.open(encoding="utf-8", newline="") as file:
            rows = [
                (short_name(r["player"]), *(float(r[c]) for c in ("elo", "low", "high", "pairs")))
                for r in csv.DictReader(file)
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"ladder {str(table)!r}: {error!r}") from error
    if not rows:
        raise ConfigError(f"ladder {str(table)!r}: expected at least one player")
    return {name: Estimate(elo, low, high, int(pairs)) for name, elo, low, high, pairs in rows}
