"""The games of a tournament in a file: one line each, appended as they come, never lost."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from types import TracebackType

from carrom.errors import ConfigError
from carrom_agents.exclusive import lock
from carrom_agents.tournament.record import Fixture, GameRecord
from carrom_agents.tournament.settings import Conditions

GAMES_FILE = "games.jsonl"
"""Name of the file in the tournament's folder."""


class GameLog:
    """The games in a folder, all under the same conditions; one program at a time has it.

    A program that is killed leaves at most the beginning of a last line. It is dropped.

    Args:
        folder: made if it is not there.
        conditions: of the games to come, and of those that are there.

    Raises:
        ConfigError: the folder cannot be used, another program has it, a line is no game, or
            one was played under other conditions.
    """

    def __init__(self, folder: Path, conditions: Conditions) -> None:
        self._path = folder / GAMES_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a+b", buffering=0)
        except OSError as error:
            raise ConfigError(
                f"folder = {str(folder)!r}: cannot be written to ({error.strerror})"
            ) from None
        try:
            self.records = self._taken_up(conditions)
        except ConfigError:
            self._file.close()
            raise

    def append(self, record: GameRecord) -> None:
        """Keep a game."""
        self._file.write(f"{record.as_line()}\n".encode())
        self.records[record.fixture] = record

    def __enter__(self) -> GameLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def _taken_up(self, conditions: Conditions) -> dict[Fixture, GameRecord]:
        """The games that are there, once the file is locked and what is no line is cut off."""
        lock(self._file, f"{self._path}: another program is playing this tournament")
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)
        self._file.seek(0, os.SEEK_END)
        records = {}
        for number, line in enumerate(content[:whole].splitlines(), start=1):
            try:
                record = GameRecord.of_line(line.decode())
            except ValueError as error:
                raise ConfigError(
                    f"{self._path}: line {number} is no game ({error}): expected what a "
                    "tournament has written"
                ) from None
            self._check(record.conditions, conditions)
            records[record.fixture] = record
        return records

    def _check(self, found: Conditions, wanted: Conditions) -> None:
        for name, value in dataclasses.asdict(found).items():
            other = getattr(wanted, name)
            if other != value:
                raise ConfigError(
                    f"{name} = {other!r}: expected {value!r}, as in the games in {self._path}, or "
                    "another folder"
                )
