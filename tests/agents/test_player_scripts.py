"""The scripts that evaluate and show players, run as a user runs them."""

import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from carrom.replay import load, verify

SCRIPTS = Path(__file__).parents[2] / "scripts"


def _run(script: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    spec = importlib.util.spec_from_file_location(script, SCRIPTS / f"{script}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    return module.main()


def test_evaluate_prints_json(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    several = ("--noise", "master", "club", "--json")
    arguments = ("aimer", "--boards", "2", "--positions", "5", "--solo", "1", *several)
    assert _run("evaluate", *arguments, monkeypatch=monkeypatch) == 0
    reports = json.loads(capsys.readouterr().out)
    assert list(reports) == ["master", "club"]
    for level, report in reports.items():
        assert set(report["shots"]["players"]) == {"aimer", "random"}
        assert report["boards"]["boards"] == 2
        assert report["alone"]["noise"] == level


def test_evaluate_tells_a_player_from_himself(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    few = ("--boards", "2", "--positions", "4", "--solo", "0", "--json")
    arguments = ("random", "--opponent", "random", *few)
    assert _run("evaluate", *arguments, monkeypatch=monkeypatch) == 0
    report = json.loads(capsys.readouterr().out)["expert"]
    assert set(report["shots"]["players"]) == {"random", "random (2)"}
    assert (report["boards"]["player"], report["boards"]["opponent"]) == ("random", "random (2)")


def test_evaluate_prints_tables(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    arguments = ("aimer", "--boards", "2", "--positions", "0", "--solo", "2")
    assert _run("evaluate", *arguments, monkeypatch=monkeypatch) == 0
    printed = capsys.readouterr().out
    assert "aimer against random: 2 boards" in printed
    assert "aimer alone: 2 boards" in printed
    assert printed.count("cut ") == 2


def test_play_writes_the_umpires_sheet(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    arguments = ("aimer", "random", "--seed", "1", "--render", "ansi")
    assert _run("play", *arguments, monkeypatch=monkeypatch) == 0
    sheet = capsys.readouterr().out
    assert sheet.startswith("Umpire's sheet: singles, one board\n")
    assert "0 aimer, 2 random" in sheet
    assert sheet.count(" m/s ") > 5
    assert "48, 44: turn" in sheet
    assert "\nBoard 1 to aimer: " in sheet
    assert "+-----" in sheet


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        ((), "0 aimer, 1 random, 2 aimer, 3 random"),
        (("--partner", "random"), "0 aimer, 1 random, 2 random, 3 random"),
    ],
)
def test_play_seats_four_players(
    options: tuple[str, ...], seats: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    arguments = ("aimer", "random", "--doubles", "--seed", "3", *options)
    assert _run("play", *arguments, monkeypatch=monkeypatch) == 0
    sheet = capsys.readouterr().out
    assert sheet.startswith("Umpire's sheet: doubles, one board\n")
    assert f"seats, counter-clockwise: {seats}\n" in sheet
    assert "49.b     in doubles turn and break pass to the player on the right" in sheet
    assert sheet.rstrip().splitlines()[-1].startswith("Board 1 to ")


def test_a_person_takes_a_seat(monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path) -> None:
    """He breaks, strikes again, and leaves; what was played is kept."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("break\n0 0 5\n0 10 3\nq\n"))
    file = tmp_path / "board.json"
    arguments = ("person", "random", "--seed", "2", "--replay", str(file))
    assert _run("play", *arguments, monkeypatch=monkeypatch) == 0
    printed = capsys.readouterr().out
    assert re.search(r"\d+  person  .* m/s ", printed)
    assert "the person has left the game" in printed
    assert "Cut off after" in printed
    assert verify(load(file)).equal


@pytest.mark.render
def test_play_films(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    film = tmp_path / "shot.gif"
    arguments = ("aimer", "random", "--id", "CarromShot-v0", "--video", str(film))
    assert _run("play", *arguments, monkeypatch=monkeypatch) == 0
    assert str(film) in capsys.readouterr().out
    assert film.read_bytes().startswith(b"GIF89a")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "nobody"), "player 'nobody': expected one of aimer, "),
        (("evaluate", "aimer", "--opponent", "nobody"), "'nobody'"),
        (("evaluate", "aimer", "--noise", "loud"), "'loud': expected one of"),
        (("evaluate", "aimer", "--seed", "-1"), "seed = -1: expected at least 0"),
        (("evaluate", "aimer", "--positions", "1"), "positions = 1: expected at least 2"),
        (
            ("evaluate", "aimer", "--positions", "0", "--boards", "0", "--solo", "0"),
            "nothing to evaluate",
        ),
        (("play", "aimer", "random", "--seed", "-1"), "seed = -1: expected at least 0"),
        (("evaluate", str(SCRIPTS)), "not a run folder"),
        (("play", "aimer", "nobody"), "'nobody'"),
        (("play", "aimer", "random", "--noise", "loud"), "'loud'"),
        (("play", "aimer", "random", "--video", "film.avi"), "film.avi"),
        (("play", "aimer", "random", "--render", "rgb_array"), "--video"),
        (("play", "aimer", "random", "--partner", "aimer"), "expected --doubles"),
        (("play", "aimer", "random", "--doubles", "--partner", "nobody"), "'nobody'"),
        (("play", "aimer", "random", "--doubles", "--id", "CarromSolo-v0"), "doubles = True"),
    ],
)
def test_bad_arguments_get_one_line_and_status_2(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    assert _run(*arguments, monkeypatch=monkeypatch) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "aimer"),
        ("play", "aimer", "random", "--video", "film.gif"),
        ("train", str(SCRIPTS.parent / "configs" / "quickstart.yaml")),
    ],
    ids=lambda command: command[0],
)
def test_a_bad_graphics_setting_gets_one_line_and_status_2(command: tuple[str, ...]) -> None:
    """Asked in a process of its own: MuJoCo looks at the setting only while it is imported."""
    script, *arguments = command
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / f"{script}.py"), *arguments],
        env=os.environ | {"MUJOCO_GL": "bogus"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"{script}: MUJOCO_GL='bogus' is no back end: expected one of ")
    assert done.stderr.count("\n") == 1


def test_play_ends_in_silence_when_nobody_reads_on() -> None:
    with subprocess.Popen(
        [sys.executable, str(SCRIPTS / "play.py"), "random", "random", "--render", "ansi"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as playing:
        assert playing.stdout
        assert playing.stderr
        playing.stdout.close()
        assert playing.stderr.read() == b""
    assert playing.returncode == 141
