"""Impacts: Newton restitution along the normal, Coulomb friction along the tangent.

Impulses of solid discs (inertia m R^2 / 2). The normal n points from i to j, or out of the
board; the tangent is t = (-n_y, n_x). Friction is at most what stops the slip of the rims,
|slip| / (3 / m_i + 3 / m_j), a frame being infinitely heavy.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.physics.model import CORNER_HOP

SEPARATION_SPEED = 1e-3
"""Least speed of separation after an impact, m/s. With less, discs that are pressed together
because they brake differently would take thousands of impacts to come to rest."""


class Body(NamedTuple):
    """One disc of each lane at an impact, (B,) each: velocity, m/s, spin, rad/s, kg, m."""

    vx: jax.Array
    vy: jax.Array
    spin: jax.Array
    mass: jax.Array
    radius: jax.Array


def collide(
    i: Body, j: Body, nx: jax.Array, ny: jax.Array, restitution: jax.Array, friction: jax.Array
) -> tuple[Body, Body]:
    """Two discs that touch and close, after their impact."""
    vx, vy = j.vx - i.vx, j.vy - i.vy
    closing = -(vx * nx + vy * ny)
    slip = vy * nx - vx * ny - i.spin * i.radius - j.spin * j.radius
    give = 1 / i.mass + 1 / j.mass
    push = (closing + jnp.maximum(restitution * closing, SEPARATION_SPEED)) / give
    rub = jnp.clip(-slip / (3 * give), -friction * push, friction * push)
    impulse_x, impulse_y = push * nx - rub * ny, push * ny + rub * nx
    return _kicked(i, -impulse_x, -impulse_y, rub), _kicked(j, impulse_x, impulse_y, rub)


def _kicked(body: Body, impulse_x: jax.Array, impulse_y: jax.Array, rub: jax.Array) -> Body:
    # Both rims rub on the same side of their discs, so both spins change the same way.
    return body._replace(
        vx=body.vx + impulse_x / body.mass,
        vy=body.vy + impulse_y / body.mass,
        spin=body.spin - 2 * rub / (body.mass * body.radius),
    )


def bounce(
    body: Body,
    nx: jax.Array,
    ny: jax.Array,
    in_corner: jax.Array,
    restitution: jax.Array,
    friction: jax.Array,
) -> Body:
    """A disc that has reached the frame, after its impact."""
    closing, along = body.vx * nx + body.vy * ny, body.vy * nx - body.vx * ny
    speed = jnp.sqrt(body.vx * body.vx + body.vy * body.vy)
    floor = jnp.where(
        in_corner, jnp.maximum(CORNER_HOP * speed, SEPARATION_SPEED), SEPARATION_SPEED
    )
    parting = jnp.maximum(restitution * closing, floor)
    push = closing + parting
    rub = jnp.clip(-(along + body.spin * body.radius) / 3, -friction * push, friction * push)
    along = along + rub
    # What the floor gives in the normal direction is taken from the tangential one.
    gained = jnp.maximum(parting * parting - closing * closing, 0)
    along = jnp.copysign(jnp.sqrt(jnp.maximum(along * along - gained, 0)), along)
    return body._replace(
        vx=-parting * nx - along * ny,
        vy=-parting * ny + along * nx,
        spin=body.spin + 2 * rub / body.radius,
    )
