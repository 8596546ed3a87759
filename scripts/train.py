"""Train an agent as a configuration file says, with overrides from the command line.

    python scripts/train.py configs/quickstart.yaml --seed 1 --ppo.learning-rate 3e-4
    python scripts/train.py --resume runs/quickstart-20261129-210000

    python scripts/train.py configs/ppo_shot.yaml --seeds 3    # three seeds in one program

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
from carrom_agents.processor import share_processor


def main() -> int:
    return run("train", lambda: _train(sys.argv[1:]))


def _train(arguments: list[str]) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    if "--resume" in arguments:
        if arguments[0] != "--resume" or len(arguments) != 2:
            raise ConfigError(
                f"{' '.join(arguments)}: expected --resume with one run folder, and nothing else: "
                "a run goes on as it was configured"
            )
        from carrom_agents.checkpoint import run_config
        from carrom_agents.experiment import resume

        folder = Path(arguments[1])
        share_processor(run_config(folder).devices)
        resume(folder)
        return 0
    default = ExperimentConfig()
    if arguments and not arguments[0].startswith("-"):
        default = load_config(Path(arguments.pop(0)))
    config = tyro.cli(ExperimentConfig, args=arguments, default=default, description=__doc__)
    share_processor(config.devices)
    from carrom_agents.experiment import train

    train(config)
    return 0


if __name__ == "__main__":
    sys.exit(main())
