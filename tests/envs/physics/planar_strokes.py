"""Strokes for the planar engine's tests, as the arrays it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.shots import Shot, break_shot, midgame_shot
from carrom.physics.material import Material
from carrom.physics.planar.lanes import Geometry, Parameters
from carrom.physics.planar.outcomes import Outcomes
from carrom.physics.planar.requests import starts_of
from carrom.physics.planar.slots import to_slots
from carrom.physics.planar.strokes import play_stream
from carrom.rack import LOOSE

BOARD = Board()
AT_ONCE = 1024
"""Strokes per call, so that each dtype and number of slots is compiled once."""


class Strokes(NamedTuple):
    """M strokes: positions (M, slots - 1, 2), on_board (M, slots - 1), starts (M, 4)."""

    positions: NDArray[np.float64]
    on_board: NDArray[np.bool_]
    starts: NDArray[np.float64]

    def take(self, which: slice | NDArray[np.intp]) -> Strokes:
        return Strokes(self.positions[which], self.on_board[which], self.starts[which])


def in_slots(shots: Sequence[Shot], slots: int) -> Strokes:
    places, present, _ = to_slots(
        np.stack([shot.layout.positions for shot in shots]),
        np.stack([shot.layout.on_board for shot in shots]),
        slots,
    )
    return Strokes(places, present, starts_of(BOARD, [s.strike for s in shots], [0] * len(shots)))


def midgame(count: int, seed: int, *, pieces: int = 8, slots: int = 10) -> Strokes:
    rng = np.random.default_rng(seed)
    return in_slots([midgame_shot(BOARD, rng, pieces) for _ in range(count)], slots)


def loose_breaks(count: int, seed: int) -> Strokes:
    rng = np.random.default_rng(seed)
    return in_slots([break_shot(BOARD, rng, LOOSE) for _ in range(count)], 20)


def play(
    strokes: Strokes,
    materials: Sequence[Material] = (Material(),),
    *,
    dtype: str = "float32",
    springs: bool = False,
) -> Outcomes:
    """The engine's outcomes as NumPy arrays; materials are dealt out to strokes in turn."""
    parts = [
        _play_part(
            strokes.take(slice(first, first + AT_ONCE)),
            [materials[(first + k) % len(materials)] for k in range(AT_ONCE)],
            dtype,
            springs,
        )
        for first in range(0, len(strokes.starts), AT_ONCE)
    ]
    return Outcomes(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _play_part(
    strokes: Strokes, materials: Sequence[Material], dtype: str, springs: bool
) -> Outcomes:
    count = len(strokes.starts)
    places, present, starts = (
        np.concatenate([values, np.zeros((AT_ONCE - count, *values.shape[1:]), values.dtype)])
        for values in strokes
    )
    with jax.enable_x64(dtype == "float64"):
        outcomes = play_stream(
            Geometry.of(BOARD, places.shape[1] + 1, dtype),
            Parameters.of(*materials, dtype=dtype),
            jnp.asarray(places, dtype),
            jnp.asarray(present),
            jnp.arange(AT_ONCE, dtype=jnp.int32),
            jnp.asarray(starts, dtype),
            count,
            springs=springs,
            lanes=128,
        )
        return jax.tree.map(lambda values: values[:count], jax.device_get(outcomes))


def random_materials(count: int, seed: int) -> list[Material]:
    rng = np.random.default_rng(seed)
    return [Material.sample(rng) for _ in range(count)]
