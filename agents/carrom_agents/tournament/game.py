"""One game of a tournament, whatever its players do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carrom.decision import Answer
from carrom.env import CarromEnv
from carrom.errors import ActionError, ConfigError
from carrom.opponents import Player, answer_of
from carrom.physics.strike import Strike
from carrom.table import Stroke
from carrom.view import View
from carrom_agents.episode import episode
from carrom_agents.tournament.deadline import OutOfTime, deadline
from carrom_agents.tournament.record import Fixture, Forfeit, GameRecord
from carrom_agents.tournament.settings import Conditions

_LONGEST_REASON = 300
"""Characters."""


def play_game(
    fixture: Fixture,
    conditions: Conditions,
    players: Mapping[str, Player],
    asking: Callable[[str], None] = lambda name: None,
) -> GameRecord:
    """Play a game to its end, or until one of the players forfeits it.

    He does if he raises an exception, whichever, exceeds his time, or answers what nobody asked
    or could do.

    Args:
        fixture: who plays, and from which start.
        conditions: under which.
        players: by name.
        asking: told the name of a player before he is asked for anything.

    Raises:
        ConfigError: the start is negative.
    """
    referee = _Referee(conditions.move_limit_s, asking)
    breaker, other = (
        referee.seated(name, players[name]) for name in (fixture.breaker, fixture.other)
    )
    env = CarromEnv(
        conditions.unit,
        opponent=other,
        noise=conditions.noise,
        physics=conditions.physics,
        max_strokes=conditions.max_strokes,
        due_placing=conditions.due_placing,
        first="agent",
    )
    began = time.perf_counter()
    tally, result, forfeit = _Tally(), None, None
    try:
        for strokes, info in episode(env, breaker, fixture.start):
            tally.add(strokes)
            result = info.get("result")
    except _ForfeitError as lost:
        forfeit = Forfeit(referee.asked, _in_one_line(str(lost)))
    except (ActionError, ConfigError) as refused:
        if not referee.asked:
            raise  # it is the seed
        # Conditions are checked when they are made: what is refused here is an answer.
        forfeit = Forfeit(referee.asked, _in_one_line(str(refused)))
    if forfeit is not None:
        table = env.get_state().table
        assert table is not None, "players are asked only once an episode has begun"
        tally.add(table.played)  # since the last whole step
    env.close()
    ending, winner, points = "cut off", None, (0, 0)
    if forfeit is not None:
        ending = "forfeit"
        winner = fixture.opponent_of(forfeit.player)
    elif result is not None:
        ending, points = "played", result["points"]
        winner = {"own": fixture.breaker, "opponent": fixture.other, None: None}[result["winner"]]
    return GameRecord(
        fixture=fixture,
        conditions=conditions,
        ending=ending,
        winner=winner,
        points=points,
        strokes=tally.of("strokes"),
        dues=tally.of("dues"),
        queens=tally.of("queens"),
        seconds=round(time.perf_counter() - began, 3),
        forfeit=forfeit,
    )


class _ForfeitError(Exception):
    """The player who was asked last has lost the game; says why."""


class _Referee:
    """Asks the players, and knows whom he asked last.

    Args:
        limit_s: seconds for a decision.
        asking: told whom.
    """

    def __init__(self, limit_s: float | None, asking: Callable[[str], None]) -> None:
        self.asked = ""
        self._limit_s, self._asking = limit_s, asking

    def seated(self, name: str, player: Player) -> Player:
        """The player, asked through the referee."""
        return _Seated(self, name, player)

    def answer(self, name: str, player: Player, view: View, rng: np.random.Generator) -> Any:
        """What the player answers."""
        self.asked = name
        self._asking(name)
        try:
            with deadline(self._limit_s):
                return answer_of(player, view, rng)
        except OutOfTime:
            raise _ForfeitError(f"took longer than {self._limit_s:g} s for a decision") from None
        except KeyboardInterrupt:
            raise  # that is the user's
        except BaseException as error:  # whatever else it is, it is the player's
            raise _ForfeitError(f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class _Seated:
    """A player who is asked through the referee."""

    referee: _Referee
    name: str
    player: Player

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        return self.referee.answer(self.name, self.player, view, rng)

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        return self.referee.answer(self.name, self.player, view, rng)


@dataclass
class _Tally:
    """What both players did so far, the breaker's first."""

    counts: dict[str, list[int]] = field(
        default_factory=lambda: {name: [0, 0] for name in ("strokes", "dues", "queens")}
    )

    def add(self, strokes: Iterable[Stroke]) -> None:
        """Count the strokes in."""
        for stroke in strokes:
            side = 0 if stroke.own else 1
            self.counts["strokes"][side] += 1
            self.counts["dues"][side] += stroke.charged
            self.counts["queens"][side] += stroke.covers_queen

    def of(self, what: str) -> tuple[int, int]:
        """The count of the breaker, and of the other."""
        breaker, other = self.counts[what]
        return breaker, other


def _in_one_line(reason: str) -> str:
    return " ".join(reason.split())[:_LONGEST_REASON]
