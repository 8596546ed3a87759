"""What strikes come to in one position: played, ruled upon, and what they leave is weighed.

It is the game of ``carrom.functional``, so that the umpire, dues, the queen and every ending of
a board are those of the laws, and nothing about them is written down here a second time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.functional import Functional, Sight, State, Strike
from carrom.tasks import AGENT_SEAT

BLOCK = 512
"""Strokes per call of the compiled program: a fixed number, so that it is compiled once."""


class Evaluate(Protocol):
    """Who says what positions are worth."""

    def __call__(self, sights: Sight, /) -> jax.Array:
        """Points that a player can expect to win more than lose from here on, float32 (B,).

        Args:
            sights: B positions, each as the player sees it who is to strike.
        """
        ...


class Played(NamedTuple):
    """M strokes by the player of seat 0, played and ruled upon.

    Attributes:
        gained: float32 (M,), points: the sum of the terms of the reward ``aicf``.
        kept: bool (M,), he has the turn again.
        over: bool (M,), the board has ended.
        sight: what the one sees who strikes next.
    """

    gained: jax.Array
    kept: jax.Array
    over: jax.Array
    sight: Sight


@functools.cache
def player_on(env: Functional) -> Callable[[State, ArrayLike, ArrayLike], Played]:
    """The compiled function that plays ``BLOCK`` strikes in one position.

    Of a state; places, directions and speeds, float32 (BLOCK, 3); and bool (BLOCK,), which of
    the strikes are wanted.
    """

    def play(state: State, made: jax.Array, wanted: jax.Array) -> Played:
        strike = Strike(*made, forward=jnp.float32(0))
        # Chance has no part in it but where the board is void and racked anew.
        after, _ = env.stroke(state, strike, jax.random.key(0), wanted)
        seat = after.match.board.seat
        return Played(
            gained=jnp.sum(jnp.stack(list(after.earned.values()))),
            kept=seat == AGENT_SEAT,
            over=after.over,
            sight=env.sight(after, seat),
        )

    return jax.jit(jax.vmap(play, in_axes=(None, 0, 0)))


def values(
    env: Functional, evaluate: Evaluate, state: State, made: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What strikes come to.

    A stroke is worth the points it gains and, unless it ends the board, the worth of the
    position it leaves: for the player if he has the turn again, against him if the opponent
    has it.

    Args:
        env: the game, without noise.
        evaluate: gives the worth of positions.
        state: in which the player of seat 0 is to strike.
        made: (..., 3), place, direction and speed as made; places that are not free mean the
            nearest ones.

    Returns:
        (...), points.
    """
    return by_blocks(env, state, made, lambda played: _worth(played, evaluate(played.sight)))


def by_blocks(
    env: Functional,
    state: State,
    made: NDArray[np.float64],
    measure: Callable[[Played], ArrayLike],
) -> NDArray[np.float64]:
    """Play strikes in one position, block by block, and measure what they come to.

    Args:
        env: as for ``values``.
        state: as for ``values``.
        made: as for ``values``.
        measure: gives a number for each of ``BLOCK`` strokes, (BLOCK,).

    Returns:
        (...), the numbers.
    """
    rows = made.reshape(-1, 3).astype(np.float32)
    play, total = player_on(env), len(rows)
    found = np.empty(total)
    for first in range(0, total, BLOCK):
        # The last block is filled up with strokes that are not played.
        number = np.arange(first, first + BLOCK)
        played = play(state, rows[np.minimum(number, total - 1)], number < total)
        found[first : first + BLOCK] = np.asarray(measure(played))[: total - first]
    return found.reshape(made.shape[:-1])


@jax.jit
def _worth(played: Played, left: jax.Array) -> jax.Array:
    """Of strokes, from the worth of what they leave to whoever is to strike."""
    left = jnp.where(played.kept, left, -left)
    return played.gained + jnp.where(played.over, 0.0, left)
