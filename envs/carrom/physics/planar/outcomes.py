"""How strokes ended, and how that travels: as one row of numbers per stroke."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from carrom.physics.planar.lanes import NEVER, Lanes

_ONCE = 5
"""Columns of a row that a stroke has once; 3 N are before them."""


class Outcomes(NamedTuple):
    """How M strokes ended: JAX arrays, or NumPy arrays.

    Attributes:
        positions: (M, N, 2), m; where a disc fell if it did.
        on_board: (M, N), bool.
        fall_times: (M, N), s after the strike; inf for discs that did not fall.
        pockets: (M, N), int32: index into ``Board.pocket_centres``, -1 for those.
        first_touch: (M,), int32: slot of the carromman the striker touched first, or -1.
        touched: (M, N), bool: whether the disc touched another disc.
        durations: (M,), s until everything was at rest.
        impacts: (M,), int32.
        unfinished: (M,), bool: given up before everything was at rest.
    """

    positions: Any
    on_board: Any
    fall_times: Any
    pockets: Any
    first_touch: Any
    touched: Any
    durations: Any
    impacts: Any
    unfinished: Any


def rows_of(lanes: Lanes) -> jax.Array:
    """Everything that is wanted of lanes, (B, 3 N + 5).

    One row each, because memory likes to be written in rows. Bit masks of the at most 24
    slots are whole numbers that float32 holds exactly.
    """
    discs, record, _ = lanes
    unfinished = ~discs.at_rest()
    once = [record.time, record.impacts, record.first_touch, record.touched, unfinished]
    dtype = discs.x.dtype
    return jnp.concatenate(
        [discs.x, discs.y, discs.gone, jnp.stack([value.astype(dtype) for value in once])]
    ).T


def outcomes_of(rows: Any) -> Outcomes:
    """What ``rows_of`` put together, (M, 3 N + 5), as arrays of the same kind."""
    xp = rows.__array_namespace__()
    slots = (rows.shape[1] - _ONCE) // 3
    x, y, gone = (rows[:, k * slots : (k + 1) * slots] for k in range(3))
    time, impacts, first_touch, touched, unfinished = rows[:, 3 * slots :].T
    fell = (gone >= 0) & (gone < NEVER)
    # Counter-clockwise from the near right corner, as ``Board.pocket_centres``.
    pocket = xp.where(y > 0, xp.where(x > 0, 1, 2), xp.where(x > 0, 0, 3))
    bits = touched.astype(xp.int32)[:, None] >> xp.arange(slots, dtype=xp.int32)
    return Outcomes(
        positions=xp.stack([x, y], axis=-1),
        on_board=gone == NEVER,
        fall_times=xp.where(fell, gone, xp.inf),
        pockets=xp.where(fell, pocket, -1).astype(xp.int32),
        first_touch=first_touch.astype(xp.int32),
        touched=(bits & 1) == 1,
        durations=time,
        impacts=impacts.astype(xp.int32),
        unfinished=unfinished != 0,
    )
