"""Playing against the members of a league on the device."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from flax import struct

from carrom import Functional
from carrom.functional import State, Strike
from carrom_agents.agent import Agent
from carrom_agents.config import LeagueConfig
from carrom_agents.device.acting import act, coded
from carrom_agents.device.lanes import answers
from carrom_agents.device.opposition import ONESELF, SCRIPTED, Decide, Draw, choose
from carrom_agents.distributions import Action
from carrom_agents.league import League
from carrom_agents.normaliser import Scale
from carrom_agents.ppo import Parameters


@struct.dataclass
class Pool:
    """What of a league the device needs; K snapshots.

    Attributes:
        params: leading axis [K].
        scale: leading axis [K].
        log_weights: float32 [K + 2], logarithm of how often each member is met.
    """

    params: Parameters
    scale: Scale
    log_weights: jax.Array

    @classmethod
    def of(cls, league: League, config: LeagueConfig) -> Pool:
        """The pool of a league as it stands."""
        assert isinstance(league.scale, Scale), "those who play on the device scale"
        weights = jnp.asarray(league.weights(config), jnp.float32)
        return cls(league.params, league.scale, jnp.log(weights))


def draw_member(pool: Pool, key: jax.Array) -> jax.Array:
    """Who sits opposite in an episode, int32 (): number of the member, or ``ONESELF``."""
    member = jax.random.categorical(key, pool.log_weights).astype(jnp.int32)
    return jnp.where(member == len(pool.log_weights) - 1, ONESELF, member)


@functools.cache
def playing_of(
    agent: Agent, at_once: int, scripted: Decide = SCRIPTED["aimer"]
) -> tuple[Decide, Draw]:
    """How the members decide, and how they are drawn.

    Args:
        agent: whose snapshots play.
        at_once: boards that a snapshot decides on at a time.
        scripted: the member after the snapshots.
    """

    def decide(
        env: Functional,
        pool: Pool,
        state: State,
        member: jax.Array,
        key: jax.Array,
        wanted: jax.Array,
    ) -> Strike:
        seen = jax.vmap(env.observe)(state, state.match.board.seat)
        snapshots = len(pool.log_weights) - 2

        def action_of(params: Parameters, scale: Scale, index: jax.Array) -> Action:
            def one(observation: jax.Array, key: jax.Array) -> Action:
                return act(agent, params, scale(observation), key).action

            return jax.vmap(one)(seen[index], key[index])

        def snapshot(number: jax.Array, actions: Action) -> Action:
            params, scale = jax.tree.map(
                lambda leaf: jnp.asarray(leaf)[number], (pool.params, pool.scale)
            )

            needed = wanted & (member == number)
            found = answers(needed, functools.partial(action_of, params, scale), at_once)
            return choose(needed, found, actions)

        everyone = jnp.arange(len(member), dtype=jnp.int32)
        first = jax.tree.map(lambda leaf: jnp.asarray(leaf)[0], (pool.params, pool.scale))
        shapes = jax.eval_shape(action_of, *first, everyone)
        nothing = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes)
        actions = jax.lax.fori_loop(0, snapshots, snapshot, nothing)
        strike = jax.vmap(env.decode)(state, jax.vmap(coded)(actions))
        by_script = scripted(env, (), state, member, key, wanted & (member == snapshots))
        return choose(member == snapshots, by_script, strike)

    return decide, draw_member
