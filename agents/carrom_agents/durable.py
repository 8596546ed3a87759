"""What has been written is on the disk, and stays there when the power fails."""

from __future__ import annotations

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Wait until the file ``path``, or the names in the folder ``path``, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Wait until the folder and all that is in it are on the disk."""
    for path, _, files in os.walk(folder, topdown=False):
        for name in files:
            sync(Path(path, name))
        sync(Path(path))


def replace(unfinished: Path, path: Path) -> None:
    """Give what has been written its name: it is there completely or not at all.

    Args:
        unfinished: a file or folder next to ``path``.
        path: a file there is replaced; a folder there must be empty.
    """
    if unfinished.is_dir():
        sync_tree(unfinished)
    else:
        sync(unfinished)
    os.replace(unfinished, path)
    sync(path.parent)
