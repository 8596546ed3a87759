"""The boards of a vector environment, shared out among workers: processes, unless others are given.

Python itself takes about as long for a stroke as the physics does, so threads only get in
each other's way; processes scale. They are spawned, never forked: a fork deadlocks once JAX
has threads. Whoever has workers elsewhere gives a function that makes them.
"""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeAlias

import numpy as np

from carrom.boards import Boards, BoardStep, Start
from carrom.errors import ConfigError, WorkerError
from carrom.nets import Nets
from carrom.options import CALLABLES, Options
from carrom.replay.replay import Replay
from carrom.table import Stroke
from carrom.view import View


@dataclass(frozen=True)
class NewBoards:
    """Makes boards, here or, pickled, elsewhere.

    Attributes:
        options: of the environment.
    """

    options: Options

    def __call__(self, count: int) -> Boards:
        """``count`` new boards."""
        return Boards(self.options, count)

    def cannot_be_sent(self, error: Exception) -> ConfigError:
        """What to raise where pickling has failed with ``error``."""
        given = {name: getattr(self.options, name) for name in CALLABLES}
        named = ", ".join(f"{name} = {v!r}" for name, v in given.items() if callable(v))
        return ConfigError(
            f"{named}: cannot be sent to a worker ({error}): expected names, or callables that can "
            "be pickled"
        )


class BoardWorker(Protocol):
    """Plays some of the boards, elsewhere; is asked and heard in turns."""

    def ask(self, method: str, arguments: tuple[Any, ...]) -> None:
        """Have a method of ``carrom.boards.Boards`` called; does not wait for it.

        Raises:
            WorkerError: the worker, and with it its boards, is lost.
        """
        ...

    def answer(self) -> tuple[bool, Any]:
        """Wait for what the call gave: True and its result, or False and its exception.

        Raises:
            WorkerError: the worker, and with it its boards, is lost.
        """
        ...

    def close(self) -> None:
        """Let go of the boards; returns once the worker has ended."""
        ...


BoardWorkers: TypeAlias = Callable[[NewBoards, Sequence[int]], Sequence[BoardWorker]]
"""Makes a worker for each of the numbers of boards; raises ConfigError if they cannot be sent."""


def in_processes(new_boards: NewBoards, counts: Sequence[int]) -> list[BoardWorker]:
    """A process of this machine for each of the numbers of boards.

    Programs that use this must keep their main module importable
    (``if __name__ == "__main__":``), as always where processes are spawned.

    Raises:
        ConfigError: the players cannot be pickled.
    """
    return [
        _Process(f"worker {index} of {len(counts)}", new_boards, count)
        for index, count in enumerate(counts)
    ]


class _Process:
    """A worker that is a process of this machine."""

    def __init__(self, name: str, new_boards: NewBoards, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._name = name
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, new_boards, count), daemon=True
        )
        try:
            self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise new_boards.cannot_be_sent(error) from None
        theirs.close()

    def ask(self, method: str, arguments: tuple[Any, ...]) -> None:
        """See ``BoardWorker``."""
        try:
            self._pipe.send((method, arguments))
        except (BrokenPipeError, OSError):
            raise self._died() from None

    def answer(self) -> tuple[bool, Any]:
        """See ``BoardWorker``."""
        try:
            return self._pipe.recv()
        except (EOFError, ConnectionError):
            raise self._died() from None

    def close(self) -> None:
        """See ``BoardWorker``."""
        self._pipe.close()  # which ends the process that reads from it
        self._process.join()

    def _died(self) -> WorkerError:
        self._process.join(timeout=1)
        return WorkerError(
            f"{self._name} ended with exit code {self._process.exitcode}: its boards are lost, "
            "make a new environment"
        )


class SharedBoards:
    """As ``carrom.boards.Boards``, with the boards shared out among workers.

    The boards are cut into consecutive runs, one for each worker.

    Args:
        new_boards: makes them.
        count: number of boards.
        workers: number of workers, at most ``count``.
        hire: makes the workers.
    """

    def __init__(
        self, new_boards: NewBoards, count: int, workers: int, hire: BoardWorkers = in_processes
    ) -> None:
        edges = np.linspace(0, count, workers + 1).round().astype(int).tolist()
        self._runs = list(itertools.pairwise(edges))
        self._workers = list(hire(new_boards, [end - start for start, end in self._runs]))

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

    def nets(self) -> list[Nets]:
        """See ``Boards.nets``."""
        return self._from_all("nets")

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
        """End the workers."""
        for worker in self._workers:
            worker.close()
        self._workers = []

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
            self._workers[worker].ask(method, calls[worker])
        answers = self._received(asked)
        position = {index: place for place, index in enumerate(which)}
        in_order: list[Any] = [None] * len(chosen)
        for worker, answer in zip(asked, answers, strict=True):
            start = self._runs[worker][0]
            for index, result in zip(calls[worker][1], answer, strict=True):
                in_order[position[start + index]] = result
        return in_order

    def _from_all(self, method: str, *arguments: Any) -> list[Any]:
        for worker in self._workers:
            worker.ask(method, arguments)
        answers = self._received(range(len(self._workers)))
        return [item for answer in answers for item in answer]

    def _received(self, workers: Iterable[int]) -> list[Any]:
        """The answers of ``workers``; all are heard before the error of one is raised."""
        replies = [self._workers[worker].answer() for worker in workers]
        for succeeded, answer in replies:
            if not succeeded:
                raise answer
        return [answer for _, answer in replies]


def _serve(pipe: Connection, new_boards: NewBoards, count: int) -> None:
    """The life of a worker: answer calls until the other end is closed."""
    # Ctrl-C is for the program that owns the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    boards = new_boards(count)
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
