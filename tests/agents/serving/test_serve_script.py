"""scripts/serve.py: bad options are one line, and players are shared."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from carrom.env import CarromEnv
from carrom.errors import ConfigError
from carrom.physics.strike import Strike
from carrom_agents.serving.hosted import Limits
from carrom_agents.serving.server import listening, names_of
from carrom_agents.serving.shared_player import SharedPlayer

SCRIPT = Path(__file__).parents[3] / "scripts" / "serve.py"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_it_serves_until_it_is_interrupted() -> None:
    command = [sys.executable, str(SCRIPT), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(found[0], timeout=30) as answer:
            assert b'<option value="ppo" selected>' in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0


def test_it_does_not_wait_for_a_player_who_is_being_prepared() -> None:
    code = (
        "import runpy, sys, time; from carrom_agents.serving.shared_player import SharedPlayer;"
        "SharedPlayer.prepare = lambda _: (print('preparing', flush=True), time.sleep(600));"
        "sys.argv = ['serve.py', '--port', '0'];"
        f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "preparing\n" in iter(process.stdout.readline, "")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0


def test_a_limit_is_refused_by_the_name_of_its_option() -> None:
    done = run("--idle-minutes", "nan")
    assert done.returncode == 2
    assert done.stderr == "serve: --idle-minutes nan: expected more than 0\n"


def test_a_bad_option_is_one_line() -> None:
    done = run("--player", "nowhere")
    assert done.returncode == 2
    assert done.stderr.startswith("serve: player 'nowhere': expected one of")
    assert len(done.stderr.splitlines()) == 1


def test_a_missing_package_is_named_with_the_extra() -> None:
    code = (
        "import sys, runpy; sys.modules['starlette'] = None; sys.argv = ['serve.py'];"
        f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "serve: starlette is not installed: expected pip install 'carrom-rl[serve]'"
    ]


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"127.0.0.1, port {port}: .*expected a free port"):
            listening("127.0.0.1", port)
    with pytest.raises(ConfigError, match="port = 70000: expected 0 to 65535"):
        listening("127.0.0.1", 70000)
    # The last is an address for documentation (RFC 5737), which no machine has.
    for host in ("no such host.invalid", "nosuch.invalid", "192.0.2.1"):
        with pytest.raises(ConfigError, match=f"listen on {host}, .*of this machine .--host"):
            listening(host, 0)


def test_by_which_names_it_may_be_called() -> None:
    assert names_of("0.0.0.0") is None
    loopback = names_of("127.0.0.1")
    assert loopback is not None
    assert "localhost" in loopback
    assert "elsewhere" not in loopback


@pytest.mark.parametrize("name", ["games", "idle_s", "threads", "messages_per_s"])
def test_limits(name: str) -> None:
    for value in (0, -1, float("nan")):
        with pytest.raises(ConfigError, match=name):
            Limits(**{name: value})  # type: ignore[arg-type]


def test_a_shared_player_is_found_once_and_asked_by_one_thread_at_a_time() -> None:
    found, inside, most = [], [], []

    def player(view, rng: np.random.Generator, /) -> Strike:
        inside.append(1)
        most.append(len(inside))
        total = sum(range(200_000))
        inside.pop()
        return Strike(0.0, 0.0, 1.0 + total % 1)

    def find(name: str):
        found.append(name)
        return player

    env = CarromEnv("shot")
    env.reset(seed=0)
    shared = SharedPlayer("somebody", find)
    assert found == []
    threads = [
        threading.Thread(target=shared, args=(env.view(), np.random.default_rng(0)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    shared.prepare()
    for thread in threads:
        thread.join()
    assert found == ["somebody"]
    assert most == [1] * 9
