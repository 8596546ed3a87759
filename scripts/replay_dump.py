"""Show what a training has dumped: a minibatch, or a stroke, in which something was not finite.

    python scripts/replay_dump.py runs/NAME/dumps/update_00000123.npz
    python scripts/replay_dump.py runs/NAME/dumps/stroke_00000123_1.json --svg stroke.svg

Of a minibatch it says which numbers were not finite; of a stroke as well, and it plays it again
on both engines, and draws the position with the strike.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# Whatever the user has set stays.
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from carrom.errors import ConfigError
from carrom.program import in_one_line, run
from carrom.render.backend import check_setting

_MINIBATCH, _STROKE = ".npz", ".json"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="in the folder dumps of a run")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the stroke: .svg or .png")
    arguments = parser.parse_args()
    return run("replay_dump", lambda: _show(arguments.file, arguments.svg))


def _show(file: Path, drawing: Path | None) -> int:
    if not file.is_file():
        raise ConfigError(f"{file}: no such file: expected a dump of a run")
    if file.suffix == _MINIBATCH:
        if drawing is not None:
            raise ConfigError(f"--svg {drawing}: expected a dump of a stroke ({_STROKE}) with it")
        from carrom_agents.dumps import UpdateDump

        print(*map(in_one_line, UpdateDump.load(file).told()), sep="\n")
        return 0
    if file.suffix != _STROKE:
        raise ConfigError(f"{file}: expected a dump: {_MINIBATCH} or {_STROKE}")
    # MuJoCo fails obscurely when it is imported with a bad setting.
    check_setting()
    from carrom.failed_stroke import drawn, told
    from carrom.physics.dump import StrokeDump

    dump = StrokeDump.load(file)
    print(*map(in_one_line, told(dump)), sep="\n")
    if drawing is not None:
        drawn(dump).save(drawing)
        print(f"drawing: {drawing}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
