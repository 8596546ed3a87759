"""From actions to strikes, as arrays: the counterpart of ``carrom.action``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

from carrom.action import ARRIVAL_SPEED, MAX_TURN, MIN_SPEED, N_POCKETS, N_SHOTS
from carrom.aiming import direct_shot, straight_place
from carrom.board import Board
from carrom.errors import ActionError
from carrom.functional.sight import Sight
from carrom.functional.state import Strike
from carrom.physics.material import Material
from carrom.pieces import N_PER_SIDE, QUEEN

Action: TypeAlias = Any
"""``direct``: float32 (3,). ``target``: a dict of ``shot``, int32 (), and ``residual``, float32
(3,). Numbers beyond [-1, 1] are taken as the bound. What cannot be said while a program is traced,
such as that a shot is none of the 40, makes a strike that is no number, and the board is void."""


def decode_direct(action: Action, sight: Sight, board: Board, material: Material) -> Strike:
    """The strike that place, direction and speed in [-1, 1] mean; see ``carrom.action``.

    Raises:
        ActionError: the action has another shape, or is no array.
    """
    place, direction, speed = _three(action, "action")
    return Strike(
        place=sight.places.nearest(place * (board.base_line_length / 2)),
        direction=direction * jnp.pi,
        speed=MIN_SPEED + (speed + 1) / 2 * (material.full_speed - MIN_SPEED),
        forward=sight.forward,
    )


def decode_target(action: Action, sight: Sight, board: Board, material: Material) -> Strike:
    """The strike that a shot and what to change about it mean; see ``carrom.action``.

    Raises:
        ActionError: the action is no such dict, or a part has another shape or type.
    """
    if not isinstance(action, Mapping) or set(action) != {"shot", "residual"}:
        raise ActionError(f"action = {action!r}: expected a dict of 'shot' and 'residual'")
    number = _array(action["shot"], "action['shot']", "an integer")
    if number.shape or not jnp.issubdtype(number.dtype, jnp.integer):
        raise ActionError(
            f"action['shot'] of shape {number.shape} and dtype {number.dtype}: "
            "expected shape () and integers"
        )
    is_shot = (number >= 0) & (number < N_SHOTS)
    carromman, pocket = jnp.divmod(jnp.where(is_shot, number, 0), N_POCKETS)
    shift, turn, force = _three(action["residual"], "action['residual']")
    target = sight.positions[jnp.where(carromman < N_PER_SIDE, carromman, QUEEN)]
    aim = jnp.asarray(board.pocket_centres, jnp.float32)[pocket]
    end = board.base_line_length / 2
    wished = jnp.clip(straight_place(board, target, aim) + shift * end, -end, end)
    place = sight.places.nearest(wished)
    shot = direct_shot(board, material, place, target, aim, ARRIVAL_SPEED)
    return Strike(
        place=place,
        direction=jnp.asarray(shot.direction) + turn * MAX_TURN,
        speed=jnp.where(
            is_shot,
            jnp.clip(jnp.asarray(shot.speed) * 2.0**force, MIN_SPEED, material.full_speed),
            jnp.nan,
        ),
        forward=sight.forward,
    )


def _three(values: Any, what: str) -> jax.Array:
    """Three numbers, taken into [-1, 1]."""
    array = _array(values, what, "three numbers")
    if array.shape != (3,):
        raise ActionError(f"{what} of shape {array.shape}: expected shape (3,)")
    return jnp.clip(array.astype(jnp.float32), -1, 1)


def _array(values: Any, what: str, expected: str) -> jax.Array:
    try:
        return jnp.asarray(values)
    except (TypeError, ValueError):
        raise ActionError(f"{what} = {values!r}: expected {expected}") from None


CODINGS = {"direct": decode_direct, "target": decode_target}
