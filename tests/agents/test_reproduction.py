"""The same run again: equal to the bit, or what differs first."""

import dataclasses
import json
import re
import shutil
from pathlib import Path

import jax
import pytest
from experiments import small_experiment

from carrom.errors import CheckpointError
from carrom_agents.checkpoint import restore, run_config, save
from carrom_agents.config import EnvConfig, ExperimentConfig
from carrom_agents.experiment import train
from carrom_agents.reproduction import changed_since, compare, run_again

# Compiling is most of what this takes, and what is compared is compiled alike.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")


@pytest.fixture(scope="module")
def run(toy_config: ExperimentConfig, tmp_path_factory) -> Path:
    env = EnvConfig(num_envs=16)
    folder = tmp_path_factory.mktemp("runs")
    (run,) = train(small_experiment("small", env, toy_config.network, folder))
    return run


@pytest.fixture(scope="module")
def again(run: Path, tmp_path_factory) -> Path:
    return run_again(run, tmp_path_factory.mktemp("again"))


@pytest.fixture
def copy(again: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(again, tmp_path / "copy"))


@pytest.fixture
def no_repository(tmp_path: Path, monkeypatch) -> None:
    """Where the sources are not known, whoever works on them meanwhile."""
    monkeypatch.chdir(tmp_path)


def test_a_run_comes_out_the_same(run, again, no_repository):
    found = compare(run, again)
    assert found.difference is None
    assert found.records == 5
    assert found.arrays > 20
    assert changed_since(run) == {}


def test_a_metric_that_differs_is_named_with_its_step(run, copy):
    lines = (copy / "metrics.jsonl").read_text().splitlines()
    record = json.loads(lines[3])
    record["reward"] += 0.25
    lines[3] = json.dumps(record)
    (copy / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    difference = compare(run, copy).difference
    assert difference is not None
    assert (difference.what, difference.step) == ("reward", 96)
    assert re.search(r"^reward at step 96: was .*, differs by 0\.25$", str(difference))


def test_timings_may_differ(run, copy):
    text = (copy / "metrics.jsonl").read_text()
    changed = re.sub(r'"time/update": [^,}]+', '"time/update": 1.5', text)
    assert changed != text
    (copy / "metrics.jsonl").write_text(changed)
    assert compare(run, copy).difference is None


def test_a_record_too_few_is_said(run, copy):
    lines = (copy / "metrics.jsonl").read_text().splitlines(keepends=True)
    (copy / "metrics.jsonl").write_text("".join(lines[:-1]))
    assert str(compare(run, copy).difference).startswith(
        "number of records at the end: was 5, is 4"
    )


def test_an_array_that_differs_in_its_last_bit_is_named(run, copy):
    config = run_config(copy)
    state = restore(copy, config)
    leaves, tree = jax.tree.flatten(state.learner.params)
    leaves[-1] = leaves[-1].at[...].multiply(1 + 2**-22)
    params = jax.tree.unflatten(tree, leaves)
    learner = dataclasses.replace(state.learner, params=params)
    save(copy, config, dataclasses.replace(state, learner=learner))
    assert str(compare(run, copy).difference).startswith("array [0].params")


def test_a_number_of_the_evaluation_is_named(run, copy):
    file = copy / "evaluation.json"
    content = json.loads(file.read_text())
    content["shots"]["positions"] += 1
    file.write_text(json.dumps(content))
    assert (
        str(compare(run, copy).difference) == "evaluation.shots.positions at the end: was 8, is 9"
    )


def test_other_versions_are_told(run, copy, no_repository):
    versions = json.loads((copy / "versions.json").read_text())
    now = versions["jax"]
    (copy / "versions.json").write_text(json.dumps(versions | {"jax": "0.0.1"}))
    machine = json.loads((copy / "machine.json").read_text())
    other = {"processor": "abacus", "usable_cores": 96}
    (copy / "machine.json").write_text(json.dumps(machine | other))
    assert changed_since(copy) == {
        "jax": ("0.0.1", now),
        "processor": ("abacus", machine["processor"]),
    }


def test_a_run_that_has_not_come_to_its_end_is_a_clear_error(copy, tmp_path):
    shutil.rmtree(copy / "checkpoints" / "00000004")
    with pytest.raises(CheckpointError, match="has not come to its end"):
        run_again(copy, tmp_path)
    with pytest.raises(CheckpointError, match="not a run folder"):
        run_again(tmp_path / "nowhere", tmp_path)
    with pytest.raises(CheckpointError, match="a checkpoint: expected a run folder"):
        run_again(copy / "checkpoints" / "00000002", tmp_path)
    (copy / "metrics.jsonl").write_text("{")
    with pytest.raises(CheckpointError, match=r"metrics\.jsonl: cannot be read"):
        run_again(copy, tmp_path)


@pytest.mark.slow
def test_the_published_run_comes_out_the_same(tmp_path):
    run = Path(__file__).parents[2] / "docs" / "published" / "quickstart-short"
    # It does not tell of variables that have been set by the training itself since.
    if changed := [name for name, (was, _) in changed_since(run).items() if was is not None]:
        pytest.skip(f"made with another {', '.join(changed)}")
    assert compare(run, run_again(run, tmp_path)).difference is None
