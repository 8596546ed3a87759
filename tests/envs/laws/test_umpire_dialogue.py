"""The umpire at a table, and the script that brings him there."""

from __future__ import annotations

import io
import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from carrom.errors import FactsError
from carrom.laws import LAW_IDS, LAWS, Event, StrokeFacts, new_match, rule_jit
from carrom.laws.asking import HELP, explain, umpire_a_board
from carrom.laws.asking.answer import position_in_words, ruling_in_words
from carrom.laws.state import SINGLES

SCRIPT = Path(__file__).parents[3] / "scripts" / "umpire.py"
DEFAULTS = [""] * 6
"""Singles, white, racked, the break to be made, no score, board 1."""


def converse(answers: list[str]) -> tuple[list[str], list[str]]:
    """What was asked and what was said, until the answers or the board come to an end."""
    left, asked, said = iter(answers), [], []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        for answer in left:
            return answer
        raise EOFError

    umpire_a_board(ask, said.append)
    return asked, said


def positions(said: list[str]) -> Iterator[str]:
    return (line.removeprefix("position: ") for line in said if line.startswith("position: "))


STROKES = [
    ("2 white", "", StrokeFacts.shot(pocketed=(2, 0))),
    ("", "", StrokeFacts.shot()),
    ("own and striker", "", StrokeFacts.shot(pocketed=(0, 1), striker=True)),
    ("", "touched nothing", StrokeFacts.shot(touched=False)),
    ("queen", "", StrokeFacts.shot(queen=True)),
    ("", "too late", None),
    ("nothing", "jumped 1 black", StrokeFacts.shot(overboard=(0, 1))),
    ("9 black", "claims none", StrokeFacts.shot(pocketed=(0, 9), claims=False)),
]


def test_a_whole_board_is_umpired_from_ruling_to_ruling():
    answers = list(DEFAULTS)
    state, expected, rulings = new_match(), [], []
    for pocketed, else_, facts in STROKES:
        answers += [pocketed, else_]
        expected.append(position_in_words(state, SINGLES))
        if facts is None:
            # He pocketed the queen in this turn, so his delay is a foul (50, 64).
            facts = StrokeFacts.without_stroke(Event.FOUL, breach="50")
        state, ruling = rule_jit(state, facts)
        rulings += ruling_in_words(state, ruling, SINGLES)
    asked, said = converse([*answers, "never asked for"])
    assert list(positions(said)) == expected
    assert [line.strip() for line in said if line.startswith("  ")] == rulings
    assert bool(state.board.over)
    assert len(asked) == len(answers)
    assert rulings[-1].startswith("next: ")


def test_a_position_may_be_given_field_by_field_or_at_once():
    by_field = ["", "black", "3 white 5 black", "covered by black", "white 1 black 2", "9-3", "4"]
    at_once = [
        "black to play; 3 white 5 black on board; queen covered by black; owed white 1 black 2; "
        "score 9 to 3; board 4; singles"
    ]
    _, one = converse(by_field)
    asked, two = converse(at_once)
    assert list(positions(one)) == list(positions(two))
    assert next(positions(one)) == (
        "singles; black to play; on board 3 white 5 black; queen covered by black; "
        "owed white 1 black 2; score white 9 black 3; board 4; break made"
    )
    assert asked[1].startswith("pocketed")


def test_in_doubles_seats_are_asked_for():
    asked, said = converse(["doubles", "2", "1", "", "made", "", "", ""])
    assert [prompt.split(" [")[0] for prompt in asked[1:3]] == [
        "the seat that is to play",
        "the seat that broke",
    ]
    assert next(positions(said)).startswith("doubles; black to play; seat 2 to play; seat 1 broke")


def test_what_is_not_understood_is_asked_for_again():
    asked, said = converse(["", "purple", "white", *[""] * 4, "3 blue", "1 white"])
    assert asked[1] == asked[2]
    assert asked[7] == asked[8]
    assert sum("'purple'" in line for line in said) == 1
    assert sum("'blue'" in line for line in said) == 1


def test_answers_that_contradict_each_other_are_asked_for_again():
    _, said = converse(["", "", "3 white 0 black queen", "", "", "", *DEFAULTS])
    assert any("on board black = 0" in line and "once more" in line for line in said)
    assert list(positions(said)) == [position_in_words(new_match(), SINGLES)]
    _, said = converse([*DEFAULTS, "10 white", "", "1 white", ""])
    assert any("pocketed white = 10" in line for line in said)
    assert "on board 8 white" in list(positions(said))[1]


def test_a_question_mark_lists_what_is_understood():
    asked, said = converse(["?", ""])
    assert HELP in said
    assert asked[0] == asked[1]


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
@pytest.mark.parametrize("after", [0, 3, 7])
def test_the_end_of_input_ends_it_politely(end, after):
    answers = iter([""] * after)

    def ask(prompt: str) -> str:
        for answer in answers:
            return answer
        raise end

    said = []
    umpire_a_board(ask, said.append)
    assert said[-1] == ""


# ---- laws explained ------------------------------------------------------------------


@pytest.mark.parametrize("law", LAW_IDS)
def test_every_law_is_explained(law):
    first = explain(law)[0]
    assert re.fullmatch(rf"{re.escape(law)} \([a-z, ]+\): {re.escape(LAWS[law])}", first)


def test_a_number_explains_all_its_letters():
    told = [line.split(" ")[0] for line in explain("72") if not line.startswith(" ")]
    assert told == ["72.a", "72.b", "72.c"]
    told = [line.split(" ")[0] for line in explain("49.A") if not line.startswith(" ")]
    assert told == ["49.a.i", "49.a.ii", "49.a.iii"]
    assert [line.split(":")[0] for line in explain("32") if line[0] != " "] == [
        "32 (conduct)",
        "32 (bis) (conduct)",
    ]


def test_what_applies_a_law_is_named():
    assert "    applied by carrom.laws.tables.judge" in explain("73")
    assert explain("a9")[0].startswith("A9 (on 64.b, 77.a): ")


@pytest.mark.parametrize(
    ("law", "near"),
    [("130.c", ["130.a", "130.b"]), ("152", ["151.c"]), ("", ["1 to 151"]), ("rain", ["1 to 151"])],
)
def test_an_unknown_law_is_one_error_with_the_nearest(law, near):
    with pytest.raises(FactsError) as caught:
        explain(law)
    assert repr(law) in str(caught.value)
    for name in near:
        assert name in str(caught.value)


# ---- the script ----------------------------------------------------------------------

Umpire = Callable[..., tuple[int, str, str]]


class Terminal(io.StringIO):
    """Standard input with somebody at it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def umpire(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Umpire:
    """Runs the script's main function: exit status, standard output and error."""
    main = runpy.run_path(str(SCRIPT))["main"]

    def run(
        *arguments: str, text: str = "", stdin: type[io.StringIO] = io.StringIO
    ) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["umpire.py", *arguments])
        monkeypatch.setattr("sys.stdin", stdin(text))
        status = main()
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_the_script_answers_a_question(umpire: Umpire):
    status, out, _ = umpire("--stroke", "3 white 5 black queen on board, pocketed white 1 striker")
    assert status == 0
    assert out.startswith("understood: singles; white to play; on board 3 white 5 black")
    assert "73: striker and own C/m: they come out and a due; turn kept\n" in out


def test_the_script_explains_a_law(umpire: Umpire):
    status, out, _ = umpire("--explain", "72.a")
    assert status == 0
    assert out.startswith("72.a (referee): striker pocketed alone")


def test_the_script_umpires_a_board(umpire: Umpire):
    status, out, error = umpire("--interactive", text="\n" * 6 + "1 white\n")
    assert (status, error) == (0, "")
    assert "position: singles; white to play; on board 9 white 9 black queen" in out
    assert out.endswith("\n")


def test_on_a_terminal_the_script_asks_by_itself(umpire: Umpire):
    status, out, _ = umpire(stdin=Terminal)
    assert status == 0
    assert "singles or doubles [singles]: " in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "nothing to do: expected a file, --stroke, --explain or --interactive"),
        (("--stroke", "purple"), "'purple': not understood"),
        (("--explain", "999"), "law '999': unknown"),
        (("--check",), "--check: expected a file of cases with it"),
        (("--explain", "72", "--mode", "singles"), "--mode: expected a file of cases with it"),
    ],
)
def test_what_the_script_cannot_do_is_one_line(umpire: Umpire, arguments, words):
    status, out, error = umpire(*arguments)
    assert (status, out) == (2, "")
    assert error.startswith("umpire: ")
    assert error.count("\n") == 1
    assert words in error
