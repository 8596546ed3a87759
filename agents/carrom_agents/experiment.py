"""An experiment from configuration to run folder: train, evaluate, draw, tell."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import carrom  # noqa: F401 -- registers the environments
from carrom.errors import ConfigError, RenderError
from carrom.opponents import opponent_names, random_player
from carrom_agents import durable
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import (
    CHECKPOINTS,
    CONFIG_FILE,
    forget_after,
    has_checkpoint,
    located,
    restore,
    run_config,
    save,
)
from carrom_agents.config import LEAGUE, SELF, EnvConfig, ExperimentConfig, dump_config
from carrom_agents.device.training import Game, learn_on_device
from carrom_agents.evaluation import evaluate_shots, play_boards
from carrom_agents.learning import (
    Progress,
    TrainingState,
    checkpoint_due,
    initial_state,
    learn,
)
from carrom_agents.logging import (
    GLOBAL_STEP,
    METRICS_FILE,
    check_loggers,
    open_loggers,
)
from carrom_agents.pictures import film
from carrom_agents.player import player_of, untrained_player
from carrom_agents.plots.learning_curves import draw_training
from carrom_agents.roster import find_player, short_name
from carrom_agents.run_folder import create_run_folder, write_json, write_text

_EVALUATION_SEED = 2**31
"""First seed of evaluations while training; those of the training itself are smaller."""
_FINAL_SEED = _EVALUATION_SEED + 2**30
"""First seed of the final evaluation: positions that no choice was made by."""


def make_envs(config: EnvConfig) -> gym.vector.VectorEnv[Any, Any, Any]:
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
            **config.options(),
        )
    except gym.error.Error as error:
        raise ConfigError(f"env.id = {config.id!r}: {error}") from None


def train(config: ExperimentConfig) -> list[Path]:
    """Run an experiment; returns its run folders, one for each seed.

    A folder gets the resolved configuration, versions, metrics (``metrics.jsonl``), what
    the console showed, checkpoints, the final evaluation, a learning curve and a film.

    Raises:
        ConfigError: an option is wrong; nothing has been made then.
        CheckpointError: the opponent is a folder without a trained player; nothing, too.
    """
    check_loggers(config.logging)
    learner = _learner(config)
    runs = [_Run.new(single) for single in _single_runs(config)]
    _go_on(runs, learner)
    return [run.folder for run in runs]


def resume(place: Path) -> Path:
    """Go on with a run from a checkpoint; returns its folder.

    What was recorded after that checkpoint, later checkpoints included, is dropped and made
    again. On one machine's CPU the run ends with the same bits as if it had not been
    interrupted. A run that was ended before its first checkpoint begins again.

    Args:
        place: run folder, whose newest checkpoint is read, or a checkpoint in one.

    Raises:
        CheckpointError: there is no such run, or its checkpoint cannot be used.
    """
    config, (folder, chosen) = run_config(place), located(place)
    check_loggers(config.logging)
    begun = chosen is not None or has_checkpoint(folder)
    run = _Run(config, folder, restore(place, config) if begun else _begun(config))
    learner = _learner(config)
    forget_after(folder, run.state.update)
    _go_on([run], learner)
    return folder


def _single_runs(config: ExperimentConfig) -> list[ExperimentConfig]:
    """A configuration for each of the seeds; of several each says in its name which it is."""
    if config.seeds == 1:
        return [config]
    seeds = range(config.seed, config.seed + config.seeds)
    return [
        dataclasses.replace(config, name=f"{config.name}-seed{seed}", seed=seed, seeds=1)
        for seed in seeds
    ]


def _begun(config: ExperimentConfig) -> TrainingState:
    """What a run begins with: a new network, or the one it is to start from."""
    state = initial_state(config, agent_of(config))
    if config.start_from is None:
        return state
    folder = Path(config.start_from)
    theirs = run_config(folder)
    for name, found, wanted in (
        ("network", theirs.network, config.network),
        ("action coding", theirs.env.action_coding, config.env.action_coding),
    ):
        if found != wanted:
            raise ConfigError(
                f"start_from = {config.start_from!r}: its {name} is {found}: expected {wanted}"
            )
    trained = restore(folder, theirs)
    learner = dataclasses.replace(state.learner, params=trained.learner.params)
    return dataclasses.replace(state, learner=learner, statistics=trained.statistics)


class _Run:
    """A run and where its news go."""

    def __init__(self, config: ExperimentConfig, folder: Path, state: TrainingState) -> None:
        self.config, self.folder, self.state = config, folder, state
        self._screen = Console()

    @classmethod
    def new(cls, config: ExperimentConfig) -> _Run:
        """A run from its beginning, in a folder of its own."""
        state = _begun(config)
        return cls(config, create_run_folder(config), state)

    def say(self, message: Any) -> None:
        """On the screen and in the folder's record."""
        self._screen.print(message)
        with (self.folder / "console.log").open("a", encoding="utf-8") as record:
            Console(file=record, width=100).print(message)

    @contextlib.contextmanager
    def logging(self, *, bar: bool) -> Iterator[None]:
        """The time in which the run is told about: news are logged, and a ``bar`` may be shown."""
        self.say(dump_config(self.config))
        _forget_records_after(self.folder / METRICS_FILE, self.config, self.state.update)
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
        if checkpoint_due(config, update):
            # What a checkpoint goes on from must have been recorded.
            durable.sync(self.folder / METRICS_FILE)
            save(self.folder, config, self.state)


_Learner = Callable[[Sequence[_Run]], None]
"""Trains runs to their end, telling them."""


def _learner(config: ExperimentConfig) -> _Learner:
    """What trains with a configuration; raises whatever is wrong with it."""
    if config.env.physics == "planar":
        game = Game.of(config)

        def on_device(runs: Sequence[_Run]) -> None:
            learn_on_device(
                config,
                agent_of(config),
                game,
                [run.state for run in runs],
                lambda index, progress: runs[index].tell(progress),
            )

        return on_device
    envs = make_envs(config.env)

    def on_environments(runs: Sequence[_Run]) -> None:
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
    for run in runs:
        _conclude(run.config, run.folder, run.state, run.say)


def _forget_records_after(metrics: Path, config: ExperimentConfig, update: int) -> None:
    """Drop what was recorded after ``update``, where a resumed run starts again.

    So is what a killed run was about to write: a line without its end.
    """
    if not metrics.is_file():
        return
    kept = ""
    for line in metrics.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True):
        try:
            step = json.loads(line)[GLOBAL_STEP]
        except (ValueError, TypeError, KeyError):
            break
        # Before the first update everything is recorded anew.
        if not line.endswith("\n") or update == 0 or step > update * config.rollout_strokes:
            break
        kept += line
    write_text(metrics, kept)


def _evaluate(config: ExperimentConfig, state: TrainingState) -> dict[str, float]:
    """How well the most probable action does now, always in the same positions."""
    began = time.perf_counter()
    report = evaluate_shots(
        {"player": player_of(config, state)},
        positions=config.evaluation.positions,
        seed=_EVALUATION_SEED,
        noise=config.env.noise,
    )
    shots = report.players["player"]
    return {
        "evaluation/reward": shots.points.value,
        "evaluation/pocketed": shots.pocketed.value,
        "time/evaluation": time.perf_counter() - began,
    }


def _conclude(
    config: ExperimentConfig, folder: Path, state: TrainingState, say: Callable[[Any], None]
) -> None:
    """Evaluate the trained player, draw, and say where everything is.

    MuJoCo is what counts. A player trained on the planar engine is evaluated there, too: the
    difference is what the transfer costs.
    """
    trained, opponent = player_of(config, state), _opponent(config)
    players = {"trained": trained, "untrained": untrained_player(config), "random": random_player}
    results: dict[str, Any] = {}
    for physics in dict.fromkeys(("mujoco", config.env.physics)):
        of_engine = "" if physics == "mujoco" else f"_{physics}"
        options = {"seed": _FINAL_SEED, "noise": config.env.noise, "physics": physics}
        say(f"on the engine {physics}:")
        shots = evaluate_shots(players, positions=config.evaluation.final_positions, **options)
        say(shots.table())
        results[f"shots{of_engine}"] = shots.as_dict()
        if config.evaluation.boards:
            names = ("trained", short_name(opponent))
            foe = find_player(opponent)
            boards = play_boards(
                trained, foe, boards=config.evaluation.boards, names=names, **options
            )
            say(boards.table())
            results[f"boards{of_engine}"] = boards.as_dict()
    write_json(folder / "evaluation.json", results)
    draw_training(folder, folder / "learning_curve.png")
    if config.evaluation.video_strokes:
        try:
            film(
                trained,
                dataclasses.replace(config.env, opponent=_opponent(config, film=True)),
                strokes=config.evaluation.video_strokes,
                seed=_FINAL_SEED,
                target=folder / "trained.mp4",
            )
        except RenderError as error:  # a machine without graphics has trained all the same
            say(f"no film: {error}")
    say(_directory(folder))


def _opponent(config: ExperimentConfig, *, film: bool = False) -> str:
    """Whom the trained player meets in evaluations: nobody learns from playing himself."""
    name = config.env.opponent
    return "aimer" if name in (SELF, LEAGUE) or (film and name not in opponent_names()) else name


def _directory(folder: Path) -> Table:
    """What lies where in the run folder."""
    table = Table(title=str(folder), title_justify="left", show_header=False, box=None)
    for name, meaning in (
        (CONFIG_FILE, "the resolved configuration"),
        (METRICS_FILE, "every metric of every update"),
        (CHECKPOINTS, "parameters, optimiser and observation statistics"),
        ("evaluation.json", "the tables above, as numbers"),
        ("learning_curve.png", "reward over strokes"),
        ("trained.mp4", "film of the trained player"),
        ("console.log", "this text"),
    ):
        if (folder / name).exists():
            table.add_row(f"  {name}", meaning)
    return table
