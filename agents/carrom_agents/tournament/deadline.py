"""Time that somebody has for something, and no longer."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType


class OutOfTime(BaseException):
    """The time is up. No ``Exception``: whoever is late must not be able to go on regardless."""


@contextlib.contextmanager
def deadline(limit_s: float | None) -> Iterator[None]:
    """Interrupt what is done inside once it has taken longer than ``limit_s``.

    In the main thread an alarm interrupts it as soon as Python runs; in other threads, and
    where there are no alarms, it is only found to have been late when it ends by itself.

    Args:
        limit_s: seconds; None for no limit.

    Raises:
        OutOfTime: it has taken longer.
    """
    if limit_s is None:
        yield
        return
    began = time.monotonic()
    with _alarm(limit_s):
        yield
    if time.monotonic() - began > limit_s:
        raise OutOfTime


@contextlib.contextmanager
def _alarm(after_s: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, after_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _out_of_time(signum: int, frame: FrameType | None) -> None:
    raise OutOfTime
