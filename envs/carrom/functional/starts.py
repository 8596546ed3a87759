"""How episodes and boards begin, as arrays: the counterpart of ``carrom.tasks``."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from carrom.board import Board
from carrom.functional.lines import Lines
from carrom.functional.seldom import seldom
from carrom.laws import SINGLES, MatchFormat, MatchState, QueenState, new_board, new_match
from carrom.laws.places import turned
from carrom.midgame import GAP
from carrom.pieces import N_CARROMMEN, N_PER_SIDE
from carrom.rack import Packing, lattice
from carrom.tasks import AGENT_SEAT, QUEEN_COVERED_SHARE

_TRIES = 4
"""Points drawn for each carromman; one in six at most is refused, so that one position in some
hundreds is drawn again. Drawing them is most of what a new position costs."""


def match_from(breaker: jax.Array, format: MatchFormat) -> MatchState:
    """A match about to begin: ``carrom.laws.new_match`` with a traced ``breaker``."""
    match = jax.tree.map(jnp.asarray, new_match(format))
    breaker = jnp.asarray(breaker, jnp.int32)
    board = jax.tree.map(jnp.asarray, new_board(breaker))
    return dataclasses.replace(match, board=board, opener_seat=breaker)


def rack(
    key: jax.Array, side: jax.Array, board: Board, packing: Packing, orientation: float
) -> jax.Array:
    """The carrommen racked facing a ``side`` of the board, float32 (19, 2), board frame (41.a)."""
    points = jnp.asarray(lattice(board, packing, orientation), jnp.float32)
    half = packing.jitter / 2
    return turned(points + jax.random.uniform(key, points.shape, minval=-half, maxval=half), side)


def drill(key: jax.Array, board: Board, lines: Lines) -> tuple[MatchState, jax.Array, jax.Array]:
    """A random mid-game position, as ``carrom.tasks.drill_position`` draws it.

    Returns:
        The match, positions float32 (19, 2), on_board bool (19,).
    """
    side, left, covers, holder, lay = jax.random.split(key, 5)
    breaker = jax.random.choice(side, jnp.asarray(SINGLES.seats, jnp.int32))
    match = match_from(breaker, SINGLES)
    counts = jax.random.randint(left, (2,), 1, N_PER_SIDE + 1)
    # A side that still has all nine cannot have covered the queen (92).
    can_hold = counts < N_PER_SIDE
    covered = (jax.random.uniform(covers) < QUEEN_COVERED_SHARE) & jnp.any(can_hold)
    weights = jnp.where(can_hold, 1.0, 0.0) / jnp.maximum(jnp.sum(can_hold), 1)
    by = jax.random.choice(holder, 2, p=weights).astype(jnp.int32)
    state = dataclasses.replace(
        match.board,
        striker=(breaker != AGENT_SEAT).astype(jnp.int32),
        seat=jnp.int32(AGENT_SEAT),
        on_board=counts,
        has_pocketed=can_hold,
        queen=jnp.where(covered, QueenState.COVERED_WHITE + by, QueenState.ON_BOARD),
        break_done=jnp.bool_(True),
    )
    rank = jnp.arange(N_PER_SIDE)
    on_board = jnp.concatenate([rank < counts[0], rank < counts[1], ~covered[None]])
    positions = scattered(lay, on_board, board, lines)
    return dataclasses.replace(match, board=state), positions, on_board


def scattered(key: jax.Array, on_board: jax.Array, board: Board, lines: Lines) -> jax.Array:
    """Carrommen lying at random, float32 (19, 2), as ``carrom.midgame.random_layout``.

    The position is seen from the seat of who strikes next: he has a free place.
    """
    reach = board.half_side - board.carromman_radius - GAP
    apart2 = (board.carromman_diameter + GAP) ** 2
    # NumPy's: what ``seldom`` is given may not close over traced arrays.
    every, tries = np.arange(N_CARROMMEN), np.arange(_TRIES)

    def attempt(carry: _Attempt) -> _Attempt:
        key, _, _, on_board = carry

        def lay(laid: tuple[jax.Array, jax.Array], drawn: tuple[Any, ...]):
            xs, ys = laid
            index, x, y = drawn
            over_x, over_y = jnp.abs(x) - board.pocket_offset, jnp.abs(y) - board.pocket_offset
            clear = over_x**2 + over_y**2 >= board.pocket_radius**2
            away = (x[:, None] - xs) ** 2 + (y[:, None] - ys) ** 2 > apart2
            before = on_board & (every < index)
            good = clear & jnp.all(away | ~before, axis=1)
            first = tries == jnp.min(jnp.where(good, tries, _TRIES))
            now = on_board & (every == index)
            xs = jnp.where(now, jnp.sum(jnp.where(first, x, 0)), xs)
            ys = jnp.where(now, jnp.sum(jnp.where(first, y, 0)), ys)
            return (xs, ys), jnp.any(good) | ~on_board[index]

        key, draw = jax.random.split(key)
        points = jax.random.uniform(draw, (2, N_CARROMMEN, _TRIES), minval=-reach, maxval=reach)
        nowhere = jnp.zeros(N_CARROMMEN)
        (xs, ys), found = lax.scan(lay, (nowhere, nowhere), (every, *points))
        positions = jnp.stack([xs, ys], axis=1)
        good = jnp.all(found) & lines.on(jnp.int32(0), positions, on_board).any()
        return key, positions, good, on_board

    def until_good(carry: _Attempt) -> _Attempt:
        return lax.while_loop(lambda carry: ~carry[2], attempt, carry)

    start = (key, jnp.zeros((N_CARROMMEN, 2)), jnp.bool_(False), on_board)
    carry = attempt(start)
    return seldom(until_good)(~carry[2], carry)[1]


_Attempt = tuple[jax.Array, jax.Array, jax.Array, jax.Array]
