"""The record of a run: every metric of every update, as JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from carrom.errors import CheckpointError, ConfigError
from carrom_agents.logging.protocol import GLOBAL_STEP, MetricsLogger
from carrom_agents.run_folder import write_bytes


class JsonLinesLogger(MetricsLogger):
    """One JSON object a line, appended and flushed at once; what is not finite becomes null.

    Raises:
        ConfigError: the file cannot be written, when it is opened or later.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # Unbuffered: what could not be written is not tried again when the file is closed.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise self._failed(error) from error

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Append a line."""
        finite = {k: v if math.isfinite(v) else None for k, v in metrics.items()}
        line = f"{json.dumps({GLOBAL_STEP: step, **finite}, allow_nan=False)}\n".encode()
        try:
            written = self._file.write(line)
        except OSError as error:
            raise self._failed(error) from error
        if written != len(line):
            raise self._failed("the disk is full")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _failed(self, error: OSError | str) -> ConfigError:
        reason = error if isinstance(error, str) else error.strerror
        return ConfigError(
            f"{self._path}: cannot be written ({reason}): expected room for the record; make "
            "some, and go on with --resume"
        )


def forget_records_after(path: Path, step: int) -> None:
    """Drop what was recorded after ``step``, where a resumed run starts again.

    So is what a killed run was about to write: a last line without its end. A run that begins
    again, at step 0, records everything anew.

    Raises:
        CheckpointError: as ``records_until``; the file is left as it is.
        ConfigError: the file cannot be written.
    """
    if path.is_file():
        write_bytes(path, records_until(path, step))


def records_until(path: Path, step: int) -> bytes:
    """The lines of a record that a run keeps which goes on from ``step``.

    Raises:
        CheckpointError: one of them is damaged, or the file cannot be read.
    """
    try:
        *lines, _ = path.read_bytes().split(b"\n") if path.exists() else [b""]
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error.strerror})") from None
    kept, last = 0, -1
    for number, line in enumerate(lines if step else [], start=1):
        if last == step:
            break
        found = _step_of(line)
        if found is None or found <= last:
            raise CheckpointError(
                f"{path}: line {number} is damaged: expected the record of a step after {last}; "
                "put the line in order, or go on from a checkpoint before it"
            )
        if found > step:
            break
        kept, last = number, found
    return b"".join(line + b"\n" for line in lines[:kept])


def _step_of(line: bytes) -> int | None:
    """The step of a record; None if the line is none."""
    try:
        step = json.loads(line.decode())[GLOBAL_STEP]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return step if type(step) is int else None
