"""One of the hosts of a training on a toy; prints what it found as JSON.

    python host_of_training.py HOSTS HOST_ID HOST:PORT [fault]

With HOSTS = 1 it is all there is, with as many devices. A fault: "die" (host 1 is killed in the
middle), "stop" (it is stopped, and stays silent), "slow" (host 0 takes its time to be told),
"other" (the hosts have other configurations).
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import sys
import time

import jax
from test_device_training import opinions, without_timings
from toy_functional import ToyFunctional

from carrom.program import run
from carrom_agents.agent import Agent
from carrom_agents.config import (
    EnvConfig,
    ExperimentConfig,
    LoggingConfig,
    NetworkConfig,
    PpoConfig,
    dump_config,
)
from carrom_agents.device.rivals import find_rival
from carrom_agents.device.training import Game, _mesh, learn_on_device
from carrom_agents.distributed import hosts as host_module
from carrom_agents.distributed.hosts import Hosts, joined, leading
from carrom_agents.learning import Progress, initial_state
from carrom_agents.processor import share_processor

DEVICES = 2
UPDATES = 3


def main(count: int, own: int, coordinator: str, fault: str) -> int:
    config = ExperimentConfig(
        total_strokes=UPDATES * 256,
        devices=DEVICES,
        env=EnvConfig(physics="planar", num_envs=16),
        network=NetworkConfig(width=16, place_width=8),
        ppo=PpoConfig(rollout_length=16, minibatches=2, epochs=1),
        logging=LoggingConfig(checkpoint_every_updates=2),
    )
    if fault == "other":
        config = dataclasses.replace(config, seed=own)
    host_module._GATHERED_WITHIN_S, host_module._SILENT_FOR_S = 60.0, 10
    with contextlib.ExitStack() as opened:
        if count == 1:
            share_processor(DEVICES)
        else:
            hosts = Hosts(coordinator, count, own)
            share_processor(hosts.own_devices(DEVICES))
            opened.enter_context(joined(hosts, {"configuration": dump_config(config)}))
        agent = Agent(config.network, "target")
        game = Game(ToyFunctional("board"), find_rival("self", config), _mesh(config))  # type: ignore[arg-type]
        told: list[Progress] = []

        def tell(_: int, progress: Progress) -> None:
            told.append(progress)
            update = progress.state.update
            if fault in ("die", "stop") and own == 1 and update == 2:
                os.kill(os.getpid(), signal.SIGKILL if fault == "die" else signal.SIGSTOP)
            if fault == "slow" and leading() and update == 1:
                # Longer than a host may be silent.
                time.sleep(11)

        (state,) = learn_on_device(config, agent, game, [initial_state(config, agent)], tell)
        found = {
            "metrics": without_timings(told),
            "opinions": [opinion.tolist() for opinion in opinions(agent, state)],
            "devices": [len(jax.devices()), len(jax.local_devices())],
            "leading": leading(),
        }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    count, own, coordinator, *fault = sys.argv[1:]
    status = run("host", lambda: main(int(count), int(own), coordinator, *(fault or [""])))
    sys.stdout.flush()
    if status:
        os._exit(status)
