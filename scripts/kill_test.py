"""Kill small trainings at random moments, and hold what they come to against undisturbed ones.

    python scripts/kill_test.py                      # 50 kills on each engine
    python scripts/kill_test.py --rounds 5 --physics planar --seed 1

After every kill the newest checkpoint must be readable and equal, to the bit, to the one that an
undisturbed run has written; at its end the whole run must be. Ends with status 2, and says what
was lost or different, if it is not so.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

# Whatever the user has set stays. XLA reads its flags when it is first used.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError
from carrom.program import run
from carrom.render.backend import check_setting


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=50, help="kills on each engine (default: 50)")
    parser.add_argument("--physics", choices=("mujoco", "planar"), help="only this engine")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default: 0)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the runs in there")
    arguments = parser.parse_args()
    return run("kill_test", lambda: _killed(arguments))


def _killed(arguments: argparse.Namespace) -> int:
    if arguments.rounds < 1:
        raise ConfigError(f"--rounds {arguments.rounds}: expected at least 1")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    with tempfile.TemporaryDirectory() as folder:
        # So that the processes that go on find compiled what the first has compiled.
        os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(folder) / "programs"))
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.1")
        import numpy as np

        from carrom_agents.killing import kill_again_and_again, small_run, summary

        directory = arguments.keep or Path(folder)
        for physics in (arguments.physics,) if arguments.physics else ("mujoco", "planar"):
            rng, kills = np.random.default_rng(arguments.seed), []
            for kill in kill_again_and_again(small_run(physics, directory), arguments.rounds, rng):
                kills.append(kill)
                print(
                    f"{physics} {len(kills)}: killed {kill.moment.value}; newest checkpoint "
                    f"{kill.update}, equal{'; one unfinished' if kill.leftover else ''}",
                    flush=True,
                )
            print(f"{physics}: {summary(kills)}; every run ended with the undisturbed run's bits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
