"""The folder of a run: everything needed to know what was done, and to do it again."""

from __future__ import annotations

import contextlib
import datetime
import json
import platform
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

from carrom.errors import ConfigError
from carrom_agents import durable
from carrom_agents.checkpoint import CONFIG_FILE
from carrom_agents.config import ExperimentConfig, dump_config
from carrom_agents.machine import machine
from carrom_agents.seeds import seed_tree
from carrom_agents.sources import sources

VERSIONS_FILE = "versions.json"
SEEDS_FILE = "seeds.json"
MACHINE_FILE = "machine.json"
GIT_FILE = "git.json"
RESUMES_FILE = "resumes.jsonl"

_PACKAGES = ("carrom-rl", "jax", "jaxlib", "flax", "optax", "mujoco", "gymnasium", "numba", "numpy")


def create_run_folder(config: ExperimentConfig) -> Path:
    """Make a new folder ``<name>-<timestamp>`` and write down what is about to be run.

    ``config.yaml`` holds the resolved configuration, ``seeds.json`` what follows from its seed,
    ``versions.json`` the versions of what computes, ``machine.json`` what it computes on,
    ``git.json`` the revision of the working directory, where it is one of git's, and
    ``git.diff`` the patch that makes of it what is run.

    Raises:
        ConfigError: it cannot be made, or not be written to; none is left then.
    """
    folder = begin_run_folder(config.logging.directory, config.name, dump_config(config))
    try:
        write_json(folder / SEEDS_FILE, seed_tree(config))
    except ConfigError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def begin_run_folder(
    directory: str, name: str, settings: str, settings_file: str = CONFIG_FILE
) -> Path:
    """Make a new folder ``<name>-<timestamp>`` with all that ``create_run_folder`` writes down.

    But for the seeds, which belong to an experiment.

    Args:
        directory: of the run folders, a setting called ``logging.directory``.
        name: of the run.
        settings: YAML of the resolved configuration.
        settings_file: name of the file for it.

    Raises:
        ConfigError: as ``create_run_folder``.
    """
    made_with = sources(Path(directory))
    folder = _new_folder(directory, name)
    try:
        write_text(folder / settings_file, settings)
        write_json(folder / VERSIONS_FILE, versions())
        write_json(folder / MACHINE_FILE, machine())
        if made_with is not None:
            write_json(folder / GIT_FILE, made_with.as_json())
            write_bytes(folder / "git.diff", made_with.patch or b"")
    except ConfigError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _new_folder(directory: str, name: str) -> Path:
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    base = Path(directory) / f"{name}-{stamp}"
    folder, count = base, 1
    while True:  # a second run within the second gets a number
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            count += 1
            folder = base.with_name(f"{base.name}-{count}")
        except OSError as error:
            raise ConfigError(
                f"logging.directory = {directory!r}: {folder} cannot be made "
                f"({error.strerror}): expected a folder, there or to be made"
            ) from None


def note_resumed(directory: str, folder: Path, update: int) -> str | None:
    """Write down in ``resumes.jsonl`` with which sources a run goes on.

    Args:
        directory: of the run folders.
        folder: of the run.
        update: from which it goes on.

    Returns:
        A sentence about it if they are not those the run was begun with; ``git-UPDATE.diff``
        has their patch then.

    Raises:
        ConfigError: it cannot be written.
    """
    now = sources(Path(directory))
    told = {} if now is None else now.as_json()
    file = folder / RESUMES_FILE
    before = file.read_bytes() if file.is_file() else b""
    when = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    line = json.dumps({"update": update, "time": when, **told})
    write_bytes(file, before + f"{line}\n".encode())
    if now is None or not (others := other_sources(folder, told)):
        return None
    write_bytes(folder / f"git-{update:08d}.diff", now.patch or b"")
    return "goes on with other sources: " + ", ".join(
        f"{name} was {one}, is {other}" for name, (one, other) in others.items()
    )


def other_sources(folder: Path, now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What of the sources is not as when the run was begun, where both are known.

    Args:
        folder: of the run.
        now: of the sources; see ``Sources.as_json``.
    """
    try:
        was = dict(json.loads((folder / GIT_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        return {}
    return {
        name: (was[name], now[name])
        for name in ("revision", "changes")
        if name in was and name in now and was[name] != now[name]
    }


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that it is there completely or not at all, whatever happens.

    Raises:
        ConfigError: it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}")
    try:
        unfinished.write_bytes(content)
        durable.replace(unfinished, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise ConfigError(
            f"{path}: cannot be written ({error.strerror}): expected a place with room"
        ) from None


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 as ``write_bytes`` does."""
    write_bytes(path, text.encode())


def write_json(path: Path, content: Any) -> None:
    """Write JSON as ``write_text`` does."""
    write_text(path, json.dumps(content, indent=2, allow_nan=False) + "\n")


def versions() -> dict[str, str]:
    """The versions of what computes, by name."""
    packages = {package: version(package) for package in _PACKAGES}
    return {"python": platform.python_version(), "platform": platform.platform(), **packages}
