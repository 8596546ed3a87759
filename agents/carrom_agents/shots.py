"""Every direct shot a position offers, with the chance that it succeeds.

A direct shot pockets one carromman by one hit of the striker. Whether it is there at all is
plane geometry: a legal free place, a contact that is not too thin, nothing in the way of
either disc. How likely it is to succeed follows from how far the pocket forgives the
carromman's direction and by how much the collision magnifies the error of the player's hand.

Plane vectors are complex numbers, as in ``carrom_agents.ways``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from carrom.action import MIN_SPEED
from carrom.aiming import as_complex, as_points, direct_shot
from carrom.board import Board
from carrom.physics.material import Material
from carrom.physics.noise import NOISE_LEVELS, ExecutionNoise
from carrom.view import View
from carrom_agents.ways import (
    MOUTH,
    MOUTH_LOSS,
    TINY,
    Complex,
    Float,
    Index,
    distance_from,
    others,
    pocket_aims,
    seen_from,
    striker_places,
    touching,
)

_SLACK = 20e-6
"""m: discs that came to rest against each other overlap by rounding."""


@dataclass(frozen=True)
class ShotOptions:
    """What is taken for a shot, and how the board and the hand are believed to be.

    Attributes:
        material: friction and restitution that the speeds are computed with.
        noise: execution noise that the chances are computed with.
        middle_places: places tried between the base circles.
        circle_places: places tried over each base circle.
        greatest_cut: thinnest contact that is tried, rad.
        striker_gap: m that must be free beside the striker's way.
        kept: from how many places, those most likely to succeed, each carromman's way into
            each pocket is weighed at every arrival.
        arrivals: speeds tried at the pocket, m/s, slowest first.
    """

    material: Material = field(default_factory=Material)
    noise: ExecutionNoise = NOISE_LEVELS["expert"]
    middle_places: int = 49
    circle_places: int = 3
    greatest_cut: float = math.radians(75)
    striker_gap: float = 0.5e-3
    kept: int = 6
    arrivals: tuple[float, ...] = (0.8, 1.2, 1.8)


@dataclass(frozen=True, eq=False)
class Shots:
    """Direct shots, one per entry of the arrays, which all have shape (n,).

    Attributes:
        carromman: index of the carromman in the view.
        pocket: index of the pocket.
        place: the striker's place, m.
        direction: of the strike, rad.
        speed: of the strike, m/s.
        cut: angle between the striker's way and the line of centres, rad.
        ghost: the striker's centre at the impact.
        onward: the striker's velocity after the impact, m/s.
        chance: that the carromman is pocketed.
    """

    carromman: Index
    pocket: Index
    place: Float
    direction: Float
    speed: Float
    cut: Float
    ghost: Complex
    onward: Complex
    chance: Float

    def __len__(self) -> int:
        return len(self.place)


@dataclass(frozen=True, eq=False)
class _Ways:
    """Ways of carrommen into pockets, arrays of shape (n,).

    ``room`` is the half angle, rad, by which each can turn before it touches another
    carromman.
    """

    carromman: Index
    pocket: Index
    start: Complex
    aim: Complex
    room: Float

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_]) -> _Ways:
        """Some of them."""
        return _Ways(
            self.carromman[index],
            self.pocket[index],
            self.start[index],
            self.aim[index],
            self.room[index],
        )


def direct_shots(view: View, carrommen: Index, options: ShotOptions) -> Shots:
    """The most promising direct shots at some carrommen.

    Args:
        view: the position.
        carrommen: (k,), indices of carrommen on the board.
        options: what counts as a shot.

    Returns:
        Shots whose ways are free of every other disc; none when there are none.
    """
    places = striker_places(view, options.middle_places, options.circle_places)
    ways = _open_ways(view, carrommen)
    way, at = np.nonzero(_is_thick(view.board, ways, places, options))
    ways, places = ways.take(way), places[at]
    shots = _weighed(view.board, ways, places, options.arrivals[0], options)
    free = np.flatnonzero(_is_free(view, shots, options))
    best = free[_best_of_each(way[free], shots.chance[free], options.kept)]
    ways, places = ways.take(best), places[best]
    weighed = [_weighed(view.board, ways, places, each, options) for each in options.arrivals]
    return _possible(weighed, options)


def _best_of_each(group: Index, chance: Float, count: int) -> Index:
    """Indices of the ``count`` greatest chances of each group."""
    order = np.lexsort((-chance, group))
    ordered = group[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[rank < count]


def _open_ways(view: View, carrommen: Index) -> _Ways:
    """Ways from the carrommen to every pocket on which no other carromman lies."""
    centres = as_complex(view.positions)[carrommen]
    aims = pocket_aims(view.board, centres)
    n_pockets = aims.shape[1]
    carromman = np.repeat(carrommen, n_pockets)
    start, end = np.repeat(centres, n_pockets), aims.ravel()
    obstacles = others(view, carromman)
    reach = view.board.carromman_diameter - _SLACK
    along, across = seen_from(start, end, obstacles)
    angle = (np.abs(across) - reach) / np.maximum(along, TINY)
    room = np.min(np.where(along > 0, angle, np.inf), axis=1)
    pocket = np.tile(np.arange(n_pockets), len(carrommen))
    is_open = np.all(distance_from(start, end, obstacles) >= reach, axis=1)
    return _Ways(carromman, pocket, start, end, np.maximum(room, 0)).take(is_open)


def _is_thick(board: Board, ways: _Ways, places: Float, options: ShotOptions) -> NDArray[np.bool_]:
    """(n, p): whether the contact from a place is thick enough, rim friction apart."""
    way = (ways.aim - ways.start) / np.abs(ways.aim - ways.start)
    run = (ways.start - touching(board) * way)[:, None] - (places + 1j * board.base_line_y)
    cosine = (way.conjugate()[:, None] * run).real
    return cosine > math.cos(options.greatest_cut) * np.abs(run)


def _weighed(
    board: Board, ways: _Ways, places: Float, arrival: float, options: ShotOptions
) -> Shots:
    """The shots on the ways from the places, with their chances."""
    material, noise = options.material, options.noise
    targets, aims = as_points(ways.start), as_points(ways.aim)
    shot = direct_shot(board, material, places, targets, aims, arrival)
    ghost = as_complex(shot.ghost)
    slide = np.abs(ghost - (places + 1j * board.base_line_y))
    distance = np.abs(ways.aim - ways.start)
    # An error in the striker's direction or place moves the point of contact, which turns
    # the line of centres.
    across = np.hypot(slide * noise.direction, noise.place * np.cos(shot.direction))
    spread = across / (touching(board) * np.maximum(np.cos(shot.cut), TINY))
    mouth = MOUTH - MOUTH_LOSS * max(arrival - 1.0, 0.0)
    straight = np.minimum(mouth / distance, ways.room) / np.maximum(spread, TINY)
    # An error in speed changes the square of the arrival in proportion; below zero the
    # carromman stops short.
    deceleration = 2 * material.deceleration
    impact = np.maximum(shot.speed**2 - deceleration * slide, TINY)
    gain = (arrival**2 + deceleration * distance) / impact
    far = arrival**2 / np.maximum(2 * gain * shot.speed**2 * noise.speed, TINY)
    return Shots(
        carromman=ways.carromman,
        pocket=ways.pocket,
        place=places,
        direction=shot.direction,
        speed=shot.speed,
        cut=shot.cut,
        ghost=ghost,
        onward=as_complex(shot.onward),
        chance=normal_within(straight) * (0.5 + 0.5 * normal_within(far)),
    )


def normal_within(bound: Float) -> Float:
    """Probability that a standard normal is within +- ``bound``, to 4e-4 for bound >= 0."""
    x = np.minimum(bound, 10) / math.sqrt(2)
    return np.tanh(2 / math.sqrt(math.pi) * (x + 0.08943 * x**3))


def _is_free(view: View, shots: Shots, options: ShotOptions) -> NDArray[np.bool_]:
    """Whether the striker reaches the ghost: nothing, no frame and no pocket on its way."""
    board = view.board
    start = shots.place + 1j * board.base_line_y
    reach = touching(board) + options.striker_gap
    obstacles = others(view, shots.carromman)
    unhindered = np.all(distance_from(start, shots.ghost, obstacles) >= reach, axis=1)
    edge = np.maximum(np.abs(shots.ghost.real), np.abs(shots.ghost.imag))
    inside = edge <= board.half_side - board.striker_radius - options.striker_gap
    pockets = as_complex(board.pocket_centres)
    safe = np.all(distance_from(start, shots.ghost, pockets) >= board.pocket_radius, axis=1)
    return unhindered & inside & safe & (shots.cut <= options.greatest_cut)


def _possible(parts: list[Shots], options: ShotOptions) -> Shots:
    """All parts together, without the shots no player has the force for."""
    speed = np.concatenate([part.speed for part in parts])
    chosen = (speed >= MIN_SPEED) & (speed <= options.material.full_speed)
    return Shots(
        **{
            each.name: np.concatenate([getattr(part, each.name) for part in parts])[chosen]
            for each in fields(Shots)
        }
    )
