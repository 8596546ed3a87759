"""Rollouts: the same advantages in every autoreset mode, and values where they belong."""

from collections.abc import Iterator

import jax
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from carrom.errors import ConfigError
from carrom_agents import ppo
from carrom_agents.agent import Agent, new_statistics, scale_of
from carrom_agents.rollout import Collector, Experience

ENVS = 16


@pytest.fixture(scope="module")
def agent(toy_agent: Agent) -> Agent:
    return toy_agent


@pytest.fixture(scope="module")
def params(agent: Agent) -> ppo.Parameters:
    return agent.init(jax.random.key(3))


@pytest.fixture(params=[AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def mode(request) -> AutoresetMode:
    return request.param


@pytest.fixture
def collect(agent, params, vector_of, corridor):
    def run(mode: AutoresetMode, steps: int) -> Experience:
        envs = vector_of(corridor, ENVS, mode)
        collector = Collector(envs, agent, steps, seed=11)
        return collector.collect(params, scale_of(new_statistics()), jax.random.key(0))

    return run


def rows(experience: Experience) -> Iterator[tuple]:
    """Per environment, the valid steps in order: place, reward, ends, advantage."""
    record = experience.rollout
    advantage = jax.jit(ppo.advantages)(
        reward=record.reward,
        value=record.value,
        next_value=record.next_value,
        terminated=record.terminated,
        truncated=record.truncated,
        valid=record.valid,
        discount=0.9,
        trace=0.7,
    )
    place = np.asarray(record.inputs.pieces)[:, :, 0, :2]
    for b in range(ENVS):
        valid = np.asarray(record.valid)[:, b]
        columns = (record.reward, record.terminated, record.truncated, advantage)
        yield place[valid, b], *(np.asarray(column)[valid, b] for column in columns)


def test_both_modes_give_the_same_steps_and_advantages(collect):
    same, following = (
        collect(mode, 60) for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)
    )
    assert np.asarray(same.rollout.valid).all()
    assert not np.asarray(following.rollout.valid).all()
    for one, two in zip(rows(same), rows(following), strict=True):
        ends = np.flatnonzero(one[2] | one[3])
        # Up to the last end that both modes have seen, nothing may differ.
        count = ends[ends < len(two[1])][-1] + 1
        for first, second in zip(one, two, strict=True):
            np.testing.assert_allclose(first[:count], second[:count], rtol=1e-5, atol=1e-6)
        assert one[2][:count].any()
        assert one[3][:count].any()


def test_a_truncation_is_valued_by_the_position_that_was_cut_off(collect, agent, params, mode):
    record = collect(mode, 40).rollout
    scale = scale_of(new_statistics())
    place = np.asarray(record.inputs.pieces)[:, :, 0, :2] * 0.3683
    cut = np.argwhere(np.asarray(record.truncated))
    assert len(cut) > 5
    for t, b in cut:
        final = np.zeros((ENVS, 74), np.float32)
        # The cut-off position is one step further in the same episode.
        final[:, :3] = place[t, b, 0], place[t, b, 1] + 0.05, 1
        expected = float(agent.value(params, scale, final)[0])
        assert float(record.next_value[t, b]) == pytest.approx(expected, abs=1e-5)


def test_within_an_episode_the_next_value_is_the_next_positions(collect, mode):
    record = collect(mode, 40).rollout
    going_on = (
        ~np.asarray(record.terminated | record.truncated)[:-1] & np.asarray(record.valid)[:-1]
    )
    np.testing.assert_array_equal(
        np.asarray(record.next_value)[:-1][going_on], np.asarray(record.value)[1:][going_on]
    )


def test_episode_returns_are_sums_of_rewards(collect, mode):
    experience = collect(mode, 60)
    expected = []
    for _, reward, terminated, truncated, _ in rows(experience):
        ends = np.flatnonzero(terminated | truncated)
        pieces = np.split(reward, ends + 1)[: len(ends)]
        expected += [piece.sum() for piece in pieces]
    assert sorted(experience.episode_returns) == pytest.approx(sorted(expected), abs=1e-5)


def test_only_positions_that_were_decided_in_are_normalised_by(collect, mode):
    experience = collect(mode, 30)
    assert len(experience.observations) == int(experience.rollout.valid.sum())


def test_recorded_probabilities_are_those_of_the_recorded_actions(collect, agent, params):
    record = collect(AutoresetMode.SAME_STEP, 10).rollout
    policy, value = agent.evaluate(params, record.inputs)
    np.testing.assert_allclose(
        policy.log_prob(record.action), record.log_prob, rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(value, record.value, rtol=1e-4, atol=1e-5)


def test_environments_that_do_not_reset_themselves_are_refused(agent, vector_of, corridor):
    envs = vector_of(corridor, 2, AutoresetMode.DISABLED)
    with pytest.raises(ConfigError, match=r"expected AutoresetMode\.SAME_STEP or NEXT_STEP"):
        Collector(envs, agent, 4, seed=0)
