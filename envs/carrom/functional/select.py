"""Choosing between pytrees."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


def select(condition: jax.Array, new: Any, old: Any) -> Any:
    """``new`` where the ``condition``, bool (), holds, else ``old``: pytrees of one structure."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), new, old)
