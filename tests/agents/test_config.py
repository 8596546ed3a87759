"""Configuration: what is wrong is said once, with file, key, value and what was expected."""

import dataclasses
import re
from pathlib import Path

import pytest
import tyro

from carrom.errors import ConfigError
from carrom_agents.config import (
    EnvConfig,
    ExperimentConfig,
    NetworkConfig,
    PpoConfig,
    dump_config,
    load_config,
)
from carrom_agents.foresight.settings import load_iteration
from carrom_agents.tournament.settings import load_tournament

CONFIGS = sorted(
    path
    for path in (Path(__file__).parents[2] / "configs").glob("*.yaml")
    if "sweep" not in path.stem  # test_sweep.py looks at those
)


@pytest.fixture
def load(tmp_path):
    def from_text(text: str) -> ExperimentConfig:
        path = tmp_path / "some.yaml"
        path.write_text(text)
        return load_config(path)

    return from_text


def test_what_is_not_said_keeps_its_default(load):
    config = load("seed: 3\nppo:\n  clip: 0.1\n")
    assert config == ExperimentConfig(seed=3, ppo=PpoConfig(clip=0.1))
    assert load("") == ExperimentConfig()


def test_a_dumped_configuration_is_read_back_equal(load):
    config = ExperimentConfig(
        name="x",
        env=EnvConfig(max_strokes=30, action_coding="direct"),
        network=NetworkConfig(initial_std=(0.5, 0.25, 0.125)),
        ppo=PpoConfig(target_kl=None, learning_rate=1e-5),
    )
    assert load(dump_config(config)) == config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lerning_rate: 1", "some.yaml: unknown key lerning_rate: expected one of name, seed"),
        ("ppo: {clipp: 0.1}", "some.yaml: unknown key ppo.clipp: expected one of rollout_length"),
        ("seed: 1.5", "some.yaml: seed = 1.5: expected an integer"),
        ("seed: true", "some.yaml: seed = True: expected an integer"),
        ("seed: -1", "some.yaml: seed = -1: expected at least 0"),
        ("name: 7", "some.yaml: name = 7: expected a string"),
        ("ppo: {clip: wide}", "some.yaml: ppo.clip = 'wide': expected a number"),
        ("league: {priority: .inf}", "league.priority = inf: expected a finite number, at least 0"),
        ("ppo: {clip: 5}", "some.yaml: ppo.clip = 5.0: expected 0.001 to 1"),
        ("ppo: {clip: .nan}", "some.yaml: ppo.clip = nan: expected 0.001 to 1"),
        ("ppo: {learning_rate: 3e-4}", "= '3e-4': expected a number (exponents need a point"),
        ("ppo: 3", "some.yaml: ppo = 3: expected a mapping of PpoConfig's keys"),
        ("- 3", "some.yaml: the document = [3]: expected a mapping"),
        ("env: {action_coding: x}", "env.action_coding = 'x': expected one of target, direct"),
        ("env: {max_strokes: many}", "env.max_strokes = 'many': expected an integer"),
        ("network: {initial_std: [1, 1]}", "network.initial_std = [1, 1]: expected a list of 3"),
        ("network: {initial_std: [1, x, 1]}", "network.initial_std[1] = 'x': expected a number"),
        ("logging: {progress: 1}", "logging.progress = 1: expected true or false"),
        ("seeds: 2", "seeds = 2: expected 1 with env.physics = 'mujoco'"),
        (
            "env: {physics: planar, workers: 2}",
            "env.workers = 2: expected 1 with env.physics = 'planar'",
        ),
        (
            "env: {id: CarromBoard-v0, doubles: true}",
            "env.doubles = True: expected False with env.physics = 'mujoco'",
        ),
        (
            "devices: 3\nenv: {physics: planar}",
            "devices = 3: expected a divisor of env.num_envs = 256",
        ),
        (
            "devices: 2\nenv: {physics: planar, num_envs: 2}\nppo: {rollout_length: 4}",
            "devices = 2: expected a divisor of the strokes of a minibatch = 1",
        ),
        ("ppo: {minibatches: 7}", "ppo.minibatches = 7: expected a divisor of env.num_envs"),
        ("evaluation: {positions: 1}", "evaluation.positions = 1: expected at least 2"),
        ("evaluation: {boards: 3}", "evaluation.boards = 3: expected an even number"),
        ("seed: [", "some.yaml: not valid YAML: while parsing"),
    ],
)
def test_errors_name_file_key_value_and_what_was_expected(load, text, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load(text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read \(No such file"):
        load_config(tmp_path / "none.yaml")


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_bytes("name: Börner".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"some\.yaml: not UTF-8 \(byte 7\): expected a YAML"):
        load_config(path)


def test_the_command_line_overrides_the_file(load):
    default = load("seed: 3\nppo: {clip: 0.1}")
    arguments = ["--ppo.learning-rate", "3e-4", "--wandb", "disabled", "--env.max-strokes", "9"]
    config = tyro.cli(ExperimentConfig, args=arguments, default=default)
    assert config == dataclasses.replace(
        default,
        ppo=PpoConfig(clip=0.1, learning_rate=3e-4),
        env=EnvConfig(max_strokes=9),
        logging=dataclasses.replace(default.logging, wandb="disabled"),
    )


def test_bad_values_on_the_command_line_are_told_and_end_the_program(capsys):
    with pytest.raises(SystemExit) as stopped:
        tyro.cli(ExperimentConfig, args=["--ppo.clip", "3"])
    assert stopped.value.code == 2
    assert "ppo: clip = 3.0: expected 0.001 to 1" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../../evil", "/tmp/x", "a/b", "", "a\nb", "a\0b", "a b"])
def test_a_name_is_one_part_of_a_path(name):
    with pytest.raises(ConfigError, match=re.escape(f"name = {name!r}: expected letters")):
        ExperimentConfig(name=name)


def test_updates_cover_all_strokes():
    config = ExperimentConfig(total_strokes=4097)
    assert config.rollout_strokes == 2048
    assert config.updates == 3


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_files_that_come_along_are_valid(path):
    load = {"ladder": load_tournament, "league": load_iteration}.get(path.stem, load_config)
    assert load(path).name == path.stem


def test_there_are_files_that_come_along():
    assert {"quickstart", "ppo_shot", "ppo_board", "ppo_league", "league", "ladder"} <= {
        path.stem for path in CONFIGS
    }
