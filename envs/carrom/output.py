"""Files that programs write: there completely or not at all, and refused before the work."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from carrom.errors import ConfigError


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A name beside ``target`` to write to; what lies there then takes the place of the target.

    If the work fails, what was there before stays. Missing folders are made. What is no file, as
    a device, is written to directly.

    Raises:
        OSError: the folder cannot be made, or the file not be put there.
    """
    target = target.resolve() if target.is_symlink() else target
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not target.is_file():
        yield target
        return
    # The suffix stays: writers go by it.
    unfinished = target.with_name(f".{os.getpid()}-{target.name}")
    try:
        yield unfinished
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def check_target(what: str, target: Path, *sources: Path) -> None:
    """Refuse a file that cannot be written, for programs before they work; make its folder.

    Args:
        what: the file is, for the error.
        target: the file.
        sources: files that are read, which it must not be.

    Raises:
        ConfigError: its folder cannot be made or written to, it is a folder, or is a source.
    """
    name = f"{what} {str(target)!r}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if any(target.exists() and target.samefile(source) for source in sources):
            raise ConfigError(f"{name}: expected another file than the one that is read")
    except OSError as error:
        raise ConfigError(f"{name}: {error}") from error
    if target.is_dir():
        raise ConfigError(f"{name}: expected a file, not a folder")
    if not os.access(target.parent, os.W_OK):
        raise ConfigError(f"{name}: expected a folder that can be written to")
