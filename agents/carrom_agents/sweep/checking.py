"""What can be found out about the trainings of a sweep before the first of them begins."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from carrom.errors import CarromError, ConfigError
from carrom_agents.config import LEAGUE, SELF, ExperimentConfig
from carrom_agents.sweep.schedule import Cell
from carrom_agents.sweep.settings import SweepConfig

_FEW_BOARDS = 2
"""Boards that are made to see whether they can be; the fewest that an environment may have."""


def check_cells(cells: Sequence[Cell], sweep: SweepConfig) -> None:
    """Refuse what would be refused when a training of these cells begins, or after it.

    Whether there are enough devices is left to the training: it is on them that it runs.

    Raises:
        ConfigError: says which variant it is of, and what is wrong.
    """
    checked: list[ExperimentConfig] = []
    for cell in cells:
        config = dataclasses.replace(
            cell.config,
            seed=0,
            seeds=1,
            devices=1,
            logging=dataclasses.replace(cell.config.logging, directory=""),
        )
        if config in checked:
            continue
        checked.append(config)
        try:
            _check_score(config, sweep.score)
            _check(config)
        except CarromError as error:
            task = f", task {cell.task!r}" if cell.task else ""
            raise ConfigError(
                f"sweep {sweep.name!r}, variant {cell.variant!r}{task}: {error}"
            ) from None


def _check_score(config: ExperimentConfig, score: str) -> None:
    if score == "won" and not config.evaluation.boards:
        raise ConfigError(
            f"score = {score!r} with evaluation.boards = 0: expected another score, or at least 2 "
            "boards, as no board would be played"
        )


def _check(config: ExperimentConfig) -> None:
    """Raise what ``carrom_agents.experiment.train`` raises before it makes anything."""
    # Loading what computes takes seconds.
    import jax

    # The program of a sweep computes nothing: what there is of a GPU is the trainings'.
    jax.config.update("jax_platforms", "cpu")
    from carrom_agents.device.training import Game
    from carrom_agents.experiment import make_envs
    from carrom_agents.logging import check_loggers
    from carrom_agents.roster import find_player
    from carrom_agents.starting import begun

    check_loggers(config.logging)
    if config.env.physics == "planar":
        Game.of(config)
    else:
        few = dataclasses.replace(config.env, num_envs=_FEW_BOARDS, workers=1)
        make_envs(few).close()
    if config.evaluation.boards and config.env.opponent not in (SELF, LEAGUE):
        find_player(config.env.opponent)
    if config.start_from is not None:
        begun(config)
