"""A game to be played, and what came of it, as one line of JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from carrom_agents.ratings import Pair
from carrom_agents.tournament.settings import Conditions

Ending = Literal["played", "cut off", "forfeit"]


@dataclass(frozen=True)
class Fixture:
    """A game to be played: with the conditions, everything that it depends on.

    Attributes:
        breaker: the player who breaks first, with white, from seat 0.
        other: the player opposite.
        start: seed of rack, noise and the players' chance. With the players swapped it is the
            same game with other names: the same rack, the same errors stroke by stroke.
    """

    breaker: str
    other: str
    start: int

    def opponent_of(self, player: str) -> str:
        """The one of the two who is not ``player``."""
        return self.other if player == self.breaker else self.breaker


@dataclass(frozen=True)
class Forfeit:
    """A game lost without being played to its end.

    Attributes:
        player: who lost it.
        reason: why, in one line.
    """

    player: str
    reason: str


@dataclass(frozen=True)
class GameRecord:
    """A game that was played. Pairs of numbers are the breaker's and the other's.

    Attributes:
        fixture: which game it was.
        conditions: what it was played under.
        ending: "played" to its end by the laws, "cut off" by the stroke limit, or "forfeit".
        winner: who won; None if it was drawn, as what is cut off is.
        points: of the board, score of the game, or games won of the match; 0 and 0 unless it
            was played to its end.
        strokes: how many each played.
        dues: dues and penalties charged.
        queens: how often each covered the queen.
        seconds: how long it took.
        forfeit: if it was one.
    """

    fixture: Fixture
    conditions: Conditions
    ending: Ending
    winner: str | None
    points: tuple[int, int]
    strokes: tuple[int, int]
    dues: tuple[int, int]
    queens: tuple[int, int]
    seconds: float
    forfeit: Forfeit | None = None

    def score_of(self, player: str) -> float:
        """1 if the player won, 0.5 if it was drawn, 0 if he lost."""
        return 0.5 if self.winner is None else float(self.winner == player)

    def as_line(self) -> str:
        """JSON, without the end of the line."""
        return json.dumps(dataclasses.asdict(self), allow_nan=False)

    @classmethod
    def of_line(cls, line: str) -> GameRecord:
        """The record that ``as_line`` wrote.

        Raises:
            ValueError: it is none.
        """
        try:
            values = json.loads(line)
            for name in ("points", "strokes", "dues", "queens"):
                first, second = values[name]
                values[name] = int(first), int(second)
            for name, kind in (("fixture", Fixture), ("conditions", Conditions)):
                values[name] = kind(**values[name])
            if values["forfeit"] is not None:
                values["forfeit"] = Forfeit(**values["forfeit"])
            record = cls(**values)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a game: {error}") from None
        record._check()
        return record

    def _check(self) -> None:
        """Refuse, with ValueError, what no game comes to."""
        fixture, sides = self.fixture, (self.fixture.breaker, self.fixture.other)
        for name, value, good in (
            ("start", fixture.start, type(fixture.start) is int and fixture.start >= 0),
            ("ending", self.ending, self.ending in get_args(Ending)),
            ("winner", self.winner, self.winner is None or self.winner in sides),
            ("forfeit", self.forfeit, (self.forfeit is None) == (self.ending != "forfeit")),
        ):
            if not good:
                raise ValueError(f"not a game: {name} = {value!r}")


def forfeited(
    fixture: Fixture, conditions: Conditions, forfeit: Forfeit, seconds: float
) -> GameRecord:
    """The record of a game of which nothing is known but who has forfeited it."""
    return GameRecord(
        fixture=fixture,
        conditions=conditions,
        ending="forfeit",
        winner=fixture.opponent_of(forfeit.player),
        points=(0, 0),
        strokes=(0, 0),
        dues=(0, 0),
        queens=(0, 0),
        seconds=seconds,
        forfeit=forfeit,
    )


def pairs_of(records: Iterable[GameRecord]) -> list[Pair]:
    """The starts that have been played both ways, as what ratings are made of."""
    games = {record.fixture: record for record in records}
    pairs = []
    for fixture, game in games.items():
        swapped = games.get(Fixture(fixture.other, fixture.breaker, fixture.start))
        if swapped is not None and fixture.breaker < fixture.other:
            one = fixture.breaker
            pairs.append(Pair(one, fixture.other, game.score_of(one), swapped.score_of(one)))
    return pairs
