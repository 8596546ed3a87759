"""The boards of a vector environment that are played in one process."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from carrom.decision import ANSWERS, Answer
from carrom.info import reset_info, step_info
from carrom.nets import Nets
from carrom.options import Options
from carrom.play import advance, begin, refuse_faulty
from carrom.replay.recording import replay_of
from carrom.replay.replay import Replay
from carrom.table import Stroke, Table
from carrom.view import View

Start = tuple[NDArray[np.float32], dict[str, Any]]
"""Observation and info of an episode that begins."""


@dataclass(frozen=True)
class BoardStep:
    """What a step did on one board.

    Attributes:
        observation: float32 (D,), at the end of the step.
        reward: sum of the reward terms.
        terminated: the episode ended by the laws.
        truncated: the episode was cut off.
        info: of the step.
        next_start: the episode that began at once where this one ended, if it was to.
    """

    observation: NDArray[np.float32]
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]
    next_start: Start | None


@dataclass(frozen=True, eq=False)
class BoardsState:
    """A snapshot of boards: everything but their options; can be pickled.

    Attributes:
        generators: that seed each board's episodes; None before its first reset.
        seeds: of those generators, -1 where there is none.
        tables: the episodes in play.
        last_tables: the episodes of the last step.
        last_strokes: of the last step.
    """

    generators: tuple[np.random.Generator | None, ...]
    seeds: tuple[int, ...]
    tables: tuple[Table | None, ...]
    last_tables: tuple[Table | None, ...]
    last_strokes: tuple[tuple[Stroke, ...], ...]


class Boards:
    """``count`` boards, each with its own generator and its own episode.

    Args:
        options: of the environment.
        count: number of boards.
    """

    def __init__(self, options: Options, count: int) -> None:
        self._setting = options.setting()
        self._coding = options.coding()
        self._physics = options.new_physics()
        self._generators: list[np.random.Generator | None] = [None] * count
        self._seeds = [-1] * count
        self._tables: list[Table | None] = [None] * count
        self._last_strokes: list[tuple[Stroke, ...]] = [()] * count
        self._last_tables: list[Table | None] = [None] * count

    def reset(self, seeds: Sequence[int | None], which: Sequence[int]) -> list[Start]:
        """Begin episodes on the boards ``which``, each from its seed if it has one.

        Args:
            seeds: one per board of ``which``.
            which: indices of boards.
        """
        starts = self._begin(seeds, which)
        self._remember_strokes(which)
        return starts

    def step(
        self, decisions: Sequence[Any], which: Sequence[int], restart: bool
    ) -> list[BoardStep]:
        """Play a decision, coded as an action or an ``Answer``, on each board of ``which``.

        Args:
            decisions: one per board of ``which``.
            which: indices of boards.
            restart: begin the next episode at once where one ends.
        """
        tables = [self._table(index) for index in which]
        advance(self._physics, tables, self._answers(decisions, which))
        self._remember_strokes(which)
        ends = [step_info(table, self._coding) for table in tables]
        over = [i for i, table in zip(which, tables, strict=True) if table.over and restart]
        starts = dict(zip(over, self._begin([None] * len(over), over), strict=True))
        return [
            BoardStep(
                observation=self._setting.observe(table.view),
                reward=reward,
                terminated=table.terminated,
                truncated=table.truncated,
                info=info,
                next_start=starts.get(index),
            )
            for index, table, (info, reward) in zip(which, tables, ends, strict=True)
        ]

    def check(self, decisions: Sequence[Any], which: Sequence[int]) -> list[None]:
        """Refuse decisions that the position does not allow, before any is played.

        Args:
            decisions: one per board of ``which``.
            which: indices of boards.

        Raises:
            ActionError: as ``AnswerCoding.decode`` and ``carrom.play.advance``.
        """
        refuse_faulty([self._table(index) for index in which], self._answers(decisions, which))
        return [None] * len(which)

    def _answers(self, decisions: Sequence[Any], which: Sequence[int]) -> list[Answer]:
        return [
            decision
            if isinstance(decision, ANSWERS)
            else self._coding.decode(decision, self._table(index).view)
            for decision, index in zip(decisions, which, strict=True)
        ]

    def views(self) -> list[View]:
        """The position of each board as its agent sees it."""
        return [self._table(index).view for index in range(len(self._tables))]

    def layouts(self) -> list[Any]:
        """Where the carrommen of each board lie, in the board's frame."""
        return [self._table(index).standing.layout for index in range(len(self._tables))]

    def nets(self) -> list[Nets]:
        """What hangs in the nets of each board."""
        return [self._table(index).nets for index in range(len(self._tables))]

    def last_strokes(self) -> list[tuple[Stroke, ...]]:
        """The strokes of the last step, or reset, of each board."""
        return list(self._last_strokes)

    def replays(self, names: Mapping[int, str] | None) -> list[Replay]:
        """The replay of the episode of each board's last step, or reset."""
        tables = [table for table in self._last_tables if table is not None]
        return [replay_of(table, self._physics, names) for table in tables]

    def generators(self) -> list[np.random.Generator]:
        """The generator that seeds each board's episodes."""
        return [self._generator(index, None) for index in range(len(self._generators))]

    def seeds(self) -> list[int]:
        """The seed of each generator, -1 where there is none yet."""
        return list(self._seeds)

    def get_state(self) -> BoardsState:
        """A snapshot: after ``set_state`` boards made alike go on exactly as from here."""
        return BoardsState(
            generators=tuple(copy.deepcopy(self._generators)),
            seeds=tuple(self._seeds),
            tables=tuple(map(_snapshot, self._tables)),
            last_tables=tuple(map(_snapshot, self._last_tables)),
            last_strokes=tuple(self._last_strokes),
        )

    def set_state(self, state: BoardsState) -> None:
        """Go on from a snapshot of as many boards; it can be used again."""
        self._generators = list(copy.deepcopy(state.generators))
        self._seeds = list(state.seeds)
        self._tables = [_snapshot(table) for table in state.tables]
        self._last_tables = [_snapshot(table) for table in state.last_tables]
        self._last_strokes = list(state.last_strokes)

    def close(self) -> None:
        """Nothing to free: everything is memory."""

    def _begin(self, seeds: Sequence[int | None], which: Sequence[int]) -> list[Start]:
        generators = [self._generator(i, seed) for i, seed in zip(which, seeds, strict=True)]
        begun = begin(self._setting, self._physics, generators)
        for index, table in zip(which, begun, strict=True):
            self._tables[index] = table
        return [
            (self._setting.observe(table.view), reset_info(table, self._coding)) for table in begun
        ]

    def _remember_strokes(self, which: Sequence[int]) -> None:
        for index in which:
            self._last_tables[index] = self._table(index)
            self._last_strokes[index] = tuple(self._table(index).played)

    def _table(self, index: int) -> Table:
        table = self._tables[index]
        assert table is not None, "the vector environment resets before it steps"
        return table

    def _generator(self, index: int, seed: int | None) -> np.random.Generator:
        """The generator of a board: a new one if a seed is given or it has none yet."""
        generator = self._generators[index]
        if seed is not None or generator is None:
            generator, self._seeds[index] = seeding.np_random(seed)
            self._generators[index] = generator
        return generator


def _snapshot(table: Table | None) -> Table | None:
    return None if table is None else table.snapshot()
