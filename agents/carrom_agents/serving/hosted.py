"""A game that is open, how many may be, and which one gives way to a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from carrom.errors import ConfigError
from carrom_agents.serving.game import Game


@dataclass(frozen=True)
class Limits:
    """How much is open, and for how long.

    Attributes:
        games: open at once.
        idle_s: seconds after which a game is closed in which nobody does anything.
        arrival_s: seconds after which a game gives way to a new one, should there be too many, to
            which no page has come.
        away_s: the same of a game that all pages have left.
        sweep_s: seconds from one look for idle games to the next.
        threads: that compute what is needed at once; players and analyses have their own.
        messages_per_s: that a connection may send in the long run.
        messages_at_once: that it may send at once after a pause.

    Raises:
        ConfigError: a number that is not positive.
    """

    games: int = 32
    idle_s: float = 3600.0
    arrival_s: float = 60.0
    away_s: float = 300.0
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
        used_at: when somebody last did something, came or left, s of the host's clock.
        visited: a page has been connected.
        busy: a stroke is being computed.
        analysing: a position is.
        closed: nothing more is computed for it.
        connections: called when there is something new.
    """

    token: str
    game: Game
    used_at: float
    visited: bool = False
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


def giving_way(games: Iterable[Hosted], now: float, limits: Limits) -> Hosted:
    """The game to close where there are too many, of those that no page shows.

    It is the one that was used longest ago of those that are over; if there are none, of those
    that all pages have left, or to which none has come.

    Args:
        games: all that are open.
        now: s of the host's clock.
        limits: say how long ago.

    Raises:
        ConfigError: all are being played.
    """
    unwatched = [each for each in games if not (each.connections or each.busy)]
    over = [each for each in unwatched if each.game.over]
    left = [
        each
        for each in unwatched
        if now - each.used_at > (limits.away_s if each.visited else limits.arrival_s)
    ]
    if not (over or left):
        raise ConfigError(
            f"{limits.games} games are open, as many as there may be: "
            "expected to wait until one is over, or has been left for some minutes"
        )
    return min(over or left, key=lambda each: each.used_at)
