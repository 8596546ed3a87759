"""What one program at a time may write to: a lock that goes when the program does."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from carrom.errors import ConfigError

LOCK_FILE = ".lock"
"""Name of the file in a folder that is locked; it stays there, empty."""


@contextlib.contextmanager
def alone_in(folder: Path, doing: str) -> Iterator[None]:
    """The time in which a folder is this program's alone.

    Args:
        folder: made if it is not there.
        doing: what another program does that has it, such as "running this sweep".

    Raises:
        ConfigError: another program has it, or it cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK_FILE).open("w")
    except OSError as error:
        raise ConfigError(
            f"folder = {str(folder)!r}: cannot be written to ({error.strerror})"
        ) from None
    with file:
        lock(file, f"{folder}: another program is {doing}")
        yield


def lock(file: IO[Any], refusal: str) -> None:
    """Lock an open file until it is closed, or the program ends, however it does.

    Raises:
        ConfigError: another program has it: says ``refusal``.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ConfigError(refusal) from None
