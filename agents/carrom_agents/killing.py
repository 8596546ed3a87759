"""Training runs that are killed again and again, and held against one that is not.

A run is started as a program of its own, killed without warning (SIGKILL), and gone on with,
until it is done. After every kill the newest checkpoint must be readable, must not be older
than what there was before, and must be, to the bit, the one that an undisturbed run has written
after the same update; so must every metric that was recorded. Every other process is held to
one core of the processor, so that the number of threads changes from checkpoint to checkpoint.
"""

from __future__ import annotations

import enum
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from carrom.errors import CarromError
from carrom_agents.checkpoint import CHECKPOINTS, has_checkpoint
from carrom_agents.config import (
    EnvConfig,
    EvaluationConfig,
    ExperimentConfig,
    LoggingConfig,
    NetworkConfig,
    PpoConfig,
)
from carrom_agents.experiment import resume, train
from carrom_agents.logging import METRICS_FILE
from carrom_agents.reproduction import arrays_of, compare, timeless
from carrom_agents.run_folder import create_run_folder

_GOES_ON = (
    "import sys; from pathlib import Path; from carrom_agents.experiment import resume; "
    "resume(Path(sys.argv[1]))"
)
"""What ``scripts/train.py --resume`` does."""
_LOOK_EVERY = 1e-3
"""s between looks at the run folder."""
_PATIENCE = 600.0
"""s that a process may take until it has written something."""


class Moment(enum.Enum):
    """When a process is killed."""

    STARTING = "while it starts"
    TRAINING = "while it trains"
    WRITING = "while it writes a checkpoint"


_LATEST = {Moment.STARTING: 5.0, Moment.TRAINING: 1.0, Moment.WRITING: 0.02}
"""s from the start of a process, or from what it was seen to do, to its end at the latest."""


class KillError(CarromError, RuntimeError):
    """A killed run did not go on as an undisturbed one."""


@dataclass(frozen=True)
class Killed:
    """One kill that the run has survived.

    Attributes:
        moment: when it was.
        update: of the newest checkpoint afterwards; 0 if there is none yet.
        leftover: whether a checkpoint had been begun and was not completed.
    """

    moment: Moment
    update: int
    leftover: bool


def small_run(physics: Literal["mujoco", "planar"], directory: Path) -> ExperimentConfig:
    """A run of 30 updates, a fraction of a second each, with a checkpoint after every one."""
    return ExperimentConfig(
        name=f"killed-{physics}",
        total_strokes=30 * 8,
        env=EnvConfig(physics=physics, num_envs=4),
        network=NetworkConfig(width=4, place_width=2),
        ppo=PpoConfig(rollout_length=2, minibatches=2, epochs=1),
        evaluation=EvaluationConfig(
            every_updates=10, positions=2, final_positions=2, video_strokes=0
        ),
        logging=LoggingConfig(
            directory=str(directory),
            progress=False,
            wandb="disabled",
            checkpoint_every_updates=1,
        ),
    )


def kill_again_and_again(
    config: ExperimentConfig, rounds: int, rng: np.random.Generator
) -> Iterator[Killed]:
    """Kill ``rounds`` processes of runs of ``config``; each is told of once it is verified.

    Args:
        config: with a checkpoint after every update.
        rounds: kills. A run that comes to its end before is followed by a new one; the last is
            gone on with to its end here.
        rng: draws the moments.

    Raises:
        KillError: something was lost, unreadable or different.
    """
    (reference,) = train(config)
    run = create_run_folder(config)
    newest, killed = 0, 0
    while killed < rounds:
        moment = list(Moment)[int(rng.choice(3, p=[0.2, 0.3, 0.5]))]
        if _came_to_its_end(run, moment, rng, one_core=killed % 2 == 0):
            _check_end(reference, run)
            run, newest = create_run_folder(config), 0
            continue
        killed += 1
        newest = check(reference, run, newest)
        leftover = any((run / CHECKPOINTS).glob(".[0-9]*"))
        yield Killed(moment, newest, leftover)
    resume(run)
    _check_end(reference, run)


def summary(kills: list[Killed]) -> str:
    """How many kills there were, and when."""
    moments = Counter(kill.moment for kill in kills)
    parts = [f"{moments[moment]} {moment.value}" for moment in Moment if moments[moment]]
    left = sum(kill.leftover for kill in kills)
    return f"{len(kills)} kills ({', '.join(parts)}; {left} left an unfinished checkpoint)"


def _came_to_its_end(
    run: Path, moment: Moment, rng: np.random.Generator, *, one_core: bool
) -> bool:
    """Go on with a run in a process, and kill it, unless it is done before."""
    with (run / "process.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _GOES_ON, str(run)], stdout=log, stderr=subprocess.STDOUT
        )
    try:
        if one_core:
            # It has not come to JAX yet, which counts the cores once.
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(process.pid, {cores[int(rng.integers(len(cores)))]})
        if moment is not Moment.STARTING:
            _wait_for_checkpoints(process, run, int(rng.integers(1, 4)))
        if moment is Moment.WRITING:
            _wait_for_writing(process, run)
        delay = rng.uniform(0, _LATEST[moment])
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            return False
        if process.returncode:
            raise KillError(f"{run}: the run failed by itself: see process.log in it")
        return True
    finally:
        process.kill()
        process.wait()


def _wait_for_checkpoints(process: subprocess.Popen[bytes], run: Path, count: int) -> None:
    """Wait until a process has completed so many checkpoints, or has ended."""
    before = _names(run)
    _wait(process, lambda: len(_names(run) - before) >= count, run)


def _wait_for_writing(process: subprocess.Popen[bytes], run: Path) -> None:
    """Wait until a process begins to write a checkpoint, or has ended."""
    _wait(process, lambda: any((run / CHECKPOINTS).glob(".[0-9]*")), run)


def _wait(process: subprocess.Popen[bytes], happened: Callable[[], bool], run: Path) -> None:
    began = time.monotonic()
    while process.poll() is None and not happened():
        if time.monotonic() - began > _PATIENCE:
            raise KillError(f"{run}: nothing was written within {_PATIENCE:g} s")
        time.sleep(_LOOK_EVERY)


def _names(run: Path) -> set[str]:
    return {path.name for path in (run / CHECKPOINTS).glob("[0-9]*")}


def check(reference: Path, run: Path, newest: int) -> int:
    """Hold what a killed run has left against an undisturbed one.

    Args:
        reference: folder of the undisturbed run, with all its checkpoints.
        run: folder of the killed one.
        newest: update of the newest checkpoint that there was before; 0 if there was none.

    Returns:
        The update of its newest checkpoint; 0 if there is none yet.

    Raises:
        KillError: something is lost or different.
        CheckpointError: the newest checkpoint cannot be used.
    """
    for ours, theirs in zip(_records(run), _records(reference), strict=False):
        if ours != theirs:
            raise KillError(f"{run}: recorded {ours}: expected {theirs}")
    if not has_checkpoint(run):
        if newest:
            raise KillError(f"{run}: the checkpoint of update {newest} is lost")
        return 0
    update, arrays = arrays_of(run)
    if update < newest:
        raise KillError(f"{run}: the newest checkpoint is {update}: expected at least {newest}")
    _, expected = arrays_of(reference / CHECKPOINTS / f"{update:08d}")
    for name, array in expected.items():
        if arrays[name].tobytes() != array.tobytes():
            raise KillError(f"{run}: {name} of update {update} differs from an undisturbed run's")
    return update


def _check_end(reference: Path, run: Path) -> None:
    difference = compare(reference, run).difference
    if difference is not None:
        raise KillError(f"{run}: differs from an undisturbed run: {difference}")


def _records(run: Path) -> list[dict[str, Any]]:
    """What was recorded; the last line may have been cut off."""
    file = run / METRICS_FILE
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    return [timeless(json.loads(line)) for line in lines if line.endswith("\n")]
