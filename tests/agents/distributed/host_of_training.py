"""One of the hosts of a training on a toy; prints what each update tells as a line of JSON.

    python host_of_training.py HOSTS HOST_ID HOST:PORT

With HOSTS = 1 it is all there is, with as many devices. Of more, host 0 takes longer over the
first update than a host may be silent, and host 1 is killed after the second.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time

import jax
from test_device_training import without_timings
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


def main(count: int, own: int, coordinator: str) -> int:
    config = ExperimentConfig(
        total_strokes=UPDATES * 256,
        devices=DEVICES,
        env=EnvConfig(physics="planar", num_envs=16),
        network=NetworkConfig(width=16, place_width=8),
        ppo=PpoConfig(rollout_length=16, minibatches=2, epochs=1),
        logging=LoggingConfig(checkpoint_every_updates=2),
    )
    with contextlib.ExitStack() as opened:
        if count == 1:
            share_processor(DEVICES)
        else:
            hosts = Hosts(coordinator, count, own)
            share_processor(hosts.own_devices(DEVICES))
            opened.enter_context(joined(hosts, {"configuration": dump_config(config)}))
        agent = Agent(config.network, "target")
        game = Game(ToyFunctional("board"), find_rival("self", config), _mesh(config))  # type: ignore[arg-type]

        def tell(_: int, progress: Progress) -> None:
            devices = {"devices": len(jax.devices()), "own_devices": len(jax.local_devices())}
            (metrics,) = without_timings([progress])
            print(json.dumps(devices | metrics), flush=True)
            if count > 1 and leading() and progress.state.update == 1:
                time.sleep(host_module._SILENT_FOR_S + 1)
            if count > 1 and not leading() and progress.state.update == 2:
                os.kill(os.getpid(), signal.SIGTERM)

        learn_on_device(config, agent, game, [initial_state(config, agent)], tell)
    return 0


if __name__ == "__main__":
    host_module._SILENT_FOR_S = 10
    count, own, coordinator = sys.argv[1:]
    status = run("host", lambda: main(int(count), int(own), coordinator))
    sys.stdout.flush()
    if status:
        os._exit(status)
