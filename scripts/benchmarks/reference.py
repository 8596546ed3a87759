"""MuJoCo, the reference engine, and what one would write first."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

import mujoco
import numpy as np

from carrom.board import Board
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.pool import EnginePool
from carrom.physics.scene import build_mjcf
from carrom.physics.simulation import fall_radii
from carrom.pieces import N_DISCS, STRIKER

from .measure import Figures, bench, best_rate, one_core_bench, shots_of


@one_core_bench
def engine() -> Figures:
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
def engine_workers() -> Figures:
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


@one_core_bench
def plain_loop() -> Figures:
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
