"""What every logger can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

METRICS_FILE = "metrics.jsonl"
"""Name of the record in the run folder."""
GLOBAL_STEP = "global_step"
"""The number of own strokes trained on, which every metric carries."""


class MetricsLogger(Protocol):
    """Someone who is told about metrics, and about files."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Take note of ``metrics`` at the global ``step``."""
        ...

    def log_artifacts(self, name: str, files: Sequence[Path]) -> None:
        """Take note of files that will not change any more; most loggers have no use for them.

        Args:
            name: of what they are together.
            files: that exist.
        """

    def close(self) -> None:
        """Finish writing."""
        ...
