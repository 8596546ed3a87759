"""The commands that pages name: the programs are there, and take these options."""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import tyro
from pages import PAGES, ROOT, blocks

_ELSEWHERE = ("cd", "export", "jupyter", "mkdocs", "pip", "ray", "ssh", "tensorboard", "wandb")
"""Programs that are not the project's: nothing about them is checked here."""
_STANDS_FOR = {
    "CONFIG": "configs/ppo_shot.yaml",
    "runs/NAME/config.yaml": "configs/quickstart.yaml",
    "HOST:PORT": "localhost:1234",
}
"""What a program looks at, by what pages write for it."""
_PROGRAM = re.compile(r"`python ((?:scripts|examples)/[^`]+)`")


def _commands() -> list[tuple[str, list[str]]]:
    found = []
    for page in PAGES:
        for block in blocks(page, "sh"):
            lines = block.text.replace("\\\n", " ").splitlines()
            for number, line in enumerate(lines, block.line):
                words = shlex.split(line, comments=True)
                # Settings of the environment come first.
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    words.pop(0)
                if words:
                    found.append((f"{block.page}:{number}", words))
        text = page.read_text(encoding="utf-8")
        found += [(page.name, ["python", *shlex.split(at[1])]) for at in _PROGRAM.finditer(text)]
    return found


COMMANDS = _commands()
PROGRAMS = [
    pytest.param(where, words[1:], id=f"{where}-{Path(words[1]).name}")
    for where, words in COMMANDS
    if Path(words[0]).name == "python" and words[1] != "-m"
]


class _Understood(BaseException):
    """A program has read its command line."""


def test_there_are_commands_of_every_script() -> None:
    named = {Path(words[1]) for _, words in COMMANDS if Path(words[0]).name == "python"}
    scripts = {path.relative_to(ROOT) for path in (ROOT / "scripts").glob("*.py")}
    assert len(COMMANDS) > 40
    assert {"train.py", "play.py", "evaluate.py"} <= {path.name for path in named & scripts}


def test_every_command_is_of_a_known_program() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for where, words in COMMANDS:
        program = Path(words[0]).name
        if program == "make":
            goals = {word for word in words[1:] if "=" not in word}
            assert goals <= targets, where
        elif program == "python":
            assert len(words) > 1, where
        else:
            assert program in _ELSEWHERE, f"{where}: {words[0]}"


@pytest.mark.parametrize(("where", "words"), PROGRAMS)
def test_a_program_understands_its_options(
    where: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    script = ROOT / words[0]
    assert script.is_file(), where
    if script.parent.name == "examples":
        assert len(words) == 1, where
        return
    real_parse, real_cli = argparse.ArgumentParser.parse_args, tyro.cli

    def parse(self: argparse.ArgumentParser, *arguments: Any, **keywords: Any) -> Any:
        real_parse(self, *arguments, **keywords)
        raise _Understood

    def cli(*arguments: Any, **keywords: Any) -> Any:
        real_cli(*arguments, **keywords)
        raise _Understood

    def resume(*arguments: Any) -> None:
        raise _Understood

    def leave(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(script.parent))
    given = [_STANDS_FOR.get(word, word) for word in words[1:]]
    monkeypatch.setattr(sys, "argv", [str(script), *given])
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse)
    monkeypatch.setattr(tyro, "cli", cli)
    if "--resume" in words:
        monkeypatch.setattr("carrom_agents.checkpoint.run_config", _any_config)
        monkeypatch.setattr("carrom_agents.experiment.resume", resume)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except _Understood:
        return
    except SystemExit as end:
        pytest.fail(f"{where}: {end.code}: {capsys.readouterr().err}")
    pytest.fail(f"{where}: the program has not looked at its options")


def _any_config(folder: Path) -> Any:
    from carrom_agents.config import ExperimentConfig

    return ExperimentConfig()
