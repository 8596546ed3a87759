"""A bar on the screen."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from carrom_agents.logging.protocol import MetricsLogger


class ProgressLogger(MetricsLogger):
    """A progress bar with the latest metrics of the names in ``shown``; it goes when it is full.

    Args:
        console: where it is shown.
        total: strokes of the whole run.
    """

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
        self._total = total
        self._task = self._progress.add_task("", total=total)
        self._progress.start()

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Move the bar."""
        self._latest |= {name: metrics[name] for name in self.shown if name in metrics}
        text = "  ".join(f"{name} {value:.3f}" for name, value in self._latest.items())
        self._progress.update(self._task, completed=step, description=text)
        if step >= self._total:
            self.close()

    def close(self) -> None:
        """Take the bar away."""
        self._progress.stop()
