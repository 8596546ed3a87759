"""Whether a run comes out the same again: to the bit, or where it first differs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from carrom.errors import CheckpointError
from carrom_agents.checkpoint import located, restore, run_config
from carrom_agents.experiment import train
from carrom_agents.logging import GLOBAL_STEP, METRICS_FILE
from carrom_agents.machine import machine
from carrom_agents.run_folder import MACHINE_FILE, VERSIONS_FILE, other_sources, versions
from carrom_agents.sources import sources

_ROUNDS = ("processor", "architecture", "devices")
"""What of a machine decides how it rounds, besides its environment variables."""


@dataclass(frozen=True)
class Difference:
    """The first thing in which two runs differ.

    Attributes:
        what: a metric, an array of the last checkpoint, or a number of the evaluation.
        step: strokes trained on by then; None at the end.
        was: in the one run.
        now: in the other.
    """

    what: str
    step: int | None
    was: Any
    now: Any

    def __str__(self) -> str:
        when = "at the end" if self.step is None else f"at step {self.step:,}"
        text = f"{self.what} {when}: was {self.was!r}, is {self.now!r}"
        if isinstance(self.was, float) and isinstance(self.now, float):
            text += f", differs by {abs(self.now - self.was):.3g}"
        return text


@dataclass(frozen=True)
class Comparison:
    """What was compared, and how it ended.

    Attributes:
        records: of metrics, timings apart.
        arrays: of the last checkpoint.
        difference: the first one; None if all is equal to the bit.
    """

    records: int
    arrays: int
    difference: Difference | None


def run_again(run: Path, directory: Path) -> Path:
    """Train once more what the run folder ``run`` did; returns the new folder in ``directory``.

    It films nothing and reports to no service; nothing else is changed.

    Raises:
        CheckpointError: there is no such run, or it has not come to its end.
        ConfigError: its configuration does not fit this version.
    """
    if located(run)[1] is not None:
        raise CheckpointError(f"{run}: a checkpoint: expected a run folder")
    config = run_config(run)
    _records(run)  # what is to be compared must be there
    if restore(run, config).update < config.updates:
        raise CheckpointError(f"{run}: the run has not come to its end: go on with it first")
    logging = dataclasses.replace(
        config.logging, directory=str(directory), wandb="disabled", tensorboard=False
    )
    evaluation = dataclasses.replace(config.evaluation, video_strokes=0)
    (again,) = train(dataclasses.replace(config, logging=logging, evaluation=evaluation))
    return again


def compare(run: Path, again: Path) -> Comparison:
    """Compare metrics, the last checkpoint and the evaluation of two runs, in this order.

    Raises:
        CheckpointError: one of them has no usable checkpoint.
    """
    ours, theirs = (_records(folder) for folder in (run, again))
    arrays, others = (arrays_of(folder)[1] for folder in (run, again))
    found = next(
        (
            difference
            for differences in (
                _in_metrics(ours, theirs),
                _in_arrays(arrays, others),
                _in_evaluation(run, again),
            )
            for difference in differences
        ),
        None,
    )
    return Comparison(len(ours), len(arrays), found)


def changed_since(run: Path) -> dict[str, tuple[Any, Any]]:
    """What runs are made with and is not the same now: as it was, and as it is.

    These are versions of packages, the processor, the devices, environment variables that can
    change what comes out, those newly set included, and the sources: git's revision, and a
    digest of what differs from it, where both are known. How many cores there are changes
    nothing.
    """
    told = _read(run / MACHINE_FILE)
    was = _read(run / VERSIONS_FILE) | _computing(told)
    now = versions() | _computing(machine())
    found = {
        name: (was.get(name), now.get(name))
        for name in sorted({*was, *now})
        # Runs of earlier versions do not tell of their machine.
        if (name in was or (name.startswith("$") and "environment" in told))
        and was.get(name) != now.get(name)
    }
    made_with = sources(Path(run_config(run).logging.directory))
    return found | ({} if made_with is None else other_sources(run, made_with.as_json()))


def _read(file: Path) -> dict[str, Any]:
    """The JSON of a file; nothing if there is none.

    Raises:
        CheckpointError: it cannot be read.
    """
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise CheckpointError(f"{file}: cannot be read: {error}") from None


def _computing(told: dict[str, Any]) -> dict[str, Any]:
    """What of a machine decides how it rounds."""
    parts = {name: told[name] for name in _ROUNDS if name in told}
    return parts | {f"${name}": value for name, value in told.get("environment", {}).items()}


def _records(folder: Path) -> list[dict[str, Any]]:
    """What was recorded, but for timings."""
    file = folder / METRICS_FILE
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return [timeless(json.loads(line)) for line in lines]
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{file}: cannot be read: {error}") from None


def timeless(record: dict[str, Any]) -> dict[str, Any]:
    """A record of metrics without how long anything took."""
    return {name: value for name, value in record.items() if not name.startswith("time/")}


def arrays_of(place: Path) -> tuple[int, dict[str, np.ndarray]]:
    """The update and, by name, the arrays of a run's last checkpoint, or of a certain one.

    Raises:
        CheckpointError: there is none, or it cannot be used.
    """
    state = restore(place, run_config(place))
    tree = (state.learner, vars(state.statistics), state.league)
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return state.update, {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def _in_metrics(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> Iterator[Difference]:
    for was, now in zip(ours, theirs, strict=False):
        for name in sorted({*was, *now}):
            if was.get(name) != now.get(name):
                yield Difference(name, was[GLOBAL_STEP], was.get(name), now.get(name))
    if len(ours) != len(theirs):
        yield Difference("number of records", None, len(ours), len(theirs))


def _in_arrays(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> Iterator[Difference]:
    for name, was in ours.items():
        now = theirs[name]
        if was.tobytes() != now.tobytes():
            place = np.flatnonzero((was != now).reshape(-1))[:1]
            one, other = (float(leaf.reshape(-1)[place].sum()) for leaf in (was, now))
            yield Difference(f"array {name}", None, one, other)


def _in_evaluation(run: Path, again: Path) -> Iterator[Difference]:
    one, other = (dict(_numbers("", _read(folder / "evaluation.json"))) for folder in (run, again))
    for name in sorted({*one, *other}):
        if one.get(name) != other.get(name):
            yield Difference(f"evaluation{name}", None, one.get(name), other.get(name))


def _numbers(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The leaves of parsed JSON with their paths."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _numbers(f"{path}.{name}", item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _numbers(f"{path}[{index}]", item)
    else:
        yield path, value
