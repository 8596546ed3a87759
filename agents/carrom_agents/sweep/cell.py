"""One training of a sweep, in a process of its own: begun, or taken up where it stopped.

    python -m carrom_agents.sweep.cell FOLDER

``FOLDER`` holds the configuration, ``cell.yaml``, and gets the run folders.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import threading
from pathlib import Path

from carrom.errors import CarromError
from carrom_agents.checkpoint import CONFIG_FILE
from carrom_agents.config import load_config
from carrom_agents.processor import share_processor

CELL_FILE = "cell.yaml"
"""Name of the configuration in the cell's folder."""


def run_folders(cell: Path) -> list[Path]:
    """The runs in a cell's folder, in the order of their seeds."""
    found = [path.parent for path in cell.glob(f"*/{CONFIG_FILE}")]
    return sorted(found, key=lambda folder: load_config(folder / CONFIG_FILE).seed)


def train_cell(folder: Path) -> None:
    """Train what ``folder`` describes to its end; errors are those of ``train``."""
    config = load_config(folder / CELL_FILE)
    share_processor(config.devices)
    # What computes is only imported once the processor has been shared out.
    from carrom_agents.experiment import resume, resume_together, train

    runs = run_folders(folder)
    if len(runs) < config.seeds:
        # It was ended while the folders were made: nothing had been trained.
        for path in filter(Path.is_dir, folder.iterdir()):
            shutil.rmtree(path)
        train(config)
    elif config.seeds == 1:
        resume(runs[0])
    else:
        resume_together(runs)


def _end_with_owner() -> None:
    """The owner holds the other end of standard input: when that is closed, he has gone."""
    # Unbuffered: the interpreter waits at its end for the lock of a buffer.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def main() -> int:
    """Train the cell whose folder the command line names."""
    (name,) = sys.argv[1:]
    threading.Thread(target=_end_with_owner, daemon=True).start()
    with (Path(name) / ".lock").open("w") as lock:
        # The process of an owner who was killed may take a moment to notice.
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            train_cell(Path(name))
        except CarromError as error:
            # In one line, and nothing before it: it is what the sweep says of this cell.
            print(" ".join(str(error).split()), file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
