"""An experiment from configuration to run folder: train, evaluate, draw, tell."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console

import carrom  # noqa: F401 -- registers the environments
from carrom.errors import CheckpointError, ConfigError
from carrom.vector import BoardWorkers
from carrom_agents import durable
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import (
    CHECKPOINTS,
    check_settings,
    complete_checkpoints,
    forget_after,
    has_checkpoint,
    located,
    restore,
    run_config,
    save,
)
from carrom_agents.conclusion import conclude
from carrom_agents.config import EnvConfig, ExperimentConfig, dump_config
from carrom_agents.device.training import Game, learn_on_device
from carrom_agents.distributed.hosts import leading, part
from carrom_agents.dumps import write_dumps
from carrom_agents.evaluation import evaluate_shots
from carrom_agents.exclusive import alone_in
from carrom_agents.learning import (
    Progress,
    TrainingState,
    checkpoint_due,
    learn,
)
from carrom_agents.logging import (
    METRICS_FILE,
    check_loggers,
    forget_records_after,
    open_loggers,
    records_until,
)
from carrom_agents.player import player_of
from carrom_agents.processor import fix_threads
from carrom_agents.run_folder import create_run_folder, note_resumed
from carrom_agents.seeds import EVALUATION_SEED
from carrom_agents.starting import begun, pinned


def make_envs(
    config: EnvConfig, board_workers: BoardWorkers | None = None
) -> gym.vector.VectorEnv[Any, Any, Any]:
    """The vector environment that a configuration describes.

    Raises:
        ConfigError: no environment of that id, or an option that it does not know.
    """
    try:
        return gym.make_vec(
            config.id,
            num_envs=config.num_envs,
            vectorization_mode="vector_entry_point",
            autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
            workers=config.workers,
            board_workers=board_workers,
            **config.options(),
        )
    except gym.error.Error as error:
        raise ConfigError(f"env.id = {config.id!r}: {error}") from None


def train(config: ExperimentConfig, board_workers: BoardWorkers | None = None) -> list[Path]:
    """Run an experiment; returns its run folders, one for each seed, none but on host 0.

    A folder gets the resolved configuration, versions, metrics (``metrics.jsonl``), what
    the console showed, checkpoints, the final evaluation, a learning curve and a film.

    Args:
        config: of the experiment.
        board_workers: hires the workers of MuJoCo's boards, if not processes; see
            ``carrom.vector.BoardWorkers``.

    Raises:
        ConfigError: an option is wrong; nothing has been made then.
        CheckpointError: the opponent, or what is to be started from, is a folder without a
            trained player; nothing, too.
    """
    fix_threads()
    check_loggers(config.logging)
    config = pinned(config)
    learner = _learner(config, board_workers)
    if not leading():
        _follow([begun(single) for single in _single_runs(config)], learner)
        return []
    with contextlib.ExitStack() as held:
        runs = [_Run.new(single) for single in _single_runs(config)]
        for run in runs:
            held.enter_context(_training(run.folder))
        _go_on(runs, learner)
    return [run.folder for run in runs]


def resume(place: Path, board_workers: BoardWorkers | None = None) -> Path:
    """Go on with a run from a checkpoint; returns its folder.

    What was recorded after that checkpoint, later checkpoints included, is dropped and made
    again. On one machine's CPU the run ends with the same bits as if it had not been
    interrupted. A run that was ended before its first checkpoint begins again.

    Args:
        place: run folder, whose newest checkpoint is read, or a checkpoint in one.
        board_workers: see ``train``.

    Raises:
        CheckpointError: there is no such run, or its checkpoint cannot be used.
        ConfigError: another program is training it.
    """
    fix_threads()
    config, (folder, chosen) = run_config(place), located(place)
    check_loggers(config.logging)
    with _training(folder):
        saved = chosen is not None or has_checkpoint(folder)
        state = _saved(place, config) if saved else begun(config)
        learner = _learner(config, board_workers)
        if not leading():
            _follow([state], learner)
            return folder
        run = _Run.taken_up(config, folder, state)
        run.go_on_from_here()
        _go_on([run], learner)
    return folder


def resume_together(folders: Sequence[Path]) -> None:
    """Go on with runs of one seed after the other that were trained at once.

    They go on from the newest checkpoint that all of them have, as ``resume`` does from one; so
    they end with the same bits as if they had not been interrupted.

    Args:
        folders: of the runs, in the order of their seeds.

    Raises:
        CheckpointError: as ``resume``, or they are not runs that were trained at once.
        ConfigError: another program is training one of them.
    """
    configs = [run_config(folder) for folder in folders]
    together = dataclasses.replace(configs[0], seeds=len(configs))
    names = [str(folder) for folder in folders]
    for index, config in enumerate(configs):
        same = dataclasses.replace(configs[0], name=config.name, seed=configs[0].seed + index)
        if config != same:
            raise CheckpointError(f"{names}: expected runs of one seed after the other, else alike")
    check_loggers(together.logging)
    with contextlib.ExitStack() as held:
        for folder in folders:
            held.enter_context(_training(folder))
        common = set.intersection(
            *({path.name for path in complete_checkpoints(folder)} for folder in folders)
        )
        runs = []
        for folder, config in zip(folders, configs, strict=True):
            state = begun(config)
            if common:
                state = _saved(folder / CHECKPOINTS / max(common), config)
            runs.append(_Run.taken_up(config, folder, state))
        learner = _learner(together)
        for run in runs:
            run.go_on_from_here()
        _go_on(runs, learner)


def _saved(place: Path, config: ExperimentConfig) -> TrainingState:
    """What a run goes on from, as it was configured."""
    state = restore(place, config)
    check_settings(place, config)
    return state


def _training(folder: Path) -> contextlib.AbstractContextManager[None]:
    """The time in which nobody else may train the run; hosts that follow write nothing."""
    return alone_in(folder, "training this run") if leading() else contextlib.nullcontext()


def _single_runs(config: ExperimentConfig) -> list[ExperimentConfig]:
    """A configuration for each of the seeds; of several each says in its name which it is."""
    if config.seeds == 1:
        return [config]
    seeds = range(config.seed, config.seed + config.seeds)
    return [
        dataclasses.replace(config, name=f"{config.name}-seed{seed}", seed=seed, seeds=1)
        for seed in seeds
    ]


class _Run:
    """A run and where its news go."""

    def __init__(self, config: ExperimentConfig, folder: Path, state: TrainingState) -> None:
        self.config, self.folder, self.state = config, folder, state
        self._screen = Console()

    @classmethod
    def new(cls, config: ExperimentConfig) -> _Run:
        """A run from its beginning, in a folder of its own."""
        state = begun(config)
        return cls(config, create_run_folder(config), state)

    @classmethod
    def taken_up(cls, config: ExperimentConfig, folder: Path, state: TrainingState) -> _Run:
        """A run that goes on, unless what it has recorded so far is damaged."""
        records_until(folder / METRICS_FILE, state.update * config.rollout_strokes)
        return cls(config, folder, state)

    def go_on_from_here(self) -> None:
        """Drop later checkpoints, and note with which sources the run goes on."""
        forget_after(self.folder, self.state.update)
        if others := note_resumed(self.config.logging.directory, self.folder, self.state.update):
            self.say(others)

    def say(self, message: Any) -> None:
        """On the screen and in the folder's record."""
        self._screen.print(message)
        file = self.folder / "console.log"
        try:
            with file.open("a", encoding="utf-8") as record:
                Console(file=record, width=100).print(message)
        except OSError as error:
            raise ConfigError(
                f"{file}: cannot be written ({error.strerror}): expected room for the record; "
                "make some, and go on with --resume"
            ) from None

    @contextlib.contextmanager
    def logging(self, *, bar: bool) -> Iterator[None]:
        """The time in which the run is told about: news are logged, and a ``bar`` may be shown."""
        self.say(dump_config(self.config))
        forget_records_after(
            self.folder / METRICS_FILE, self.state.update * self.config.rollout_strokes
        )
        self._logger = open_loggers(
            self.config, self.folder, self._screen if bar else None, self.say
        )
        with contextlib.closing(self._logger):
            self.say(f"training in {self.folder}")
            if self.state.update == 0:
                self._logger.log(0, _evaluate(self.config, self.state))
            yield

    def tell(self, progress: Progress) -> None:
        """Tell the loggers, and write checkpoints."""
        config, metrics, self.state = self.config, progress.metrics, progress.state
        update = self.state.update
        if update % config.evaluation.every_updates == 0 or update == config.updates:
            metrics = metrics | _evaluate(config, self.state)
        self._logger.log(update * config.rollout_strokes, metrics)
        write_dumps(self.folder, progress.dumps)
        if checkpoint_due(config, update):
            # What a checkpoint goes on from must have been recorded.
            durable.sync(self.folder / METRICS_FILE)
            save(self.folder, config, self.state)

    def conclude(self) -> None:
        """Evaluate what has been trained, and show the loggers what came of it."""
        files = conclude(self.config, self.folder, self.state, self.say)
        self._logger.log_artifacts("results", files)


class _Follower:
    """A run on a host that trains along and leaves everything else to host 0."""

    def __init__(self, state: TrainingState) -> None:
        self.state = state

    def tell(self, progress: Progress) -> None:
        """Nothing: host 0 tells."""


_Learner = Callable[[Sequence[_Run | _Follower]], None]
"""Trains runs to their end, telling them."""


def _learner(config: ExperimentConfig, board_workers: BoardWorkers | None = None) -> _Learner:
    """What trains with a configuration; raises whatever is wrong with it."""
    if config.env.physics == "planar":
        game = Game.of(config)

        def on_device(runs: Sequence[_Run | _Follower]) -> None:
            learn_on_device(
                config,
                agent_of(config),
                game,
                [run.state for run in runs],
                lambda index, progress: runs[index].tell(progress),
            )

        return on_device
    envs = make_envs(config.env, board_workers)

    def on_environments(runs: Sequence[_Run | _Follower]) -> None:
        (run,) = runs
        with contextlib.closing(envs):
            learn(config, agent_of(config), envs, run.state, run.tell)

    return on_environments


def _go_on(runs: Sequence[_Run], learner: _Learner) -> None:
    with contextlib.ExitStack() as opened:
        for run in runs:
            # Runs side by side are at the same step, and two bars would overwrite each other.
            opened.enter_context(run.logging(bar=run is runs[0]))
        learner(runs)
        part()
        for run in runs:
            run.conclude()


def _follow(states: Sequence[TrainingState], learner: _Learner) -> None:
    learner([_Follower(state) for state in states])
    part()


def _evaluate(config: ExperimentConfig, state: TrainingState) -> dict[str, float]:
    """How well the most probable action does now, always in the same positions."""
    began = time.perf_counter()
    report = evaluate_shots(
        {"player": player_of(config, state)},
        positions=config.evaluation.positions,
        seed=EVALUATION_SEED,
        noise=config.env.noise,
    )
    shots = report.players["player"]
    return {
        "evaluation/reward": shots.points.value,
        "evaluation/pocketed": shots.pocketed.value,
        "time/evaluation": time.perf_counter() - began,
    }
