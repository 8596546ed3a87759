"""Rebounds: the striker touches a frame, and then sends a carromman straight into a pocket.

They reach what lies behind the base lines, and what others hide.
"""

from __future__ import annotations

import numpy as np

from carrom.board import Board
from carrom.view import View
from carrom_agents.chains import (
    FRAMES,
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

_ROUNDS = 3
"""The throw turns the ghost, which moves the point at the frame and so the throw."""


def rebound_shots(view: View, carrommen: Index, options: ShotOptions) -> Shots:
    """Shots by way of a frame at some carrommen.

    Args:
        view: the position.
        carrommen: (k,), indices of carrommen on the board.
        options: what counts as a shot.

    Returns:
        Shots whose ways are free; none when there are none.
    """
    board, material = view.board, options.material
    pieces = standing(view.positions, view.on_board)[:, None]
    candidates = _candidates(view, pieces, carrommen, options)
    rebound, impact, ghost = _way(board, candidates, options)
    origin = candidates.origin(board)
    run, final = rebound.point - origin, ghost - rebound.point
    distance = length(candidates.ways.aim - candidates.ways.start)
    allowed = is_thick(impact.cosine, options) & within(board, ghost, options)
    allowed &= on_frame(board, rebound.point, candidates.frame)
    across = across_at(options, run, length(final), rebound.turning, rebound.shift)
    arrival = np.array(options.arrivals)[:, None]
    carromman_speed = np.sqrt(arrival**2 + 2 * material.deceleration * distance)
    struck = carromman_speed / impact.gain
    before = np.sqrt(struck**2 + 2 * material.deceleration * length(final)) / rebound.speed
    speed = np.sqrt(before**2 + 2 * material.deceleration * length(run))
    lost = board.carromman_mass / board.striker_mass * carromman_speed
    spread = hand_spread(across, board, impact.cosine)
    shots, which = likely(
        Shots(
            carromman=candidates.ways.carromman,
            pocket=candidates.ways.pocket,
            place=candidates.place,
            direction=direction_of(run),
            speed=speed,
            cut_cosine=impact.cosine,
            ghost=ghost,
            onward=struck * heading_of(final)
            - lost * heading_of(candidates.ways.aim - candidates.ways.start),
            straight=np.minimum(mouth(arrival) / distance, candidates.ways.room) / spread,
            far=far(arrival, speed, impact.gain * rebound.speed, options),
        ),
        allowed,
        options,
    )
    origin, turn = origin[which], rebound.point[which]
    everything = np.broadcast_to(pieces, (len(pieces), len(turn)))
    beside = others(pieces, shots.carromman)
    free = is_passable(board, origin, turn, everything, options.striker_gap)
    free &= is_passable(board, turn, shots.ghost, beside, options.striker_gap)
    return taken(shots, free)


def _candidates(view: View, pieces: Complex, carrommen: Index, options: ShotOptions) -> Candidates:
    """Every open way to a pocket, from every place, by way of every frame."""
    ways = open_ways(view.board, pieces, carrommen)
    ghost = ways.start - touching(view.board) * heading_of(ways.aim - ways.start)
    reached = np.flatnonzero(within(view.board, ghost, options))
    way, frame, place = product(reached, FRAMES, places(view))
    return Candidates(ways.take(way), frame, place)


def _way(board: Board, candidates: Candidates, options: ShotOptions) -> tuple[Bounce, Hit, Complex]:
    """How the striker touches the frame, how it hits the carromman, and where it then is."""
    limit = board.half_side - board.striker_radius
    origin, start = candidates.origin(board), candidates.ways.start
    to_pocket = heading_of(candidates.ways.aim - start)

    def by_way_of(ghost: Complex) -> tuple[Bounce, Hit, Complex]:
        rebound = bounce(origin, ghost, candidates.frame, limit, 0.0, options.material)
        approach = heading_of(ghost - rebound.point)
        impact = hit(approach, to_pocket, rebound.spin, **striker_impact(board, options))
        return rebound, impact, start - touching(board) * impact.line

    found = by_way_of(start - touching(board) * to_pocket)
    for _ in range(_ROUNDS - 1):
        found = by_way_of(found[-1])
    return found
