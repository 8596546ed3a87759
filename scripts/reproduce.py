"""Train once more what a run folder did, and say whether it came out the same to the bit.

    python scripts/reproduce.py runs/quickstart-20261129-210000

Ends with status 1 where anything differs, and names what differs first. On one machine the
results do not depend on how many threads there are; other versions of what computes, or another
kind of processor, may round otherwise, and are told of first. Runs of several seeds at once are
equal to runs of one only to rounding.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

# Whatever the user has set stays. XLA reads its flags when it is first used.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.program import run
from carrom.render.backend import check_setting


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="a run folder")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the new run in there")
    arguments = parser.parse_args()
    return run("reproduce", lambda: _reproduce(arguments))


def _reproduce(arguments: argparse.Namespace) -> int:
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom_agents.checkpoint import run_config
    from carrom_agents.processor import share_processor

    share_processor(run_config(arguments.run).devices)
    if arguments.keep is not None:
        return _told(arguments.run, arguments.keep)
    with tempfile.TemporaryDirectory() as folder:
        return _told(arguments.run, Path(folder))


def _told(original: Path, directory: Path) -> int:
    from carrom_agents.reproduction import changed_since, compare, run_again

    changed = changed_since(original)
    for name, (was, now) in changed.items():
        print(f"made with another {name}: was {was}, is {now}", flush=True)
    found = compare(original, run_again(original, directory))
    if found.difference is not None:
        print(f"not equal; first difference: {found.difference}")
        if changed:
            print(f"what computes is not the same ({', '.join(changed)}), and may round otherwise")
        return 1
    print(f"bit-equal: {found.records} records of metrics, {found.arrays} arrays, the evaluation")
    return 0


if __name__ == "__main__":
    sys.exit(main())
