"""The training loop of expert iteration, from configuration to run folder.

(Anthony, Tian and Barber 2017, https://arxiv.org/abs/1705.08439.) The expert is one step of
search: every proposed strike, rehearsed. The network learns to foresee what the expert finds out,
and its value is what the expert's next rehearsals end in; so each makes the other better.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import jax
import numpy as np
from flax import struct
from numpy.typing import NDArray
from rich.console import Console

from carrom.errors import CheckpointError, WorkerError
from carrom.opponents import Player
from carrom.view import View
from carrom_agents import strict_yaml
from carrom_agents.exclusive import alone_in
from carrom_agents.foresight.conclusion import conclude
from carrom_agents.foresight.lessons import Lessons, blank_lessons, joined, newest
from carrom_agents.foresight.player import ForesightPlayer, LearnedValue, foresight_of
from carrom_agents.foresight.rehearsing import rehearsal_of
from carrom_agents.foresight.school import Played, School, Tables
from carrom_agents.foresight.settings import ITERATION_FILE, IterationConfig, load_iteration
from carrom_agents.foresight.study import Student, Study, annealed
from carrom_agents.league import League
from carrom_agents.logging import (
    METRICS_FILE,
    check_loggers,
    forget_records_after,
)
from carrom_agents.logging.opening import loggers_of
from carrom_agents.named_arrays import read_arrays, write_arrays
from carrom_agents.planner.proposing import Propose, ScriptedProposals
from carrom_agents.planner.worth import StaticWorth
from carrom_agents.pool import process_pool
from carrom_agents.processor import fix_threads
from carrom_agents.roster import find_player
from carrom_agents.run_folder import begin_run_folder, note_resumed, write_text
from carrom_agents.scripted import aimer

PLAYER_FILE = "player.npz"
"""Name of the file, in a run folder, with the network alone."""
STATE_FILE = "state.npz"
"""Name of the file, in a run folder, from which a training goes on."""
BEGUN_FILE = "begun.yaml"
"""Name of the file, in a run folder, with the configuration that the state was made with."""
_TOLD_OF = ("name", "workers", "evaluation", "logging")
"""Settings that do not change what is learned."""
LESSONS = "lessons"
"""Name of the folder with a file of lessons for every round."""


@struct.dataclass
class IterationState:
    """All that changes from round to round.

    Attributes:
        round: int64 (), rounds done.
        student: network and optimiser.
        tables: boards in play.
        league: former networks, and how the boards against them ended.
    """

    round: NDArray[np.int64]
    student: Student
    tables: Tables
    league: League


@dataclasses.dataclass(frozen=True, eq=False)
class _Asked:
    """A player asked in another process."""

    player: Player
    propose: Propose
    count: int

    def strikes(self, views: Sequence[View], seeds: Sequence[tuple[int, ...]]) -> Any:
        """Proposals (B, K, 3)."""
        drawn = [
            self.propose(view, np.random.default_rng(seed), self.count)
            for view, seed in zip(views, seeds, strict=True)
        ]
        return np.stack(drawn).astype(np.float32)

    def decisions(self, views: Sequence[View], seeds: Sequence[tuple[int, ...]]) -> Any:
        """Decisions (B, 3)."""
        decided = [
            self.player(view, np.random.default_rng(seed))
            for view, seed in zip(views, seeds, strict=True)
        ]
        return np.array([(each.place, each.direction, each.speed) for each in decided], np.float32)


class Iteration:
    """A training and the functions that it is made of.

    Args:
        config: of the training.
        pool: names the candidates.
    """

    def __init__(self, config: IterationConfig, pool: Executor) -> None:
        self.config = config
        self.foresight = foresight_of(config.network, config.noise)
        self.study = Study(self.foresight, config.study)
        asked = _Asked(aimer, ScriptedProposals(), config.lessons.candidates)

        def propose(views: Sequence[View], seeds: Sequence[tuple[int, ...]]) -> Any:
            parts = np.array_split(np.arange(len(views)), 2 * config.workers)
            jobs = [
                pool.submit(asked.strikes, [views[r] for r in rows], [seeds[r] for r in rows])
                for rows in parts
                if len(rows)
            ]
            return np.concatenate([job.result() for job in jobs])

        self.school = School(
            config, self.foresight, rehearsal_of(config.noise), propose, asked.decisions
        )

    def begin(self) -> IterationState:
        """The state before the first round."""
        student = self.study.begin(jax.random.key(self.config.seed))
        return IterationState(
            round=np.asarray(0, np.int64),
            student=jax.device_get(student),
            tables=self.school.first_tables(),
            league=League.empty(self.config.league, student.params, ()),
        )

    def gather(self, state: IterationState) -> Played:
        """The lessons of the next round."""
        params, number = state.student.params, int(state.round)
        learned = number >= self.config.static_rounds
        evaluate = LearnedValue(self.foresight, params) if learned else StaticWorth()
        return self.school.round(number, state.tables, params, state.league, evaluate)

    def learned(
        self, state: IterationState, played: Played, lessons: Lessons
    ) -> tuple[IterationState, dict[str, float]]:
        """The state after a round, and what is told about it.

        Args:
            state: before it.
            played: in it.
            lessons: all that are kept.
        """
        config, number = self.config, int(state.round)
        rng = np.random.default_rng([config.seed, number, 1])
        positions = config.lessons.boards * config.lessons.strokes
        steps = max(round(config.study.passes * positions / config.study.minibatch), 1)
        rate = annealed(config.study, number / config.rounds)
        student, losses = self.study.learn(state.student, lessons, steps, rate, rng)
        student = jax.device_get(student)
        league = state.league.after(played.games, played.score, config.league)
        if (number + 1) % config.league.snapshot_every_updates == 0:
            league = league.with_snapshot(student.params, ())
        metrics = {
            **{f"loss/{name}": value for name, value in losses.items()},
            "lessons/best": played.best,
            "lessons/chosen": played.chosen,
            "lessons/boards": float(played.boards),
            "study/learning_rate": rate,
            **league.metrics(),
        }
        return IterationState(
            np.asarray(number + 1, np.int64), student, played.tables, league
        ), metrics


def iterate(config: IterationConfig) -> Path:
    """Train; returns the run folder.

    The folder gets the resolved configuration, versions, what was computed on, metrics
    (``metrics.jsonl``), the player and the state after every round, the lessons that are kept,
    the final evaluation and a learning curve.

    Raises:
        ConfigError: the folder cannot be made, a logger cannot work, or there is no such player
            to be met at the end; nothing has been made then.
    """
    fix_threads()
    check_loggers(config.logging)
    for opponent in config.evaluation.opponents:
        find_player(opponent)
    folder = begin_run_folder(
        config.logging.directory, config.name, strict_yaml.dump(config), ITERATION_FILE
    )
    with _training(config, folder) as iteration:
        _go_on(iteration, folder, iteration.begin())
    return folder


def go_on(folder: Path) -> None:
    """Go on with a training that was interrupted, from the last round it finished.

    On one machine it ends with the same bits as if it had not been interrupted.

    Raises:
        CheckpointError: there is no such run, or a file of it is damaged.
        ConfigError: another program is training it.
    """
    fix_threads()
    if not (folder / ITERATION_FILE).is_file():
        raise CheckpointError(f"{folder}: not a run folder: it has no {ITERATION_FILE}")
    config = load_iteration(folder / ITERATION_FILE)
    check_loggers(config.logging)
    with _training(config, folder) as iteration:
        state = iteration.begin()
        if (folder / STATE_FILE).exists():
            _check_settings(folder, config)
            state = read_arrays(folder / STATE_FILE, state)
        if others := note_resumed(config.logging.directory, folder, int(state.round)):
            Console().print(others)
        _go_on(iteration, folder, state)


def _check_settings(folder: Path, config: IterationConfig) -> None:
    """Refuse to go on with settings by which something else would be learned.

    Raises:
        CheckpointError: says which is another.
    """
    began = strict_yaml.document_of(strict_yaml.load(IterationConfig, folder / BEGUN_FILE))
    for name, now in strict_yaml.document_of(config).items():
        if name not in _TOLD_OF and began[name] != now:
            raise CheckpointError(
                f"{folder}: was begun with {name} = {began[name]!r}, is to go on with {now!r}: "
                "expected the same"
            )


def trained_player(folder: Path) -> ForesightPlayer:
    """The player that the training in a run folder has made so far.

    Raises:
        CheckpointError: there is none.
    """
    config = load_iteration(folder / ITERATION_FILE)
    if not (folder / PLAYER_FILE).is_file():
        raise CheckpointError(f"{folder}: no player yet: expected a round to be finished")
    foresight = foresight_of(config.network, config.noise)
    params = read_arrays(folder / PLAYER_FILE, foresight.init(jax.random.key(0)))
    return ForesightPlayer(foresight, params)


@contextlib.contextmanager
def _training(config: IterationConfig, folder: Path) -> Iterator[Iteration]:
    pool = ThreadPoolExecutor(1) if config.workers == 1 else process_pool(config.workers)
    with alone_in(folder, "training this run"), pool:
        try:
            yield Iteration(config, pool)
        except BrokenProcessPool:
            raise WorkerError(
                "a process that names strikes has ended unexpectedly: the rounds that were "
                f"finished are kept, go on with --resume {folder}"
            ) from None


def _go_on(iteration: Iteration, folder: Path, state: IterationState) -> None:
    config, screen = iteration.config, Console()
    per_round = config.lessons.boards * config.lessons.strokes
    lessons = _kept(folder, state, config)
    forget_records_after(folder / METRICS_FILE, int(state.round) * per_round)
    (folder / LESSONS).mkdir(exist_ok=True)
    logger = loggers_of(
        config.logging,
        dataclasses.asdict(config),
        config.rounds * per_round,
        folder,
        screen,
        screen.print,
    )
    screen.print(f"training in {folder}")
    with contextlib.closing(logger):
        while state.round < config.rounds:
            began = time.perf_counter()
            played = iteration.gather(state)
            gathered = time.perf_counter()
            write_arrays(_lessons_file(folder, int(state.round)), played.lessons)
            lessons = newest(joined([*lessons, played.lessons]), config.study.memory)
            state, metrics = iteration.learned(state, played, lessons)
            lessons = [lessons]
            metrics |= {
                "time/lessons": gathered - began,
                "time/study": time.perf_counter() - gathered,
            }
            logger.log(int(state.round) * per_round, metrics)
            if state.round == 1:
                write_text(folder / BEGUN_FILE, strict_yaml.dump(config))
            write_arrays(folder / PLAYER_FILE, state.student.params)
            write_arrays(folder / STATE_FILE, state)
            _drop_lessons(folder, _first_kept(state, config))
        files = conclude(config, folder, trained_player(folder), screen.print)
        logger.log_artifacts("results", files)
    screen.print(f"trained: {folder}")


def _kept(folder: Path, state: IterationState, config: IterationConfig) -> list[Lessons]:
    """Lessons of the rounds before, as far back as they are kept."""
    numbers = range(_first_kept(state, config), int(state.round))
    per_round = config.lessons.boards * config.lessons.strokes
    blank = blank_lessons(per_round, config.lessons.candidates)
    return [read_arrays(_lessons_file(folder, number), blank) for number in numbers]


def _first_kept(state: IterationState, config: IterationConfig) -> int:
    """The first round whose lessons are learned from still."""
    per_round = config.lessons.boards * config.lessons.strokes
    return max(int(state.round) - -(-config.study.memory // per_round), 0)


def _drop_lessons(folder: Path, first: int) -> None:
    """Delete the lessons of the rounds before the ``first``."""
    for file in (folder / LESSONS).glob("*.npz"):
        if file.stem.isdigit() and int(file.stem) < first:
            file.unlink()


def _lessons_file(folder: Path, number: int) -> Path:
    return folder / LESSONS / f"{number:06d}.npz"
