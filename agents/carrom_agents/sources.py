"""Which sources a run is made with: git's revision, and what differs from it, as a patch."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carrom_agents.machine import without_secrets

_UNTRACKED = ("*.py", "*.yaml")
"""Of the files that git does not know these are sources."""
_LARGEST, _MOST = 256 * 1024, 100
"""Bytes of such a file, and how many there may be, above which it is left out."""
_TIMEOUT = 30.0
"""s for git to answer."""
_CLEAN = "none"


@dataclass(frozen=True)
class Sources:
    """The sources in the working directory.

    Attributes:
        revision: git's.
        patch: what ``git apply`` makes them of the revision with; of secrets the names. None if
            git could not tell.
        left_out: untracked sources that are too large, or too many, to be in it.
    """

    revision: str
    patch: bytes | None
    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The revision, and a digest by which changes are told from others."""
        told: dict[str, Any] = {"revision": self.revision}
        if self.patch is not None:
            digest = f"sha256 {hashlib.sha256(self.patch).hexdigest()}"
            told |= {"changes": digest if self.patch else _CLEAN}
        return told | ({"left_out": list(self.left_out)} if self.left_out else {})


def sources(without: Path | None = None) -> Sources | None:
    """The sources in the working directory; None where it is not one of git's.

    Args:
        without: a folder in which nothing is a source, such as that of the run folders.
    """
    revision, top = _git("rev-parse", "HEAD"), _git("rev-parse", "--show-toplevel")
    if revision is None or top is None:
        return None
    root = Path(os.fsdecode(top.rstrip(b"\n")))
    patch = _difference(root, "HEAD")
    taken, left_out = _untracked(root, without)
    if patch is not None:
        # It ends with status 1, as there is a difference.
        added = [_difference(root, "--no-index", "--", os.devnull, name) for name in taken]
        patch = _without_secrets(b"".join([patch, *(part or b"" for part in added)]))
    return Sources(revision.decode().strip(), patch, left_out)


def _untracked(root: Path, without: Path | None) -> tuple[list[str], tuple[str, ...]]:
    """Untracked sources that are taken, and those that are left out."""
    listed = _git("ls-files", "--others", "--exclude-standard", "-z", "--", *_UNTRACKED, at=root)
    names = sorted(os.fsdecode(name) for name in (listed or b"").split(b"\0") if name)
    apart = None if without is None else without.resolve()
    taken: list[str] = []
    left_out: list[str] = []
    for name in names:
        file = root / name
        if not file.is_file() or (apart not in (None, root.resolve()) and _within(file, apart)):
            continue
        fits = file.lstat().st_size <= _LARGEST and len(taken) < _MOST
        (taken if fits else left_out).append(name)
    return taken, tuple(left_out)


def _within(file: Path, folder: Path | None) -> bool:
    return folder is not None and file.resolve().is_relative_to(folder)


def _difference(root: Path, *arguments: str) -> bytes | None:
    """A patch as git makes it whatever the user has set."""
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/")
    return _git("diff", "--binary", *plain, *arguments, at=root)


def _without_secrets(patch: bytes) -> bytes:
    # Bytes that are not UTF-8 come back as they were.
    text = without_secrets(patch.decode(errors="surrogateescape"))
    return text.encode(errors="surrogateescape")


def _git(*arguments: str, at: Path | None = None) -> bytes | None:
    """What git says, or None where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=at, capture_output=True, timeout=_TIMEOUT)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode in (0, 1) else None
