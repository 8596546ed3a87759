"""Whole strokes on arrays, to be called alone or from other jitted code.

All functions here take and give arrays with the stroke as the FIRST axis, in the board's
frame. Slots 0 to N - 2 are carrommen, slot N - 1 is the striker; N is even. With 20 slots
they are the discs in index order; fewer slots are faster, with whatever carrommen the caller
puts there (see ``carrom.physics.planar.slots``).

The dtype of the positions decides: float32, or float64 inside ``jax.enable_x64(True)``.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.planar.event import advance
from carrom.physics.planar.lanes import (
    NEVER,
    Geometry,
    Lanes,
    Parameters,
    set_out,
)

MOST_STEPS = 2000
"""A lane that takes more steps than this is given up: of millions of strokes, with parameters
from all over their ranges, none took more than a third."""
CHUNK = 4
"""Steps between two looks at which lanes are at rest."""
LANES = 256
"""Strokes under way at once in ``play_stream``: wide enough for a processor's vectors, and
what they work on fits its second-level cache."""


class Outcomes(NamedTuple):
    """How M strokes ended.

    Attributes:
        positions: (M, N, 2), m; where a disc fell if it did.
        on_board: (M, N), bool.
        fall_times: (M, N), s after the strike; inf for discs that did not fall.
        pockets: (M, N), int32: index into ``Board.pocket_centres``, -1 for those.
        first_touch: (M,), int32: slot of the carromman the striker touched first, or -1.
        touched: (M, N), bool: whether the disc touched another disc.
        durations: (M,), s until everything was at rest.
        impacts: (M,), int32.
        unfinished: (M,), bool: given up before everything was at rest.
    """

    positions: jax.Array
    on_board: jax.Array
    fall_times: jax.Array
    pockets: jax.Array
    first_touch: jax.Array
    touched: jax.Array
    durations: jax.Array
    impacts: jax.Array
    unfinished: jax.Array


@functools.partial(jax.jit, static_argnames="most_steps")
def play_batch(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    starts: jax.Array,
    *,
    most_steps: int = MOST_STEPS,
) -> Outcomes:
    """Play B strokes side by side until the last of them is at rest.

    Right for few strokes, or where all of them must be over before anything else can happen.

    Args:
        geometry: of N slots.
        parameters: (B,) each, or (1,) for all.
        positions: (B, N - 1, 2), m.
        on_board: (B, N - 1), bool.
        starts: (B, 4), the striker's x, y, vx, vy.
        most_steps: after so many steps the lanes that are not at rest are given up.

    Returns:
        B outcomes.
    """
    lanes = set_out(_columns(positions).T, on_board.T, starts.T, parameters, geometry)

    def goes_on(state: tuple[Lanes, jax.Array]) -> jax.Array:
        lanes, steps = state
        return ~jnp.all(lanes.discs.at_rest()) & (steps < most_steps)

    def step(state: tuple[Lanes, jax.Array]) -> tuple[Lanes, jax.Array]:
        lanes, steps = state
        return advance(lanes, parameters, geometry), steps + 1

    lanes, _ = lax.while_loop(goes_on, step, (lanes, jnp.int32(0)))
    return _outcomes(_rows(lanes, ~lanes.discs.at_rest()))


@functools.partial(jax.jit, static_argnames=("lanes", "most_steps"))
def play_stream(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    which: jax.Array,
    starts: jax.Array,
    count: jax.Array | int | None = None,
    *,
    lanes: int = LANES,
    most_steps: int = MOST_STEPS,
) -> Outcomes:
    """Play M strokes on L layouts; a lane at rest takes the next stroke at once.

    No stroke waits for the slowest: with 256 lanes that would cost twice to three times as
    much. An outcome depends, to the last bit, on ``lanes`` but not on the other strokes nor
    on their order.

    Args:
        geometry: of N slots.
        parameters: (M,) each, or (1,) for all.
        positions: (L, N - 1, 2), m.
        on_board: (L, N - 1), bool.
        which: (M,), int32, the layout of each stroke.
        starts: (M, 4), the striker's x, y, vx, vy.
        count: play only the first so many; all if not given. The outcomes of the others mean
            nothing.
        lanes: strokes under way at once.
        most_steps: a lane not at rest after so many steps is given up.

    Returns:
        M outcomes.
    """
    strokes, slots = len(starts), len(geometry.radius)
    end = jnp.asarray(strokes if count is None else count, jnp.int32)
    shared = all(len(values) == 1 for values in parameters)
    layouts = jnp.concatenate([_columns(positions), on_board.astype(positions.dtype)], axis=1)
    # One row per stroke, and one more for lanes that have nothing left to play.
    queue = starts if shared else jnp.concatenate([starts, jnp.stack(parameters, axis=1)], axis=1)
    queue = jnp.pad(queue, ((0, 1), (0, 0)), mode="edge")
    which = jnp.pad(which.astype(jnp.int32), (0, 1))

    def take(stroke: jax.Array) -> tuple[Lanes, Parameters]:
        row = queue[stroke].T
        own = parameters if shared else Parameters(*row[4:])
        if len(layouts) == 1:
            layout = jnp.broadcast_to(layouts[0][:, None], (layouts.shape[1], lanes))
        else:
            layout = layouts[which[stroke]].T
        places = 2 * (slots - 1)
        present = (layout[places:] != 0) & (stroke < end)
        start = jnp.where((jnp.arange(4) < 2)[:, None] | (stroke < end), row[:4], 0)
        return set_out(layout[:places], present, start, own, geometry), own

    def goes_on(state: _Stream) -> jax.Array:
        return jnp.any(state.stroke < end)

    def chunk(state: _Stream) -> _Stream:
        under_way = lax.fori_loop(
            0, CHUNK, lambda _, lanes: advance(lanes, state.parameters, geometry), state.lanes
        )
        steps = state.steps + CHUNK
        at_rest = under_way.discs.at_rest()
        done = at_rest | (steps >= most_steps)
        rows = state.rows.at[jnp.where(done, state.stroke, strokes)].set(_rows(under_way, ~at_rest))
        ready = done.astype(jnp.int32)
        place = state.following + jnp.cumsum(ready, dtype=jnp.int32) - 1
        stroke = jnp.where(done, jnp.where(place < end, place, strokes), state.stroke)
        fresh, own = take(stroke)

        def refill(new: jax.Array, old: jax.Array) -> jax.Array:
            return jnp.where(done, new, old)

        return _Stream(
            jax.tree.map(refill, fresh, under_way),
            parameters if shared else jax.tree.map(refill, own, state.parameters),
            stroke,
            jnp.where(done, 0, steps),
            jnp.minimum(state.following + jnp.sum(ready, dtype=jnp.int32), end),
            rows,
        )

    lane = jnp.arange(lanes, dtype=jnp.int32)
    stroke = jnp.where(lane < end, lane, strokes)
    under_way, own = take(stroke)
    width = _rows(under_way, under_way.discs.at_rest()).shape[1]
    state = _Stream(
        under_way,
        own,
        stroke,
        jnp.zeros(lanes, jnp.int32),
        jnp.minimum(jnp.int32(lanes), end),
        jnp.zeros((strokes + 1, width), positions.dtype),
    )
    return _outcomes(lax.while_loop(goes_on, chunk, state).rows[:strokes])


class _Stream(NamedTuple):
    """A stream under way: ``lanes`` lanes, M strokes.

    Attributes:
        lanes: the strokes in the lanes.
        parameters: theirs.
        stroke: (lanes,), which stroke is in each lane; M where none is.
        steps: (lanes,), how many it has taken.
        following: (), the next stroke to take.
        rows: (M + 1, ...), the outcomes, see ``_rows``; the last row is waste.
    """

    lanes: Lanes
    parameters: Parameters
    stroke: jax.Array
    steps: jax.Array
    following: jax.Array
    rows: jax.Array


class Keyframes(NamedTuple):
    """One stroke step by step; between two rows every disc goes straight and brakes evenly.

    Attributes:
        times: (T,), s.
        x: (T, N), m.
        y: (T, N), m.
        vx: (T, N), m/s.
        vy: (T, N), m/s.
        braking: (T, N), m/s^2.
        length: (), int32: what comes after so many rows means nothing.
    """

    times: jax.Array
    x: jax.Array
    y: jax.Array
    vx: jax.Array
    vy: jax.Array
    braking: jax.Array
    length: jax.Array


@functools.partial(jax.jit, static_argnames="most_steps")
def play_one(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    start: jax.Array,
    *,
    most_steps: int = MOST_STEPS,
) -> tuple[Outcomes, Keyframes]:
    """Play one stroke and keep every step of it.

    Args:
        geometry: of N slots.
        parameters: (1,) each.
        positions: (N - 1, 2), m.
        on_board: (N - 1,), bool.
        start: (4,), the striker's x, y, vx, vy.
        most_steps: the stroke is given up after so many steps.

    Returns:
        An outcome, M = 1, and its keyframes, T = ``most_steps`` + 1.
    """
    lanes = set_out(
        _columns(positions[None]).T, on_board[:, None], start[:, None], parameters, geometry
    )
    slots = len(geometry.radius)

    def frame(lanes: Lanes) -> jax.Array:
        discs = lanes.discs
        columns = [discs.x, discs.y, discs.vx, discs.vy, discs.braking]
        return jnp.concatenate([lanes.record.time, *(column[:, 0] for column in columns)])

    def goes_on(state: tuple[Lanes, jax.Array, jax.Array]) -> jax.Array:
        lanes, _, steps = state
        return ~lanes.discs.at_rest()[0] & (steps < most_steps)

    def step(
        state: tuple[Lanes, jax.Array, jax.Array],
    ) -> tuple[Lanes, jax.Array, jax.Array]:
        lanes, frames, steps = state
        lanes = advance(lanes, parameters, geometry)
        frames = lax.dynamic_update_slice(frames, frame(lanes)[None], (steps + 1, jnp.int32(0)))
        return lanes, frames, steps + 1

    frames = jnp.zeros((most_steps + 1, 1 + 5 * slots), positions.dtype).at[0].set(frame(lanes))
    lanes, frames, steps = lax.while_loop(goes_on, step, (lanes, frames, jnp.int32(0)))
    columns = jnp.split(frames[:, 1:], 5, axis=1)
    outcome = _outcomes(_rows(lanes, ~lanes.discs.at_rest()))
    return outcome, Keyframes(frames[:, 0], *columns, length=steps + 1)


def _columns(positions: jax.Array) -> jax.Array:
    """All x and then all y: (L, n, 2) to (L, 2 n)."""
    return jnp.concatenate([positions[..., 0], positions[..., 1]], axis=1)


def _rows(lanes: Lanes, unfinished: jax.Array) -> jax.Array:
    """Everything that is wanted of lanes, one row each: writing rows is what memory likes."""
    discs, record = lanes
    dtype = discs.x.dtype
    # Bit masks of up to 24 slots are whole numbers that float32 holds exactly.
    once = [record.time, record.impacts, record.first_touch, record.touched, unfinished]
    return jnp.concatenate(
        [discs.x, discs.y, discs.gone, jnp.stack([value.astype(dtype) for value in once])]
    ).T


def _outcomes(rows: jax.Array) -> Outcomes:
    """What ``_rows`` put together."""
    slots = (rows.shape[1] - 5) // 3
    x, y, gone = (rows[:, k * slots : (k + 1) * slots] for k in range(3))
    time, impacts, first_touch, touched, unfinished = rows[:, 3 * slots :].T
    fell = (gone >= 0) & (gone < NEVER)
    # Counter-clockwise from the near right corner, as ``Board.pocket_centres``.
    pocket = jnp.where(y > 0, jnp.where(x > 0, 1, 2), jnp.where(x > 0, 0, 3))
    bits = touched.astype(jnp.int32)[:, None] >> jnp.arange(slots, dtype=jnp.int32)
    return Outcomes(
        positions=jnp.stack([x, y], axis=-1),
        on_board=gone == NEVER,
        fall_times=jnp.where(fell, gone, jnp.inf),
        pockets=jnp.where(fell, pocket, -1).astype(jnp.int32),
        first_touch=first_touch.astype(jnp.int32),
        touched=(bits & 1) == 1,
        durations=time,
        impacts=impacts.astype(jnp.int32),
        unfinished=unfinished != 0,
    )
