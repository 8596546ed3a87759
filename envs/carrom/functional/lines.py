"""Where the striker may stand (130, 134, 142), as arrays.

The ordinary environment searches the whole band between the base lines when carrommen leave no
place on the middle line. Here that search tries lines a quarter of a millimetre apart: it
overlooks places between carrommen that are tighter than that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.baseline import legal_places_at, line_band, striker_reach
from carrom.board import Board

_SPACING = 0.25e-3
"""m between two lines."""
_MOST_PIECES = 3
"""Intervals of legal places on a line."""


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines on which the striker is tried, the middle one first, then ever farther ones.

    Attributes:
        forward: (L,), m, of each line from the middle towards the board's centre.
        lows: (L, 3), m, where the legal places of a line begin; inf for pieces that are not.
        highs: (L, 3), m, where they end; -inf for those.
        base_line_y: of the middle line, m.
        reach: distance the striker keeps from a carromman's centre, m.
    """

    forward: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    base_line_y: float
    reach: float

    @classmethod
    def of(cls, board: Board) -> Lines:
        """The lines of ``board``."""
        low, high = line_band(board)
        inner = np.arange(math.ceil(low / _SPACING), math.floor(high / _SPACING) + 1) * _SPACING
        forward = np.unique([low, *inner, high])
        forward = forward[np.argsort(np.abs(forward), kind="stable")]
        lows = np.full((len(forward), _MOST_PIECES), np.inf)
        highs = -lows
        for number, line in enumerate(forward.tolist()):
            for piece, (start, end) in enumerate(legal_places_at(board, line)):
                lows[number, piece], highs[number, piece] = start, end
        return cls(forward, lows, highs, board.base_line_y, striker_reach(board))

    def on(self, line: jax.Array, positions: jax.Array, on_board: jax.Array) -> Places:
        """The places on one line.

        Args:
            line: int32 (), its index.
            positions: (19, 2), m, the striking seat's frame.
            on_board: bool (19,).
        """
        forward = jnp.asarray(self.forward, jnp.float32)[line]
        height = positions[:, 1] - (self.base_line_y + forward)
        squared = self.reach**2 - height**2
        half = jnp.sqrt(jnp.maximum(squared, 0))
        blocks = on_board & (squared > 0)
        return Places(
            lows=jnp.asarray(self.lows, jnp.float32)[line],
            highs=jnp.asarray(self.highs, jnp.float32)[line],
            left=jnp.where(blocks, positions[:, 0] - half, jnp.inf),
            right=jnp.where(blocks, positions[:, 0] + half, -jnp.inf),
        )

    def first_free(self, positions: jax.Array, on_board: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The line nearest to the middle with a free place, and whether there is one (142).

        Args:
            positions: (19, 2), m, the striking seat's frame.
            on_board: bool (19,).
        """
        every = jnp.arange(len(self.forward), dtype=jnp.int32)
        free = jax.vmap(lambda line: self.on(line, positions, on_board).any())(every)
        return jnp.argmax(free).astype(jnp.int32), jnp.any(free)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Places:
    """Free places on a line: legal intervals without what carrommen block.

    Attributes:
        lows: (3,), m, where legal intervals begin.
        highs: (3,), m, where they end, both ends included.
        left: (19,), m, where each carromman begins to block; inf for those that do not.
        right: (19,), m, where it ends, both ends free.
    """

    lows: jax.Array
    highs: jax.Array
    left: jax.Array
    right: jax.Array

    def contains(self, x: jax.Array) -> jax.Array:
        """Whether each of the places ``x`` (n,) is free, bool (n,)."""
        x = x[:, None]
        legal = jnp.any((self.lows <= x) & (x <= self.highs), axis=1)
        return legal & ~jnp.any((self.left < x) & (x < self.right), axis=1)

    def any(self) -> jax.Array:
        """Whether there is a free place, bool ()."""
        return jnp.any(self.contains(self._ends()))

    def nearest(self, wished: jax.Array) -> jax.Array:
        """The free place nearest to ``wished``, (); meaningless if there is none.

        For what is not a number it is not a number either.
        """
        # It is the wish itself, the nearest point of an interval, or the end of one.
        candidates = jnp.concatenate([jnp.clip(wished, self.lows, self.highs), self._ends()])
        away = jnp.where(self.contains(candidates), jnp.abs(candidates - wished), jnp.inf)
        return jnp.where(jnp.isnan(wished), wished, candidates[jnp.argmin(away)])

    def at_random(self, key: jax.Array) -> jax.Array:
        """A free place, uniform over all of them, ()."""
        # Between two neighbouring ends all is free or nothing is.
        ends = jnp.sort(self._ends())
        middles = (ends[:-1] + ends[1:]) / 2
        free = jnp.isfinite(middles) & self.contains(middles)
        lengths = jnp.where(free, ends[1:] - ends[:-1], 0)
        up_to = jnp.cumsum(lengths)
        drawn = jax.random.uniform(key) * up_to[-1]
        piece = jnp.minimum(jnp.searchsorted(up_to, drawn, side="right"), len(lengths) - 1)
        place = ends[piece] + drawn - (up_to[piece] - lengths[piece])
        # Where only points are free, and against rounding.
        return self.nearest(jnp.where(jnp.isfinite(place), place, 0.0))

    def _ends(self) -> jax.Array:
        return jnp.concatenate([self.lows, self.highs, self.left, self.right])
