"""Functions of single members that are computed together under ``jax.vmap``.

Plain ``jax.vmap`` computes everything for every member, needed or not. Here a function is
written for a whole batch and may share out, sort or pick what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap


def as_batch(
    function: Callable[..., Any], alone: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """A function of single members that computes them together under ``jax.vmap``.

    Args:
        function: of pytrees of arrays with a leading batch axis, returning another. It may
            close over numbers, not over arrays that are being traced.
        alone: what is computed for one member by itself; a batch of one if not given.
    """

    def batch_of_one(*members: Any) -> Any:
        batch = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], members)
        return jax.tree.map(lambda leaf: leaf[0], function(*batch))

    one, many = custom_vmap(alone or batch_of_one), custom_vmap(function)

    @one.def_vmap
    def _of_one(size: int, batched: Any, *members: Any) -> tuple[Any, Any]:
        result = many(*_spread(size, batched, members))
        return result, jax.tree.map(lambda _: True, result)

    @many.def_vmap
    def _of_many(size: int, batched: Any, *members: Any) -> tuple[Any, Any]:
        result = many(*jax.tree.map(_flatten, _spread(size, batched, members)))
        result = jax.tree.map(lambda leaf: leaf.reshape(size, -1, *leaf.shape[1:]), result)
        return result, jax.tree.map(lambda _: True, result)

    return one


def _spread(size: int, batched: Any, trees: Any) -> Any:
    """All leaves with a leading axis of ``size``, repeated where they are not ``batched``."""
    return jax.tree.map(
        lambda has, leaf: leaf if has else jnp.broadcast_to(leaf, (size, *jnp.shape(leaf))),
        tuple(batched),
        trees,
    )


def _flatten(leaf: jax.Array) -> jax.Array:
    """The two leading axes as one."""
    return leaf.reshape(-1, *leaf.shape[2:])
