"""Rebounds: the striker touches frames, and then sends a carromman straight into a pocket.

They reach what lies behind the base lines, and what others hide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import Material
from carrom.view import View
from carrom_agents.chains import (
    FRAMES,
    MIDDLE_PLACES,
    Candidates,
    across_at,
    direction_of,
    far,
    hand_spread,
    is_passable,
    is_thick,
    likely,
    on_frame,
    places,
    product,
    striker_impact,
    taken,
    within,
)
from carrom_agents.impacts import Bounce, Hit, bounce, hit
from carrom_agents.shots import ShotOptions, Shots, open_ways
from carrom_agents.ways import (
    Complex,
    Index,
    heading_of,
    length,
    mouth,
    others,
    standing,
    touching,
)

_ROUNDS = 2
"""After a first look: the throw turns the ghost, which moves the points at the frames and so
the throw."""
_DOUBTFUL = 0.1
"""By how much the cosine of the cut may still change after the first look."""
_COURSE_ROUNDS = 4
"""Of two points at frames each depends on the other."""
_SETTLED = 0.3e-3
"""m by which a point may move in the last of the rounds."""
_FEWER_PLACES = 7
"""Striker places tried between the base circles by way of two frames."""


def rebound_shots(view: View, carrommen: Index, options: ShotOptions, frames: int = 1) -> Shots:
    """Shots by way of frames at some carrommen.

    Args:
        view: the position.
        carrommen: (k,), indices of carrommen on the board.
        options: what counts as a shot.
        frames: how many the striker touches, 1 or 2.

    Returns:
        Shots whose ways are free; none when there are none.
    """
    board, material = view.board, options.material
    pieces = standing(view.positions, view.on_board)[:, None]
    candidates = _candidates(view, pieces, carrommen, options, frames)
    candidates, course, impact, ghost = _way(board, candidates, options)
    stops = [candidates.origin(board), *(each.point for each in course.bounces), ghost]
    legs = [end - start for start, end in pairwise(stops)]
    to_pocket = candidates.ways.aim - candidates.ways.start
    allowed = is_thick(impact.cosine, options) & within(board, ghost, options) & course.settled
    for leg, frame, each in zip(legs, candidates.frames, course.bounces, strict=False):
        allowed &= on_frame(board, each.point, frame) & ((leg * frame.conjugate()).real > 0)
    spread = hand_spread(across_at(options, legs, course.bounces), board, impact.cosine)
    arrival = np.array(options.arrivals)[:, None]
    carromman_speed = np.sqrt(arrival**2 + 2 * material.deceleration * length(to_pocket))
    struck = carromman_speed / impact.gain
    speed, gain = np.sqrt(struck**2 + 2 * material.deceleration * length(legs[-1])), impact.gain
    for leg, each in zip(legs[-2::-1], course.bounces[::-1], strict=True):
        speed = np.sqrt((speed / each.speed) ** 2 + 2 * material.deceleration * length(leg))
        gain = gain * each.speed
    lost = board.carromman_mass / board.striker_mass * carromman_speed
    shots, which = likely(
        Shots(
            carromman=candidates.ways.carromman,
            pocket=candidates.ways.pocket,
            place=candidates.place,
            direction=direction_of(legs[0]),
            speed=speed,
            cut_cosine=impact.cosine,
            ghost=ghost,
            onward=struck * heading_of(legs[-1]) - lost * heading_of(to_pocket),
            straight=np.minimum(mouth(arrival) / length(to_pocket), candidates.ways.room) / spread,
            far=far(arrival, speed, gain, options),
        ),
        allowed,
        options,
    )
    # Before its last leg the striker must not meet the carromman it is sent at either.
    obstacles = np.broadcast_to(pieces, (len(pieces), len(shots)))
    free = np.ones(len(shots), bool)
    for number, (start, end) in enumerate(pairwise(each[which] for each in stops), 1):
        if number == len(legs):
            obstacles = others(pieces, shots.carromman)
        free &= is_passable(board, start, end, obstacles, options.striker_gap)
    return taken(shots, free)


def _candidates(
    view: View, pieces: Complex, carrommen: Index, options: ShotOptions, frames: int
) -> Candidates:
    """Every open way to a pocket, from every place, by way of every frame or two of them."""
    ways = open_ways(view.board, pieces, carrommen)
    ghost = ways.start - touching(view.board) * heading_of(ways.aim - ways.start)
    reached = np.flatnonzero(within(view.board, ghost, options))
    sequences = np.array(list(permutations(FRAMES, frames)))
    tried = places(view, MIDDLE_PLACES if frames == 1 else _FEWER_PLACES)
    way, sequence, place = product(reached, np.arange(len(sequences)), tried)
    return Candidates(ways.take(way), place, tuple(sequences[sequence].T))


@dataclass(frozen=True, eq=False)
class _Course:
    """How the striker gets from its place to a point by way of frames.

    Attributes:
        bounces: at one frame after the other, (n,) each.
        settled: bool (n,), whether the points at the frames were found.
    """

    bounces: list[Bounce]
    settled: NDArray[np.bool_]


def _course(
    origin: Complex, ghost: Complex, frames: tuple[Complex, ...], limit: float, material: Material
) -> _Course:
    points = [bounce(origin, ghost, frame, limit, 0.0, material).point for frame in frames]
    bounces: list[Bounce] = []
    moved = np.zeros(len(ghost))
    for _ in range(_COURSE_ROUNDS if len(frames) > 1 else 1):
        bounces, start, spin = [], origin, np.zeros(len(ghost))
        before = points[0]
        for number, frame in enumerate(frames):
            end = [*points, ghost][number + 1]
            bounces.append(bounce(start, end, frame, limit, spin, material))
            points[number] = start = bounces[-1].point
            spin = bounces[-1].spin
        moved = np.abs(points[0] - before)
    return _Course(bounces, moved < _SETTLED)


def _by_way_of(
    board: Board, candidates: Candidates, ghost: Complex, options: ShotOptions
) -> tuple[_Course, Hit]:
    """How the striker gets to the ghost, and how it then has to hit the carromman."""
    limit = board.half_side - board.striker_radius
    origin = candidates.origin(board)
    course = _course(origin, ghost, candidates.frames, limit, options.material)
    last = course.bounces[-1]
    to_pocket = heading_of(candidates.ways.aim - candidates.ways.start)
    approach = heading_of(ghost - last.point)
    return course, hit(approach, to_pocket, last.spin, **striker_impact(board, options))


def _way(
    board: Board, candidates: Candidates, options: ShotOptions
) -> tuple[Candidates, _Course, Hit, Complex]:
    """How the striker touches the frames, how it hits the carromman, and where it then is.

    Returns:
        Those candidates that may do, and the rest for them.
    """
    ways = candidates.ways
    ghost = ways.start - touching(board) * heading_of(ways.aim - ways.start)
    course, impact = _by_way_of(board, candidates, ghost, options)
    able = impact.cosine > math.cos(options.greatest_cut) - _DOUBTFUL
    for frame, each in zip(candidates.frames, course.bounces, strict=True):
        able &= on_frame(board, each.point, frame)
    candidates, line = candidates.take(able), impact.line[able]
    for _ in range(_ROUNDS):
        ghost = candidates.ways.start - touching(board) * line
        course, impact = _by_way_of(board, candidates, ghost, options)
        line = impact.line
    return candidates, course, impact, candidates.ways.start - touching(board) * line
