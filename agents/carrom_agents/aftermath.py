"""Where the striker goes after a direct shot, and what it may spoil on its way.

The striker slides on from the impact with the velocity momentum leaves it, straight and with
constant deceleration, rebounds from a frame once, and stops or meets a carromman. That is
enough to see a striker follow its carromman into the pocket, or knock in an opponent's.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.board import Board
from carrom.physics.material import Material
from carrom.pieces import N_CARROMMEN
from carrom.view import OPPONENT
from carrom_agents.shots import Shots
from carrom_agents.ways import (
    MOUTH,
    TINY,
    clearance,
    heading_of,
    least,
    length,
    nearest,
    pocket_centres,
    seen_from,
    touching,
)

_LEGS = 2
"""Up to the first frame, and from there: later legs are slow and their errors large."""
_REST = np.r_[: OPPONENT.start, OPPONENT.stop : N_CARROMMEN]
"""Indices of the carrommen that are not the opponent's."""


@dataclass(frozen=True, eq=False)
class Aftermath:
    """What is likely to happen beside the shot, bool arrays of the shape of the shots.

    Attributes:
        striker_falls: whether the striker comes to a pocket.
        opponent_falls: whether the first carromman the striker meets is the opponent's and
            is driven into a pocket.
    """

    striker_falls: Any
    opponent_falls: Any


def aftermath(board: Board, shots: Shots, obstacles: Any, material: Material) -> Aftermath:
    """What the striker does after each shot, everything else lying still.

    Args:
        board: the board.
        shots: arrays of shape (..., n).
        obstacles: (19, n), the carrommen beside the one that is shot at.
        material: friction and restitution.
    """
    xp = shots.onward.__array_namespace__()
    position, velocity = shots.ghost, shots.onward
    pockets = pocket_centres(board, velocity)
    striker_falls = opponent_falls = xp.zeros(velocity.shape, bool)
    for leg in range(_LEGS):
        speed, heading = length(velocity), heading_of(velocity)
        stop = speed**2 / (2 * material.deceleration)
        frame = to_frame(board, position, heading, board.striker_radius)
        distance = functools.partial(to_meet, position, heading, touching(board))
        opponent, hit = nearest(distance, obstacles[OPPONENT])
        meeting = xp.minimum(opponent, least(distance, obstacles[_REST]))
        reach = xp.minimum(xp.minimum(stop, frame), meeting)
        end = position + heading * reach
        striker_falls |= clearance(position, end, pockets) < board.pocket_radius
        left = xp.sqrt(xp.maximum(speed**2 - 2 * material.deceleration * reach, 0.0))
        if leg == 0:
            # Nothing is compared for equality: compiled code may compute it twice, unequally.
            is_met = opponent <= xp.minimum(xp.minimum(stop, frame), meeting)
            opponent_falls = is_met & _is_driven_in(board, material, end, left * heading, hit)
        rebounds = frame <= xp.minimum(stop, meeting)
        position = end
        velocity = rebound(board, material, end, left * heading) * rebounds
    return Aftermath(striker_falls, opponent_falls)


def to_frame(board: Board, position: Any, heading: Any, radius: float) -> Any:
    """Distance along the heading until a disc with a ``radius``, m, touches a frame."""
    xp = position.__array_namespace__()
    limit = board.half_side - radius
    distances = [
        (limit - xp.sign(way) * start) / xp.maximum(xp.abs(way), TINY)
        for start, way in ((position.real, heading.real), (position.imag, heading.imag))
    ]
    return xp.maximum(xp.minimum(*distances), 0.0)


def rebound(board: Board, material: Material, position: Any, velocity: Any) -> Any:
    """The velocity after touching the frame nearest to each position."""
    xp = position.__array_namespace__()
    on_side = xp.abs(position.real) > xp.abs(position.imag)
    restitution = material.restitution_frame
    return xp.where(
        on_side,
        -restitution * velocity.real + 1j * velocity.imag,
        velocity.real - 1j * restitution * velocity.imag,
    )


def to_meet(position: Any, heading: Any, reach: float, obstacle: Any) -> Any:
    """Distance at which the striker first touches an obstacle, inf if never."""
    xp = position.__array_namespace__()
    along, across = seen_from(position, heading, obstacle)
    before = xp.sqrt(xp.maximum(reach**2 - across**2, 0.0))
    meets = (xp.abs(across) < reach) & (along > 0)
    return xp.where(meets, xp.maximum(along - before, 0.0), xp.inf)


def _is_driven_in(board: Board, material: Material, striker: Any, velocity: Any, hit: Any) -> Any:
    """Whether a carromman hit by the striker where they are slides into a pocket."""
    xp = striker.__array_namespace__()
    line = heading_of(hit - striker)
    approach = xp.maximum((velocity.conjugate() * line).real, 0.0)
    mass_ratio = board.carromman_mass / board.striker_mass
    speed = approach * (1 + material.restitution_striker) / (1 + mass_ratio)
    end = hit + line * (speed**2 / (2 * material.deceleration))
    return clearance(hit, end, pocket_centres(board, end)) < MOUTH
