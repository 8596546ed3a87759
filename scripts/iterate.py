"""Train a player by expert iteration, as a configuration file says, with overrides.

    python scripts/iterate.py configs/league.yaml --seed 1
    python scripts/iterate.py --resume runs/league-20261130-150000

The run folder is a player by name: scripts/evaluate.py, scripts/play.py, scripts/release.py.
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
from carrom_agents.foresight.settings import IterationConfig, load_iteration


def main() -> int:
    arguments = sys.argv[1:]
    return run("iterate", lambda: _iterate(arguments))


def _iterate(arguments: list[str]) -> int:
    from carrom_agents.foresight import training

    if "--resume" in arguments:
        if arguments[0] != "--resume" or len(arguments) != 2:
            raise ConfigError(
                f"{' '.join(arguments)}: expected --resume with one run folder and nothing else: "
                "a run goes on as it was configured"
            )
        training.go_on(Path(arguments[1]))
        return 0
    default = IterationConfig()
    if arguments and not arguments[0].startswith("-"):
        default = load_iteration(Path(arguments.pop(0)))
    training.iterate(
        tyro.cli(IterationConfig, args=arguments, default=default, description=__doc__)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
