"""The learning loop on the device: collect and update in one compiled program."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import carrom
from carrom import Functional
from carrom.errors import ConfigError, Dump
from carrom.functional import stroke_dump
from carrom_agents import ppo
from carrom_agents.agent import Agent, scale_of
from carrom_agents.config import ExperimentConfig, PpoConfig
from carrom_agents.device.league import Pool
from carrom_agents.device.opposition import ONESELF, Rival
from carrom_agents.device.rivals import find_rival
from carrom_agents.device.rollout import Boards, Failure, Tally, begin, collect, first_found
from carrom_agents.distributed.hosts import check_beginning, local, noticing_losses
from carrom_agents.dumps import stroke_name
from carrom_agents.learning import (
    Progress,
    TrainingState,
    Wrap,
    after_results,
    annealed,
    checkpoint_due,
    dump_of,
    improvement,
    key_of,
    positions_at_once,
    unchanged,
)
from carrom_agents.normaliser import RunningStatistics, Scale
from carrom_agents.processor import quick_to_compile

_AXIS = "boards"


class Learnt(NamedTuple):
    """What one update yields.

    Attributes:
        learner: after it.
        boards: after the rollout.
        metrics: of the update and of the rollout.
        results: of the games that ended, by who sat opposite, [members]: how many, and what the
            agent won of them.
        moments: of the observations that were decided by: their number, mean and sums of
            squared deviations from it.
        skipped: the first minibatch that was passed over, if any was.
        failure: the first stroke that failed, if any did.
    """

    learner: ppo.Learner
    boards: Boards
    metrics: ppo.Metrics
    results: tuple[jax.Array, jax.Array]
    moments: tuple[jax.Array, jax.Array, jax.Array]
    skipped: ppo.Skipped
    failure: Failure


@dataclass(frozen=True, eq=False)
class Game:
    """What is played on the device, by whom, and where.

    Attributes:
        env: the functional environment.
        rival: plays for the other side.
        mesh: devices that share the boards; None if there is but one.
    """

    env: Functional
    rival: Rival
    mesh: Mesh | None

    @classmethod
    def of(cls, config: ExperimentConfig) -> Game:
        """The game that a configuration describes.

        Raises:
            ConfigError: an option is wrong, or there are not so many devices.
            CheckpointError: the opponent is a run folder that holds no trained player.
        """
        return cls(_env(config), find_rival(config.env.opponent, config), _mesh(config))


def _env(config: ExperimentConfig) -> Functional:
    env = config.env
    if env.id not in carrom.ENVIRONMENTS:
        raise ConfigError(f"env.id = {env.id!r}: expected one of {', '.join(carrom.ENVIRONMENTS)}")
    return Functional(
        carrom.ENVIRONMENTS[env.id],
        doubles=env.doubles,
        action_coding=env.action_coding,
        noise=env.noise,
        reward=env.reward,
        max_strokes=env.max_strokes,
    )


def learn_on_device(
    config: ExperimentConfig,
    agent: Agent,
    game: Game,
    states: Sequence[TrainingState],
    tell: Callable[[int, Progress], None],
    wrap: Wrap = unchanged,
) -> list[TrainingState]:
    """Train from ``states`` to the end of the run, one run for each of them, in one program.

    Run i has the seed ``config.seed + i``. Several runs at once give what each gives alone,
    to float rounding.

    Args:
        config: of the runs.
        agent: of the configuration.
        game: of the configuration.
        states: initial, or restored from checkpoints of the same update.
        tell: called after each update with the run's index and its progress.
        wrap: applied to the program before it is compiled; tests count traces with it.

    Returns:
        The states after the last update.
    """
    # By values, not by the game, so that equal games share the compiled programs.
    iterate, start = _programs(
        config.ppo,
        config.env.num_envs,
        agent,
        game.env,
        dataclasses.replace(game.rival, arrays=()),
        game.mesh,
        len(states),
        wrap,
    )
    seeds = [config.seed + index for index in range(len(states))]
    update = states[0].update

    def keys(stream: str) -> jax.Array:
        return jnp.stack([key_of(seed, stream, update) for seed in seeds])

    # By way of the host: restored arrays are bound to a device, which asks for another program
    # than new ones do.
    learner = _stacked([jax.device_get(state.learner) for state in states])
    check_beginning(update, learner)
    if game.mesh is not None:
        # As the program gives it back: to begin otherwise would compile it twice.
        learner = jax.device_put(learner, NamedSharding(game.mesh, PartitionSpec()))
    statistics, leagues = (
        [getattr(state, name) for state in states] for name in ("statistics", "league")
    )

    unchanging = _stacked([jax.device_get(game.rival.arrays) for _ in states])

    def arrays() -> Any:
        """What the rivals' functions are given; of a league it changes with every update."""
        pools = [Pool.of(league, config.league) for league in leagues if league is not None]
        return _stacked(pools) if pools else unchanging

    boards = start(arrays(), keys("boards"))
    while update < config.updates:
        began = time.perf_counter()
        scale = _stacked([scale_of(seen) for seen in statistics])
        used, acting, rates = learner, keys("acting"), annealed(config, update)
        with noticing_losses():
            learnt = iterate(learner, scale, arrays(), boards, acting, **rates)
            learner, boards, update = learnt.learner, learnt.boards, update + 1
            # The rest is on every device, and so on one of this host's.
            learnt = local(learnt._replace(boards=None))
            found = jax.device_get((learnt.metrics, learnt.results, *learnt.moments))
        wrong = jax.device_get((learnt.skipped.found, learnt.failure.found))
        seconds = time.perf_counter() - began
        for index, seen in enumerate(statistics):
            metrics, results, *batch = jax.tree.map(lambda leaf, i=index: leaf[i], found)
            statistics[index] = seen.merged(
                RunningStatistics(*(np.asarray(leaf, np.float64) for leaf in batch))
            )
            state = TrainingState(
                _part(learnt.learner, index), statistics[index], update, leagues[index]
            )
            state = after_results(config, state, *results)
            leagues[index] = state.league
            numbers = {name: float(value) for name, value in metrics.items() if value == value}
            if state.league is not None:
                numbers |= state.league.metrics()
            dumps: dict[str, Dump] = {}
            if wrong[0][index] or wrong[1][index]:
                params = _part(local(used), index).params
                skipped, failure = _part((learnt.skipped, learnt.failure), index)
                learning = jax.random.split(acting[index], 3)[2]
                seed = seeds[index]
                dumps |= dump_of(skipped, params, learning, rates, update, seed)
                dumps |= _dump_of_stroke(game.env, failure, update)
            tell(index, Progress(state, numbers | {"time/update": seconds}, dumps))
        if checkpoint_due(config, update):
            boards = start(arrays(), keys("boards"))
    return [
        TrainingState(_part(local(learner), index), seen, update, league)
        for index, (seen, league) in enumerate(zip(statistics, leagues, strict=True))
    ]


@functools.cache
def _programs(
    hyper: PpoConfig,
    count: int,
    agent: Agent,
    env: Functional,
    rival: Rival,
    mesh: Mesh | None,
    runs: int,
    wrap: Wrap,
) -> tuple[Callable[..., Learnt], Callable[[Any, jax.Array], Boards]]:
    """An update and ``count`` new boards, compiled; of ``runs`` at once, leading axis [runs]."""
    # To describe positions anew in every pass costs less than to keep the descriptions, which
    # are forty times as large.
    improve = improvement(hyper, agent.judge)
    # Against an opponent about every other stroke is the agent's.
    steps = hyper.rollout_length * (1 if env.alone else 2)
    numbers = jnp.arange(count, dtype=jnp.int32)

    def rollout(
        params: Any, scale: Scale, arrays: Any, boards: Boards, key: jax.Array
    ) -> tuple[Boards, ppo.Rollout, Tally, Failure]:
        boards, record, tally, failure = collect(
            env, agent, rival, params, scale, arrays, boards, key, steps, positions_at_once()
        )
        if mesh is not None:
            failure = first_found(jax.lax.all_gather(failure, _AXIS))
        return boards, record, tally, failure

    def start(arrays: Any, key: jax.Array) -> Boards:
        return placed(begin(env, agent, rival, arrays, numbers, key), shared)

    everywhere, shared = PartitionSpec(), PartitionSpec(_AXIS)
    if mesh is not None:
        improve = functools.partial(improve, share_out=functools.partial(_share_out, mesh))
        rollout = jax.shard_map(
            rollout,
            mesh=mesh,
            in_specs=(everywhere, everywhere, everywhere, shared, everywhere),
            out_specs=(shared, *[PartitionSpec(None, _AXIS)] * 2, everywhere),
            check_vma=False,
        )

    def placed(tree: Any, where: PartitionSpec) -> Any:
        """The arrays, on the devices that they belong to."""
        if mesh is None:
            return tree
        return jax.lax.with_sharding_constraint(tree, NamedSharding(mesh, where))

    def iterate(
        learner: ppo.Learner,
        scale: Scale,
        arrays: Any,
        boards: Boards,
        key: jax.Array,
        **rates: jax.Array,
    ) -> Learnt:
        acting, choosing, learning = jax.random.split(key, 3)
        boards, record, tally, failure = rollout(learner.params, scale, arrays, boards, acting)
        samples = ppo.samples_of(record, discount=hyper.discount, trace=hyper.trace)
        samples = placed(samples, everywhere)
        samples = ppo.choose(samples, choosing, count * hyper.rollout_length)
        learner, metrics, skipped = improve(learner, samples, learning, **rates)
        metrics |= _summary(tally, alone=env.alone)
        results = _results(tally, rival.members)
        learnt = Learnt(learner, boards, metrics, results, _moments(tally), skipped, failure)
        # The boards stay where they are played; a host sees of the rest what is on its devices.
        return placed(learnt._replace(boards=None), everywhere)._replace(boards=boards)

    return (
        _for_each_run(wrap(iterate), runs, quick_to_compile()),
        _for_each_run(start, runs, quick_to_compile(runs_once=True)),
    )


def _for_each_run(
    function: Callable[..., Any], runs: int, options: dict[str, Any]
) -> Callable[..., Any]:
    """``function`` for all runs at once, compiled; keywords are the same for all."""

    def of_all(*arguments: Any, **rates: jax.Array) -> Any:
        one = functools.partial(function, **rates)
        if runs > 1:
            return jax.vmap(one)(*arguments)
        # What is conditional in one run is computed either way in several.
        return _stacked([one(*(_part(argument, 0) for argument in arguments))])

    return jax.jit(of_all, compiler_options=options)


def _share_out(mesh: Mesh, summed: ppo.Summed) -> ppo.Summed:
    """The sum over samples that are shared out among the devices."""

    def of_all(
        params: ppo.Parameters, batch: ppo.Batch, count: jax.Array
    ) -> tuple[ppo.Parameters, ppo.Metrics]:
        return jax.lax.psum(summed(params, batch, count), _AXIS)

    return jax.shard_map(
        of_all,
        mesh=mesh,
        in_specs=(PartitionSpec(), PartitionSpec(_AXIS), PartitionSpec()),
        out_specs=PartitionSpec(),
        check_vma=False,
    )


def _summary(tally: Tally, *, alone: bool) -> ppo.Metrics:
    """Means over the rollout; NaN where there is nothing to take the mean of."""
    ended = jnp.sum(tally.over)

    def mean_at_ends(values: jax.Array) -> jax.Array:
        return jnp.sum(jnp.where(tally.over, values, 0.0)) / ended

    metrics = {
        "reward": jnp.sum(tally.reward) / jnp.sum(tally.decided),
        "episode_return": mean_at_ends(tally.earned),
        "failed_strokes": jnp.sum(tally.failed),
        "steps_not_finite": jnp.sum(tally.strange),
    }
    if not alone:
        metrics["boards_won"] = mean_at_ends(tally.winner == 0)
        for name, some in (("breaking", tally.broke), ("not_breaking", ~tally.broke)):
            ends = tally.over & some
            metrics[f"boards_won_{name}"] = jnp.sum(ends & (tally.winner == 0)) / jnp.sum(ends)
    return metrics


def _results(tally: Tally, members: int) -> tuple[jax.Array, jax.Array]:
    """Games that ended, by who sat opposite, [members]: how many, and what the agent won."""
    member = jnp.where(tally.member == ONESELF, members - 1, tally.member)
    ended = tally.over[..., None] & (member[..., None] == jnp.arange(members))
    won = jnp.where(tally.winner < 0, 0.5, tally.winner == 0)
    return jnp.sum(ended, axis=(0, 1)), jnp.sum(ended * won[..., None], axis=(0, 1))


def _moments(tally: Tally) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Count, mean and squares of the observations, finite ones, that were decided by."""
    seen, decided = tally.seen, tally.decided[..., None]
    decided &= jnp.isfinite(seen).all(axis=-1, keepdims=True)
    count = jnp.sum(decided)
    mean = jnp.sum(jnp.where(decided, seen, 0), axis=(0, 1)) / jnp.maximum(count, 1)
    squares = jnp.sum(jnp.where(decided, (seen - mean) ** 2, 0), axis=(0, 1))
    return count, mean, squares


def _dump_of_stroke(env: Functional, failure: Failure, update: int) -> dict[str, Dump]:
    """The dump of a stroke that failed, by its name, if any did."""
    if not failure.found:
        return {}
    key = jax.random.wrap_key_data(failure.key)
    return {stroke_name(update, 1): stroke_dump(env, failure.state, failure.strike, key)}


def _mesh(config: ExperimentConfig) -> Mesh | None:
    """The devices that share the boards, if more than one do."""
    if config.devices == jax.process_count() == 1:
        return None
    devices = jax.devices()
    if len(devices) < config.devices:
        raise ConfigError(
            f"devices = {config.devices}: this machine has {len(devices)} ({devices[0].platform})"
        )
    if jax.process_count() > 1 and len(devices) != config.devices:
        raise ConfigError(
            f"devices = {config.devices}: expected {len(devices)}, all of the "
            f"{jax.process_count()} hosts'"
        )
    return Mesh(np.array(devices[: config.devices]), (_AXIS,))


def _stacked(trees: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def _part(tree: Any, index: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], tree)
