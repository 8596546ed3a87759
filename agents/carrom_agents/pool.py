"""Processes that work for another one, and end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def process_pool(
    workers: int, begin: Callable[..., None] | None = None, *arguments: Any
) -> ProcessPoolExecutor:
    """Processes that leave Ctrl-C to the program that owns them, and end when it does.

    Args:
        workers: how many.
        begin: what each does first, if anything.
        *arguments: of ``begin``.
    """
    return ProcessPoolExecutor(
        workers,
        # A fork deadlocks once JAX has threads.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(begin, arguments),
    )


def _begin(begin: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing else tells an idle process of a pool that its owner was killed.
    threading.Thread(target=_end_with_owner, daemon=True).start()
    if begin is not None:
        begin(*arguments)


def _end_with_owner() -> None:
    owner = multiprocessing.parent_process()
    assert owner is not None
    owner.join()
    os._exit(1)
