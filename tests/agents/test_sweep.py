"""Sweeps: what they consist of, what is refused, and what is said of what came of them."""

import csv
import dataclasses
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from carrom.errors import ConfigError
from carrom_agents.config import load_config
from carrom_agents.sweep.report import SweepReport
from carrom_agents.sweep.running import Outcome
from carrom_agents.sweep.schedule import cells_of
from carrom_agents.sweep.settings import SweepConfig, load_sweep

ROOT = Path(__file__).parents[2]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.yaml"
    path.write_text("total_strokes: 64\nenv: {num_envs: 8}\nppo: {minibatches: 2}\n")
    return path


@pytest.fixture
def planar(tmp_path: Path) -> Path:
    path = tmp_path / "planar.yaml"
    path.write_text("env: {num_envs: 8, physics: planar}\n")
    return path


def test_every_combination_has_every_seed(base, tmp_path):
    sweep = SweepConfig(
        (str(base),),
        folder=str(tmp_path / "out"),
        overrides={"total_strokes": 128},
        grid={"ppo.learning_rate": (0.1, 0.01), "env.noise": ("expert", "none")},
        seeds=3,
        seed=5,
    )
    cells = cells_of(sweep)
    assert len({cell.folder for cell in cells}) == 12
    found = {(c.config.ppo.learning_rate, c.config.env.noise, c.config.seed) for c in cells}
    assert found == set(itertools.product((0.1, 0.01), ("expert", "none"), (5, 6, 7)))
    for cell in cells:
        assert cell.config.total_strokes == 128
        assert cell.config.logging.directory == str(cell.folder)
        rate, noise = cell.config.ppo.learning_rate, cell.config.env.noise
        assert cell.variant == f"learning_rate={rate:g},noise={noise}"
    # Whenever it is ended, no variant is more than a seed ahead.
    assert [cell.config.seed for cell in cells] == [5] * 4 + [6] * 4 + [7] * 4


def test_seeds_are_one_program_on_the_planar_engine(planar, base):
    cells = cells_of(SweepConfig((str(planar), str(base)), seeds=3, seed=1))
    assert [(cell.variant, list(cell.seeds)) for cell in cells] == [
        ("planar", [1, 2, 3]),
        ("base", [1]),
        ("base", [2]),
        ("base", [3]),
    ]
    assert cells[0].config.seeds == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"configs": ()}, "configs = .*expected at least one"),
        ({"name": "a/b"}, "name = 'a/b': expected letters"),
        ({"seeds": 0}, "seeds = 0: expected at least 1"),
        ({"workers": 0}, "workers = 0: expected at least 1"),
        ({"workers": 10**12}, "workers = 1000000000000: expected at most 1024"),
        ({"seeds": 10**12}, "seeds = 1000000000000: expected at most 10000"),
        ({"grid": {"ppo.clip": ()}}, r"grid.ppo.clip = \[\]: expected at least one value"),
        ({"grid": {"ppo.clip": (0.1, 0.1)}}, "none twice"),
        ({"grid": {"seed": (1, 2)}}, r"grid.seed: expected no such key, the sweep decides it"),
        ({"overrides": {"ppo.clip": 0.1}, "grid": {"ppo.clip": (0.2,)}}, "not in both"),
    ],
)
def test_bad_settings_are_refused(base, changes, message):
    with pytest.raises(ConfigError, match=message):
        SweepConfig(**({"configs": (str(base),)} | changes))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ppo.momentum", 0.9, "ppo.momentum: expected a setting of an experiment"),
        ("clip", 0.9, "clip: expected a setting of an experiment"),
        ("ppo.clip.more", 0.9, r"ppo.clip.more: expected a setting of an experiment"),
        ("ppo.clip", "high", "ppo.clip = 'high': expected a number"),
        ("ppo.clip", 7.0, "clip = 7.0: expected 0.001 to 1"),
        ("ppo", 7.0, r"ppo = 7.0: expected a mapping of PpoConfig's keys"),
    ],
)
def test_settings_of_experiments_are_checked_before_anything_runs(base, name, value, message):
    with pytest.raises(ConfigError, match=message):
        cells_of(SweepConfig((str(base),), overrides={name: value}))
    with pytest.raises(ConfigError, match=message):
        cells_of(SweepConfig((str(base),), grid={name: (value,)}))


def test_files_are_read_strictly(tmp_path):
    file = tmp_path / "sweep.yaml"
    for text, message in (
        ("configs: [a.yaml]\nsedes: 3\n", "unknown key sedes"),
        ("seeds: 3\n", "configs is missing"),
        ("configs: [a.yaml]\ngrid: [1]\n", r"grid = \[1\]: expected a mapping"),
        ("configs: [a.yaml]\ngrid: {ppo.clip: 0.1}\n", r"grid.ppo.clip = 0.1: expected a list"),
        ("configs: [a.yaml]\noverrides: {1: 2}\n", "a key of overrides = 1: expected a string"),
    ):
        file.write_text(text)
        with pytest.raises(ConfigError, match=message):
            load_sweep(file)


def test_the_sweep_that_comes_along_is_two_rates_of_the_quickstart(monkeypatch):
    monkeypatch.chdir(ROOT)
    cells = cells_of(load_sweep(Path("configs/sweep.yaml")))
    assert [(cell.variant, cell.config.seed) for cell in cells] == [
        (variant, seed)
        for seed in range(3)
        for variant in ("learning_rate=0.001", "learning_rate=0.0001")
    ]
    quickstart = load_config(Path("configs/quickstart.yaml"))
    assert all(cell.config.network == quickstart.network for cell in cells)


def test_the_wandb_sweep_sets_what_there_is(monkeypatch):
    """Every parameter is an option of the command line and takes the values that are tried."""
    import tyro

    from carrom_agents.config import ExperimentConfig

    monkeypatch.chdir(ROOT)
    sweep = yaml.safe_load(Path("configs/wandb_sweep.yaml").read_text())
    program, *command = sweep["command"][2:]
    assert (program, sweep["program"]) == ("${program}", "scripts/train.py")
    assert command[-1] == "${args}"
    default = load_config(Path(command[0]))
    fixed = command[1:-1]
    assert sweep["metric"]["name"] in ("evaluation/reward", "evaluation/pocketed")
    for name, values in sweep["parameters"].items():
        tried = values.get("values") or [values["min"], values["max"]]
        for value in tried:
            arguments = [*fixed, f"--{name}={value}"]
            config = tyro.cli(ExperimentConfig, args=arguments, default=default)
            section, _, setting = name.rpartition(".")
            found = getattr(config, section) if section else config
            assert getattr(found, setting.replace("-", "_")) == value
            assert config.logging.wandb == "online"


SCORES = {"a": [1.0, 2.0, 4.0], "b": [0.0, 1.0, 3.0]}


def finished(sweep: SweepConfig, scores: dict[str, list[float]]) -> dict[str, Outcome]:
    """Runs with these scores, by variant and seed, as if they had been trained."""
    outcomes = {}
    for cell in cells_of(sweep):
        score = scores[cell.variant][cell.config.seed]
        run = cell.folder / "run"
        run.mkdir(parents=True)
        (run / "metrics.jsonl").write_text(
            "".join(
                json.dumps({"global_step": step, "evaluation/reward": score * step}) + "\n"
                for step in (0, 1, 2)
            )
        )
        shots = {"players": {"trained": {"points": {"value": score}}}}
        (run / "evaluation.json").write_text(json.dumps({"shots": shots}))
        place = str(run.relative_to(sweep.place))
        outcomes[cell.name] = Outcome(cell.name, "done", 1, 1.0, (place,), "", "log.txt")
    return outcomes


def named(tmp_path: Path, **settings) -> SweepConfig:
    """A sweep over two files called a and b."""
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text("env: {num_envs: 8}\n")
    files = tuple(str(tmp_path / f"{name}.yaml") for name in "ab")
    return SweepConfig(files, folder=str(tmp_path / "out"), **settings)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_report_counts_what_there_is(tmp_path):
    sweep = named(tmp_path)
    report = SweepReport.of(sweep, finished(sweep, SCORES))
    assert not report.failures()
    for variant, scores in SCORES.items():
        found = report.measures[variant]
        assert found["mean"].value == pytest.approx(np.mean(scores))
        assert found["median"].value == pytest.approx(np.median(scores))
        assert found["mean"].low >= min(scores)
        assert found["mean"].high <= max(scores)
    # Of the nine pairs a wins six and draws one.
    assert report.improvements["a", "b"].value == pytest.approx(6.5 / 9)
    written = {path.name: path for path in report.write()}
    assert [(row["variant"], row["score"]) for row in rows(written["scores.csv"])] == [
        (variant, str(SCORES[variant][seed])) for seed in range(3) for variant in "ab"
    ]
    final = {row["label"]: row for row in rows(written["curves.csv"]) if row["step"] == "2"}
    assert {label: row["runs"] for label, row in final.items()} == {"a": "3", "b": "3"}
    profile = [row for row in rows(written["profile.csv"]) if row["variant"] == "a"]
    for row in profile:
        above = np.mean([score > float(row["threshold"]) for score in SCORES["a"]])
        assert float(row["value"]) == pytest.approx(above)
    for name in ("curves.png", "profile.png"):
        assert written[name].read_bytes().startswith(b"\x89PNG")
    assert "0.722" in "".join(map(str, report.comparison().columns[2].cells))


def test_what_failed_is_told_and_left_out(tmp_path):
    sweep = named(tmp_path)
    outcomes = finished(sweep, SCORES)
    outcomes["a-seed1"] = dataclasses.replace(
        outcomes["a-seed1"], status="failed", error="ValueError: no", log="cells/a-seed1/log.txt"
    )
    del outcomes["b-seed2"]
    report = SweepReport.of(sweep, outcomes)
    assert report.scores["a"].tolist() == [[1.0], [4.0]]
    assert report.scores["b"].tolist() == [[0.0], [1.0]]
    failed, missing = report.failures()
    assert failed.startswith("failed: a-seed1 (attempt 1): ValueError: no; see ")
    assert missing == "not ended: b-seed2"


def test_nothing_done_is_a_report_too(tmp_path):
    report = SweepReport.of(named(tmp_path), {})
    assert len(report.failures()) == 6
    assert report.write() == []


def test_tasks_are_strata(tmp_path):
    """Files that are tasks are columns of the scores; a seed without one of them is left out."""
    sweep = named(tmp_path, configs_are="tasks", grid={"ppo.clip": (0.1, 0.2)})
    cells = cells_of(sweep)
    scores = {"clip=0.1": [1.0, 2.0, 3.0], "clip=0.2": [2.0, 3.0, 4.0]}
    assert {(cell.variant, cell.task) for cell in cells} == set(itertools.product(scores, "ab"))
    outcomes = finished(sweep, scores)
    del outcomes["b-clip=0.2-seed0"]
    report = SweepReport.of(sweep, outcomes)
    assert report.scores["clip=0.1"].tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    assert report.scores["clip=0.2"].tolist() == [[3.0, 3.0], [4.0, 4.0]]
    assert {"curves-a.png", "curves-b.png"} <= {path.name for path in report.write()}


def test_a_score_that_was_not_evaluated_is_refused(tmp_path):
    sweep = named(tmp_path)
    outcomes = finished(sweep, SCORES)
    with pytest.raises(ConfigError, match=r"score = 'won': run .* was not evaluated for it"):
        SweepReport.of(dataclasses.replace(sweep, score="won"), outcomes)


@pytest.mark.parametrize("content", [None, "", "[]", '{"shots": {"players": {"trained": 1}}}'])
def test_a_damaged_evaluation_is_told_of_and_the_rest_counts(tmp_path, content):
    sweep = named(tmp_path)
    outcomes = finished(sweep, SCORES)
    file = sweep.place / outcomes["b-seed2"].runs[0] / "evaluation.json"
    file.unlink()
    if content is not None:
        file.write_text(content)
    report = SweepReport.of(sweep, outcomes)
    (sentence,) = report.failures()
    assert sentence.startswith(f"damaged: b-seed2 (attempt 1): {file} ")
    assert report.scores["b"].tolist() == [[0.0], [1.0]]
    assert report.write()
