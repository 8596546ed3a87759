"""Where metrics go: one protocol, several writers, one that fans out to all of them.

The JSON Lines file in the run folder is the record; everything else is a view of it. Every
metric carries the global step, the number of own strokes trained on, which never goes back.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from carrom.errors import ConfigError
from carrom_agents.config import ExperimentConfig, LoggingConfig

METRICS_FILE = "metrics.jsonl"
"""Name of the record in the run folder."""
GLOBAL_STEP = "global_step"
_WANDB_TIMEOUT = 30
"""s, for an online run to begin."""


class MetricsLogger(Protocol):
    """Someone who is told about metrics."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Take note of ``metrics`` at the global ``step``."""
        ...

    def close(self) -> None:
        """Finish writing."""
        ...


class FanOut:
    """Tells several loggers.

    Raises:
        ValueError: a step smaller than one before it.
    """

    def __init__(self, loggers: Sequence[MetricsLogger]) -> None:
        self._loggers = list(loggers)
        self._step = -1

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Tell all."""
        if step < self._step:
            raise ValueError(f"global step {step} after {self._step}: it never goes back")
        self._step = step
        for logger in self._loggers:
            logger.log(step, metrics)

    def close(self) -> None:
        """Close all."""
        for logger in self._loggers:
            logger.close()


class JsonLinesLogger:
    """One JSON object a line, appended and flushed at once; what is not finite becomes null."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Append a line."""
        finite = {k: v if math.isfinite(v) else None for k, v in metrics.items()}
        json.dump({GLOBAL_STEP: step, **finite}, self._file, allow_nan=False)
        self._file.write("\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ProgressLogger:
    """A progress bar with the latest metrics of the names in ``shown``."""

    shown = ("reward", "evaluation/reward", "evaluation/pocketed")

    def __init__(self, console: Console, total: int) -> None:
        self._latest: dict[str, float] = {}
        self._progress = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.completed:,}/{task.total:,} strokes"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task("", total=total)
        self._progress.start()

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Move the bar."""
        self._latest |= {name: metrics[name] for name in self.shown if name in metrics}
        text = "  ".join(f"{name} {value:.3f}" for name, value in self._latest.items())
        self._progress.update(self._task, completed=step, description=text)

    def close(self) -> None:
        """Take the bar away."""
        self._progress.stop()


class WandbLogger:
    """Weights & Biases. Offline nothing leaves the machine, and nothing needs a network.

    Raises:
        ConfigError: online, and the service cannot be reached or refuses.
    """

    def __init__(self, config: ExperimentConfig, folder: Path) -> None:
        # Imported only where it is used: it takes half a second.
        import wandb

        mode = config.logging.wandb
        settings = wandb.Settings(
            silent=True,
            console="off",
            init_timeout=_WANDB_TIMEOUT,
            reinit="create_new",  # several seeds at once are as many runs
        )
        try:
            self._run = wandb.init(
                project=config.logging.wandb_project,
                name=folder.name,
                dir=str(folder),
                mode=mode,
                config=dataclasses.asdict(config),
                settings=settings,
            )
        except wandb.Error as error:
            reason = " ".join(str(error).split())
            raise ConfigError(
                f"wandb = {mode!r} failed: {reason}: choose --wandb offline"
            ) from error
        self._run.define_metric(GLOBAL_STEP)
        self._run.define_metric("*", step_metric=GLOBAL_STEP)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Log against the global step: wandb drops what goes back on its own counter."""
        self._run.log({GLOBAL_STEP: step, **metrics})

    def close(self) -> None:
        """Finish the run."""
        self._run.finish()


class TensorBoardLogger:
    """TensorBoard events; needs the extra ``tensorboard``."""

    def __init__(self, folder: Path) -> None:
        self._writer: Any = importlib.import_module("tensorboardX").SummaryWriter(str(folder))

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write one scalar event for each metric."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Flush and close."""
        self._writer.close()


def check_loggers(config: LoggingConfig) -> None:
    """Find out, before anything is made, whether the loggers asked for can work.

    Raises:
        ConfigError: wandb is to be online and has no API key, or TensorBoard is wanted and
            its extra is not installed.
    """
    if config.wandb == "online":
        import wandb

        if not wandb.login(prompt=False, verify=False):
            raise ConfigError(
                "wandb = 'online' without an API key: set WANDB_API_KEY, run `wandb login`, or "
                "choose --wandb offline"
            )
    if config.tensorboard and importlib.util.find_spec("tensorboardX") is None:
        raise ConfigError(
            "tensorboard = True needs tensorboardX: pip install 'carrom-rl[tensorboard]'"
        )


def open_loggers(config: ExperimentConfig, folder: Path, console: Console | None) -> FanOut:
    """The loggers that an experiment asks for.

    Args:
        config: of the experiment.
        folder: the run folder, into which they write.
        console: where a progress bar may be shown; None for no bar.

    Raises:
        ConfigError: one of them cannot work.
    """
    chosen = config.logging
    loggers: list[MetricsLogger] = []
    if chosen.wandb != "disabled":
        loggers.append(WandbLogger(config, folder))
    if chosen.tensorboard:
        loggers.append(TensorBoardLogger(folder / "tensorboard"))
    loggers.append(JsonLinesLogger(folder / METRICS_FILE))
    if chosen.progress and console is not None:
        loggers.append(ProgressLogger(console, config.updates * config.rollout_strokes))
    return FanOut(loggers)
