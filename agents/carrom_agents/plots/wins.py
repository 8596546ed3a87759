"""Who scored how much against whom."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from carrom.errors import ConfigError
from carrom_agents.bradley_terry import Float
from carrom_agents.plots.ladder import read_ladder
from carrom_agents.plots.style import DIVERGING, new_figure, save
from carrom_agents.roster import short_name


def draw_wins(names: Sequence[str], shares: Float, target: Path) -> Path:
    """Draw who scored how much against whom.

    Args:
        names: of the players, in the order of both axes of ``shares``.
        shares: (n, n), of the row's player against the column's, 0 to 1; NaN where they
            have not met.
        target: the picture to write, .png.

    Raises:
        ConfigError: the picture cannot be written.
    """
    side = 2.2 + 0.6 * len(names)
    figure = new_figure(side + 1, side)
    axes = figure.subplots()
    axes.set_facecolor("0.85")  # where nobody has met
    picture = axes.imshow(shares, cmap=DIVERGING, vmin=0, vmax=1)
    for (row, column), share in np.ndenumerate(shares):
        if not math.isnan(share):
            colour = "white" if abs(share - 0.5) > 0.3 else "black"
            axes.text(column, row, f"{share:.2f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(picture, label="score of the row against the column", shrink=0.8)
    return save(figure, target)


def read_wins(folder: Path) -> tuple[list[str], Float]:
    """Players, the strongest first, and shares as ``draw_wins`` takes them, of a tournament.

    Raises:
        ConfigError: a table of the tournament is missing, or is none.
    """
    names = list(read_ladder(folder))
    table = folder / "wins.csv"
    shares = np.full((len(names), len(names)), np.nan)
    try:
        with table.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                one, two = (names.index(short_name(row[c])) for c in ("player", "opponent"))
                shares[one, two] = float(row["score"]) / int(row["games"])
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise ConfigError(f"wins {str(table)!r}: {error!r}") from error
    return names, shares
