"""Rollouts on the device: every decision once, with what followed it."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_functional import SEAT, THEIR_REWARD, ToyFunctional

from carrom_agents.agent import Agent, new_statistics, scale_of
from carrom_agents.config import SELF
from carrom_agents.device.rivals import find_rival
from carrom_agents.device.rollout import begin, collect
from carrom_agents.device.transitions import Followed, followed

# Compiling is most of what this takes, and what is compared is compiled alike.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")

BOARDS, STEPS, ROLLOUTS = 24, 10, 6
compiled = jax.jit(followed)


def slowly(decided, value, reward, terminated, truncated, final_value) -> list[dict]:
    """Walk on from each decision to the next one or to the end of the episode."""
    steps = len(decided)
    found = []
    for t, b in np.argwhere(decided):
        total = 0.0
        result = {"complete": False}
        for k in range(t, steps):
            if k > t and decided[k, b]:
                result = {"complete": True, "next_value": value[k, b], "ends": (False, False)}
                break
            total += reward[k, b]
            if terminated[k, b] or truncated[k, b]:
                ends = (terminated[k, b], truncated[k, b])
                result = {"complete": True, "next_value": final_value[k, b], "ends": ends}
                break
        found.append({"at": (t, b), "reward": total, **result})
    return found


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), own=st.floats(0, 1), ends=st.floats(0, 1))
def test_what_followed_a_decision(seed, own, ends):
    rng = np.random.default_rng(seed)
    shape = (7, 5)
    decided, over, cut = rng.random(shape) < own, rng.random(shape) < ends, rng.random(shape) < 0.5
    value, reward, final = rng.normal(size=(3, *shape)).astype(np.float32)
    steps = {
        "decided": decided,
        "value": value,
        "reward": reward,
        "terminated": over & ~cut,
        "truncated": over & cut,
        "final_value": final,
    }
    found: Followed = jax.device_get(compiled(**steps))
    for expected in slowly(**steps):
        at = expected["at"]
        assert found.complete[at] == expected["complete"]
        assert found.reward[at] == pytest.approx(expected["reward"], abs=1e-5)
        if expected["complete"]:
            assert (found.terminated[at], found.truncated[at]) == expected["ends"]
            assert found.next_value[at] == expected["next_value"]


@pytest.fixture(scope="module")
def agent(toy_agent: Agent) -> Agent:
    return toy_agent


@pytest.fixture(scope="module", params=[False, True], ids=["singles", "doubles"])
def played(request: pytest.FixtureRequest, agent: Agent, toy_config):
    """Some rollouts after one another, with the same parameters throughout."""
    env = ToyFunctional("board", doubles=request.param)
    rival = find_rival(SELF, toy_config)
    params, scale = agent.init(jax.random.key(3)), scale_of(new_statistics())
    numbers = np.arange(BOARDS, dtype=np.int32)
    boards = jax.jit(lambda key: begin(env, agent, rival, (), numbers, key))(jax.random.key(1))  # type: ignore[arg-type]
    play = jax.jit(
        lambda boards, key: collect(
            env,  # type: ignore[arg-type]
            agent,
            rival,
            params,
            scale,
            (),
            boards,
            key,
            STEPS,
            at_once=16,
        )
    )
    rollouts, tallies = [], []
    for key in jax.random.split(jax.random.key(2), ROLLOUTS):
        boards, rollout, tally, _ = play(boards, key)
        rollouts.append(jax.device_get(rollout))
        tallies.append(jax.device_get(tally))
    return params, rollouts, tallies, jax.device_get(boards.pending)


def test_every_decision_is_learnt_from_once(played):
    _, rollouts, tallies, pending = played
    decided = sum(int(tally.decided.sum()) for tally in tallies)
    learnt = sum(int(rollout.valid.sum()) for rollout in rollouts)
    assert learnt + int(pending.decided.sum()) == decided
    assert 0 < int(pending.decided.sum()) <= BOARDS
    # What was left over by one rollout begins the next one.
    assert any(rollout.valid[0].any() for rollout in rollouts[1:])


def test_every_reward_after_a_decision_belongs_to_it(played):
    _, rollouts, tallies, pending = played
    reward = np.concatenate([tally.reward for tally in tallies])
    decided = np.concatenate([tally.decided for tally in tallies])
    over = np.concatenate([tally.over for tally in tallies])
    begun, expected = np.zeros(BOARDS, bool), np.zeros(BOARDS)
    for step in range(len(reward)):
        begun |= decided[step]
        expected += np.where(begun, reward[step], 0)
        begun &= ~over[step]
    got = sum(np.where(rollout.valid, rollout.reward, 0).sum(axis=0) for rollout in rollouts)
    got = got + np.where(pending.decided, pending.reward, 0)
    np.testing.assert_allclose(got, expected, atol=1e-4)
    # The others' strokes are among them.
    assert np.isclose(reward[~decided], THEIR_REWARD).all()


def test_the_return_of_an_episode_is_the_sum_of_its_rewards(played):
    _, _, tallies, _ = played
    sums = np.zeros(BOARDS)
    for tally in tallies:
        for reward, over, earned in zip(tally.reward, tally.over, tally.earned, strict=True):
            sums += reward
            np.testing.assert_allclose(earned[over], sums[over], atol=1e-5)
            sums[over] = 0


@pytest.mark.parametrize("played", [True], indirect=True, ids=["doubles"])
def test_both_seats_of_a_pair_decide_by_what_each_sees(played):
    _, _, tallies, _ = played
    own = np.concatenate([tally.seen[..., SEAT][tally.decided] for tally in tallies])
    others = np.concatenate([tally.seen[..., SEAT][~tally.decided] for tally in tallies])
    assert set(own) == {0, 2}
    assert set(others) == {1, 3}


def test_values_and_probabilities_are_the_networks(played, agent):
    params, rollouts, _, _ = played
    for rollout in rollouts:
        policy, value = agent.evaluate(params, agent.network.inputs(rollout.inputs))
        log_prob = np.asarray(policy.log_prob(rollout.action))
        valid = rollout.valid
        np.testing.assert_allclose(rollout.value[valid], np.asarray(value)[valid], atol=1e-5)
        np.testing.assert_allclose(rollout.log_prob[valid], log_prob[valid], rtol=1e-4, atol=1e-4)
    # At a decision that goes on, the next value is that of the next decision on the board.
    rollout = rollouts[0]
    going_on = rollout.valid & ~rollout.terminated & ~rollout.truncated
    for t, b in np.argwhere(going_on):
        after = np.flatnonzero(rollout.valid[t + 1 :, b])
        if len(after):
            assert rollout.next_value[t, b] == rollout.value[t + 1 + after[0], b]


def test_a_truncation_is_valued_by_the_position_that_was_cut_off(played, agent):
    params, rollouts, tallies, _ = played
    compared = 0
    for rollout, tally in zip(rollouts, tallies, strict=True):
        for t, b in np.argwhere(rollout.truncated[1:] & tally.decided & tally.over):
            final = tally.seen[t, b].copy()
            pieces = final[:9].reshape(3, 3)
            pieces[:, :2] = np.roll(pieces[:, :2], 1, axis=0)
            final[60], final[SEAT] = pieces[0, 0], 0
            scale = scale_of(new_statistics())
            expected = agent.value(params, scale, np.tile(final, (16, 1)))[0]
            assert rollout.next_value[t + 1, b] == pytest.approx(float(expected), abs=1e-5)
            compared += 1
    assert compared > 10
