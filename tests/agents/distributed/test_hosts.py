"""Training on the devices of two hosts, both of them processes on this machine's loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from carrom.errors import ConfigError
from carrom_agents.config import EnvConfig, ExperimentConfig
from carrom_agents.distributed.gathering import gather
from carrom_agents.distributed.hosts import Hosts, noticing_losses
from carrom_agents.distributed.machines import Machines, machines_of
from haste import XLA_FLAGS_IN_HASTE

HERE = Path(__file__).parent


def free_address() -> tuple[str, int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()


# Meeting


def gathered(*hosts: Mapping[str, Any], within_s: float = 20.0) -> list[str | None]:
    """What each of the hosts was told to be wrong; they are threads of this process."""
    address = free_address()
    wrong: list[str | None] = [None] * len(hosts)

    def come(place: int, host: Mapping[str, Any]) -> None:
        try:
            gather(address, host["count"], host["own"], host["told"], within_s)
        except ConfigError as error:
            wrong[place] = str(error)

    threads = [threading.Thread(target=come, args=item) for item in enumerate(hosts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    return wrong


def host(own: int, count: int = 3, **told: str) -> dict[str, Any]:
    return {"own": own, "count": count, "told": {"python": "3.11", **told}}


def test_hosts_that_agree_find_each_other_in_any_order() -> None:
    assert gathered(host(2), host(0), host(1)) == [None] * 3


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (host(1, 2, python="3.12"), "host 1: python is 3.12: expected 3.11, as on host 0"),
        (host(1, 2, more="x"), "host 1: more is x: expected not there, as on host 0"),
        (host(1, 3), "host 1 was told hosts = 3: expected 2"),
        (host(2, 2), "host_id = 2: expected 0 to 1, each once"),
    ],
)
def test_a_host_that_does_not_agree_is_one_error_on_all(other: Any, message: str) -> None:
    assert gathered(host(0, 2), other) == [message] * 2


def test_two_of_the_same_number_are_refused_and_so_are_the_others() -> None:
    wrong = gathered(host(0), host(1), host(1))
    assert wrong == ["host_id = 1: expected 0 to 2, each once"] * 3


def test_a_host_that_does_not_come_is_named_after_a_while() -> None:
    wrong = gathered(host(0), host(2), within_s=0.5)
    assert wrong[0] == wrong[1] == "hosts [1] of 3 have not come within 0.5 s"
    (alone,) = gathered(host(1), within_s=0.3)
    assert alone is not None
    assert "host 0 has not answered at 127.0.0.1:" in alone


def test_somebody_else_who_calls_is_passed_over() -> None:
    address, wrong = free_address(), []

    def lead() -> None:
        try:
            gather(address, 2, 0, {"a": "1"}, 20.0)
        except ConfigError as error:
            wrong.append(error)

    leading = threading.Thread(target=lead)
    leading.start()
    for line in (b"", b"GET / HTTP/1.1\r\n\r\n", b"[1]\n", b'{"host": "x"}\n', b"\xff\n"):
        for _ in range(100):
            try:
                with socket.create_connection(address, timeout=5) as caller:
                    caller.sendall(line)
                break
            except ConnectionRefusedError:
                threading.Event().wait(0.02)  # it does not listen yet
    gather(address, 2, 1, {"a": "1"}, 20.0)
    leading.join(timeout=20)
    assert not leading.is_alive()
    assert wrong == []


def test_an_address_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with pytest.raises(ConfigError, match=r"coordinator = '127.*host 0 cannot listen there"):
            gather(address, 2, 0, {}, 1.0)


# What is asked for


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("nowhere", 2, 0), r"coordinator = 'nowhere': expected HOST:PORT"),
        (("a:0", 2, 0), r"coordinator = 'a:0': expected HOST:PORT"),
        (("a:1", 1, 0), r"hosts = 1: expected at least 2"),
        (("a:1", 2, 2), r"host_id = 2: expected 0 to 1"),
    ],
)
def test_hosts_that_cannot_be_are_refused(values: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Hosts(*values)


def test_devices_are_those_of_all_hosts_together() -> None:
    assert Hosts("a:1", 2, 0).own_devices(6) == 3
    with pytest.raises(ConfigError, match=r"devices = 3: expected a multiple of hosts = 2"):
        Hosts("a:1", 2, 0).own_devices(3)


def test_machines_are_taken_off_the_command_line() -> None:
    machines, rest = machines_of(["x.yaml", "--ray", "local", "--env.workers", "2"])
    assert (machines, rest) == (Machines("local"), ["x.yaml", "--env.workers", "2"])
    given = ["--hosts", "2", "--host-id", "1", "--coordinator", "a:1", "--seed", "3"]
    assert machines_of(given) == (Machines(hosts=Hosts("a:1", 2, 1)), ["--seed", "3"])
    assert machines_of(["--seed", "3"]) == (Machines(), ["--seed", "3"])
    with pytest.raises(ConfigError, match=r"--hosts: expected --host-id and --coordinator, too"):
        machines_of(["--hosts", "2"])
    with pytest.raises(ConfigError, match=r"--ray local and --hosts 2: expected one of them"):
        machines_of([*given, "--ray", "local"])


@pytest.mark.parametrize(
    ("machines", "physics", "message"),
    [
        (Machines("local"), "planar", r"ray = 'local': expected env.physics = 'mujoco'"),
        (Machines(hosts=Hosts("a:1", 2, 0)), "mujoco", r"hosts = 2: expected env.physics = 'pl"),
    ],
)
def test_machines_that_do_not_suit_the_engine_are_refused(
    machines: Machines, physics: Any, message: str
) -> None:
    config = ExperimentConfig(env=EnvConfig(physics=physics))
    with pytest.raises(ConfigError, match=message), machines.used(config):
        pass


def test_other_errors_are_not_taken_for_a_loss() -> None:
    with pytest.raises(ValueError, match="Gloo was a band"), noticing_losses():
        raise ValueError("Gloo was a band")


# Training


def begun(count: int, own: int, port: int) -> subprocess.Popen[str]:
    """A host of a training on a toy, in a process of its own; see ``host_of_training.py``."""
    environment = os.environ | {
        "JAX_PLATFORMS": "cpu",
        # Compiling is most of what it takes, and here only equality counts.
        "XLA_FLAGS": XLA_FLAGS_IN_HASTE,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, str(HERE / "host_of_training.py"), str(count), str(own)]
    return subprocess.Popen(
        [*command, f"127.0.0.1:{port}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, list[dict[str, float]], str]:
    """Exit status, what each update told, and errors; a process that hangs is killed."""
    try:
        out, errors = process.communicate(timeout=1200)
    finally:
        process.kill()
    return (
        process.returncode,
        [json.loads(line) for line in out.splitlines() if line[0] == "{"],
        errors,
    )


def test_two_hosts_give_what_one_gives_until_one_is_lost() -> None:
    """As one with as many devices. Host 0 once takes longer than a host may be silent."""
    status, alone, errors = ended(begun(1, 0, 1))
    assert (status, len(alone)) == (0, 3), errors[-2000:]
    assert [told["own_devices"] for told in alone] == [2, 2, 2]
    port = free_address()[1]
    hosts = [begun(2, own, port) for own in (0, 1)]
    (status, first, errors), (killed, second, _) = map(ended, hosts)
    assert killed == -signal.SIGTERM
    assert first == second
    assert [told["own_devices"] for told in first] == [1, 1]
    for one, other in zip(first, alone, strict=False):
        expected = other | {"own_devices": 1}
        assert one == pytest.approx(expected, rel=2e-3, abs=2e-3)
    # The other one is killed after its second update, and the third is never told.
    assert status == 2
    assert "host: host 0 has lost another host: resume the run from its last checkpoint" in errors
    assert "host 0 of 2: if one is lost all end" in errors
