"""Contacts that overlap in time, as in a packed rack: springs in place of impacts.

A contact lasts ``contact_time``. Where a third body is within reach while it lasts, impulses
one after the other are wrong, and until nothing overlaps any more every contact of the lane
is a spring and a dashpot of that duration, stepped in small fixed steps. The law and its
numbers are those of ``carrom.physics.cluster``.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from carrom.physics.cluster import STEPS_PER_CONTACT, spring_damping
from carrom.physics.encounters import PRESSED_SPEED
from carrom.physics.planar.contact import tolerance_of
from carrom.physics.planar.frame import gap_to_frame
from carrom.physics.planar.impulse import Body
from carrom.physics.planar.lanes import (
    NEVER,
    Discs,
    Geometry,
    Lanes,
    Parameters,
    Record,
    over_pocket,
)
from carrom.physics.planar.leg import Leg

BURST = 32
"""Small steps taken together. All contacts of a rack are over after 25 to 400 of them."""
_MOST_GROUPS = 100
"""Groups of lanes taken through bursts before the other lanes go on."""
_RESTITUTIONS = np.linspace(0.05, 0.98, 187)


@functools.cache
def _dampings() -> NDArray[np.float64]:
    """Damping of a spring, in contact times, at each of ``_RESTITUTIONS``."""
    return np.array([spring_damping(e) for e in _RESTITUTIONS.tolist()])


class _Springs(NamedTuple):
    """Constants of the contacts, (B,) or (1,) each, per unit of mass: 1/s^2, 1/s, s."""

    stiffness: jax.Array
    damping_striker: jax.Array
    damping_carromman: jax.Array
    damping_frame: jax.Array
    step: jax.Array
    held: jax.Array

    @classmethod
    def of(cls, parameters: Parameters) -> _Springs:
        time = parameters.contact_time
        at, values = jnp.asarray(_RESTITUTIONS, time.dtype), jnp.asarray(_dampings(), time.dtype)
        return cls(
            (jnp.pi / time) ** 2,
            jnp.interp(parameters.restitution_striker, at, values) / time,
            jnp.interp(parameters.restitution_carromman, at, values) / time,
            jnp.interp(parameters.restitution_frame, at, values) / time,
            time / STEPS_PER_CONTACT,
            PRESSED_SPEED * time / jnp.pi,
        )


class _Phase(NamedTuple):
    """Springs at work.

    Attributes:
        shift_x: (N, B), how far each disc has come since the phase began, m. Apart from the
            places: in float32 a step of a slow disc is lost beside its place.
        shift_y: (N, B), m.
        vx: (N, B), m/s.
        vy: (N, B), m/s.
        spin: (N, B), rad/s.
        clock: as ``Discs.clock``.
        gone: as ``Discs.gone``.
        hit: (N, B), discs that were in contact.
        record: of the lanes.
        lasts: (B,), lanes in which it goes on.
        steps: ().
    """

    shift_x: jax.Array
    shift_y: jax.Array
    vx: jax.Array
    vy: jax.Array
    spin: jax.Array
    clock: jax.Array
    gone: jax.Array
    hit: jax.Array
    record: Record
    lasts: jax.Array
    steps: jax.Array


class _Load(NamedTuple):
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

    def plus(self, other: _Load) -> _Load:
        return _Load(
            self.fx + other.fx,
            self.fy + other.fy,
            self.rub + other.rub,
            self.push + other.push,
            self.lasts | other.lasts,
        )


def squeeze_if_any(lanes: Lanes, parameters: Parameters, geometry: Geometry) -> Lanes:
    """``squeeze``, at no cost where no lane waits for it."""
    return lax.cond(
        jnp.any(lanes.squeezed > 0),
        lambda lanes: squeeze(lanes, parameters, geometry),
        lambda lanes: lanes,
        lanes,
    )


def squeeze_groups(lanes: Lanes, parameters: Parameters, geometry: Geometry, width: int) -> Lanes:
    """``squeeze`` lanes that wait for it, ``width`` at a time and packed together.

    Fewer than ``width`` go on waiting, unless all other lanes are at rest.
    """
    count = len(lanes.squeezed)

    def goes_on(state: tuple[Lanes, jax.Array]) -> jax.Array:
        lanes, groups = state
        waits = lanes.squeezed > 0
        waiting, busy = jnp.sum(waits), jnp.any(~waits & ~lanes.discs.at_rest())
        return (groups < _MOST_GROUPS) & ((waiting >= width) | ((waiting > 0) & ~busy))

    def one_group(state: tuple[Lanes, jax.Array]) -> tuple[Lanes, jax.Array]:
        lanes, groups = state
        lane = jnp.nonzero(lanes.squeezed > 0, size=width, fill_value=count)[0]

        def pack(values: jax.Array) -> jax.Array:
            # Values that are the same for all lanes stay single.
            return values if values.shape[-1] == 1 else jnp.take(values, lane, -1, mode="clip")

        group = jax.tree.map(pack, lanes)
        group = group._replace(squeezed=jnp.where(lane < count, group.squeezed, 0))
        group = squeeze(group, jax.tree.map(pack, parameters), geometry)
        lanes = jax.tree.map(
            lambda values, new: values.at[..., lane].set(new, mode="drop"), lanes, group
        )
        return lanes, groups + 1

    return lax.while_loop(goes_on, one_group, (lanes, jnp.int32(0)))[0]


def squeeze(lanes: Lanes, parameters: Parameters, geometry: Geometry) -> Lanes:
    """Take the ``lanes.squeezed`` through ``BURST`` small steps, or fewer if that is all."""
    discs, springs = lanes.discs, _Springs.of(parameters)
    speed = jnp.sqrt(discs.vx * discs.vx + discs.vy * discs.vy)
    # Half a step ahead: on the average a step finds a contact in its middle.
    ahead = jnp.where(lanes.squeezed == 1, springs.step / 2, 0)
    begun = _Phase(
        shift_x=discs.vx * ahead,
        shift_y=discs.vy * ahead,
        vx=discs.vx,
        vy=discs.vy,
        spin=discs.twist * jnp.sqrt(speed),
        clock=discs.clock,
        gone=discs.gone,
        hit=speed < 0,
        record=lanes.record._replace(time=lanes.record.time + ahead),
        lasts=lanes.squeezed > 0,
        steps=jnp.int32(0),
    )

    def goes_on(phase: _Phase) -> jax.Array:
        return jnp.any(phase.lasts) & (phase.steps < BURST)

    def step(phase: _Phase) -> _Phase:
        after = _step(discs, phase, springs, parameters, geometry)
        kept = jax.tree.map(
            lambda new, old: jnp.where(phase.lasts, new, old),
            after._replace(steps=phase.lasts),
            phase._replace(steps=phase.lasts),
        )
        return kept._replace(steps=phase.steps + 1)

    ended = lax.while_loop(goes_on, step, begun)
    body = Body(ended.vx, ended.vy, ended.spin, geometry.mass[:, None], geometry.radius[:, None])
    leg = Leg.after(body, parameters)
    after = Discs(
        x=discs.x + ended.shift_x,
        y=discs.y + ended.shift_y,
        vx=ended.vx,
        vy=ended.vy,
        twist=jnp.where(ended.hit, leg.twist, discs.twist),
        braking=jnp.where(ended.hit, leg.braking, discs.braking),
        clock=ended.clock,
        gone=ended.gone,
    )
    return Lanes(after, ended.record, jnp.where(ended.lasts, jnp.int32(2), 0))


def _step(
    discs: Discs,
    phase: _Phase,
    springs: _Springs,
    parameters: Parameters,
    geometry: Geometry,
) -> _Phase:
    """One small step of all discs: kick, friction of the board, drift."""
    radius, mass, h = geometry.radius[:, None], geometry.mass[:, None], springs.step
    in_play = phase.gone == NEVER
    rims = _rim_contacts(discs, phase, in_play, springs, parameters, geometry)
    load = rims.plus(_frame_contacts(discs, phase, in_play, springs, parameters, geometry))
    vx, vy = phase.vx + load.fx / mass * h, phase.vy + load.fy / mass * h
    spin = phase.spin + 2 * load.rub / (mass * radius) * h
    speed = jnp.sqrt(vx * vx + vy * vy)
    left = jnp.maximum(1 - discs.braking * h / jnp.where(speed > 0, speed, 1), 0)
    left = jnp.where(speed > 0, left, 1)
    vx, vy, spin = vx * left, vy * left, spin * jnp.sqrt(left)
    shift_x, shift_y = phase.shift_x + vx * h, phase.shift_y + vy * h
    record = _seen(phase, discs, rims.push > 0, h, geometry)
    inside = in_play & over_pocket(discs.x + shift_x, discs.y + shift_y, parameters, geometry)
    clock = jnp.where(inside, jnp.where(phase.clock >= 0, phase.clock + h, 0), -1)
    falls = inside & (clock >= parameters.fall_time)
    return _Phase(
        shift_x=shift_x,
        shift_y=shift_y,
        vx=jnp.where(falls, 0, vx),
        vy=jnp.where(falls, 0, vy),
        spin=spin,
        clock=jnp.where(falls, -1, clock),
        gone=jnp.where(falls, record.time, phase.gone),
        hit=phase.hit | (load.push > 0),
        record=record,
        lasts=load.lasts,
        steps=phase.steps,
    )


def _rim_contacts(
    discs: Discs,
    phase: _Phase,
    in_play: jax.Array,
    springs: _Springs,
    parameters: Parameters,
    geometry: Geometry,
) -> _Load:
    """Contacts of discs with each other, all P pairs at once, (P, B)."""
    slots = len(geometry.radius)
    i, j = np.triu_indices(slots, 1)
    rim = phase.spin * geometry.radius[:, None]
    dx = (discs.x[j] - discs.x[i]) + (phase.shift_x[j] - phase.shift_x[i])
    dy = (discs.y[j] - discs.y[i]) + (phase.shift_y[j] - phase.shift_y[i])
    vx, vy = phase.vx[j] - phase.vx[i], phase.vy[j] - phase.vy[i]
    distance2 = dx * dx + dy * dy
    inverse = lax.rsqrt(distance2 + 1e-20)
    nx, ny = dx * inverse, dy * inverse
    overlap = (geometry.radius[i] + geometry.radius[j])[:, None] - distance2 * inverse
    mass_i, mass_j = geometry.mass[i][:, None], geometry.mass[j][:, None]
    with_striker = jnp.asarray(j == slots - 1)[:, None]
    push, rub, lasts = _contact(
        jnp.where(in_play[i] & in_play[j], overlap, -1),
        closing=-(vx * nx + vy * ny),
        slip=vy * nx - vx * ny - rim[i] - rim[j],
        reduced=mass_i * mass_j / (mass_i + mass_j),
        damping=jnp.where(with_striker, springs.damping_striker, springs.damping_carromman),
        friction=parameters.friction_rim,
        springs=springs,
    )
    # To each disc what its pairs do to it: a product with a matrix of 1, for j, and -1, for i.
    of_j, of_i = (np.equal.outer(np.arange(slots), k).astype(push.dtype) for k in (j, i))
    forces = jnp.concatenate([push * nx - rub * ny, push * ny + rub * nx], axis=1)
    fx, fy = jnp.split(_times(of_j - of_i, forces), 2, axis=1)
    rubs, pushes = jnp.split(_times(of_j + of_i, jnp.concatenate([rub, push], 1)), 2, axis=1)
    return _Load(fx, fy, -rubs, pushes, jnp.any(lasts, axis=0))


def _times(matrix: NDArray[np.floating], values: jax.Array) -> jax.Array:
    return jnp.matmul(jnp.asarray(matrix), values, precision=lax.Precision.HIGHEST)


def _frame_contacts(
    discs: Discs,
    phase: _Phase,
    in_play: jax.Array,
    springs: _Springs,
    parameters: Parameters,
    geometry: Geometry,
) -> _Load:
    """Contacts of discs with the frame."""
    radius, mass = geometry.radius[:, None], geometry.mass[:, None]
    x, y = discs.x + phase.shift_x, discs.y + phase.shift_y
    gap, nx, ny, _ = gap_to_frame(x, y, radius, geometry)
    push, rub, lasts = _contact(
        jnp.where(in_play, -gap, -1),
        closing=phase.vx * nx + phase.vy * ny,
        slip=phase.vy * nx - phase.vx * ny + phase.spin * radius,
        reduced=mass,
        damping=springs.damping_frame,
        friction=parameters.friction_frame,
        springs=springs,
    )
    return _Load(-push * nx - rub * ny, -push * ny + rub * nx, rub, push, jnp.any(lasts, axis=0))


def _contact(
    overlap: jax.Array,
    *,
    closing: jax.Array,
    slip: jax.Array,
    reduced: jax.Array,
    damping: jax.Array,
    friction: jax.Array,
    springs: _Springs,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Normal and tangential force, N, and whether the contact is a collision.

    The spring never pulls. Friction opposes the slip, by no more than stops it within a step.
    A contact in which less is left than an impact at ``PRESSED_SPEED`` has is no collision:
    the board's friction could hold it for ever.
    """
    touches = overlap > 0
    force = reduced * (springs.stiffness * overlap + damping * closing)
    push = jnp.where(touches, jnp.maximum(force, 0), 0)
    rub = jnp.clip(-slip * reduced / (3 * springs.step), -friction * push, friction * push)
    moving = touches & ((jnp.abs(closing) > PRESSED_SPEED) | (overlap > springs.held))
    about_to = (overlap > -tolerance_of(overlap.dtype)) & (closing > PRESSED_SPEED)
    return push, rub, moving | about_to


def _seen(
    phase: _Phase, discs: Discs, touching: jax.Array, h: jax.Array, geometry: Geometry
) -> Record:
    """The record after a step in which the ``touching`` discs, (N, B), touched others."""
    record, striker = phase.record, len(geometry.radius) - 1
    slots = jnp.arange(striker + 1, dtype=jnp.int32)[:, None]
    bits = jnp.sum(jnp.where(touching, jnp.int32(1) << slots, 0), axis=0, dtype=jnp.int32)
    # What the striker touches is what is nearest to it.
    x, y = discs.x + phase.shift_x, discs.y + phase.shift_y
    away2 = (x - x[striker]) ** 2 + (y - y[striker]) ** 2
    away2 = jnp.where(touching & (slots < striker), away2, NEVER)
    first = touching[striker] & (record.first_touch < 0)
    nearest = jnp.argmin(away2, axis=0).astype(jnp.int32)
    return record._replace(
        time=record.time + h,
        first_touch=jnp.where(first, nearest, record.first_touch),
        touched=record.touched | bits,
    )


def third_body_within(
    reach: jax.Array,
    disc: jax.Array,
    partner: jax.Array,
    x: jax.Array,
    y: jax.Array,
    radius: jax.Array,
    discs: Discs,
    geometry: Geometry,
) -> jax.Array:
    """Whether another disc is near one that is in contact with its partner, (B,).

    Args:
        reach: gap of the rims below which it is near, m; nothing is if that is negative.
        disc: slot of the one, (B,).
        partner: slot of its partner, (B,); its own for a disc at the frame.
        x: place of the one, (B,), m.
        y: m.
        radius: of the one, (B,), m.
        discs: all discs.
        geometry: theirs.
    """
    slots = jnp.arange(len(geometry.radius), dtype=jnp.int32)[:, None]
    dx, dy = discs.x - x, discs.y - y
    near = dx * dx + dy * dy < (geometry.radius[:, None] + radius + reach) ** 2
    other = discs.in_play & (slots != disc) & (slots != partner)
    return (reach >= 0) & jnp.any(near & other, axis=0)
