"""The impacts of all lanes, each with its event: one disc and the frame, or two discs."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.encounters import PRESSED_SPEED
from carrom.physics.planar.contact import in_contact, tolerance_of
from carrom.physics.planar.frame import gap_to_frame
from carrom.physics.planar.impulse import Body, bounce, collide
from carrom.physics.planar.lanes import Discs, Geometry, Lanes, Parameters, Record
from carrom.physics.planar.leg import Leg
from carrom.physics.planar.springs import third_body_within

_LENIENCE = 1.25
"""How much farther apart, in tolerances, discs may be in an impact than in the search for one."""

_ROUNDINGS = 8
"""By how many roundings discs may seem to separate in an impact where the search saw them close."""


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


class _Impact(NamedTuple):
    """How each lane's impact ended, (B,) each.

    Attributes:
        x: place of disc i, m.
        y: m.
        leg_i: of disc i.
        leg_j: of disc j.
        collides: whether discs i and j collide.
        squeezes: whether a third body takes part: then nothing has happened yet.
    """

    x: jax.Array
    y: jax.Array
    leg_i: Leg
    leg_j: Leg
    collides: jax.Array
    squeezes: jax.Array


def resolve(
    lanes: Lanes, event: Event, parameters: Parameters, geometry: Geometry, *, springs: bool
) -> Lanes:
    """The lanes after the impacts of their events, if they are impacts.

    With ``springs``, lanes in which a third body takes part in the impact are left as they
    are and marked to be squeezed.
    """
    discs, record, squeezed = lanes
    zero, no = jnp.zeros_like(record.time), jnp.zeros_like(event.bounces)
    no_impact = _Impact(zero, zero, Leg(*[zero] * 4), Leg(*[zero] * 4), no, no)
    # Beside sparing the work when there is none, the branch keeps the compiler from fusing
    # what happens once per lane into loops over all discs, where it would be repeated.
    impact = lax.cond(
        jnp.any(event.bounces | event.may_collide),
        lambda discs: _impact(discs, event, parameters, geometry, springs),
        lambda _: no_impact,
        discs,
    )
    slots = jnp.arange(len(geometry.radius), dtype=jnp.int32)[:, None]
    bounces = event.bounces & ~impact.squeezes & (slots == event.i)
    collides = impact.collides & ~impact.squeezes
    hit_i, hit_j = bounces | (collides & (slots == event.i)), collides & (slots == event.j)
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
    seen = _seen(record, event, impact.collides, len(geometry.radius) - 1)
    return Lanes(discs, seen, jnp.maximum(squeezed, impact.squeezes.astype(jnp.int32)))


def _impact(
    discs: Discs, event: Event, parameters: Parameters, geometry: Geometry, springs: bool
) -> _Impact:
    striker = len(geometry.radius) - 1
    (x_i, y_i, i), (x_j, y_j, j) = (_pick(discs, k, geometry) for k in (event.i, event.j))
    with_striker = (event.i == striker) | (event.j == striker)
    restitution = jnp.where(
        with_striker, parameters.restitution_striker, parameters.restitution_carromman
    )
    dx, dy = x_j - x_i, y_j - y_i
    inverse = lax.rsqrt(dx * dx + dy * dy + 1e-20)
    nx, ny = dx * inverse, dy * inverse
    closing = (i.vx - j.vx) * nx + (i.vy - j.vy) * ny
    # A little more than what counts as a contact in the search: where rounding lets that see
    # one and this none, the lane would never go on.
    within = _LENIENCE * tolerance_of(dx.dtype)
    touches = in_contact(dx * dx + dy * dy, i.radius + j.radius, within)
    speeds = abs(i.vx) + abs(i.vy) + abs(j.vx) + abs(j.vy)
    closes = closing > -_ROUNDINGS * jnp.finfo(dx.dtype).eps * speeds
    collides = event.may_collide & touches & closes
    hit_i, hit_j = collide(i, j, nx, ny, restitution, parameters.friction_rim)
    gap, nx, ny, in_corner = gap_to_frame(x_i, y_i, i.radius, geometry)
    closing = jnp.where(event.bounces, i.vx * nx + i.vy * ny, closing)
    bounced = bounce(i, nx, ny, in_corner, parameters.restitution_frame, parameters.friction_frame)
    squeezes = jnp.zeros_like(collides)
    if springs:
        reach = jnp.where(closing > PRESSED_SPEED, closing * parameters.contact_time, -1)
        beside_i = third_body_within(reach, event.i, event.j, x_i, y_i, i.radius, discs, geometry)
        beside_j = third_body_within(reach, event.j, event.i, x_j, y_j, j.radius, discs, geometry)
        to_frame = jnp.minimum(gap, gap_to_frame(x_j, y_j, j.radius, geometry)[0])
        between = collides & (beside_i | beside_j | (to_frame < reach))
        squeezes = jnp.where(event.bounces, beside_i, between)
    i = jax.tree.map(lambda a, b: jnp.where(event.bounces, a, b), bounced, hit_i)
    return _Impact(
        x=x_i + gap * nx,
        y=y_i + gap * ny,
        leg_i=Leg.after(i, parameters),
        leg_j=Leg.after(hit_j, parameters),
        collides=collides,
        squeezes=squeezes,
    )


def _pick(discs: Discs, slot: jax.Array, geometry: Geometry) -> tuple[jax.Array, jax.Array, Body]:
    """Place and body of the disc in each lane's ``slot``, (B,) each."""
    x, y, vx, vy, twist = (
        jnp.take_along_axis(values, slot[None], axis=0, mode="promise_in_bounds")[0]
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
