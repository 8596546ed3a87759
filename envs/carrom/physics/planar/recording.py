"""One stroke with everything that happens in it: the program for a single board.

Recording costs little and is always on, so that a stroke ends the same, to the last bit,
whether its film is wanted or not.
"""

from __future__ import annotations

import functools
from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.planar.event import advance
from carrom.physics.planar.lanes import Geometry, Lanes, Parameters, columns, set_out
from carrom.physics.planar.outcomes import rows_of
from carrom.physics.planar.springs import squeeze_if_any

STEPS_AT_ONCE = 400
"""Steps of a part of a stroke. Most strokes need no second part: memory takes its time."""


_Recording: TypeAlias = tuple[Lanes, jax.Array, jax.Array]
"""A part under way: the lane, its frames, and how many steps it has taken."""


class Part(NamedTuple):
    """Some steps of a stroke.

    Attributes:
        lanes: one lane, after the last of them.
        row: (1, 3 N + 5), as ``rows_of``.
        frames: (steps + 1, 1 + 5 N): before the first step and after each, the time
            and all x, y, vx, vy and deceleration. Between two frames every disc goes
            straight and brakes evenly. Those that are not reached are inf.
    """

    lanes: Lanes
    row: jax.Array
    frames: jax.Array


@functools.partial(jax.jit, static_argnames=("springs", "steps"))
def begin(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    on_board: jax.Array,
    start: jax.Array,
    *,
    springs: bool = False,
    steps: int = STEPS_AT_ONCE,
) -> Part:
    """The first ``steps`` steps of a stroke, or fewer if it ends.

    Args:
        geometry: of N slots.
        parameters: (1,) each.
        positions: (N - 1, 2), m.
        on_board: (N - 1,), bool.
        start: (4,), the striker's x, y, vx, vy.
        springs: contacts that overlap in time are springs, not impulses.
        steps: length of the recording.
    """
    places = columns(positions[None]).T
    lanes = set_out(places, on_board[:, None], start[:, None], parameters, geometry)
    return _part(lanes, parameters, geometry, springs, steps)


@functools.partial(jax.jit, static_argnames=("springs", "steps"))
def go_on(
    geometry: Geometry,
    parameters: Parameters,
    lanes: Lanes,
    *,
    springs: bool = False,
    steps: int = STEPS_AT_ONCE,
) -> Part:
    """The next ``steps`` steps, after those of an earlier part."""
    return _part(lanes, parameters, geometry, springs, steps)


def _part(
    lanes: Lanes, parameters: Parameters, geometry: Geometry, springs: bool, most: int
) -> Part:
    def goes_on(state: _Recording) -> jax.Array:
        lanes, _, steps = state
        return ~lanes.discs.at_rest()[0] & (steps < most)

    def step(state: _Recording) -> _Recording:
        lanes, frames, steps = state
        lanes = advance(lanes, parameters, geometry, springs=springs)
        if springs:
            lanes = squeeze_if_any(lanes, parameters, geometry)
        place = (steps + 1, jnp.int32(0))
        return lanes, lax.dynamic_update_slice(frames, _frame(lanes), place), steps + 1

    frame = _frame(lanes)
    frames = jnp.full((most + 1, frame.shape[1]), jnp.inf, frame.dtype).at[0].set(frame[0])
    lanes, frames, _ = lax.while_loop(goes_on, step, (lanes, frames, jnp.int32(0)))
    return Part(lanes, rows_of(lanes), frames)


def _frame(lanes: Lanes) -> jax.Array:
    discs = lanes.discs
    values = [discs.x, discs.y, discs.vx, discs.vy, discs.braking]
    return jnp.concatenate([lanes.record.time[None], *values]).T
