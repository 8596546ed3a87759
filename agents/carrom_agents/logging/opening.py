"""The loggers that an experiment asks for."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from carrom_agents.config import ExperimentConfig, LoggingConfig
from carrom_agents.logging.fan_out import FanOut
from carrom_agents.logging.progress import ProgressLogger
from carrom_agents.logging.protocol import METRICS_FILE, MetricsLogger
from carrom_agents.logging.record import JsonLinesLogger
from carrom_agents.logging.tensorboard import TensorBoardLogger, check_tensorboard
from carrom_agents.logging.weights_and_biases import check_wandb, open_wandb


def check_loggers(config: LoggingConfig) -> None:
    """Find out, before anything is made, whether the loggers asked for can work.

    Raises:
        ConfigError: wandb is to be online and has no API key, or TensorBoard is wanted and
            its extra is not installed.
    """
    if config.wandb != "disabled":
        check_wandb(config.wandb)
    if config.tensorboard:
        check_tensorboard()


def open_loggers(
    config: ExperimentConfig,
    folder: Path,
    console: Console | None,
    warn: Callable[[str], None],
) -> FanOut:
    """The loggers that an experiment asks for; see ``loggers_of``.

    Raises:
        ConfigError: the record cannot be written.
    """
    total = config.updates * config.rollout_strokes
    return loggers_of(config.logging, dataclasses.asdict(config), total, folder, console, warn)


def loggers_of(
    chosen: LoggingConfig,
    settings: dict[str, Any],
    total: int,
    folder: Path,
    console: Console | None,
    warn: Callable[[str], None],
) -> FanOut:
    """Open loggers.

    Args:
        chosen: which.
        settings: all those of the run, to be shown.
        total: the last global step.
        folder: the run folder, into which they write.
        console: where a progress bar may be shown; None for no bar.
        warn: is given a sentence about a logger that has failed.

    Raises:
        ConfigError: the record cannot be written.
    """
    record = JsonLinesLogger(folder / METRICS_FILE)
    views: dict[str, MetricsLogger] = {}
    if chosen.wandb != "disabled":
        views["wandb"] = open_wandb(chosen.wandb, chosen.wandb_project, folder, settings, warn)
    if chosen.tensorboard:
        views["tensorboard"] = TensorBoardLogger(folder / "tensorboard")
    if chosen.progress and console is not None:
        views["progress bar"] = ProgressLogger(console, total)
    return FanOut(record, views, warn)
