"""The folder of a run: everything needed to know what was done, and to do it again."""

from __future__ import annotations

import contextlib
import datetime
import json
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from carrom.errors import ConfigError
from carrom_agents import durable
from carrom_agents.checkpoint import CONFIG_FILE
from carrom_agents.config import ExperimentConfig, dump_config
from carrom_agents.machine import machine, without_secrets
from carrom_agents.seeds import seed_tree

VERSIONS_FILE = "versions.json"
SEEDS_FILE = "seeds.json"
MACHINE_FILE = "machine.json"

_PACKAGES = ("carrom-rl", "jax", "jaxlib", "flax", "optax", "mujoco", "gymnasium", "numba", "numpy")


def create_run_folder(config: ExperimentConfig) -> Path:
    """Make a new folder ``<name>-<timestamp>`` and write down what is about to be run.

    ``config.yaml`` holds the resolved configuration, ``seeds.json`` what follows from its seed,
    ``versions.json`` the versions of what computes, ``machine.json`` what it computes on,
    ``git.json`` the revision of the working directory, where it is one of git's, and
    ``git.diff`` what differs from it.
    """
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    base = Path(config.logging.directory) / f"{config.name}-{stamp}"
    folder, count = base, 1
    while True:  # a second run within the second gets a number
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            count += 1
            folder = base.with_name(f"{base.name}-{count}")
    write_text(folder / CONFIG_FILE, dump_config(config))
    write_json(folder / SEEDS_FILE, seed_tree(config))
    write_json(folder / VERSIONS_FILE, versions())
    write_json(folder / MACHINE_FILE, machine())
    revision = _git("rev-parse", "HEAD")
    if revision is not None:
        write_json(folder / "git.json", {"revision": revision.strip()})
        write_text(folder / "git.diff", without_secrets(_git("diff", "HEAD") or ""))
    return folder


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


def _git(*arguments: str) -> str | None:
    """What git says, or None where there is no git or no repository."""
    try:
        return subprocess.run(
            ["git", *arguments], capture_output=True, text=True, check=True, timeout=10
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
