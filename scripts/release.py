"""Make a released agent of what a run has trained: a folder of two small files.

python scripts/release.py runs/ppo_board-20261129-210000 agents/carrom_agents/released_agents/ppo
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Whatever the user has set stays. Players of this size are fastest on the processor.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.program import run


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="a run folder")
    parser.add_argument("folder", type=Path, help="of the agent; made, or overwritten")
    arguments = parser.parse_args()
    return run("release", lambda: _release(arguments))


def _release(arguments: argparse.Namespace) -> int:
    from carrom_agents.released import release

    release(arguments.run, arguments.folder)
    size = sum(file.stat().st_size for file in arguments.folder.iterdir())
    print(f"{arguments.folder}: {size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
