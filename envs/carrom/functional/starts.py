"""How episodes and boards begin, as arrays: the counterpart of ``carrom.tasks``."""

from __future__ import annotations

import dataclasses
import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

from carrom.board import Board
from carrom.functional.batching import as_batch
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
hundreds is drawn again."""


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
    return turned(points + _uniform(key, points.shape, half), side)


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
    laid = as_batch(functools.partial(_laid, board=board))

    def attempt(carry: _Attempt) -> _Attempt:
        key, _, _, on_board = carry
        key, draw = jax.random.split(key)
        points = _uniform(draw, (2, N_CARROMMEN, _TRIES), reach)
        positions, found = laid(points, on_board)
        return key, positions, found & lines.on(jnp.int32(0), positions, on_board).any(), on_board

    def until_good(carry: _Attempt) -> _Attempt:
        return lax.while_loop(lambda carry: ~carry[2], attempt, carry)

    start = (key, jnp.zeros((N_CARROMMEN, 2)), jnp.bool_(False), on_board)
    carry = attempt(start)
    return seldom(until_good)(~carry[2], carry)[1]


def _laid(points: jax.Array, on_board: jax.Array, *, board: Board) -> tuple[jax.Array, jax.Array]:
    """Lay each carromman at the first of its points where it fits.

    Args:
        points: (M, 2, 19, tries), m.
        on_board: bool (M, 19), which are to be laid.
        board: gives the sizes.

    Returns:
        Positions (M, 19, 2), zero for the others, and whether all have found a place, bool (M,).
    """
    apart2 = (board.carromman_diameter + GAP) ** 2
    # Boards last: processors work at many at once along the last axis.
    points, wanted = points.transpose(1, 2, 3, 0), on_board.T
    over_x, over_y = jnp.abs(points) - board.pocket_offset
    clear = over_x**2 + over_y**2 >= board.pocket_radius**2

    def lay(index: jax.Array, laid: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        places, found = laid
        tried = points[:, index]

        def keeps_from(other: jax.Array, fits: jax.Array) -> jax.Array:
            x, y = tried - places[:, other, None]
            return fits & (x**2 + y**2 > apart2)

        fits = lax.fori_loop(0, index, keeps_from, clear[index])
        place = tried[:, -1]
        for number in reversed(range(_TRIES - 1)):
            place = jnp.where(fits[number], tried[:, number], place)
        # What is not laid is far from everything.
        place = jnp.where(wanted[index], place, jnp.inf)
        return places.at[:, index].set(place), found & (jnp.any(fits, axis=0) | ~wanted[index])

    nowhere = jnp.full((2, *wanted.shape), jnp.inf)
    every = jnp.ones(len(on_board), bool)
    places, found = lax.fori_loop(0, N_CARROMMEN, lay, (nowhere, every))
    return jnp.where(wanted, places, 0).transpose(2, 1, 0), found


def _uniform(key: jax.Array, shape: tuple[int, ...], half: float) -> jax.Array:
    """Numbers between -``half`` and ``half``: those that JAX draws for the ``shape``.

    Drawn along one axis they take a third of the time, and a tenth to be compiled.
    """
    return jax.random.uniform(key, (math.prod(shape),), minval=-half, maxval=half).reshape(shape)


_Attempt = tuple[jax.Array, jax.Array, jax.Array, jax.Array]
