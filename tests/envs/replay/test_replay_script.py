"""Playing with --replay, and what scripts/replay.py makes of the file, as a user runs them."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.fixture
def script(monkeypatch, capsys):
    """Runs a script with arguments; gives its status, output and errors."""

    def run(name, *arguments):
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        status = module.main()
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def replay(script, tmp_path):
    """A game's replay, and what the players were shown."""
    file = tmp_path / "shot.json"
    status, output, _ = script(
        "play", "aimer", "random", "--id", "CarromShot-v0", "--seed", "3", "--replay", file
    )
    assert status == 0
    return file, output


def test_the_sheet_is_the_one_that_was_printed_while_playing(script, replay) -> None:
    file, shown = replay
    status, output, _ = script("replay", file)
    assert status == 0
    assert shown == output + f"replay: {file}\n"
    assert json.loads(file.read_text())["names"] == {"0": "aimer", "2": "random"}


def test_it_verifies_and_says_with_its_status_what_came_of_it(script, replay) -> None:
    file, _ = replay
    status, output, _ = script("replay", file, "--verify")
    assert status == 0
    assert "equal to the last bit" in output
    data = json.loads(file.read_text())
    data["strokes"][0]["made"][2] *= 1.01
    file.write_text(json.dumps(data))
    status, output, _ = script("replay", file, "--verify")
    assert status == 1
    assert "different: stroke 1: " in output


def test_it_writes_a_page(script, replay, tmp_path) -> None:
    file, _ = replay
    page = tmp_path / "made" / "x.html"
    status, output, _ = script("replay", file, "--html", page)
    assert status == 0
    assert output == f"page: {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_bad_files_and_names_are_told_in_one_line(script, replay, tmp_path) -> None:
    file, _ = replay
    broken = tmp_path / "broken.json"
    broken.write_text(file.read_text()[:-50])
    for arguments, complaint in (
        ((broken,), "no JSON"),
        ((tmp_path / "none.json",), "No such file"),
        ((file, "--video", "x.gif"), "ending in .mp4"),
        ((file, "--gif", "x.mp4"), "ending in .gif"),
    ):
        status, _, errors = script("replay", *arguments)
        assert status == 2
        assert errors.startswith("replay: ")
        assert complaint in errors
        assert errors.count("\n") == 1


def test_no_file_is_destroyed(script, replay, tmp_path) -> None:
    file, _ = replay
    before = file.read_bytes()
    page = tmp_path / "linked.html"
    page.hardlink_to(file)
    for arguments, complaint in (
        (("--html", file), "ending in .html or .htm"),
        (("--html", page), "expected another file than the one that is read"),
        (("--html", "/proc/nowhere/x.html"), "page '/proc/nowhere/x.html'"),
        (("--picture", tmp_path / "x.png", "--size", 1), "--size 1: expected at least 16"),
    ):
        status, _, errors = script("replay", file, *arguments)
        assert (status, errors.count("\n")) == (2, 1)
        assert complaint in errors
    assert file.read_bytes() == before
    empty = tmp_path / "empty.json"
    data = json.loads(before) | {"strokes": [], "result": None}
    empty.write_text(json.dumps(data))
    assert "no strokes" in script("replay", empty, "--picture", tmp_path / "x.png")[2]


def test_play_refuses_at_once_what_it_could_not_write(script) -> None:
    for option, name in (
        ("--replay", "/proc/nowhere/x.json"),
        ("--video", "/proc/nowhere/x.mp4"),
        ("--video", "x.avi"),
    ):
        status, output, errors = script("play", "random", "random", option, name)
        assert (status, output) == (2, "")
        assert name in errors
        assert errors.count("\n") == 1


@pytest.mark.render
def test_it_films(script, replay, tmp_path) -> None:
    file, _ = replay
    gif = tmp_path / "x.gif"
    assert script("replay", file, "--gif", gif, "--size", 64)[0] == 0
    assert gif.read_bytes().startswith(b"GIF8")
