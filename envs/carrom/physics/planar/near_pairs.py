"""Which pairs of discs can touch while springs work, and what pairs do to discs.

Of the 190 pairs of a full board few are ever near each other, in a packed rack 42 and the
striker's. The pairs that can touch within a burst of small steps, in any of the lanes that
take it, are listed once before it; only they are computed, in chunks.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.physics.planar.lanes import Geometry

CHUNK = 48
"""Pairs computed together: as many as are near each other in a rack while it is struck."""


class NearPairs(NamedTuple):
    """Pairs of discs in C chunks of ``CHUNK``, the real ones first.

    Attributes:
        chunks: (), int32, how many chunks there are pairs in.
        first: (C, CHUNK), int32, slot of the one.
        second: (C, CHUNK), int32, slot of the other.
        reach: (C, CHUNK, 1), sum of their radii, m; -1 where there is no pair.
        reduced: (C, CHUNK, 1), their reduced mass, kg.
        striker: (C, CHUNK, 1), bool, whether one of them is the striker.
        most: (C,), int32, the largest number of a chunk's pairs that a disc belongs to.
        place: (C, N, N), int32, where in the chunk each disc's pairs are, in order.
        sign: (C, N, N, 1), 1 where the disc is the second of its pair, -1 where it is the
            first, 0 where it has no more pairs.
    """

    chunks: jax.Array
    first: jax.Array
    second: jax.Array
    reach: jax.Array
    reduced: jax.Array
    striker: jax.Array
    most: jax.Array
    place: jax.Array
    sign: jax.Array

    @classmethod
    def of(cls, near: jax.Array, geometry: Geometry) -> NearPairs:
        """List pairs, given which are ``near``, bool (P,), in the order of ``all_pairs``."""
        slots, dtype = len(geometry.radius), geometry.radius.dtype
        pairs = np.stack(all_pairs(slots))
        chunks = -(-pairs.shape[1] // CHUNK)
        listed = jnp.nonzero(near, size=chunks * CHUNK, fill_value=0)[0].reshape(chunks, CHUNK)
        count = jnp.sum(near, dtype=jnp.int32)
        real = jnp.arange(chunks * CHUNK, dtype=jnp.int32).reshape(chunks, CHUNK) < count
        first, second = jnp.asarray(pairs)[:, listed]
        # How many of the chunk's pairs up to this one each disc belongs to, (C, CHUNK, N).
        is_first, is_second = (
            real[..., None] & (slot[..., None] == jnp.arange(slots)) for slot in (first, second)
        )
        rank = jnp.cumsum(is_first | is_second, axis=1, dtype=jnp.int32)
        shape = (chunks, slots, slots)
        place, sign = jnp.zeros(shape, jnp.int32), jnp.zeros(shape, dtype)
        chunk = jnp.arange(chunks, dtype=jnp.int32)[:, None]
        for slot, of_slot in ((first, -1), (second, 1)):
            mine = jnp.take_along_axis(rank, slot[..., None], axis=2)[..., 0] - 1
            at = (chunk, jnp.where(real, mine, slots), slot)
            place = place.at[at].set(jnp.arange(CHUNK, dtype=jnp.int32), mode="drop")
            sign = sign.at[at].set(of_slot, mode="drop")
        radius, mass = geometry.radius, geometry.mass
        return cls(
            chunks=(count + CHUNK - 1) // CHUNK,
            first=first,
            second=second,
            reach=jnp.where(real, radius[first] + radius[second], -1)[..., None],
            reduced=reduced_mass(mass[first], mass[second])[..., None],
            striker=(second == slots - 1)[..., None],
            most=jnp.max(rank[:, -1], axis=1),
            place=place,
            sign=sign[..., None],
        )


def all_pairs(slots: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """First and second slot of every pair, int32 (P,) each."""
    first, second = np.triu_indices(slots, 1)
    return first.astype(np.int32), second.astype(np.int32)


def reduced_mass(first: jax.Array, second: jax.Array) -> jax.Array:
    """Mass that two bodies have in their relative motion, kg."""
    return first * second / (first + second)
