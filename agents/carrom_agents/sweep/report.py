"""What came of a sweep, for people (tables) and for programs (files)."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from carrom.errors import ConfigError
from carrom_agents.aggregates import (
    Scores,
    estimate,
    improvement_probability,
    interquartile_mean,
    mean_of_tasks,
    median_of_scores,
    performance_profile,
)
from carrom_agents.conclusion import EVALUATION_FILE
from carrom_agents.plots.learning_curves import draw_learning_curves, read_series
from carrom_agents.plots.profiles import draw_profiles
from carrom_agents.run_folder import write_text
from carrom_agents.statistics import Estimate
from carrom_agents.sweep.running import Outcome
from carrom_agents.sweep.schedule import Cell, cells_of
from carrom_agents.sweep.settings import SweepConfig

_MEASURES = {
    "mean": mean_of_tasks,
    "median": median_of_scores,
    "IQM": interquartile_mean,
}
_THRESHOLDS = 101
"""Scores at which a profile is computed."""
_QUANTITIES = {
    "points": "points per stroke",
    "pocketed": "own carrommen pocketed per stroke",
    "success": "share of strokes that pocket an own carromman",
    "won": "share of boards won",
    "evaluation/reward": "points per stroke",
    "evaluation/pocketed": "own carrommen pocketed per stroke",
    "reward": "reward per stroke while exploring",
}


@dataclass(frozen=True)
class Run:
    """A run that came to its end.

    Attributes:
        variant: that it is of.
        task: that it was trained on; empty if there is but one.
        seed: of the run.
        score: in its final evaluation.
        folder: of the run.
    """

    variant: str
    task: str
    seed: int
    score: float
    folder: Path


@dataclass(frozen=True, eq=False)
class SweepReport:
    """A sweep, evaluated.

    Attributes:
        sweep: its settings.
        runs: that came to their end.
        failed: cells that did not, or of which something cannot be read, and how.
        missing: names of cells that have not ended.
        scores: by variant, (runs, tasks): of the seeds that came to their end on every task.
        measures: by variant and measure; a single run's interval is its score.
        improvements: by two variants, how likely a run of the first beats one of the second.
    """

    sweep: SweepConfig
    runs: tuple[Run, ...]
    failed: tuple[Outcome, ...]
    missing: tuple[str, ...]
    scores: dict[str, Scores]
    measures: dict[str, dict[str, Estimate]]
    improvements: dict[tuple[str, str], Estimate]

    @classmethod
    def of(cls, sweep: SweepConfig, outcomes: Mapping[str, Outcome]) -> SweepReport:
        """Look at the runs of a sweep.

        Args:
            sweep: its settings.
            outcomes: of its cells, as far as they have ended.

        Raises:
            ConfigError: bad settings, or a run was not evaluated for the score asked for.
        """
        cells = cells_of(sweep)
        ended = {cell.name: outcomes[cell.name] for cell in cells if cell.name in outcomes}
        runs: list[Run] = []
        for cell in cells:
            if cell.name in ended and ended[cell.name].status == "done":
                try:
                    runs += _runs(sweep, cell, ended[cell.name])
                except _DamagedError as error:
                    ended[cell.name] = replace(ended[cell.name], status="damaged", error=str(error))
        scores = _scores(runs, list(dict.fromkeys(cell.task for cell in cells)))
        rng = np.random.default_rng(sweep.seed)
        return cls(
            sweep=sweep,
            runs=tuple(runs),
            failed=tuple(outcome for outcome in ended.values() if outcome.status != "done"),
            missing=tuple(cell.name for cell in cells if cell.name not in ended),
            scores=scores,
            measures={
                variant: {name: estimate(of, values, rng) for name, of in _MEASURES.items()}
                for variant, values in scores.items()
            },
            improvements={
                (one, other): improvement_probability(scores[one], scores[other], rng)
                for one, other in itertools.permutations(scores, 2)
            },
        )

    def table(self) -> Table:
        """The variants, for people."""
        table = Table(
            title=f"{self.sweep.name}: {_QUANTITIES[self.sweep.score]}, final evaluation on MuJoCo",
            caption="IQM: interquartile mean; intervals: stratified bootstrap over runs, 95 %",
            box=SIMPLE_HEAD,
        )
        table.add_column("variant", overflow="fold")
        table.add_column("runs", justify="right")
        for name in _MEASURES:
            table.add_column(name, no_wrap=True)
        for variant, found in self.measures.items():
            runs = len(self.scores[variant])
            table.add_row(variant, str(runs), *(_cell(e, runs) for e in found.values()))
        return table

    def comparison(self) -> Table:
        """How likely a run of one variant beats one of another, for people."""
        table = Table(
            title="probability that a run of the row beats one of the column", box=SIMPLE_HEAD
        )
        table.add_column("")
        for variant in self.scores:
            table.add_column(variant, overflow="fold")
        for one in self.scores:
            cells = (
                ""
                if one == other
                else _cell(self.improvements[one, other], self._fewest(one, other))
                for other in self.scores
            )
            table.add_row(one, *cells)
        return table

    def failures(self) -> list[str]:
        """A sentence on every cell that did not come to its end."""
        place = self.sweep.place
        return [
            f"{outcome.status}: {outcome.cell} (attempt {outcome.attempts}): {outcome.error}; see "
            f"{place / outcome.log}"
            for outcome in self.failed
        ] + [f"not ended: {name}" for name in self.missing]

    def write(self) -> list[Path]:
        """Write tables (``.csv``) and pictures (``.png``) into the sweep's folder.

        Returns:
            Their paths: the scores, the measures and the comparison; for each task the learning
            curves; the performance profiles. What nothing came of is left out.

        Raises:
            ConfigError: a run has not recorded the metric asked for.
        """
        place = self.sweep.place
        if not self.runs:
            return []
        written = [
            _csv(place / "scores.csv", [vars(run) for run in self.runs]),
            *self._curves(),
        ]
        if self.scores:
            written.append(_csv(place / "measures.csv", self._measure_rows()))
            written += self._profiles()
        if self.improvements:
            written.append(_csv(place / "improvement.csv", self._improvement_rows()))
        return written

    def _fewest(self, *variants: str) -> int:
        return min(len(self.scores[variant]) for variant in variants)

    def _curves(self) -> list[Path]:
        written: list[Path] = []
        for task in dict.fromkeys(run.task for run in self.runs):
            curves: dict[str, list[Any]] = {}
            for run in self.runs:
                if run.task == task:
                    series = read_series(run.folder, self.sweep.curve)
                    curves.setdefault(run.variant, []).append(series)
            name = f"curves-{task}.png" if task else "curves.png"
            quantity = _QUANTITIES[self.sweep.curve]
            written += draw_learning_curves(curves, self.sweep.place / name, quantity=quantity)
        return written

    def _profiles(self) -> list[Path]:
        everything = np.concatenate([scores.ravel() for scores in self.scores.values()])
        low, high = float(everything.min()), float(everything.max())
        margin = 0.05 * max(high - low, 1e-6)
        thresholds = np.linspace(low - margin, high + margin, _THRESHOLDS).tolist()
        rng = np.random.default_rng(self.sweep.seed)
        profiles = {
            variant: performance_profile(scores, thresholds, rng)
            for variant, scores in self.scores.items()
        }
        rows = [
            {"variant": variant, "threshold": threshold, **share.as_dict()}
            for variant, shares in profiles.items()
            for threshold, share in zip(thresholds, shares, strict=True)
        ]
        place, quantity = self.sweep.place, _QUANTITIES[self.sweep.score]
        picture = draw_profiles(profiles, thresholds, place / "profile.png", quantity=quantity)
        return [picture, _csv(place / "profile.csv", rows)]

    def _measure_rows(self) -> list[dict[str, Any]]:
        return [
            {"variant": variant, "measure": name, **found.as_dict()}
            for variant, measures in self.measures.items()
            for name, found in measures.items()
        ]

    def _improvement_rows(self) -> list[dict[str, Any]]:
        return [
            {"variant": one, "other": other, **found.as_dict()}
            for (one, other), found in self.improvements.items()
        ]


class _DamagedError(Exception):
    """What a run has left cannot be read."""


def _runs(sweep: SweepConfig, cell: Cell, outcome: Outcome) -> list[Run]:
    if len(outcome.runs) != len(cell.seeds):
        raise _DamagedError(f"{len(outcome.runs)} runs: expected {len(cell.seeds)}")
    folders = [sweep.place / run for run in outcome.runs]
    return [
        Run(cell.variant, cell.task, seed, _score(folder, sweep.score), folder)
        for seed, folder in zip(cell.seeds, folders, strict=True)
    ]


def _score(folder: Path, name: str) -> float:
    file = folder / EVALUATION_FILE
    try:
        results = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _DamagedError(f"{file} cannot be read ({error})") from None
    try:
        measures = results["boards"] if name == "won" else results["shots"]["players"]["trained"]
        return float(measures[name]["value"])
    except KeyError:
        raise ConfigError(
            f"score = {name!r}: run {str(folder)!r} was not evaluated for it: expected another "
            "score, or evaluation.boards of at least 2 in the configuration"
        ) from None
    except (TypeError, ValueError) as error:
        raise _DamagedError(f"{file} is not an evaluation ({error})") from None


def _scores(runs: Sequence[Run], tasks: Sequence[str]) -> dict[str, Scores]:
    """By variant, (runs, tasks), of the seeds that there is a run of on every task."""
    found: dict[str, dict[int, dict[str, float]]] = {}
    for run in runs:
        found.setdefault(run.variant, {}).setdefault(run.seed, {})[run.task] = run.score
    whole = {
        variant: [
            [of_seed[task] for task in tasks]
            for of_seed in seeds.values()
            if len(of_seed) == len(tasks)
        ]
        for variant, seeds in found.items()
    }
    return {variant: np.array(scores) for variant, scores in whole.items() if scores}


def _cell(found: Estimate, runs: int) -> str:
    """One run has no interval."""
    if runs == 1:
        return f"{found.value:.3f}"
    return f"{found.value:.3f}\n[{found.low:.2f}, {found.high:.2f}]"


def _csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())
    return path
