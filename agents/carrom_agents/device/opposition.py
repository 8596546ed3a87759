"""Who can sit opposite on the device, and how he is asked for strikes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

from carrom import Functional
from carrom.functional import Player, State, Strike, random_player
from carrom_agents.device.aimer import aimer
from carrom_agents.device.lanes import answers

_AT_ONCE = 128
"""Boards that a scripted player decides on together."""

ONESELF = -1
"""Number of the member of the opposition that is the agent itself."""

Decide = Callable[[Functional, Any, State, jax.Array, jax.Array, jax.Array], Strike]
"""The strikes of the players with the turn on B boards: of environment, arrays, states [B], who
sits opposite, int32 [B], keys [B], and on which boards the strike is wanted, bool [B]."""
Draw = Callable[[Any, jax.Array], jax.Array]
"""Who sits opposite in an episode, int32 (), of arrays and key."""


def nobody_else(arrays: Any, key: jax.Array) -> jax.Array:
    """The agent itself sits opposite."""
    return jnp.int32(ONESELF)


def always_the_same(arrays: Any, key: jax.Array) -> jax.Array:
    """There is but one other."""
    return jnp.int32(0)


@dataclass(frozen=True)
class Rival:
    """Who plays for the other side; equal if the functions are the same.

    Attributes:
        decide: gives the strikes; None if it always is the agent itself.
        arrays: what the functions are given besides the boards: parameters, for instance.
            Those of a league change, and come from the state of the training.
        draw: who it is in an episode.
        members: how many there are, the agent itself, who is the last, included.
    """

    decide: Decide | None
    arrays: Any = field(default=(), compare=False)
    draw: Draw = always_the_same
    members: int = 2


def choose(first: jax.Array, one: Any, other: Any) -> Any:
    """Leaf by leaf, ``one`` on the boards in ``first`` [B], ``other`` elsewhere."""

    def pick(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.where(first.reshape(-1, *[1] * (a.ndim - 1)), a, b)

    return jax.tree.map(pick, one, other)


def board_by_board(
    strike: Callable[[Functional, Any, State, jax.Array], Strike], at_once: int
) -> Decide:
    """The strikes of a player of one board, asked where they are wanted.

    Args:
        strike: of environment, arrays, state, key.
        at_once: boards that he decides on together.
    """

    def decide(
        env: Functional,
        arrays: Any,
        state: State,
        member: jax.Array,
        key: jax.Array,
        wanted: jax.Array,
    ) -> Strike:
        def on(index: jax.Array) -> Strike:
            there = jax.tree.map(lambda leaf: leaf[index], state)
            return jax.vmap(functools.partial(strike, env, arrays))(there, key[index])

        return answers(wanted, on, at_once)

    return decide


def _by_sight(player: Player) -> Decide:
    def strike(env: Functional, arrays: Any, state: State, key: jax.Array) -> Strike:
        return player(env.sight(state, state.match.board.seat), key)

    return board_by_board(strike, _AT_ONCE)


SCRIPTED = {"random": _by_sight(random_player), "aimer": _by_sight(aimer)}
