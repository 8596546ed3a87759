"""The kernels' entry points, compiled and cached on disk.

numba's cache notices a change of the file that holds a cached function, not of the files it
calls into. So the entry points here close over a digest of this folder's sources, which makes
it part of the cache's key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from carrom.physics import impulses, kernels
from carrom.physics.state import Views


def _digest() -> str:
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def _entry_points(digest: str) -> tuple[Callable[..., Any], ...]:
    @numba.njit(nogil=True, cache=True)
    def place(
        scenes: NDArray[np.void],
        shots: NDArray[np.void],
        position: NDArray[np.float64],
        velocity: NDArray[np.float64],
        model: Views,
        to: NDArray[np.float64],
        in_play: NDArray[np.bool_],
        new_velocity: NDArray[np.float64],
        new_spin: NDArray[np.float64],
    ) -> float:
        _ = digest
        return kernels.place(
            scenes[0], shots[0], position, velocity, model, to, in_play, new_velocity, new_spin
        )

    @numba.njit(nogil=True, cache=True)
    def advance(
        scenes: NDArray[np.void],
        shots: NDArray[np.void],
        position: NDArray[np.float64],
        velocity: NDArray[np.float64],
        model: Views,
        film: NDArray[np.float64],
        film_in_play: NDArray[np.bool_],
    ) -> int:
        _ = digest
        return kernels.advance(scenes[0], shots[0], position, velocity, model, film, film_in_play)

    @numba.njit(nogil=True, cache=True)
    def resolve_contacts(
        scenes: NDArray[np.void],
        shots: NDArray[np.void],
        position: NDArray[np.float64],
        velocity: NDArray[np.float64],
        discs: NDArray[np.int64],
        geoms: NDArray[np.int32],
        normals: NDArray[np.float64],
        rows: NDArray[np.int32],
        forces: NDArray[np.float64],
    ) -> None:
        _ = digest
        impulses.resolve_contacts(
            scenes[0], shots[0], position, velocity, discs, geoms, normals, rows, forces
        )

    return place, advance, resolve_contacts


place, advance, resolve_contacts = _entry_points(_digest())
