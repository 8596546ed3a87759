"""The options that all environments share, checked in one place."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from carrom.action import ActionCoding, action_coding
from carrom.board import Board
from carrom.errors import ConfigError, one_of
from carrom.opponents import Player, find_opponent
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import execution_noise
from carrom.play import Physics
from carrom.rack import PACKINGS
from carrom.reward import REWARDS
from carrom.table import Setting
from carrom.tasks import TASKS

_SLOWEST_FILM, _FASTEST_FILM = 0.1, 10_000.0
"""Frames per second; beyond, a film of one stroke would take all memory."""

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
        task = TASKS[one_of("task", self.task, TASKS)]
        limit = task.max_strokes if self.max_strokes is None else self.max_strokes
        if not (isinstance(limit, Integral) and not isinstance(limit, bool) and limit > 0):
            raise ConfigError(f"max_strokes = {limit!r}: expected a positive whole number")
        if not _is_within(self.rack_orientation, -math.tau, math.tau):
            raise ConfigError(
                f"rack_orientation = {self.rack_orientation!r}: expected -2 pi to 2 pi rad"
            )
        rate = self.film_rate
        if rate is not None and not _is_within(rate, _SLOWEST_FILM, _FASTEST_FILM):
            raise ConfigError(
                f"film_rate = {rate!r}: expected None or {_SLOWEST_FILM:g} to {_FASTEST_FILM:g} "
                "frames per second"
            )
        for name, kind in (("board", Board), ("material", Material)):
            if not isinstance(getattr(self, name), kind):
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r}: expected a carrom {kind.__name__}"
                )
        return Setting(
            board=self.board,
            material=self.material,
            task=task,
            packing=PACKINGS[one_of("rack", self.rack, PACKINGS)],
            orientation=float(self.rack_orientation),
            noise=execution_noise(self.noise),
            opponent=find_opponent(self.opponent),
            strict=self.striker_placing == "strict",
            reward=one_of("reward", self.reward, REWARDS),
            agent_breaks=_FIRST[one_of("first", self.first, _FIRST)],
            max_strokes=int(limit),
        )

    def physics(self) -> Physics:
        """The engine that computes the strokes."""
        engine = MujocoEngine(self.board, self.material, self.ground)
        return Physics(engine, self.film_rate)

    def coding(self) -> ActionCoding:
        """How actions code strikes."""
        return action_coding(self.action_coding, self.striker_placing, self.material)


def _is_within(value: Any, low: float, high: float) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and low <= value <= high
