"""The boards of a vector environment, shared out among processes.

Python itself takes about as long for a stroke as the physics does, so threads only get in
each other's way; processes scale. They are spawned, never forked: a fork deadlocks once JAX
has threads.
"""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import signal
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from carrom.boards import Boards, BoardStep, Start
from carrom.errors import ConfigError, WorkerError
from carrom.options import CALLABLES, Options
from carrom.replay.replay import Replay
from carrom.table import Stroke
from carrom.view import View


class SharedBoards:
    """As ``carrom.boards.Boards``, with the boards in ``workers`` processes.

    The boards are cut into consecutive runs, one for each process. Programs that use this
    must keep their main module importable (``if __name__ == "__main__":``), as always where
    processes are spawned.

    Args:
        options: of the environment; callables must be picklable.
        count: number of boards.
        workers: number of processes, at most ``count``.
    """

    def __init__(self, options: Options, count: int, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        edges = np.linspace(0, count, workers + 1).round().astype(int).tolist()
        self._runs = list(itertools.pairwise(edges))
        self._pipes: list[Connection] = []
        self._processes = []
        for start, end in self._runs:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(theirs, options, end - start), daemon=True
            )
            try:
                process.start()
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                given = {name: getattr(options, name) for name in CALLABLES}
                named = ", ".join(f"{name} = {v!r}" for name, v in given.items() if callable(v))
                raise ConfigError(
                    f"{named}: cannot be sent to a worker ({error}): expected names, or callables "
                    "that can be pickled"
                ) from None
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def reset(self, seeds: Sequence[int | None], which: Sequence[int]) -> list[Start]:
        """See ``Boards.reset``."""
        return self._shared_out("reset", which, seeds)

    def step(
        self, decisions: Sequence[Any], which: Sequence[int], restart: bool
    ) -> list[BoardStep]:
        """See ``Boards.step``."""
        return self._shared_out("step", which, decisions, restart)

    def check(self, decisions: Sequence[Any], which: Sequence[int]) -> list[None]:
        """See ``Boards.check``."""
        return self._shared_out("check", which, decisions)

    def views(self) -> list[View]:
        """See ``Boards.views``."""
        return self._from_all("views")

    def layouts(self) -> list[Any]:
        """See ``Boards.layouts``."""
        return self._from_all("layouts")

    def last_strokes(self) -> list[tuple[Stroke, ...]]:
        """See ``Boards.last_strokes``."""
        return self._from_all("last_strokes")

    def replays(self, names: Mapping[int, str] | None) -> list[Replay]:
        """See ``Boards.replays``."""
        return self._from_all("replays", names)

    def generators(self) -> list[np.random.Generator]:
        """See ``Boards.generators``; copies, since the processes keep their own."""
        return self._from_all("generators")

    def seeds(self) -> list[int]:
        """See ``Boards.seeds``."""
        return self._from_all("seeds")

    def close(self) -> None:
        """End the processes."""
        for pipe in self._pipes:
            pipe.close()  # which ends the process that reads from it
        for process in self._processes:
            process.join()
        self._pipes, self._processes = [], []

    def _shared_out(
        self, method: str, which: Sequence[int], values: Sequence[Any], *more: Any
    ) -> list[Any]:
        """Call ``method`` on each process that has boards in ``which``; results in order."""
        chosen = list(zip(which, values, strict=True))
        calls = []
        for start, end in self._runs:
            mine = [(index - start, value) for index, value in chosen if start <= index < end]
            calls.append(([value for _, value in mine], [index for index, _ in mine], *more))
        asked = [worker for worker, call in enumerate(calls) if call[1]]
        for worker in asked:
            self._send(worker, (method, calls[worker]))
        answers = self._received(asked)
        position = {index: place for place, index in enumerate(which)}
        in_order: list[Any] = [None] * len(chosen)
        for worker, answer in zip(asked, answers, strict=True):
            start = self._runs[worker][0]
            for index, result in zip(calls[worker][1], answer, strict=True):
                in_order[position[start + index]] = result
        return in_order

    def _from_all(self, method: str, *arguments: Any) -> list[Any]:
        for worker in range(len(self._pipes)):
            self._send(worker, (method, arguments))
        answers = self._received(range(len(self._pipes)))
        return [item for answer in answers for item in answer]

    def _send(self, worker: int, message: Any) -> None:
        try:
            self._pipes[worker].send(message)
        except (BrokenPipeError, OSError):
            raise self._died(worker) from None

    def _received(self, workers: Iterable[int]) -> list[Any]:
        """The answers of ``workers``; all are heard before the error of one is raised."""
        replies = [self._receive(worker) for worker in workers]
        for succeeded, answer in replies:
            if not succeeded:
                raise answer
        return [answer for _, answer in replies]

    def _receive(self, worker: int) -> tuple[bool, Any]:
        try:
            return self._pipes[worker].recv()
        except (EOFError, ConnectionError):
            raise self._died(worker) from None

    def _died(self, worker: int) -> WorkerError:
        self._processes[worker].join(timeout=1)
        return WorkerError(
            f"worker {worker} of {len(self._processes)} ended with exit code "
            f"{self._processes[worker].exitcode}: its boards are lost, make a new environment"
        )


def _serve(pipe: Connection, options: Options, count: int) -> None:
    """The life of a worker: answer calls until the other end is closed."""
    # Ctrl-C is for the program that owns the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    boards = Boards(options, count)
    while True:
        try:
            method, arguments = pipe.recv()
        except EOFError:
            return
        try:
            answer = True, getattr(boards, method)(*arguments)
        except Exception as error:  # whatever it is, it belongs to the caller
            answer = False, error
        pipe.send(answer)
