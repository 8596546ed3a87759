"""Drills in a file: JSON that is checked as strictly as a configuration."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from carrom.errors import ConfigError
from carrom_agents import strict_yaml
from carrom_agents.drills.drill import Drill


@dataclass(frozen=True)
class DrillFile:
    """What a file of drills holds."""

    drills: tuple[Drill, ...]
    """In the order in which they are shown."""

    def __post_init__(self) -> None:
        names = [drill.name for drill in self.drills]
        twice = sorted({name for name in names if names.count(name) > 1})
        if not names or twice:
            raise ConfigError(f"drills named twice: {twice}: expected some, each name once")


def load_drills(path: Path | None = None) -> tuple[Drill, ...]:
    """The drills in a file; those that come with the package if none is given.

    Raises:
        ConfigError: no such file, not JSON, an unknown key, a wrong type, or a position that
            the laws do not allow: says which drill and what.
    """
    if path is not None:
        # Every JSON document is a YAML document, and the same demands are made of it.
        return strict_yaml.load(DrillFile, path).drills
    with as_file(files("carrom_agents") / "data" / "drills.json") as own:
        return load_drills(own)


def write_drills(path: Path, drills: Sequence[Drill]) -> None:
    """Write drills so that ``load_drills`` reads the same ones, one drill a line."""
    lines = ",\n".join(json.dumps(dataclasses.asdict(drill)) for drill in drills)
    path.write_text(f'{{"drills": [\n{lines}\n]}}\n', encoding="utf-8")
