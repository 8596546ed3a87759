"""The arrays that strokes are computed on.

A lane is one stroke under way. Inside the engine the lanes are the LAST axis of every array,
so that the processor's vectors run over strokes: arrays over discs are (N, B), what a lane
has once is (B,). N counts the slots for discs, the striker in the last one; an empty slot
costs as much as a full one.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from carrom.board import Board
from carrom.physics.material import GRAVITY, Material
from carrom.physics.model import fall_radius

NEVER = 1e9
"""A time, s, or a distance, m, that nothing reaches; finite, so that it may be multiplied."""
ABSENT = -1.0
"""``Discs.gone`` of an empty slot."""


class Geometry(NamedTuple):
    """The board and the discs on N slots.

    Attributes:
        radius: (N,), m; the last is the striker's.
        mass: (N,), kg.
        half_side: (), m.
        pocket_radius: (), m.
        pocket_offset: (), |x| and |y| of the pocket centres, m.
    """

    radius: jax.Array
    mass: jax.Array
    half_side: jax.Array
    pocket_radius: jax.Array
    pocket_offset: jax.Array

    @classmethod
    def of(
        cls, board: Board, slots: int = 20, dtype: jax.typing.DTypeLike = np.float32
    ) -> Geometry:
        """The geometry of ``board`` with ``slots`` >= 2 slots, an even number."""
        return cls(
            *(
                jnp.asarray(value, dtype)
                for value in (
                    board.radii[-slots:],
                    board.masses[-slots:],
                    board.half_side,
                    board.pocket_radius,
                    board.pocket_offset,
                )
            )
        )


class Parameters(NamedTuple):
    """The fields of ``Material`` that the motion depends on, each (B,) or (1,)."""

    friction: jax.Array
    restitution_striker: jax.Array
    restitution_carromman: jax.Array
    restitution_frame: jax.Array
    friction_rim: jax.Array
    friction_frame: jax.Array
    edge_rounding: jax.Array
    fall_time: jax.Array
    fall_factor: jax.Array
    contact_time: jax.Array

    @classmethod
    def of(cls, *materials: Material, dtype: jax.typing.DTypeLike = np.float32) -> Parameters:
        """One material for all strokes, or one for each."""
        return cls(
            *(jnp.asarray([getattr(m, name) for m in materials], dtype) for name in cls._fields)
        )


class Discs(NamedTuple):
    """The discs of B lanes, each array (N, B).

    Attributes:
        x: m, board frame.
        y: m.
        vx: m/s.
        vy: m/s.
        twist: spin over the square root of the speed, which is constant between impacts (see
            ``ground``): so the spin needs no care on the way.
        braking: deceleration until the disc's next impact, m/s^2.
        clock: how long the centre has been inside a fall circle, s; -1 outside.
        gone: when the disc fell, s after the strike; ``NEVER`` in play, ``ABSENT`` in an
            empty slot. A fallen disc stays where it fell.
    """

    x: jax.Array
    y: jax.Array
    vx: jax.Array
    vy: jax.Array
    twist: jax.Array
    braking: jax.Array
    clock: jax.Array
    gone: jax.Array

    @property
    def in_play(self) -> jax.Array:
        """Which discs are on the board, bool (N, B)."""
        return self.gone == NEVER

    def at_rest(self) -> jax.Array:
        """Lanes in which nothing moves and nothing is about to fall, bool (B,)."""
        busy = (self.vx != 0) | (self.vy != 0) | (self.clock >= 0)
        return ~jnp.any(self.in_play & busy, axis=0)


class Record(NamedTuple):
    """What a lane has seen, each array (B,).

    Attributes:
        time: since the strike, s.
        impacts: how many there were, int32.
        first_touch: slot of the carromman the striker touched first, int32; -1 before.
        touched: bit mask of the slots that touched another disc, int32.
    """

    time: jax.Array
    impacts: jax.Array
    first_touch: jax.Array
    touched: jax.Array


class Lanes(NamedTuple):
    """B strokes under way.

    Attributes:
        discs: the discs.
        record: what happened so far.
        squeezed: (B,), int32, lanes with contacts that overlap in time: 0 has none, 1 has come
            upon them, 1 + n is through n bursts of small steps.
    """

    discs: Discs
    record: Record
    squeezed: jax.Array


def columns(positions: jax.Array) -> jax.Array:
    """All x and then all y: (L, n, 2) to (L, 2 n)."""
    return jnp.concatenate([positions[..., 0], positions[..., 1]], axis=1)


def fall_radius2(parameters: Parameters, geometry: Geometry) -> jax.Array:
    """Square of each disc's fall circle's radius, (N, B) or (N, 1), m^2."""
    return (
        fall_radius(
            geometry.radius[:, None],
            parameters.edge_rounding,
            parameters.fall_factor,
            geometry.pocket_radius,
        )
        ** 2
    )


def over_pocket(
    x: jax.Array, y: jax.Array, parameters: Parameters, geometry: Geometry
) -> jax.Array:
    """Which centres are inside a fall circle, bool (N, B)."""
    beyond_x, beyond_y = jnp.abs(x) - geometry.pocket_offset, jnp.abs(y) - geometry.pocket_offset
    return beyond_x**2 + beyond_y**2 < fall_radius2(parameters, geometry)


def set_out(
    positions: jax.Array,
    on_board: jax.Array,
    starts: jax.Array,
    parameters: Parameters,
    geometry: Geometry,
) -> Lanes:
    """Lanes at the moment of the strike.

    Args:
        positions: (2 (N - 1), B), all x and then all y of the carrommen, m, board frame.
        on_board: (N - 1, B), non-zero where there is a carromman.
        starts: (4, B), the striker's x, y, vx, vy.
        parameters: (B,) or (1,) each.
        geometry: of N slots.
    """
    lanes = starts.shape[1]
    x = jnp.concatenate([positions[: len(on_board)], starts[:1]])
    y = jnp.concatenate([positions[len(on_board) :], starts[1:2]])
    still = jnp.zeros_like(positions[: len(on_board)])
    vx = jnp.concatenate([still, starts[2:3]])
    vy = jnp.concatenate([still, starts[3:]])
    present = jnp.concatenate([on_board != 0, jnp.ones((1, lanes), bool)])
    inside = present & over_pocket(x, y, parameters, geometry)
    zero = jnp.zeros_like(x)
    return Lanes(
        Discs(
            x=x,
            y=y,
            vx=vx,
            vy=vy,
            twist=zero,
            braking=zero + parameters.friction * GRAVITY,
            clock=jnp.where(inside, zero, zero - 1),
            gone=jnp.where(present, zero + NEVER, zero + ABSENT),
        ),
        Record(
            time=jnp.zeros_like(x[0]),
            impacts=jnp.zeros(lanes, jnp.int32),
            first_touch=jnp.full(lanes, -1, jnp.int32),
            touched=jnp.zeros(lanes, jnp.int32),
        ),
        jnp.zeros(lanes, jnp.int32),
    )
