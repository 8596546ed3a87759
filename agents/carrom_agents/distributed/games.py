"""The games of a tournament as tasks of a Ray cluster.

A game is determined by its fixture and the conditions, so it may be begun anew wherever its
worker was lost. It is the program that owns the tournament's file that records it, once.
"""

from __future__ import annotations

import functools
import itertools
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from carrom.errors import WorkerError
from carrom.opponents import Player
from carrom_agents.distributed.cluster import Cluster
from carrom_agents.tournament.game import play_game
from carrom_agents.tournament.play import FoundPlayers, Playing
from carrom_agents.tournament.record import Fixture, GameRecord
from carrom_agents.tournament.settings import Conditions, TournamentConfig

_LIVES = 4
"""How often a game is begun: one that has ended its worker so often will do so again."""
_AHEAD = 2
"""Games given out for each processor, so that none waits for its next."""


def games_on(cluster: Cluster) -> Playing:
    """Plays games on the processors of a cluster; see ``carrom_agents.tournament.play``."""

    def play(
        fixtures: Sequence[Fixture],
        config: TournamentConfig,
        players: Mapping[str, Player],
        find: Callable[[str], Player],
    ) -> Iterator[GameRecord]:
        return _played(fixtures, config.conditions, find, _AHEAD * cluster.processors)

    return play


def _played(
    fixtures: Sequence[Fixture],
    conditions: Conditions,
    find: Callable[[str], Player],
    at_once: int,
) -> Iterator[GameRecord]:
    """The games as they come to an end, of ``at_once`` given out at a time."""
    coming = iter(fixtures)
    # Found once: it is sent with every game. Those that are given out must stay referred to.
    found, given_out = ray.put(find), {}
    done: queue.SimpleQueue[tuple[Fixture, Future[GameRecord]]] = queue.SimpleQueue()

    def give_out(fixture: Fixture) -> None:
        task = _play.options(max_retries=_LIVES - 1)
        given_out[fixture] = task.remote(found, fixture, conditions)
        future = given_out[fixture].future()
        future.add_done_callback(lambda ended: done.put((fixture, ended)))

    try:
        for fixture in itertools.islice(coming, at_once):
            give_out(fixture)
        while given_out:
            fixture, ended = done.get()
            record = _result(fixture, ended)
            del given_out[fixture]
            for following in itertools.islice(coming, 1):
                give_out(following)
            yield record
    finally:
        for task in given_out.values():
            ray.cancel(task, force=True)


def _result(fixture: Fixture, ended: Future[GameRecord]) -> GameRecord:
    try:
        return ended.result()
    except RayTaskError as error:
        raise error.cause from None  # as it would have been raised here
    except RayError as error:
        raise WorkerError(
            f"{fixture.breaker} against {fixture.other} from start {fixture.start} has lost its "
            f"worker {_LIVES} times ({type(error).__name__}): what was played is kept, start the "
            "tournament again to go on"
        ) from None


@ray.remote(num_cpus=1)
def _play(find: Callable[[str], Player], fixture: Fixture, conditions: Conditions) -> Any:
    return play_game(fixture, conditions, _players_of(find))


@functools.lru_cache(maxsize=1)
def _players_of(find: Callable[[str], Player]) -> FoundPlayers:
    """Once in a worker, which plays many games."""
    return FoundPlayers(find)
