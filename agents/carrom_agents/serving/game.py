"""A match in play between people and computing players; knows nothing of the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from carrom.aec import CarromAECEnv
from carrom.errors import ActionError
from carrom.opponents import Player
from carrom.physics.strike import Strike
from carrom.replay import Replay, film_of
from carrom.replay.page.data import (
    FILM_RATE,
    law_texts,
    names_data,
    places_data,
    score_data,
    stroke_data,
)
from carrom.view import View
from carrom_agents.serving.analysis import Question
from carrom_agents.serving.messages import Flick
from carrom_agents.serving.settings import GameSettings

_SLACK = 1e-6
"""m: what writing a place as text, and adding to it, may do to it."""


class Game:
    """A table with its match, and what of it is shown.

    One thread at a time may change it. ``shown`` and ``strokes`` may be read meanwhile: what is
    shown is replaced as a whole, and the strokes it counts are there before it is.

    Args:
        settings: what is played.
        players: the computing players, by name.

    Attributes:
        settings: as given.
        strokes: what ``carrom.replay.page.data.stroke_data`` says of each so far.
        laws: what the laws say that were cited so far.
        shown: how the match stands; docs/playing.md has the fields.
    """

    def __init__(self, settings: GameSettings, players: Mapping[str, Player]) -> None:
        self.settings = settings
        self.strokes: list[dict[str, Any]] = []
        self.laws: dict[str, str] = {}
        self._env = CarromAECEnv(
            doubles=False,
            task=settings.task,
            noise=settings.noise,
            # Over a board it sums to the points won less those lost.
            reward="aicf",
            record=True,
            max_cycles=settings.max_strokes,
        )
        self._env.reset(seed=settings.seed)
        self._seat_of_agent = dict(
            zip(self._env.possible_agents, self._env.setting.format.seats, strict=True)
        )
        order = self._order()
        self._side_of_seat = {seat: side for side, seat in enumerate(order)}
        self.names = {seat: settings.names[side] for seat, side in self._side_of_seat.items()}
        chosen = {seat: settings.players[side] for seat, side in self._side_of_seat.items()}
        self._chosen = {seat: name for seat, name in chosen.items() if name is not None}
        self._players = {seat: players[name] for seat, name in self._chosen.items()}
        self._chance = {
            seat: np.random.default_rng([settings.seed, 1, seat]) for seat in self._players
        }
        self._failure: str | None = None
        self._earned = 0.0
        # Films are computed once more, so that the table does not keep them all.
        self._films = self.replay().new_engine()
        self.names_shown = names_data(self.replay())
        self.shown = self._standing()

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat in self.names if seat not in self._players]

    @property
    def over(self) -> bool:
        """Whether nobody has to strike any more."""
        return self._failure is not None or any(self._env.terminations.values()) or self._cut_off

    @property
    def computer_strikes(self) -> bool:
        """Whether a computing player has the turn."""
        return not self.over and self._seat in self._players

    @property
    def computing(self) -> str | None:
        """The name of the computing player who has the turn; None where a person has it."""
        return self._chosen[self._seat] if self.computer_strikes else None

    @property
    def person_strikes(self) -> bool:
        """Whether a person has the turn."""
        return not self.over and self._seat not in self._players

    def check(self, flick: Flick) -> None:
        """Refuse a strike that cannot be played now.

        Raises:
            ActionError: it is not a person's turn, it was meant for another stroke, or the
                striker may not stand there (130, 134).
        """
        self.check_number(flick.number)
        if not self.person_strikes:
            raise ActionError(f"it is the turn of {self.names[self._seat]}, who computes")
        view = self._env.view()
        if not any(low - _SLACK <= flick.place <= high + _SLACK for low, high in view.free_places):
            free = ", ".join(f"{low:.4f} to {high:.4f}" for low, high in view.free_places)
            raise ActionError(
                f"place = {flick.place!r} m: expected a free place, {free} (130, 134)"
            )

    def check_number(self, number: int) -> None:
        """Refuse what was meant for another stroke than the next one.

        Raises:
            ActionError: it was, or the game is over.
        """
        if self.over:
            raise ActionError("the game is over")
        if number != len(self.strokes):
            raise ActionError(
                f"number = {number}: expected {len(self.strokes)}, the strokes played so far"
            )

    def strike(self, flick: Flick) -> None:
        """Play a person's strike.

        Raises:
            ActionError: as ``check``.
        """
        self.check(flick)
        forward = self._env.view().forward
        self._env.answer(Strike(flick.place, flick.direction, flick.speed, forward))
        self._show()

    def let_play(self) -> None:
        """Let the computing player who has the turn strike.

        One who fails, whatever the reason, ends the game; ``shown`` says why.

        Raises:
            ActionError: no computing player has the turn.
        """
        if not self.computer_strikes:
            raise ActionError("no computing player has the turn")
        seat = self._seat
        try:
            self._env.answer(self._players[seat](self._env.view(), self._chance[seat]))
        except Exception as error:  # whatever it is, it is his
            self._failure = f"{self.names[seat]} failed: {type(error).__name__}: {error}"
            self.shown = self._standing()
        else:
            self._show()

    def question(self) -> Question:
        """The position, to be analysed by another thread.

        Raises:
            ActionError: the game is over.
        """
        if self.over:
            raise ActionError("the game is over: there is nothing to analyse")
        position, replay = self._env.position(), self.replay()
        first = self._env.setting.format.seats[0]
        return Question(
            number=len(self.strokes),
            view=self._env.view(),
            layout=position.layout,
            side=position.physical_seat,
            earned=self._earned if self._seat == first else -self._earned,
            noise=self.settings.noise,
            engine=replay.new_engine(),
        )

    def view(self) -> View:
        """What the player sees who has the turn."""
        return self._env.view()

    def replay(self) -> Replay:
        """The replay of what was played so far."""
        return self._env.replay(self.names)

    @property
    def _seat(self) -> int:
        return self._seat_of_agent[self._env.agent_selection]

    @property
    def _cut_off(self) -> bool:
        return any(self._env.truncations.values())

    def _order(self) -> tuple[int, int]:
        """The seats of the first side and of the second."""
        first, second = self._env.setting.format.seats
        winner = self._seat_of_agent[
            self._env.infos[self._env.possible_agents[0]]["toss"]["winner"]
        ]
        breaker = {"first": winner, "second": first + second - winner, "toss": first}
        seat = breaker[self.settings.breaks]
        return seat, first + second - seat

    def _show(self) -> None:
        """Take down what has just been played."""
        self._earned += self._env.rewards[self._env.possible_agents[0]]
        if any(stroke.ruling.board_over for stroke in self._env.last_strokes):
            self._earned = 0.0
        replay = self.replay()
        for number in range(len(self.strokes) + 1, len(replay.strokes) + 1):
            stroke = film_of(replay, number, FILM_RATE, self._films)
            # Replaced, not changed: others may be reading it.
            self.laws = self.laws | law_texts([stroke])
            self.strokes.append(stroke_data(replay, stroke, number))
        self.shown = self._standing()

    def _standing(self) -> dict[str, Any]:
        """How the match stands, for the page."""
        position = self._env.position()
        shown: dict[str, Any] = {
            "number": len(self.strokes),
            "at": places_data(position.layout),
            "rotation": int(position.match.rotation),
            "score": score_data(position, self._env.setting.format),
            "over": self.over,
            "end": self._end(),
            "seat": None,
            "person": self.person_strikes,
        }
        if not self.over:
            view = self._env.view()
            shown |= {
                "seat": self._seat,
                "black": not view.plays_white,
                "free": [list(interval) for interval in view.free_places],
                "forward": view.forward,
                "break": view.break_to_be_made,
                "queen_allowed": view.queen_allowed,
            }
        return shown

    def _end(self) -> str | None:
        """How the game ended, in words."""
        if self._failure is not None:
            return self._failure
        result = self._env.infos[self._env.possible_agents[0]].get("result")
        if result is None:
            return f"cut off after {len(self.strokes)} strokes" if self._cut_off else None
        seats = self._env.setting.format.seats
        points = dict(zip(seats, result["points"], strict=True))
        if result["winner"] is None:
            return f"nobody wins the {self.settings.task}"
        winner = seats[0] if result["winner"] == "own" else seats[1]
        loser = sum(seats) - winner
        who = self.names_shown["players"][winner]
        return f"{who} wins the {self.settings.task}, {points[winner]} to {points[loser]}"
