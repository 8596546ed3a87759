"""Where a strike sends the discs, as far as plane geometry sees it without playing it.

The striker runs to the first carromman it meets, by way of a frame if need be; that one runs
on, may rebound from a frame, and may send on another; the striker runs on from the impact.
Every leg is straight and loses speed at a constant rate. Nothing else moves: two carrommen that
meet later, spin, and all that follows, are left to the network that reads the preview.

Plane vectors are complex numbers in the striking seat's frame, in metres, as in
``carrom_agents.ways``.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.board import Board
from carrom.physics.material import Material
from carrom_agents.aftermath import rebound, to_frame, to_meet
from carrom_agents.ways import heading_of, length, others

NOBODY = -1
"""Index of a carromman where none is met."""


class Leg(NamedTuple):
    """Straight runs of a disc, arrays (...).

    Attributes:
        start: its centre at the beginning, complex.
        heading: of length one, complex.
        speed: at the beginning, m/s; 0 where there is no such run.
        reach: how long it is, m.
        left: speed at its end, m/s.
        met: int32, index of the carromman it ends at, or ``NOBODY``.
        hit: centre of that carromman, complex; means nothing for ``NOBODY``.
        framed: bool, whether it ends at a frame.
    """

    start: jax.Array
    heading: jax.Array
    speed: jax.Array
    reach: jax.Array
    left: jax.Array
    met: jax.Array
    hit: jax.Array
    framed: jax.Array

    @property
    def end(self) -> jax.Array:
        """The disc's centre at the end, complex."""
        return self.start + self.reach * self.heading


class Preview(NamedTuple):
    """What strikes set going.

    Attributes:
        run: of the striker, up to a carromman or the first frame.
        rebound: of the striker from that frame, up to a carromman or the next.
        impact: whichever of the two meets a carromman; the first if neither does.
        cut_cosine: of the angle between the striker's way and the line of centres.
        sent: of the carromman that is met.
        banked: of the same, from the frame that it touches.
        second_cosine: of the angle between its way and the line of centres to the next one.
        combined: of the carromman that the first one meets.
        onward: of the striker, from the impact.
        returned: of the striker, from the frame that it touches then.
    """

    run: Leg
    rebound: Leg
    impact: Leg
    cut_cosine: jax.Array
    sent: Leg
    banked: Leg
    second_cosine: jax.Array
    combined: Leg
    onward: Leg
    returned: Leg


def preview(board: Board, material: Material, pieces: jax.Array, strikes: jax.Array) -> Preview:
    """Preview strikes (..., 3), of place, direction and speed.

    Args:
        board: the board.
        material: friction and restitution.
        pieces: complex (19, ...), the carrommen, see ``ways.standing``.
        strikes: m, rad, m/s.
    """
    place, direction, speed = (strikes[..., axis] for axis in range(3))
    start = place + 1j * jnp.asarray(board.base_line_y, jnp.float32)
    velocity = speed * lax.complex(-jnp.sin(direction), jnp.cos(direction))
    striker, carromman = board.striker_radius, board.carromman_radius

    def run_of(start: jax.Array, velocity: jax.Array, radius: float, standing: jax.Array) -> Leg:
        return _leg(board, material, start, velocity, radius, standing)

    def after_frame(leg: Leg, radius: float, standing: jax.Array) -> Leg:
        velocity = rebound(board, material, leg.end, leg.left * leg.heading)
        return run_of(leg.end, jnp.where(leg.framed, velocity, 0), radius, standing)

    run = run_of(start, velocity, striker, pieces)
    second = after_frame(run, striker, pieces)
    late = second.met != NOBODY
    impact = jax.tree.map(lambda one, two: jnp.where(late, two, one), run, second)
    struck = impact.met != NOBODY
    line = heading_of(impact.hit - impact.end)
    cosine = jnp.where(struck, (impact.heading.conjugate() * line).real, 0)
    ratio = board.carromman_mass / board.striker_mass
    pace = impact.left * cosine * (1 + material.restitution_striker) / (1 + ratio)
    sent_velocity = jnp.where(struck, pace * line, 0)
    onward_velocity = jnp.where(struck, impact.left * impact.heading - ratio * sent_velocity, 0)
    rest = others(pieces, impact.met)
    sent = run_of(impact.hit, sent_velocity, carromman, rest)
    banked = after_frame(sent, carromman, rest)
    sends = sent.met != NOBODY
    next_line = heading_of(sent.hit - sent.end)
    next_cosine = jnp.where(sends, (sent.heading.conjugate() * next_line).real, 0)
    next_pace = sent.left * next_cosine * (1 + material.restitution_carromman) / 2
    combined = run_of(
        sent.hit, jnp.where(sends, next_pace * next_line, 0), carromman, others(rest, sent.met)
    )
    onward = run_of(impact.end, onward_velocity, striker, rest)
    returned = after_frame(onward, striker, rest)
    return Preview(
        run, second, impact, cosine, sent, banked, next_cosine, combined, onward, returned
    )


def _leg(
    board: Board,
    material: Material,
    start: jax.Array,
    velocity: jax.Array,
    radius: float,
    standing: jax.Array,
) -> Leg:
    """The run of a disc with a ``radius`` past the ``standing`` carrommen (19, ...)."""
    speed, heading = length(velocity), heading_of(velocity)
    stop = speed**2 / (2 * material.deceleration)
    frame = to_frame(board, start, heading, radius)
    reach = radius + board.carromman_radius
    meeting, met, hit = _first_met(start, heading, reach, standing)
    free = jnp.minimum(stop, frame)
    meets = (meeting <= free) & (speed > 0)
    way = jnp.where(speed > 0, jnp.minimum(free, meeting), 0)
    return Leg(
        start=start,
        heading=heading,
        speed=speed,
        reach=way,
        left=jnp.sqrt(jnp.maximum(speed**2 - 2 * material.deceleration * way, 0)),
        met=jnp.where(meets, met, NOBODY),
        hit=hit,
        framed=~meets & (frame < stop) & (speed > 0),
    )


def _first_met(
    start: jax.Array, heading: jax.Array, reach: float, standing: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Distance to the first carromman on a way, its index and its centre."""
    shape = jnp.broadcast_shapes(start.shape, standing.shape[1:])

    def look(number: jax.Array, found: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        best, which, at = found
        point = standing[number]
        new = to_meet(start, heading, reach, point)
        nearer = new < best
        return (
            jnp.where(nearer, new, best),
            jnp.where(nearer, number, which),
            jnp.where(nearer, point, at),
        )

    nothing = (
        jnp.full(shape, jnp.inf, jnp.float32),
        jnp.full(shape, NOBODY, jnp.int32),
        jnp.zeros(shape, jnp.complex64),
    )
    return lax.fori_loop(0, len(standing), look, nothing)
