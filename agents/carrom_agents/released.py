"""Agents that come along: small files with what a player needs, and nothing to run.

A released agent is a folder in ``released_agents/``: ``config.yaml`` or ``iteration.yaml``, the
configuration it was trained with, and ``player.npz``, the network's parameters and the
statistics by which its observations are scaled, if they are, as arrays under the names of their
places in the tree. Loading executes nothing that is in it. The agents are attributes of this
module, read when they are first asked for; their names are opponents' names
(``carrom.opponents``).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from carrom.errors import ConfigError
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import CONFIG_FILE, load_player
from carrom_agents.config import dump_config, load_config
from carrom_agents.foresight.player import ForesightPlayer
from carrom_agents.foresight.settings import ITERATION_FILE
from carrom_agents.foresight.training import PLAYER_FILE, trained_player
from carrom_agents.named_arrays import read_arrays, write_arrays
from carrom_agents.player import NetworkPlayer, untrained_player
from carrom_agents.run_folder import write_text

RELEASED = Path(__file__).parent / "released_agents"
ARRAYS_FILE = PLAYER_FILE


def __getattr__(name: str) -> Any:
    """The released agent called ``name``: what kind of player it is hangs on its name."""
    if not (RELEASED / name / ARRAYS_FILE).is_file():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _released(name)


@functools.cache
def _released(name: str) -> NetworkPlayer | ForesightPlayer:
    return load_released(RELEASED / name)


def release(run: Path, folder: Path) -> None:
    """Write what the run folder ``run`` has trained as a released agent, into ``folder``.

    Raises:
        CheckpointError: the run has no usable checkpoint.
        ConfigError: its configuration does not fit this version, or the folder cannot be made.
    """
    if (run / ITERATION_FILE).is_file():
        settings, other = (run / ITERATION_FILE).read_text(encoding="utf-8"), CONFIG_FILE
        arrays: Any = trained_player(run).params
        file = ITERATION_FILE
    else:
        player = load_player(run)
        settings, other = dump_config(player.config), ITERATION_FILE
        arrays = (player.params, player.scale)
        file = CONFIG_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"{folder}: cannot be made ({error.strerror}): expected a folder"
        ) from None
    write_text(folder / file, settings)
    write_arrays(folder / ARRAYS_FILE, arrays)
    (folder / other).unlink(missing_ok=True)


def load_released(folder: Path) -> NetworkPlayer | ForesightPlayer:
    """The player in ``folder``, as ``release`` wrote it.

    Raises:
        CheckpointError: it is missing, damaged, or not of the network that its configuration
            describes.
        ConfigError: its configuration does not fit this version.
    """
    if (folder / ITERATION_FILE).is_file():
        return trained_player(folder)
    config = load_config(folder / CONFIG_FILE)
    blank = untrained_player(config)
    params, scale = read_arrays(folder / ARRAYS_FILE, (blank.params, blank.scale))
    return NetworkPlayer(config, agent_of(config), params, scale)
