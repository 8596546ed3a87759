"""What the soak's books are written with."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

from carrom.laws import LAW_IDS, MatchFormat
from carrom.laws.lawbook import BITS_PER_WORD, N_LAW_WORDS

Demands: TypeAlias = dict[str, jax.Array]
"""Demand -> whether it is met."""


def any_of(holds: Iterable[Any]) -> jax.Array:
    """Whether one of them holds, bool."""
    return functools.reduce(jnp.logical_or, holds, jnp.bool_(False))


def all_of(holds: Iterable[Any]) -> jax.Array:
    """Whether all of them hold, bool."""
    return functools.reduce(jnp.logical_and, holds, jnp.bool_(True))


def count_of(holds: Iterable[jax.Array]) -> jax.Array:
    """How many of them hold, int32."""
    return sum((each.astype(jnp.int32) for each in holds), jnp.int32(0))


def same(one: Any, other: Any) -> jax.Array:
    """Whether two pytrees have the same values, bool."""
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all_of(jnp.all(a == b) for a, b in pairs)


def is_cited(words: jax.Array, law: str | jax.Array) -> jax.Array:
    """Whether a law, or the one of an index into ``LAW_IDS``, is among those cited, bool."""
    index = LAW_IDS.index(law) if isinstance(law, str) else law
    return (words[index // BITS_PER_WORD] >> index % BITS_PER_WORD) & 1 == 1


def words_of(law: str | jax.Array) -> jax.Array:
    """The words in which this law alone is cited, int32 (N_LAW_WORDS,)."""
    index = LAW_IDS.index(law) if isinstance(law, str) else law
    here = jnp.arange(N_LAW_WORDS) == index // BITS_PER_WORD
    return jnp.where(here, jnp.int32(1) << index % BITS_PER_WORD, 0)


def side_of_seat(seat: jax.Array, format: MatchFormat) -> jax.Array:
    """Side, 0 or 1: partners sit two places apart in doubles (29), players in singles."""
    return seat % 2 if format.doubles else seat // 2


def whole(u: jax.Array, count: int | jax.Array) -> jax.Array:
    """A whole number from 0 to ``count`` - 1, int32, from ``u`` in [0, 1)."""
    return jnp.minimum((u * count).astype(jnp.int32), count - 1)
