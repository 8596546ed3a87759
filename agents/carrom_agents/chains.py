"""What shots of several legs have in common: candidates, places, and which are worth a look.

A candidate is one way to play one carromman into one pocket. Its arrays are narrowed down from
the cheapest test to the dearest, so that a decision takes milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from carrom.board import Board
from carrom.view import View
from carrom_agents.impacts import Bounce
from carrom_agents.shots import ShotOptions, Shots, Ways, is_possible
from carrom_agents.ways import (
    TINY,
    Complex,
    Float,
    Index,
    clearance,
    length,
    pocket_aims,
    pocket_centres,
    striker_places,
    touching,
)

MIDDLE_PLACES, _CIRCLE_PLACES = 17, 1
"""Striker places tried: fewer than for direct shots, there are so many more of the others."""
FRAMES = np.array([1, 1j, -1, -1j])
"""From the board's centre to the right, far, left and near frame."""
_LEAST_CHANCE = 0.08
"""What a shot must have to be looked at closely."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Shots by way of a frame that are looked at, n of them.

    Attributes:
        ways: carrommen and where they are to go.
        place: (n,), the striker's, m.
        frames: one after the other the frames that are touched, (n,) each: directions from
            the board's centre.
    """

    ways: Ways
    place: Float
    frames: tuple[Complex, ...]

    def origin(self, board: Board) -> Complex:
        """Where the striker stands, (n,)."""
        return self.place + 1j * board.base_line_y

    def take(self, index: Any) -> Candidates:
        """Some of them."""
        frames = tuple(frame[index] for frame in self.frames)
        return Candidates(self.ways.take(index), self.place[index], frames)


def taken(shots: Shots, index: Any) -> Shots:
    """Some of a list of shots."""
    return Shots(**{each.name: getattr(shots, each.name)[index] for each in fields(Shots)})


def product(*choices: Any) -> tuple[Any, ...]:
    """All combinations of the entries of some arrays, each (n,)."""
    return tuple(each.ravel() for each in np.meshgrid(*choices, indexing="ij"))


def places(view: View, middle: int = MIDDLE_PLACES) -> Float:
    """Striker places to try, ``middle`` of them between the base circles, (p,)."""
    return striker_places(view, middle, _CIRCLE_PLACES)


def aim_from(board: Board, point: Complex, pocket: Index) -> Complex:
    """Where in the mouth of its pocket to send each carromman from ``point``, (n,)."""
    return pocket_aims(board, point)[np.arange(len(point)), pocket]


def striker_impact(board: Board, options: ShotOptions) -> dict[str, float]:
    """What ``carrom_agents.impacts.hit`` needs to know of the striker and a carromman."""
    return {
        "restitution": options.material.restitution_striker,
        "friction": options.material.friction_rim,
        "mass_ratio": board.carromman_mass / board.striker_mass,
    }


def within(board: Board, ghost: Complex, options: ShotOptions) -> Any:
    """Whether the striker can be at a point without touching a frame."""
    edge = np.maximum(np.abs(ghost.real), np.abs(ghost.imag))
    return edge <= board.half_side - board.striker_radius - options.striker_gap


def on_frame(board: Board, point: Complex, frame: Complex) -> Any:
    """Whether a point at a frame is clear of the pockets at its ends."""
    return np.abs((point * frame.conjugate()).imag) < board.pocket_offset - board.pocket_radius


def is_thick(cosine: Float, options: ShotOptions) -> Any:
    """Whether the striker's contact is thick enough."""
    return cosine >= math.cos(options.greatest_cut)


def hand_spread(across: Float, board: Board, cosine: Float) -> Float:
    """Standard error of the carromman's direction, rad, by the striker's offset, m."""
    return np.maximum(across / (touching(board) * np.maximum(cosine, TINY)), TINY)


def far(arrival: Float, speed: Float, gain: Float, options: ShotOptions) -> Float:
    """See ``Shots.far``; ``gain`` is the speed at the pocket over the strike's, slides apart."""
    return arrival**2 / np.maximum(2 * gain**2 * speed**2 * options.noise.speed, TINY)


def likely(shots: Shots, allowed: Any, options: ShotOptions) -> tuple[Shots, Index]:
    """The shots that have a chance at all.

    Args:
        shots: arrays that broadcast to (arrivals, n).
        allowed: bool, broadcasts to the same.
        options: say what is possible.

    Returns:
        The shots in one list, and which of the n candidates each is.
    """
    chance = np.where(allowed & is_possible(shots, options), shots.chance, 0.0)
    arrival, which = np.nonzero(chance >= _LEAST_CHANCE)
    kept = {
        each.name: np.broadcast_to(getattr(shots, each.name), chance.shape)[arrival, which]
        for each in fields(Shots)
    }
    return Shots(**kept), which


def is_passable(board: Board, start: Complex, end: Complex, obstacles: Any, gap: float) -> Any:
    """Whether the striker gets from one point to another: no carromman, no pocket on its way."""
    free = clearance(start, end, obstacles) >= touching(board) + gap
    return free & (clearance(start, end, pocket_centres(board, start)) >= board.pocket_radius)


def across_at(options: ShotOptions, legs: Sequence[Complex], bounces: Sequence[Bounce]) -> Float:
    """Standard error of the hand across the striker's way where it ends, m.

    Args:
        options: the noise.
        legs: of the striker's way.
        bounces: between them.
    """
    noise, first = options.noise, length(legs[0])
    by_place = noise.place * np.abs(legs[0].imag) / np.maximum(first, TINY)
    by_direction, angle = noise.direction * first, noise.direction
    for leg, bounce in zip(legs[1:], bounces, strict=True):
        angle = angle * bounce.turning
        by_place = by_place * bounce.shift
        by_direction = by_direction * bounce.shift + length(leg) * angle
    return np.hypot(by_direction, by_place)


def direction_of(run: Complex) -> Float:
    """Direction of a strike, rad, along ``run``."""
    return np.arctan2(-run.real, run.imag)
