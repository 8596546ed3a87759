"""The games that are open.

The event loop never computes: strokes, players and analyses run in threads. A game is
changed by one of them at a time; connections are told that it has changed, and read for
themselves what they have not shown yet. So whoever comes back after a lost connection misses
nothing, and nobody is sent anything twice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from carrom.errors import ActionError, CarromError, ConfigError
from carrom_agents.planner import planner
from carrom_agents.serving.analysis import Question, analysed
from carrom_agents.serving.game import Game
from carrom_agents.serving.hosted import Hosted, Limits, giving_way
from carrom_agents.serving.messages import Analyse, Flick, Go, Message
from carrom_agents.serving.settings import GameSettings
from carrom_agents.serving.shared_player import SharedPlayer
from carrom_agents.serving.threads import Threads

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class Host:
    """Opens games, and lets them go on.

    Args:
        players: computing players by name.
        limits: of what is open.
        clock: seconds.
    """

    def __init__(
        self,
        players: Mapping[str, SharedPlayer],
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.players, self.limits, self.clock = players, limits or Limits(), clock
        self._games: dict[str, Hosted] = {}
        self._opening = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = Threads(players, self.limits.threads)

    @property
    def busy(self) -> bool:
        """Whether something is being computed, also after ``close``."""
        return self._threads.busy

    async def open(self, settings: GameSettings) -> Hosted:
        """Open a game, and let it begin; one that nobody plays gives way if there are too many.

        Raises:
            ConfigError: too many are being played.
        """
        self.sweep()
        if len(self._games) + self._opening >= self.limits.games:
            self._close(giving_way(self._games.values(), self.clock(), self.limits))
        self._opening += 1
        try:
            game = await self.compute(lambda: Game(settings, self.players))
        finally:
            self._opening -= 1
        hosted = Hosted(secrets.token_urlsafe(24), game, self.clock())
        self._games[hosted.token] = hosted
        for name in set(settings.players) - {None}:
            assert name is not None
            self._in_background(self._threads.prepare(name))
        self._let_go_on(hosted)
        return hosted

    def find(self, token: str) -> Hosted:
        """The open game of that token; that counts as using it.

        Raises:
            ConfigError: there is none.
        """
        hosted = self._games.get(token)
        if hosted is None:
            raise ConfigError(
                "there is no such game: it was never opened, or closed when nobody played it"
            )
        hosted.used_at = self.clock()
        return hosted

    def join(self, hosted: Hosted, connection: Callable[[], None]) -> None:
        """A page is connected, which is to be told what is new."""
        hosted.visited, hosted.used_at = True, self.clock()
        hosted.connections.add(connection)

    def leave(self, hosted: Hosted, connection: Callable[[], None]) -> None:
        """It is not any more."""
        hosted.used_at = self.clock()
        hosted.connections.discard(connection)

    def take(self, hosted: Hosted, message: Message, answer: Callable[[Any], None]) -> None:
        """Do what a message wants, in a thread; never waits.

        Args:
            hosted: whose page sent it.
            message: what it wants.
            answer: gets what only the sender is told.

        Raises:
            CarromError: it cannot be done now.
        """
        hosted.used_at = self.clock()
        if hosted.closed:
            raise ActionError("the game was closed, having been idle")
        game = hosted.game
        if isinstance(message, Analyse):
            self._analyse(hosted, message, answer)
            return
        if hosted.busy:
            raise ActionError("a stroke is under way: expected to wait for it")
        if isinstance(message, Flick):
            game.check(message)
            self._begin(hosted, lambda: self.compute(lambda: game.strike(message)))
        else:
            assert isinstance(message, Go)
            game.check_number(message.number)
            if not game.computer_strikes:
                raise ActionError("it is a person's turn")
            self._begin(hosted, lambda: self._answered(hosted))

    def sweep(self) -> None:
        """Close the games that nobody has used for long."""
        latest = self.clock() - self.limits.idle_s
        for hosted in list(self._games.values()):
            if hosted.used_at < latest and not hosted.busy:
                self._close(hosted)

    async def run(self, first: Iterable[str] = ()) -> None:
        """Sweep from time to time; at the beginning, prepare the engine and some players.

        Args:
            first: names of players that are likely to be asked.
        """
        self._in_background(self._warmed(list(first)))
        while True:
            await asyncio.sleep(self.limits.sweep_s)
            self.sweep()

    def close(self) -> None:
        """Compute nothing more; what is being computed ends by itself."""
        for hosted in self._games.values():
            hosted.closed = True
        for task in self._tasks:
            task.cancel()
        self._threads.close()

    async def compute(self, work: Callable[[], _Result]) -> _Result:
        """The result of something that takes a while, from a thread."""
        return await self._threads.compute(work)

    # What follows runs in the event loop; only what the threads are given runs elsewhere.

    def _close(self, hosted: Hosted) -> None:
        del self._games[hosted.token]
        hosted.closed = True
        hosted.tell()

    def _let_go_on(self, hosted: Hosted) -> None:
        """Computing players answer people at once; alone they wait to be told."""
        if hosted.game.people and hosted.game.computer_strikes:
            self._begin(hosted, lambda: self._answered(hosted))

    def _begin(self, hosted: Hosted, stroke: Callable[[], Awaitable[None]]) -> None:
        hosted.busy = True
        hosted.tell()
        self._in_background(self._strokes(hosted, stroke))

    async def _strokes(self, hosted: Hosted, stroke: Callable[[], Awaitable[None]]) -> None:
        try:
            await stroke()
            while hosted.game.people and hosted.game.computer_strikes and not hosted.closed:
                hosted.tell()
                await self._answered(hosted)
        finally:
            hosted.busy = False
            hosted.tell()

    async def _answered(self, hosted: Hosted) -> None:
        """The computing player who has the turn has struck."""
        player = hosted.game.computing
        assert player is not None, "somebody else has the turn"
        await self._threads.ask(player, hosted.game.let_play)

    def _analyse(self, hosted: Hosted, message: Analyse, answer: Callable[[Any], None]) -> None:
        if hosted.analysing:
            raise ActionError("a position is being analysed: expected to wait for it")
        if hosted.busy:
            raise ActionError("a stroke is under way: expected to wait for it")
        hosted.game.check_number(message.number)
        question = hosted.game.question()
        hosted.analysing = True
        self._in_background(self._analysis(hosted, question, answer))

    async def _analysis(
        self, hosted: Hosted, question: Question, answer: Callable[[Any], None]
    ) -> None:
        def work() -> dict[str, Any]:
            return _analysed(question)

        try:
            answer({"type": "analysis", **await self._threads.analyse(work)})
        except CarromError as error:
            answer({"type": "error", "error": str(error)})
        finally:
            hosted.analysing = False

    async def _warmed(self, first: list[str]) -> None:
        await self.compute(_play_a_stroke)
        for name in first:
            await self._threads.prepare(name)

    def _in_background(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a game could not go on", exc_info=error)


def _analysed(question: Question) -> dict[str, Any]:
    # Loading a network takes seconds, which games without analysis need not spend.
    from carrom_agents import released

    return analysed(question, planner, released.ppo)


def _play_a_stroke() -> None:
    """What the engine and the umpire compile is then compiled."""
    settings = GameSettings(players=(None, None), names=("first", "second"))
    game = Game(settings, {})
    game.strike(Flick(0, 0.0, 0.0, 4.0))
