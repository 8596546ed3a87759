"""Where a strike sends the discs, as far as plane geometry sees it without playing it.

The striker runs to the first carromman it meets, by way of a frame if need be; that one runs
on, may rebound from a frame, and may send on another; the striker runs on from the impact.
Every leg is straight and loses speed at a constant rate. Nothing else moves: two carrommen that
meet later, and all that follows, are left to the network that reads the preview.

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
from carrom_agents.aftermath import to_frame, to_meet
from carrom_agents.ways import (
    TINY,
    heading_of,
    length,
    mouth,
    others,
    pocket_aims,
    seen_from,
)

_OUT_OF_MOUTH = 0.035
"""m: a pocket nearer than this is the one whose mouth a carromman has just rattled in."""
NOBODY = -1
"""Index of a carromman where none is met."""


class Leg(NamedTuple):
    """Straight runs of a disc, arrays (...).

    Attributes:
        start: its centre at the beginning, complex.
        heading: of length one, complex.
        speed: at the beginning, m/s; 0 where there is no such run.
        spin: speed of its rim over its own, counter-clockwise positive.
        reach: how long it is, m.
        left: speed at its end, m/s.
        met: int32, index of the carromman it ends at, or ``NOBODY``.
        hit: centre of that carromman, complex; means nothing for ``NOBODY``.
        framed: bool, whether it ends at a frame.
    """

    start: jax.Array
    heading: jax.Array
    speed: jax.Array
    spin: jax.Array
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
        pushed: of the carromman that the striker meets next.
        pushed_met: index of that carromman, or ``NOBODY``.
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
    pushed: Leg
    pushed_met: jax.Array


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
    struck = _Disc(board.striker_radius, board.striker_mass, material.restitution_striker)
    other = _Disc(board.carromman_radius, board.carromman_mass, material.restitution_carromman)
    table = _Table(board, material)
    run = table.leg(start, _Motion(velocity, jnp.zeros_like(speed)), struck, pieces)
    rebound = table.leg(run.end, table.bounced(run), struck, pieces)
    impact = _either(rebound.met != NOBODY, rebound, run)
    first = table.hit(impact, struck)
    rest = others(pieces, impact.met)
    sent = table.leg(impact.hit, first.sent, other, rest)
    banked = table.leg(sent.end, table.bounced(sent), other, rest)
    second = table.hit(sent, other)
    combined = table.leg(sent.hit, second.sent, other, others(rest, sent.met))
    onward = table.leg(impact.end, first.onward, struck, rest)
    returned = table.leg(onward.end, table.bounced(onward), struck, rest)
    again = _either(returned.met != NOBODY, returned, onward)
    third = table.hit(again, struck)
    pushed = table.leg(again.hit, third.sent, other, others(rest, again.met))
    return Preview(
        run=run,
        rebound=rebound,
        impact=impact,
        cut_cosine=first.cosine,
        sent=sent,
        banked=banked,
        second_cosine=second.cosine,
        combined=combined,
        onward=onward,
        returned=returned,
        pushed=pushed,
        pushed_met=again.met,
    )


def _either(second: jax.Array, yes: Leg, no: Leg) -> Leg:
    return jax.tree.map(lambda one, two: jnp.where(second, one, two), yes, no)


def left_lying(
    board: Board, material: Material, pieces: jax.Array, seen: Preview
) -> tuple[jax.Array, jax.Array]:
    """What lies on the board after strikes, as far as they are foreseen.

    Args:
        board: the board.
        material: friction.
        pieces: complex (19, ...), the carrommen before.
        seen: the preview of the strikes.

    Returns:
        Centres, complex (19, ...), and who falls, bool (19, ...).
    """
    number = jnp.arange(len(pieces)).reshape(-1, *[1] * (pieces.ndim - 1))
    falls = jnp.zeros(pieces.shape, bool)
    bounced = seen.banked.speed > 0
    at_once = comes_to_pocket(board, material, seen.sent)
    later = comes_to_pocket(board, material, seen.banked, beyond=_OUT_OF_MOUTH)
    end = jnp.where(bounced, seen.banked.end, seen.sent.end)
    for who, at, fallen in (
        (seen.impact.met, end, at_once | later),
        (seen.sent.met, *_end_of(board, material, seen.combined)),
        (seen.pushed_met, *_end_of(board, material, seen.pushed)),
    ):
        moved = (number == who) & (who != NOBODY)
        pieces = jnp.where(moved, at, pieces)
        falls |= moved & fallen
    return pieces, falls


def _end_of(board: Board, material: Material, leg: Leg) -> tuple[jax.Array, jax.Array]:
    return leg.end, comes_to_pocket(board, material, leg)


def comes_to_pocket(board: Board, material: Material, leg: Leg, beyond: float = 0.0) -> jax.Array:
    """Whether a carromman falls at the end of a run, bool (...).

    Args:
        board: the board.
        material: friction.
        leg: the run.
        beyond: m, pockets nearer than this do not count: a carromman that rattles out of one
            does not fall into it.
    """
    aims = jnp.moveaxis(pocket_aims(board, leg.start), -1, 0)
    along, across = seen_from(leg.start, leg.heading, aims)
    # The frame beside a mouth ends a run a little before it, and guides the carromman in.
    past = jnp.maximum(jnp.maximum(along - leg.reach - board.carromman_diameter, -along), 0)
    arrival2 = leg.speed**2 - 2 * material.deceleration * jnp.maximum(along, 0)
    arrival = jnp.sqrt(jnp.maximum(arrival2, 0))
    within = (jnp.sqrt(past**2 + across**2) < mouth(arrival)) & (along >= beyond)
    return jnp.any(within, axis=0) & (leg.speed > 0)


class _Disc(NamedTuple):
    """A disc that moves: radius, m; mass, kg; restitution at a carromman."""

    radius: float
    mass: float
    restitution: float


class _Motion(NamedTuple):
    """Velocities, complex, m/s, and spins, see ``Leg``."""

    velocity: jax.Array
    spin: jax.Array


class _Hit(NamedTuple):
    """What comes of impacts: cosines of the cuts, and both discs' motions."""

    cosine: jax.Array
    sent: _Motion
    onward: _Motion


class _Table(NamedTuple):
    """Where discs run: the closed forms of ``carrom_agents.impacts``, forwards."""

    board: Board
    material: Material

    def leg(self, start: jax.Array, motion: _Motion, disc: _Disc, standing: jax.Array) -> Leg:
        """The run of a disc past the ``standing`` carrommen (19, ...)."""
        deceleration = 2 * self.material.deceleration
        speed, heading = length(motion.velocity), heading_of(motion.velocity)
        stop = speed**2 / deceleration
        frame = to_frame(self.board, start, heading, disc.radius)
        reach = disc.radius + self.board.carromman_radius
        meeting, met, hit = _first_met(start, heading, reach, standing)
        free = jnp.minimum(stop, frame)
        meets = (meeting <= free) & (speed > 0)
        way = jnp.where(speed > 0, jnp.minimum(free, meeting), 0)
        return Leg(
            start=start,
            heading=heading,
            speed=speed,
            spin=motion.spin,
            reach=way,
            left=jnp.sqrt(jnp.maximum(speed**2 - deceleration * way, 0)),
            met=jnp.where(meets, met, NOBODY),
            hit=hit,
            framed=~meets & (frame < stop) & (speed > 0),
        )

    def bounced(self, leg: Leg) -> _Motion:
        """The motion from the frame that a run ends at; at rest if it ends elsewhere."""
        material, at = self.material, leg.end
        on_side = jnp.abs(at.real) > jnp.abs(at.imag)
        frame = jnp.where(on_side, jnp.sign(at.real), 1j * jnp.sign(at.imag))
        into = leg.left * leg.heading * frame.conjugate()
        normal = jnp.maximum(into.real, TINY)
        most = material.friction_frame * (1 + material.restitution_frame)
        rim = leg.spin * leg.left
        lost = jnp.clip((into.imag + rim) / 3, -most * normal, most * normal)
        out = lax.complex(-material.restitution_frame * normal, into.imag - lost) * frame
        return _moving(leg.framed, out, rim - 2 * lost)

    def hit(self, leg: Leg, disc: _Disc) -> _Hit:
        """The impact that a run ends with, if it ends with one."""
        restitution, ratio = disc.restitution, self.board.carromman_mass / disc.mass
        meets = leg.met != NOBODY
        line = heading_of(leg.hit - leg.end)
        seen = leg.heading * line.conjugate()
        cosine = jnp.where(meets, seen.real, 0)
        slip = (seen.imag + leg.spin) / jnp.maximum(cosine, 1e-3)
        most = self.material.friction_rim
        throw = jnp.clip(slip / (3 * (1 + restitution)), -most, most)
        pace = leg.left * cosine * (1 + restitution) / (1 + ratio)
        sent = pace * line * lax.complex(jnp.ones_like(throw), throw)
        across = pace * throw
        onward = leg.left * leg.heading - ratio * sent
        rim = leg.spin * leg.left - 2 * ratio * across
        return _Hit(cosine, _moving(meets, sent, -2 * across), _moving(meets, onward, rim))


def _moving(there: jax.Array, velocity: jax.Array, rim: jax.Array) -> _Motion:
    """Motions with velocities and speeds of the rim, m/s, where they are ``there``."""
    spin = rim / jnp.maximum(length(velocity), TINY)
    return _Motion(jnp.where(there, velocity, 0), jnp.where(there, spin, 0))


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
