"""Strokes of the planar engine, one to be written down, many to be computed.

``play`` is the stroke of one board. Under ``jax.vmap`` the boards that strike are shared out
among streams by what they need: as many slots as carrommen lie on them, and springs where
contacts can overlap in time. In a stream no stroke waits for the slowest, and boards that do
not strike cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import lax

from carrom.board import Board
from carrom.functional.batching import as_batch
from carrom.functional.sight import side_of_board
from carrom.functional.state import Outcome, State, Strike
from carrom.laws.places import turned
from carrom.physics.planar.gaps import carrommen_gaps, may_overlap, striker_gaps
from carrom.physics.planar.lanes import Geometry, Parameters
from carrom.physics.planar.outcomes import Outcomes
from carrom.physics.planar.slots import SIZES, from_slots, to_slots
from carrom.physics.planar.strokes import LANES, SPRING_LANES, play_stream
from carrom.pieces import N_DISCS

_FEWEST_LANES, _BOARDS_PER_LANE = 32, 16
"""Strokes under way at once in a stream without springs, and from how many boards on it is more. A
batch fills several streams, and at the end of each lanes wait for the last strokes; with many
boards that matters less than what processors gain from wide arrays (measured with 256, 1,024 and
4,096 boards)."""

Play = Callable[[jax.Array, State, Strike], Outcome]


@dataclass(frozen=True)
class Stream:
    """A program for strokes that are alike.

    Attributes:
        slots: for carrommen and striker; one of ``SIZES``.
        springs: whether contacts that overlap in time are springs.
    """

    slots: int
    springs: bool


def streams_for(*, springs: bool) -> tuple[Stream, ...]:
    """The streams that strokes are shared out among.

    Args:
        springs: whether there is one with springs. It is one of all slots: springs are for
            racks above all, and each program takes seconds to compile.
    """
    by_size = tuple(Stream(slots, springs=False) for slots in SIZES)
    return (*by_size, Stream(SIZES[-1], springs=True)) if springs else by_size


def start_of(state: State, strike: Strike, board: Board) -> jax.Array:
    """Place and velocity of the striker in the board's frame, float32 (4,): x, y, vx, vy."""
    heading = jnp.stack([-jnp.sin(strike.direction), jnp.cos(strike.direction)])
    place = jnp.stack([strike.place, board.base_line_y + strike.forward])
    side = side_of_board(state, state.match.board.seat)
    return turned(jnp.stack([place, strike.speed * heading]), side).reshape(4)


def player_on(board: Board, streams: tuple[Stream, ...]) -> Play:
    """The function that plays a stroke on ``board``.

    Args:
        board: dimensions and masses.
        streams: for the strokes of a batch, as of ``streams_for``.

    Returns:
        A function of a flag, bool (), whether there is a stroke at all, of the state and the
        strike, giving the outcome; without a stroke it means nothing.
    """

    def batch(active: jax.Array, rows: _Rows) -> Outcome:
        parameters, positions, on_board, starts = rows
        playable = _is_finite(rows)
        played = active & playable
        share = jnp.where(played, _share_of(rows, streams, board), len(streams))
        # Sorted once: the strokes of each stream are neighbours, and go round in a circle.
        order = jnp.argsort(share, stable=True).astype(jnp.int32)
        counts = jnp.sum(share[:, None] == jnp.arange(len(streams)), axis=0)
        begins = jnp.cumsum(counts) - counts
        places, present, _ = to_slots(positions, on_board, N_DISCS)
        outcome = Outcome(
            positions=jnp.zeros((len(active), N_DISCS, 2)),
            on_board=jnp.zeros((len(active), N_DISCS), bool),
            touched=jnp.zeros(len(active), bool),
            collided=jnp.zeros(len(active), bool),
            failed=~playable,
        )
        for number, stream in enumerate(streams):
            mine = _from(order, begins[number])
            packed = (parameters, places, present, starts)
            outcome = _played(stream, mine, counts[number], packed, outcome, board)
        carrommen = from_slots(outcome.positions, on_board)
        left = from_slots(outcome.on_board, on_board) & on_board
        return outcome._replace(
            positions=jnp.concatenate([carrommen, outcome.positions[:, -1:]], axis=1),
            on_board=jnp.concatenate([left, outcome.on_board[:, -1:]], axis=1),
        )

    strokes = as_batch(batch)

    def play(active: jax.Array, state: State, strike: Strike) -> Outcome:
        start = start_of(state, strike, board)
        return strokes(active, (state.parameters, state.positions, state.on_board, start))

    return play


_Rows = tuple[Parameters, jax.Array, jax.Array, jax.Array]
"""Of M boards: physics, (M,) each; positions, (M, 19, 2); on_board, (M, 19); starts, (M, 4)."""


def _is_finite(rows: _Rows) -> jax.Array:
    """Whether all that a stroke begins with is numbers, bool (M,).

    Nothing that is not a number is ever more than another one: the engine would take such a
    disc to be wherever it is asked about.
    """
    parameters, positions, on_board, starts = rows
    lying = jnp.where(on_board[..., None], positions, 0)
    physics = jnp.stack(list(parameters), axis=1)
    return (
        jnp.isfinite(starts).all(1) & jnp.isfinite(lying).all((1, 2)) & jnp.isfinite(physics).all(1)
    )


def _share_of(rows: _Rows, streams: tuple[Stream, ...], board: Board) -> jax.Array:
    """The number of the stream that each stroke needs, int32 (M,): the first that will do."""
    parameters, positions, on_board, starts = rows
    count = jnp.sum(on_board, axis=1)
    overlap = jnp.zeros(len(starts), bool)
    if any(stream.springs for stream in streams):
        gaps = carrommen_gaps(board, positions, on_board)
        to_striker = striker_gaps(board, positions, on_board, starts[:, :2])
        overlap = may_overlap(gaps, to_striker, starts, parameters.contact_time)
    will_do = [(count < s.slots) & (overlap == s.springs) for s in streams]
    return jnp.argmax(jnp.stack(will_do), axis=0)


def _from(order: jax.Array, begin: jax.Array) -> jax.Array:
    """The numbers in ``order``, (M,), from one of them on and round to it again."""
    return lax.dynamic_slice_in_dim(jnp.concatenate([order, order]), begin, len(order))


def _played(
    stream: Stream,
    mine: jax.Array,
    count: jax.Array,
    rows: _Rows,
    others: Outcome,
    board: Board,
) -> Outcome:
    """The outcomes of the first ``count`` of ``mine``, (M,), beside those of the ``others``.

    Here carrommen stand in slots, those on the board first.
    """

    def play(others: Outcome) -> Outcome:
        parameters, places, present, starts = rows
        outcomes = play_stream(
            Geometry.of(board, stream.slots),
            Parameters(*(values[mine] for values in parameters)),
            places[:, : stream.slots - 1],
            present[:, : stream.slots - 1],
            mine,
            starts[mine],
            count,
            springs=stream.springs,
            lanes=_lanes(stream, len(mine)),
        )
        row = jnp.where(jnp.arange(len(mine)) < count, mine, len(mine))
        own = _in_all_slots(outcomes)
        return jax.tree.map(lambda old, new: old.at[row].set(new, mode="drop"), others, own)

    return lax.cond(count > 0, play, lambda same: same, others)


def _lanes(stream: Stream, boards: int) -> int:
    """Strokes under way at once in a stream of a batch."""
    wanted = min(max(boards // _BOARDS_PER_LANE, _FEWEST_LANES), LANES)
    return min(SPRING_LANES if stream.springs else wanted, boards)


def _in_all_slots(outcomes: Outcomes) -> Outcome:
    """The outcomes with as many slots as there are discs, the striker in the last one."""
    empty = N_DISCS - outcomes.on_board.shape[1]

    def widened(values: jax.Array) -> jax.Array:
        widths = [(0, 0), (0, empty), *[(0, 0)] * (values.ndim - 2)]
        return jnp.concatenate([jnp.pad(values[:, :-1], widths), values[:, -1:]], axis=1)

    return Outcome(
        positions=widened(outcomes.positions),
        on_board=widened(outcomes.on_board),
        touched=outcomes.first_touch >= 0,
        collided=outcomes.impacts > 0,
        failed=outcomes.unfinished,
    )
