"""A person at a terminal, who sees the board as characters and types what he decides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from carrom.action import MIN_SPEED, N_POCKETS, action_coding
from carrom.decision import Answer, AsScripted, Claim, Kind, Placement, TossChoice, Waiver
from carrom.errors import CarromError
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom.pieces import N_PER_SIDE, QUEEN
from carrom.render.text import board_text
from carrom.view import QueenStatus, View

_Answered = TypeVar("_Answered")

HELP = """\
You sit at the lower edge. Your carrommen are 1 to 9, the opponent's x, the queen Q.
  PLACE DIRECTION SPEED   a strike: mm to the right of the middle of your base line; degrees
                          from straight ahead, to the left positive; m/s, 0.25 to 5
  N CORNER                the direct shot at carromman N (or Q) into a corner: nl, nr, fl, fr
                          (near or far, left or right); N CORNER 1.5 makes it half again as fast
  q                       leave the game"""
_CORNERS = {"nr": 0, "fr": 1, "fl": 2, "nl": 3}
"""Pockets as they are counted from a player's seat."""
_SIGNS = "123456789" + "x" * N_PER_SIDE + "QS"


class LeftError(CarromError):
    """The person has left the game."""


class _UnclearError(ValueError):
    """What was typed means nothing; says what was expected."""


@dataclass(frozen=True)
class Person:
    """Asks a person for every decision; a ``carrom.opponents.Player``.

    Whatever he types that means nothing is told, and he is asked again.

    Attributes:
        ask: shows a prompt and returns what is typed; raises EOFError at the end of it.
        show: shows lines.
    """

    ask: Callable[[str], str] = input
    show: Callable[[str], None] = print

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """The strike in the position ``view``.

        Raises:
            LeftError: he has had enough.
        """
        if view.request.kind is None:  # it was over before his first turn
            return Strike(0.0, 0.0, MIN_SPEED)
        self._show(view)
        return self._asked("your strike (? for help): ", lambda words: _strike(words, view))

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        """What he decides beside strikes.

        Raises:
            LeftError: he has had enough.
        """
        request = view.request
        if request.kind is Kind.PLACE:
            whose = "your own" if request.own_carromman else "the opponent's"
            waive = ", or waive" if request.may_waive else ""
            self._show(view)
            return self._asked(
                f"lay {whose} carromman: mm to the right of and beyond the middle of the board, "
                f"nothing for the scripted place{waive}: ",
                lambda words: _place(words, may_waive=request.may_waive),
            )
        if request.kind is Kind.CLAIM:
            return self._asked(
                f"claim how many of {request.claims} extra points, nothing for all: ",
                lambda words: _claim(words, request.claims),
            )
        return self._asked("you have won the toss: break or side? ", _toss)

    def _show(self, view: View) -> None:
        positions = np.concatenate([view.positions, np.zeros((1, 2))])
        shown = np.concatenate([view.on_board, [False]])
        self.show(board_text(positions, shown, *_caption(view), board=view.board, signs=_SIGNS))

    def _asked(self, prompt: str, read: Callable[[list[str]], _Answered]) -> _Answered:
        while True:
            try:
                words = self.ask(prompt).lower().split()
            except (EOFError, KeyboardInterrupt):
                words = ["q"]
            if words in (["q"], ["quit"]):
                raise LeftError("the person has left the game")
            if words == ["?"]:
                self.show(HELP)
                continue
            try:
                return read(words)
            except _UnclearError as unclear:
                self.show(str(unclear))


def _caption(view: View) -> tuple[str, ...]:
    """What has to be known beside where the carrommen lie."""
    colour, places = "white" if view.plays_white else "black", _free(view)
    queen = {
        QueenStatus.ON_BOARD: "on the board" + ("" if view.queen_allowed else ", not yet for you"),
        QueenStatus.WAITING: "waits for your cover",
        QueenStatus.MINE: "yours",
        QueenStatus.THEIRS: "the opponent's",
    }[view.queen]
    score, owed = view.score, view.owed
    lines = [
        f"board {view.board_number}, score {score[0]} to {score[1]}; you play {colour}; "
        f"the queen is {queen}",
        f"your striker may stand {places}",
    ]
    if any(owed):
        lines.insert(1, f"dues: you owe {owed[0]}, the opponent {owed[1]}")
    if view.break_to_be_made:
        lines.insert(1, "the break is yours")
    return tuple(lines)


def _free(view: View) -> str:
    """Where his striker may stand, mm."""
    if not view.can_strike:
        return "nowhere"
    parts = [f"{1000 * low:.0f} to {1000 * high:.0f}" for low, high in view.free_places]
    forward = f", {1000 * view.forward:.0f} mm forward" if view.forward else ""
    return f"from {', '.join(parts)} mm{forward}"


def _strike(words: list[str], view: View) -> Strike:
    if len(words) >= 2 and words[1] in _CORNERS:
        return _shot(words, view)
    if len(words) != 3:
        raise _UnclearError("expected PLACE DIRECTION SPEED, or N CORNER, or ? for help")
    place, direction, speed = map(_number, words)
    full = Material().full_speed
    if not MIN_SPEED <= speed <= full:
        raise _UnclearError(f"speed {words[2]}: expected {MIN_SPEED:g} to {full:g} m/s")
    return Strike(place / 1000, math.radians(direction), speed, forward=view.forward)


def _shot(words: list[str], view: View) -> Strike:
    carromman, corner, *faster = words
    number = QUEEN if carromman == "q" else _own(carromman)
    if not view.on_board[number]:
        raise _UnclearError(f"carromman {carromman}: it is not on the board")
    factor = _number(faster[0]) if len(faster) == 1 else 1.0
    if len(faster) > 1 or not 0.5 <= factor <= 2:
        raise _UnclearError(f"{' '.join(faster)}: expected one factor of the speed, 0.5 to 2")
    target = min(number, N_PER_SIDE)  # the queen comes after the own ones
    action = {
        "shot": np.int64(N_POCKETS * target + _CORNERS[corner]),
        "residual": np.array([0, 0, math.log2(factor)], np.float32),
    }
    return action_coding("target", "snap", Material()).decode(action, view)


def _own(word: str) -> int:
    if not (word.isdigit() and 1 <= int(word) <= N_PER_SIDE):
        raise _UnclearError(f"carromman {word}: expected 1 to {N_PER_SIDE}, or Q")
    return int(word) - 1


def _place(words: list[str], *, may_waive: bool) -> Answer:
    if not words:
        return AsScripted()
    if words == ["waive"] and may_waive:
        return Waiver()
    if len(words) != 2:
        raise _UnclearError("expected two numbers, mm" + (", or waive" if may_waive else ""))
    x, y = map(_number, words)
    return Placement(x / 1000, y / 1000)


def _claim(words: list[str], most: int) -> Answer:
    if not words:
        return AsScripted()
    if len(words) == 1 and words[0].isdigit() and int(words[0]) <= most:
        return Claim(int(words[0]))
    raise _UnclearError(f"expected a whole number from 0 to {most}")


def _toss(words: list[str]) -> Answer:
    if words in (["break"], ["side"]):
        return TossChoice(words == ["break"])
    raise _UnclearError("expected break or side")


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _UnclearError(f"{word}: expected a number")
    return number
