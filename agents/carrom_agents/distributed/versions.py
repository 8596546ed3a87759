"""What computes here: machines that work together must agree on it."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Mapping
from importlib.metadata import requires, version
from pathlib import Path

import carrom
import carrom_agents

_PROJECT = "carrom-rl"


def what_computes() -> dict[str, str]:
    """Versions, by name: of Python, of this project, its sources and all that it stands on.

    The sources are told by a digest, as two checkouts of one version need not be equal.
    """
    needed = [need for need in requires(_PROJECT) or () if "extra ==" not in need]
    names = [match[0] for need in needed if (match := re.match(r"[\w.-]+", need))]
    return {
        "python": platform.python_version(),
        _PROJECT: version(_PROJECT),
        "sources": _digest_of_sources(),
        **{name: version(name) for name in sorted(names)},
    }


def difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str | None:
    """The first thing that differs, in words; None if nothing does."""
    for name in (*ours, *(theirs.keys() - ours.keys())):
        one, other = (found.get(name, "not there") for found in (ours, theirs))
        if one != other:
            return f"{name} is {other}: expected {one}, as here"
    return None


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for package in (carrom, carrom_agents):
        assert package.__file__ is not None
        folder = Path(package.__file__).parent
        for path in sorted(folder.rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
