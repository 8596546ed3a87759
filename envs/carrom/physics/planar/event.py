"""One event in every lane: to the next impact or fall, through it, and no further."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from carrom.physics.planar.contact import Movers, least_bounds, tolerance_of
from carrom.physics.planar.frame import path_to_frame
from carrom.physics.planar.ground import distance_in, time_to_cover
from carrom.physics.planar.impact import Event, resolve
from carrom.physics.planar.lanes import NEVER, Discs, Geometry, Lanes, Parameters, over_pocket
from carrom.physics.planar.pockets import clocks, crossings

_SLOT_APART = 100.0
"""Where the search for contacts sees discs out of play, m per slot along x."""


def advance(
    lanes: Lanes, parameters: Parameters, geometry: Geometry, *, springs: bool = False
) -> Lanes:
    """Take every lane to its next event: an impact, a fall, or the last disc coming to rest.

    As contacts are bounded, not found, a lane may also stop a little before its event. Lanes
    at rest keep every bit, and so do, with ``springs``, those that wait to be squeezed.
    """
    discs, record, squeezed = lanes
    slots = jnp.arange(len(geometry.radius), dtype=jnp.int32)[:, None]
    in_play = discs.in_play

    # What comes next for each disc: the frame, its fall, or another disc.
    speed = jnp.sqrt(discs.vx * discs.vx + discs.vy * discs.vy)
    inverse = jnp.where(speed > 0, 1 / jnp.where(speed > 0, speed, 1), 0)
    ux, uy, stop = discs.vx * inverse, discs.vy * inverse, speed / discs.braking
    path = path_to_frame(discs.x, discs.y, ux, uy, geometry)
    frame_time = time_to_cover(path, speed, discs.braking)
    crossing = crossings(discs, ux, uy, speed, stop, parameters, geometry)
    alone_time = jnp.where(in_play, jnp.minimum(frame_time, crossing.falls), NEVER)
    movers = Movers(
        x=jnp.where(in_play, discs.x, _SLOT_APART * (slots + 1).astype(speed.dtype)),
        y=discs.y,
        vx=discs.vx,
        vy=discs.vy,
        ax=discs.braking * ux,
        ay=discs.braking * uy,
        stop=jnp.where(speed > 0, stop, NEVER),
        speed=speed,
        radius=geometry.radius[:, None],
    )
    # Nobody, as 0 slots away, or for a fall one round of the slots.
    alone = jnp.where(crossing.falls <= frame_time, len(slots), 0)
    bounds, offsets = least_bounds(movers, alone_time, alone, tolerance_of(speed.dtype))

    # And for the lane: the first of those, or the last disc coming to rest.
    first = jnp.argmin(bounds, axis=0).astype(jnp.int32)
    is_first = slots == first
    offset = jnp.take_along_axis(offsets, first[None], axis=0, mode="promise_in_bounds")[0]
    bound = jnp.min(bounds, axis=0)
    time = jnp.maximum(jnp.minimum(bound, _last_rest(discs, speed, stop, parameters)), 0)
    time, happens = jnp.where(squeezed > 0, 0, time), (bound <= time) & (squeezed == 0)

    # All discs go on along their legs until then.
    way = distance_in(jnp.minimum(time, stop), speed, discs.braking)
    x, y = discs.x + ux * way, discs.y + uy * way
    left = jnp.where(time >= stop, 0, jnp.maximum(1 - discs.braking * time * inverse, 0))
    falls = is_first & happens & (offset == len(slots))
    inside = in_play & ~falls & over_pocket(x, y, parameters, geometry)
    moved = Discs(
        x=x,
        y=y,
        vx=jnp.where(falls, 0, discs.vx * left),
        vy=jnp.where(falls, 0, discs.vy * left),
        twist=discs.twist,
        braking=discs.braking,
        clock=clocks(discs, crossing, inside, time, way),
        gone=jnp.where(falls, record.time + time, discs.gone),
    )
    event = Event(
        i=first,
        j=(first + offset) % len(slots),
        bounces=happens & (offset == 0),
        may_collide=happens & (offset > 0) & (offset < len(slots)),
    )
    lanes = Lanes(moved, record._replace(time=record.time + time), squeezed)
    return resolve(lanes, event, parameters, geometry, springs=springs)


def _last_rest(
    discs: Discs, speed: jax.Array, stop: jax.Array, parameters: Parameters
) -> jax.Array:
    """When the last disc comes to rest or, resting over a pocket, falls; (B,), s."""
    waits = (discs.clock >= 0) & (speed == 0)
    remaining = jnp.maximum(parameters.fall_time - discs.clock, 0)
    until = jnp.where(waits, remaining, stop)
    return jnp.max(jnp.where(discs.in_play, until, 0), axis=0)
