"""The script of the drills, run as a user runs it."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "drills.py"


def _run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    spec = importlib.util.spec_from_file_location("drills_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["drills.py", *arguments])
    return module.main()


FEW = ("--tries", "2", "--asked", "1", "--kind", "defence")


def test_it_prints_a_table(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    assert _run("aimer", "random", *FEW, "--noise", "club", monkeypatch=monkeypatch) == 0
    printed = capsys.readouterr().out
    assert "2 tries each, noise club, seed 0" in printed
    for word in ("defence-1", "aimer", "random", "all defence"):
        assert word in printed
    assert "direct-1" not in printed


def test_it_writes_a_page_that_says_how(
    monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path
) -> None:
    page = tmp_path / "drills.md"
    assert _run("aimer", *FEW, "--report", str(page), monkeypatch=monkeypatch) == 0
    assert str(page) in capsys.readouterr().out.replace("\n", "")
    text = page.read_text()
    assert f"python scripts/drills.py aimer {' '.join(FEW)} --report {page}\n" in text
    assert (tmp_path / "images" / "drills-defence.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no players: expected names or run folders, or --search"),
        (("nobody",), "player 'nobody'"),
        (("aimer", "--search"), "players ['aimer']: expected none with --search"),
        (("aimer", "--kind", "trick"), "kind = 'trick': expected one of"),
        (("aimer", "--noise", "loud"), "noise = 'loud'"),
        (("aimer", "--tries", "15"), "expected a multiple of asked"),
        (("aimer", "--file", "nothing.json"), "nothing.json: cannot be read"),
    ],
)
def test_bad_arguments_get_one_line_and_status_2(
    arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    assert _run(*arguments, monkeypatch=monkeypatch) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("drills: ")
    assert error.count("\n") == 1
