"""Everything that defines a sweep, as a frozen dataclass from a file in ``configs/``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from carrom.errors import ConfigError
from carrom_agents import strict_yaml
from carrom_agents.episode import check_at_least

_OWN = ("name", "seed", "seeds", "logging.directory", "logging.progress")
"""Settings of an experiment that the sweep itself decides."""
_MOST = {"seeds": 10_000, "workers": 1024}
"""More are a slip: each is a training, or a process with all that computes loaded."""


@dataclass(frozen=True)
class SweepConfig:
    """A sweep."""

    configs: tuple[str, ...]
    """Files that describe experiments."""
    name: str = "sweep"
    """What it is called."""
    folder: str | None = None
    """Where everything is kept; ``runs/sweep-NAME`` if unset."""
    configs_are: Literal["variants", "tasks"] = "variants"
    """What is compared with each other, or what every variant of the grid is trained on."""
    overrides: dict[str, Any] = field(default_factory=dict)
    """Settings of every run by their dotted names, such as ``ppo.learning_rate``."""
    grid: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """Settings with several values each; every combination is a variant."""
    seeds: int = 3
    """Runs of each variant."""
    seed: int = 0
    """Of the first run; the others follow."""
    workers: int = 1
    """Trainings at a time, each in a process of its own."""
    score: Literal["points", "pocketed", "success", "won"] = "points"
    """What a run is judged by in its final evaluation on MuJoCo: a measure of the strokes, or
    the share of boards won, where boards are played."""
    curve: Literal["evaluation/reward", "evaluation/pocketed", "reward"] = "evaluation/reward"
    """The metric that the learning curves show."""

    def __post_init__(self) -> None:
        if not self.configs or len(set(self.configs)) < len(self.configs):
            raise ConfigError(f"configs = {list(self.configs)}: expected at least one, none twice")
        if not re.fullmatch(r"[\w.+-]+", self.name):
            raise ConfigError(f"name = {self.name!r}: expected letters, digits, - and _")
        check_at_least("seeds", self.seeds, 1)
        check_at_least("seed", self.seed, 0)
        check_at_least("workers", self.workers, 1)
        for name, most in _MOST.items():
            if getattr(self, name) > most:
                raise ConfigError(f"{name} = {getattr(self, name)}: expected at most {most}")
        for where, settings in (("overrides", self.overrides), ("grid", self.grid)):
            for name in settings:
                if name in _OWN:
                    raise ConfigError(f"{where}.{name}: expected no such key, the sweep decides it")
        for name, values in self.grid.items():
            if name in self.overrides:
                raise ConfigError(f"grid.{name}: expected it there or in overrides, not in both")
            if not values or any(one in values[:index] for index, one in enumerate(values)):
                raise ConfigError(
                    f"grid.{name} = {list(values)}: expected at least one value, none twice"
                )

    @property
    def place(self) -> Path:
        """The folder in which everything is kept."""
        return Path(self.folder or f"runs/sweep-{self.name}")


def load_sweep(path: Path) -> SweepConfig:
    """The sweep that a YAML file describes.

    Raises:
        ConfigError: missing file, unknown key, wrong type or bad value: says which and where.
    """
    return strict_yaml.load(SweepConfig, path)
