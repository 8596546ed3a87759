"""Learning curves: of one run in detail, or of several runs, compared."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.errors import ConfigError
from carrom_agents.aggregates import estimate, interquartile_mean
from carrom_agents.logging import GLOBAL_STEP, METRICS_FILE
from carrom_agents.plots.style import (
    BAND_OPACITY,
    FAINT,
    colour,
    count_strokes,
    dress,
    new_figure,
    save,
)
from carrom_agents.run_folder import write_text
from carrom_agents.statistics import Estimate

Float = NDArray[np.float64]
Series = tuple[ArrayLike, ArrayLike]
"""Steps and values, both (n,); the steps grow."""

_SMOOTHING = 10
"""Updates over which the training reward of one run is averaged."""
_MOST_POINTS = 400
"""Steps at which a band is computed, at most: more could not be told apart."""


@dataclass(frozen=True, eq=False)
class Curve:
    """What several runs came to.

    Attributes:
        steps: (n,).
        values: n estimates: the interquartile mean over the runs with its interval, which a
            single run does not have.
        runs: the series it is made of.
    """

    steps: Float
    values: tuple[Estimate, ...]
    runs: tuple[tuple[Float, Float], ...]


def draw_learning_curves(
    curves: Mapping[str, Sequence[Series]],
    target: Path,
    *,
    quantity: str,
    smoothing: int = 1,
    steps: str = "strokes trained on",
) -> list[Path]:
    """Draw what several kinds of runs came to over their steps, and write it as a table, too.

    Runs of one kind that differ in nothing but the seed are one curve: the interquartile mean
    of the runs (of two or three, the mean) with its bootstrap interval of 95 % at every step,
    and the runs themselves faintly behind it. Runs whose steps differ are joined by straight
    lines, and the curve reaches as far as all of them.

    Args:
        curves: by label, one series for each seed.
        target: the picture to write, .png; the table goes beside it, as .csv, with the columns
            label, step, value, low, high, runs.
        quantity: what the values are, with their unit; the label of the axis.
        smoothing: points over which every series is averaged first (those up to a point); at
            most as many as the shortest has.
        steps: what the steps count.

    Returns:
        Both files.

    Raises:
        ConfigError: no curves, a label without series, a series that is empty, not finite, or
            whose steps do not grow, runs that have no steps in common, a bad ``smoothing``,
            or a file that cannot be written.
    """
    if not curves:
        raise ConfigError("no learning curves: expected at least one")
    drawn = {label: curve_of(label, runs, smoothing) for label, runs in curves.items()}
    figure = new_figure(7, 4)
    axes = dress(figure.subplots())
    for index, (label, curve) in enumerate(drawn.items()):
        ink, count = colour(index), len(curve.runs)
        if count > 1:
            low, high = ([getattr(e, end) for e in curve.values] for end in ("low", "high"))
            for run in curve.runs:
                axes.plot(*run, color=ink, alpha=0.3, linewidth=0.6)
            axes.fill_between(curve.steps, low, high, color=ink, alpha=BAND_OPACITY, linewidth=0)
            label += f" ({count} runs)"
        # A single point would not show as a line.
        mark = "o" if len(curve.steps) == 1 else None
        axes.plot(curve.steps, [e.value for e in curve.values], color=ink, label=label, marker=mark)
    count_strokes(axes, steps)
    axes.set_ylabel(quantity)
    several = any(len(curve.runs) > 1 for curve in drawn.values())
    axes.legend(title="interquartile mean, 95 % interval" if several else None, frameon=False)
    table = target.with_suffix(".csv")
    save(figure, target)
    write_text(table, _table(drawn))
    return [target, table]


def curve_of(label: str, runs: Sequence[Series], smoothing: int = 1) -> Curve:
    """The curve of some runs; arguments and errors as for ``draw_learning_curves``."""
    if not runs:
        raise ConfigError(f"learning curve {label!r}: expected at least one series, got none")
    if not (isinstance(smoothing, int) and smoothing >= 1):
        raise ConfigError(f"smoothing = {smoothing!r}: expected a whole number of at least 1")
    shortest = min(np.size(values) for _, values in runs)
    if smoothing > max(shortest, 1):
        raise ConfigError(
            f"smoothing = {smoothing}: expected at most {shortest}, the points of the shortest "
            f"series of {label!r}"
        )
    series = tuple(
        _smoothed(*_checked(f"learning curve {label!r}, series {index}", *run), smoothing)
        for index, run in enumerate(runs)
    )
    first, last = max(s[0] for s, _ in series), min(s[-1] for s, _ in series)
    if first > last:
        raise ConfigError(f"learning curve {label!r}: its {len(series)} runs share no steps")
    grid = np.unique(np.concatenate([steps for steps, _ in series]))
    grid = grid[(grid >= first) & (grid <= last)]
    if len(grid) > _MOST_POINTS:
        grid = grid[np.linspace(0, len(grid) - 1, _MOST_POINTS).round().astype(int)]
    scores = np.array([np.interp(grid, *run) for run in series])
    if len(series) == 1:
        return Curve(grid, tuple(Estimate(v, v, v, 1) for v in scores[0].tolist()), series)
    # The same resamples at every step: the band's edges move with the runs, not by chance.
    values = (
        estimate(interquartile_mean, column[:, None], np.random.default_rng(0))
        for column in scores.T
    )
    return Curve(grid, tuple(values), series)


def read_series(run: Path, name: str) -> tuple[Float, Float]:
    """Steps and values of the metric ``name`` in a run's record, both (n,).

    Args:
        run: the run's folder, or its record.
        name: a metric; updates that have no value of it are left out.

    Raises:
        ConfigError: there is no record, it cannot be read, or it has no such metric; says
            which there are.
    """
    records = _records(run)
    steps, values = _series(records, name)
    if not len(steps):
        known = sorted({key for r in records for key in r} - {GLOBAL_STEP})
        raise ConfigError(
            f"record of {str(run)!r} has no metric {name!r}: expected one of {', '.join(known)}"
        )
    return steps, values


def draw_training(run: Path, target: Path) -> Path:
    """Draw the rewards of one run over the strokes it has played.

    Args:
        run: the run's folder, or its record.
        target: the picture to write, .png.

    Raises:
        ConfigError: there is no record, it cannot be read, or the picture cannot be written.
    """
    records = _records(run)
    # Either can be missing, and the other is worth a look: a run without evaluations, or one
    # whose every update diverged.
    steps, rewards = _series(records, "reward")
    figure = new_figure(7, 4)
    axes = dress(figure.subplots())
    if len(steps):
        window = min(_SMOOTHING, len(steps))
        axes.plot(steps, rewards, color=FAINT, linewidth=0.8, label="while exploring")
        smooth = _smoothed(steps, rewards, window)
        axes.plot(*smooth, color=colour(0), label=f"mean of {window} updates")
    axes.plot(
        *_series(records, "evaluation/reward"),
        "o-",
        color=colour(1),
        markersize=4,
        label="most probable action",
    )
    count_strokes(axes, "strokes trained on")
    axes.set_ylabel("reward per stroke (points)")
    axes.legend(frameon=False)
    return save(figure, target)


def _records(run: Path) -> list[dict[str, Any]]:
    record = run / METRICS_FILE if run.is_dir() else run
    try:
        lines = record.read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise ConfigError(f"record {str(record)!r}: {error}") from error
    if not all(isinstance(r, dict) and GLOBAL_STEP in r for r in records):
        raise ConfigError(f"record {str(record)!r}: expected {GLOBAL_STEP!r} in every line")
    return records


def _series(records: Sequence[Mapping[str, Any]], name: str) -> tuple[Float, Float]:
    """Steps and values of the metric ``name`` where it is given."""
    pairs = [(r[GLOBAL_STEP], r[name]) for r in records if r.get(name) is not None]
    steps, values = np.array(pairs, np.float64).reshape(-1, 2).T
    return steps, values


def _smoothed(steps: Float, values: Float, window: int) -> tuple[Float, Float]:
    """Means of ``window`` values each, at the last step of each."""
    window = min(window, len(values))
    return steps[window - 1 :], np.convolve(values, np.full(window, 1 / window), mode="valid")


def _checked(name: str, steps: ArrayLike, values: ArrayLike) -> tuple[Float, Float]:
    x, y = np.asarray(steps, np.float64), np.asarray(values, np.float64)
    if x.ndim != 1 or not len(x) or x.shape != y.shape:
        raise ConfigError(
            f"{name}: steps of shape {x.shape}, values of shape {y.shape}: expected (n,) both"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (np.diff(x) > 0).all()):
        raise ConfigError(f"{name}: expected finite values at steps that grow")
    return x, y


def _table(curves: Mapping[str, Curve]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["label", "step", "value", "low", "high", "runs"])
    for label, curve in curves.items():
        for step, e in zip(curve.steps.tolist(), curve.values, strict=True):
            writer.writerow([label, f"{step:.15g}", e.value, e.low, e.high, len(curve.runs)])
    return text.getvalue()
