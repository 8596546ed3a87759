"""The boards of a vector environment in actors of a Ray cluster, whose loss changes nothing.

A board's course follows from its seed and the decisions. So the program that owns the
environment keeps a snapshot of each actor's boards and what was called since. If the actor is
lost, another one takes the snapshot up, repeats those calls, whose results are known already,
and then answers the call that was waiting.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ray
from ray.cloudpickle import dumps, loads  # pyright: ignore[reportAttributeAccessIssue]
from ray.exceptions import GetTimeoutError, RayError, RayTaskError

from carrom.errors import ConfigError, WorkerError
from carrom.vector import BoardWorker, BoardWorkers, NewBoards
from carrom_agents.distributed.cluster import Cluster

_CHANGING = ("reset", "step")
"""Methods after which boards are not as they were before."""
_SNAPSHOT_EVERY = 16
"""Calls that change boards between two snapshots: one costs 0.6 to 0.8 of such a call."""
_LIVES = 4
"""How many actors a call may cost: one that has ended so many will do so again."""
_PLACED_WITHIN_S = 60.0
"""How long an actor may take to start: it imports the environment first."""


def actors_on(cluster: Cluster) -> BoardWorkers:
    """Hires an actor for each run of boards, each on a processor of its own.

    Give it to a vector environment as ``board_workers``.
    """

    def hire(new_boards: NewBoards, counts: Sequence[int]) -> list[BoardWorker]:
        if len(counts) > cluster.processors:
            raise ConfigError(
                f"workers = {len(counts)}: expected at most {cluster.processors}, as many as the "
                f"cluster at {cluster.address!r} has processors"
            )
        try:
            made = dumps(new_boards)
        except Exception as error:  # whatever a player's pickling raises
            raise new_boards.cannot_be_sent(error) from None
        hired = [
            RayBoards(f"worker {index} of {len(counts)}", made, count)
            for index, count in enumerate(counts)
        ]
        for worker in hired:
            worker.wait_for_place()
        return list(hired)

    return hire


@dataclass(frozen=True)
class _Call:
    """A call of a method of the boards."""

    method: str
    arguments: tuple[Any, ...]


class RayBoards:
    """A worker that is an actor of a Ray cluster, and whoever takes its place.

    Args:
        name: in errors.
        made: what makes the boards, pickled.
        count: number of boards.
    """

    def __init__(self, name: str, made: bytes, count: int) -> None:
        self._name, self._made, self._count = name, made, count
        self._snapshot: bytes | None = None
        self._since: list[_Call] = []
        self._asked: _Call | None = None
        self._answer: Any = None
        self._actor: Any = self._new_actor()

    def wait_for_place(self) -> None:
        """Wait until the actor has started.

        Raises:
            WorkerError: it does not, because no processor is free.
        """
        try:
            ray.get(self._actor.pid.remote(), timeout=_PLACED_WITHIN_S)
        except GetTimeoutError:
            raise WorkerError(
                f"{self._name}: no processor of the cluster was free for its boards within "
                f"{_PLACED_WITHIN_S:g} s"
            ) from None
        except RayError as error:
            raise WorkerError(f"{self._name} cannot start: {error}") from None

    @property
    def pid(self) -> int:
        """Of the process that has the boards."""
        return ray.get(self._actor.pid.remote(), timeout=_PLACED_WITHIN_S)

    def ask(self, method: str, arguments: tuple[Any, ...]) -> None:
        """See ``carrom.vector.BoardWorker``."""
        self._asked = _Call(method, arguments)
        self._send()

    def answer(self) -> tuple[bool, Any]:
        """See ``carrom.vector.BoardWorker``."""
        assert self._asked is not None, "heard before it was asked"
        for _ in range(_LIVES):
            try:
                succeeded, result, snapshot = ray.get(self._answer)
            except RayTaskError as error:  # a result or an error that cannot be pickled
                return False, WorkerError(f"{self._name}: {error}")
            except RayError:
                self._replace()
                continue
            self._note(self._asked, snapshot)
            self._asked = self._answer = None
            return succeeded, result
        raise WorkerError(
            f"{self._name} was lost {_LIVES} times in one call: its boards are lost, make a new "
            "environment"
        )

    def close(self) -> None:
        """See ``carrom.vector.BoardWorker``."""
        if ray.is_initialized():  # the actors of a connection end with it
            ray.kill(self._actor)

    def _new_actor(self) -> Any:
        return _Actor.options(scheduling_strategy="SPREAD").remote(
            self._made, self._count, self._snapshot
        )

    def _send(self) -> None:
        call = self._asked
        assert call is not None
        due = self._snapshot is None or len(self._since) + 1 >= _SNAPSHOT_EVERY
        wanted = due and call.method in _CHANGING
        self._answer = self._actor.call.remote(call.method, call.arguments, wanted)

    def _note(self, call: _Call, snapshot: bytes | None) -> None:
        if snapshot is not None:
            self._snapshot, self._since = snapshot, []
        elif call.method in _CHANGING:
            self._since.append(call)

    def _replace(self) -> None:
        """Put another actor in the place of one that was lost, and ask it what is asked."""
        # It may only be out of reach, and must not go on working for nobody.
        ray.kill(self._actor)
        self._actor = self._new_actor()
        self.wait_for_place()
        for call in self._since:
            self._actor.call.remote(call.method, call.arguments, False)
        self._send()


@ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)
class _Actor:
    """Has the boards, and answers one call after the other."""

    def __init__(self, made: bytes, count: int, snapshot: bytes | None) -> None:
        self._boards = loads(made)(count)
        if snapshot is not None:
            self._boards.set_state(loads(snapshot))

    def call(
        self, method: str, arguments: tuple[Any, ...], snapshot: bool
    ) -> tuple[bool, Any, bytes | None]:
        """Whether the call succeeded, its result or exception, and a snapshot after it."""
        try:
            succeeded, result = True, getattr(self._boards, method)(*arguments)
        except Exception as error:  # whatever it is, it belongs to the caller
            succeeded, result = False, error
        return succeeded, result, dumps(self._boards.get_state()) if snapshot else None

    def pid(self) -> int:
        """Of this process."""
        return os.getpid()
