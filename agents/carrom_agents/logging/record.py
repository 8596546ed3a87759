"""The record of a run: every metric of every update, as JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from carrom.errors import ConfigError
from carrom_agents.logging.protocol import GLOBAL_STEP, MetricsLogger


class JsonLinesLogger(MetricsLogger):
    """One JSON object a line, appended and flushed at once; what is not finite becomes null.

    Raises:
        ConfigError: the file cannot be written, when it is opened or later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # Unbuffered: what could not be written is not tried again when the file is closed.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise self._failed(error) from error

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Append a line."""
        finite = {k: v if math.isfinite(v) else None for k, v in metrics.items()}
        line = f"{json.dumps({GLOBAL_STEP: step, **finite}, allow_nan=False)}\n".encode()
        try:
            written = self._file.write(line)
        except OSError as error:
            raise self._failed(error) from error
        if written != len(line):
            raise self._failed("the disk is full")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _failed(self, error: OSError | str) -> ConfigError:
        reason = error if isinstance(error, str) else error.strerror
        return ConfigError(
            f"{self._path}: cannot be written ({reason}): expected room for the record; make "
            "some, and go on with --resume"
        )
