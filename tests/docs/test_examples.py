"""The examples of the how-to pages do what the pages say they do."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import jax
import numpy as np
import pytest
from pages import ROOT, blocks

import carrom
from carrom.functional import Sight
from carrom.pieces import N_PER_SIDE
from carrom.view import QueenStatus
from carrom_agents.evaluation import evaluate_shots
from carrom_agents.planner.position import sights_of

EXAMPLES = ROOT / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def own_player() -> ModuleType:
    return example("own_player")


@pytest.fixture(scope="module")
def own_task() -> ModuleType:
    return example("own_task")


@pytest.fixture(scope="module")
def own_algorithm() -> ModuleType:
    return example("own_algorithm")


def test_the_player_strikes_alike_on_the_device(own_player: ModuleType) -> None:
    env = carrom.CarromEnv("shot")
    views = []
    for seed in range(32):
        env.reset(seed=seed)
        views.append(env.view())
    sights = sights_of(views, carrom.Functional("shot"))

    @jax.jit
    @jax.vmap
    def decided(sight: Sight, key: jax.Array) -> Any:
        return own_player.straight_on_device(sight, key), jax.random.randint(key, (), 0, 3)

    strikes, drawn = decided(sights, jax.random.split(jax.random.key(0), len(views)))
    for index, view in enumerate(views):
        strike = own_player.straight(view, _Always(int(drawn[index])))
        assert strike.direction == pytest.approx(float(strikes.direction[index]), abs=1e-3)
        assert strike.place == pytest.approx(float(strikes.place[index]), abs=1e-4)
        assert strike.speed == pytest.approx(float(strikes.speed[index]), abs=1e-3)


class _Always:
    """A generator whose whole numbers are always the same."""

    def __init__(self, number: int) -> None:
        self._number = number

    def integers(self, high: int) -> int:
        assert self._number < high
        return self._number


def test_the_player_aims_at_what_it_may_take(own_player: ModuleType) -> None:
    players = {"straight": own_player.straight}
    report = evaluate_shots(players, positions=150, seed=7)
    # Strikes at random pocket 0.05; the intervals of 1,000 positions end at 0.06.
    assert report.players["straight"].pocketed.low > 0.1


def test_it_plays_boards_and_the_aimer_wins_the_tournament(
    own_player: ModuleType, tmp_path: Path
) -> None:
    report = own_player.tournament(str(tmp_path / "tournament"), starts=2)
    assert set(report.standings) == {"straight", "aimer", "random_coin"}
    assert next(iter(report.standings)) == "aimer"
    for other in ("aimer", "random_coin"):
        assert report.games["straight", other] == 4
        assert report.scores["straight", other] + report.scores[other, "straight"] == 4
    assert not any(standing.forfeits for standing in report.standings.values())


def test_it_plays_as_the_agent_too(own_player: ModuleType) -> None:
    assert own_player.board_against_aimer(seed=1)["winner"] in ("own", "opponent", None)


def test_an_entry_point_gives_it_a_name(tmp_path: Path) -> None:
    (toml,) = blocks(ROOT / "docs" / "how_to" / "player.md", "toml")
    group = tomllib.loads(toml.text)["project"]["entry-points"]["carrom.opponents"]
    package = tmp_path / "my_players-0.1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: my-players\nVersion: 0.1\n")
    lines = ["[carrom.opponents]", *(f"{name} = {place}" for name, place in group.items())]
    (package / "entry_points.txt").write_text("\n".join(lines))
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import gymnasium as gym, carrom\n"
        "assert 'straight' in carrom.opponent_names()\n"
        "env = gym.make('CarromBoard-v0', opponent='straight', first='opponent')\n"
        "env.reset(seed=0)\n"
        "print(env.unwrapped.setting.players[2].__name__, env.unwrapped.last_strokes[0].own)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(EXAMPLES)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["straight", "False"], done.stderr


def test_the_task_begins_pays_and_ends_as_it_says(own_task: ModuleType) -> None:
    env = gym.make("CarromRun-v0", noise="expert").unwrapped
    assert isinstance(env, carrom.CarromEnv)
    for seed in range(15):
        observation, _ = env.reset(seed=seed)
        assert 2 <= observation[2 : 3 * N_PER_SIDE : 3].sum() <= 5
        assert observation[57 + QueenStatus.MINE] == 1
        over = False
        while not over:
            _, reward, over, *_ = env.step(env.action_space.sample())
            (stroke,) = env.last_strokes
            assert reward == stroke.own_pocketed - stroke.charged
            kept = stroke.after.seat == stroke.seat and not stroke.ruling.board_over
            assert over == (not kept)


def test_the_aimer_has_longer_runs_than_luck(own_task: ModuleType) -> None:
    aimed, luck = (own_task.run_length(name, episodes=40) for name in ("aimer", "random_coin"))
    assert aimed.low > luck.high


def test_the_algorithm_learns(own_algorithm: ModuleType) -> None:
    weights = own_algorithm.learn()
    players = {
        "trained": own_algorithm.Shooter(weights),
        "untrained": own_algorithm.Shooter(np.zeros(4)),
    }
    report = evaluate_shots(players, positions=300, seed=10_000)
    assert report.differences["trained", "untrained"].points.low > 0.2
    # Thin cuts and what lies in the way are learnt to be bad.
    assert weights[1] < 0
    assert weights[2] < 0


def test_the_gradient_is_that_of_the_log_probability(own_algorithm: ModuleType) -> None:
    observations, _ = gym.make_vec("CarromShot-v0", num_envs=5).reset(seed=0)
    rng = np.random.default_rng(0)
    weights, step = rng.normal(size=4), 1e-6
    policy, seen = own_algorithm.probabilities(weights, observations)
    np.testing.assert_allclose(policy.sum(axis=1), 1)
    shots = policy.argmax(axis=1)
    rows = np.arange(len(shots))
    analytic = seen[rows, shots] - np.einsum("ns,nsf->nf", policy, seen)
    for index in range(4):
        moved = weights + step * (np.arange(4) == index)
        after, _ = own_algorithm.probabilities(moved, observations)
        numeric = (np.log(after[rows, shots]) - np.log(policy[rows, shots])) / step
        np.testing.assert_allclose(numeric, analytic[:, index], atol=1e-4)
