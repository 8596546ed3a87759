"""The impacts of all lanes, each with its event: one disc and the frame, or two discs."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.model import REST_SPEED
from carrom.physics.planar.contact import in_contact, tolerance_of
from carrom.physics.planar.frame import at_frame
from carrom.physics.planar.ground import deceleration
from carrom.physics.planar.impulse import Body, bounce, collide
from carrom.physics.planar.lanes import Discs, Geometry, Lanes, Parameters, Record


class Event(NamedTuple):
    """What stopped each lane, (B,) each.

    Attributes:
        i: slot of the disc it happened to, int32.
        j: slot of the other disc, int32; any if there is none.
        bounces: disc i is at the frame.
        may_collide: discs i and j may be in contact.
    """

    i: jax.Array
    j: jax.Array
    bounces: jax.Array
    may_collide: jax.Array


class Leg(NamedTuple):
    """The beginning of a disc's leg, as in ``Discs``."""

    vx: jax.Array
    vy: jax.Array
    twist: jax.Array
    braking: jax.Array

    @classmethod
    def after(cls, body: Body, parameters: Parameters) -> Leg:
        """The leg of a disc that leaves an impact.

        One that leaves it slower than ``REST_SPEED`` loses its spin. Its velocity must stay:
        if it were zeroed, a wedge of discs could bounce for ever without time going by.
        """
        speed2 = body.vx * body.vx + body.vy * body.vy
        inverse2 = 1 / jnp.maximum(speed2, 1e-12)
        spin = jnp.where(speed2 < REST_SPEED**2, 0, body.spin)
        rim = body.radius * spin
        braking = deceleration(parameters.friction, rim * rim * inverse2)
        return cls(body.vx, body.vy, spin * jnp.sqrt(jnp.sqrt(inverse2)), braking)


class _Impact(NamedTuple):
    """How each lane's impact ended, (B,) each: disc i's place and leg, disc j's leg."""

    x: jax.Array
    y: jax.Array
    leg_i: Leg
    leg_j: Leg
    collides: jax.Array


def resolve(lanes: Lanes, event: Event, parameters: Parameters, geometry: Geometry) -> Lanes:
    """The lanes after the impacts of their events, if they are impacts."""
    discs, record = lanes
    nothing = jnp.zeros_like(record.time)
    no_impact = _Impact(nothing, nothing, Leg(*[nothing] * 4), Leg(*[nothing] * 4), nothing > 0)
    # Beside sparing the work when there is none, the branch keeps the compiler from fusing
    # what happens once per lane into loops over all discs, where it would be repeated.
    impact = lax.cond(
        jnp.any(event.bounces | event.may_collide),
        lambda discs: _impact(discs, event, parameters, geometry),
        lambda _: no_impact,
        discs,
    )
    slots = jnp.arange(len(geometry.radius), dtype=jnp.int32)[:, None]
    bounces = event.bounces & (slots == event.i)
    hit_i = (event.bounces | impact.collides) & (slots == event.i)
    hit_j = impact.collides & (slots == event.j)
    old = Leg(discs.vx, discs.vy, discs.twist, discs.braking)
    legs = jax.tree.map(
        lambda old, of_i, of_j: jnp.where(hit_i, of_i, jnp.where(hit_j, of_j, old)),
        old,
        impact.leg_i,
        impact.leg_j,
    )
    discs = discs._replace(
        x=jnp.where(bounces, impact.x, discs.x),
        y=jnp.where(bounces, impact.y, discs.y),
        **legs._asdict(),
    )
    return Lanes(discs, _seen(record, event, impact.collides, len(geometry.radius) - 1))


def _impact(discs: Discs, event: Event, parameters: Parameters, geometry: Geometry) -> _Impact:
    striker = len(geometry.radius) - 1
    (x_i, y_i, i), (x_j, y_j, j) = (_pick(discs, k, geometry) for k in (event.i, event.j))
    with_striker = (event.i == striker) | (event.j == striker)
    restitution = jnp.where(
        with_striker, parameters.restitution_striker, parameters.restitution_carromman
    )
    dx, dy = x_j - x_i, y_j - y_i
    inverse = lax.rsqrt(dx * dx + dy * dy + 1e-20)
    nx, ny = dx * inverse, dy * inverse
    closes = (j.vx - i.vx) * nx + (j.vy - i.vy) * ny < 0
    touches = in_contact(dx * dx + dy * dy, i.radius + j.radius, tolerance_of(dx.dtype))
    hit_i, hit_j = collide(i, j, nx, ny, restitution, parameters.friction_rim)
    x, y, nx, ny, in_corner = at_frame(x_i, y_i, i.radius, geometry)
    bounced = bounce(i, nx, ny, in_corner, parameters.restitution_frame, parameters.friction_frame)
    i = jax.tree.map(lambda a, b: jnp.where(event.bounces, a, b), bounced, hit_i)
    return _Impact(
        x=x,
        y=y,
        leg_i=Leg.after(i, parameters),
        leg_j=Leg.after(hit_j, parameters),
        collides=event.may_collide & touches & closes,
    )


def _pick(discs: Discs, slot: jax.Array, geometry: Geometry) -> tuple[jax.Array, jax.Array, Body]:
    """Place and body of the disc in each lane's ``slot``, (B,) each."""
    here = jnp.arange(len(geometry.radius), dtype=jnp.int32)[:, None] == slot
    x, y, vx, vy, twist = (
        jnp.sum(jnp.where(here, values, 0), axis=0)
        for values in (discs.x, discs.y, discs.vx, discs.vy, discs.twist)
    )
    spin = twist * jnp.sqrt(jnp.sqrt(vx * vx + vy * vy))
    return x, y, Body(vx, vy, spin, geometry.mass[slot], geometry.radius[slot])


def _seen(record: Record, event: Event, collides: jax.Array, striker: int) -> Record:
    i, j, one = event.i, event.j, jnp.int32(1)
    first = collides & ((i == striker) | (j == striker)) & (record.first_touch < 0)
    return Record(
        time=record.time,
        impacts=record.impacts + (event.bounces | collides),
        first_touch=jnp.where(first, jnp.where(i == striker, j, i), record.first_touch),
        touched=record.touched | jnp.where(collides, (one << i) | (one << j), 0),
    )
