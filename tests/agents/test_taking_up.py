"""What a run is taken up from: nothing of it is lost, and nobody else has it."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest
from experiments import small_experiment

from carrom.errors import CheckpointError, ConfigError
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import CONFIG_FILE, check_settings, save
from carrom_agents.config import EnvConfig, ExperimentConfig, dump_config
from carrom_agents.exclusive import alone_in
from carrom_agents.experiment import resume, resume_together
from carrom_agents.learning import initial_state
from carrom_agents.logging import METRICS_FILE, forget_records_after
from carrom_agents.roster import short_name
from carrom_agents.run_folder import create_run_folder
from carrom_agents.starting import begun, pinned

_HOLDS = """
import sys, pathlib
from carrom_agents.exclusive import alone_in
with alone_in(pathlib.Path(sys.argv[1]), "training this run"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def config(toy_config: ExperimentConfig, tmp_path: Path) -> ExperimentConfig:
    return small_experiment("small", EnvConfig(num_envs=16), toy_config.network, tmp_path)


def test_a_run_that_another_program_trains_is_left_alone(config):
    run = create_run_folder(config)
    metrics = run / METRICS_FILE
    metrics.write_text('{"global_step": 0}\n')
    begun = run / "checkpoints" / ".00000002"
    begun.mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(run)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        for take_up in (lambda: resume(run), lambda: resume_together([run])):
            with pytest.raises(ConfigError, match="another program is training this run"):
                take_up()
        other.kill()
    assert metrics.read_text() == '{"global_step": 0}\n'
    assert begun.is_dir()
    with alone_in(run, "training this run"):  # the lock went with the program that was killed
        pass


def lines_until(steps: int) -> list[bytes]:
    return [json.dumps({"global_step": 32 * k}).encode() for k in range(steps)]


def test_records_until_the_checkpoint_are_kept_and_half_a_line_is_not(tmp_path):
    file, lines = tmp_path / METRICS_FILE, lines_until(6)
    for content, step, kept in (
        (b"\n".join(lines) + b"\n", 64, 3),
        (b"\n".join(lines[:4]) + b'\n{"global_st', 96, 4),
        (b"\n".join(lines[:3]) + b'\n{"global_st\n' + lines[3], 64, 3),  # will be made again
        (b"\n".join(lines) + b"\n", 0, 0),
    ):
        file.write_bytes(content)
        forget_records_after(file, step)
        assert file.read_bytes() == b"".join(line + b"\n" for line in lines[:kept])


@pytest.mark.parametrize(
    "damaged", [b"", b"\xff" * 9, b"[" * 100_000, b'{"global_step": true}', b'{"global_step": 32}']
)
def test_a_damaged_record_is_named_and_nothing_is_dropped(tmp_path, damaged):
    file, lines = tmp_path / METRICS_FILE, lines_until(6)
    lines[2] = damaged
    content = b"\n".join(lines) + b"\n"
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"metrics\.jsonl: line 3 is damaged"):
        forget_records_after(file, 96)
    assert file.read_bytes() == content


OTHERWISE = {
    "total_strokes": {"total_strokes": 1280},
    "ppo.clip": {"ppo": {"clip": 0.5}},
    "env.noise": {"env": {"noise": "novice"}},
    "env.num_envs": {"env": {"num_envs": 32}},
    "logging.checkpoint_every_updates": {"logging": {"checkpoint_every_updates": 3}},
}
ALIKE = {
    "name": "other",
    "env": {"workers": 2},
    "evaluation": {"every_updates": 7, "video_strokes": 3},
    "logging": {"progress": True, "directory": "elsewhere"},
}


def changed(config: ExperimentConfig, changes: dict) -> ExperimentConfig:
    return dataclasses.replace(
        config,
        **{
            name: dataclasses.replace(getattr(config, name), **value)
            if isinstance(value, dict)
            else value
            for name, value in changes.items()
        },
    )


def test_a_run_does_not_go_on_with_what_would_learn_otherwise(config):
    run = create_run_folder(config)
    save(run, config, initial_state(config, agent_of(config)))
    check_settings(run, changed(config, ALIKE))
    for name, change in OTHERWISE.items():
        (run / CONFIG_FILE).write_text(dump_config(changed(config, change)))
        with pytest.raises(CheckpointError, match=rf"another run: its {name} is .*, expected "):
            resume(run)


def test_what_is_begun_from_or_played_against_does_not_change_with_its_run(config, tmp_path):
    run, blank = tmp_path / "its-run", create_run_folder(config)
    blank.rename(run)
    state = initial_state(config, agent_of(config))
    for update in (2, 10):
        save(run, config, dataclasses.replace(state, update=update))
    newest, first = (str(run / "checkpoints" / name) for name in ("00000010", "00000002"))
    planar = changed(config, {"env": {"physics": "planar", "opponent": str(run)}})
    found = pinned(dataclasses.replace(planar, start_from=str(run)))
    assert (found.start_from, found.env.opponent) == (newest, newest)
    assert begun(found).update == 0
    assert short_name(newest) == "its-run-00000010"
    found = pinned(dataclasses.replace(planar, start_from=first))
    assert found.start_from == first
    for opponent in ("self", "league", "aimer"):
        named = changed(planar, {"env": {"opponent": opponent}})
        assert pinned(named) == named
    with pytest.raises(CheckpointError, match="nowhere"):
        pinned(dataclasses.replace(planar, start_from="nowhere"))
