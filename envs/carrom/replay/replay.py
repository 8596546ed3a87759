"""A replay: an episode with everything that is needed to play its strokes again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from carrom.board import Board
from carrom.errors import CarromError, ConfigError, one_of
from carrom.laws import MatchFormat
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import NOISE_LEVELS, ExecutionNoise
from carrom.physics.planar.engine import PRECISIONS, PlanarEngine
from carrom.physics.scene import ground_kind
from carrom.sheet import Sheet
from carrom.table import Stroke, Toss
from carrom.tasks import TASKS

Engine = MujocoEngine | PlanarEngine
_LONGEST_NAME = 200
_SEEDS = 3


@dataclass(frozen=True)
class EngineKind:
    """Which engine computed the strokes.

    Attributes:
        name: "mujoco" or "planar".
        variant: the ground of the former, the precision of the latter.

    Raises:
        ConfigError: there is no such engine.
    """

    name: str
    variant: str

    def __post_init__(self) -> None:
        if one_of("name", self.name, ("mujoco", "planar")) == "mujoco":
            ground_kind(self.variant)
        else:
            one_of("variant", self.variant, PRECISIONS)

    @classmethod
    def of(cls, engine: Engine) -> EngineKind:
        """The kind of ``engine``."""
        if isinstance(engine, MujocoEngine):
            return cls("mujoco", engine.ground)
        return cls("planar", engine.precision)

    def new(self, board: Board, material: Material) -> Engine:
        """An engine of this kind."""
        if self.name == "mujoco":
            return MujocoEngine(board, material, self.variant)
        return PlanarEngine(board, material, precision=self.variant)


@dataclass(frozen=True, eq=False)
class Replay:
    """An episode, or as much of it as was played.

    Attributes:
        board: dimensions.
        material: friction and the like.
        engine: what computed the strokes.
        format: singles or doubles, and how long games and matches are.
        task: name of the task, of ``carrom.tasks.TASKS``.
        noise: execution noise of all players.
        seeds: of the episode's sources of chance: start, noise, players at the table.
        names: of the player on each seat that is taken.
        strokes: strokes and incidents in order, without films.
        toss: how it began; None where nobody tossed.
        result: how it ended, from the side of seat 0; None if it was cut off.
        software: versions of what computed it.

    Raises:
        ConfigError: no such task, not three seeds, names of other seats than those taken, or one
            that is too long or not printable.
    """

    board: Board
    material: Material
    engine: EngineKind
    format: MatchFormat
    task: str
    noise: ExecutionNoise
    seeds: tuple[int, ...]
    names: Mapping[int, str]
    strokes: tuple[Stroke, ...]
    toss: Toss | None = None
    result: Mapping[str, Any] | None = None
    software: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of("task", self.task, TASKS)
        if set(self.names) != set(self.format.seats):
            raise ConfigError(
                f"names of seats {sorted(self.names)}: expected of seats {self.format.seats}"
            )
        for seat, name in self.names.items():
            # What is not printable could forge lines of a sheet, or cannot be written at all.
            if not (name.isprintable() and len(name) <= _LONGEST_NAME):
                raise ConfigError(
                    f"name of seat {seat} = {name!r:.60}: expected at most {_LONGEST_NAME} "
                    "printable characters"
                )
        if len(self.seeds) != _SEEDS:
            raise ConfigError(f"seeds = {list(self.seeds)!r:.60}: expected {_SEEDS} of them")

    def __repr__(self) -> str:
        players = ", ".join(self.names[seat] for seat in sorted(self.names))
        return f"<Replay of a {self.task}: {players}; {len(self.strokes)} strokes>"

    @property
    def noise_level(self) -> str:
        """What the level of noise is called; "other" if it has no name."""
        names = (name for name, noise in NOISE_LEVELS.items() if noise == self.noise)
        return next(names, "other")

    def new_engine(self) -> Engine:
        """An engine that computes the strokes as they were computed."""
        return self.engine.new(self.board, self.material)

    def save(self, path: str | Path) -> Path:
        """Write it to a file; see ``carrom.replay.file.save``."""
        # The file's module makes replays out of files, so it needs this one first.
        from carrom.replay.file import save

        return save(self, path)

    def sheet(self) -> list[str]:
        """The umpire's sheet, line by line.

        Raises:
            ConfigError: a stroke contradicts itself or those before it, as can be in a file
                that was changed.
        """
        unit = TASKS[self.task].unit
        sheet = Sheet(self.format, self.names, unit=unit, toss=self.toss)
        lines = sheet.heading()
        for number, stroke in enumerate(self.strokes, 1):
            with consistent(number):
                lines += sheet.entry(stroke)
        if self.result is None:
            lines.append(f"Cut off after {len(self.strokes)} strokes")
        return lines


@contextlib.contextmanager
def consistent(number: int) -> Iterator[None]:
    """Say which stroke of a replay it is that cannot be put into words.

    What the words take for granted holds for all that was played, but not for every file.

    Raises:
        ConfigError: in place of what an impossible stroke runs into.
    """
    try:
        yield
    except CarromError:
        raise
    except (AssertionError, LookupError, ValueError, StopIteration) as error:
        raise ConfigError(
            f"stroke {number} contradicts itself or those before it: see --verify"
        ) from error


def software() -> dict[str, str]:
    """The versions installed here of what the bits of a stroke may depend on."""
    return {name: version(name) for name in ("carrom-rl", "mujoco", "numpy", "jax")}
