"""A sweep from its settings to its runs: what is missing is trained."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from carrom.errors import ConfigError
from carrom_agents import strict_yaml
from carrom_agents.conclusion import EVALUATION_FILE
from carrom_agents.config import dump_config, load_config
from carrom_agents.exclusive import alone_in
from carrom_agents.run_folder import write_json, write_text
from carrom_agents.sweep.cell import CELL_FILE, run_folders
from carrom_agents.sweep.checking import check_cells
from carrom_agents.sweep.schedule import Cell, cells_of
from carrom_agents.sweep.settings import SweepConfig

CELLS_FILE = "cells.jsonl"
"""Name of the list of all cells in the sweep's folder."""
_OUTCOME_FILE = "outcome.json"
_LOG_FILE = "log.txt"
_POLL = 0.1
"""s between looks at the processes."""


@dataclass(frozen=True)
class Outcome:
    """How the training of a cell ended.

    Attributes:
        cell: its name.
        status: whether it came to its end; damaged, if what was written of that cannot be read.
        attempts: how often it was begun or taken up and then ended by itself.
        seconds: that the last attempt took.
        runs: its run folders, relative to the sweep's folder, in the order of their seeds.
        error: the last line of what it said, if it failed, or what is damaged.
        log: everything it said, relative to the sweep's folder.
    """

    cell: str
    status: Literal["done", "failed", "damaged"]
    attempts: int
    seconds: float
    runs: tuple[str, ...]
    error: str
    log: str


Training: TypeAlias = Callable[[Sequence[Cell], SweepConfig], Iterator[tuple[Cell, Outcome]]]
"""Trains cells, and gives each, with how it ended, when it has."""


def run_sweep(
    sweep: SweepConfig,
    *,
    retry: bool = False,
    train: Training | None = None,
    told: Callable[[Outcome, int], None] = lambda outcome, left: None,
) -> dict[str, Outcome]:
    """Train what is missing in the sweep's folder; returns how every cell ended, by name.

    Cells are trained in processes of their own. One that fails is told of and left, and the
    others go on. A sweep that was ended, however it was, goes on from the last checkpoints.

    Args:
        sweep: what is to be trained.
        retry: take up cells that have failed before, or whose outcome is damaged, once more.
        train: trains the cells; on this machine, if it is not given.
        told: is given each outcome as it comes, and how many are still to come.

    Raises:
        ConfigError: bad settings, a folder that cannot be used or holds other runs, or one
            that another program is using.
    """
    cells, folder = cells_of(sweep), sweep.place
    check_cells(_waiting(cells, _outcomes(cells), retry=retry), sweep)
    with alone_in(folder, "running this sweep"):
        for cell in cells:
            _prepare(cell)
        write_text(folder / "sweep.yaml", strict_yaml.dump(sweep))
        outcomes = _outcomes(cells)
        waiting = _waiting(cells, outcomes, retry=retry)
        left = len(waiting)
        for cell, outcome in (train or _trained)(waiting, sweep):
            before = outcomes.get(cell.name)
            outcome = replace(outcome, attempts=1 + (before.attempts if before else 0))
            write_json(cell.folder / _OUTCOME_FILE, asdict(outcome))
            outcomes[cell.name] = outcome
            _list(folder, cells, outcomes)
            left -= 1
            told(outcome, left)
        _list(folder, cells, outcomes)
    return {cell.name: outcomes[cell.name] for cell in cells}


def outcomes_of(sweep: SweepConfig) -> dict[str, Outcome]:
    """How the cells of a sweep have ended so far, by name.

    Raises:
        ConfigError: bad settings.
    """
    return _outcomes(cells_of(sweep))


def _outcomes(cells: Sequence[Cell]) -> dict[str, Outcome]:
    found = {}
    for cell in cells:
        file = cell.folder / _OUTCOME_FILE
        if file.is_file():
            found[cell.name] = _read_outcome(file, cell)
    return found


def _read_outcome(file: Path, cell: Cell) -> Outcome:
    """How a cell has ended, as it was written down; damaged, if that cannot be read."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        outcome = strict_yaml.build(Outcome, content, file.name)
        if outcome.cell != cell.name or len(outcome.runs) > len(cell.seeds):
            raise ConfigError(f"{file.name}: of another cell, {outcome.cell!r:.60}")
    except (OSError, ValueError, OverflowError, RecursionError) as error:
        said = f"{file.name} cannot be read ({error}); --retry makes it anew"
        log = str(Path("cells", cell.name, _LOG_FILE))
        return Outcome(cell.name, "damaged", 0, 0.0, (), said, log)
    return outcome


def _waiting(cells: Sequence[Cell], outcomes: Mapping[str, Outcome], *, retry: bool) -> list[Cell]:
    """The cells that are to be trained."""
    return [
        cell
        for cell in cells
        if cell.name not in outcomes or (retry and outcomes[cell.name].status != "done")
    ]


def _list(folder: Path, cells: Sequence[Cell], outcomes: dict[str, Outcome]) -> None:
    """Write down how all cells have ended so far."""
    lines = [
        json.dumps({"variant": cell.variant, "task": cell.task, "seeds": list(cell.seeds)} | ended)
        for cell in cells
        if (ended := asdict(outcomes[cell.name]) if cell.name in outcomes else {})
    ]
    write_text(folder / CELLS_FILE, "".join(f"{line}\n" for line in lines))


def _prepare(cell: Cell) -> None:
    """Write down what the cell is to train, or see that it is what it has trained so far."""
    file = cell.folder / CELL_FILE
    if file.is_file():
        before = load_config(file)
        # Where it is told of does not matter to what comes out, but after a checkpoint the boards
        # begin anew.
        every = before.logging.checkpoint_every_updates
        logging = replace(cell.config.logging, checkpoint_every_updates=every)
        if replace(before, logging=logging) != cell.config:
            raise ConfigError(
                f"{file}: is not what cell {cell.name!r} of this sweep is to train: expected the "
                "same settings as before, or another name or folder"
            )
    cell.folder.mkdir(parents=True, exist_ok=True)
    write_text(file, dump_config(cell.config))


@dataclass(frozen=True)
class _Process:
    cell: Cell
    began: float
    handle: subprocess.Popen[bytes]


def _trained(cells: Sequence[Cell], sweep: SweepConfig) -> Iterator[tuple[Cell, Outcome]]:
    """The cells as they end, so many at a time as there are workers."""
    waiting, running = list(cells), []
    try:
        while waiting or running:
            while waiting and len(running) < sweep.workers:
                running.append(_begun(waiting.pop(0), sweep.place))
            ended = [process for process in running if process.handle.poll() is not None]
            for process in ended:
                running.remove(process)
                yield process.cell, _outcome(process, sweep.place)
            if not ended:
                time.sleep(_POLL)
    finally:
        for process in running:
            process.handle.communicate()  # closes its standard input, so it ends


def train_alone(cell: Cell, folder: Path) -> Outcome:
    """Train a cell in a process of its own, to its end; ``folder`` is the sweep's.

    The process ends if this one does.
    """
    process = _begun(cell, folder)
    process.handle.wait()
    return _outcome(process, folder)


def _begun(cell: Cell, folder: Path) -> _Process:
    # The same programs are compiled once for all cells.
    environment = {"JAX_COMPILATION_CACHE_DIR": str((folder / "compiled").absolute())} | os.environ
    with (cell.folder / _LOG_FILE).open("ab") as log:
        handle = subprocess.Popen(
            [sys.executable, "-m", "carrom_agents.sweep.cell", str(cell.folder)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            # Ctrl-C is for the program that owns the cells.
            start_new_session=True,
        )
    return _Process(cell, time.monotonic(), handle)


def _outcome(process: _Process, folder: Path) -> Outcome:
    """How the process of a cell ended."""
    cell, code = process.cell, process.handle.returncode
    process.handle.communicate()
    try:
        runs = run_folders(cell.folder)
    except ConfigError:  # a damaged folder, as the cell has said
        runs = []
    evaluated = [run for run in runs if (run / EVALUATION_FILE).is_file()]
    done = code == 0 and len(evaluated) == cell.config.seeds
    log = cell.folder / _LOG_FILE
    error = ""
    if code < 0:
        error = f"ended by {signal.Signals(-code).name}"
    elif not done:
        said = log.read_text(encoding="utf-8", errors="replace").split("\n")
        error = next((line.strip() for line in reversed(said) if line.strip()), f"status {code}")
    return Outcome(
        cell=cell.name,
        status="done" if done else "failed",
        attempts=1,
        seconds=round(time.monotonic() - process.began, 1),
        runs=tuple(str(run.relative_to(folder)) for run in runs),
        error=error,
        log=str(log.relative_to(folder)),
    )
