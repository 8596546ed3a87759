"""Contacts as springs and dashpots: the forces in one small step of all discs."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.encounters import PRESSED_SPEED
from carrom.physics.planar.contact import tolerance_of
from carrom.physics.planar.frame import gap_to_frame
from carrom.physics.planar.lanes import Discs, Geometry, Parameters, Record
from carrom.physics.planar.near_pairs import NearPairs
from carrom.physics.planar.spring_law import (
    RESTITUTIONS,
    STEPS_PER_CONTACT,
    begins,
    dampings,
    mean_push,
)


class Springs(NamedTuple):
    """Constants of the contacts, (B,) or (1,) each, per unit of mass: 1/s^2, 1/s, s."""

    stiffness: jax.Array
    damping_striker: jax.Array
    damping_carromman: jax.Array
    damping_frame: jax.Array
    step: jax.Array
    held: jax.Array

    @classmethod
    def of(cls, parameters: Parameters) -> Springs:
        """The constants that give each material's restitution and contact time."""
        time = parameters.contact_time
        at, values = jnp.asarray(RESTITUTIONS, time.dtype), jnp.asarray(dampings(), time.dtype)
        return cls(
            (jnp.pi / time) ** 2,
            jnp.interp(parameters.restitution_striker, at, values) / time,
            jnp.interp(parameters.restitution_carromman, at, values) / time,
            jnp.interp(parameters.restitution_frame, at, values) / time,
            time / STEPS_PER_CONTACT,
            PRESSED_SPEED * time / jnp.pi,
        )


class Phase(NamedTuple):
    """Springs at work.

    Attributes:
        shift_x: (N, B), how far each disc has come since the phase began, m. Apart from the
            places: in float32 a step of a slow disc is lost beside its place.
        shift_y: (N, B), m.
        vx: (N, B), m/s.
        vy: (N, B), m/s.
        spin: (N, B), rad/s.
        kick_x: (N, B), what contacts added to the velocity in the last step, m/s: half of it is
            expected of the first half of the next.
        kick_y: (N, B), m/s.
        clock: as ``Discs.clock``.
        gone: as ``Discs.gone``.
        hit: (N, B), discs that were in contact.
        met: (N, B), discs that touched another disc.
        record: of the lanes.
        lasts: (B,), lanes in which it goes on.
        steps: ().
    """

    shift_x: jax.Array
    shift_y: jax.Array
    vx: jax.Array
    vy: jax.Array
    spin: jax.Array
    kick_x: jax.Array
    kick_y: jax.Array
    clock: jax.Array
    gone: jax.Array
    hit: jax.Array
    met: jax.Array
    record: Record
    lasts: jax.Array
    steps: jax.Array


class Load(NamedTuple):
    """What contacts do to discs, (N, B) each but ``lasts``, (B,).

    Attributes:
        fx: N.
        fy: N.
        rub: tangential force at the rim, counter-clockwise torque per radius, N.
        push: sum of the normal forces, N.
        lasts: whether one of them is a collision under way, or about to be one.
    """

    fx: jax.Array
    fy: jax.Array
    rub: jax.Array
    push: jax.Array
    lasts: jax.Array

    def plus(self, other: Load) -> Load:
        """Both loads together."""
        return Load(
            self.fx + other.fx,
            self.fy + other.fy,
            self.rub + other.rub,
            self.push + other.push,
            self.lasts | other.lasts,
        )


def rim_contacts(
    discs: Discs,
    phase: Phase,
    in_play: jax.Array,
    pairs: NearPairs,
    springs: Springs,
    parameters: Parameters,
    geometry: Geometry,
) -> Load:
    """Contacts of discs with each other, a chunk of near pairs at a time, (CHUNK, B)."""
    striker = len(geometry.radius) - 1
    slots = jnp.arange(striker + 1, dtype=jnp.int32)[:, None]
    rim, (half_x, half_y) = phase.spin * geometry.radius[:, None], _halfway(phase)
    # Discs out of play touch nothing, each far from all others.
    away = jnp.where(in_play, phase.shift_x, (slots + 1) * 100.0)

    def chunk(c: jax.Array, load: Load) -> Load:
        i, j = pairs.first[c], pairs.second[c]
        dx = (discs.x[j] - discs.x[i]) + (away[j] - away[i])
        dy = (discs.y[j] - discs.y[i]) + (phase.shift_y[j] - phase.shift_y[i])
        vx, vy = phase.vx[j] - phase.vx[i], phase.vy[j] - phase.vy[i]
        middle_x, middle_y = half_x[j] - half_x[i], half_y[j] - half_y[i]
        distance2 = dx * dx + dy * dy
        inverse = lax.rsqrt(distance2 + 1e-20)
        nx, ny = dx * inverse, dy * inverse
        push, rub, lasts = _contact(
            pairs.reach[c] - distance2 * inverse,
            closing=-(middle_x * nx + middle_y * ny),
            slip=vy * nx - vx * ny - rim[i] - rim[j],
            reduced=pairs.reduced[c],
            damping=jnp.where(pairs.striker[c], springs.damping_striker, springs.damping_carromman),
            friction=parameters.friction_rim,
            springs=springs,
        )
        force_x, force_y = push * nx - rub * ny, push * ny + rub * nx

        def add(m: jax.Array, load: Load) -> Load:
            place, sign = pairs.place[c, m], pairs.sign[c, m]
            return load._replace(
                fx=load.fx + sign * force_x[place],
                fy=load.fy + sign * force_y[place],
                rub=load.rub - sign * sign * rub[place],
                push=load.push + sign * sign * push[place],
            )

        load = lax.fori_loop(0, pairs.most[c], add, load)
        return load._replace(lasts=load.lasts | jnp.any(lasts, axis=0))

    # One loop, that is one compiled computation for all chunks, and a disc's forces added one
    # after the other: so a lane keeps its bits whatever pairs are listed for the others.
    zero = jnp.zeros_like(phase.vx)
    nothing = Load(zero, zero, zero, zero, jnp.zeros_like(phase.lasts))
    return lax.fori_loop(0, pairs.chunks, chunk, nothing)


def frame_contacts(
    discs: Discs,
    phase: Phase,
    in_play: jax.Array,
    springs: Springs,
    parameters: Parameters,
    geometry: Geometry,
) -> Load:
    """Contacts of discs with the frame."""
    radius, mass = geometry.radius[:, None], geometry.mass[:, None]
    x, y = discs.x + phase.shift_x, discs.y + phase.shift_y
    gap, nx, ny, _ = gap_to_frame(x, y, radius, geometry)
    half_x, half_y = _halfway(phase)
    push, rub, lasts = _contact(
        jnp.where(in_play, -gap, -1),
        closing=half_x * nx + half_y * ny,
        slip=phase.vy * nx - phase.vx * ny + phase.spin * radius,
        reduced=mass,
        damping=springs.damping_frame,
        friction=parameters.friction_frame,
        springs=springs,
    )
    return Load(-push * nx - rub * ny, -push * ny + rub * nx, rub, push, jnp.any(lasts, axis=0))


def _halfway(phase: Phase) -> tuple[jax.Array, jax.Array]:
    """Velocities in the middle of the step if contacts go on pushing, (N, B), m/s."""
    return phase.vx + phase.kick_x / 2, phase.vy + phase.kick_y / 2


def _contact(
    overlap: jax.Array,
    *,
    closing: jax.Array,
    slip: jax.Array,
    reduced: jax.Array,
    damping: jax.Array,
    friction: jax.Array,
    springs: Springs,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Normal and tangential force, N, and whether the contact is a collision.

    Friction opposes the slip, by no more than turns half of it round within a step: in a rack,
    where discs have several contacts, that is nearer to the limit of small steps than what
    stops it. A contact in which less is left than an impact at ``PRESSED_SPEED`` has is no
    collision: the board's friction could hold it for ever.
    """
    push = reduced * mean_push(overlap, closing, springs.stiffness, damping, springs.step)
    rub = jnp.clip(-slip * reduced * (0.5 / springs.step), -friction * push, friction * push)
    moving = (overlap > 0) & ((jnp.abs(closing) > PRESSED_SPEED) | (overlap > springs.held))
    meets = (overlap > -tolerance_of(overlap.dtype)) | begins(overlap, closing, springs.step)
    return push, rub, moving | (meets & (closing > PRESSED_SPEED))
