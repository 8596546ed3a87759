"""Advantages, loss and update against references that are slow, or worked by hand."""

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom_agents import ppo
from carrom_agents.distributions import DiagonalGaussian


class Case(NamedTuple):
    reward: np.ndarray
    value: np.ndarray
    next_value: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    valid: np.ndarray


def slow_advantages(case: Case, discount: float, trace: float) -> np.ndarray:
    """Straight from the definition: the discounted sum of deltas up to the episode's end."""
    steps, envs = case.reward.shape
    result = np.zeros((steps, envs))
    for b in range(envs):
        for t in range(steps):
            weight = 1.0 if case.valid[t, b] else 0.0
            for k in range(t, steps):
                if not case.valid[k, b]:
                    continue
                follows = 0.0 if case.terminated[k, b] else case.next_value[k, b]
                delta = case.reward[k, b] + discount * follows - case.value[k, b]
                result[t, b] += weight * delta
                weight *= discount * trace
                if case.terminated[k, b] or case.truncated[k, b]:
                    break
    return result


compiled_advantages = jax.jit(ppo.advantages)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    ends=st.floats(0, 1),
    discount=st.floats(0, 1),
    trace=st.floats(0, 1),
)
def test_advantages_match_the_definition(seed, ends, discount, trace):
    rng = np.random.default_rng(seed)
    shape = (6, 4)  # One shape, so that the compiled function is found again.
    over = rng.random(shape) < ends
    cut_off = rng.random(shape) < 0.5
    numbers = rng.normal(size=(3, *shape)).astype(np.float32)
    reward, value, next_value = numbers
    valid = rng.random(shape) < 0.7
    case = Case(reward, value, next_value, over & ~cut_off, over & cut_off, valid)
    fast = compiled_advantages(**case._asdict(), discount=discount, trace=trace)
    np.testing.assert_allclose(fast, slow_advantages(case, discount, trace), rtol=1e-4, atol=1e-4)


def test_advantages_worked_by_hand():
    # One environment, discount 1/2, trace 1/2: truncated at step 1, terminated at step 3.
    # 8 is V of the position at which the episode was cut off.
    reward, value, next_value = jnp.array(
        [[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], [20.0, 8.0, 40.0, 99.0]]
    )[..., None]
    terminated, truncated = jnp.array([[0, 0, 0, 1], [0, 1, 0, 0]], bool)[..., None]
    result = ppo.advantages(
        reward=reward,
        value=value,
        next_value=next_value,
        terminated=terminated,
        truncated=truncated,
        valid=jnp.ones_like(truncated),
        discount=0.5,
        trace=0.5,
    )
    # Step 3: 4 - 40 = -36. Step 2: 3 + 20 - 30 - 36 / 4 = -16.
    # Step 1: 2 + 4 - 20 = -14. Step 0: 1 + 10 - 10 - 14 / 4 = -2.5.
    np.testing.assert_allclose(result[:, 0], [-2.5, -14, -16, -36])


def test_explained_variance_counts_only_what_is_valid():
    target = jnp.array([1.0, 2.0, 4.0, 1e6])
    valid = jnp.array([True, True, True, False])
    assert ppo.explained_variance(target, target, valid) == pytest.approx(1)
    assert ppo.explained_variance(jnp.zeros(4), target, valid) == pytest.approx(0, abs=1e-6)
    # Residuals (1, 0, -1) of variance 2/3 against targets of variance 14/9.
    guess = target - jnp.array([1.0, 0.0, -1.0, 0.0])
    assert ppo.explained_variance(guess, target, valid) == pytest.approx(1 - (2 / 3) / (14 / 9))


def linear(params, inputs):
    """A network small enough to differentiate on paper: mean w x, value v x, variance 1."""
    mean = (params["w"] * inputs)[..., None]
    policy = DiagonalGaussian(mean, jnp.zeros((1,)))
    return ppo.Evaluation(policy, params["v"] * inputs)


PARAMS = {"w": jnp.array(0.5), "v": jnp.array(0.25)}


def rollout(steps: int = 8, envs: int = 4, seed: int = 0) -> ppo.Rollout:
    rng = np.random.default_rng(seed)
    inputs = jnp.asarray(rng.normal(size=(steps, envs)), jnp.float32)
    policy, value = linear(PARAMS, inputs)
    action = policy.sample(jax.random.key(seed))
    return ppo.Rollout(
        inputs=inputs,
        action=action,
        log_prob=policy.log_prob(action),
        value=value,
        next_value=jnp.zeros((steps, envs)),
        reward=jnp.asarray(rng.normal(size=(steps, envs)), jnp.float32),
        terminated=jnp.ones((steps, envs), bool),
        truncated=jnp.zeros((steps, envs), bool),
        valid=jnp.ones((steps, envs), bool),
    )


def batch_of(record: ppo.Rollout) -> ppo.Batch:
    advantage = record.reward - record.value
    fields = (record.inputs, record.action, record.log_prob, advantage, record.reward)
    flat = [leaf.reshape(-1, *leaf.shape[2:]) for leaf in (*fields, record.valid)]
    return ppo.Batch(*flat)


def gradient_of(batch: ppo.Batch, at_once: int = 1000, value_coefficient: float = 0.5):
    return ppo.gradient(
        PARAMS,
        batch,
        at_once=at_once,
        share_out=ppo.on_one_device,
        apply=linear,
        clip=0.2,
        value_coefficient=value_coefficient,
        entropy_coefficient=0.01,
    )


def test_the_gradient_in_parts_is_the_gradient():
    batch = batch_of(rollout())
    batch = dataclasses.replace(batch, valid=jnp.arange(batch.valid.size) % 5 > 1)
    whole, parts = gradient_of(batch), gradient_of(batch, at_once=4)
    for one, two in zip(jax.tree.leaves(whole), jax.tree.leaves(parts), strict=True):
        assert float(one) == pytest.approx(float(two), rel=1e-4, abs=1e-6)


def test_gradient_at_the_old_policy_is_the_policy_gradient():
    batch = batch_of(rollout())
    gradient, metrics = gradient_of(batch)
    # d log N(a; w x, 1) / dw = (a - w x) x; all ratios are one, so nothing is clipped.
    x, a, advantage, target = (
        np.asarray(leaf, np.float64)
        for leaf in (batch.inputs, batch.action[:, 0], batch.advantage, batch.target)
    )
    standard = (advantage - advantage.mean()) / advantage.std()
    assert gradient["w"] == pytest.approx(-np.mean(standard * (a - 0.5 * x) * x), rel=1e-4)
    assert gradient["v"] == pytest.approx(0.5 * np.mean((0.25 * x - target) * x), rel=1e-4)
    assert metrics["approximate_kl"] == pytest.approx(0, abs=1e-6)
    assert metrics["clip_fraction"] == 0


def test_ratio_beyond_the_clip_earns_nothing_more():
    batch = batch_of(rollout())
    # The old policy found every action three times less probable: all ratios are 3. Where the
    # advantage is positive the clipped term, 1.2 times it, is the smaller one.
    batch = dataclasses.replace(batch, log_prob=batch.log_prob - np.log(3))
    _, metrics = gradient_of(batch, value_coefficient=0.0)
    advantage = np.asarray(batch.advantage, np.float64)
    standard = (advantage - advantage.mean()) / advantage.std()
    expected = -np.mean(np.where(standard > 0, 1.2 * standard, 3 * standard))
    assert metrics["policy_loss"] == pytest.approx(expected, rel=1e-4)
    assert metrics["clip_fraction"] == 1
    assert metrics["approximate_kl"] == pytest.approx(2 - np.log(3), rel=1e-4)


OPTIMISER = optax.scale_by_adam()


@functools.cache
def compiled_update(epochs: int, target_kl: float | None):
    update = functools.partial(
        ppo.update,
        apply=linear,
        optimiser=OPTIMISER,
        clip=0.2,
        value_coefficient=0.5,
        epochs=epochs,
        minibatches=4,
        target_kl=target_kl,
        at_once=4,
    )
    return jax.jit(
        lambda learner, record, key, **rates: update(
            learner, ppo.samples_of(record, discount=0.9, trace=0.8), key, **rates
        )
    )


def learn(
    record: ppo.Rollout, epochs: int = 3, target_kl: float | None = None
) -> tuple[ppo.Learner, ppo.Metrics]:
    learner = ppo.Learner(PARAMS, OPTIMISER.init(PARAMS), jnp.zeros((), jnp.int32))
    update = compiled_update(epochs, target_kl)
    coefficients = {"learning_rate": jnp.array(0.01), "entropy_coefficient": jnp.array(0.01)}
    return update(learner, record, jax.random.key(0), **coefficients)[:2]


def test_samples_are_chosen_at_random_and_invalid_ones_only_for_want_of_valid_ones():
    record = rollout()
    valid = np.arange(record.valid.size) % 4 > 0  # 24 of 32
    samples = dataclasses.replace(batch_of(record), valid=jnp.asarray(valid))
    choose = jax.jit(ppo.choose, static_argnames="count")
    few = [choose(samples, jax.random.key(seed), count=16) for seed in range(40)]
    assert all(batch.valid.all() for batch in few)
    inputs = [set(np.asarray(batch.inputs).tolist()) for batch in few]
    assert all(len(chosen) == 16 for chosen in inputs)
    assert set.union(*inputs) == set(np.asarray(samples.inputs)[valid].tolist())
    many = choose(samples, jax.random.key(0), count=28)
    assert many.valid[:24].all()
    assert not many.valid[24:].any()
    assert set(np.asarray(many.inputs).tolist()) <= set(np.asarray(samples.inputs).tolist())


def test_what_is_not_valid_is_not_learnt_from():
    record = rollout()
    valid = np.arange(record.valid.size).reshape(record.valid.shape) % 3 > 0
    poisoned = jnp.where(valid, record.reward, 1e6)
    one, _ = learn(dataclasses.replace(record, valid=jnp.asarray(valid)))
    two, _ = learn(dataclasses.replace(record, valid=jnp.asarray(valid), reward=poisoned))
    # Every step is an episode of its own here, so a reward reaches no other step.
    assert jax.tree.map(float, one.params) == jax.tree.map(float, two.params)
    assert float(one.params["w"]) != float(PARAMS["w"])


@pytest.mark.parametrize("field", ["reward", "inputs", "log_prob"])
def test_what_is_not_finite_is_skipped_and_counted(field):
    record = rollout()
    poisoned = getattr(record, field).at[3, 1].set(jnp.nan)
    learner, metrics = learn(dataclasses.replace(record, **{field: poisoned}))
    assert all(np.isfinite(leaf) for leaf in jax.tree.leaves((learner.params, learner.optimiser)))
    # One of four minibatches holds the poison in each of three passes.
    assert int(learner.skipped) == int(metrics["minibatches_skipped"]) == 3
    assert metrics["minibatches_learnt"] == 9
    assert float(learner.params["w"]) != float(PARAMS["w"])
    assert np.isfinite(metrics["loss"])


def test_nothing_finite_changes_nothing():
    record = rollout()
    learner, metrics = learn(dataclasses.replace(record, reward=record.reward * jnp.nan))
    assert learner.params == PARAMS
    assert int(learner.skipped) == 12
    assert metrics["loss"] == 0


def test_divergence_beyond_the_target_ends_the_update():
    _, long = learn(rollout())
    stopped, short = learn(rollout(), target_kl=1e-12)
    assert long["minibatches_learnt"] == 12
    assert short["minibatches_learnt"] == 4
    once, _ = learn(rollout(), epochs=1)
    # The keys of the passes depend on their number, so only the amount is comparable.
    steps = [optax.tree.get(learner.optimiser, "count") for learner in (stopped, once)]
    assert steps == [4, 4]
