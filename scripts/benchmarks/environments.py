"""Whole environments: umpire, placing and observation included."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from typing import Any

import gymnasium as gym
import jax
import jax.numpy as jnp
import numpy as np

import carrom  # noqa: F401 -- registers the environments
from carrom import Functional
from carrom.board import Board
from carrom.functional.environment import autoreset
from carrom.functional.motion import start_of
from carrom.functional.state import State
from carrom.laws import StrokeFacts, new_match, rule
from carrom.laws.state import SINGLES
from carrom.physics.planar.slots import SIZES
from carrom.physics.planar.strokes import play_stream

from .measure import Figures, bench, best_rate, one_core_bench
from .planar import Strokes

_DRILL: dict[str, Any] = {"action_coding": "target", "noise": "expert"}
_BATCHES = (256, 1024, 4096)
_RULINGS = 65_536


def _steps_per_s(env: gym.vector.VectorEnv, seconds: float = 2.0) -> float:
    """Steps per second of all boards together, over seeded random actions."""
    env.reset(seed=0)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    steps, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        env.step(env.action_space.sample())
        steps += env.num_envs
    return steps / (time.perf_counter() - start)


def _single_per_s(physics: str, count: int = 500) -> float:
    single = gym.make("CarromShot-v0", disable_env_checker=True, physics=physics, **_DRILL)
    single.action_space.seed(0)
    single.reset(seed=0)

    def episodes() -> None:
        for _ in range(count):
            single.step(single.action_space.sample())
            single.reset()

    episodes()
    return best_rate(episodes, count)


@one_core_bench
def environment() -> Figures:
    """Steps per second of the drill on one core, on both engines."""
    result = {}
    for physics in ("mujoco", "planar"):
        result[f"{physics}_single_per_s"] = _single_per_s(physics)
        env = gym.make_vec(
            "CarromShot-v0", 64, autoreset_mode="SameStep", physics=physics, **_DRILL
        )
        env.reset(seed=0)
        env.action_space.seed(0)
        actions = [env.action_space.sample() for _ in range(10)]

        def steps(env: gym.vector.VectorEnv = env, actions: list[Any] = actions) -> None:
            for action in actions:
                env.step(action)

        steps()
        result[f"{physics}_64_boards_per_s"] = best_rate(steps, 64 * len(actions))
        env.close()
    return result


@bench
def environment_workers() -> Figures:
    """Steps per second of the drill on 64 boards, one worker and two, in time that passes."""
    result = {}
    for workers in (1, 2):
        env = gym.make_vec(
            "CarromShot-v0", 64, autoreset_mode="SameStep", workers=workers, **_DRILL
        )
        result[f"vector_{workers}_workers_per_s"] = max(_steps_per_s(env) for _ in range(3))
        env.close()
    result["gain_of_2_workers"] = (
        result["vector_2_workers_per_s"] / result["vector_1_workers_per_s"]
    )
    return result


@one_core_bench
def functional() -> Figures:
    """Steps per second of the drill as pure functions, each followed by a new position."""
    result = {}
    env = Functional("shot", noise="expert")
    for batch in _BATCHES:
        keys = jax.random.split(jax.random.key(0), batch)
        actions = jax.random.uniform(jax.random.key(1), (batch, 3), minval=-1.0)
        state = jax.jit(jax.vmap(env.start))(keys)
        start = time.process_time()
        step = jax.jit(jax.vmap(autoreset(env)))
        state, _ = jax.block_until_ready(step(state, actions, keys))
        result[f"compile_{batch}_s"] = time.process_time() - start
        rounds = 8192 // batch

        def steps(
            step: Any = step, state: Any = state, actions: Any = actions, rounds: int = rounds
        ) -> None:
            for k in range(rounds):
                new = jax.random.split(jax.random.key(k), len(actions))
                state, _ = step(state, actions, new)
            jax.block_until_ready(state)

        result[f"steps_{batch}_per_s"] = best_rate(steps, rounds * batch)
    result["engine_alone_per_s"] = _engine_alone_per_s(env)
    return result


def _engine_alone_per_s(env: Functional, count: int = 8192) -> float:
    """Strokes per second of the planar engine on what such a drill plays, in the same slots."""
    keys = jax.random.split(jax.random.key(0), count)
    actions = jax.random.uniform(jax.random.key(1), (count, 3), minval=-1.0)

    def stroke(key: jax.Array, action: jax.Array) -> tuple[State, jax.Array]:
        state = env.start(key)
        return state, start_of(state, env.make(state, env.decode(state, action), key), env.board)

    states, starts = jax.jit(jax.vmap(stroke))(keys, actions)
    carrommen, seconds = np.asarray(states.on_board.sum(1)), 0.0
    for fewer, slots in itertools.pairwise((0, *SIZES)):
        group = np.flatnonzero((fewer <= carrommen) & (carrommen < slots))
        played = Strokes.on(
            Board(),
            np.asarray(states.positions)[group],
            np.asarray(states.on_board)[group],
            np.asarray(starts)[group],
            slots,
        )
        seconds += len(group) / played.rate(play_stream)
    return count / seconds


@one_core_bench
def umpire() -> Figures:
    """Microseconds per ruling, many at once, after the break, with all outputs written."""

    def stacked(tree: Any) -> Any:
        return jax.tree.map(lambda leaf: np.stack([np.asarray(leaf)] * _RULINGS), tree)

    keys = jax.random.split(jax.random.key(0), 3)
    pocketed = jax.random.randint(keys[0], (_RULINGS, 2), 0, 2, jnp.int32)
    facts = dataclasses.replace(
        stacked(StrokeFacts.shot()),
        pocketed=pocketed,
        pocketed_striker=jax.random.bernoulli(keys[1], 0.1, (_RULINGS,)),
        pocketed_queen=jax.random.bernoulli(keys[2], 0.1, (_RULINGS,)),
    )
    rulings = jax.jit(jax.vmap(functools.partial(rule, format=SINGLES)))
    states, _ = rulings(stacked(new_match()), stacked(StrokeFacts.shot()))
    jax.block_until_ready(rulings(states, facts))
    rate = best_rate(lambda: jax.block_until_ready(rulings(states, facts)), _RULINGS)
    return {"us_per_ruling": 1e6 / rate}
