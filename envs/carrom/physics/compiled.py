"""The kernels' entry points, compiled and cached on disk.

numba's cache notices a change of the file that holds a cached function, not of the files it
calls into. So the entry points here close over a digest of all sources of the kernels, which
makes it part of the cache's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from carrom.physics import impulses, kernels

_SOURCES = (
    "boundary",
    "cluster",
    "encounters",
    "impulses",
    "kernels",
    "scene",
    "sliding",
    "state",
)


def _digest() -> str:
    folder = Path(__file__).parent
    sources = b"".join((folder / f"{name}.py").read_bytes() for name in _SOURCES)
    return hashlib.sha256(sources).hexdigest()


def _entry_points(digest: str) -> tuple[Callable[..., Any], ...]:
    @numba.njit(nogil=True, cache=True)
    def place(scenes, shots, position, velocity, model, to, in_play, new_velocity, new_spin):
        _ = digest
        kernels.place(
            scenes[0], shots[0], position, velocity, model, to, in_play, new_velocity, new_spin
        )

    @numba.njit(nogil=True, cache=True)
    def advance(scenes, shots, position, velocity, model, film, film_in_play):
        _ = digest
        return kernels.advance(scenes[0], shots[0], position, velocity, model, film, film_in_play)

    @numba.njit(nogil=True, cache=True)
    def resolve_contacts(scenes, shots, position, velocity, discs, geoms, normals, rows, forces):
        _ = digest
        impulses.resolve_contacts(
            scenes[0], shots[0], position, velocity, discs, geoms, normals, rows, forces
        )

    return place, advance, resolve_contacts


place, advance, resolve_contacts = _entry_points(_digest())
