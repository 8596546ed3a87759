"""Checkpoints: the whole state of a training, written by orbax and restored with its types.

A checkpoint is a folder with the arrays (``state``) and a description of their tree
(``manifest.json``), against which a reader checks that it is the tree it expects before any
array is read. It appears under its name only when it is complete.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import jax
import numpy as np
import orbax.checkpoint as ocp

from carrom.errors import CheckpointError
from carrom_agents.agent import agent_of
from carrom_agents.config import ExperimentConfig, load_config
from carrom_agents.learning import TrainingState, initial_state
from carrom_agents.normaliser import RunningStatistics
from carrom_agents.player import NetworkPlayer, player_of

CONFIG_FILE = "config.yaml"
CHECKPOINTS = "checkpoints"
_ARRAYS = "state"
_MANIFEST = "manifest.json"
_VERSION = 1
"""Of the layout of a checkpoint; to be raised whenever a reader must tell old from new."""


def _tree(state: TrainingState) -> dict[str, Any]:
    statistics = state.statistics
    tree = {
        "learner": state.learner,
        "statistics": [statistics.count, statistics.mean, statistics.squares],
        "update": np.asarray(state.update, np.int64),
    }
    return tree if state.league is None else tree | {"league": state.league}


def _manifest(tree: Any) -> dict[str, Any]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {
        "version": _VERSION,
        "leaves": {
            jax.tree_util.keystr(path): f"{leaf.dtype} {list(leaf.shape)}" for path, leaf in leaves
        },
    }


def save(run: Path, state: TrainingState) -> Path:
    """Write a checkpoint into the run folder ``run``; returns its folder."""
    folder = run / CHECKPOINTS / f"{state.update:08d}"
    unfinished = folder.with_name(f".{folder.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    tree = _tree(state)
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save((unfinished / _ARRAYS).absolute(), tree)
    (unfinished / _MANIFEST).write_text(json.dumps(_manifest(tree), indent=1), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(unfinished, folder)
    return folder


def restore(run: Path, config: ExperimentConfig) -> TrainingState:
    """The state in the newest checkpoint of the run folder ``run``.

    Raises:
        CheckpointError: there is none, it is damaged, or its arrays are not those of the
            network and optimiser that ``config`` describes.
    """
    folder = _newest(run)
    expected = _tree(initial_state(config, agent_of(config)))
    _compare(folder, _manifest(expected))
    try:
        with ocp.StandardCheckpointer() as checkpointer:
            tree = checkpointer.restore((folder / _ARRAYS).absolute(), expected)
    except Exception as error:  # orbax and its storage drivers raise many types, all meaning this
        reason = " ".join(str(error).split())[:200]
        raise CheckpointError(f"{folder}: the checkpoint is damaged: {reason}") from error
    statistics = RunningStatistics(*(np.asarray(leaf) for leaf in tree["statistics"]))
    league = jax.tree.map(np.asarray, tree.get("league"))
    return TrainingState(tree["learner"], statistics, int(tree["update"]), league)


def _newest(run: Path) -> Path:
    if not run.is_dir():
        raise CheckpointError(f"{run}: no such run folder")
    complete = sorted(p for p in (run / CHECKPOINTS).glob("[0-9]*") if p.is_dir())
    if not complete:
        raise CheckpointError(f"{run}: no checkpoint in {run / CHECKPOINTS}")
    return complete[-1]


def _compare(folder: Path, expected: dict[str, Any]) -> None:
    """Refuse a checkpoint whose tree is not the ``expected`` one."""
    try:
        found = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        version, leaves = found["version"], dict(found["leaves"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"{folder}: the checkpoint is damaged: {_MANIFEST}: {error}"
        ) from None
    if version != expected["version"]:
        raise CheckpointError(
            f"{folder}: written in layout {version!r}: expected {expected['version']}"
        )
    for name in sorted({*leaves, *expected["leaves"]}):
        theirs, ours = (tree.get(name, "nothing") for tree in (leaves, expected["leaves"]))
        if theirs != ours:
            raise CheckpointError(
                f"{folder}: checkpoint of another network or optimiser: {name} is {theirs}, "
                f"expected {ours}"
            )


def load_player(run: Path | str, *, samples: bool = False) -> NetworkPlayer:
    """The player that the run folder ``run`` has trained, from its newest checkpoint.

    Args:
        run: run folder.
        samples: draw from the policy instead of playing its most probable action.

    Raises:
        CheckpointError: no run or checkpoint there, damaged, or not of the network that the
            run's configuration describes.
        ConfigError: the run's configuration does not fit this version.
    """
    run = Path(run)
    config = run_config(run)
    return player_of(config, restore(run, config), samples=samples)


def run_config(run: Path) -> ExperimentConfig:
    """The resolved configuration of the run folder ``run``.

    Raises:
        CheckpointError: it is not a run folder.
        ConfigError: the configuration does not fit this version.
    """
    if not (run / CONFIG_FILE).is_file():
        raise CheckpointError(f"{run}: not a run folder: it has no {CONFIG_FILE}")
    return load_config(run / CONFIG_FILE)
