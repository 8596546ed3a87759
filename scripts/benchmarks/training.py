"""Training on the device: strokes that are played and learnt from."""

from __future__ import annotations

import dataclasses
import itertools
import time
from pathlib import Path

from carrom_agents.agent import agent_of
from carrom_agents.config import load_config
from carrom_agents.device.training import Game, learn_on_device
from carrom_agents.learning import Progress, initial_state

from .measure import Figures, one_core_bench

_CONFIG = Path(__file__).parents[2] / "configs" / "ppo_shot.yaml"
_BOARDS = 256
_UPDATES = 3


@one_core_bench
def training() -> Figures:
    """Own strokes per second of CPU time, updates included, of the drill's experiment.

    With fewer boards than the experiment has, and the first update, which compiles, apart.
    """
    config = load_config(_CONFIG)
    env = dataclasses.replace(config.env, num_envs=_BOARDS)
    config = dataclasses.replace(config, env=env, devices=1)
    config = dataclasses.replace(config, total_strokes=_UPDATES * config.rollout_strokes)
    agent = agent_of(config)
    times = [time.process_time()]

    def tell(index: int, progress: Progress) -> None:
        times.append(time.process_time())

    learn_on_device(config, agent, Game.of(config), [initial_state(config, agent)], tell)
    first, *others = (after - before for before, after in itertools.pairwise(times))
    return {
        "first_update_s": first,
        "update_s": min(others),
        "strokes_per_s": config.rollout_strokes / min(others),
    }
