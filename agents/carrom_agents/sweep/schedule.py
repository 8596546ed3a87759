"""Which trainings a sweep consists of."""

from __future__ import annotations

import dataclasses
import itertools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carrom.errors import ConfigError
from carrom_agents import strict_yaml
from carrom_agents.config import ExperimentConfig, load_config
from carrom_agents.sweep.settings import SweepConfig


@dataclass(frozen=True)
class Cell:
    """One training of a sweep: a process, and one run or, on the planar engine, several.

    Attributes:
        variant: what is compared with others, as it is called in tables.
        task: what it is trained on, as it is called; empty if there is but one.
        config: of the training; it has the seeds, and the cell's folder as its directory.
        folder: of the cell.
    """

    variant: str
    task: str
    config: ExperimentConfig
    folder: Path

    @property
    def name(self) -> str:
        """Of the cell within its sweep."""
        return self.folder.name

    @property
    def seeds(self) -> range:
        """Of its runs."""
        return range(self.config.seed, self.config.seed + self.config.seeds)


def cells_of(sweep: SweepConfig) -> list[Cell]:
    """The trainings of a sweep, the first seeds of all variants first.

    A sweep that is ended early so has something of everything.

    Raises:
        ConfigError: a file that describes no experiment, a setting that there is not, or a
            value that does not fit.
    """
    bases = _bases(sweep)
    short = _short_names(list(sweep.grid))
    first, others = [], []
    for (stem, base), values in itertools.product(
        bases.items(), itertools.product(*sweep.grid.values())
    ):
        chosen = dict(zip(sweep.grid, values, strict=True))
        label = ",".join(f"{short[name]}={_printed(value)}" for name, value in chosen.items())
        named = stem if sweep.configs_are == "variants" and (len(bases) > 1 or not label) else ""
        variant = " ".join(filter(None, (named, label))) or sweep.name
        task = stem if sweep.configs_are == "tasks" else ""
        config = _with(base, {**sweep.overrides, **chosen}, sweep.name)
        if config.env.physics == "planar":
            first.append(_cell(sweep, variant, task, config, sweep.seed, sweep.seeds))
            continue
        seeds = range(sweep.seed, sweep.seed + sweep.seeds)
        cells = [_cell(sweep, variant, task, config, seed, 1) for seed in seeds]
        others.append(cells)
    ordered = first + [cell for cells in zip(*others, strict=True) for cell in cells]
    names = [cell.name for cell in ordered]
    if len(set(names)) < len(names):
        raise ConfigError(f"sweep {sweep.name!r}: two of its cells are called alike: {names}")
    return ordered


def _bases(sweep: SweepConfig) -> dict[str, ExperimentConfig]:
    """What the files describe, by their names without folder and ending."""
    bases = {Path(path).stem: load_config(Path(path)) for path in sweep.configs}
    if len(bases) < len(sweep.configs):
        raise ConfigError(
            f"configs = {list(sweep.configs)}: expected files of different names, as tables and "
            "folders are called after them"
        )
    return bases


def _with(config: ExperimentConfig, settings: dict[str, Any], sweep: str) -> ExperimentConfig:
    """The configuration with settings, given by dotted names, that are not the file's."""
    document = strict_yaml.document_of(config)
    for name, value in settings.items():
        *parts, last = name.split(".")
        section = document
        for part in parts:
            section = section.get(part) if isinstance(section, dict) else None
        if not isinstance(section, dict) or last not in section:
            raise ConfigError(
                f"sweep {sweep!r}: {name}: expected a setting of an experiment, such as "
                "ppo.learning_rate"
            )
        section[last] = value
    return strict_yaml.build(ExperimentConfig, document, f"sweep {sweep!r}")


def _cell(
    sweep: SweepConfig, variant: str, task: str, config: ExperimentConfig, seed: int, seeds: int
) -> Cell:
    which = f"seed{seed}" if seeds == 1 else f"seeds{seed}-{seed + seeds - 1}"
    parts = (re.sub(r"[^\w.=,+-]", "_", part) for part in (task, variant, which) if part)
    folder = sweep.place / "cells" / "-".join(parts)
    return Cell(
        variant=variant,
        task=task,
        config=dataclasses.replace(
            config,
            name="run",
            seed=seed,
            seeds=seeds,
            logging=dataclasses.replace(config.logging, directory=str(folder), progress=False),
        ),
        folder=folder,
    )


def _short_names(settings: list[str]) -> dict[str, str]:
    """The last part of each dotted name, where that says which it is."""
    last = [name.rpartition(".")[2] for name in settings]
    return {
        name: part if last.count(part) == 1 else name
        for name, part in zip(settings, last, strict=True)
    }


def _printed(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(_printed, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
