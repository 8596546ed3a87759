"""An experiment from configuration to run folder: train, evaluate, draw, tell."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import carrom  # noqa: F401 -- registers the environments
from carrom.errors import ConfigError, RenderError
from carrom.opponents import random_player
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import CHECKPOINTS, CONFIG_FILE, restore, run_config, save
from carrom_agents.config import EnvConfig, ExperimentConfig, dump_config
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
    MetricsLogger,
    check_loggers,
    open_loggers,
)
from carrom_agents.pictures import film, learning_curve
from carrom_agents.player import player_of, untrained_player
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


def train(config: ExperimentConfig) -> Path:
    """Run an experiment; returns its run folder.

    The folder gets the resolved configuration, versions, metrics (``metrics.jsonl``), what
    the console showed, checkpoints, the final evaluation, a learning curve and a film.

    Raises:
        ConfigError: an option is wrong; nothing has been made then.
    """
    check_loggers(config.logging)
    envs = make_envs(config.env)
    folder = create_run_folder(config)
    return _run(config, folder, envs, initial_state(config, agent_of(config)))


def resume(folder: Path) -> Path:
    """Go on with the run in ``folder`` from its newest checkpoint; returns the folder.

    Metrics recorded after that checkpoint are recorded again. On one machine's CPU the run
    ends with the same bits as if it had not been interrupted.

    Raises:
        CheckpointError: there is no such run, or its checkpoint cannot be used.
    """
    config = run_config(folder)
    check_loggers(config.logging)
    return _run(config, folder, make_envs(config.env), restore(folder, config))


def _run(
    config: ExperimentConfig,
    folder: Path,
    envs: gym.vector.VectorEnv[Any, Any, Any],
    state: TrainingState,
) -> Path:
    with (folder / "console.log").open("a", encoding="utf-8") as record:
        screen, file = Console(), Console(file=record, width=100)

        def say(message: Any) -> None:
            screen.print(message)
            file.print(message)
            record.flush()

        say(dump_config(config))
        _forget_after(folder / METRICS_FILE, state.update * config.rollout_strokes)
        logger = open_loggers(config, folder, screen)
        try:
            say(f"training in {folder}")
            state = _train(config, folder, envs, state, logger)
        finally:
            logger.close()
            envs.close()
        _conclude(config, folder, state, say)
    return folder


def _forget_after(metrics: Path, step: int) -> None:
    """Drop what was recorded after ``step``, where a resumed run starts again."""
    if metrics.is_file():
        lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)[GLOBAL_STEP] <= step]
        write_text(metrics, "".join(kept))


def _train(
    config: ExperimentConfig,
    folder: Path,
    envs: gym.vector.VectorEnv[Any, Any, Any],
    state: TrainingState,
    logger: MetricsLogger,
) -> TrainingState:
    """Learn, telling the ``logger`` and writing checkpoints."""

    def tell(progress: Progress) -> None:
        update, metrics = progress.state.update, progress.metrics
        if update % config.evaluation.every_updates == 0 or update == config.updates:
            metrics = metrics | _evaluate(config, progress.state)
        logger.log(update * config.rollout_strokes, metrics)
        if checkpoint_due(config, update):
            save(folder, progress.state)

    if state.update == 0:
        logger.log(0, _evaluate(config, state))
    return learn(config, agent_of(config), envs, state, tell)


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
    """Evaluate the trained player, draw, and say where everything is."""
    trained = player_of(config, state)
    players = {"trained": trained, "untrained": untrained_player(config), "random": random_player}
    options = {"seed": _FINAL_SEED, "noise": config.env.noise}
    shots = evaluate_shots(players, positions=config.evaluation.final_positions, **options)
    say(shots.table())
    results = {"shots": shots.as_dict()}
    if config.evaluation.boards:
        names = ("trained", config.env.opponent)
        boards = play_boards(
            trained, config.env.opponent, boards=config.evaluation.boards, names=names, **options
        )
        say(boards.table())
        results["boards"] = boards.as_dict()
    write_json(folder / "evaluation.json", results)
    learning_curve(folder / METRICS_FILE, folder / "learning_curve.png")
    if config.evaluation.video_strokes:
        try:
            film(
                trained,
                config.env,
                strokes=config.evaluation.video_strokes,
                seed=_FINAL_SEED,
                target=folder / "trained.mp4",
            )
        except RenderError as error:  # a machine without graphics has trained all the same
            say(f"no film: {error}")
    say(_directory(folder))


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
