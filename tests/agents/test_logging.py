"""Logging: the record, the order of steps, and that offline means offline."""

import dataclasses
import json
import math
import socket
import sys
from pathlib import Path

import pytest
from rich.console import Console

from carrom.errors import ConfigError
from carrom_agents.config import ExperimentConfig, LoggingConfig, WandbMode
from carrom_agents.logging import FanOut, JsonLinesLogger, check_loggers, open_loggers


def config(wandb: WandbMode, progress: bool = False, tensorboard: bool = False) -> ExperimentConfig:
    chosen = LoggingConfig(wandb=wandb, progress=progress, tensorboard=tensorboard)
    return ExperimentConfig(logging=chosen)


def records(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


class Memory:
    def __init__(self) -> None:
        self.told: list[tuple[int, dict]] = []
        self.closed = False

    def log(self, step, metrics):
        self.told.append((step, dict(metrics)))

    def close(self):
        self.closed = True


def test_all_are_told_and_closed():
    memories = [Memory(), Memory()]
    logger = FanOut(memories)
    logger.log(1, {"a": 2.0})
    logger.log(1, {"b": 3.0})
    logger.close()
    for memory in memories:
        assert memory.told == [(1, {"a": 2.0}), (1, {"b": 3.0})]
        assert memory.closed


def test_the_global_step_never_goes_back():
    logger = FanOut([])
    logger.log(5, {})
    with pytest.raises(ValueError, match="global step 4 after 5"):
        logger.log(4, {})


def test_the_record_is_strict_json_and_survives_reopening(tmp_path):
    for step in (1, 2):
        logger = JsonLinesLogger(tmp_path / "metrics.jsonl")
        logger.log(step, {"x": 0.5 * step, "bad": math.nan, "worse": math.inf})
        logger.close()
    assert records(tmp_path) == [
        {"global_step": step, "x": 0.5 * step, "bad": None, "worse": None} for step in (1, 2)
    ]


def test_offline_needs_no_network(tmp_path, monkeypatch):
    remote: list[object] = []
    connect = socket.socket.connect

    def local_only(self, address):
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            remote.append(address)
            raise OSError("no network here")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    logger = open_loggers(config(wandb="offline"), tmp_path, Console())
    for step in (10, 20, 20):
        logger.log(step, {"reward": step / 10})
    logger.close()
    assert not remote
    assert [record["reward"] for record in records(tmp_path)] == [1, 2, 2]
    (written,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    assert written.stat().st_size > 0


def test_online_without_a_key_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
    with pytest.raises(ConfigError, match="without an API key: set WANDB_API_KEY"):
        check_loggers(config(wandb="online").logging)


def test_disabled_writes_nothing_of_wandb(tmp_path):
    logger = open_loggers(config(wandb="disabled"), tmp_path, Console())
    logger.log(1, {"x": 1.0})
    logger.close()
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]


def test_tensorboard_without_the_extra_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ConfigError, match=r"carrom-rl\[tensorboard\]"):
        check_loggers(config(wandb="disabled", tensorboard=True).logging)


def test_progress_does_not_disturb_the_record(tmp_path):
    shown = config(wandb="disabled", progress=True)
    total = dataclasses.replace(shown, total_strokes=2048)
    logger = open_loggers(total, tmp_path, Console(force_terminal=True, file=sys.stderr))
    logger.log(2048, {"reward": 0.25})
    logger.close()
    assert records(tmp_path) == [{"global_step": 2048, "reward": 0.25}]


def test_tensorboard_events_are_written(tmp_path):
    pytest.importorskip("tensorboardX")
    logger = open_loggers(config(wandb="disabled", tensorboard=True), tmp_path, Console())
    logger.log(1, {"x": 1.0})
    logger.close()
    (events,) = (tmp_path / "tensorboard").iterdir()
    assert b"x" in events.read_bytes()
