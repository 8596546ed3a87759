"""Where the striker goes after a direct shot, and what it may spoil on its way.

The striker slides on from the impact with the velocity momentum leaves it, straight and with
constant deceleration, rebounds from a frame once, and stops or meets a carromman. That is
enough to see a striker follow its carromman into the pocket, or knock in an opponent's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.aiming import as_complex
from carrom.board import Board
from carrom.physics.material import Material
from carrom.view import OPPONENT, View
from carrom_agents.shots import Shots
from carrom_agents.ways import (
    MOUTH,
    TINY,
    Complex,
    Float,
    Index,
    distance_from,
    others,
    seen_from,
    touching,
)

_LEGS = 2
"""Up to the first frame, and from there: later legs are slow and their errors large."""


@dataclass(frozen=True, eq=False)
class Aftermath:
    """What is likely to happen beside the shot, arrays of shape (n,).

    Attributes:
        striker_falls: whether the striker comes to a pocket.
        opponent_falls: whether the first carromman the striker meets is the opponent's and
            is driven into a pocket.
    """

    striker_falls: NDArray[np.bool_]
    opponent_falls: NDArray[np.bool_]


def aftermath(view: View, shots: Shots, material: Material) -> Aftermath:
    """What the striker does after each shot, everything else lying still."""
    board = view.board
    obstacles = others(view, shots.carromman)
    pockets = as_complex(board.pocket_centres)
    position, velocity = shots.ghost, shots.onward
    striker_falls = np.zeros(len(shots), bool)
    opponent_falls = np.zeros(len(shots), bool)
    for leg in range(_LEGS):
        speed = np.abs(velocity)
        heading = velocity / np.maximum(speed, TINY)
        stop = speed**2 / (2 * material.deceleration)
        frame = _to_frame(board, position, heading)
        meeting, met = _first_meeting(position, heading, obstacles, touching(board))
        reach = np.minimum(np.minimum(stop, frame), meeting)
        end = position + heading * reach
        near = distance_from(position, end, pockets) < board.pocket_radius
        striker_falls |= np.any(near, axis=1)
        left = np.sqrt(np.maximum(speed**2 - 2 * material.deceleration * reach, 0.0))
        if leg == 0:
            driven = _is_driven_in(
                board, material, end, left * heading, obstacles[np.arange(len(met)), met]
            )
            is_opponent = (met >= OPPONENT.start) & (met < OPPONENT.stop)
            opponent_falls = (reach == meeting) & is_opponent & driven
        rebounds = reach == frame
        position = end
        velocity = _rebound(board, material, end, left * heading) * rebounds
    return Aftermath(striker_falls, opponent_falls)


def _to_frame(board: Board, position: Complex, heading: Complex) -> Float:
    """Distance along the heading until the striker touches a frame."""
    limit = board.half_side - board.striker_radius
    distances = [
        (limit - np.sign(way) * start) / np.maximum(np.abs(way), TINY)
        for start, way in ((position.real, heading.real), (position.imag, heading.imag))
    ]
    return np.maximum(np.minimum(*distances), 0.0)


def _rebound(board: Board, material: Material, position: Complex, velocity: Complex) -> Complex:
    """The velocity after touching the frame nearest to each position."""
    on_side = np.abs(position.real) > np.abs(position.imag)
    restitution = material.restitution_frame
    return np.where(
        on_side,
        -restitution * velocity.real + 1j * velocity.imag,
        velocity.real - 1j * restitution * velocity.imag,
    )


def _first_meeting(
    position: Complex, heading: Complex, obstacles: Complex, reach: float
) -> tuple[Float, Index]:
    """Distance at which the striker first touches an obstacle, inf if never, and which."""
    along, across = seen_from(position, position + heading, obstacles)
    before = np.sqrt(np.maximum(reach**2 - across**2, 0.0))
    meets = (np.abs(across) < reach) & (along > 0)
    distance = np.where(meets, np.maximum(along - before, 0.0), np.inf)
    first = np.argmin(distance, axis=1)
    return distance[np.arange(len(first)), first], first


def _is_driven_in(
    board: Board, material: Material, striker: Complex, velocity: Complex, hit: Complex
) -> NDArray[np.bool_]:
    """Whether a carromman hit by the striker where they are slides into a pocket."""
    line = (hit - striker) / np.maximum(np.abs(hit - striker), TINY)
    approach = np.maximum((velocity.conjugate() * line).real, 0.0)
    mass_ratio = board.carromman_mass / board.striker_mass
    speed = approach * (1 + material.restitution_striker) / (1 + mass_ratio)
    end = hit + line * speed**2 / (2 * material.deceleration)
    pockets = as_complex(board.pocket_centres)
    return np.any(distance_from(hit, end, pockets) < MOUTH, axis=1)
