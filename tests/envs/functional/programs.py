"""Compiled functions that several tests use: compiling is what most of them spend."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp

from carrom.functional import Functional, Outcome, State, Strike
from haste import jit_in_haste

BATCH = 16
"""Boards in every batch of these tests: of each function there is one program."""


@functools.cache
def parts(env: Functional) -> dict[str, Any]:
    """``start``, ``make`` and ``settle`` of ``env``, for a batch."""
    return {
        name: jit_in_haste(jax.vmap(getattr(env, name))) for name in ("start", "make", "settle")
    }


# What it computes is held against the engine's own program, so it is compiled as that one is.
_play = jax.jit(jax.vmap(Functional("match").play))


def play(state: State, strike: Strike, active: Any = True) -> Outcome:
    """``Functional.play`` of a batch; it is the same for all tasks but the drill."""
    # Only what the discs need counts; what was earned differs from task to task.
    bare = dataclasses.replace(state, earned={})
    return _play(bare, strike, jnp.broadcast_to(jnp.asarray(active), (BATCH,)))
