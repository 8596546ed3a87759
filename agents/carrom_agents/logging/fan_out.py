"""One logger that tells all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from carrom_agents.logging.protocol import METRICS_FILE, MetricsLogger


class FanOut(MetricsLogger):
    """Tells the record, and then whoever looks on.

    What goes wrong with the record is an error. A view that fails is told of once and dropped:
    a training does not end because of those who look on.

    Args:
        record: keeps everything.
        views: of the record, by name.
        warn: is given a sentence about a view that has failed.
    """

    def __init__(
        self,
        record: MetricsLogger,
        views: Mapping[str, MetricsLogger],
        warn: Callable[[str], None],
    ) -> None:
        self._record, self._views, self._warn = record, dict(views), warn
        self._step = -1

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Tell all.

        Raises:
            ValueError: a step smaller than one before it.
            ConfigError: the record cannot be written.
        """
        if step < self._step:
            raise ValueError(f"global step {step} after {self._step}: it never goes back")
        self._step = step
        self._record.log(step, metrics)
        self._tell(lambda view: view.log(step, metrics))

    def log_artifacts(self, name: str, files: Sequence[Path]) -> None:
        """Show all the files."""
        self._record.log_artifacts(name, files)
        self._tell(lambda view: view.log_artifacts(name, files))

    def close(self) -> None:
        """Close all."""
        self._record.close()
        self._tell(lambda view: view.close())

    def _tell(self, tell: Callable[[MetricsLogger], None]) -> None:
        for name, view in list(self._views.items()):
            try:
                tell(view)
            except Exception as error:  # whatever it is, the training goes on
                del self._views[name]
                reason = " ".join(str(error).split()) or type(error).__name__
                self._warn(f"{name}: {reason}: not told any more; {METRICS_FILE} has everything")
