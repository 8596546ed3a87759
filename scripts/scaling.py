"""What Ray costs against processes of one machine: the figures of docs/scaling.md.

    python scripts/scaling.py --rounds 5

In each round every way of playing has its turn, so that what else the machine does befalls all
of them. Each round of a way of playing is one figure; the table has their mean with a 95 %
interval.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

from carrom.program import run
from carrom.render.backend import check_setting

_BOARDS = 64
_STEPS = 8
"""Of a round; each is a stroke on all boards."""
_STARTS = 48
"""Of a tournament, each played twice."""
_EMPTY_TASKS = 300

Figures = dict[str, list[float]]
"""Of each round, by what they are of."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="of every way of playing")
    arguments = parser.parse_args()
    return run("scaling", lambda: _measure(arguments.rounds))


def _measure(rounds: int) -> int:
    check_setting()
    from carrom_agents.episode import check_at_least

    check_at_least("rounds", rounds, 2)
    for measure in (_tournaments, _boards):
        found: Figures = defaultdict(list)
        measure(found, rounds)
        print(_table(found), flush=True)
    return 0


def _tournaments(figures: Figures, rounds: int) -> None:
    """Games a minute, here and on clusters of one and two processors, and what a task costs."""
    import ray

    from carrom_agents.distributed.cluster import connected
    from carrom_agents.distributed.games import games_on
    from carrom_agents.tournament.play import play_on_this_machine

    for _ in range(rounds):
        for workers in (1, 2):
            _play(figures, f"processes: {workers}", play_on_this_machine, workers)
            with connected("local", processors=workers) as cluster:
                _play(figures, f"Ray, processors: {workers}", games_on(cluster), workers)
                if workers == 2:
                    for name, value in _task_costs(ray).items():
                        figures[name].append(value)


def _play(figures: Figures, name: str, play: Any, workers: int) -> None:
    """A tournament; its first game, before which workers start, is told apart."""
    from carrom_agents.tournament.play import play_tournament
    from carrom_agents.tournament.settings import Conditions, TournamentConfig

    ends: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        config = TournamentConfig(
            players=("aimer", "random_coin"),
            folder=folder,
            starts=_STARTS,
            workers=workers,
            conditions=Conditions(max_strokes=40),
        )
        play_tournament(
            config, play=play, progress=lambda done, total: ends.append(time.perf_counter())
        )
    began, first, *_, last = ends
    figures[f"s to the first game, {name}"].append(first - began)
    figures[f"games/min after it, {name}"].append(60 * (len(ends) - 2) / (last - first))


def _task_costs(ray: Any) -> dict[str, float]:
    """What a task costs that does nothing: the program that gives it out, and in all."""
    nothing = ray.remote(num_cpus=1)(lambda: None)
    ray.get([nothing.remote() for _ in range(4)])
    began, busy = time.perf_counter(), time.process_time()
    ray.get([nothing.remote() for _ in range(_EMPTY_TASKS)])
    return {
        "ms of a task that does nothing": 1e3 * (time.perf_counter() - began) / _EMPTY_TASKS,
        "ms of the driver's processor for it": 1e3 * (time.process_time() - busy) / _EMPTY_TASKS,
    }


def _boards(figures: Figures, rounds: int) -> None:
    """Strokes a second on many boards, here and in actors; and what the driver does for one."""
    from carrom.vector import CarromVectorEnv
    from carrom_agents.distributed.boards import actors_on
    from carrom_agents.distributed.cluster import connected

    with connected("local", processors=3) as cluster:
        kinds: dict[str, tuple[int, Any]] = {"here: 1": (1, None), "processes: 2": (2, None)}
        kinds |= {f"Ray, actors: {workers}": (workers, actors_on(cluster)) for workers in (1, 2)}
        envs = {
            name: CarromVectorEnv(
                _BOARDS,
                task="shot",
                autoreset_mode="SameStep",
                noise="expert",
                action_coding="target",
                workers=workers,
                board_workers=hire,
            )
            for name, (workers, hire) in kinds.items()
        }
        for env in envs.values():
            env.reset(seed=0)
            env.action_space.seed(0)
            env.step(env.action_space.sample())
        for _ in range(rounds):
            for name, env in envs.items():
                began, busy = time.perf_counter(), time.process_time()
                for _ in range(_STEPS):
                    env.step(env.action_space.sample())
                strokes = _STEPS * _BOARDS
                figures[f"strokes/s, {name}"].append(strokes / (time.perf_counter() - began))
                if name != "here: 1":
                    driver = 1e3 * (time.process_time() - busy) / strokes
                    figures[f"ms of the driver's processor for a stroke, {name}"].append(driver)
        for env in envs.values():
            env.close()


def _table(figures: Figures) -> str:
    from carrom_agents.statistics import mean

    lines = [f"{'figure':60} {'mean':>8}  95 % interval"]
    for name, values in figures.items():
        found = mean(values, np.random.default_rng(0))
        lines.append(f"{name:60} {found.value:8.3g}  [{found.low:.3g}, {found.high:.3g}]")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
