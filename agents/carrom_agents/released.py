"""Agents that come along: small files with what a player needs, and nothing to run.

A released agent is a folder in ``released_agents/``: ``config.yaml``, the configuration it was
trained with, and ``player.npz``, the network's parameters and the statistics by which its
observations are scaled, as arrays under the names of their places in the tree. Loading executes
nothing that is in it. The agents are attributes of this module, read when they are first asked
for; their names are opponents' names (``carrom.opponents``).
"""

from __future__ import annotations

import functools
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import jax
import numpy as np

from carrom.errors import CheckpointError
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import CONFIG_FILE, load_player
from carrom_agents.config import dump_config, load_config
from carrom_agents.player import NetworkPlayer, untrained_player
from carrom_agents.run_folder import write_text

RELEASED = Path(__file__).parent / "released_agents"
ARRAYS_FILE = "player.npz"


def __getattr__(name: str) -> NetworkPlayer:
    """The released agent called ``name``."""
    if not (RELEASED / name / ARRAYS_FILE).is_file():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _released(name)


@functools.cache
def _released(name: str) -> NetworkPlayer:
    return load_released(RELEASED / name)


def release(run: Path, folder: Path) -> None:
    """Write what the run folder ``run`` has trained as a released agent, into ``folder``.

    Raises:
        CheckpointError: the run has no usable checkpoint.
        ConfigError: its configuration does not fit this version.
    """
    player = load_player(run)
    content = io.BytesIO()
    np.savez_compressed(content, **_named(player))
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / CONFIG_FILE, dump_config(player.config))
    unfinished = folder / f".{ARRAYS_FILE}"
    unfinished.write_bytes(content.getvalue())
    os.replace(unfinished, folder / ARRAYS_FILE)


def load_released(folder: Path) -> NetworkPlayer:
    """The player in ``folder``, as ``release`` wrote it.

    Raises:
        CheckpointError: it is missing, damaged, or not of the network that its configuration
            describes.
        ConfigError: its configuration does not fit this version.
    """
    config = load_config(folder / CONFIG_FILE)
    file, blank = folder / ARRAYS_FILE, untrained_player(config)
    try:
        with np.load(file, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{file}: cannot be read: {error}") from None
    for name, expected in (wanted := _named(blank)).items():
        array = found.get(name)
        if array is None or (array.shape, array.dtype) != (expected.shape, expected.dtype):
            what = "nothing" if array is None else f"{array.dtype} {list(array.shape)}"
            raise CheckpointError(
                f"{file}: {name} is {what}: expected {expected.dtype} {list(expected.shape)}"
            )
    if unknown := sorted(found.keys() - wanted):
        raise CheckpointError(f"{file}: {unknown[0]} belongs to no such network")
    params, scale = jax.tree.unflatten(
        jax.tree.structure((blank.params, blank.scale)), [found[name] for name in wanted]
    )
    return NetworkPlayer(config, agent_of(config), params, scale)


def _named(player: NetworkPlayer) -> dict[str, Any]:
    """Parameters and scale of a player by the names of their places, in the tree's order."""
    leaves, _ = jax.tree_util.tree_flatten_with_path((player.params, player.scale))
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}
