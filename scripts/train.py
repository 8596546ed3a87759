"""Train an agent as a configuration file says, with overrides from the command line.

    python scripts/train.py configs/quickstart.yaml --seed 1 --ppo.learning-rate 3e-4
    python scripts/train.py --resume runs/quickstart-20261129-210000
    python scripts/train.py --resume runs/quickstart-20261129-210000/checkpoints/00000050

    python scripts/train.py configs/ppo_shot.yaml --seeds 3    # three seeds in one program

MuJoCo's boards can be played on a Ray cluster, and the planar engine's on the devices of several
hosts, on each of which the same command is given (docs/scaling.md):

    python scripts/train.py configs/quickstart.yaml --env.workers 16 --ray HOST:PORT
    python scripts/train.py CONFIG --devices 2 --hosts 2 --host-id 0 --coordinator HOST:PORT

The run folders' names are printed, with the results, at the end.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Whatever the user has set stays. XLA reads its flags when it is first used.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import tyro

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting
from carrom_agents.config import ExperimentConfig, load_config


def main() -> int:
    arguments = sys.argv[1:]
    status = run("train", lambda: _train(arguments))
    if status and "--hosts" in arguments:
        # Without the courtesies of an exit: JAX would wait for hosts that are lost, then abort.
        sys.stdout.flush()
        os._exit(status)
    return status


def _train(arguments: list[str]) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom_agents.distributed.machines import machines_of

    machines, arguments = machines_of(arguments)
    if "--resume" in arguments:
        if arguments[0] != "--resume" or len(arguments) != 2:
            raise ConfigError(
                f"{' '.join(arguments)}: expected --resume with one run folder, or one of its "
                "checkpoints, and nothing else but the machines: a run goes on as it was configured"
            )
        from carrom_agents.checkpoint import run_config
        from carrom_agents.experiment import resume

        folder = Path(arguments[1])
        with machines.used(run_config(folder)) as board_workers:
            resume(folder, board_workers)
        return 0
    default = ExperimentConfig()
    if arguments and not arguments[0].startswith("-"):
        default = load_config(Path(arguments.pop(0)))
    config = tyro.cli(ExperimentConfig, args=arguments, default=default, description=__doc__)
    with machines.used(config) as board_workers:
        from carrom_agents.experiment import train

        train(config, board_workers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
