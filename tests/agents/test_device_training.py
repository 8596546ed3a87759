"""Training on the device, on a toy whose optimum is known."""

import dataclasses
import os
import subprocess
import sys

import chex
import jax
import numpy as np
import pytest
from toy_functional import ToyFunctional

from carrom.errors import ConfigError
from carrom_agents.agent import Agent, scale_of
from carrom_agents.config import SELF, EnvConfig, ExperimentConfig, LoggingConfig
from carrom_agents.device.rivals import find_rival
from carrom_agents.device.training import Game, learn_on_device
from carrom_agents.distributions import ChoiceWithResidual
from carrom_agents.learning import Progress, TrainingState, initial_state, unchanged
from haste import XLA_FLAGS_IN_HASTE

# Compiling is most of what this takes, and what is compared is compiled alike.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")


def traced_once(function):
    return chex.assert_max_traces(function, n=1)


def game(config: ExperimentConfig, task: str) -> Game:
    return Game(ToyFunctional(task), find_rival(SELF, config), None)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def config(toy_config: ExperimentConfig) -> ExperimentConfig:
    return dataclasses.replace(toy_config, env=EnvConfig(physics="planar", num_envs=16))


@pytest.fixture(scope="module")
def short(config: ExperimentConfig) -> ExperimentConfig:
    return dataclasses.replace(
        config,
        total_strokes=4 * config.rollout_strokes,
        logging=LoggingConfig(checkpoint_every_updates=2),
    )


@pytest.fixture(scope="module")
def run(toy_agent: Agent, config):
    played = game(config, "board")

    def go(config: ExperimentConfig, *states: TrainingState):
        told: list[list[Progress]] = [[] for _ in range(max(len(states), 1))]
        states = states or (initial_state(config, toy_agent),)
        # All single runs of this file together must not trace the program twice.
        wrap = traced_once if len(states) == 1 else unchanged
        ends = learn_on_device(
            config,
            toy_agent,
            played,
            states,
            lambda index, progress: told[index].append(progress),
            wrap=wrap,
        )
        return ends, told

    return go


def without_timings(told: list[Progress]) -> list[dict[str, float]]:
    return [
        {name: value for name, value in progress.metrics.items() if not name.startswith("time/")}
        for progress in told
    ]


def leaves(state: TrainingState) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves((state.learner, vars(state.statistics)))]


def test_the_known_optimum_is_learnt(toy_agent, config):
    told: list[Progress] = []
    learn_on_device(
        config,
        toy_agent,
        game(config, "shot"),
        [initial_state(config, toy_agent)],
        lambda _, progress: told.append(progress),
    )
    rewards = [progress.metrics["reward"] for progress in told]
    # Uniform shots with the speed residual at 0 earn 1/12 - 1/2; the optimum is 1, less what
    # exploring the speed costs.
    assert np.mean(rewards[:2]) < -0.3
    assert np.mean(rewards[-5:]) > 0.7


def test_the_same_seed_gives_the_same_bits_and_one_trace(run, short):
    (one,), (first,) = run(short)
    (two,), (second,) = run(short)
    assert without_timings(first) == without_timings(second)
    for a, b in zip(leaves(one), leaves(two), strict=True):
        np.testing.assert_array_equal(a, b)


def test_going_on_from_a_checkpoint_gives_the_same_bits(run, short):
    (whole,), (told,) = run(short)
    assert [progress.state.update for progress in told] == [1, 2, 3, 4]
    (resumed,), (again,) = run(short, told[1].state)
    assert without_timings(again) == without_timings(told[2:])
    for a, b in zip(leaves(whole), leaves(resumed), strict=True):
        np.testing.assert_array_equal(a, b)


def opinions(agent: Agent, state: TrainingState) -> list[np.ndarray]:
    """What the network says: some parameters change nothing, and are moved by rounding alone."""
    pieces = np.random.default_rng(0).uniform(-0.3, 0.3, (16, 74)).astype(np.float32)
    pieces[:, 2:57:3] = 1
    scale = scale_of(state.statistics)
    policy, value = agent.evaluate(state.learner.params, agent.network.inputs(scale(pieces)))
    assert isinstance(policy, ChoiceWithResidual)
    return [np.asarray(policy.choice.log_probabilities), np.asarray(value)]


def test_several_seeds_at_once_are_each_as_alone(toy_agent, run, short):
    brief = dataclasses.replace(short, total_strokes=2 * short.rollout_strokes)
    seeds = [dataclasses.replace(brief, seed=seed) for seed in (0, 1)]
    together, told = run(brief, *(initial_state(one, toy_agent) for one in seeds))
    assert [len(news) for news in told] == [2, 2]
    assert told[0][-1].metrics["reward"] != told[1][-1].metrics["reward"]
    for single, state, news in zip(seeds, together, told, strict=True):
        (alone,), (expected,) = run(single)
        for a, b in zip(opinions(toy_agent, alone), opinions(toy_agent, state), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3)
        for one, other in zip(without_timings(news), without_timings(expected), strict=True):
            assert one == pytest.approx(other, rel=2e-3, abs=2e-3)


_ON_DEVICES = """
import dataclasses
import numpy as np
import pytest
from toy_functional import ToyFunctional
import jax
from jax.sharding import Mesh
from carrom_agents.agent import Agent
from carrom_agents.config import EnvConfig, ExperimentConfig, NetworkConfig, PpoConfig
from test_device_training import opinions, without_timings
from carrom_agents.device.rivals import find_rival
from carrom_agents.device.training import Game, _mesh, learn_on_device
from carrom_agents.learning import initial_state

config = ExperimentConfig(
    total_strokes=2 * 256,
    env=EnvConfig(physics="planar", num_envs=16),
    network=NetworkConfig(width=16, place_width=8),
    ppo=PpoConfig(rollout_length=16, minibatches=2),
)
agent = Agent(config.network, "target")
results = []
for devices in (1, 4):
    config = dataclasses.replace(config, devices=devices)
    game = Game(ToyFunctional("board"), find_rival("self", config), _mesh(config))
    told = []
    (state,) = learn_on_device(
        config, agent, game, [initial_state(config, agent)], lambda _, p: told.append(p)
    )
    results.append((opinions(agent, state), without_timings(told)))
(one, first), (four, second) = results
for a, b in zip(one, four, strict=True):
    np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3)
for a, b in zip(first, second, strict=True):
    assert a == pytest.approx(b, rel=2e-3, abs=2e-3)
print("equal on", len(jax.devices()), "devices")
"""


def test_four_devices_give_what_one_gives():
    environment = os.environ | {
        "JAX_PLATFORMS": "cpu",
        # Compiling is most of what this takes, and here only equality counts.
        "XLA_FLAGS": f"--xla_force_host_platform_device_count=4 {XLA_FLAGS_IN_HASTE}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", _ON_DEVICES],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == "equal on 4 devices\n", done.stderr[-2000:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"opponent": "nobody"},
            r"env\.opponent = 'nobody'.*self, league or a run folder, and",
        ),
        ({"id": "Carom-v9"}, r"env\.id = 'Carom-v9'"),
        ({"noise": "drunk"}, "drunk"),
    ],
)
def test_a_game_that_cannot_be_is_a_clear_error(config, change, message):
    wrong = dataclasses.replace(config, env=dataclasses.replace(config.env, **change))
    with pytest.raises(ConfigError, match=message):
        Game.of(wrong)


def test_more_devices_than_there_are_is_a_clear_error(config):
    with pytest.raises(ConfigError, match=r"devices = 16: this machine has 1 \(cpu\)"):
        Game.of(dataclasses.replace(config, devices=16))
