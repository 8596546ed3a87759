"""The planar engine watched at every step, on discs that begin with any motion."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.planar_strokes import Strokes
from carrom.physics.material import Material
from carrom.physics.planar.event import advance
from carrom.physics.planar.impulse import Body
from carrom.physics.planar.lanes import ABSENT, Geometry, Lanes, Parameters, columns, set_out
from carrom.physics.planar.leg import Leg
from carrom.physics.planar.outcomes import Outcomes, outcomes_of, rows_of

AT_ONCE = 500
"""Strokes watched together."""
FOREVER = 1_000_000
"""More impacts than a stroke has."""
_MOST_STEPS = 10_000


class Watched(NamedTuple):
    """What was seen of M strokes of n discs.

    Attributes:
        outcomes: the ends, or what was reached after so many impacts.
        velocities: (M, n, 2), m/s, there.
        spins: (M, n), rad/s, there.
        gain: largest gain of energy in a step, J.
        overlap: deepest overlap of two discs after a step, m; negative if there was none.
        beyond: how far a disc got beyond the frame, m; negative if none did.
    """

    outcomes: Outcomes
    velocities: NDArray[np.floating]
    spins: NDArray[np.floating]
    gain: float
    overlap: float
    beyond: float


def watch(
    board: Board,
    materials: Sequence[Material],
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    on_board: NDArray[np.bool_],
    spins: NDArray[np.float64] | None = None,
    *,
    dtype: str = "float64",
    impacts: int = FOREVER,
) -> Watched:
    """Play M strokes of n discs, the striker last, impulses only.

    Args:
        board: the board.
        materials: one for each stroke, or one for all.
        positions: (M, n, 2), m.
        velocities: (M, n, 2), m/s.
        on_board: (M, n).
        spins: (M, n), rad/s; none if not given.
        dtype: "float32" or "float64".
        impacts: stop each stroke after so many.
    """
    spins = np.zeros(on_board.shape) if spins is None else spins
    dealt = [materials[k % len(materials)] for k in range(len(positions))]
    parts = [
        _watch_part(
            board,
            dealt[part],
            [positions[part], velocities[part], on_board[part], spins[part]],
            dtype,
            impacts,
        )
        for first in range(0, len(positions), AT_ONCE)
        for part in [slice(first, first + AT_ONCE)]
    ]
    return Watched(
        Outcomes(
            *(np.concatenate(values) for values in zip(*(p.outcomes for p in parts), strict=True))
        ),
        np.concatenate([part.velocities for part in parts]),
        np.concatenate([part.spins for part in parts]),
        max(part.gain for part in parts),
        max(part.overlap for part in parts),
        max(part.beyond for part in parts),
    )


def strokes_begun(
    strokes: Strokes,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Places, velocities and presence of all discs at the moment of the strike."""
    positions = np.concatenate([strokes.positions, strokes.starts[:, None, :2]], axis=1)
    velocities = np.zeros_like(positions)
    velocities[:, -1] = strokes.starts[:, 2:]
    on_board = np.concatenate([strokes.on_board, np.ones((len(positions), 1), bool)], axis=1)
    return positions, velocities, on_board


def _watch_part(
    board: Board,
    materials: Sequence[Material],
    arrays: list[NDArray[Any]],
    dtype: str,
    impacts: int,
) -> Watched:
    count = len(materials)
    # Always as many, so that one program does for all.
    positions, velocities, on_board, spins = (
        np.concatenate([values, np.zeros((AT_ONCE - count, *values.shape[1:]), values.dtype)])
        for values in arrays
    )
    dealt = [*materials, *[materials[0]] * (AT_ONCE - count)]
    with jax.enable_x64(dtype == "float64"):
        ended = _watch(
            Geometry.of(board, positions.shape[1], dtype),
            Parameters.of(*dealt, dtype=dtype),
            jnp.asarray(positions, dtype),
            jnp.asarray(velocities, dtype),
            jnp.asarray(on_board),
            jnp.asarray(spins, dtype),
            jnp.int32(impacts),
        )
        lanes, gain, overlap, beyond = jax.device_get(ended)
        outcomes = outcomes_of(np.asarray(rows_of(lanes)))
    discs = lanes.discs
    velocity = np.stack([discs.vx.T, discs.vy.T], axis=-1)
    spin = (discs.twist * np.sqrt(np.hypot(discs.vx, discs.vy))).T
    return Watched(
        Outcomes(*(values[:count] for values in outcomes)),
        velocity[:count],
        spin[:count],
        float(gain),
        float(overlap),
        float(beyond),
    )


class _State(NamedTuple):
    lanes: Lanes
    gain: jax.Array
    overlap: jax.Array
    beyond: jax.Array
    steps: jax.Array


@jax.jit
def _watch(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    velocities: jax.Array,
    on_board: jax.Array,
    spins: jax.Array,
    impacts: jax.Array,
) -> tuple[Lanes, jax.Array, jax.Array, jax.Array]:
    lanes = _begun(geometry, parameters, positions, velocities, on_board, spins)

    def busy(lanes: Lanes) -> jax.Array:
        """Lanes that go on."""
        return ~lanes.discs.at_rest() & (lanes.record.impacts < impacts)

    def goes_on(state: _State) -> jax.Array:
        return jnp.any(busy(state.lanes)) & (state.steps < _MOST_STEPS)

    def step(state: _State) -> _State:
        before = state.lanes
        after = jax.tree.map(
            functools.partial(jnp.where, busy(before)),
            advance(before, parameters, geometry),
            before,
        )
        grown = _energy(after, geometry) - _energy(before, geometry)
        overlap, beyond = _out_of_place(after, geometry)
        return _State(
            after,
            jnp.maximum(state.gain, jnp.max(grown)),
            jnp.maximum(state.overlap, overlap),
            jnp.maximum(state.beyond, beyond),
            state.steps + 1,
        )

    least = jnp.asarray(-1, positions.dtype)
    state = lax.while_loop(goes_on, step, _State(lanes, least, least, least, jnp.int32(0)))
    return state.lanes, state.gain, state.overlap, state.beyond


def _begun(
    geometry: Geometry,
    parameters: Parameters,
    positions: jax.Array,
    velocities: jax.Array,
    on_board: jax.Array,
    spins: jax.Array,
) -> Lanes:
    starts = jnp.concatenate([positions[:, -1], velocities[:, -1]], axis=1).T
    places = columns(positions[:, :-1]).T
    lanes = set_out(places, on_board[:, :-1].T, starts, parameters, geometry)
    vx, vy = velocities[..., 0].T, velocities[..., 1].T
    body = Body(vx, vy, spins.T, geometry.mass[:, None], geometry.radius[:, None])
    present = on_board.T
    return lanes._replace(
        discs=lanes.discs._replace(
            **Leg.after(body, parameters)._asdict(),
            clock=jnp.where(present, lanes.discs.clock, -1),
            gone=jnp.where(present, lanes.discs.gone, ABSENT),
        )
    )


def _energy(lanes: Lanes, geometry: Geometry) -> jax.Array:
    """Kinetic energy, (B,), J."""
    discs = lanes.discs
    speed2 = discs.vx**2 + discs.vy**2
    rim2 = (geometry.radius[:, None] * discs.twist) ** 2 * jnp.sqrt(speed2)
    each = geometry.mass[:, None] * (speed2 / 2 + rim2 / 4)
    return jnp.sum(jnp.where(discs.in_play, each, 0), axis=0)


def _out_of_place(lanes: Lanes, geometry: Geometry) -> tuple[jax.Array, jax.Array]:
    """Deepest overlap and farthest beyond the frame of all lanes, m."""
    discs, radius = lanes.discs, geometry.radius[:, None]
    first, second = np.triu_indices(len(radius), 1)
    apart = jnp.hypot(discs.x[first] - discs.x[second], discs.y[first] - discs.y[second])
    overlap = radius[first] + radius[second] - apart
    both = discs.in_play[first] & discs.in_play[second]
    over_x = jnp.abs(discs.x) - geometry.pocket_offset
    over_y = jnp.abs(discs.y) - geometry.pocket_offset
    corner = (over_x > 0) & (over_y > 0)
    out = jnp.where(corner, jnp.hypot(over_x, over_y), jnp.maximum(over_x, over_y))
    beyond = out - (geometry.pocket_radius - radius)
    return (
        jnp.max(jnp.where(both, overlap, -1)),
        jnp.max(jnp.where(discs.in_play, beyond, -1)),
    )
