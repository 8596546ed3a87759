"""TensorBoard events; needs the extra ``tensorboard``."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carrom.errors import ConfigError
from carrom_agents.logging.protocol import MetricsLogger


def check_tensorboard() -> None:
    """Find out whether the extra is installed.

    Raises:
        ConfigError: it is not.
    """
    if importlib.util.find_spec("tensorboardX") is None:
        raise ConfigError(
            "tensorboard = True needs tensorboardX: pip install 'carrom-rl[tensorboard]'"
        )


class TensorBoardLogger(MetricsLogger):
    """One scalar event for each metric.

    Args:
        folder: of the events.
    """

    def __init__(self, folder: Path) -> None:
        self._writer: Any = importlib.import_module("tensorboardX").SummaryWriter(str(folder))

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write the events."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Flush and close."""
        self._writer.close()
