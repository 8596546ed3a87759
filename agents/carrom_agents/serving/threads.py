"""The threads that compute for the games: nobody waits for somebody else's player."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from carrom_agents.serving.shared_player import SharedPlayer

_Result = TypeVar("_Result")


class Threads:
    """A few for all games, one for analyses, and one for each player.

    A player may compile for a minute before his first stroke. He does so in a thread of his own,
    once for all games in which he plays, and those games hold no thread meanwhile.

    Args:
        players: computing players by name.
        count: threads for what games need at once: opening, strokes of people, replays.
    """

    def __init__(self, players: Mapping[str, SharedPlayer], count: int) -> None:
        self._shared = ThreadPoolExecutor(count, thread_name_prefix="carrom")
        self._analysing = ThreadPoolExecutor(1, thread_name_prefix="carrom-analysis")
        # As one game at a time asks a player, more than one thread each would never be used.
        self._asked = ThreadPoolExecutor(max(1, len(players)), thread_name_prefix="carrom-player")
        self._players = players
        self._turns = {name: asyncio.Lock() for name in players}
        self._prepared: set[str] = set()
        self._under_way: set[Future[Any]] = set()

    @property
    def busy(self) -> bool:
        """Whether something is being computed, also after ``close``."""
        return any(not future.done() for future in list(self._under_way))

    async def compute(self, work: Callable[[], _Result]) -> _Result:
        """The result of something that a game needs at once."""
        return await self._result(self._shared, work)

    async def analyse(self, work: Callable[[], _Result]) -> _Result:
        """The result of something that may have to wait for others like it."""
        return await self._result(self._analysing, work)

    async def ask(self, player: str, work: Callable[[], _Result]) -> _Result:
        """The result of something that asks a player, once he is prepared and it is its turn."""
        async with self._turns[player]:
            await self._prepare(player)
            return await self._result(self._asked, work)

    async def prepare(self, player: str) -> None:
        """Return when a player is prepared, or has failed at it."""
        async with self._turns[player]:
            await self._prepare(player)

    def close(self) -> None:
        """Begin nothing more; what is being computed ends by itself."""
        for pool in (self._shared, self._analysing, self._asked):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _prepare(self, player: str) -> None:
        if player in self._prepared:
            return
        # Should he fail, whoever asks him is told.
        with contextlib.suppress(Exception):
            await self._result(self._asked, self._players[player].prepare)
        self._prepared.add(player)

    async def _result(self, pool: ThreadPoolExecutor, work: Callable[[], _Result]) -> _Result:
        future = pool.submit(work)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return await asyncio.wrap_future(future)
