"""Batches whose members need unequal amounts of work.

A function written for a whole batch (see ``carrom.functional.as_batch``) picks the items of
work out of it that are needed, and computes some of them at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Served(NamedTuple):
    """What was computed for those of n items that needed it.

    Attributes:
        results: arrays (..., c), one column for each item that was served; further columns mean
            nothing.
        item: int32 (c,), whose column it is; n if nobody's.
        column: int32 (n,), where each item's results are; means nothing for the others.
    """

    results: Any
    item: jax.Array
    column: jax.Array


def serve(needed: jax.Array, work: Callable[[jax.Array], Any], lanes: int) -> Served:
    """Do the ``work`` that is ``needed``.

    Args:
        needed: bool (n,), whether each item needs it.
        work: of indices of items, int32 (m,), giving a pytree of arrays (..., m).
        lanes: greatest m: how many items are served together.
    """
    n = len(needed)
    m = min(lanes, n)
    column = jnp.cumsum(needed) - 1
    everyone = jnp.arange(n, dtype=jnp.int32)
    queue = jnp.full(n + m, n, jnp.int32)
    queue = queue.at[jnp.where(needed, column, n + m)].set(everyone, mode="drop")
    count = jnp.sum(needed)

    def is_waiting(carry: tuple[jax.Array, Any]) -> jax.Array:
        return carry[0] < count

    def next_ones(carry: tuple[jax.Array, Any]) -> tuple[jax.Array, Any]:
        served, results = carry
        index = lax.dynamic_slice_in_dim(queue, served, m)
        new = work(jnp.minimum(index, n - 1))
        results = jax.tree.map(
            lambda old, part: lax.dynamic_update_slice_in_dim(old, part, served, axis=-1),
            results,
            new,
        )
        return served + m, results

    shapes = jax.eval_shape(work, queue[:m])
    empty = jax.tree.map(lambda leaf: jnp.zeros((*leaf.shape[:-1], n + m), leaf.dtype), shapes)
    _, results = lax.while_loop(is_waiting, next_ones, (jnp.zeros_like(count), empty))
    return Served(results, queue, jnp.maximum(column, 0))


def answers(needed: jax.Array, work: Callable[[jax.Array], Any], lanes: int) -> Any:
    """What the ``work`` gives for the items that need it, and zeros for the others.

    Args:
        needed: bool (n,), whether each item needs it.
        work: of indices of items, int32 (m,), giving a pytree of arrays (m, ...).
        lanes: greatest m: how many items are served together.

    Returns:
        The pytree, arrays (n, ...).
    """

    def turned(index: jax.Array) -> Any:
        return jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, -1), work(index))

    served = serve(needed, turned, lanes)

    def of_items(leaf: jax.Array) -> jax.Array:
        found = jnp.where(needed, leaf[..., served.column], jnp.zeros((), leaf.dtype))
        return jnp.moveaxis(found, -1, 0)

    return jax.tree.map(of_items, served.results)
