"""Impacts in closed form: what a disc does at another disc and at the frame.

The model is the physics': Newton restitution along the line of centres, Coulomb friction
across it, which stops at the impulse that ends all slip (a third of the slip for solid discs).
Friction turns discs, and a turning disc is deflected at its next impact, so spin is carried
along: as the rim's speed over the disc's own, counter-clockwise positive. Between two impacts
that ratio is taken for constant.

Plane vectors are complex numbers, as in ``carrom_agents.ways``; arrays broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.physics.material import Material
from carrom_agents.ways import Complex, Float

_ROUNDS = 5
"""The throw turns the line of centres, which changes the cut and so the throw."""
_SPIN_ROUNDS = 2
"""What spin does at the frame depends, weakly, on the angle."""


@dataclass(frozen=True, eq=False)
class Hit:
    """How one disc has to meet another that is at rest, arrays of one shape.

    Attributes:
        line: direction from the moving disc's centre to the other's at the impact.
        cosine: of the angle between the way that comes in and ``line``.
        gain: speed of the disc that is hit over that of the one that hits.
        spin: of the disc that is hit.
    """

    line: Complex
    cosine: Float
    gain: Float
    spin: Float


def hit(
    approach: Complex,
    way: Complex,
    spin: Any,
    *,
    restitution: float,
    friction: float,
    mass_ratio: float,
) -> Hit:
    """The impact that sends a disc along ``way``.

    Args:
        approach: heading of the disc that hits.
        way: heading the other is to take.
        spin: of the disc that hits.
        restitution: between the two.
        friction: between their rims.
        mass_ratio: mass of the disc that is hit over the other's.
    """
    turn = np.angle(approach * way.conjugate())
    throw = np.zeros_like(turn)
    for _ in range(_ROUNDS):
        cut = turn + np.arctan(throw)
        cosine = np.maximum(np.cos(cut), 1e-3)
        slip = (np.sin(cut) + spin) / cosine
        throw = np.clip(slip / (3 * (1 + restitution)), -friction, friction)
    cut = turn + np.arctan(throw)
    secant = np.sqrt(1 + throw**2)
    cosine = np.cos(cut)
    return Hit(
        line=way * (1 - 1j * throw) / secant,
        cosine=cosine,
        gain=(1 + restitution) / (1 + mass_ratio) * np.maximum(cosine, 1e-3) * secant,
        spin=-2 * throw / secant,
    )


@dataclass(frozen=True, eq=False)
class Bounce:
    """How a disc gets from one point to another by way of a frame, arrays of one shape.

    Attributes:
        point: its centre when it touches the frame.
        speed: its speed afterwards over that before.
        turning: angle by which its way onwards turns for each radian of the way in.
        shift: offset across its way onwards for each metre across the way in.
        spin: afterwards.
    """

    point: Complex
    speed: Float
    turning: Float
    shift: Float
    spin: Float


def bounce(
    start: Complex, end: Complex, frame: Complex, limit: float, spin: Any, material: Material
) -> Bounce:
    """The way from ``start`` to ``end`` that touches a frame once.

    Of the tangents of the angles to the frame's normal, in and out, one is a function of the
    other that is linear while friction ends the slip and linear beyond, so that either case
    is solved at once: t' = (t - min(|t + s|, 3 m) sgn(t + s) / 3) / e, with s the spin over
    the cosine of the angle in and m = mu (1 + e).

    Args:
        start: where the disc comes from.
        end: where it goes.
        frame: direction from the board's centre to the frame: 1, 1j, -1 or -1j.
        limit: distance of the disc's centre from the board's middle line at the frame, m.
        spin: of the disc before.
        material: restitution of and friction at the frame.
    """
    restitution = material.restitution_frame
    most = material.friction_frame * (1 + restitution)
    begin, stop = start * frame.conjugate(), end * frame.conjugate()
    to, back = limit - begin.real, limit - stop.real
    rise = stop.imag - begin.imag
    sticks = np.zeros(rise.shape, bool)
    tangent = rise / (to + back / restitution)
    for _ in range(_SPIN_ROUNDS):
        share = spin * np.sqrt(1 + tangent**2)
        sticking = (rise + back * share / (3 * restitution)) / (to + 2 * back / (3 * restitution))
        slip = sticking + share
        sticks = np.abs(slip) <= 3 * most
        slipping = (rise + back * most * np.sign(slip) / restitution) / (to + back / restitution)
        tangent = np.where(sticks, sticking, slipping)
    share = spin * np.sqrt(1 + tangent**2)
    lost = np.clip((tangent + share) / 3, -most, most)
    onward = (tangent - lost) / restitution
    cosine_in, cosine_out = 1 / np.sqrt(1 + tangent**2), 1 / np.sqrt(1 + onward**2)
    speed = restitution * cosine_in / cosine_out
    # Spin's part of the slip, spin over the cosine, grows with the angle.
    slope = np.where(sticks, (2 - spin * tangent * cosine_in) / 3, 1.0) / restitution
    return Bounce(
        point=(limit + 1j * (begin.imag + to * tangent)) * frame,
        speed=speed,
        turning=slope * (cosine_out / cosine_in) ** 2,
        shift=cosine_out / cosine_in,
        spin=(spin - 2 * lost * cosine_in) / speed,
    )
