"""A logger nobody waits for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from carrom_agents.logging.protocol import MetricsLogger

_WAITING = 10_000
"""News that may wait to be told: many updates, of some hundred bytes each."""

_Told = Callable[[MetricsLogger], None]


class InBackground(MetricsLogger):
    """Opens and tells another logger in a thread of its own.

    Whatever goes wrong there is raised by the next call. The thread does not keep the program
    from ending.

    Args:
        opened: makes the logger.
        patience: s that ``close`` waits for what is still to be told.
        waiting: how many news may wait.
        advice: said when it has taken too long.
    """

    def __init__(
        self,
        opened: Callable[[], MetricsLogger],
        *,
        patience: float,
        waiting: int = _WAITING,
        advice: str = "",
    ) -> None:
        self._opened, self._patience, self._advice = opened, patience, advice
        self._news: queue.Queue[_Told | None] = queue.Queue(waiting)
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Have it told; returns at once.

        Raises:
            TimeoutError: it does not keep up.
            Exception: it has failed.
        """
        kept = dict(metrics)
        self._put(lambda logger: logger.log(step, kept))

    def log_artifacts(self, name: str, files: Sequence[Path]) -> None:
        """Have it shown the files; returns at once, and raises as ``log`` does."""
        kept = list(files)
        self._put(lambda logger: logger.log_artifacts(name, kept))

    def close(self) -> None:
        """Close it; raises as ``log`` does."""
        self._put(None)
        self._thread.join(self._patience)
        if self._thread.is_alive():
            raise TimeoutError(f"has not finished in {self._patience:g} s{self._advice}")
        self._raise_error()

    def _put(self, told: _Told | None) -> None:
        self._raise_error()
        try:
            self._news.put_nowait(told)
        except queue.Full:
            raise TimeoutError(f"does not keep up{self._advice}") from None

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            logger = self._opened()
            try:
                while (told := self._news.get()) is not None:
                    told(logger)
            except Exception as error:  # raised where somebody waits for it
                self._error = error
            logger.close()
        except Exception as error:
            self._error = self._error or error
