"""Players inside compiled code: ``(sight, key) -> strike``, pure functions of arrays."""

from __future__ import annotations

from typing import Protocol

import jax
import jax.numpy as jnp

from carrom.action import MIN_SPEED
from carrom.functional.sight import Sight
from carrom.functional.state import Strike
from carrom.physics.material import Material


class Player(Protocol):
    """Someone who can be asked for a strike."""

    def __call__(self, sight: Sight, key: jax.Array, /) -> Strike:
        """Decide the next strike in the position ``sight``."""
        ...


def random_player(sight: Sight, key: jax.Array, /) -> Strike:
    """Strikes as ``carrom.opponents.random_player``: anything, evenly."""
    place, direction, speed = jax.random.split(key, 3)
    return Strike(
        place=sight.places.at_random(place),
        direction=jax.random.uniform(direction, minval=-jnp.pi, maxval=jnp.pi),
        speed=jax.random.uniform(speed, minval=MIN_SPEED, maxval=Material().full_speed),
        forward=sight.forward,
    )
