"""Games and boards on a Ray cluster of two nodes, both on this machine's loopback."""

from __future__ import annotations

import dataclasses
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Ray reads these when it is imported: loopback stays loopback, and nobody is told anything.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from carrom.errors import ConfigError, WorkerError
from carrom.opponents import Player, random_player
from carrom.physics.strike import Strike
from carrom.vector import BoardWorker, CarromVectorEnv, NewBoards
from carrom.view import View
from carrom_agents.distributed import cluster as connection
from carrom_agents.distributed.boards import _SNAPSHOT_EVERY, RayBoards, actors_on
from carrom_agents.distributed.cells import cells_on
from carrom_agents.distributed.cluster import Cluster, connected
from carrom_agents.distributed.games import games_on
from carrom_agents.distributed.tasks import _check, _raylet
from carrom_agents.distributed.versions import difference, what_computes
from carrom_agents.scripted import aimer
from carrom_agents.sweep.running import run_sweep
from carrom_agents.sweep.schedule import cells_of
from carrom_agents.sweep.settings import SweepConfig
from carrom_agents.tournament.log import GAMES_FILE
from carrom_agents.tournament.play import play_tournament
from carrom_agents.tournament.record import GameRecord
from carrom_agents.tournament.settings import Conditions, TournamentConfig

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a cluster of two nodes of one processor each."""
    # Workers cannot import this file, so what they need of it is sent.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    nodes = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("two_nodes.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert nodes.stdin is not None
    assert nodes.stdout is not None
    try:
        said = next(line for line in nodes.stdout if line.startswith("address "))
        yield said.split()[1]
    finally:
        nodes.stdin.close()
        nodes.wait(timeout=60)
        ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def cluster(address: str) -> Iterator[Cluster]:
    with connected(address) as cluster:
        yield cluster


def test_what_the_cluster_is(cluster: Cluster, address: str) -> None:
    assert cluster == Cluster(address, nodes=2, processors=2)


# Games


def _thinking(view: View, rng: np.random.Generator) -> Strike:
    """Breaks, and then thinks for ever."""
    if view.break_to_be_made:
        return random_player(view, rng)
    while True:
        rng.random()


class _Fatal:
    """Plays at random, but the first ``times`` strikes end the process that asks for them."""

    def __init__(self, folder: Path, times: int) -> None:
        self._folder, self._times = folder, times

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        for number in range(self._times):
            try:
                (self._folder / f"fatal-{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return random_player(view, rng)


@dataclasses.dataclass(frozen=True)
class _Find:
    """Finds players; some are only deadly where ``fatal`` is a folder."""

    fatal: Path | None = None
    times: int = 2

    def __call__(self, name: str) -> Player:
        known: dict[str, Player] = {
            "aimer": aimer,
            "thinking": _thinking,
            "fatal": _Fatal(self.fatal, self.times) if self.fatal else random_player,
        }
        return known.get(name, random_player)


def _config(folder: Path, *players: str, **changes: Any) -> TournamentConfig:
    conditions = Conditions(max_strokes=8)
    settings = {"starts": 2, "anchor": players[0], "conditions": conditions, **changes}
    return TournamentConfig(players=players, folder=str(folder), **settings)


def _games(folder: Path) -> list[GameRecord]:
    lines = (folder / GAMES_FILE).read_text().splitlines()
    return [dataclasses.replace(GameRecord.of_line(line), seconds=0.0) for line in lines]


def _assert_played_once(folder: Path, expected: Path) -> None:
    """The same games as in the other folder, in whatever order, and none twice."""
    found = _games(folder)
    assert len({game.fixture for game in found}) == len(found)
    assert set(found) == set(_games(expected))


def test_a_tournament_is_the_same_and_survives_the_loss_of_its_workers(
    cluster: Cluster, tmp_path: Path
) -> None:
    names = ("aimer", "random", "fatal")
    play_tournament(_config(tmp_path / "here", *names), find=_Find())
    (tmp_path / "ended").mkdir()
    told: list[tuple[int, int]] = []
    play_tournament(
        _config(tmp_path / "there", *names),
        find=_Find(tmp_path / "ended"),
        play=games_on(cluster),
        progress=lambda done, total: told.append((done, total)),
    )
    assert len(list((tmp_path / "ended").iterdir())) == 2
    _assert_played_once(tmp_path / "there", tmp_path / "here")
    assert told == [(done, 12) for done in range(13)]


def test_a_player_who_thinks_for_ever_forfeits_there_too(cluster: Cluster, tmp_path: Path) -> None:
    conditions = Conditions(max_strokes=8, move_limit_s=1.0)
    config = _config(tmp_path, "random", "thinking", starts=1, conditions=conditions)
    games = play_tournament(config, find=_Find(), play=games_on(cluster))
    assert [game.forfeit.player for game in games if game.forfeit] == ["thinking"] * 2


def test_a_game_that_always_ends_its_worker_is_named_and_the_others_are_kept(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carrom_agents.distributed.tasks.LIVES", 1)
    (tmp_path / "ended").mkdir()
    find = _Find(tmp_path / "ended", times=1)
    config = _config(tmp_path / "games", "random", "fatal", starts=1)
    with pytest.raises(WorkerError, match=r"against .* from start 0 has lost its worker 1 times"):
        play_tournament(config, find=find, play=games_on(cluster))
    games = play_tournament(config, find=find, play=games_on(cluster))
    assert len(games) == len(_games(tmp_path / "games")) == 2


def test_the_end_of_ray_on_this_machine_is_noticed(cluster: Cluster) -> None:
    _check(_raylet())
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = server.getsockname()
        _check(place)
    with pytest.raises(WorkerError, match="Ray has ended on this machine: what was done is kept"):
        _check(place)


def test_an_error_there_is_the_error_here(cluster: Cluster, tmp_path: Path) -> None:
    def find(name: str) -> Player:
        if os.getpid() != here:
            raise ConfigError(f"player {name!r} is not on this machine")
        return random_player

    here = os.getpid()
    with pytest.raises(ConfigError, match=r"^player 'a' is not on this machine$"):
        play_tournament(_config(tmp_path, "a", "b"), find=find, play=games_on(cluster))


@pytest.mark.slow
def test_a_run_folder_is_found_from_another_working_directory(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    here, expected = os.getpid(), str(tmp_path / "mine")

    def find(name: str) -> Player:
        if os.getpid() != here and name != "random":
            assert name == expected
        return random_player

    config = _config(tmp_path / "games", "mine", "random", starts=1)
    games = play_tournament(config, find=find, play=games_on(cluster))
    assert {game.fixture.breaker for game in games} == {"mine", "random"}


# Sweeps


@pytest.mark.slow
def test_cells_of_a_sweep_end_as_they_do_here(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base.yaml").write_text("env: {num_envs: 4}\n")
    here, there = (SweepConfig(("base.yaml",), folder=name, seeds=1) for name in ("here", "there"))
    for sweep in (here, there):
        (cell,) = cells_of(sweep)
        (cell.folder / ".lock").mkdir(parents=True)  # so it fails
    expected, found = run_sweep(here), run_sweep(there, train=cells_on(cluster))
    assert found.keys() == expected.keys()
    for name, outcome in found.items():
        assert outcome.status == "failed"
        assert "Is a directory" in outcome.error
        same = {"seconds": outcome.seconds, "error": outcome.error, "log": outcome.log}
        assert dataclasses.replace(expected[name], **same) == outcome
        assert outcome.error in (Path("there") / outcome.log).read_text()


# Boards


def _env(boards: int, **options: Any) -> CarromVectorEnv:
    return CarromVectorEnv(
        boards,
        task="board",
        **{"opponent": "random", "noise": "expert", "max_strokes": 3} | options,
        autoreset_mode="SameStep",
    )


def _rollout(env: CarromVectorEnv, steps: int, before_step: Any = lambda step: None) -> list[Any]:
    """Everything that a rollout tells, from a reset with a seed; but infos."""
    env.action_space.seed(0)
    told: list[Any] = [env.reset(seed=5)[0]]
    for step in range(steps):
        before_step(step)
        told += env.step(env.action_space.sample())[:4]
    told.append(np.array(env.np_random_seed))
    told += [view.positions for view in env.views()]
    told += [strokes[-1].strike for strokes in env.last_strokes]
    return told


def _assert_same(one: Sequence[Any], other: Sequence[Any]) -> None:
    assert len(one) == len(other)
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


_STEPS = 20
"""Of a rollout: beyond a snapshot."""


def test_boards_are_the_same_whatever_is_killed(cluster: Cluster) -> None:
    hired: list[RayBoards] = []

    def hire(new_boards: NewBoards, counts: Sequence[int]) -> Sequence[BoardWorker]:
        found = actors_on(cluster)(new_boards, counts)
        hired.extend(worker for worker in found if isinstance(worker, RayBoards))
        return found

    def kill(step: int) -> None:
        # Some steps after the second snapshot.
        if step == _SNAPSHOT_EVERY + 2:
            os.kill(hired[-1].pid, signal.SIGKILL)

    env = _env(5, workers=2, board_workers=hire)
    first = [worker.pid for worker in hired]
    _assert_same(_rollout(env, _STEPS, kill), _rollout(_env(5), _STEPS))
    now = [worker.pid for worker in hired]
    assert now[0] == first[0]
    assert now[1] != first[1], "another process has its boards now"
    env.close()


@pytest.mark.parametrize(
    ("times", "lives", "survives"),
    [pytest.param(2, 3, True, marks=pytest.mark.slow), (1, 1, False)],
)
def test_a_step_that_ends_its_worker_loses_and_doubles_nothing(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    times: int,
    lives: int,
    survives: bool,
) -> None:
    """The opponent ends the process that asks him, when some boards have been played already."""
    monkeypatch.setattr("carrom_agents.distributed.boards._LIVES", lives)
    options = {"boards": 2, "first": "agent"}
    fatal = _Fatal(tmp_path, times)
    env = _env(**options, opponent=fatal, board_workers=actors_on(cluster))
    if survives:
        _assert_same(_rollout(env, 3), _rollout(_env(**options), 3))
    else:
        with pytest.raises(WorkerError, match="worker 0 of 1 was lost 1 times in one call"):
            _rollout(env, 3)
    assert len(list(tmp_path.iterdir())) == times
    env.close()


def test_an_error_of_a_player_reaches_the_caller(cluster: Cluster) -> None:
    def gives_up(view: View, rng: np.random.Generator) -> Strike:
        raise LookupError("no more carrom")

    env = _env(2, first="agent", opponent=gives_up, board_workers=actors_on(cluster))
    with pytest.raises(LookupError, match="no more carrom"):
        _rollout(env, 3)
    env.close()


def test_an_opponent_that_cannot_be_sent_is_named(cluster: Cluster) -> None:
    lock = threading.Lock()
    with pytest.raises(ConfigError, match=r"opponent = .*cannot be sent to a worker"):
        _env(2, opponent=lambda view, rng: lock, board_workers=actors_on(cluster))


def test_more_workers_than_processors_are_refused(cluster: Cluster) -> None:
    with pytest.raises(ConfigError, match=r"workers = 3: expected at most 2"):
        _env(5, workers=3, board_workers=actors_on(cluster))


# Connections


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("somewhere", "expected local, auto or HOST:PORT"),
        ("ray://127.0.0.1:10001", "expected local, auto or HOST:PORT"),
        ("127.0.0.1:70000", "expected local, auto or HOST:PORT"),
        ("127.0.0.1:9", "nobody answers there"),
    ],
)
def test_an_address_without_a_cluster_is_a_clear_error(address: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message), connected(address):
        pass


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with (
        pytest.raises(ConfigError, match=r"pip install 'carrom-rl\[distributed\]'"),
        connected("local"),
    ):
        pass


def test_machines_that_compute_with_something_else_are_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, here = what_computes(), os.getpid()

    def of_another_time() -> dict[str, str]:
        return ours if os.getpid() == here else ours | {"mujoco": "1.0"}

    assert connection.check_machines() == 2
    monkeypatch.setattr(connection, "what_computes", of_another_time)
    message = rf"machine .* \(127\.0\.0\.1\) .*: mujoco is 1\.0: expected {ours['mujoco']}"
    with pytest.raises(ConfigError, match=message):
        connection.check_machines()


def test_versions_differ_where_a_name_is_missing_too() -> None:
    ours = what_computes()
    assert {"python", "carrom-rl", "sources", "jax", "mujoco", "numpy"} <= ours.keys()
    assert difference(ours, dict(ours)) is None
    assert difference({"a": "1"}, {"a": "1", "b": "2"}) == "b is 2: expected not there, as here"
    assert difference({"a": "1"}, {}) == "a is not there: expected 1, as here"
