"""What comes after a training: boards against players that everybody knows, and a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from carrom.opponents import Player
from carrom_agents.conclusion import EVALUATION_FILE
from carrom_agents.evaluation import play_boards
from carrom_agents.foresight.settings import IterationConfig
from carrom_agents.plots.learning_curves import draw_learning_curves, read_series
from carrom_agents.roster import find_player
from carrom_agents.run_folder import write_json
from carrom_agents.seeds import FINAL_SEED

CURVE_FILE = "learning_curve.png"
_CURVES = {
    "rehearsed best": "lessons/best",
    "chosen by the network": "lessons/chosen",
}


def conclude(
    config: IterationConfig, folder: Path, player: Player, say: Callable[[Any], None]
) -> list[Path]:
    """Let the trained player play boards on MuJoCo, and draw what it learned.

    Args:
        config: of the training.
        folder: of the run, into which everything is written.
        player: that was trained.
        say: is given what people should read.

    Returns:
        The files that were written.
    """
    evaluation, results, written = config.evaluation, {}, []
    for opponent in evaluation.opponents if evaluation.boards else ():
        report = play_boards(
            player,
            find_player(opponent),
            boards=evaluation.boards,
            seed=FINAL_SEED,
            noise=config.noise,
            names=("trained", opponent),
        )
        say(report.table())
        results[opponent] = report.as_dict()
    if results:
        write_json(folder / EVALUATION_FILE, results)
        written.append(folder / EVALUATION_FILE)
    if config.rounds > 1:
        curves = {label: [read_series(folder, name)] for label, name in _CURVES.items()}
        written += draw_learning_curves(
            curves,
            folder / CURVE_FILE,
            quantity="points gained and left, by the lessons",
            steps="positions rehearsed",
        )
    return written
