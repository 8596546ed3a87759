"""Runs that are killed end as if nobody had disturbed them, on one core and on all."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from carrom_agents.checkpoint import CHECKPOINTS
from carrom_agents.config import ExperimentConfig
from carrom_agents.experiment import resume, train
from carrom_agents.killing import KillError, Moment, check, kill_again_and_again, small_run
from carrom_agents.logging import METRICS_FILE
from carrom_agents.reproduction import compare
from carrom_agents.run_folder import create_run_folder


def short(directory: Path, updates: int) -> ExperimentConfig:
    config = small_run("mujoco", directory)
    return dataclasses.replace(config, total_strokes=updates * config.rollout_strokes)


@pytest.fixture(scope="module")
def config(tmp_path_factory) -> ExperimentConfig:
    return short(tmp_path_factory.mktemp("runs"), updates=3)


@pytest.fixture(scope="module")
def whole(config: ExperimentConfig) -> Path:
    (run,) = train(config)
    return run


def test_killed_twice_a_run_ends_with_the_same_bits(tmp_path):
    rng = np.random.default_rng(5)
    first, second = kill_again_and_again(short(tmp_path, updates=8), 2, rng)
    assert {first.moment, second.moment} == {Moment.WRITING, Moment.TRAINING}
    assert 1 <= first.update < second.update


@pytest.mark.slow
@pytest.mark.parametrize("physics", ["mujoco", "planar"])
def test_killed_many_times_runs_end_with_the_same_bits(tmp_path, physics):
    rng = np.random.default_rng(0)
    kills = list(kill_again_and_again(small_run(physics, tmp_path), 25, rng))
    assert {kill.moment for kill in kills} == set(Moment)
    assert any(kill.leftover for kill in kills)


@pytest.mark.parametrize("records", [0, 2.3])
def test_what_a_kill_can_leave_is_taken_up(config, whole, records):
    """Before anything was recorded, or within a record; a checkpoint begun, none completed."""
    run = create_run_folder(config)
    lines = (whole / METRICS_FILE).read_text().splitlines(keepends=True)
    done, part = int(records), int(records % 1 * 100)
    (run / METRICS_FILE).write_text("".join(lines[:done]) + lines[done][:part])
    (run / CHECKPOINTS / ".00000001" / "state").mkdir(parents=True)
    resume(run)
    assert compare(whole, run).difference is None
    assert sorted(path.name for path in (run / CHECKPOINTS).iterdir()) == [
        f"{update:08d}" for update in (1, 2, 3)
    ]


def test_a_run_goes_on_from_a_certain_checkpoint(whole, tmp_path):
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    resume(run / CHECKPOINTS / "00000002")
    assert compare(whole, run).difference is None
    assert len((run / METRICS_FILE).read_text().splitlines()) == 4


def test_what_was_lost_or_differs_is_noticed(whole, tmp_path):
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    assert check(whole, run, 3) == 3
    with pytest.raises(KillError, match="newest checkpoint is 3: expected at least 4"):
        check(whole, run, 4)
    lines = (run / METRICS_FILE).read_text().splitlines(keepends=True)
    changed = json.loads(lines[2]) | {"reward": 7.0}
    (run / METRICS_FILE).write_text("".join([*lines[:2], json.dumps(changed) + "\n"]))
    with pytest.raises(KillError, match=r"'reward': 7\.0.*: expected "):
        check(whole, run, 3)
    (run / METRICS_FILE).write_text("".join(lines))
    # The checkpoint of one update under the name of another.
    shutil.rmtree(run / CHECKPOINTS / "00000003")
    shutil.copytree(whole / CHECKPOINTS / "00000001", run / CHECKPOINTS / "00000003")
    with pytest.raises(KillError, match="newest checkpoint is 1: expected at least 2"):
        check(whole, run, 2)
    shutil.rmtree(run / CHECKPOINTS)
    with pytest.raises(KillError, match="the checkpoint of update 2 is lost"):
        check(whole, run, 2)
