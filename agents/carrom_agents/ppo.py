"""Proximal policy optimisation as pure functions.

Time is the first axis and the environments the second: [T, B]. Sources: Schulman et al. 2016
(generalised advantage estimation, https://arxiv.org/abs/1506.02438) and 2017 (the clipped
objective, https://arxiv.org/abs/1707.06347).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import optax
from flax import struct

from carrom_agents.distributions import Action, Distribution

Parameters: TypeAlias = Any
Metrics: TypeAlias = dict[str, jax.Array]


@struct.dataclass
class Rollout:
    """What happened in T steps of B environments.

    Attributes:
        inputs: pytree [T, B, ...]: what the network saw when it decided.
        action: pytree [T, B, ...], as drawn from the policy.
        log_prob: [T, B], of those actions under the policy that drew them.
        value: [T, B], V of the position before the action.
        next_value: [T, B], V of the position after it: of the final one where the episode
            was truncated, of anything where it terminated.
        reward: [T, B].
        terminated: bool [T, B], the episode came to its end.
        truncated: bool [T, B], it was cut off.
        valid: bool [T, B], false for steps in which nothing was decided, such as those that
            reset the environment (autoreset mode NEXT_STEP), and for those whose outcome is
            not known yet.
    """

    inputs: Any
    action: Action
    log_prob: jax.Array
    value: jax.Array
    next_value: jax.Array
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    valid: jax.Array


@struct.dataclass
class Batch:
    """Independent samples [N, ...] for the loss; the fields are those of ``Rollout``."""

    inputs: Any
    action: Action
    log_prob: jax.Array
    advantage: jax.Array
    target: jax.Array
    valid: jax.Array


class Evaluation(NamedTuple):
    """The network's opinion on a batch: policy and values of batch shape [N]."""

    policy: Distribution
    value: jax.Array


Apply: TypeAlias = Callable[[Parameters, Any], Evaluation]
"""The network as a function of its parameters and inputs."""


@struct.dataclass
class Learner:
    """Everything that learning changes.

    Attributes:
        params: of the network.
        optimiser: state of the optimiser.
        skipped: int, minibatches passed over because the loss or gradient was not finite.
    """

    params: Parameters
    optimiser: optax.OptState
    skipped: jax.Array


@struct.dataclass
class Skipped:
    """The first minibatch of an update that was passed over, to be shown to somebody.

    Attributes:
        found: bool (), whether there was one; the rest means nothing if not.
        epoch: int32 (), of which pass over the samples it was a part.
        minibatch: int32 (), which part.
        loss: (), of it.
        gradient_norm: ().
        batch: [N], its samples.
    """

    found: jax.Array
    epoch: jax.Array
    minibatch: jax.Array
    loss: jax.Array
    gradient_norm: jax.Array
    batch: Batch


def advantages(
    *,
    reward: jax.Array,
    value: jax.Array,
    next_value: jax.Array,
    terminated: jax.Array,
    truncated: jax.Array,
    valid: jax.Array,
    discount: float,
    trace: float,
) -> jax.Array:
    """Generalised advantage estimates.

    A_t = delta_t + discount trace A_(t+1), where delta_t = r_t + discount V_(t+1) - V_t. At a
    termination nothing follows, so V_(t+1) counts as zero; at a truncation it counts, being
    the value of the position that was cut off. At neither does A_(t+1) count, which belongs
    to another episode. Steps that are not valid are passed over, as if they were not there.

    Args:
        reward: [T, B].
        value: [T, B], V_t.
        next_value: [T, B], V_(t+1), see ``Rollout``.
        terminated: bool [T, B].
        truncated: bool [T, B].
        valid: bool [T, B].
        discount: gamma.
        trace: lambda.

    Returns:
        [T, B], zero where not valid; the return that the critic should learn is this plus
        ``value``.
    """
    following = jnp.where(terminated, 0.0, next_value)
    delta = reward + discount * following - value
    over = terminated | truncated

    def step(later: jax.Array, now: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        delta, over, valid = now
        # A choice, not a product with zero, which would pass on what is not finite.
        advantage = delta + jnp.where(over, 0.0, discount * trace * later)
        return jnp.where(valid, advantage, later), jnp.where(valid, advantage, 0.0)

    _, result = jax.lax.scan(step, jnp.zeros_like(delta[0]), (delta, over, valid), reverse=True)
    return result


def samples_of(rollout: Rollout, *, discount: float, trace: float) -> Batch:
    """The steps of a rollout [T, B] as independent samples [T B], invalid ones included."""
    advantage = advantages(
        reward=rollout.reward,
        value=rollout.value,
        next_value=rollout.next_value,
        terminated=rollout.terminated,
        truncated=rollout.truncated,
        valid=rollout.valid,
        discount=discount,
        trace=trace,
    )
    samples = Batch(
        inputs=rollout.inputs,
        action=rollout.action,
        log_prob=rollout.log_prob,
        advantage=advantage,
        target=advantage + rollout.value,
        valid=rollout.valid,
    )
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), samples)


def choose(samples: Batch, key: jax.Array, count: int) -> Batch:
    """``count`` of the samples [N], at random, and invalid ones only where valid ones lack."""
    rank = jnp.where(samples.valid, jax.random.uniform(key, samples.valid.shape), 2.0)
    index = jnp.argsort(rank)[:count]
    return jax.tree.map(lambda leaf: leaf[index], samples)


def masked_mean(values: jax.Array, valid: jax.Array) -> jax.Array:
    """Mean of the values that count; zero if none does."""
    return jnp.sum(jnp.where(valid, values, 0.0)) / jnp.maximum(jnp.sum(valid), 1)


def normalise(advantage: jax.Array, valid: jax.Array) -> jax.Array:
    """Shift and scale [N] to mean zero and standard deviation one over the valid ones."""
    centred = advantage - masked_mean(advantage, valid)
    return centred / (jnp.sqrt(masked_mean(centred**2, valid)) + 1e-8)


def explained_variance(prediction: jax.Array, target: jax.Array, valid: jax.Array) -> jax.Array:
    """1 - Var(target - prediction) / Var(target): 1 is perfect, 0 no better than the mean."""

    def variance(values: jax.Array) -> jax.Array:
        return masked_mean((values - masked_mean(values, valid)) ** 2, valid)

    return 1 - variance(target - prediction) / (variance(target) + 1e-8)


def loss(
    params: Parameters,
    batch: Batch,
    *,
    apply: Apply,
    count: jax.Array,
    clip: float,
    value_coefficient: float,
    entropy_coefficient: jax.Array | float,
) -> tuple[jax.Array, Metrics]:
    """The clipped surrogate loss of samples whose advantages are normalised.

    Args:
        params: of the network.
        batch: a minibatch, or a part of one.
        apply: the network.
        count: valid samples in the whole minibatch: all means are taken over these, so that
            those of its parts add up.
        clip: largest useful deviation of the probability ratio from one.
        value_coefficient: weight of the value loss.
        entropy_coefficient: weight of the entropy.

    Returns:
        The loss to minimise, and its parts: losses, entropy, approximate KL divergence of the
        new policy from the old (mean of r - 1 - log r, Schulman 2020,
        http://joschu.net/blog/kl-approx.html) and the share of clipped ratios.
    """

    def mean(values: jax.Array) -> jax.Array:
        return jnp.sum(jnp.where(batch.valid, values, 0.0)) / jnp.maximum(count, 1)

    policy, value = apply(params, batch.inputs)
    log_ratio = policy.log_prob(batch.action) - batch.log_prob
    ratio = jnp.exp(log_ratio)
    clipped = jnp.clip(ratio, 1 - clip, 1 + clip)
    policy_loss = -mean(jnp.minimum(ratio * batch.advantage, clipped * batch.advantage))
    value_loss = 0.5 * mean((value - batch.target) ** 2)
    entropy = mean(policy.entropy())
    total = policy_loss + value_coefficient * value_loss - entropy_coefficient * entropy
    return total, {
        "loss": total,
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approximate_kl": mean(ratio - 1 - log_ratio),
        "clip_fraction": mean(jnp.abs(ratio - 1) > clip),
    }


Summed: TypeAlias = Callable[[Parameters, Batch, jax.Array], tuple[Parameters, Metrics]]
"""Gradient and metrics of the loss, summed over samples, of parameters, samples and how many
valid ones there are in all: what is summed over some samples and over the others adds up."""


def gradient(
    params: Parameters,
    batch: Batch,
    *,
    at_once: int,
    share_out: Callable[[Summed], Summed],
    **coefficients: Any,
) -> tuple[Parameters, Metrics]:
    """The gradient of the loss of a minibatch, whose advantages are normalised first.

    Args:
        params: of the network.
        batch: a minibatch [N].
        at_once: samples differentiated at a time, if that divides them; otherwise all. On a
            processor what the network computes on the way has to stay in its caches (measured:
            32 at once take 0.4 times as long as 256).
        share_out: makes of a sum over samples one over the samples of several devices.
        **coefficients: of ``loss``.

    Returns:
        The gradient, and the metrics of ``loss``.
    """

    def summed(params: Parameters, batch: Batch, count: jax.Array) -> tuple[Parameters, Metrics]:
        of_part = jax.grad(functools.partial(loss, count=count, **coefficients), has_aux=True)
        size = batch.valid.size
        if size <= at_once or size % at_once:
            return of_part(params, batch)
        parts = jax.tree.map(lambda leaf: leaf.reshape(-1, at_once, *leaf.shape[1:]), batch)

        def add(total: Any, part: Batch) -> tuple[Any, None]:
            return jax.tree.map(jnp.add, total, of_part(params, part)), None

        shapes = jax.eval_shape(of_part, params, batch)
        nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
        return jax.lax.scan(add, nothing, parts)[0]

    batch = dataclasses.replace(batch, advantage=normalise(batch.advantage, batch.valid))
    return share_out(summed)(params, batch, jnp.sum(batch.valid))


def on_one_device(summed: Summed) -> Summed:
    """The sum as it is: what is shared out among one device."""
    return summed


def update(
    learner: Learner,
    samples: Batch,
    key: jax.Array,
    *,
    learning_rate: jax.Array,
    entropy_coefficient: jax.Array,
    apply: Apply,
    optimiser: optax.GradientTransformation,
    clip: float,
    value_coefficient: float,
    epochs: int,
    minibatches: int,
    target_kl: float | None,
    at_once: int,
    share_out: Callable[[Summed], Summed] = on_one_device,
) -> tuple[Learner, Metrics, Skipped]:
    """Learn from the samples of one rollout.

    A minibatch whose loss or gradient is not finite changes nothing and is counted. Once a
    pass over the samples finds a mean approximate KL divergence above ``target_kl``, the
    passes after it change nothing either.

    Args:
        learner: as it was when, or before, the rollout was collected.
        samples: [N], with N a multiple of ``minibatches``.
        key: draws the minibatches.
        learning_rate: scalar; an array, as the next one, so that it can be annealed without
            compiling again.
        entropy_coefficient: scalar.
        apply: the network.
        optimiser: what ``learner.optimiser`` is the state of; it gives the direction of a
            step, uphill, and ``learning_rate`` its length.
        clip: largest useful deviation of the probability ratio from one.
        value_coefficient: weight of the value loss.
        epochs: passes over the samples.
        minibatches: parts of the samples in each pass.
        target_kl: None never stops early.
        at_once: see ``gradient``.
        share_out: see ``gradient``.

    Returns:
        The new learner; metrics, which are means over the minibatches that were learnt from;
        and the first minibatch that was passed over, if any was.
    """
    keys = jax.random.split(key, epochs)

    def parts(key: jax.Array) -> jax.Array:
        """The samples' numbers in each of the minibatches of a pass."""
        return jax.random.permutation(key, samples.valid.size).reshape(minibatches, -1)

    def part(index: jax.Array) -> Batch:
        return jax.tree.map(lambda leaf: leaf[index], samples)

    def learn(learner: Learner, batch: Batch) -> tuple[Learner, dict[str, Any]]:
        grads, metrics = gradient(
            learner.params,
            batch,
            at_once=at_once,
            share_out=share_out,
            apply=apply,
            clip=clip,
            value_coefficient=value_coefficient,
            entropy_coefficient=entropy_coefficient,
        )
        norm = optax.tree.norm(grads)
        changes, state = optimiser.update(grads, learner.optimiser, learner.params)
        params = jax.tree.map(lambda p, d: p - learning_rate * d, learner.params, changes)
        sound = jnp.isfinite(metrics["loss"]) & jnp.isfinite(norm)
        new = Learner(params, state, learner.skipped)
        old = dataclasses.replace(learner, skipped=learner.skipped + 1)
        learner = jax.tree.map(lambda a, b: jnp.where(sound, a, b), new, old)
        metrics = metrics | {"gradient_norm": norm}
        seen = {"raw": (~sound, metrics["loss"], norm)}
        metrics = {name: jnp.where(sound, value, 0.0) for name, value in metrics.items()}
        return learner, metrics | seen | {"learnt": sound.astype(jnp.float32)}

    def epoch(
        state: tuple[Learner, jax.Array], key: jax.Array
    ) -> tuple[tuple[Learner, jax.Array], dict[str, Any]]:
        learner, stopped = state

        def run(learner: Learner) -> tuple[Learner, dict[str, Any]]:
            def minibatch(learner: Learner, index: jax.Array) -> tuple[Learner, dict[str, Any]]:
                return learn(learner, part(index))

            return jax.lax.scan(minibatch, learner, parts(key))

        def rest(learner: Learner) -> tuple[Learner, dict[str, Any]]:
            _, metrics = jax.eval_shape(run, learner)
            return learner, jax.tree.map(lambda m: jnp.zeros(m.shape, m.dtype), metrics)

        learner, metrics = jax.lax.cond(stopped, rest, run, learner)
        if target_kl is not None:
            divergence = jnp.sum(metrics["approximate_kl"]) / jnp.maximum(
                jnp.sum(metrics["learnt"]), 1
            )
            stopped = stopped | (divergence > target_kl)
        return (learner, stopped), metrics

    (learner, _), metrics = jax.lax.scan(epoch, (learner, jnp.array(False)), keys)
    skipped, losses, norms = (leaf.reshape(-1) for leaf in metrics.pop("raw"))
    first = jnp.argmax(skipped).astype(jnp.int32)
    pass_, place = jnp.divmod(first, minibatches)
    shown = Skipped(
        found=skipped[first],
        epoch=pass_,
        minibatch=place,
        loss=losses[first],
        gradient_norm=norms[first],
        batch=part(parts(keys[pass_])[place]),
    )
    learnt = jnp.sum(metrics.pop("learnt"))
    summary = {name: jnp.sum(value) / jnp.maximum(learnt, 1) for name, value in metrics.items()}
    value = samples.target - samples.advantage
    summary["explained_variance"] = explained_variance(value, samples.target, samples.valid)
    summary["minibatches_learnt"] = learnt
    summary["minibatches_skipped"] = learner.skipped
    return learner, summary, shown
