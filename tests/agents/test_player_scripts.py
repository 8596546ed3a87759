"""The scripts that evaluate and show players, run as a user runs them."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

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
    arguments = ("aimer", "--boards", "2", "--positions", "5", "--json")
    assert _run("evaluate", *arguments, monkeypatch=monkeypatch) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report["shots"]["players"]) == {"aimer", "random"}
    assert report["boards"]["boards"] == 2


def test_evaluate_prints_tables(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    arguments = ("random", "--opponent", "aimer", "--boards", "2", "--positions", "0")
    assert _run("evaluate", *arguments, monkeypatch=monkeypatch) == 0
    assert "random against aimer: 2 boards" in capsys.readouterr().out


def test_play_tells_every_ruling(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    arguments = ("aimer", "random", "--seed", "1", "--render", "ansi")
    assert _run("play", *arguments, monkeypatch=monkeypatch) == 0
    told = capsys.readouterr().out
    assert "wins the board by" in told
    assert told.count(" strikes from ") == told.count(" m/s, ") > 5
    assert told.rstrip().splitlines()[-1].startswith("aimer wins, ")


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
        (("evaluate", "nobody"), "player 'nobody': expected one of aimer, random"),
        (("evaluate", "aimer", "--opponent", "nobody"), "'nobody'"),
        (("evaluate", "aimer", "--noise", "loud"), "'loud': expected one of none"),
        (("evaluate", str(SCRIPTS)), "not a run folder"),
        (("play", "aimer", "nobody"), "'nobody'"),
        (("play", "aimer", "random", "--noise", "loud"), "'loud'"),
        (("play", "aimer", "random", "--video", "film.avi"), "film.avi"),
        (("play", "aimer", "random", "--render", "rgb_array"), "--video"),
    ],
)
def test_bad_arguments_get_one_line_and_status_2(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    assert _run(*arguments, monkeypatch=monkeypatch) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
