"""Law cases from a file, and the script that judges them."""

from __future__ import annotations

import copy
import io
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from carrom.errors import FactsError
from carrom.laws.case_position import read_position
from carrom.laws.cases import read_cases, report
from carrom.laws.state import MatchFormat

ROOT = Path(__file__).parents[3]
FILE = ROOT / "tests" / "data" / "law_cases.jsonl"
SCRIPT = ROOT / "scripts" / "umpire.py"
RAW = {raw["id"]: raw for raw in map(json.loads, FILE.read_text().splitlines())}


def changed(name: str, path: str, value: Any) -> str:
    """A case as a line, with one field set, or removed with ``...``."""
    raw = copy.deepcopy(RAW[name])
    *parents, last = path.split(".")
    place = raw
    for parent in parents:
        place = place[parent]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return json.dumps(raw)


@pytest.mark.parametrize(
    ("name", "path", "value", "words"),
    [
        ("S-48-01", "colour", 1, ["colour: unknown field"]),
        ("S-48-01", "before.extra", 1, ["before.extra: unknown field"]),
        ("S-48-01", "shot.pocketed.red", 1, ["shot.pocketed.red: unknown field"]),
        ("S-48-01", "after.on_board.red", 1, ["after.on_board.red: unknown field"]),
        ("S-48-01", "mode", "triples", ["mode = 'triples'", "singles, doubles"]),
        ("S-48-01", "event", "sneeze", ["event = 'sneeze'"]),
        ("S-48-01", "claims", 3, ["claims = 3", "true, false", "0 to 2"]),
        ("S-48-01", "claims", 1.0, ["claims = 1.0", "true, false"]),
        ("S-48-01", "breach", "130.c", ["breach = '130.c'", "a law"]),
        ("S-48-01", "breach", "130.a", ["breach = 130.a", "a proper stroke"]),
        ("S-48-01", "event", "technical_foul_partner", ["TECHNICAL_FOUL_PARTNER", "singles"]),
        ("S-48-01", "before", ..., ["before: missing"]),
        ("S-48-01", "before", [], ["before = []", "an object"]),
        ("S-48-01", "before.striker", "red", ["before.striker = 'red'"]),
        ("S-48-01", "before.striker", None, ["before.striker = None"]),
        ("S-48-01", "before.on_board.white", 10, ["before.on_board.white = 10", "0 to 9"]),
        ("S-48-01", "before.on_board.white", -1, ["before.on_board.white = -1"]),
        ("S-48-01", "before.on_board.white", True, ["before.on_board.white = True"]),
        ("S-48-01", "before.on_board.white", 6.0, ["before.on_board.white = 6.0"]),
        ("S-48-01", "before.owed.black", "0", ["before.owed.black = '0'"]),
        ("S-48-01", "before.board_number", 0, ["before.board_number = 0"]),
        ("S-48-01", "before.score.white", 10**12, ["before.score.white"]),
        ("S-48-01", "before.on_board.queen", False, ["before.on_board.queen", "'board'"]),
        ("S-48-01", "before.queen", "covered:white", ["before.on_board.queen"]),
        ("S-15-01", "before.queen", "pending:black", ["before.queen", "turn"]),
        ("S-48-01", "before.break_done", False, ["before.break_done"]),
        ("S-48-01", "before.on_board.white", 0, ["before.on_board.white = 0", "52.a"]),
        ("S-48-01", "before.on_board.black", 0, ["before.on_board.black = 0", "52.a"]),
        ("S-48-01", "before.score.white", 25, ["before.score.white = 25", "at most 24"]),
        ("D-49.b-01", "before.score.black", 30, ["before.score.black = 30", "at most 24"]),
        ("S-48-01", "before.owed.white", 100, ["before.owed.white = 100", "0 to 99"]),
        ("S-48-01", "before.board_number", 10, ["before.board_number = 10", "at most 9"]),
        ("S-49.a.i-01", "before.match.games.black", 2, ["match.games.black = 2", "at most 1"]),
        ("S-48-01", "before.break_attempts_failed", 1, ["break_attempts_failed = 1", "0 after"]),
        (
            "S-96-01",
            "event",
            "technical_foul",
            ["event = TECHNICAL_FOUL", "after a stroke", "FOUL (64)"],
        ),
        ("S-48-01", "before.has_pocketed", {"white": False, "black": True}, ["has_pocketed.white"]),
        ("S-48-01", "before.consecutive_idle_turns", 6, ["consecutive_idle_turns = 6"]),
        ("S-48-01", "before.striker_seat", 0, ["before.striker_seat", "singles"]),
        ("S-48-01", "shot.pocketed.white", 7, ["pocketed white = 7"]),
        ("S-48-01", "shot.proper", "yes", ["shot.proper = 'yes'"]),
        ("S-48-03", "shot.pocketed.queen", True, ["pocketed_queen", "not on the board"]),
        ("S-49.a.i-01", "before.match.opened_match", "black", ["opened_match = 'black'"]),
        ("S-49.a.i-01", "before.match.game_number", 2, ["match.game_number = 2", "expected 1"]),
        ("S-57-02", "before.match.games.white", 0, ["match.game_number = 3", "expected 2"]),
        ("S-56.b-03", "before.score.white", 17, ["before.board_number = 9", "at most 8", "56.b"]),
        ("D-49.b-01", "before.striker_seat", ..., ["before.striker_seat: missing"]),
        ("D-49.b-01", "before.striker_seat", 4, ["before.striker_seat = 4"]),
        ("D-52.a-01", "before.striker_seat", 1, ["before.striker_seat = 1"]),
        ("S-48-01", "laws", [48], ["laws[0] = 48"]),
    ],
)
def test_a_bad_line_gets_one_error_with_its_number_and_field(name, path, value, words):
    good = json.dumps(RAW["S-44-01"])
    with pytest.raises(FactsError) as caught:
        read_cases([good, "", changed(name, path, value)])
    assert str(caught.value).startswith("line 3: ")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("line", ["{", "[]", "3", '"case"', "nonsense"])
def test_lines_that_are_no_objects_are_refused(line: str):
    with pytest.raises(FactsError, match="line 1"):
        read_cases([line])


@pytest.mark.parametrize(
    ("line", "words"),
    [("[" * 100_000, "nested too deeply"), (f'{{"id": {"1" * 5000}}}', "thousands of digits")],
    ids=["brackets", "digits"],
)
def test_lines_that_python_cannot_read_are_refused(line: str, words: str):
    with pytest.raises(FactsError, match=f"line 1: .*{words}"):
        read_cases([line])


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("S-48-01", "before.score.white", 24),
        ("S-48-01", "before.owed.black", 20),
        ("S-56.b-03", "before.board_number", 9),
        ("S-45.a-04", "before.break_attempts_failed", 2),
        ("S-63.a-01", "event", "technical_foul"),
        ("S-96-01", "event", "technical_foul_opponent"),
    ],
)
def test_what_can_be_is_accepted(name: str, path: str, value: Any):
    (case,) = read_cases([changed(name, path, value)])
    assert report(case)["id"] == name


def test_a_side_whose_last_carrommen_wait_for_room_is_accepted():
    raw = json.loads(changed("S-48-01", "shot.pocketed.white", 0))
    raw["before"]["on_board"]["white"], raw["before"]["owed"]["white"] = 0, 2
    (case,) = read_cases([json.dumps(raw)])
    assert report(case)["on_board"]["white"] == 2


@pytest.mark.law("60.a", "60.b")
@pytest.mark.parametrize(
    ("limit", "board", "score", "made"),
    [
        (8, 4, 12, False),
        (8, 5, 12, True),
        (8, 2, 13, True),
        # Without a limit of boards they change at 13 points alone (60.b).
        (None, 7, 12, False),
        (None, 2, 13, True),
    ],
)
def test_sides_have_changed_before_a_case_where_it_was_due(limit, board, score, made):
    before = copy.deepcopy(RAW["S-57-02"]["before"])
    before["board_number"], before["score"] = board, {"white": 0, "black": score}
    before["match"]["opened_match"] = "white" if board % 2 else "black"
    state = read_position(before, MatchFormat(board_limit=limit))
    assert bool(state.game.sides_changed) == made


def test_a_report_has_the_fields_of_after():
    (case,) = read_cases([json.dumps(RAW["D-52.a-01"])])
    said = report(case)
    assert set(RAW["D-52.a-01"]["after"]) <= set(said)
    assert {key: said[key] for key in RAW["D-52.a-01"]["after"]} == RAW["D-52.a-01"]["after"]
    assert said["laws"][0] == "52.a"
    assert said["sentences"][-1] == "white wins the board by 7"


Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def umpire(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs the script's program: exit status, standard output and standard error."""
    program = runpy.run_path(str(SCRIPT))["main"]

    def ask(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["umpire", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        status = program()
        out, error = capsys.readouterr()
        return status, out, error

    return ask


def test_the_script_passes_the_worked_cases():
    """As a user runs it, in a process of its own."""
    command = [sys.executable, str(SCRIPT), str(FILE), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "192 passed, 0 failed\n")


def test_the_script_reports_differences_and_fails(umpire: Ask):
    wrong = changed("S-72.a-03", "after.on_board.black", 7)
    status, out, _ = umpire("-", "--check", text=wrong + "\n" + json.dumps(RAW["D-15-01"]))
    assert status == 1
    assert out.splitlines() == [
        "S-72.a-03: on_board.black: expected 7, got 6",
        "1 passed, 1 failed",
    ]


def test_the_script_rules_on_what_is_asked(umpire: Ask):
    lines = "\n".join(json.dumps(RAW[name]) for name in ("S-99.a-01", "D-99.a-01"))
    status, out, _ = umpire("-", "--mode", "doubles", text=lines)
    assert status == 0
    (said,) = map(json.loads, out.splitlines())
    assert said["id"] == "D-99.a-01"
    assert said["placer_seat"] == 2
    assert "99.a" in said["laws"]


def test_the_script_does_nothing_by_halves(umpire: Ask):
    lines = json.dumps(RAW["S-44-01"]) + "\n" + changed("S-48-01", "mode", "triples")
    status, out, error = umpire("-", text=lines)
    assert status == 2
    assert out == ""
    assert error.count("\n") == 1
    assert "line 2: mode = 'triples'" in error


def test_a_missing_file_is_one_error(umpire: Ask):
    status, _, error = umpire("nowhere.jsonl")
    assert status == 2
    assert error.count("\n") == 1
    assert "nowhere.jsonl" in error


@pytest.mark.parametrize("text", ["", "\n\n", json.dumps(RAW["D-15-01"])])
def test_nothing_to_check_is_an_error(text: str, umpire: Ask):
    status, out, error = umpire("-", "--check", "--mode", "singles", text=text)
    assert (status, out) == (2, "")
    assert error == "umpire: -: no case of singles to check: expected at least one\n"


def test_the_script_ends_in_silence_when_nobody_reads_on():
    command = [sys.executable, str(SCRIPT), str(FILE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        assert asked.stdout
        assert asked.stderr
        asked.stdout.close()
        assert asked.stderr.read() == b""
    assert asked.returncode == 141
