"""The games that are open, and the threads that compute for them.

The event loop never computes: strokes, players and analyses run in a few threads. A game is
changed by one of them at a time; connections are told that it has changed, and read for
themselves what they have not shown yet. So whoever comes back after a lost connection misses
nothing, and nobody is sent anything twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from carrom.errors import ActionError, CarromError, ConfigError
from carrom_agents.planner import planner
from carrom_agents.serving.analysis import Question, analysed
from carrom_agents.serving.game import Game
from carrom_agents.serving.messages import Analyse, Flick, Go, Message
from carrom_agents.serving.settings import GameSettings
from carrom_agents.serving.shared_player import SharedPlayer

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Limits:
    """How much is open, and for how long.

    Attributes:
        games: open at once.
        idle_s: seconds after which a game is closed in which nobody does anything.
        sweep_s: seconds from one look for such games to the next.
        threads: that compute.
        messages_per_s: that a connection may send in the long run.
        messages_at_once: that it may send at once after a pause.

    Raises:
        ConfigError: a number that is not positive.
    """

    games: int = 32
    idle_s: float = 3600.0
    sweep_s: float = 30.0
    threads: int = 2
    messages_per_s: float = 10.0
    messages_at_once: float = 30.0

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: expected more than 0")


@dataclass(eq=False)
class Hosted:
    """A game that is open.

    Attributes:
        token: what a page names it by; who knows it may play.
        game: the match.
        used_at: when somebody last did something, s of the host's clock.
        busy: a stroke is being computed.
        analysing: a position is.
        closed: nothing more is computed for it.
        connections: called when there is something new.
    """

    token: str
    game: Game
    used_at: float
    busy: bool = False
    analysing: bool = False
    closed: bool = False
    connections: set[Callable[[], None]] = field(default_factory=set)

    def tell(self) -> None:
        """Let all connections know that there is something new."""
        for connection in list(self.connections):
            connection()

    def since(self, count: int) -> dict[str, Any]:
        """How the game stands, with the strokes from number ``count`` on."""
        shown = self.game.shown
        return {
            "type": "table",
            "from": count,
            "strokes": self.game.strokes[count : shown["number"]],
            "laws": dict(self.game.laws),
            "now": shown | {"busy": self.busy},
        }


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
        self._pool = ThreadPoolExecutor(self.limits.threads, thread_name_prefix="carrom")

    async def open(self, settings: GameSettings) -> Hosted:
        """Open a game, and let it begin.

        Raises:
            ConfigError: too many are open.
        """
        self.sweep()
        if len(self._games) + self._opening >= self.limits.games:
            raise ConfigError(
                f"{self.limits.games} games are open, as many as there may be: "
                "expected to wait until one has been idle"
            )
        self._opening += 1
        try:
            game = await self.compute(lambda: Game(settings, self.players))
        finally:
            self._opening -= 1
        hosted = Hosted(secrets.token_urlsafe(24), game, self.clock())
        self._games[hosted.token] = hosted
        for name in set(settings.players) - {None}:
            assert name is not None
            self._in_background(self._prepared(self.players[name]))
        self._let_go_on(hosted)
        return hosted

    def find(self, token: str) -> Hosted:
        """The open game of that token; that counts as using it.

        Raises:
            ConfigError: there is none.
        """
        hosted = self._games.get(token)
        if hosted is None:
            raise ConfigError("there is no such game: it was never opened, or closed when idle")
        hosted.used_at = self.clock()
        return hosted

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
            self._begin(hosted, lambda: game.strike(message))
        else:
            assert isinstance(message, Go)
            game.check_number(message.number)
            if not game.computer_strikes:
                raise ActionError("it is a person's turn")
            self._begin(hosted, game.let_play)

    def sweep(self) -> None:
        """Close the games that nobody has used for long."""
        latest = self.clock() - self.limits.idle_s
        for token, hosted in list(self._games.items()):
            if hosted.used_at < latest and not hosted.busy:
                del self._games[token]
                hosted.closed = True
                hosted.tell()

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
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def compute(self, work: Callable[[], _Result]) -> _Result:
        """The result of something that takes a while, from a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    # What follows runs in the event loop; only what ``compute`` is given runs elsewhere.

    def _let_go_on(self, hosted: Hosted) -> None:
        """Computing players answer people at once; alone they wait to be told."""
        if hosted.game.people and hosted.game.computer_strikes:
            self._begin(hosted, hosted.game.let_play)

    def _begin(self, hosted: Hosted, work: Callable[[], None]) -> None:
        hosted.busy = True
        hosted.tell()
        self._in_background(self._strokes(hosted, work))

    async def _strokes(self, hosted: Hosted, work: Callable[[], None]) -> None:
        try:
            await self.compute(work)
            while hosted.game.people and hosted.game.computer_strikes and not hosted.closed:
                hosted.tell()
                await self.compute(hosted.game.let_play)
        finally:
            hosted.busy = False
            hosted.tell()

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
        try:
            answer({"type": "analysis", **await self.compute(lambda: _analysed(question))})
        except CarromError as error:
            answer({"type": "error", "error": str(error)})
        finally:
            hosted.analysing = False

    async def _prepared(self, player: SharedPlayer) -> None:
        # Should he fail, whoever asks him is told.
        with contextlib.suppress(Exception):
            await self.compute(player.prepare)

    async def _warmed(self, first: list[str]) -> None:
        await self.compute(_play_a_stroke)
        for name in first:
            await self._prepared(self.players[name])

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
