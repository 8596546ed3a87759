"""A person at the terminal: what he types, and what he is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from carrom.action import action_coding
from carrom.board import Board
from carrom.decision import (
    STRIKE_NOW,
    AsScripted,
    Claim,
    Kind,
    Placement,
    Request,
    TossChoice,
    Waiver,
)
from carrom.env import CarromEnv
from carrom.midgame import random_layout
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom.render.text import COLUMNS, ROWS
from carrom.view import View
from carrom_agents.episode import episode
from carrom_agents.person import HELP, LeftError, Person

BOARD = Board()
CHANCE = np.random.default_rng(0)


class Terminal:
    """Types lines, and keeps what is shown."""

    def __init__(self, typed: Iterable[str]) -> None:
        self.typed = list(typed)
        self.prompts: list[str] = []
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.typed:
            raise EOFError
        return self.typed.pop(0)

    @property
    def person(self) -> Person:
        return Person(self.ask, self.shown.append)


def view_with(request: Request = STRIKE_NOW) -> View:
    layout = random_layout(BOARD, np.random.default_rng(3), white=8, black=5, queen=True)
    return View(
        BOARD,
        layout.positions,
        layout.on_board,
        owed=(1, 0),
        score=(7, 12),
        request=request,
    )


def test_a_strike_is_typed_in_millimetres_and_degrees() -> None:
    strike = Terminal(["-50 12.5 3"]).person(view_with(), CHANCE)
    assert strike == Strike(-0.05, math.radians(12.5), 3.0)


@pytest.mark.parametrize(
    ("typed", "shot", "force"),
    [("3 nr", 8, 0), ("1 fr", 1, 0), ("8 fl 2", 30, 1), ("q nl 0.5", 39, -1)],
)
def test_a_shot_is_that_of_the_target_coding(typed: str, shot: int, force: float) -> None:
    view = view_with()
    coding = action_coding("target", "snap", Material())
    residual = np.array([0, 0, force], np.float32)
    expected = coding.decode({"shot": np.int64(shot), "residual": residual}, view)
    assert Terminal([typed]).person(view, CHANCE) == expected


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "expected PLACE DIRECTION SPEED, or N CORNER"),
        ("1 2", "expected PLACE DIRECTION SPEED, or N CORNER"),
        ("0 0 9", "speed 9: expected 0.25 to 5"),
        ("0 0 nan", "nan: expected a number"),
        ("0 zero 3", "zero: expected a number"),
        ("0 nr", "carromman 0: expected 1 to 9, or Q"),
        ("9 nr", "carromman 9: it is not on the board"),
        ("1 nr 3", "3: expected one factor of the speed, 0.5 to 2"),
        ("1 nr 1 1", "1 1: expected one factor of the speed"),
    ],
)
def test_whatever_means_nothing_is_told_and_asked_again(typed: str, said: str) -> None:
    terminal = Terminal([typed, "0 0 3"])
    assert terminal.person(view_with(), CHANCE) == Strike(0, 0, 3)
    assert said in terminal.shown[-1]


def test_the_board_is_shown_from_his_seat_with_what_he_has_to_know() -> None:
    view = view_with()
    terminal = Terminal(["?", "0 0 3"])
    terminal.person(view, CHANCE)
    text, told = terminal.shown
    assert told == HELP
    rows = text.splitlines()
    for number in range(8):
        (row,) = (i for i, line in enumerate(rows[: ROWS + 1]) if str(number + 1) in line)
        column = rows[row].index(str(number + 1))
        x, y = view.positions[number]
        assert abs((column - 0.5) / COLUMNS - 0.5 - x / BOARD.side) <= 1 / COLUMNS
        assert abs(0.5 - (row - 0.5) / ROWS - y / BOARD.side) <= 1 / ROWS
    assert "".join(rows[: ROWS + 1]).count("x") == 5
    assert "9" not in "".join(rows[: ROWS + 1])
    assert "score 7 to 12; you play white; the queen is on the board, not yet for you" in text
    assert "you owe 1, the opponent 0" in text


@pytest.mark.parametrize(
    ("request_", "typed", "answer"),
    [
        (Request(Kind.PLACE), "", AsScripted()),
        (Request(Kind.PLACE), "10 -50", Placement(0.01, -0.05)),
        (Request(Kind.PLACE, may_waive=True), "waive", Waiver()),
        (Request(Kind.CLAIM, claims=2), "", AsScripted()),
        (Request(Kind.CLAIM, claims=2), "1", Claim(1)),
        (Request(Kind.TOSS), "side", TossChoice(takes_break=False)),
        (Request(Kind.TOSS), "break", TossChoice(takes_break=True)),
    ],
)
def test_other_decisions(request_: Request, typed: str, answer: object) -> None:
    assert Terminal([typed]).person.decide(view_with(request_), CHANCE) == answer


@pytest.mark.parametrize(
    ("request_", "typed", "good"),
    [
        (Request(Kind.PLACE), "waive", ""),
        (Request(Kind.PLACE), "1", "1 2"),
        (Request(Kind.CLAIM, claims=2), "3", "2"),
        (Request(Kind.TOSS), "heads", "break"),
    ],
)
def test_other_decisions_are_asked_again(request_: Request, typed: str, good: str) -> None:
    terminal = Terminal([typed, good])
    terminal.person.decide(view_with(request_), CHANCE)
    assert "expected" in terminal.shown[-1]
    assert not terminal.typed


@pytest.mark.parametrize("typed", [["q"], ["quit"], []])
def test_he_can_leave(typed: list[str]) -> None:
    with pytest.raises(LeftError):
        Terminal(typed).person(view_with(), CHANCE)


def test_he_plays_a_board_and_is_not_asked_once_it_is_over() -> None:
    """A board that the opponent clears before his first turn (white slam) asks nothing of him."""
    env = CarromEnv("board", opponent="banker", noise="expert")
    terminal = Terminal([])
    played = [stroke for strokes, _ in episode(env, terminal.person, 3) for stroke in strokes]
    assert played[-1].ruling.white_slam
    assert not terminal.prompts
