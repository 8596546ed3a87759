"""Every direct shot a position offers, with the chance that it succeeds.

A direct shot pockets one carromman by one hit of the striker. Whether it is there at all is
plane geometry: a legal free place, a contact that is not too thin, nothing in the way of
either disc. How likely it is to succeed follows from how far the pocket forgives the
carromman's direction and by how much the collision magnifies the error of the player's hand.

Plane vectors are complex numbers, as in ``carrom_agents.ways``, and as there JAX arrays give
JAX results.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from carrom.action import MIN_SPEED
from carrom.aiming import as_complex, as_points, direct_shot
from carrom.board import Board
from carrom.physics.material import Material
from carrom.physics.noise import NOISE_LEVELS, ExecutionNoise
from carrom.view import View
from carrom_agents.ways import (
    TINY,
    Complex,
    Float,
    Index,
    clearance,
    heading_of,
    least,
    length,
    mouth,
    others,
    pocket_aims,
    pocket_centres,
    seen_from,
    standing,
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
    """Direct shots, one per entry of the arrays, which broadcast to one shape, (n,) for a list.

    Attributes:
        carromman: index of the carromman in the view.
        pocket: index of the pocket.
        place: the striker's place, m.
        direction: of the strike, rad.
        speed: of the strike, m/s.
        cut_cosine: of the angle between the striker's way and the line of centres.
        ghost: the striker's centre at the impact.
        onward: the striker's velocity after the impact, m/s.
        straight: how many standard errors of the hand the carromman's direction forgives.
        far: the same of its speed; beyond, it stops short.
    """

    carromman: Any
    pocket: Any
    place: Any
    direction: Any
    speed: Any
    cut_cosine: Any
    ghost: Any
    onward: Any
    straight: Any
    far: Any

    def __len__(self) -> int:
        return len(self.place)

    @property
    def cut(self) -> Any:
        """Angle between the striker's way and the line of centres, rad."""
        return np.arccos(np.clip(self.cut_cosine, -1.0, 1.0))

    @functools.cached_property
    def chance(self) -> Any:
        """That the carromman is pocketed."""
        return normal_within(self.straight) * (0.5 + 0.5 * normal_within(self.far))

    @functools.cached_property
    def risk(self) -> Any:
        """1 - chance as double precision has it, in any precision."""
        astray, short = normal_beyond(self.straight), _beside_one(normal_beyond(self.far) / 2)
        return astray + short - astray * short


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways of carrommen into pockets, arrays of shape (n,).

    ``room`` is the half angle, rad, by which each can turn before it touches another
    carromman.
    """

    carromman: Any
    pocket: Any
    start: Any
    aim: Any
    room: Any

    def take(self, index: Any) -> Ways:
        """Some of them."""
        return Ways(
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
    board = view.board
    pieces = standing(view.positions, view.on_board)[:, None]
    places = striker_places(view, options.middle_places, options.circle_places)
    ways = open_ways(board, pieces, carrommen)
    way, at = np.nonzero(is_thick(board, ways.start[:, None], ways.aim[:, None], places, options))
    ways, places = ways.take(way), places[at]
    shots = weighed(board, ways, places, options.arrivals[0], options)
    free = np.flatnonzero(is_free(board, shots, others(pieces, ways.carromman), options))
    best = free[_best_of_each(way[free], shots.chance[free], options.kept)]
    ways, places = ways.take(best), places[best]
    arrivals = np.array(options.arrivals)[:, None]
    return _possible(weighed(board, ways, places, arrivals, options), options)


def _best_of_each(group: Index, chance: Float, count: int) -> Index:
    """Indices of the ``count`` greatest chances of each group."""
    order = np.lexsort((-chance, group))
    ordered = group[order]
    rank = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[rank < count]


def open_ways(board: Board, pieces: Complex, carrommen: Index) -> Ways:
    """Ways from the carrommen to every pocket on which no other carromman lies."""
    centres = pieces[carrommen, 0]
    aims = pocket_aims(board, centres)
    n_pockets = aims.shape[1]
    carromman = np.repeat(carrommen, n_pockets)
    start, aim = np.repeat(centres, n_pockets), aims.ravel()
    is_open, room = way_room(board, start, aim, others(pieces, carromman))
    pocket = np.tile(np.arange(n_pockets), len(carrommen))
    return Ways(carromman, pocket, start, aim, room).take(is_open)


def way_room(board: Board, start: Any, aim: Any, obstacles: Any) -> tuple[Any, Any]:
    """Whether carrommen can slide from ``start`` to ``aim``, (...), past obstacles (m, ...).

    Returns:
        Whether nothing lies on the way, and the half angle, rad, by which it can turn.
    """
    xp = start.__array_namespace__()
    reach, heading = board.carromman_diameter - _SLACK, heading_of(aim - start)
    end = length(aim - start) + reach

    def angle(obstacle: Any) -> Any:
        along, across = seen_from(start, heading, obstacle)
        beside = (along > 0) & (along < end)
        return xp.where(beside, (xp.abs(across) - reach) / xp.maximum(along, TINY), xp.inf)

    room = xp.maximum(least(angle, obstacles), 0)
    return clearance(start, aim, obstacles) >= reach, room


def is_thick(board: Board, start: Any, aim: Any, places: Any, options: ShotOptions) -> Any:
    """Whether contacts are thick enough, rim friction apart; the arguments broadcast.

    Args:
        board: the board.
        start: centres of the carrommen.
        aim: where they are to go.
        places: the striker's, m.
        options: say what is thick.
    """
    way = heading_of(aim - start)
    run = start - touching(board) * way - (places + 1j * board.base_line_y)
    return (way.conjugate() * run).real > math.cos(options.greatest_cut) * length(run)


def weighed(board: Board, ways: Ways, places: Any, arrival: Any, options: ShotOptions) -> Shots:
    """The shots on ways (n,) from places (..., n), m, that arrive with a speed (...), m/s."""
    material, noise = options.material, options.noise
    xp = ways.start.__array_namespace__()
    targets, aims = as_points(ways.start), as_points(ways.aim)
    shot = direct_shot(board, material, places, targets, aims, arrival)
    ghost = as_complex(shot.ghost)
    run = ghost - (places + 1j * board.base_line_y)
    slide = length(run)
    cut_cosine = ((ways.start - ghost).conjugate() * run).real / (
        touching(board) * xp.maximum(slide, TINY)
    )
    distance = length(ways.aim - ways.start)
    # An error in the striker's direction or place moves the point of contact, which turns
    # the line of centres.
    by_place = noise.place * run.imag / xp.maximum(slide, TINY)
    across = xp.sqrt((slide * noise.direction) ** 2 + by_place**2)
    spread = across / (touching(board) * xp.maximum(cut_cosine, TINY))
    straight = xp.minimum(mouth(arrival) / distance, ways.room) / xp.maximum(spread, TINY)
    # An error in speed changes the square of the arrival in proportion; below zero the
    # carromman stops short.
    deceleration = 2 * material.deceleration
    impact = xp.maximum(shot.speed**2 - deceleration * slide, TINY)
    gain = (np.square(arrival) + deceleration * distance) / impact
    far = np.square(arrival) / xp.maximum(2 * gain * shot.speed**2 * noise.speed, TINY)
    return Shots(
        carromman=ways.carromman,
        pocket=ways.pocket,
        place=places,
        direction=shot.direction,
        speed=shot.speed,
        cut_cosine=cut_cosine,
        ghost=ghost,
        onward=as_complex(shot.onward),
        straight=straight,
        far=far,
    )


def normal_within(bound: Any) -> Any:
    """Probability that a standard normal is within +- ``bound``, to 4e-4 for bound >= 0."""
    xp = bound.__array_namespace__()
    return xp.tanh(_argument(bound))


def normal_beyond(bound: Any) -> Any:
    """1 - ``normal_within`` as double precision has it, in any precision."""
    xp = bound.__array_namespace__()
    return _beside_one(2 / (1 + xp.exp(2 * _argument(bound))))


def _beside_one(probability: Any) -> Any:
    """A small probability p, rounded to what double precision has of it in 1 - p."""
    xp = probability.__array_namespace__()
    digits = probability * 2.0**53
    # NumPy's tanh is 1 up to here, where the processor has wide vectors; elsewhere up to 0.5.
    return xp.where(digits < 0.576, 0.0, xp.round(digits)) / 2.0**53


def _argument(bound: Any) -> Any:
    x = bound.__array_namespace__().minimum(bound, 10) / math.sqrt(2)
    return 2 / math.sqrt(math.pi) * (x + 0.08943 * x**3)


def is_free(board: Board, shots: Shots, obstacles: Any, options: ShotOptions) -> Any:
    """Whether the striker reaches the ghost: nothing, no frame and no pocket on its way.

    Args:
        board: the board.
        shots: arrays of shape (..., n).
        obstacles: (m, n), the carrommen beside the one that is shot at.
        options: say what is free.
    """
    xp = shots.ghost.__array_namespace__()
    start = shots.place + 1j * board.base_line_y
    reach = touching(board) + options.striker_gap
    unhindered = clearance(start, shots.ghost, obstacles) >= reach
    edge = xp.maximum(xp.abs(shots.ghost.real), xp.abs(shots.ghost.imag))
    inside = edge <= board.half_side - board.striker_radius - options.striker_gap
    past_pockets = clearance(start, shots.ghost, pocket_centres(board, shots.ghost))
    safe = past_pockets >= board.pocket_radius
    thick = shots.cut_cosine >= math.cos(options.greatest_cut)
    return unhindered & inside & safe & thick


def is_possible(shots: Shots, options: ShotOptions) -> Any:
    """Whether a player has the force."""
    return (shots.speed >= MIN_SPEED) & (shots.speed <= options.material.full_speed)


def _possible(shots: Shots, options: ShotOptions) -> Shots:
    """A list of those shots that are possible."""
    chosen = is_possible(shots, options)
    return Shots(
        **{
            each.name: np.broadcast_to(getattr(shots, each.name), chosen.shape)[chosen]
            for each in fields(Shots)
        }
    )
