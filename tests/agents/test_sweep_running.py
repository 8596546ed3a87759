"""Sweeps that are run: killed and taken up, with cells that fail; everything in small."""

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from experiments import records

from carrom.errors import ConfigError
from carrom_agents import strict_yaml
from carrom_agents.checkpoint import load_player
from carrom_agents.config import dump_config
from carrom_agents.sweep.report import SweepReport
from carrom_agents.sweep.running import Outcome, outcomes_of, run_sweep, train_alone
from carrom_agents.sweep.schedule import cells_of
from carrom_agents.sweep.settings import SweepConfig
from haste import XLA_FLAGS_IN_HASTE

ROOT = Path(__file__).parents[2]

TINY = """
total_strokes: 96
env: {num_envs: 4}
network: {width: 8, place_width: 4}
ppo: {rollout_length: 2, minibatches: 2, epochs: 1}
evaluation: {every_updates: 6, positions: 4, final_positions: 4, video_strokes: 0}
logging: {wandb: disabled, checkpoint_every_updates: 2}
"""


def tiny(tmp_path: Path, **settings) -> SweepConfig:
    base = tmp_path / "tiny.yaml"
    base.write_text(TINY)
    return SweepConfig((str(base),), folder=str(tmp_path / "out"), **settings)


def killed_at_its_first_checkpoint(sweep: SweepConfig, tmp_path: Path) -> list[Path]:
    """Start the program, and kill it, and it alone; returns the checkpoints there were then."""
    file = tmp_path / "sweep.yaml"
    file.write_text(strict_yaml.dump(sweep))
    program = subprocess.Popen(
        [sys.executable, "scripts/sweep.py", str(file)], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    try:
        while not (found := list(sweep.place.glob("cells/*/*/checkpoints/[0-9]*"))):
            assert program.poll() is None
            time.sleep(0.01)
    finally:
        program.kill()
        program.wait()
    return found


def test_a_killed_sweep_goes_on_and_a_cell_that_fails_stops_no_other(tmp_path, monkeypatch):
    # Of the processes that train: compiling is most of what they take.
    monkeypatch.setenv("XLA_FLAGS", XLA_FLAGS_IN_HASTE)
    sweep = tiny(tmp_path, grid={"ppo.learning_rate": (0.001, 0.01)}, seeds=1)
    bad, good = cells_of(sweep)
    # The one that fails comes first, the other is killed.
    (bad.folder / ".lock").mkdir(parents=True)
    (kept, *_) = killed_at_its_first_checkpoint(sweep, tmp_path)
    written = (kept / "manifest.json").stat().st_mtime_ns
    assert [o.status for o in outcomes_of(sweep).values()] == ["failed"]
    told = []
    outcomes = run_sweep(sweep, told=lambda outcome, left: told.append((outcome.status, left)))
    # What has failed is not tried again unasked; what was killed went on from its checkpoint.
    assert told == [("done", 0)]
    (run,) = outcomes[good.name].runs
    assert kept.is_relative_to(sweep.place / run)
    assert (kept / "manifest.json").stat().st_mtime_ns == written
    assert [r["global_step"] for r in records(sweep.place / run)] == [8 * k for k in range(13)]
    (sentence,) = SweepReport.of(sweep, outcomes).failures()
    assert "attempt 1" in sentence
    assert "Is a directory" in sentence
    listed = [json.loads(line) for line in (sweep.place / "cells.jsonl").read_text().splitlines()]
    assert [(line["status"], line["seeds"]) for line in listed] == [("failed", [0]), ("done", [0])]
    assert run_sweep(sweep, told=lambda outcome, left: told.append((outcome.status, left)))
    assert len(told) == 1  # there was nothing left to train


def test_one_program_at_a_time_has_a_sweep(tmp_path):
    import fcntl

    sweep = tiny(tmp_path)
    sweep.place.mkdir()
    with (sweep.place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match="another program is running this sweep"):
            run_sweep(sweep)


def test_other_settings_need_another_folder(tmp_path):
    """Checkpoints are settings as well: the boards begin anew after them."""
    sweep = tiny(tmp_path)
    cell = cells_of(sweep)[1]
    cell.folder.mkdir(parents=True)
    other = dataclasses.replace(cell.config.logging, checkpoint_every_updates=3)
    for changes in ({"total_strokes": 8}, {"logging": other}):
        (cell.folder / "cell.yaml").write_text(
            dump_config(dataclasses.replace(cell.config, **changes))
        )
        with pytest.raises(ConfigError, match=r"cell 'tiny-seed1' .*expected the same settings"):
            run_sweep(sweep)


def not_begun(waiting, sweep):
    raise AssertionError("a training has begun")
    yield


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grid": {"env.noise": ("expert", "nonsense")}}, r"'noise=nonsense': .*'nonsense': exp"),
        ({"grid": {"env.opponent": ("random", "runs/none")}}, r"opponent = 'runs/none': expected"),
        ({"grid": {"env.id": ("CarromShot-v1",)}}, r"env.id = 'CarromShot-v1': "),
        ({"grid": {"env.reward": ("gold",)}}, r"reward.*'gold': expected"),
        ({"grid": {"start_from": (None, "runs/nothing")}}, r"runs/nothing: not a run folder"),
        ({"score": "won"}, r"'tiny': score = 'won' with evaluation.boards = 0: expected another"),
        (
            {"overrides": {"env.physics": "planar", "env.opponent": "runs/none"}},
            r"env.opponent = 'runs/none': with env.physics = 'planar' expected",
        ),
    ],
)
def test_whatever_is_wrong_with_a_training_is_said_before_the_first(tmp_path, changes, message):
    if "env.opponent" in changes.get("grid", {}):
        changes = changes | {"overrides": {"env.id": "CarromBoard-v0"}}
    sweep = tiny(tmp_path, **changes)
    with pytest.raises(ConfigError, match=message) as error:
        run_sweep(sweep, train=not_begun)
    assert str(error.value).startswith("sweep 'sweep', variant '")
    assert not sweep.place.exists()


def test_a_cell_that_fails_says_its_error_and_nothing_around_it(tmp_path):
    sweep = tiny(tmp_path, seeds=1)
    (cell,) = cells_of(sweep)
    cell.folder.mkdir(parents=True)
    file = cell.folder / "cell.yaml"
    file.write_text("sedes: 1\n")
    outcome = train_alone(cell, sweep.place)
    assert outcome.status == "failed"
    assert outcome.error.startswith(f"{file}: unknown key sedes: expected one of name, ")


@pytest.mark.parametrize("content", ["", "{", "[1]", "{}", "[" * 100_000, '{"cell": 3}', "\0"])
def test_a_damaged_outcome_is_told_of_and_the_rest_goes_on(tmp_path, content):
    sweep = tiny(tmp_path, seeds=3)
    for cell, text in zip(cells_of(sweep), (None, content, None), strict=True):
        cell.folder.mkdir(parents=True)
        log = f"cells/{cell.name}/log.txt"
        outcome = Outcome(cell.name, "failed", 1, 1.0, (), "no memory", log)
        whole = json.dumps(dataclasses.asdict(outcome))
        (cell.folder / "outcome.json").write_text(whole if text is None else text)
    one, two, three = SweepReport.of(sweep, outcomes_of(sweep)).failures()
    assert one.startswith("failed: tiny-seed0 (attempt 1): no memory; see")
    assert two.startswith("damaged: tiny-seed1 (attempt 0): outcome.json cannot be read (")
    assert three.startswith("failed: tiny-seed2")
    # It is taken up again where that is asked for, and only there.
    begun = []
    for retry in (False, True):
        run_sweep(sweep, retry=retry, train=lambda cells, _: iter(begun.append(cells) or ()))
    assert [[cell.name for cell in cells] for cells in begun] == [
        [],
        ["tiny-seed0", "tiny-seed1", "tiny-seed2"],
    ]


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ConfigError, match="cannot be written to"):
        run_sweep(tiny(tmp_path))


def arrays(run: Path) -> list[np.ndarray]:
    import jax

    return [np.asarray(leaf) for leaf in jax.tree.leaves(load_player(run).params)]


@pytest.mark.slow
def test_two_settings_with_three_seeds_end_as_if_nothing_had_happened(tmp_path):
    """Killed once, two at a time, they give the bits of a sweep in peace."""
    grid = {"ppo.learning_rate": (0.001, 0.01)}
    (peace := tmp_path / "peace").mkdir()
    calm, troubled = tiny(peace, grid=grid), tiny(tmp_path, grid=grid, workers=2)
    undisturbed = run_sweep(calm)
    assert [outcome.status for outcome in undisturbed.values()] == ["done"] * 6
    killed_at_its_first_checkpoint(troubled, tmp_path)
    again = run_sweep(troubled)
    assert [outcome.status for outcome in again.values()] == ["done"] * 6
    for one, other in zip(undisturbed.values(), again.values(), strict=True):
        ours, theirs = calm.place / one.runs[0], troubled.place / other.runs[0]
        assert records(ours) == records(theirs)
        for a, b in zip(arrays(ours), arrays(theirs), strict=True):
            np.testing.assert_array_equal(a, b)
    report = SweepReport.of(troubled, again)
    assert {variant: scores.shape for variant, scores in report.scores.items()} == {
        "learning_rate=0.001": (3, 1),
        "learning_rate=0.01": (3, 1),
    }
    assert len(report.write()) == 7


@pytest.mark.slow
def test_seeds_of_one_program_go_on_together(tmp_path):
    base = tmp_path / "planar.yaml"
    base.write_text(TINY.replace("num_envs: 4", "num_envs: 4, physics: planar"))
    calm, troubled = (
        SweepConfig((str(base),), folder=str(tmp_path / name), seeds=2) for name in ("one", "two")
    )
    (undisturbed,) = run_sweep(calm).values()
    killed_at_its_first_checkpoint(troubled, tmp_path)
    (again,) = run_sweep(troubled).values()
    assert again.status == undisturbed.status == "done"
    for one, other in zip(undisturbed.runs, again.runs, strict=True):
        assert records(calm.place / one) == records(troubled.place / other)


def test_a_process_without_its_owner_ends(tmp_path):
    """Whoever holds the other end of its standard input has gone: it ends at once."""
    sweep = tiny(tmp_path, seeds=1)
    (cell,) = cells_of(sweep)
    cell.folder.mkdir(parents=True)
    (cell.folder / "cell.yaml").write_text(dump_config(cell.config))
    child = subprocess.Popen(
        [sys.executable, "-m", "carrom_agents.sweep.cell", str(cell.folder)],
        stdin=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(60) == 1
    assert not list(cell.folder.glob("*/checkpoints"))
