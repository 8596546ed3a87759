"""Work that few boards of a batch need, done for these alone.

In a batch, ``jax.lax.cond`` computes both branches for all. Where one branch is long and seldom
taken, such as finding the worst place for a due, that multiplies its cost by twenty. Here the
boards that need it are taken one by one, and all that is conditional inside stays so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

from carrom.functional.batching import as_batch

Tree = TypeVar("Tree")


def seldom(function: Callable[[Tree], Tree]) -> Callable[[jax.Array, Tree], Tree]:
    """``function`` where it is needed, nothing elsewhere.

    Args:
        function: of a pytree of arrays, giving one of the same shapes and dtypes. It may close
            over numbers, not over arrays that are being traced.

    Returns:
        A function of a flag (), bool, and the pytree. Under ``jax.vmap`` it costs as many calls
        as there are flags set.
    """

    def one(needed: jax.Array, tree: Any) -> Any:
        return lax.cond(needed, function, lambda same: same, tree)

    def many(needed: jax.Array, tree: Any) -> Any:
        waiting = jnp.argsort(~needed, stable=True)
        count = jnp.sum(needed)

        def serve(number: jax.Array, tree: Any) -> Any:
            board = waiting[number]
            done = function(jax.tree.map(lambda leaf: leaf[board], tree))
            return jax.tree.map(lambda leaf, new: leaf.at[board].set(new), tree, done)

        return lax.fori_loop(0, count, serve, tree)

    return as_batch(many, alone=one)
