"""Rollouts inside compiled code: one stroke on every board at each step.

The strokes of a step go through the lanes of the planar engine as a stream: a lane whose
discs are at rest takes the next board's stroke at once, and no board waits for the slowest.
What is random on a board follows from its number, not from how many there are or on which
device it is played.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct

from carrom import Functional
from carrom.functional import State, Strike
from carrom.observation import SIZE
from carrom.tasks import AGENT_SEAT
from carrom_agents.agent import Agent
from carrom_agents.device.acting import Decided, act, coded
from carrom_agents.device.lanes import answers
from carrom_agents.device.opposition import ONESELF, Rival, choose
from carrom_agents.device.transitions import followed
from carrom_agents.distributions import Action
from carrom_agents.normaliser import Scale
from carrom_agents.ppo import Parameters, Rollout

_VALUED_AT_ONCE = 64


@struct.dataclass
class Steps:
    """What is recorded of decisions and their strokes; [T, B], or [B] of one step.

    Attributes:
        decided: bool, the agent decided; where he did not, the next four mean nothing.
        observation: float32 (..., 74), scaled, that he decided by.
        action: as drawn from the policy.
        log_prob: of it.
        value: V of the position.
        reward: what the stroke, of whomever, earned the agent.
        terminated: bool, it ended the episode.
        truncated: bool, the episode was cut off after it.
    """

    decided: jax.Array
    observation: jax.Array
    action: Action
    log_prob: jax.Array
    value: jax.Array
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array


@struct.dataclass
class Boards:
    """Boards in play; leading axis [B].

    Attributes:
        number: int32, of the board, from which its chance follows.
        state: of the game.
        member: int32, of the opposition, who sits opposite in this episode.
        pending: the agent's last decision, where it is not known yet what followed.
        earned: float32, the agent's return in this episode so far.
    """

    number: jax.Array
    state: State
    member: jax.Array
    pending: Steps
    earned: jax.Array


@struct.dataclass
class Failure:
    """The first stroke of a rollout, on any board, that was not finite or not computed.

    Attributes:
        found: bool (), whether there was one; the rest means nothing if not.
        state: of the board, before the stroke.
        strike: as it was meant.
        key: uint32, data of the key that ``Functional.stroke`` was given.
    """

    found: jax.Array
    state: State
    strike: Strike
    key: jax.Array


@struct.dataclass
class Tally:
    """What is told about a rollout besides what is learnt from; [T, B].

    Attributes:
        seen: float32 (..., 74), the agent's observation before each stroke, not scaled.
        decided: bool, the stroke was his.
        reward: float32, what the stroke earned him.
        over: bool, it ended an episode.
        earned: float32, his return in the episode that it ended.
        winner: int32, who won that: 0 his side, 1 the other, -1 neither.
        member: int32, who sat opposite.
        broke: bool, his side broke on this board.
        failed: bool, the physics gave the stroke up, and the episode was cut off.
        strange: bool, the reward or the position after the stroke was not finite; likewise.
    """

    seen: jax.Array
    decided: jax.Array
    reward: jax.Array
    over: jax.Array
    earned: jax.Array
    winner: jax.Array
    member: jax.Array
    broke: jax.Array
    failed: jax.Array
    strange: jax.Array


def begin(
    env: Functional,
    agent: Agent,
    rival: Rival,
    arrays: Any,
    numbers: jax.Array,
    key: jax.Array,
) -> Boards:
    """New episodes on the boards with the ``numbers``, int32 [B].

    Args:
        env: the game.
        agent: that will play it.
        rival: for the other side.
        arrays: what his functions are given.
        numbers: of the boards.
        key: of everything random.
    """
    started, member = _start(env, rival, arrays, _keys(key, numbers))
    return Boards(numbers, started, member, _nothing(agent, len(numbers)), jnp.zeros(len(numbers)))


def _start(env: Functional, rival: Rival, arrays: Any, keys: jax.Array) -> tuple[State, jax.Array]:
    """New episodes, and who sits opposite in them."""
    opposite = jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, 1)
    return jax.vmap(env.start)(keys), jax.vmap(rival.draw, in_axes=(None, 0))(arrays, opposite)


def collect(
    env: Functional,
    agent: Agent,
    rival: Rival,
    params: Parameters,
    scale: Scale,
    arrays: Any,
    boards: Boards,
    key: jax.Array,
    steps: int,
    at_once: int,
) -> tuple[Boards, Rollout, Tally, Failure]:
    """Play ``steps`` strokes on each board.

    Where a stroke fails, or what comes of it is not finite, it earns nothing and the episode is
    cut off.

    Args:
        env: the game; its own players are not asked.
        agent: decides for the side of seat 0.
        rival: who strikes for the other side.
        params: of the agent.
        scale: of his observations.
        arrays: what the rival's functions are given besides the boards.
        boards: [B].
        key: of everything random.
        steps: T.
        at_once: boards that the agent decides on at a time.

    Returns:
        The boards after it, the rollout [T + 1, B], which begins with what was pending and
        whose inputs are scaled observations, the tally [T, B], and the first stroke that failed.
    """

    def step(
        boards: Boards, key: jax.Array
    ) -> tuple[Boards, tuple[Steps, jax.Array, Tally, Failure]]:
        state = before = boards.state
        deciding, others, playing, starting = _split(_keys(key, boards.number))
        # In doubles the agent decides for both seats of its side, with the same parameters.
        own = env.side_of(state.match.board.seat) == env.side_of(AGENT_SEAT)
        mine = own | (boards.member == ONESELF)
        seat = jnp.where(mine, state.match.board.seat, AGENT_SEAT)
        seen = jax.vmap(env.observe)(state, seat)
        observation = scale(seen)

        def decide(index: jax.Array) -> Decided:
            one = functools.partial(act, agent, params)
            return jax.vmap(one)(observation[index], deciding[index])

        drawn = answers(mine, decide, at_once)
        strike = jax.vmap(env.decode)(state, jax.vmap(coded)(drawn.action))
        if rival.decide is not None:
            theirs = rival.decide(env, arrays, state, boards.member, others, ~mine)
            strike = choose(mine, strike, theirs)
        broke = jax.vmap(env.broke)(state)
        state, booked = jax.vmap(env.stroke)(state, strike, playing)
        reward = sum(state.earned.values(), jnp.zeros_like(boards.earned))
        final = jax.vmap(env.observe)(state)
        strange = ~(jnp.isfinite(reward) & jnp.isfinite(final).all(axis=-1))
        lost = booked.failed | strange
        failure = _first(lost, before, strike, playing)
        reward, final = jnp.where(lost, 0.0, reward), jnp.where(strange[:, None], 0.0, final)
        state = dataclasses.replace(
            state,
            earned=jax.tree.map(jnp.zeros_like, state.earned),
            terminated=state.terminated & ~lost,
            truncated=state.truncated | lost,
        )
        over, earned = state.over, boards.earned + reward
        taken = Steps(
            decided=own,
            observation=observation,
            **drawn._asdict(),
            reward=reward,
            terminated=state.terminated,
            truncated=state.truncated,
        )
        tally = Tally(
            *(seen, own, reward, over, earned, state.winner, boards.member, broke),
            *(booked.failed, strange),
        )
        started, member = _start(env, rival, arrays, starting)
        boards = dataclasses.replace(
            boards,
            state=choose(over, started, state),
            member=jnp.where(over, member, boards.member),
            earned=jnp.where(over, 0.0, earned),
        )
        return boards, (taken, scale(final), tally, failure)

    boards, (taken, final, tally, failures) = jax.lax.scan(
        step, boards, jax.random.split(key, steps)
    )
    failure = first_found(failures)
    final_value = _values(agent, params, final, taken.truncated)
    record: Steps = jax.tree.map(
        lambda pending, rest: jnp.concatenate([pending[None], rest]), boards.pending, taken
    )
    then = followed(
        decided=record.decided,
        value=record.value,
        reward=record.reward,
        terminated=record.terminated,
        truncated=record.truncated,
        final_value=jnp.concatenate([jnp.zeros_like(final_value[:1]), final_value]),
    )
    rollout = Rollout(
        inputs=record.observation,
        action=record.action,
        log_prob=record.log_prob,
        value=record.value,
        next_value=then.next_value,
        reward=then.reward,
        terminated=then.terminated,
        truncated=then.truncated,
        valid=record.decided & then.complete,
    )
    unfinished = dataclasses.replace(
        record, decided=record.decided & ~then.complete, reward=then.reward
    )
    boards = dataclasses.replace(boards, pending=_last_decided(unfinished))
    return boards, rollout, tally, failure


def first_found(failures: Failure) -> Failure:
    """The first of several, [N], that was found."""
    index = jnp.argmax(failures.found)
    return jax.tree.map(lambda leaf: leaf[index], failures)


def _first(lost: jax.Array, state: State, strike: Strike, keys: jax.Array) -> Failure:
    """The first of the boards [B] whose stroke is ``lost``, bool [B]."""
    index = jnp.argmax(lost)
    stroke = (state, strike, jax.random.key_data(keys))
    return Failure(lost[index], *jax.tree.map(lambda leaf: leaf[index], stroke))


def _last_decided(record: Steps) -> Steps:
    """Of each board the last step that is a decision, from [T, B]; undecided where none is."""
    steps = jnp.arange(len(record.decided))[:, None]
    last = jnp.argmax(jnp.where(record.decided, steps, -1), axis=0)
    board = jnp.arange(record.decided.shape[1])
    pending: Steps = jax.tree.map(lambda leaf: leaf[last, board], record)
    ended = jnp.zeros_like(pending.decided)
    return dataclasses.replace(pending, terminated=ended, truncated=ended)


def _values(
    agent: Agent, params: Parameters, observation: jax.Array, wanted: jax.Array
) -> jax.Array:
    """V of the scaled observations [T, B, 74] that are ``wanted``, [T, B]; of few at a time.

    Hardly ever is an episode cut off; to value all positions would double a rollout's cost.
    """
    flat = observation.reshape(-1, SIZE)

    def value(index: jax.Array) -> jax.Array:
        return agent.judge(params, flat[index]).value

    return answers(wanted.reshape(-1), value, _VALUED_AT_ONCE).reshape(wanted.shape)


def _nothing(agent: Agent, boards: int) -> Steps:
    """No decision on any board."""
    observation = jax.ShapeDtypeStruct((SIZE,), jnp.float32)
    key = jax.eval_shape(lambda: jax.random.key(0))

    def draw(observation: jax.Array, key: jax.Array) -> Action:
        return act(agent, agent.init(key), observation, key).action

    action = jax.tree.map(
        lambda leaf: jnp.zeros((boards, *leaf.shape), leaf.dtype),
        jax.eval_shape(draw, observation, key),
    )
    number, no = jnp.zeros(boards), jnp.zeros(boards, bool)
    return Steps(
        decided=no,
        observation=jnp.zeros((boards, SIZE)),
        action=action,
        log_prob=number,
        value=number,
        reward=number,
        terminated=no,
        truncated=no,
    )


def _keys(key: jax.Array, numbers: jax.Array) -> jax.Array:
    """A key for each board."""
    return jax.vmap(jax.random.fold_in, in_axes=(None, 0))(key, numbers)


def _split(keys: jax.Array) -> jax.Array:
    """Four keys [4, B] from each of the ``keys`` [B]."""
    return jnp.swapaxes(jax.vmap(lambda key: jax.random.split(key, 4))(keys), 0, 1)
