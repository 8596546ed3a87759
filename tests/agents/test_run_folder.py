"""What a run folder says, and what it must not say; what comes after the training."""

import dataclasses
import json
import subprocess
from pathlib import Path

import jax
import numpy as np
import pytest
from experiments import small_experiment

from carrom_agents.agent import agent_of
from carrom_agents.conclusion import conclude
from carrom_agents.config import EnvConfig, ExperimentConfig
from carrom_agents.learning import initial_state
from carrom_agents.machine import machine, without_secrets
from carrom_agents.run_folder import create_run_folder

SECRET = "s3cr3t-of-nobody-else"


@pytest.fixture
def config(toy_config: ExperimentConfig, tmp_path: Path) -> ExperimentConfig:
    made = small_experiment("small", EnvConfig(num_envs=16), toy_config.network, tmp_path)
    return dataclasses.replace(made, seed=7)


def test_the_seed_tree_is_followed_by_its_own_rules(config):
    """Whoever reads the rules and follows them finds the numbers that are given."""
    tree = json.loads((create_run_folder(config) / "seeds.json").read_text())
    for stream in tree["keys"].values():
        rule = stream["key"]
        scope = {"fold_in": jax.random.fold_in, "key": jax.random.key, "seed": 7, "update": 0}
        key = eval(rule, {}, scope)
        assert np.asarray(jax.random.key_data(key)).tolist() == stream["at_update_0"]
    environments = tree["environments"]
    scope = {"SeedSequence": np.random.SeedSequence, "seed": 7, "update": 0}
    assert eval(environments["first_seed"], {}, scope) == environments["at_update_0"]
    # What is learnt from, what is looked at meanwhile and what is judged by never overlap.
    meanwhile, final = tree["evaluation"], tree["final_evaluation"]
    assert environments["at_update_0"] + config.env.num_envs <= meanwhile["first_seed"]
    assert meanwhile["first_seed"] + meanwhile["positions"] <= final["first_seed"]


def test_no_secret_is_in_any_file(config, monkeypatch, tmp_path):
    """Not even when it stands in what differs from the last revision."""
    repository = tmp_path / "repository"
    repository.mkdir()
    monkeypatch.chdir(repository)

    def git(*arguments: str) -> None:
        name = ("-c", "user.name=n", "-c", "user.email=e@f")
        subprocess.run(["git", *name, *arguments], check=True, capture_output=True)

    git("init")
    settings = repository / "settings.txt"
    settings.write_text("key =\n")
    git("add", ".")
    git("commit", "-m", "first")
    settings.write_text(f"key = {SECRET}\n")
    monkeypatch.setenv("WANDB_API_KEY", SECRET)
    monkeypatch.setenv("XLA_FLAGS", "")
    folder = create_run_folder(config)
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    assert "+key = <WANDB_API_KEY>" in texts["git.diff"]
    assert set(texts) == {
        "config.yaml",
        "seeds.json",
        "versions.json",
        "machine.json",
        "git.json",
        "git.diff",
    }
    assert not [name for name, text in texts.items() if SECRET in text]


def test_of_the_environment_only_what_matters_is_written_down(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=true")
    monkeypatch.setenv("SOMETHING_ELSE", "nobody's business")
    found = machine()
    assert found["environment"]["XLA_FLAGS"] == "--xla_cpu_multi_thread_eigen=true"
    assert "SOMETHING_ELSE" not in found["environment"]
    assert found["devices"] == ["cpu: cpu"] * len(jax.devices())
    assert 1 <= found["usable_cores"] <= found["cores"]


def test_short_values_stand_for_too_much_else(monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "a")
    monkeypatch.setenv("SOME_PASSWORD", SECRET)
    assert without_secrets(f"a {SECRET}") == "a <SOME_PASSWORD>"


@pytest.mark.render
def test_a_run_ends_with_what_can_be_shown(config, tmp_path):
    shown = dataclasses.replace(
        config,
        evaluation=dataclasses.replace(config.evaluation, final_positions=2, video_strokes=1),
    )
    (tmp_path / "metrics.jsonl").write_text('{"global_step": 0, "evaluation/reward": 0.5}\n')
    said: list[object] = []
    files = conclude(shown, tmp_path, initial_state(shown, agent_of(shown)), said.append)
    assert [file.name for file in files] == [
        "evaluation.json",
        "learning_curve.png",
        "trained.mp4",
        "trained.html",
    ]
    page = (tmp_path / "trained.html").read_text()
    assert page.startswith("<!")
    assert "trained" in page
    assert said
