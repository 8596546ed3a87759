"""The learning loop: collect, update, tell; nothing is read or written here."""

from __future__ import annotations

import dataclasses
import functools
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.typing import ArrayLike

from carrom.errors import Dump
from carrom_agents import ppo
from carrom_agents.agent import Agent, new_statistics, scale_of
from carrom_agents.config import LEAGUE, ExperimentConfig, PpoConfig
from carrom_agents.dumps import UpdateDump, stroke_name, update_name
from carrom_agents.league import League
from carrom_agents.normaliser import RunningStatistics
from carrom_agents.rollout import Collector

_AT_ONCE_ON_CPU = 32
"""Positions that the network goes through at a time: more do not fit a processor's caches."""

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclass(frozen=True, eq=False)
class TrainingState:
    """Everything that decides how a training goes on.

    Environments are no part of it: they are reset, with seeds that the update determines,
    wherever a checkpoint is due, whether or not the training was interrupted there.

    Attributes:
        learner: parameters, optimiser state, number of skipped minibatches.
        statistics: of the observations.
        update: updates done.
        league: that it plays in, if any.
    """

    learner: ppo.Learner
    statistics: RunningStatistics
    update: int
    league: League | None = None


@dataclass(frozen=True, eq=False)
class Progress:
    """What is told after each update.

    Attributes:
        state: after the update.
        metrics: of the update, by name; names of timings begin with "time/".
        dumps: of what was not finite in it, by the name of the file to write each into.
    """

    state: TrainingState
    metrics: dict[str, float]
    dumps: Mapping[str, Dump] = field(default_factory=dict)


def _optimiser(hyper: PpoConfig) -> optax.GradientTransformation:
    """Directions of Adam (Kingma and Ba 2015, https://arxiv.org/abs/1412.6980)."""
    return optax.chain(optax.clip_by_global_norm(hyper.max_gradient_norm), optax.scale_by_adam())


def initial_state(config: ExperimentConfig, agent: Agent) -> TrainingState:
    """The state a run starts from; its parameters are drawn from the configuration's seed."""
    params = agent.init(key_of(config.seed, "parameters", 0))
    optimiser = _optimiser(config.ppo).init(params)
    learner = ppo.Learner(params, optimiser, jnp.zeros((), jnp.int32))
    statistics = new_statistics()
    league = None
    if config.env.opponent == LEAGUE:
        league = League.empty(config.league, params, scale_of(statistics))
    return TrainingState(learner, statistics, 0, league)


def after_results(
    config: ExperimentConfig, state: TrainingState, games: ArrayLike, score: ArrayLike
) -> TrainingState:
    """The state with its league, if it has one, after the results of the last update.

    Args:
        config: says when snapshots are taken.
        state: after the update.
        games: that ended, by who sat opposite; see ``League.after``.
        score: what the agent won of them.
    """
    if state.league is None:
        return state
    league = state.league.after(np.asarray(games), np.asarray(score), config.league)
    if state.update % config.league.snapshot_every_updates == 0:
        params = jax.device_get(state.learner.params)
        league = league.with_snapshot(params, scale_of(state.statistics))
    return dataclasses.replace(state, league=league)


def unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself: what is wrapped in nothing."""
    return function


def improvement(
    hyper: PpoConfig, apply: ppo.Apply
) -> Callable[..., tuple[ppo.Learner, ppo.Metrics, ppo.Skipped]]:
    """``ppo.update`` of learner, samples, key and rates: the configuration is filled in."""
    return functools.partial(
        ppo.update,
        apply=apply,
        optimiser=_optimiser(hyper),
        clip=hyper.clip,
        value_coefficient=hyper.value_coefficient,
        epochs=hyper.epochs,
        minibatches=hyper.minibatches,
        target_kl=hyper.target_kl,
        at_once=positions_at_once(),
    )


def positions_at_once() -> int:
    """How many positions the network should go through at a time here."""
    return _AT_ONCE_ON_CPU if jax.default_backend() == "cpu" else sys.maxsize


@functools.cache
def _compiled_update(
    hyper: PpoConfig, agent: Agent, wrap: Wrap
) -> Callable[..., tuple[ppo.Learner, ppo.Metrics, ppo.Skipped]]:
    """What is learnt from a rollout; compiled once in a process."""
    improve = improvement(hyper, agent.evaluate)

    def update(
        learner: ppo.Learner, rollout: ppo.Rollout, key: jax.Array, **rates: jax.Array
    ) -> tuple[ppo.Learner, ppo.Metrics, ppo.Skipped]:
        samples = ppo.samples_of(rollout, discount=hyper.discount, trace=hyper.trace)
        return improve(learner, samples, key, **rates)

    return jax.jit(wrap(update))


def learn(
    config: ExperimentConfig,
    agent: Agent,
    envs: gym.vector.VectorEnv[Any, Any, Any],
    state: TrainingState,
    tell: Callable[[Progress], None],
    wrap: Wrap = unchanged,
) -> TrainingState:
    """Train from ``state`` to the end of the run.

    Collecting and updating take turns. To update in a thread while the next rollout is
    collected was tried: it saves a quarter of the time on two cores, but the policy that
    collects is then one update old, and twice as many strokes were needed.

    Args:
        config: of the run.
        agent: of the configuration.
        envs: ``config.env.num_envs`` environments that reset themselves.
        state: initial, or restored from a checkpoint.
        tell: called after each update.
        wrap: applied to the update before it is compiled; tests count traces with it.

    Returns:
        The state after the last update.
    """
    hyper = config.ppo
    update = _compiled_update(hyper, agent, wrap)
    collector = Collector(envs, agent, hyper.rollout_length, env_seed(config, state.update))
    while state.update < config.updates:
        began = time.perf_counter()
        experience = collector.collect(
            state.learner.params,
            scale_of(state.statistics),
            key_of(config.seed, "acting", state.update),
        )
        collected = time.perf_counter()
        key, rates = key_of(config.seed, "learning", state.update), annealed(config, state.update)
        learner, found, skipped = update(state.learner, experience.rollout, key, **rates)
        dumps: dict[str, Dump] = {
            stroke_name(state.update + 1, number): dump
            for number, dump in enumerate(experience.dumps, 1)
        }
        dumps |= dump_of(skipped, state.learner.params, key, rates, state.update + 1, config.seed)
        metrics = {name: float(value) for name, value in found.items()}
        state = TrainingState(
            learner, state.statistics.including(experience.observations), state.update + 1
        )
        metrics |= experience.summary()
        metrics["time/collect"] = collected - began
        metrics["time/update"] = time.perf_counter() - collected
        tell(Progress(state, metrics, dumps))
        if checkpoint_due(config, state.update):
            collector.reset(env_seed(config, state.update))
    return state


def dump_of(
    skipped: ppo.Skipped,
    params: ppo.Parameters,
    key: jax.Array,
    rates: Mapping[str, jax.Array],
    update: int,
    seed: int,
) -> dict[str, Dump]:
    """The dump of a minibatch that was passed over, by its name, if any was."""
    if not skipped.found:
        return {}
    dump = UpdateDump.of(skipped, params, key, rates, update=update, seed=seed)
    return {update_name(update): dump}


def annealed(config: ExperimentConfig, update: int) -> dict[str, jax.Array]:
    """What changes in a straight line over the run, for ``ppo.update``."""
    done, hyper = update / config.updates, config.ppo

    def at(first: float, last: float) -> jax.Array:
        return jnp.float32(first + done * (last - first))

    return {
        "learning_rate": at(hyper.learning_rate, hyper.final_learning_rate),
        "entropy_coefficient": at(hyper.entropy_coefficient, hyper.final_entropy_coefficient),
    }


def checkpoint_due(config: ExperimentConfig, update: int) -> bool:
    """Whether a checkpoint is written after ``update`` updates."""
    return update % config.logging.checkpoint_every_updates == 0 or update == config.updates


STREAMS = ("parameters", "acting", "learning", "boards")
"""Independent uses of the seed."""


def key_of(seed: int, stream: str, update: int) -> jax.Array:
    """The key for one use of the ``seed`` at one update."""
    key = jax.random.fold_in(jax.random.key(seed), STREAMS.index(stream))
    return jax.random.fold_in(key, update)


def env_seed(config: ExperimentConfig, update: int) -> int:
    """Seed of the environments that are reset after ``update`` updates, below 2^31."""
    words = np.random.SeedSequence([config.seed, update]).generate_state(1)
    return int(words[0] >> 1)
