"""Many strokes on arrays, to be called alone or from other jitted code.

The functions here take and give arrays with the stroke as the FIRST axis, in the board's
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
from carrom.physics.planar.lanes import Geometry, Lanes, Parameters, columns, set_out
from carrom.physics.planar.outcomes import Outcomes, outcomes_of, rows_of
from carrom.physics.planar.springs import packed, squeeze_groups, squeeze_if_any

MOST_STEPS = 10_000
"""A lane that takes more steps than this is given up. No stroke of 240,000 with random materials
had a quarter of so many impacts."""
CHUNK = 4
"""Steps between two looks at which lanes are at rest."""
SQUEEZED_AT_ONCE = 96
"""Lanes that go through overlapping contacts together in ``play_stream``, at most half of all.
With springs so many strokes more are under way, and while some wait to be squeezed the others
still fill the lanes."""
LANES = 128
"""Strokes under way at once in ``play_stream``: wide enough for a processor's vectors, and
what they work on fits its caches."""
SPRING_LANES = 8
"""As many where springs are for some strokes of a mixed batch. A small step costs nearly as much
in lanes that are empty, and the pairs of a lane that springs look at are many (measured, the 34
of 256 boards in play that needed springs: 8 ms, in 64 lanes 35 ms; 529 of 4,096: 70 ms, in 128
lanes 106). Thousands of breaks at once are twice as fast in ``LANES``."""


@functools.partial(jax.jit, static_argnames=("springs", "most_steps"))
def play_batch(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    starts: jax.Array,
    *,
    springs: bool = False,
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
        springs: contacts that overlap in time are springs, not impulses.
        most_steps: after so many steps the lanes that are not at rest are given up.

    Returns:
        B outcomes.
    """
    lanes = set_out(columns(positions).T, on_board.T, starts.T, parameters, geometry)

    def goes_on(state: tuple[Lanes, jax.Array]) -> jax.Array:
        lanes, steps = state
        return ~jnp.all(lanes.discs.at_rest()) & (steps < most_steps)

    def step(state: tuple[Lanes, jax.Array]) -> tuple[Lanes, jax.Array]:
        lanes, steps = state
        lanes = advance(lanes, parameters, geometry, springs=springs)
        if springs:
            lanes = squeeze_if_any(lanes, parameters, geometry)
        return lanes, steps + 1

    lanes, _ = lax.while_loop(goes_on, step, (lanes, jnp.int32(0)))
    return outcomes_of(rows_of(lanes))


class _Stream(NamedTuple):
    """A stream under way: B lanes, M strokes.

    Attributes:
        lanes: the strokes in the lanes.
        parameters: theirs.
        stroke: (B,), place in the queue of the stroke in each lane; M where there is none.
        steps: (B,), how many it has taken.
        following: (), the next one to take.
        rows: (M + 1, ...), the outcomes; the last row is waste.
    """

    lanes: Lanes
    parameters: Parameters
    stroke: jax.Array
    steps: jax.Array
    following: jax.Array
    rows: jax.Array


@functools.partial(jax.jit, static_argnames=("springs", "lanes", "most_steps"))
def play_stream(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    which: jax.Array,
    starts: jax.Array,
    count: jax.Array | int | None = None,
    *,
    springs: bool = False,
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
        springs: contacts that overlap in time are springs, not impulses.
        lanes: strokes that go from event to event at once.
        most_steps: a lane not at rest after so many steps is given up.

    Returns:
        M outcomes.
    """
    strokes, carrommen = len(starts), positions.shape[1]
    end = jnp.asarray(strokes if count is None else count, jnp.int32)
    shared = all(len(values) == 1 for values in parameters)
    layouts = jnp.concatenate([columns(positions), on_board.astype(positions.dtype)], axis=1)
    # One row per stroke, and one more for lanes that have nothing left to play.
    queue = starts if shared else jnp.concatenate([starts, jnp.stack(parameters, axis=1)], axis=1)
    # The fastest first, as they take longest: else one of them, begun last, would keep all other
    # lanes waiting.
    speed2 = starts[:, 2] ** 2 + starts[:, 3] ** 2
    order = jnp.argsort(jnp.where(jnp.arange(strokes) < end, -speed2, jnp.inf)).astype(jnp.int32)
    queue = jnp.pad(queue[order], ((0, 1), (0, 0)), mode="edge")
    which = jnp.pad(which.astype(jnp.int32)[order], (0, 1))
    own_row = jnp.append(order, strokes)

    def take(stroke: jax.Array) -> tuple[Lanes, Parameters]:
        row, layout, real = queue[stroke].T, layouts[which[stroke]].T, stroke < end
        own = parameters if shared else Parameters(*row[4:])
        start = jnp.concatenate([row[:2], jnp.where(real, row[2:4], 0)])
        present = (layout[2 * carrommen :] != 0) & real
        return set_out(layout[: 2 * carrommen], present, start, own, geometry), own

    def goes_on(state: _Stream) -> jax.Array:
        return jnp.any(state.stroke < end)

    at_once = max(1, min(SQUEEZED_AT_ONCE, lanes)) if springs else 0

    def events(under_way: Lanes, own: Parameters, geometry: Geometry) -> Lanes:
        return lax.fori_loop(
            0, CHUNK, lambda _, lanes: advance(lanes, own, geometry, springs=springs), under_way
        )

    def chunk(state: _Stream) -> _Stream:
        own, under_way = state.parameters, state.lanes
        if springs:
            free = (under_way.squeezed == 0) & ~under_way.discs.at_rest()
            free &= jnp.cumsum(free) <= lanes
            under_way = packed(events, free, under_way, own, geometry, lanes)
            under_way = squeeze_groups(under_way, own, geometry, at_once)
        else:
            free, under_way = True, events(under_way, own, geometry)
        steps = state.steps + jnp.where(free, CHUNK, 0)
        given_up = (steps >= most_steps) | (under_way.squeezed > most_steps)
        done = under_way.discs.at_rest() | given_up
        target = jnp.where(done, own_row[state.stroke], strokes)
        ready = done.astype(jnp.int32)
        place = state.following + jnp.cumsum(ready, dtype=jnp.int32) - 1
        stroke = jnp.where(done, jnp.where(place < end, place, strokes), state.stroke)
        fresh, fresh_own = take(stroke)

        def refill(new: jax.Array, old: jax.Array) -> jax.Array:
            return jnp.where(done, new, old)

        return _Stream(
            jax.tree.map(refill, fresh, under_way),
            parameters if shared else jax.tree.map(refill, fresh_own, own),
            stroke,
            jnp.where(done, 0, steps),
            jnp.minimum(state.following + jnp.sum(ready, dtype=jnp.int32), end),
            state.rows.at[target].set(rows_of(under_way)),
        )

    lane = jnp.arange(lanes + at_once, dtype=jnp.int32)
    stroke = jnp.where(lane < end, lane, strokes)
    under_way, own = take(stroke)
    state = _Stream(
        under_way,
        own,
        stroke,
        jnp.zeros_like(lane),
        jnp.minimum(jnp.int32(len(lane)), end),
        jnp.zeros((strokes + 1, rows_of(under_way).shape[1]), positions.dtype),
    )
    return outcomes_of(lax.while_loop(goes_on, chunk, state).rows[:strokes])
