"""How speeds are measured, and the list of benches."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from carrom.board import Board
from carrom.physics.calibration.shots import Shot

Figures = dict[str, float]
Bench = Callable[[], Figures]
BENCHES: dict[str, Bench] = {}
_REPEATS = 3


def bench(function: Bench) -> Bench:
    """Register a bench, under its function's name; it has the machine to itself."""
    BENCHES[function.__name__] = function
    return function


def one_core_bench(function: Bench) -> Bench:
    """Register a bench of what one core does."""

    def pinned() -> Figures:
        with one_core():
            return function()

    BENCHES[function.__name__] = pinned
    return function


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep all threads of this process on one core, where the system lets it be said."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    _pin({min(before)})
    try:
        yield
    finally:
        _pin(before)


def _pin(cores: set[int]) -> None:
    for task in Path("/proc/self/task").iterdir():
        # A thread may have ended since it was listed.
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(task.name), cores)


def best_rate(
    work: Callable[[], object],
    count: int,
    clock: Callable[[], float] = time.process_time,
    repeats: int = _REPEATS,
) -> float:
    """``count`` over the shortest time of ``work``, 1/s."""
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return count / min(times)


def latencies(work: Callable[[int], object], count: int) -> tuple[float, float]:
    """Median and 95th percentile of the times of ``work(0)``, ``work(1)``, ..., ms.

    Each is waited for. The first call of each is not counted.
    """
    times = []
    for k in range(count):
        work(k)
        start = time.perf_counter()
        work(k)
        times.append(time.perf_counter() - start)
    median, high = np.quantile(times, (0.5, 0.95)) * 1e3
    return float(median), float(high)


def shots_of(kind: Callable[[Board, np.random.Generator], Shot], count: int) -> list[Shot]:
    """Always the same typical strokes."""
    rng = np.random.default_rng(2)
    return [kind(Board(), rng) for _ in range(count)]
