"""The motion of a disc from one impact to its next."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from carrom.physics.model import REST_SPEED
from carrom.physics.planar.ground import deceleration
from carrom.physics.planar.impulse import Body
from carrom.physics.planar.lanes import Parameters


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
