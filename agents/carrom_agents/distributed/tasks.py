"""Work in pieces that do not depend on each other, as tasks of a Ray cluster."""

from __future__ import annotations

import itertools
import queue
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

import ray
from ray.exceptions import LocalRayletDiedError, RayError, RayTaskError

from carrom.errors import WorkerError

LIVES = 4
"""How often a piece is begun: one that has ended its worker so often will do so again."""
_AHEAD = 2
"""Pieces given out for each processor, so that none waits for its next."""
_LOOK_EVERY_S = 1.0
"""How long nothing may come before it is looked at whether Ray is there yet."""
_ENDED = "Ray has ended on this machine: what was done is kept, start again to go on"

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_tasks(
    work: Callable[..., Result],
    items: Iterable[Item],
    shared: tuple[Any, ...],
    processors: int,
    describe: Callable[[Item], str],
) -> Iterator[tuple[Item, Result]]:
    """``work(item, *shared)`` of all items, each with its result when it has one.

    A piece whose worker is lost is begun anew, so it must be the same if done twice.

    Args:
        work: a piece, on one processor.
        items: hashable, none twice.
        shared: what all pieces are given besides; it is sent once.
        processors: of the cluster.
        describe: an item, in errors.

    Raises:
        WorkerError: a piece has lost its worker too often, or Ray has ended on this machine.
        Exception: what a piece raised.
    """
    task: Any = ray.remote(num_cpus=1)(work).options(max_retries=LIVES - 1)
    sent = [ray.put(value) for value in shared]
    coming, raylet = iter(items), _raylet()
    # What is given out must stay referred to.
    given_out: dict[Item, Any] = {}
    done: queue.SimpleQueue[tuple[Item, Future[Result]]] = queue.SimpleQueue()

    def give_out(item: Item) -> None:
        given_out[item] = task.remote(item, *sent)
        given_out[item].future().add_done_callback(lambda ended: done.put((item, ended)))

    try:
        for item in itertools.islice(coming, _AHEAD * processors):
            give_out(item)
        while given_out:
            try:
                item, ended = done.get(timeout=_LOOK_EVERY_S)
            except queue.Empty:
                _check(raylet)
                continue
            result = _result(ended, describe(item))
            del given_out[item]
            for following in itertools.islice(coming, 1):
                give_out(following)
            yield item, result
    finally:
        for reference in given_out.values():
            ray.cancel(reference, force=True)


def _raylet() -> tuple[str, int]:
    """Address and port of Ray's process on this machine."""
    own = ray.get_runtime_context().get_node_id()
    (node,) = (node for node in ray.nodes() if node["NodeID"] == own)
    return node["NodeManagerAddress"], node["NodeManagerPort"]


def _check(raylet: tuple[str, int]) -> None:
    """Find out before Ray does, as it may end this program when it has.

    Raises:
        WorkerError: nobody listens there any more.
    """
    try:
        socket.create_connection(raylet, timeout=10).close()
    except ConnectionRefusedError:
        raise WorkerError(_ENDED) from None
    except OSError:
        pass  # it is busy, or the network: Ray knows how long to wait for these


def _result(ended: Future[Result], description: str) -> Result:
    try:
        return ended.result()
    except RayTaskError as error:
        raise error.cause from None  # as it would have been raised here
    except LocalRayletDiedError:
        raise WorkerError(_ENDED) from None
    except RayError as error:
        raise WorkerError(
            f"{description} has lost its worker {LIVES} times ({type(error).__name__}): what was "
            "done is kept, start again to go on"
        ) from None
