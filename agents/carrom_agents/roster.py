"""Players by name: those that are installed, and those in run folders."""

from __future__ import annotations

from pathlib import Path

from carrom.errors import ConfigError
from carrom.opponents import Player, find_opponent, opponent_names


def find_player(name: str) -> Player:
    """The player called ``name``, or the one in the folder ``name``: of a run, or released.

    Raises:
        ConfigError: neither a player's name nor a folder.
        CheckpointError: a folder that holds no trained player.
    """
    if name in opponent_names():
        return find_opponent(name)
    if Path(name).is_dir():
        # Scripted players need no neural network, and loading its libraries takes seconds.
        from carrom_agents.foresight.settings import ITERATION_FILE

        if Path(name, ITERATION_FILE).is_file():
            from carrom_agents.foresight.training import trained_player

            return trained_player(Path(name))
        from carrom_agents.released import ARRAYS_FILE, load_released

        if Path(name, ARRAYS_FILE).is_file():
            return load_released(Path(name))
        from carrom_agents.checkpoint import load_player

        return load_player(name)
    raise ConfigError(
        f"player {name!r}: expected one of {', '.join(opponent_names())} or a run folder, and "
        "there is no such folder"
    )


def short_name(player: str) -> str:
    """What the player of that name, of that run folder or checkpoint, is called in print."""
    place = Path(player).absolute()
    if place.name.isdigit():
        from carrom_agents.checkpoint import located

        run, chosen = located(place)
        return run.name if chosen is None else f"{run.name}-{chosen.name}"
    return place.name


def labels(*players: str) -> tuple[str, ...]:
    """What players are called side by side: their short names, never two alike."""
    found: list[str] = []
    for name in map(short_name, players):
        label, count = name, 1
        while label in found:
            count += 1
            label = f"{name} ({count})"
        found.append(label)
    return tuple(found)
