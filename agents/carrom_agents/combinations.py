"""Combinations: the striker sends a carromman onto another, which goes into a pocket.

The first may be anybody's. If the two touch already (a plant) the second leaves along the line
of their centres, turned by friction at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.board import Board
from carrom.pieces import QUEEN
from carrom.view import View
from carrom_agents.chains import (
    across_at,
    direction_of,
    far,
    hand_spread,
    is_passable,
    is_thick,
    likely,
    places,
    product,
    striker_impact,
    taken,
    within,
)
from carrom_agents.impacts import Hit, hit
from carrom_agents.shots import ShotOptions, Shots, Ways, open_ways
from carrom_agents.ways import (
    TINY,
    Complex,
    Float,
    Index,
    clearance,
    heading_of,
    length,
    mouth,
    others,
    standing,
    touching,
)

_ROUNDS = 3
"""The spin that the first carromman gets turns the second's way, and so the first's."""
_THINNEST = math.radians(60)
"""Of contacts between two carrommen."""
_FROZEN = 1.2e-3
"""m between two carrommen that count as touching."""
_SLANTS = np.radians([-45.0, -30.0, -15.0, 0.0, 15.0, 30.0, 45.0])
"""Angles at which the first of two that touch is sent past their line of centres."""
_WIDEST = 0.3
"""rad between the line of centres of two that touch and the way to the pocket."""
_THROWN = 0.2
"""rad by which the second of two that touch turns for each that the first one does."""
_BLURRED = 0.01
"""rad: how well the way of the second of two that touch is known."""


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Two carrommen, a pocket and a striker place, n of them.

    Attributes:
        first: (n,), index of the carromman that the striker meets.
        ways: of the one that is to fall.
        place: (n,), the striker's, m.
        slant: (n,), of two that touch the angle, rad, at which the first is sent past their
            line of centres; not a number for two that do not.
    """

    first: Index
    ways: Ways
    place: Float
    slant: Float

    def take(self, index: Any) -> _Pairs:
        """Some of them."""
        return _Pairs(
            self.first[index], self.ways.take(index), self.place[index], self.slant[index]
        )


def combination_shots(view: View, carrommen: Index, options: ShotOptions) -> tuple[Shots, Index]:
    """Shots in which the striker meets another carromman than the one that is to fall.

    Args:
        view: the position.
        carrommen: (k,), indices of carrommen on the board that are to fall.
        options: what counts as a shot.

    Returns:
        Shots whose ways are free, none when there are none; and the indices of the carrommen
        that the striker meets.
    """
    board, material = view.board, options.material
    pieces = standing(view.positions, view.on_board)[:, None]
    pairs = _pairs(view, pieces, carrommen, options)
    origin = pairs.place + 1j * board.base_line_y
    played = _played(board, pairs, pieces[pairs.first, 0], origin, options)
    way, push, impact, ghost = played.way, played.push, played.impact, played.ghost
    to_pocket = pairs.ways.aim - pairs.ways.start
    run, between, distance = ghost - origin, played.between, length(to_pocket)
    turned = np.abs(np.angle(to_pocket * push.conjugate()))
    spread = hand_spread(across_at(options, [run], []), board, impact.cosine)
    leaves = np.maximum(np.cos(np.angle(way * push.conjugate())), TINY)
    magnified = between / (board.carromman_diameter * leaves)
    touch = ~np.isnan(pairs.slant)
    spread_out = np.where(touch, _THROWN * spread + _BLURRED, spread * magnified + TINY)
    arrival = np.array(options.arrivals)[:, None]
    gain = (1 + material.restitution_carromman) / 2 * leaves
    second_speed = np.sqrt(arrival**2 + 2 * material.deceleration * distance)
    first_speed = np.sqrt((second_speed / gain) ** 2 + 2 * material.deceleration * between)
    struck = first_speed / impact.gain
    speed = np.sqrt(struck**2 + 2 * material.deceleration * length(run))
    lost = board.carromman_mass / board.striker_mass * first_speed
    forgiven = np.maximum(np.minimum(mouth(arrival) / distance, pairs.ways.room) - turned, 0.0)
    allowed = is_thick(impact.cosine, options) & within(board, ghost, options)
    allowed &= leaves >= math.cos(_THINNEST)
    shots, which = likely(
        Shots(
            carromman=pairs.ways.carromman,
            pocket=pairs.ways.pocket,
            place=pairs.place,
            direction=direction_of(run),
            speed=speed,
            cut_cosine=impact.cosine,
            ghost=ghost,
            onward=struck * heading_of(run) - lost * way,
            straight=forgiven / spread_out,
            far=far(arrival, speed, impact.gain * gain, options),
        ),
        allowed,
        options,
    )
    met, start = pairs.first[which], origin[which]
    free = is_passable(board, start, shots.ghost, others(pieces, met), options.striker_gap)
    return taken(shots, free), met[free]


def _pairs(view: View, pieces: Complex, carrommen: Index, options: ShotOptions) -> _Pairs:
    """Every two of which one can send the other into a pocket, from every place."""
    board = view.board
    ways = open_ways(board, pieces, carrommen)
    # The queen would be displaced, or fall, for nothing.
    way, first = product(np.arange(len(ways.carromman)), np.flatnonzero(view.on_board[:QUEEN]))
    differ = first != ways.carromman[way]
    ways, first = ways.take(way[differ]), first[differ]
    start = pieces[first, 0]
    to_pocket, line = heading_of(ways.aim - ways.start), ways.start - start
    touch = length(line) < board.carromman_diameter + _FROZEN
    frozen = touch & ((to_pocket.conjugate() * heading_of(line)).real > math.cos(_WIDEST))
    run = ways.start - board.carromman_diameter * to_pocket - start
    apart = (to_pocket.conjugate() * heading_of(run)).real > math.cos(_THINNEST)
    apart = np.flatnonzero(apart & ~touch)
    beside = others(others(pieces, ways.carromman[apart]), first[apart])
    clear = clearance(start[apart], (start + run)[apart], beside) >= board.carromman_diameter
    apart = apart[clear]
    touching_ones, slant = product(np.flatnonzero(frozen), _SLANTS)
    pair = np.r_[apart, touching_ones]
    slant = np.r_[np.full(len(apart), np.nan), slant]
    which, place = product(np.arange(len(pair)), places(view))
    pair, slant = pair[which], slant[which]
    # The striker's contact must be thick enough, rim friction apart.
    towards = heading_of(np.where(np.isnan(slant), run[pair], line[pair] * np.exp(1j * slant)))
    ghost = start[pair] - touching(board) * towards
    seen = heading_of(ghost - (place + 1j * board.base_line_y))
    thick = is_thick((towards.conjugate() * seen).real, options)
    return _Pairs(first[pair], ways.take(pair), place, slant).take(thick)


@dataclass(frozen=True, eq=False)
class _Played:
    """How the two of a pair have to be hit, arrays (n,).

    Attributes:
        way: the first one's heading.
        impact: how the striker hits it.
        push: the second one's heading.
        ghost: the striker's centre at its impact.
        between: length of the first one's way, m.
    """

    way: Complex
    impact: Hit
    push: Complex
    ghost: Complex
    between: Float


def _played(
    board: Board, pairs: _Pairs, first: Complex, origin: Complex, options: ShotOptions
) -> _Played:
    material, second = options.material, pairs.ways.start
    touch, slant = ~np.isnan(pairs.slant), np.nan_to_num(pairs.slant)
    slanted = heading_of(second - first) * np.exp(1j * slant)
    push = heading_of(pairs.ways.aim - second)

    def by_way_of(line: Complex, ghost: Complex) -> tuple[Hit, Complex, Complex]:
        meeting = second - board.carromman_diameter * line
        way = np.where(touch, slanted, heading_of(meeting - first))
        impact = hit(heading_of(ghost - origin), way, 0.0, **striker_impact(board, options))
        passed = hit(
            way,
            push,
            impact.spin,
            restitution=material.restitution_carromman,
            friction=material.friction_rim,
            mass_ratio=1.0,
        )
        return impact, passed.line, first - touching(board) * impact.line

    impact, line, ghost = by_way_of(push, first)
    for _ in range(_ROUNDS):
        impact, line, ghost = by_way_of(line, ghost)
    meeting = second - board.carromman_diameter * line
    # Of two that touch, the second leaves along their line, thrown to where the first is sent.
    slip = np.tan(slant) / (3 * (1 + material.restitution_carromman))
    throw = np.clip(slip, -material.friction_rim, material.friction_rim)
    return _Played(
        way=np.where(touch, slanted, heading_of(meeting - first)),
        impact=impact,
        push=np.where(touch, heading_of((second - first) * (1 + 1j * throw)), push),
        ghost=ghost,
        between=np.where(touch, 0.0, length(meeting - first)),
    )
