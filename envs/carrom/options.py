"""The options that all environments share, checked in one place."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from carrom.action import ActionCoding, action_coding
from carrom.board import Board
from carrom.errors import ConfigError
from carrom.opponents import Player, find_opponent
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import execution_noise
from carrom.play import Physics
from carrom.rack import PACKINGS
from carrom.reward import check_reward
from carrom.table import Setting
from carrom.tasks import TASKS

_FIRST = {"random": None, "agent": True, "opponent": False}


@dataclass(frozen=True)
class Options:
    """Options of an environment; see ``carrom.env.CarromEnv`` for their meaning.

    Raises:
        ConfigError: an unknown name or a value out of range; names the option, the value
            and what was expected.
    """

    task: str
    opponent: str | Player = "random"
    action_coding: str = "direct"
    striker_placing: str = "snap"
    noise: str = "none"
    reward: str = "aicf"
    first: str = "random"
    rack: str = "tight"
    rack_orientation: float = 0.0
    max_strokes: int | None = None
    ground: str = "coulomb"
    film_rate: float | None = None
    board: Board = field(default_factory=Board)
    material: Material = field(default_factory=Material)

    @classmethod
    def of(cls, task: str, options: dict[str, Any]) -> Options:
        """Options from keywords.

        Raises:
            ConfigError: as the class, or a keyword that is no option.
        """
        known = {option.name for option in dataclasses.fields(cls)} - {"task"}
        for name in options:
            if name not in known:
                raise ConfigError(f"unknown option {name!r}: expected one of {sorted(known)}")
        return cls(task, **options)

    def setting(self) -> Setting:
        """What stays the same from episode to episode."""
        task = TASKS[_one_of("task", self.task, TASKS)]
        limit = task.max_strokes if self.max_strokes is None else self.max_strokes
        if not (isinstance(limit, int) and limit > 0):
            raise ConfigError(f"max_strokes = {limit!r}: expected a positive whole number")
        if self.film_rate is not None and not self.film_rate > 0:
            raise ConfigError(f"film_rate = {self.film_rate!r}: expected frames per second > 0")
        for name, kind in (("board", Board), ("material", Material)):
            if not isinstance(getattr(self, name), kind):
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r}: expected a carrom {kind.__name__}"
                )
        return Setting(
            board=self.board,
            material=self.material,
            task=task,
            packing=PACKINGS[_one_of("rack", self.rack, PACKINGS)],
            orientation=float(self.rack_orientation),
            noise=execution_noise(self.noise),
            opponent=find_opponent(self.opponent),
            strict=self.striker_placing == "strict",
            reward=check_reward(self.reward),
            agent_breaks=_FIRST[_one_of("first", self.first, _FIRST)],
            max_strokes=limit,
        )

    def physics(self) -> Physics:
        """The engine that computes the strokes."""
        engine = MujocoEngine(self.board, self.material, self.ground)
        return Physics(engine, self.film_rate)

    def coding(self) -> ActionCoding:
        """How actions code strikes."""
        return action_coding(self.action_coding, self.striker_placing, self.material)


def _one_of(option: str, name: str, known: dict[str, Any]) -> str:
    if name not in known:
        raise ConfigError(f"{option} = {name!r}: expected one of {list(known)}")
    return name
