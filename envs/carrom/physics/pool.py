"""Strokes on several processes.

Threads do not help here: a stroke goes to MuJoCo and back to the interpreter every ten
microseconds or so, and threads that hand the interpreter's lock to each other that often lose
more than they win (two threads were 0.8 to 0.9 times as fast as one). Processes share nothing.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from carrom.errors import ConfigError
from carrom.layout import Layout
from carrom.physics.checks import check_counts
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike

_LONGEST_CHUNK = 24
"""Strokes sent to a worker at once: sending them costs little, waiting for the last as well."""

_engine: MujocoEngine | None = None
"""The engine of a worker process."""


class EnginePool:
    """Worker processes that each have a copy of an engine.

    They are started by ``spawn``, which is safe where JAX has threads, stay until ``close``
    and may be used as a context. As always with ``spawn``, a script that makes one needs an
    ``if __name__ == "__main__"``.

    Args:
        engine: what the workers copy.
        workers: how many.

    Raises:
        ConfigError: ``workers`` < 1.
    """

    def __init__(self, engine: MujocoEngine, workers: int) -> None:
        if workers < 1:
            raise ConfigError(f"workers = {workers}: expected at least 1")
        self.workers = workers
        self._executor = ProcessPoolExecutor(
            workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(engine,),
        )

    def play_many(
        self, layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
    ) -> list[Motion]:
        """Play independent strokes; each outcome is that of the engine's ``play``, to the bit.

        Raises:
            ConfigError: the numbers of layouts, strikes and seats differ.
            PhysicsError: as ``MujocoEngine.play``.
        """
        count = len(strikes)
        check_counts(layouts, strikes, seats)
        # Four chunks or more for each worker, so that none waits long for the last.
        size = max(1, min(_LONGEST_CHUNK, count // (4 * self.workers)))
        parts = [slice(first, first + size) for first in range(0, count, size)]
        motions = self._executor.map(
            _play_part,
            [layouts[part] for part in parts],
            [strikes[part] for part in parts],
            [seats[part] for part in parts],
        )
        return [motion for part in motions for motion in part]

    def close(self) -> None:
        """Stop the workers."""
        self._executor.shutdown()

    def __enter__(self) -> EnginePool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _start(engine: MujocoEngine) -> None:
    global _engine
    _engine = engine


def _play_part(
    layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
) -> list[Motion]:
    assert _engine is not None
    return _engine.play_many(layouts, strikes, seats)
