"""What comes after a training: the trained player is evaluated, drawn, filmed and shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
from rich.table import Table

from carrom.env import CarromEnv
from carrom.errors import RenderError
from carrom.opponents import Player, opponent_names, random_player
from carrom.replay import html
from carrom_agents.checkpoint import CHECKPOINTS, CONFIG_FILE
from carrom_agents.config import LEAGUE, SELF, ExperimentConfig
from carrom_agents.dumps import DUMPS
from carrom_agents.episode import episode
from carrom_agents.evaluation import evaluate_shots, play_boards
from carrom_agents.learning import TrainingState
from carrom_agents.logging import METRICS_FILE
from carrom_agents.pictures import film
from carrom_agents.player import player_of, untrained_player
from carrom_agents.plots.learning_curves import draw_training
from carrom_agents.roster import find_player, short_name
from carrom_agents.run_folder import MACHINE_FILE, SEEDS_FILE, write_json, write_text
from carrom_agents.seeds import FINAL_SEED

EVALUATION_FILE = "evaluation.json"
"""Name of the file with the final evaluation in the run folder."""
_PAGE_STROKES = 120
"""Strokes of both after which the board that is shown is cut off."""


def conclude(
    config: ExperimentConfig, folder: Path, state: TrainingState, say: Callable[[Any], None]
) -> list[Path]:
    """Evaluate the trained player, draw, and say where everything is.

    MuJoCo is what counts. A player trained on the planar engine is evaluated there, too: the
    difference is what the transfer costs.

    Args:
        config: of the run.
        folder: of the run, into which everything is written.
        state: at the end of the training.
        say: is given what people should read.

    Returns:
        The files that show what came of the run.
    """
    trained, opponent = player_of(config, state), _opponent(config)
    players = {"trained": trained, "untrained": untrained_player(config), "random": random_player}
    results: dict[str, Any] = {}
    for physics in dict.fromkeys(("mujoco", config.env.physics)):
        of_engine = "" if physics == "mujoco" else f"_{physics}"
        options = {"seed": FINAL_SEED, "noise": config.env.noise, "physics": physics}
        say(f"on the engine {physics}:")
        shots = evaluate_shots(players, positions=config.evaluation.final_positions, **options)
        say(shots.table())
        results[f"shots{of_engine}"] = shots.as_dict()
        if config.evaluation.boards:
            names = ("trained", short_name(opponent))
            count, foe = config.evaluation.boards, find_player(opponent)
            pair = _pair(config, trained)
            boards = play_boards(trained, foe, boards=count, names=names, **pair, **options)
            say(boards.table())
            results[f"boards{of_engine}"] = boards.as_dict()
    write_json(folder / EVALUATION_FILE, results)
    draw_training(folder, folder / "learning_curve.png")
    if config.evaluation.video_strokes:
        _film(config, trained, folder, say)
        write_page(config, trained, folder)
    say(_directory(folder))
    shown = (EVALUATION_FILE, "learning_curve.png", "trained.mp4", "trained.html")
    return [folder / name for name in shown if (folder / name).is_file()]


def _film(
    config: ExperimentConfig, trained: Player, folder: Path, say: Callable[[Any], None]
) -> None:
    """Film the trained player where it was trained."""
    opponent = _opponent(config, shown=True)
    try:
        film(
            trained,
            dataclasses.replace(config.env, opponent=opponent),
            strokes=config.evaluation.video_strokes,
            seed=FINAL_SEED,
            target=folder / "trained.mp4",
        )
    except RenderError as error:  # a machine without graphics has trained all the same
        say(f"no film: {error}")


def write_page(config: ExperimentConfig, trained: Player, folder: Path) -> None:
    """Show a board that the trained player plays on a page in the folder, ``trained.html``."""
    opponent = _opponent(config, shown=True)
    env = gym.make(
        "CarromBoard-v0",
        opponent=opponent,
        noise=config.env.noise,
        max_strokes=_PAGE_STROKES,
        record=True,
        disable_env_checker=True,
        **_pair(config, trained),
    ).unwrapped
    assert isinstance(env, CarromEnv)
    for _ in episode(env, trained, FINAL_SEED):
        pass
    sides = "trained", short_name(opponent)
    seats = env.setting.format.seats
    replay = env.replay({seat: sides[turn % 2] for turn, seat in enumerate(seats)})
    env.close()
    write_text(folder / "trained.html", html(replay))


def _pair(config: ExperimentConfig, trained: Player) -> dict[str, Any]:
    """The options by which the trained player plays both seats of its side, in doubles."""
    return {"doubles": True, "partner": trained} if config.env.doubles else {}


def _opponent(config: ExperimentConfig, *, shown: bool = False) -> str:
    """Whom the trained player meets in evaluations: nobody learns from playing himself."""
    name = config.env.opponent
    return "aimer" if name in (SELF, LEAGUE) or (shown and name not in opponent_names()) else name


def _directory(folder: Path) -> Table:
    """What lies where in the run folder."""
    table = Table(title=str(folder), title_justify="left", show_header=False, box=None)
    for name, meaning in (
        (CONFIG_FILE, "the resolved configuration"),
        (SEEDS_FILE, "what follows from the seed, and how"),
        (MACHINE_FILE, "what it was computed on"),
        (METRICS_FILE, "every metric of every update"),
        (CHECKPOINTS, "parameters, optimiser and observation statistics"),
        (DUMPS, "what was not finite: see scripts/replay_dump.py"),
        (EVALUATION_FILE, "the tables above, as numbers"),
        ("learning_curve.png", "reward over strokes"),
        ("trained.mp4", "film of the trained player"),
        ("trained.html", "a board of the trained player, to be watched in a browser"),
        ("console.log", "this text"),
    ):
        if (folder / name).exists():
            table.add_row(f"  {name}", meaning)
    return table
