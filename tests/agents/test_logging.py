"""Logging: the record, the order of steps, and that nobody who looks on gets in the way."""

import dataclasses
import json
import math
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import wandb
from rich.console import Console
from wandb_stand_in import StandIn, stand_in

from carrom.errors import ConfigError
from carrom_agents.config import ExperimentConfig, LoggingConfig, WandbMode
from carrom_agents.logging import (
    FanOut,
    JsonLinesLogger,
    MetricsLogger,
    check_loggers,
    log_artifacts,
    open_loggers,
    open_wandb,
)
from carrom_agents.logging.background import InBackground

ROOT = Path(__file__).parents[2]
KEY = "0123456789abcdef" * 2 + "01234567"
"""Has the form of an API key."""


def config(wandb: WandbMode, progress: bool = False, tensorboard: bool = False) -> ExperimentConfig:
    chosen = LoggingConfig(wandb=wandb, progress=progress, tensorboard=tensorboard)
    return ExperimentConfig(logging=chosen)


def records(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def none_expected(sentence: str) -> None:
    raise AssertionError(sentence)


class Memory(MetricsLogger):
    def __init__(self) -> None:
        self.told: list[tuple[int, dict]] = []
        self.shown: list[tuple[str, list[Path]]] = []
        self.closed = False

    def log(self, step, metrics):
        self.told.append((step, dict(metrics)))

    def log_artifacts(self, name, files):
        self.shown.append((name, list(files)))

    def close(self):
        self.closed = True


class Broken(MetricsLogger):
    """Does nothing but fail."""

    def log(self, step, metrics):
        raise ConnectionError("no\n route")

    def log_artifacts(self, name, files):
        raise ConnectionError("no route")

    def close(self):
        raise ConnectionError("no route")


def test_all_are_told_and_closed():
    record, view = Memory(), Memory()
    logger = FanOut(record, {"view": view}, none_expected)
    logger.log(1, {"a": 2.0})
    logger.log(1, {"b": 3.0})
    logger.log_artifacts("results", [Path("film.mp4")])
    logger.close()
    for memory in (record, view):
        assert memory.told == [(1, {"a": 2.0}), (1, {"b": 3.0})]
        assert memory.shown == [("results", [Path("film.mp4")])]
        assert memory.closed


def test_the_global_step_never_goes_back():
    logger = FanOut(Memory(), {}, none_expected)
    logger.log(5, {})
    with pytest.raises(ValueError, match="global step 4 after 5"):
        logger.log(4, {})


def test_a_view_that_fails_is_told_of_once_and_dropped():
    record, view, warnings = Memory(), Memory(), []
    logger = FanOut(record, {"broken": Broken(), "view": view}, warnings.append)
    for step in range(3):
        logger.log(step, {"x": 0.0})
    logger.close()
    assert warnings == ["broken: no route: not told any more; metrics.jsonl has everything"]
    assert [step for step, _ in record.told] == [step for step, _ in view.told] == [0, 1, 2]
    assert view.closed


def test_a_record_that_cannot_be_written_is_an_error():
    with pytest.raises(ConfigError, match="No space left"):
        JsonLinesLogger(Path("/dev/full")).log(1, {"x": 1.0})
    with pytest.raises(ConfigError, match=r"/nowhere/metrics.jsonl: cannot be written"):
        JsonLinesLogger(Path("/nowhere/metrics.jsonl"))


def test_nobody_waits_for_what_is_in_the_background():
    """It hangs from the start, and everything else goes on; what could wait is bounded."""
    free = threading.Event()

    def hanging() -> MetricsLogger:
        free.wait()
        return Memory()

    view = InBackground(hanging, patience=0.05, waiting=3, advice=": look")
    record, warnings = Memory(), []
    logger = FanOut(record, {"view": view}, warnings.append)
    for step in range(5):
        logger.log(step, {})
    logger.close()
    assert len(record.told) == 5
    assert warnings == [
        "view: does not keep up: look: not told any more; metrics.jsonl has everything"
    ]
    slow = InBackground(hanging, patience=0.05)
    with pytest.raises(TimeoutError, match=r"has not finished in 0.05 s"):
        slow.close()
    free.set()


def test_the_background_tells_everything_in_order():
    memory = Memory()
    logger = InBackground(lambda: memory, patience=30.0)
    metrics = {"x": 0.0}
    for step in range(100):
        metrics["x"] = float(step)  # a copy is told, whatever becomes of it later
        logger.log(step, metrics)
    logger.log_artifacts("results", [Path("a")])
    logger.close()
    assert memory.told == [(step, {"x": float(step)}) for step in range(100)]
    assert memory.shown == [("results", [Path("a")])]
    assert memory.closed


def test_what_fails_in_the_background_is_raised():
    logger = InBackground(Broken, patience=30.0)
    logger.log(0, {})
    with pytest.raises(ConnectionError):
        logger.close()


def test_the_record_is_strict_json_and_survives_reopening(tmp_path):
    for step in (1, 2):
        logger = JsonLinesLogger(tmp_path / "metrics.jsonl")
        logger.log(step, {"x": 0.5 * step, "bad": math.nan, "worse": math.inf})
        logger.close()
    assert records(tmp_path) == [
        {"global_step": step, "x": 0.5 * step, "bad": None, "worse": None} for step in (1, 2)
    ]


@pytest.fixture
def no_remote(monkeypatch) -> list[object]:
    """Every connection to another machine fails, and is kept here."""
    remote: list[object] = []
    connect = socket.socket.connect

    def local_only(self, address):
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            remote.append(address)
            raise OSError("no network here")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)
    return remote


def test_offline_needs_no_network(tmp_path, monkeypatch, no_remote):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    logger = open_loggers(config(wandb="offline"), tmp_path, Console(), none_expected)
    for step in (10, 20, 20):
        logger.log(step, {"reward": step / 10})
    logger.close()
    assert not no_remote
    assert [record["reward"] for record in records(tmp_path)] == [1, 2, 2]
    (written,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    assert written.stat().st_size > 0


@pytest.fixture
def hurried(monkeypatch):
    """An API key, and little patience."""
    monkeypatch.setenv("WANDB_API_KEY", KEY)
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "2")
    monkeypatch.setenv("WANDB_FINISH_TIMEOUT", "2")
    yield
    wandb.teardown()  # it looks at the environment once in its life


@pytest.fixture
def service(monkeypatch, hurried):
    with stand_in() as server:
        monkeypatch.setenv("WANDB_BASE_URL", server.url)
        yield server


def logged(folder: Path, warnings: list[str]) -> None:
    """Twenty updates and a page, online."""
    logger = open_loggers(config(wandb="online"), folder, None, warnings.append)
    for step in range(20):
        logger.log(step, {"reward": step / 2})
    logger.log_artifacts("results", [folder / "page.html"])
    logger.close()


def send_later(run: Path, service: StandIn) -> None:
    """By the command that the documentation names."""
    subprocess.run(
        [sys.executable, "-m", "wandb", "sync", "--no-skip-online", str(run)],
        env=os.environ | {"WANDB_BASE_URL": service.url},
        check=True,
        capture_output=True,
        timeout=60,
    )


@pytest.mark.parametrize("listens", [False, True], ids=["refused", "never answers"])
def test_without_a_service_the_run_goes_on_offline_and_can_be_sent_later(
    tmp_path, monkeypatch, service: StandIn, listens
):
    (tmp_path / "page.html").write_text("<p>a page</p>")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        if listens:
            nobody.listen()
        monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{nobody.getsockname()[1]}")
        check_loggers(config(wandb="online").logging)
        warnings: list[str] = []
        logged(tmp_path, warnings)
    (warning,) = warnings
    assert "wandb cannot be online" in warning
    assert f"wandb sync {tmp_path}/wandb/offline-run-*" in warning
    assert len(records(tmp_path)) == 20
    (run,) = tmp_path.glob("wandb/offline-run-*")
    send_later(run, service)
    sent = {line["global_step"]: line for line in service.history if "reward" in line}
    assert {step: line["reward"] for step, line in sent.items()} == {k: k / 2 for k in range(20)}
    assert_secret(tmp_path)


@pytest.mark.slow
@pytest.mark.render
def test_a_whole_training_ends_well_without_a_network(tmp_path, hurried):
    """The program, online, with nobody who answers; its film and its page can be sent later."""
    configuration = tmp_path / "tiny.yaml"
    configuration.write_text(
        "name: tiny\ntotal_strokes: 16\nenv: {num_envs: 4}\n"
        "network: {width: 8, place_width: 4}\n"
        "ppo: {rollout_length: 2, minibatches: 2, epochs: 1}\n"
        "evaluation: {every_updates: 2, positions: 4, final_positions: 4, video_strokes: 1}\n"
        f"logging: {{directory: {tmp_path / 'runs'}, tensorboard: true}}\n"
    )
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        nobody.listen()
        environment = os.environ | {"WANDB_BASE_URL": f"http://127.0.0.1:{nobody.getsockname()[1]}"}
        command = [sys.executable, "scripts/train.py", str(configuration), "--wandb", "online"]
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        )
    assert ended.stdout.count("wandb cannot be online") == 1
    (folder,) = (tmp_path / "runs").iterdir()
    assert len(records(folder)) == 3
    (sent_later,) = folder.glob("wandb/offline-run-*")
    shown = {path.suffix for path in (sent_later / "files" / "media").rglob("*.*")}
    assert shown == {".mp4", ".html", ".png"}
    assert_secret(folder)


def test_online_everything_is_sent(tmp_path, service: StandIn):
    (tmp_path / "page.html").write_text("<p>a page</p>")
    warnings: list[str] = []
    logged(tmp_path, warnings)
    assert not warnings
    assert [line["reward"] for line in service.history if "reward" in line] == [
        k / 2 for k in range(20)
    ]
    assert any("results/page_html" in line for line in service.history)
    assert_secret(tmp_path)


def test_a_network_that_goes_away_does_not_stop_anything(tmp_path, service: StandIn):
    warnings: list[str] = []
    logger = open_loggers(config(wandb="online"), tmp_path, None, warnings.append)
    logger.log(0, {"reward": 0.0})
    while not (tmp_path / "wandb_id.txt").is_file():  # it is not online yet
        assert not warnings
        time.sleep(0.01)
    service.silent.set()
    for step in range(1, 1000):
        logger.log(step, {"reward": 0.0})
    logger.close()
    assert len(records(tmp_path)) == 1000
    (warning,) = warnings
    assert f"wandb sync --no-skip-online {tmp_path}/wandb/run-*" in warning
    with stand_in() as back:
        (run,) = tmp_path.glob("wandb/run-*")
        send_later(run, back)
        assert len([line for line in back.history if "reward" in line]) == 1000


def test_a_run_that_goes_on_keeps_its_id(tmp_path, service: StandIn):
    for _ in range(2):
        logger = open_wandb("online", "carrom-rl", tmp_path, {}, none_expected)
        logger.log(0, {})
        logger.close()
    streams = {path for path in service.paths if path.endswith("/file_stream")}
    assert len(streams) == 1
    assert (tmp_path / "wandb_id.txt").read_text() in streams.pop()


def test_what_came_of_a_tournament_is_shown(tmp_path, service: StandIn):
    page, warnings = tmp_path / "page.html", []
    page.write_text("<p>a page</p>")
    log_artifacts(
        "online", tmp_path, "ratings", [page], warnings.append, config={}, metrics={"elo/a": 5.0}
    )
    assert not warnings
    assert [line["elo/a"] for line in service.history if "elo/a" in line] == [5]
    assert any("ratings/page_html" in line for line in service.history)
    service.silent.set()
    log_artifacts("disabled", tmp_path, "ratings", [page], none_expected, config={}, metrics={})


def test_files_that_are_not_there_are_told_of(tmp_path, monkeypatch):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    warnings: list[str] = []
    missing = [tmp_path / "nothing.csv"]
    log_artifacts("offline", tmp_path, "ratings", missing, warnings.append, config={}, metrics={})
    (warning,) = warnings
    assert "nothing.csv" in warning


def assert_secret(folder: Path) -> None:
    """The key is in no file."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("patience", ["soon", "0", "nan"])
def test_a_patience_that_is_no_number_is_refused(monkeypatch, patience):
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", patience)
    with pytest.raises(ConfigError, match=r"WANDB_INIT_TIMEOUT = .*: expected seconds above 0"):
        check_loggers(config(wandb="offline").logging)


def test_online_without_a_key_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
    with pytest.raises(ConfigError, match="without an API key: set WANDB_API_KEY"):
        check_loggers(config(wandb="online").logging)


def test_disabled_writes_nothing_of_wandb(tmp_path):
    logger = open_loggers(config(wandb="disabled"), tmp_path, Console(), none_expected)
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
    screen = Console(force_terminal=True, file=sys.stderr)
    logger = open_loggers(total, tmp_path, screen, none_expected)
    logger.log(2048, {"reward": 0.25})
    logger.close()
    assert records(tmp_path) == [{"global_step": 2048, "reward": 0.25}]


def test_tensorboard_events_are_written(tmp_path):
    pytest.importorskip("tensorboardX")
    chosen = config(wandb="disabled", tensorboard=True)
    logger = open_loggers(chosen, tmp_path, Console(), none_expected)
    logger.log(1, {"x": 1.0})
    logger.close()
    (events,) = (tmp_path / "tensorboard").iterdir()
    assert b"x" in events.read_bytes()
