"""From actions to strikes, as arrays: the counterpart of ``carrom.action``."""

from __future__ import annotations

from typing import Any, TypeAlias

import jax.numpy as jnp

from carrom.action import ARRIVAL_SPEED, MAX_TURN, MIN_SPEED, N_POCKETS
from carrom.aiming import direct_shot, straight_place
from carrom.board import Board
from carrom.functional.sight import Sight
from carrom.functional.state import Strike
from carrom.physics.material import Material
from carrom.pieces import N_PER_SIDE, QUEEN

Action: TypeAlias = Any
"""``direct``: float32 (3,). ``target``: a dict of ``shot``, int32 (), and ``residual``, float32
(3,). Numbers beyond [-1, 1] are taken as the bound."""


def decode_direct(action: Action, sight: Sight, board: Board, material: Material) -> Strike:
    """The strike that place, direction and speed in [-1, 1] mean; see ``carrom.action``."""
    place, direction, speed = jnp.clip(jnp.asarray(action, jnp.float32), -1, 1)
    return Strike(
        place=sight.places.nearest(place * (board.base_line_length / 2)),
        direction=direction * jnp.pi,
        speed=MIN_SPEED + (speed + 1) / 2 * (material.full_speed - MIN_SPEED),
        forward=sight.forward,
    )


def decode_target(action: Action, sight: Sight, board: Board, material: Material) -> Strike:
    """The strike that a shot and what to change about it mean; see ``carrom.action``."""
    carromman, pocket = jnp.divmod(action["shot"], N_POCKETS)
    shift, turn, force = jnp.clip(jnp.asarray(action["residual"], jnp.float32), -1, 1)
    target = sight.positions[jnp.where(carromman < N_PER_SIDE, carromman, QUEEN)]
    aim = jnp.asarray(board.pocket_centres, jnp.float32)[pocket]
    end = board.base_line_length / 2
    wished = jnp.clip(straight_place(board, target, aim) + shift * end, -end, end)
    place = sight.places.nearest(wished)
    shot = direct_shot(board, material, place, target, aim, ARRIVAL_SPEED)
    return Strike(
        place=place,
        direction=jnp.asarray(shot.direction) + turn * MAX_TURN,
        speed=jnp.clip(jnp.asarray(shot.speed) * 2.0**force, MIN_SPEED, material.full_speed),
        forward=sight.forward,
    )


CODINGS = {"direct": decode_direct, "target": decode_target}
