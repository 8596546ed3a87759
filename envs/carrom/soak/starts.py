"""Where random boards begin, and how they are played."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.laws import BoardState, MatchFormat, MatchState, new_board, new_match
from carrom.laws.state import N_SEATS
from carrom.soak.logic import whole


class Style(NamedTuple):
    """How a board is played, float32 chances.

    Attributes:
        pockets: a shot pockets an own carromman at all.
        always: a shot pockets at least one own carromman (for the slams, 27).
        opponents: it pockets one of the opponent's.
        queen: it pockets the queen while she lies on the board.
        striker: it pockets the striker.
        improper: it is improper.
        misses: it touches nothing.
        events: something else than a shot happens, as a multiple of the usual chance.
    """

    pockets: jax.Array
    always: jax.Array
    opponents: jax.Array
    queen: jax.Array
    striker: jax.Array
    improper: jax.Array
    misses: jax.Array
    events: jax.Array


_STYLES = (
    # Share of boards, then the chances in the order of ``Style``:
    (0.50, (0.45, 0.0, 0.12, 0.10, 0.06, 0.06, 0.12, 1.0)),  # ordinary,
    (0.25, (0.18, 0.0, 0.08, 0.05, 0.05, 0.05, 0.25, 1.0)),  # weak,
    (0.17, (0.40, 0.0, 0.25, 0.20, 0.30, 0.25, 0.15, 1.0)),  # clumsy,
    (0.04, (1.00, 1.0, 0.02, 0.35, 0.005, 0.005, 0.0, 0.0)),  # masterly,
    (0.04, (0.03, 0.0, 0.02, 0.02, 0.02, 0.02, 0.95, 0.2)),  # idle.
)


def random_style(key: jax.Array) -> Style:
    """How a board is going to be played."""
    shares = jnp.cumsum(jnp.array([share for share, _ in _STYLES]))
    kind = jnp.minimum(jnp.searchsorted(shares, jax.random.uniform(key)), len(_STYLES) - 1)
    chances = jnp.array([chances for _, chances in _STYLES], jnp.float32)
    return Style(*chances[kind])


def random_start(key: jax.Array, format: MatchFormat) -> MatchState:
    """A racked board at any point of a match, consistent with 49, 56, 57 and 60."""
    u = iter(jax.random.uniform(key, (8,)))
    last = 12 if format.board_limit is None else format.board_limit
    extra = (next(u) < 0.05) & (format.board_limit is not None)
    number = jnp.where(extra, last + 1, 1 + whole(next(u), last))
    game_number = 1 + whole(next(u), format.deciding_game)
    # A side scores up to 12 a board, and nobody has won the game yet.
    most = jnp.minimum(format.game_points - 1, 12 * (number - 1))
    first = (next(u) * (most + 1)).astype(jnp.int32)
    second = jnp.where(extra, first, (next(u) * (most + 1)).astype(jnp.int32))
    score = jnp.stack([first, second])
    ahead = (jnp.arange(2) == whole(next(u), 2)) & (game_number % 2 == 0)
    opener = format.seat_step * whole(next(u), len(format.seats))
    breaks = (game_number - 1) % 2 + number - 1 + (extra & (next(u) < 0.5))
    breaker = (opener + format.seat_step * breaks) % N_SEATS
    half = 1 if format.board_limit is None else format.board_limit // 2 + 1
    changed = (jnp.max(score) >= 13) | ((number >= half) & (format.board_limit is not None))
    deciding = (game_number == format.deciding_game) & (format.games_to_win > 1)
    match = fresh_match(format, opener.astype(jnp.int32))
    return dataclasses.replace(
        match,
        board=_racked(breaker.astype(jnp.int32)),
        game=dataclasses.replace(
            match.game, score=score, board_number=number, sides_changed=deciding & changed
        ),
        game_number=game_number,
        games_won=(game_number - 1) // 2 + ahead.astype(jnp.int32),
    )


def fresh_match(format: MatchFormat, opener: jax.Array) -> MatchState:
    """A match opened by a seat, int32, which may be traced."""
    match = jax.tree.map(jnp.asarray, new_match(format))
    return dataclasses.replace(match, board=_racked(opener), opener_seat=opener)


def _racked(breaker: jax.Array) -> BoardState:
    return jax.tree.map(jnp.asarray, new_board(breaker))
