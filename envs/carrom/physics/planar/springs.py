"""Contacts that overlap in time, as in a packed rack: springs in place of impacts.

A contact lasts ``contact_time``. Where a third body is within reach while it lasts, impulses
one after the other are wrong, and until nothing overlaps any more every contact of the lane
is a spring and a dashpot of that duration, stepped in small fixed steps; ``spring_law`` has
the law.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from carrom.physics.planar.contact import tolerance_of
from carrom.physics.planar.frame import gap_to_frame
from carrom.physics.planar.impulse import Body
from carrom.physics.planar.lanes import NEVER, Discs, Geometry, Lanes, Parameters, over_pocket
from carrom.physics.planar.leg import Leg
from carrom.physics.planar.near_pairs import NearPairs, all_pairs, reduced_mass
from carrom.physics.planar.spring_forces import Phase, Springs, frame_contacts, rim_contacts

BURST = 32
"""Small steps taken together. All contacts of a rack are over after 15 to 200 of them."""
_MOST_GROUPS = 100
"""Groups of lanes taken through bursts before the other lanes go on."""
_MARGIN = 1.25
"""On how far discs come: in finite steps springs hold energy only to some per cent."""


class _Near(NamedTuple):
    """What can touch in the next ``BURST`` steps, in any of the lanes.

    Attributes:
        pairs: of discs.
        frame: (), bool, whether a disc can touch the frame.
    """

    pairs: NearPairs
    frame: jax.Array


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

    def goes_on(state: tuple[Lanes, jax.Array]) -> jax.Array:
        lanes, groups = state
        waits = lanes.squeezed > 0
        waiting, busy = jnp.sum(waits), jnp.any(~waits & ~lanes.discs.at_rest())
        return (groups < _MOST_GROUPS) & ((waiting >= width) | ((waiting > 0) & ~busy))

    def one_group(state: tuple[Lanes, jax.Array]) -> tuple[Lanes, jax.Array]:
        lanes, groups = state
        lanes = packed(squeeze, lanes.squeezed > 0, lanes, parameters, geometry, width)
        return lanes, groups + 1

    return lax.while_loop(goes_on, one_group, (lanes, jnp.int32(0)))[0]


def packed(
    go_on: Callable[[Lanes, Parameters, Geometry], Lanes],
    chosen: jax.Array,
    lanes: Lanes,
    parameters: Parameters,
    geometry: Geometry,
    width: int,
) -> Lanes:
    """``go_on`` with ``width`` of the chosen lanes, packed together; others stay as they are.

    Args:
        go_on: must leave lanes at rest that wait for nothing.
        chosen: (B,), bool. If there are more, those of the lowest numbers are taken.
        lanes: B of them.
        parameters: (B,) each, or (1,).
        geometry: of the discs.
        width: how many at most.
    """
    count = len(chosen)
    lane = jnp.nonzero(chosen, size=width, fill_value=count)[0]

    def pack(values: jax.Array) -> jax.Array:
        # Values that are the same for all lanes stay single.
        return values if values.shape[-1] == 1 else jnp.take(values, lane, -1, mode="clip")

    group, real = jax.tree.map(pack, lanes), lane < count
    group = group._replace(squeezed=jnp.where(real, group.squeezed, 0))
    group = go_on(group, jax.tree.map(pack, parameters), geometry)
    return jax.tree.map(
        lambda values, new: values.at[..., lane].set(new, mode="drop"), lanes, group
    )


def squeeze(lanes: Lanes, parameters: Parameters, geometry: Geometry) -> Lanes:
    """Take the ``lanes.squeezed`` through ``BURST`` small steps, or fewer if that is all."""
    discs, springs = lanes.discs, Springs.of(parameters)
    speed = jnp.sqrt(discs.vx * discs.vx + discs.vy * discs.vy)
    # Half a step ahead: places are those in the middle of a step, velocities at its beginning.
    ahead = jnp.where(lanes.squeezed == 1, springs.step / 2, 0)
    begun = Phase(
        shift_x=discs.vx * ahead,
        shift_y=discs.vy * ahead,
        vx=discs.vx,
        vy=discs.vy,
        spin=discs.twist * jnp.sqrt(speed),
        kick_x=jnp.zeros_like(speed),
        kick_y=jnp.zeros_like(speed),
        clock=discs.clock,
        gone=discs.gone,
        hit=speed < 0,
        met=speed < 0,
        record=lanes.record._replace(time=lanes.record.time + ahead),
        lasts=lanes.squeezed > 0,
        steps=jnp.int32(0),
    )

    near = _near(discs, begun, springs, geometry)

    def goes_on(phase: Phase) -> jax.Array:
        return jnp.any(phase.lasts) & (phase.steps < BURST)

    def step(phase: Phase) -> Phase:
        return _step(discs, phase, near, springs, parameters, geometry)

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
    slots = jnp.arange(len(ended.met), dtype=jnp.int32)[:, None]
    bits = jnp.sum(jnp.where(ended.met, jnp.int32(1) << slots, 0), axis=0, dtype=jnp.int32)
    record = ended.record._replace(touched=ended.record.touched | bits)
    return Lanes(after, record, jnp.where(ended.lasts, lanes.squeezed + 1, 0))


def _step(
    discs: Discs,
    phase: Phase,
    near: _Near,
    springs: Springs,
    parameters: Parameters,
    geometry: Geometry,
) -> Phase:
    """One small step of all discs: kick, friction of the board, drift.

    It takes no time in lanes in which the phase is over: there it changes nothing.
    """
    radius, mass = geometry.radius[:, None], geometry.mass[:, None]
    h = jnp.where(phase.lasts, springs.step, 0)
    in_play = phase.gone == NEVER
    rims = rim_contacts(discs, phase, in_play, near.pairs, springs, parameters, geometry)
    load = lax.cond(
        near.frame,
        lambda: rims.plus(frame_contacts(discs, phase, in_play, springs, parameters, geometry)),
        lambda: rims,
    )
    kick_x, kick_y = load.fx / mass * h, load.fy / mass * h
    vx, vy = phase.vx + kick_x, phase.vy + kick_y
    spin = phase.spin + 2 * load.rub / (mass * radius) * h
    speed = jnp.sqrt(vx * vx + vy * vy)
    left = jnp.maximum(1 - discs.braking * h / jnp.where(speed > 0, speed, 1), 0)
    left = jnp.where(speed > 0, left, 1)
    vx, vy, spin = vx * left, vy * left, spin * jnp.sqrt(left)
    shift_x, shift_y = phase.shift_x + vx * h, phase.shift_y + vy * h
    touching = (rims.push > 0) & phase.lasts
    record = phase.record._replace(
        time=phase.record.time + h, first_touch=_first_touch(phase, discs, touching, geometry)
    )
    inside = in_play & over_pocket(discs.x + shift_x, discs.y + shift_y, parameters, geometry)
    clock = jnp.where(inside, jnp.where(phase.clock >= 0, phase.clock + h, 0), -1)
    falls = inside & (clock >= parameters.fall_time)
    return Phase(
        shift_x=shift_x,
        shift_y=shift_y,
        vx=jnp.where(falls, 0, vx),
        vy=jnp.where(falls, 0, vy),
        spin=spin,
        kick_x=kick_x,
        kick_y=kick_y,
        clock=jnp.where(falls, -1, clock),
        gone=jnp.where(falls, record.time, phase.gone),
        hit=phase.hit | ((load.push > 0) & phase.lasts),
        met=phase.met | touching,
        record=record,
        lasts=phase.lasts & load.lasts,
        steps=phase.steps + 1,
    )


def _near(discs: Discs, phase: Phase, springs: Springs, geometry: Geometry) -> _Near:
    """What can touch within ``BURST`` steps in a lane in which the phase goes on.

    Nothing comes together faster than all the energy of its lane would let it.
    """
    i, j = all_pairs(len(geometry.radius))
    radius, mass = geometry.radius[:, None], geometry.mass[:, None]
    in_play = phase.gone == NEVER
    x, y = discs.x + phase.shift_x, discs.y + phase.shift_y
    dx, dy = x[j] - x[i], y[j] - y[i]
    between = jnp.sqrt(dx * dx + dy * dy) - (radius[i] + radius[j])
    between = jnp.where(in_play[i] & in_play[j], between, NEVER)
    to_frame = jnp.where(in_play, gap_to_frame(x, y, radius, geometry)[0], NEVER)
    reduced = reduced_mass(mass[i], mass[j])
    moved = mass * (phase.vx**2 + phase.vy**2 + (radius * phase.spin) ** 2 / 2)
    twice_energy = jnp.sum(jnp.where(in_play, moved, 0), axis=0) + springs.stiffness * (
        jnp.sum(reduced * jnp.minimum(between, 0) ** 2, axis=0)
        + jnp.sum(mass * jnp.minimum(to_frame, 0) ** 2, axis=0)
    )
    time = _MARGIN * BURST * springs.step

    def touch(gap: jax.Array, mass: jax.Array) -> jax.Array:
        reach = jnp.sqrt(twice_energy / mass) * time + tolerance_of(gap.dtype)
        return jnp.any((gap < reach) & phase.lasts, axis=1)

    return _Near(NearPairs.of(touch(between, reduced), geometry), jnp.any(touch(to_frame, mass)))


def _first_touch(phase: Phase, discs: Discs, touching: jax.Array, geometry: Geometry) -> jax.Array:
    """``Record.first_touch`` after a step in which the ``touching`` discs touched others."""
    before, striker = phase.record.first_touch, len(geometry.radius) - 1
    first = touching[striker] & (before < 0)

    def nearest() -> jax.Array:
        """What the striker touches is what is nearest to it."""
        x, y = discs.x + phase.shift_x, discs.y + phase.shift_y
        away2 = (x - x[striker]) ** 2 + (y - y[striker]) ** 2
        away2 = jnp.where(touching.at[striker].set(False), away2, NEVER)
        return jnp.where(first, jnp.argmin(away2, axis=0).astype(jnp.int32), before)

    return lax.cond(jnp.any(first), nearest, lambda: before)


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
