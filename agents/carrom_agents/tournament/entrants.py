"""Who plays in a tournament: a run folder may be trained on, and is then another player."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from carrom.errors import ConfigError
from carrom.opponents import opponent_names
from carrom_agents.run_folder import write_text

ENTRANTS_FILE = "entrants.json"
"""Name of the file, in a tournament's folder, with a digest of every trained player."""


def enter(folder: Path, players: Iterable[str]) -> None:
    """Note who the players are, or see that they are still the same.

    Args:
        folder: of the tournament.
        players: names and folders.

    Raises:
        ConfigError: what a folder holds is no longer what has played there, or the file that
            says so is damaged.
        CheckpointError: a run folder without a checkpoint.
    """
    file = folder / ENTRANTS_FILE
    known = _read(file) if file.exists() else {}
    trained = [name for name in players if name not in opponent_names() and Path(name).is_dir()]
    now = {name: _digest(Path(name)) for name in trained}
    for name in now.keys() & known.keys():
        if now[name] != known[name]:
            raise ConfigError(
                f"player {name!r}: has changed since it played in {folder}: expected the same, "
                "one of its checkpoints, or another folder"
            )
    if now.keys() - known.keys():
        write_text(file, json.dumps(known | now, indent=2, sort_keys=True) + "\n")


def _read(file: Path) -> dict[str, str]:
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from None
    if not isinstance(known, dict) or not all(isinstance(each, str) for each in known.values()):
        raise ConfigError(f"{file}: expected a digest for every player")
    return known


def _digest(place: Path) -> str:
    """Of everything that makes up the player there, SHA-256."""
    from carrom_agents.checkpoint import located, newest_checkpoint
    from carrom_agents.released import ARRAYS_FILE

    found = place / ARRAYS_FILE
    if not found.is_file():
        run, chosen = located(place)
        found = newest_checkpoint(run) if chosen is None else place
    digest = hashlib.sha256()
    for file in sorted(found.rglob("*")) if found.is_dir() else [found]:
        if file.is_file():
            digest.update(f"{file.relative_to(found)}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
