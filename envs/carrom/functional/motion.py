"""Strokes of the planar engine, one to be written down, many to be computed.

``play`` is the stroke of one board. Under ``jax.vmap`` the boards that strike go through the
lanes of ``play_stream``, so that none waits for the slowest and those that do not strike cost
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

from carrom.board import Board
from carrom.functional.seldom import flatten, spread
from carrom.functional.sight import side_of_board
from carrom.functional.state import Outcome, State, Strike
from carrom.laws.places import turned
from carrom.physics.planar.lanes import Geometry, Parameters
from carrom.physics.planar.outcomes import Outcomes
from carrom.physics.planar.strokes import LANES, play_stream

Play = Callable[[jax.Array, State, Strike], Outcome]
_ALL: Any = Outcome._make([True] * len(Outcome._fields))


def start_of(state: State, strike: Strike, board: Board) -> jax.Array:
    """Place and velocity of the striker in the board's frame, float32 (4,): x, y, vx, vy."""
    heading = jnp.stack([-jnp.sin(strike.direction), jnp.cos(strike.direction)])
    place = jnp.stack([strike.place, board.base_line_y + strike.forward])
    side = side_of_board(state, state.match.board.seat)
    return turned(jnp.stack([place, strike.speed * heading]), side).reshape(4)


def player_on(board: Board, lanes: int = LANES) -> Play:
    """The function that plays a stroke on ``board``.

    Args:
        board: dimensions and masses.
        lanes: strokes under way at once, in a batch.

    Returns:
        A function of a flag, bool (), whether there is a stroke at all, of the state and the
        strike, giving the outcome; without a stroke it means nothing.
    """

    def stream(active: jax.Array, rows: tuple[Any, ...]) -> Outcome:
        parameters, positions, on_board, starts = rows
        # Those that strike come first; the others are not played.
        order = jnp.argsort(~active, stable=True).astype(jnp.int32)
        outcomes = play_stream(
            Geometry.of(board),
            Parameters(*(values[order] for values in parameters)),
            positions,
            on_board,
            order,
            starts[order],
            jnp.sum(active),
            lanes=min(lanes, len(active)),
        )
        back = jnp.zeros_like(order).at[order].set(jnp.arange(len(order), dtype=jnp.int32))
        return jax.tree.map(lambda leaf: leaf[back], _reduced(outcomes))

    @custom_vmap
    def one(active: jax.Array, rows: tuple[Any, ...]) -> Outcome:
        outcome = stream(active[None], jax.tree.map(lambda leaf: leaf[None], rows))
        return jax.tree.map(lambda leaf: leaf[0], outcome)

    many = custom_vmap(stream)

    @one.def_vmap
    def _of_one(size: int, batched: Any, active: jax.Array, rows: Any) -> tuple[Outcome, Any]:
        return many(*spread(size, batched, (active, rows))), _ALL

    @many.def_vmap
    def _of_many(size: int, batched: Any, active: jax.Array, rows: Any) -> tuple[Outcome, Any]:
        flat = jax.tree.map(flatten, spread(size, batched, (active, rows)))
        outcome = jax.tree.map(lambda leaf: leaf.reshape(size, -1, *leaf.shape[1:]), many(*flat))
        return outcome, _ALL

    def play(active: jax.Array, state: State, strike: Strike) -> Outcome:
        start = start_of(state, strike, board)
        return one(active, (state.parameters, state.positions, state.on_board, start))

    return play


def _reduced(outcomes: Outcomes) -> Outcome:
    return Outcome(
        positions=outcomes.positions,
        on_board=outcomes.on_board,
        touched=outcomes.first_touch >= 0,
        collided=outcomes.impacts > 0,
        failed=outcomes.unfinished,
    )
