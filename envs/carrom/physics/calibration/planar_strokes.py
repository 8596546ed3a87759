"""Typical strokes as the arrays that the planar engine's functions take."""

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
from carrom.rack import LOOSE, Packing

BOARD = Board()
AT_ONCE = 1024
"""Strokes per call, so that each dtype and number of slots is compiled once."""
NO_TIME = -1.0
"""A contact time, s, before which nothing is within reach: the springs' program then plays
impulses."""


class Strokes(NamedTuple):
    """M strokes: positions (M, slots - 1, 2), on_board (M, slots - 1), starts (M, 4)."""

    positions: NDArray[np.float64]
    on_board: NDArray[np.bool_]
    starts: NDArray[np.float64]

    def take(self, which: slice | NDArray[np.intp]) -> Strokes:
        """Those of the given numbers."""
        return Strokes(self.positions[which], self.on_board[which], self.starts[which])


def in_slots(shots: Sequence[Shot], slots: int) -> Strokes:
    """Shots as arrays."""
    places, present, _ = to_slots(
        np.stack([shot.layout.positions for shot in shots]),
        np.stack([shot.layout.on_board for shot in shots]),
        slots,
    )
    return Strokes(places, present, starts_of(BOARD, [s.strike for s in shots], [0] * len(shots)))


def midgame(count: int, seed: int, *, pieces: int = 8, slots: int = 10) -> Strokes:
    """Strokes in the middle of a board."""
    rng = np.random.default_rng(seed)
    return in_slots([midgame_shot(BOARD, rng, pieces) for _ in range(count)], slots)


def breaks(count: int, seed: int, packing: Packing) -> Strokes:
    """Breaks of a rack."""
    rng = np.random.default_rng(seed)
    return in_slots([break_shot(BOARD, rng, packing) for _ in range(count)], 20)


def loose_breaks(count: int, seed: int) -> Strokes:
    """Breaks on which contacts of discs do not overlap at first."""
    return breaks(count, seed, LOOSE)


def with_random_strikes(strokes: Strokes, count: int, seed: int) -> Strokes:
    """The same layouts, struck in any direction at any speed, ``count`` of them."""
    rng = np.random.default_rng(seed)
    which = np.arange(count) % len(strokes.starts)
    angle, speed = rng.uniform(-0.2, np.pi + 0.2, count), rng.uniform(0.3, 6, count)
    velocity = speed[:, None] * np.stack([np.cos(angle), np.sin(angle)], -1)
    starts = np.concatenate([strokes.starts[which, :2], velocity], 1)
    return strokes.take(which)._replace(starts=starts)


def against_the_frame(count: int, seed: int) -> Strokes:
    """A slow striker presses a carromman that lies at the frame, touching it or nearly so."""
    rng = np.random.default_rng(seed)
    positions, on_board = np.zeros((count, 9, 2)), np.zeros((count, 9), bool)
    positions[:, 0, 0] = rng.uniform(-0.2, 0.2, count)
    positions[:, 0, 1] = BOARD.carromman_radius - BOARD.half_side
    on_board[:, 0] = True
    angle = rng.uniform(0.1, np.pi - 0.1, count)
    apart = BOARD.carromman_radius + BOARD.striker_radius + rng.choice([0, 3e-7, 1e-4], count)
    away = np.stack([np.cos(angle), np.sin(angle)], -1)
    place = positions[:, 0] + apart[:, None] * away
    angle += np.pi + rng.normal(0, 0.5, count)
    speed = 10 ** rng.uniform(-3.3, -0.5, count)
    velocity = speed[:, None] * np.stack([np.cos(angle), np.sin(angle)], -1)
    return Strokes(positions, on_board, np.concatenate([place, velocity], 1))


def play(
    strokes: Strokes,
    materials: Sequence[Material] = (Material(),),
    *,
    dtype: str = "float32",
    springs: bool = False,
    contact_time: float | None = None,
) -> Outcomes:
    """The engine's outcomes as NumPy arrays.

    Args:
        strokes: what is played.
        materials: dealt out to the strokes in turn.
        dtype: "float32" or "float64".
        springs: contacts that overlap in time are springs.
        contact_time: in place of the materials', s, also of values no material may have.
    """
    parts = [
        _play_part(
            strokes.take(slice(first, first + AT_ONCE)),
            [materials[(first + k) % len(materials)] for k in range(AT_ONCE)],
            dtype,
            springs,
            contact_time,
        )
        for first in range(0, len(strokes.starts), AT_ONCE)
    ]
    return Outcomes(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _play_part(
    strokes: Strokes,
    materials: Sequence[Material],
    dtype: str,
    springs: bool,
    contact_time: float | None,
) -> Outcomes:
    count = len(strokes.starts)
    places, present, starts = (
        np.concatenate([values, np.zeros((AT_ONCE - count, *values.shape[1:]), values.dtype)])
        for values in strokes
    )
    with jax.enable_x64(dtype == "float64"):
        parameters = Parameters.of(*materials, dtype=dtype)
        if contact_time is not None:
            same = jnp.full_like(parameters.contact_time, contact_time)
            parameters = parameters._replace(contact_time=same)
        outcomes = play_stream(
            Geometry.of(BOARD, places.shape[1] + 1, dtype),
            parameters,
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
    """Materials drawn from their ranges."""
    rng = np.random.default_rng(seed)
    return [Material.sample(rng) for _ in range(count)]
