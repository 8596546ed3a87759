"""The options that all environments share, checked in one place."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from carrom.action import action_coding
from carrom.answering import ILLEGAL_PLACINGS, AnswerCoding
from carrom.board import Board
from carrom.clock import CLOCKS, Clock
from carrom.decision import Kind
from carrom.errors import ConfigError, one_of
from carrom.laws import MatchFormat
from carrom.opponents import Player, find_opponent
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import execution_noise
from carrom.physics.planar.engine import PlanarEngine
from carrom.rack import PACKINGS
from carrom.reward import REWARDS
from carrom.striking import Physics
from carrom.table import Setting, StrokeEnd, StrokeReward
from carrom.tasks import AGENT_SEAT, TASKS, Start, Unit

_SLOWEST_FILM, _FASTEST_FILM = 0.1, 10_000.0
"""Frames per second; beyond, a film of one stroke would take all memory."""

_FIRST = {"random": None, "agent": 0, "opponent": 1}
"""The side that breaks first."""
PHYSICS = ("mujoco", "planar")
DUE_PLACINGS = ("scripted", "agent")
CLAIMS = ("always", "never", "agent")
TOSSES = ("break", "side", "agent")
CALLABLES = ("opponent", "partner", "reward", "start", "ends")
"""Options that can be a user's own functions."""


@dataclass(frozen=True)
class Options:
    """Options of an environment; see ``carrom.env.CarromEnv`` for their meaning.

    Raises:
        ConfigError: an unknown name or a value out of range; names the option, the value
            and what was expected.
    """

    task: str
    doubles: bool = False
    opponent: str | Player = "random"
    partner: str | Player = "random"
    action_coding: str = "direct"
    striker_placing: str = "snap"
    noise: str = "none"
    reward: str | StrokeReward = "aicf"
    first: str = "random"
    toss: str = "break"
    due_placing: str = "scripted"
    illegal_placing: str = "charged"
    claims: str = "always"
    time_limit_s: float | None = None
    clock: str = "wall"
    board_limit: int | None = 8
    rack: str = "tight"
    rack_orientation: float = 0.0
    max_strokes: int | None = None
    physics: str = "mujoco"
    ground: str = "coulomb"
    film_rate: float | None = None
    record: bool = False
    start: Start | None = None
    ends: StrokeEnd | None = None
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

    def setting(self, outside: frozenset[int] = frozenset({AGENT_SEAT})) -> Setting:
        """What stays the same from episode to episode.

        Args:
            outside: the seats whose decisions come from outside; players sit on the others.
        """
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
        if type(self.doubles) is not bool:
            raise ConfigError(f"doubles = {self.doubles!r}: expected True or False")
        if type(self.record) is not bool:
            raise ConfigError(f"record = {self.record!r}: expected True or False")
        if self.doubles and (task.solo or task.unit is Unit.STROKE):
            raise ConfigError(f"doubles = True: expected False in task {self.task!r}")
        limit_s = self.time_limit_s
        if limit_s is not None and not (_is_within(limit_s, 0, math.inf) and limit_s > 0):
            raise ConfigError(f"time_limit_s = {limit_s!r}: expected None or seconds > 0")
        self._check_own_task()
        opponent = find_opponent(self.opponent)
        partner = find_opponent(self.partner, "partner")
        # Whoever sits opposite the agent is his partner in doubles, his opponent in singles.
        opposite = partner if self.doubles else opponent
        players = (partner, opponent, opposite, opponent)
        return Setting(
            board=self.board,
            material=self.material,
            task=task,
            format=MatchFormat(doubles=self.doubles, board_limit=self.board_limit),
            packing=PACKINGS[one_of("rack", self.rack, PACKINGS)],
            orientation=float(self.rack_orientation),
            noise=execution_noise(self.noise),
            players=tuple(None if s in outside else player for s, player in enumerate(players)),
            asked=self._asked(),
            strict=self.striker_placing == "strict",
            claims=one_of("claims", self.claims, CLAIMS) != "never",
            breaks_if_won=one_of("toss", self.toss, TOSSES) != "side",
            clock=Clock(limit_s, one_of("clock", self.clock, CLOCKS)),
            reward=self.reward if callable(self.reward) else one_of("reward", self.reward, REWARDS),
            breaker_side=_FIRST[one_of("first", self.first, _FIRST)],
            max_strokes=int(limit),
            tells_request=len(outside) > 1 or limit_s is not None or self._asked() != {Kind.STRIKE},
            record=self.record,
            start=self.start,
            ends=self.ends,
        )

    def new_physics(self) -> Physics:
        """An engine that computes the strokes."""
        if one_of("physics", self.physics, PHYSICS) == "mujoco":
            return Physics(MujocoEngine(self.board, self.material, self.ground), self.film_rate)
        if self.ground != "coulomb":
            raise ConfigError(f"ground = {self.ground!r}: expected 'coulomb' with physics 'planar'")
        return Physics(PlanarEngine(self.board, self.material), self.film_rate)

    def coding(self) -> AnswerCoding:
        """How actions code what a player decides."""
        return AnswerCoding(
            strikes=action_coding(self.action_coding, self.striker_placing, self.material),
            asked=self._asked(),
            masked=one_of("illegal_placing", self.illegal_placing, ILLEGAL_PLACINGS) == "masked",
            board=self.board,
        )

    def _check_own_task(self) -> None:
        """Refuse what is no function, and options that a start of one's own leaves no use for."""
        for name, shape in (
            ("start", "(board, rng) -> Position"),
            ("ends", "(stroke) -> bool"),
        ):
            value = getattr(self, name)
            if not (value is None or callable(value)):
                raise ConfigError(f"{name} = {value!r}: expected None or a callable {shape}")
        if self.start is not None:
            for name, default in (("first", "random"), ("toss", "break")):
                if getattr(self, name) != default:
                    raise ConfigError(
                        f"{name} = {getattr(self, name)!r}: expected {default!r} with start, whose "
                        "positions say who has the turn"
                    )

    def _asked(self) -> frozenset[Kind]:
        """The kinds of decisions that are the players' to take."""
        asked = {Kind.STRIKE}
        if one_of("due_placing", self.due_placing, DUE_PLACINGS) == "agent":
            asked.add(Kind.PLACE)
        if self.claims == "agent":
            asked.add(Kind.CLAIM)
        if self.toss == "agent":
            asked.add(Kind.TOSS)
        return frozenset(asked)


def _is_within(value: Any, low: float, high: float) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and low <= value <= high
