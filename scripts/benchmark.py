"""Measure how fast the parts of carrom are, on this machine as it is.

Usage: python scripts/benchmark.py [--only NAME ...] [--json]

Each bench is a function that returns named numbers, registered with ``@bench``. Rates are
the best of three repetitions: per second of CPU time where one core works, so that other work
on the machine matters little, and of wall time where several do: that needs idle cores.
"""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium as gym
import mujoco
import numpy as np
import tyro

import carrom  # noqa: F401 -- registers the environments
from carrom.board import Board
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.pool import EnginePool
from carrom.physics.scene import build_mjcf
from carrom.physics.simulation import fall_radii
from carrom.pieces import N_DISCS, STRIKER

Bench = Callable[[], dict[str, float]]
BENCHES: dict[str, Bench] = {}
_REPEATS = 3


def bench(function: Bench) -> Bench:
    """Register a bench under its function's name."""
    BENCHES[function.__name__] = function
    return function


def best_rate(
    work: Callable[[], object], count: int, clock: Callable[[], float] = time.process_time
) -> float:
    """``count`` over the shortest time of ``work``, 1/s."""
    times = []
    for _ in range(_REPEATS):
        start = clock()
        work()
        times.append(clock() - start)
    return count / min(times)


def shots_of(kind: Callable[[Board, np.random.Generator], Shot], count: int) -> list[Shot]:
    rng = np.random.default_rng(2)
    return [kind(Board(), rng) for _ in range(count)]


@bench
def engine() -> dict[str, float]:
    """Strokes per second of ``play`` and ``play_many`` on one core."""
    player = MujocoEngine()
    result = {}
    for name, kind, count in (("break", break_shot, 256), ("midgame", midgame_shot, 1024)):
        shots = shots_of(kind, count)
        player.play(*shots[0])
        seats = [0] * count
        layouts, strikes = [s.layout for s in shots], [s.strike for s in shots]
        result[f"{name}_play_per_s"] = best_rate(
            lambda shots=shots: [player.play(*s) for s in shots], count
        )
        result[f"{name}_play_many_per_s"] = best_rate(
            partial(player.play_many, layouts, strikes, seats), count
        )
    return result


@bench
def engine_workers() -> dict[str, float]:
    """Strokes per second of two threads and of two processes, and their gain over one core."""
    player = MujocoEngine()
    result = {}
    with EnginePool(player, 2) as pool:
        for name, kind, count in (("break", break_shot, 256), ("midgame", midgame_shot, 2048)):
            shots = shots_of(kind, count)
            batch = [s.layout for s in shots], [s.strike for s in shots], [0] * count
            ways: dict[str, Callable[[], object]] = {
                "one": partial(player.play_many, *batch),
                "two_threads": partial(player.play_many, *batch, threads=2),
                "two_processes": partial(pool.play_many, *batch),
            }
            for way, work in ways.items():
                work()
                rate = best_rate(work, count, time.perf_counter)
                result[f"{name}_{way}_per_s"] = rate
                if way != "one":
                    result[f"{name}_{way}_gain"] = rate / result[f"{name}_one_per_s"]
    return result


@bench
def plain_loop() -> dict[str, float]:
    """The same scene in a plain Python loop at fixed 0.5 ms, against the engine, mid-game."""
    player, loop = MujocoEngine(), PlainLoop(Board(), Material())
    shots = shots_of(midgame_shot, 64)
    player.play(*shots[0])
    engine_rate = best_rate(lambda: [player.play(*s) for s in shots], len(shots))
    loop_rate = best_rate(lambda: [loop.play(s) for s in shots[:4]], 4)
    return {
        "midgame_loop_per_s": loop_rate,
        "midgame_engine_per_s": engine_rate,
        "midgame_engine_over_loop": engine_rate / loop_rate,
    }


def steps_per_s(env: gym.vector.VectorEnv, seconds: float = 3.0) -> float:
    """Steps per second of all boards together, over seeded random actions."""
    env.reset(seed=0)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    steps, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        env.step(env.action_space.sample())
        steps += env.num_envs
    return steps / (time.perf_counter() - start)


@bench
def environment() -> dict[str, float]:
    """Steps per second of the drill, umpire, placing and observation included."""
    options: dict[str, Any] = {"action_coding": "target", "noise": "expert"}
    single = gym.make("CarromShot-v0", disable_env_checker=True, **options)
    single.action_space.seed(0)
    single.reset(seed=0)
    count = 1000

    def episodes() -> None:
        for _ in range(count):
            single.step(single.action_space.sample())
            single.reset()

    episodes()
    result = {"single_per_s": best_rate(episodes, count)}
    shared: dict[str, dict[str, Any]] = {
        "1_worker": {"workers": 1},
        "2_workers": {"workers": 2},
    }
    for name, how in shared.items():
        env = gym.make_vec("CarromShot-v0", 64, autoreset_mode="SameStep", **options, **how)
        result[f"vector_{name}_per_s"] = max(steps_per_s(env) for _ in range(_REPEATS))
        env.close()
    one = result["vector_1_worker_per_s"]
    result["gain_of_2_workers"] = result["vector_2_workers_per_s"] / one
    return result


class PlainLoop:
    """What one writes first: fixed steps, numpy between them."""

    def __init__(self, board: Board, material: Material, timestep: float = 0.5e-3) -> None:
        text = build_mjcf(board, material, timestep=timestep)
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.board, self.material, self.timestep = board, material, timestep
        self.fall_radii = fall_radii(board, material)

    def play(self, shot: Shot) -> np.ndarray:
        """Rest positions, (20, 2), m."""
        mujoco.mj_resetData(self.model, self.data)
        place, rate = self.data.qpos.reshape(N_DISCS, 2), self.data.qvel.reshape(N_DISCS, 2)
        in_play = np.append(shot.layout.on_board, True)
        place[:STRIKER], place[STRIKER] = shot.layout.positions, shot.strike.position(self.board, 0)
        rate[STRIKER] = shot.strike.velocity(0)
        place[~in_play] = 5.0 + np.arange(N_DISCS)[~in_play, None]
        geoms = [self.model.geom(f"disc_{i}").id for i in range(N_DISCS)]
        self.model.geom_contype[geoms] = self.model.geom_conaffinity[geoms] = in_play
        dwell = np.zeros(N_DISCS)
        slowing = self.material.deceleration * self.timestep
        while rate.any():
            mujoco.mj_step(self.model, self.data)
            speed = np.hypot(rate[:, 0], rate[:, 1])
            rate *= (np.maximum(speed - slowing, 0) / np.maximum(speed, 1e-12))[:, None]
            to_pocket = np.hypot(*(np.abs(place) - self.board.pocket_offset).T)
            dwell = np.where(to_pocket < self.fall_radii, dwell + self.timestep, 0)
            for index in np.flatnonzero(dwell >= self.material.fall_time):
                place[index], rate[index], dwell[index] = 5.0 + index, 0.0, -math.inf
                self.model.geom_contype[geoms[index]] = self.model.geom_conaffinity[
                    geoms[index]
                ] = 0
        return place.copy()


@dataclass(frozen=True)
class Options:
    """Options of the benchmark."""

    only: list[str] = field(default_factory=list)
    """Names of the benches to run; all if none is given."""
    json: bool = False
    """Print JSON instead of lines."""


def main(options: Options) -> None:
    unknown = set(options.only) - set(BENCHES)
    if unknown:
        raise SystemExit(f"unknown bench {', '.join(unknown)}: expected {', '.join(BENCHES)}")
    results: dict[str, dict[str, float]] = {}
    for name in options.only or BENCHES:
        results[name] = BENCHES[name]()
        if not options.json:
            for key, value in results[name].items():
                print(f"{name}.{key}: {value:,.4g}", flush=True)
    if options.json:
        machine = {"cores": os.cpu_count(), "machine": platform.machine()}
        print(json.dumps({"machine": machine, "results": results}, indent=1))


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
