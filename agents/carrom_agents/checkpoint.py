"""Checkpoints: the whole state of a training, written by orbax and restored with its types.

A checkpoint is a folder with the arrays (``state``) and ``manifest.json``: the version of this
layout, the configuration of the run, with its seed, the tree of the arrays, a digest of
every file, and one of all this. A reader checks all of it before any array is read. Nothing in
it is executed: it is JSON and numbers, no pickles.

It appears under its name only when it is complete and on the disk, so that a run that is killed,
or whose machine loses its power, has an earlier checkpoint or this one. Wherever a run folder is
read, one of its checkpoints, ``RUN/checkpoints/00000050``, may be named instead.

What is not in it: environments, which are reset wherever a checkpoint is due (see
``TrainingState``), and random keys, all of which follow from the seed and the number of the
update.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import orbax.checkpoint as ocp

from carrom.errors import CheckpointError
from carrom_agents import durable, strict_yaml
from carrom_agents.agent import agent_of
from carrom_agents.config import ExperimentConfig, load_config
from carrom_agents.foresight.settings import ITERATION_FILE
from carrom_agents.learning import TrainingState, initial_state
from carrom_agents.normaliser import RunningStatistics
from carrom_agents.player import NetworkPlayer, player_of

CONFIG_FILE = "config.yaml"
CHECKPOINTS = "checkpoints"
_ARRAYS = "state"
_MANIFEST = "manifest.json"
_VERSION = 3
"""Of the layout of a checkpoint; to be raised whenever a reader must tell old from new."""
_FIELDS = {
    1: {"version", "leaves"},
    2: {"version", "leaves", "config", "files"},
    3: {"version", "leaves", "config", "files", "digest"},
}
"""What the manifest of each layout holds, no more and no less: a version that has changed, and
would have less of it checked, is damage."""
_OWN = ("seed", "env.id", "env.physics", "env.action_coding")
"""Settings by which a checkpoint is that of its run; the network's show in the arrays."""
_TOLD_OF = ("name", "seeds", "env.workers", "evaluation.", "logging.")
"""Settings, or beginnings of their names, that do not change what is learnt."""
_DECIDES = ("logging.checkpoint_every_updates",)
"""Settings that change what is learnt all the same: environments are reset there."""


def _tree(state: TrainingState) -> dict[str, Any]:
    statistics = state.statistics
    tree = {
        "learner": state.learner,
        "statistics": [statistics.count, statistics.mean, statistics.squares],
        "update": np.asarray(state.update, np.int64),
    }
    if state.league is not None:
        tree |= {"league": state.league}
    # Where hosts train together, arrays of one device of one host are nothing to orbax.
    return tree if jax.process_count() == 1 else jax.device_get(tree)


def _checkpointer() -> ocp.StandardCheckpointer:
    """Reads and writes; where hosts train together, without waiting for the others."""
    if jax.process_count() == 1:
        return ocp.StandardCheckpointer()
    own = jax.process_index()
    alone = ocp.options.MultiprocessingOptions(
        primary_host=own, active_processes={own}, barrier_sync_key_prefix=f"host{own}"
    )
    return ocp.StandardCheckpointer(multiprocessing_options=alone)


def _leaves(tree: Any) -> dict[str, str]:
    """Type and shape of each array by its place in the tree."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): f"{leaf.dtype} {list(leaf.shape)}" for path, leaf in leaves}


def save(run: Path, config: ExperimentConfig, state: TrainingState) -> Path:
    """Write a checkpoint into the run folder ``run``; returns its folder.

    Args:
        run: run folder.
        config: of the run.
        state: after an update.

    Raises:
        CheckpointError: it cannot be written; those before it are as they were.
    """
    folder = run / CHECKPOINTS / f"{state.update:08d}"
    try:
        _write(folder, config, _tree(state))
    except Exception as error:  # orbax and its storage drivers raise many types, all meaning this
        reason = " ".join(str(error).split())[:200]
        raise CheckpointError(
            f"{folder}: the checkpoint cannot be written: {reason}; when it can, go on with "
            "--resume"
        ) from error
    return folder


def _write(folder: Path, config: ExperimentConfig, tree: dict[str, Any]) -> None:
    unfinished, replaced = (folder.with_name(f".{folder.name}{end}") for end in ("", ".replaced"))
    for leftover in (unfinished, replaced):
        shutil.rmtree(leftover, ignore_errors=True)
    unfinished.mkdir(parents=True)
    with _checkpointer() as checkpointer:
        checkpointer.save((unfinished / _ARRAYS).absolute(), tree)
    manifest = {
        "version": _VERSION,
        "config": dataclasses.asdict(config),
        "leaves": _leaves(tree),
        "files": _digests(unfinished),
    }
    manifest |= {"digest": _digest(manifest)}
    (unfinished / _MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    # Never is a folder half deleted under its own name.
    if folder.exists():
        os.rename(folder, replaced)
    durable.replace(unfinished, folder)
    shutil.rmtree(replaced, ignore_errors=True)


def located(place: Path) -> tuple[Path, Path | None]:
    """The run folder that ``place`` is, or lies in, and its checkpoint, if it is one."""
    if place.name.isdigit() and place.parent.name == CHECKPOINTS:
        return place.parent.parent, place
    return place, None


def has_checkpoint(run: Path) -> bool:
    """Whether there is any in the run folder ``run``, damaged ones included."""
    return bool(complete_checkpoints(run))


def forget_after(run: Path, update: int) -> None:
    """Remove checkpoints of later updates than ``update``, and what was never completed."""
    for path in (run / CHECKPOINTS).glob("*"):
        name = path.name
        later = name.isdigit() and int(name) > update
        unfinished = name.startswith(".") and name[1:9].isdigit()
        if later:
            # Out of sight first: it could be half deleted.
            path = path.rename(path.with_name(f".{name}.replaced"))
        if later or unfinished:
            shutil.rmtree(path, ignore_errors=True)


def restore(place: Path, config: ExperimentConfig) -> TrainingState:
    """The state in the newest checkpoint of a run folder, or in a certain one.

    Args:
        place: run folder, or checkpoint in one.
        config: of the run.

    Raises:
        CheckpointError: there is none, it is damaged, it was written by a newer version, or it
            is not of the run that ``config`` describes. It names the newest earlier one that
            is whole.
    """
    run, chosen = located(place)
    folder = newest_checkpoint(run) if chosen is None else chosen
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such checkpoint")
    expected = _tree(initial_state(config, agent_of(config)))
    try:
        _check(folder, config, _leaves(expected))
        tree = _read(folder, expected)
    except CheckpointError as error:
        instead = _whole_before(folder, config, _leaves(expected))
        offer = "no earlier one is whole" if instead is None else f"{instead} is whole: name that"
        raise CheckpointError(f"{error}; {offer}") from error.__cause__
    statistics = RunningStatistics(*(np.asarray(leaf) for leaf in tree["statistics"]))
    league = jax.tree.map(np.asarray, tree.get("league"))
    return TrainingState(tree["learner"], statistics, int(tree["update"]), league)


def _read(folder: Path, expected: Any) -> Any:
    try:
        with _checkpointer() as checkpointer:
            return checkpointer.restore((folder / _ARRAYS).absolute(), expected)
    except Exception as error:  # orbax and its storage drivers raise many types, all meaning this
        raise _damaged(folder, " ".join(str(error).split())[:200]) from error


def complete_checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run folder, the oldest first."""
    return sorted(p for p in (run / CHECKPOINTS).glob("[0-9]*") if p.name.isdigit() and p.is_dir())


def newest_checkpoint(run: Path) -> Path:
    """The newest checkpoint of a run folder, damaged or not.

    Raises:
        CheckpointError: there is none.
    """
    if not run.is_dir():
        raise CheckpointError(f"{run}: no such run folder")
    if not (complete := complete_checkpoints(run)):
        raise CheckpointError(f"{run}: no checkpoint in {run / CHECKPOINTS}")
    return complete[-1]


def _whole_before(folder: Path, config: ExperimentConfig, leaves: dict[str, str]) -> Path | None:
    """The newest checkpoint before ``folder`` that seems to be whole."""
    for earlier in reversed(complete_checkpoints(located(folder)[0])):
        if earlier.name < folder.name:
            try:
                _check(earlier, config, leaves)
            except CheckpointError:
                continue
            return earlier
    return None


def _check(folder: Path, config: ExperimentConfig, leaves: dict[str, str]) -> None:
    """Refuse a checkpoint that is not whole, or not of the run of ``config`` and its arrays."""
    manifest = _manifest(folder)
    present = _digests(folder)
    if "files" in manifest:
        _compare_files(folder, present, manifest["files"])
    theirs = manifest["leaves"]
    for name in sorted({*theirs, *leaves}):
        one, other = (tree.get(name, "nothing") for tree in (theirs, leaves))
        if one != other:
            raise CheckpointError(
                f"{folder}: checkpoint of another network or optimiser: {name} is {one}, "
                f"expected {other}"
            )
    if "config" in manifest:
        _compare_settings(folder, manifest["config"], dataclasses.asdict(config), _OWN)


def check_settings(place: Path, config: ExperimentConfig) -> None:
    """Refuse to go on from a checkpoint with settings by which it would learn otherwise.

    Names, where the run is told of, and what is measured meanwhile may differ; the strokes of
    the whole run may not: the learning rate follows from them.

    Args:
        place: run folder, whose newest checkpoint is meant, or a checkpoint in one.
        config: with which the run is to go on.

    Raises:
        CheckpointError: the checkpoint is damaged, or one of its settings is another.
        ConfigError: its settings do not fit this version.
    """
    run, chosen = located(place)
    folder = newest_checkpoint(run) if chosen is None else chosen
    manifest = _manifest(folder)
    if "config" in manifest:
        file = str(folder / _MANIFEST)
        # Settings that there were not then have their defaults.
        was = strict_yaml.document_of(strict_yaml.build(ExperimentConfig, manifest["config"], file))
        ours = strict_yaml.document_of(config)
        _compare_settings(folder, was, ours, _deciding(ours))


def _deciding(settings: Any, path: str = "") -> list[str]:
    """The dotted names of all settings that decide what is learnt."""
    if not isinstance(settings, dict):
        return [path]
    names = [
        name
        for key, value in settings.items()
        for name in _deciding(value, f"{path}.{key}" if path else key)
    ]
    return [name for name in names if name in _DECIDES or not name.startswith(_TOLD_OF)]


def _compare_settings(folder: Path, theirs: Any, ours: Any, names: Iterable[str]) -> None:
    for name in names:
        was, wanted = (_setting(tree, name) for tree in (theirs, ours))
        if was != wanted:
            raise CheckpointError(
                f"{folder}: checkpoint of another run: its {name} is {was!r}, expected {wanted!r}"
            )


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a checkpoint, once it is known to be what was written."""
    try:
        found = dict(json.loads((folder / _MANIFEST).read_text(encoding="utf-8")))
        version = found["version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(folder, f"{_MANIFEST}: {error}") from None
    if type(version) is not int:
        raise _damaged(folder, f"{_MANIFEST}: version = {version!r}: expected an integer")
    if version not in _FIELDS:
        raise CheckpointError(
            f"{folder}: written in layout {version}, by another version of carrom-rl: expected "
            f"{min(_FIELDS)} to {_VERSION}"
        )
    if set(found) != _FIELDS[version]:
        raise _damaged(
            folder,
            f"{_MANIFEST} has {', '.join(sorted(found))}: layout {version} has "
            f"{', '.join(sorted(_FIELDS[version]))}",
        )
    if "digest" in found and _digest(found) != found["digest"]:
        raise _damaged(folder, f"{_MANIFEST} is not what was written")
    for name in ("leaves", "config", "files"):
        if not isinstance(found.get(name, {}), dict):
            raise _damaged(folder, f"{_MANIFEST}: {name} = {found[name]!r}: expected a mapping")
    return found


def _digest(manifest: dict[str, Any]) -> str:
    """SHA-256 of what a manifest says, but for this digest."""
    said = {name: value for name, value in manifest.items() if name != "digest"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _compare_files(folder: Path, present: dict[str, str], files: dict[str, str]) -> None:
    for name in sorted({*present, *files}):
        if name not in present:
            raise _damaged(folder, f"{name} is missing")
        if name not in files:
            raise _damaged(folder, f"{name} does not belong to it")
        if present[name] != files[name]:
            raise _damaged(folder, f"{name} is not what was written")


def _setting(settings: Any, name: str) -> Any:
    """The setting with the dotted ``name``; None if there is none."""
    for part in name.split("."):
        settings = settings.get(part) if isinstance(settings, dict) else None
    return settings


def _digests(folder: Path) -> dict[str, str]:
    """SHA-256 of each file of a checkpoint, but for its manifest, by its path within.

    Raises:
        CheckpointError: something cannot be read, or is neither file nor folder: a link leads
            out of it.
    """
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise _damaged(folder, f"{name} is neither a file nor a folder")
        if path.is_file() and name != _MANIFEST:
            try:
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise _damaged(folder, f"{name}: {error.strerror}") from None
    return found


def _damaged(folder: Path, reason: str) -> CheckpointError:
    return CheckpointError(f"{folder}: the checkpoint is damaged: {reason}")


def load_player(place: Path | str, *, samples: bool = False) -> NetworkPlayer:
    """The player that a run has trained.

    Args:
        place: run folder, whose newest checkpoint is read, or a checkpoint in one.
        samples: draw from the policy instead of playing its most probable action.

    Raises:
        CheckpointError: no run or checkpoint there, damaged, or not of the network that the
            run's configuration describes.
        ConfigError: the run's configuration does not fit this version.
    """
    place = Path(place)
    config = run_config(place)
    return player_of(config, restore(place, config), samples=samples)


def run_config(place: Path) -> ExperimentConfig:
    """The resolved configuration of a run folder, or of the one a checkpoint lies in.

    Raises:
        CheckpointError: it is not a run folder.
        ConfigError: the configuration does not fit this version.
    """
    run, _ = located(place)
    if (run / ITERATION_FILE).is_file():
        raise CheckpointError(
            f"{run}: a run of scripts/iterate.py: expected one of scripts/train.py"
        )
    if not (run / CONFIG_FILE).is_file():
        raise CheckpointError(f"{run}: not a run folder: it has no {CONFIG_FILE}")
    return load_config(run / CONFIG_FILE)
