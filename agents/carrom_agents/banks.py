"""Banks: the striker sends a carromman against a frame, and from there into a pocket."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.material import Material
from carrom.view import View
from carrom_agents.chains import (
    FRAMES,
    Candidates,
    across_at,
    aim_from,
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
from carrom_agents.shots import ShotOptions, Shots, Ways
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
"""The spin from the striker moves the point at the frame, which turns the cut and so the spin."""
_MOMENTS = np.linspace(0.02, 1.0, 30)[:, None]
"""Of the way back from the frame, at which the striker may be in it."""
_APART = 4e-3
"""m that are kept between the two: neither way is known exactly."""


def bank_shots(view: View, carrommen: Index, options: ShotOptions) -> Shots:
    """Shots in which the carromman touches a frame on its way to the pocket.

    Args:
        view: the position.
        carrommen: (k,), indices of carrommen on the board.
        options: what counts as a shot.

    Returns:
        Shots whose ways are free; none when there are none.
    """
    board, material = view.board, options.material
    pieces = standing(view.positions, view.on_board)[:, None]
    candidates, room_in = _candidates(view, pieces, carrommen, options)
    back, impact, ghost = _way(board, candidates, options)
    run, way_in, way_out = (
        ghost - candidates.origin(board),
        back.point - candidates.ways.start,
        candidates.ways.aim - back.point,
    )
    slide, first, second = length(run), length(way_in), length(way_out)
    allowed = is_thick(impact.cosine, options) & within(board, ghost, options)
    allowed &= on_frame(board, back.point, candidates.frames[0])
    spread = hand_spread(across_at(options, [run], []), board, impact.cosine)
    beside = spread * (first * back.shift + second * back.turning)
    arrival = np.array(options.arrivals)[:, None]
    off = np.sqrt(arrival**2 + 2 * material.deceleration * second)
    carromman_speed = np.sqrt((off / back.speed) ** 2 + 2 * material.deceleration * first)
    struck = carromman_speed / impact.gain
    speed = np.sqrt(struck**2 + 2 * material.deceleration * slide)
    lost = board.carromman_mass / board.striker_mass * carromman_speed
    onward = struck * heading_of(run) - lost * heading_of(way_in)
    straight = np.minimum(mouth(arrival), candidates.ways.room) / beside
    shots, which = likely(
        Shots(
            carromman=candidates.ways.carromman,
            pocket=candidates.ways.pocket,
            place=candidates.place,
            direction=direction_of(run),
            speed=speed,
            cut_cosine=impact.cosine,
            ghost=ghost,
            onward=onward,
            straight=np.minimum(straight, room_in / np.maximum(spread * first, TINY)),
            far=far(arrival, speed, impact.gain * back.speed, options),
        ),
        allowed,
        options,
    )
    origin, obstacles = candidates.origin(board)[which], others(pieces, shots.carromman)
    free = is_passable(board, origin, shots.ghost, obstacles, options.striker_gap)
    ways = candidates.ways.start[which], back.point[which], candidates.ways.aim[which]
    struck = np.sqrt(shots.speed**2 - 2 * material.deceleration * slide[which])
    after = struck * impact.gain[which]
    free &= ~_meets_striker(board, material, shots, ways, after, back.speed[which])
    return taken(shots, free)


def _candidates(
    view: View, pieces: Complex, carrommen: Index, options: ShotOptions
) -> tuple[Candidates, Float]:
    """Every free way by way of a frame, from every place.

    Returns:
        The candidates, with the room in metres beside the second leg, and that beside the first.
    """
    board = view.board
    carromman, pocket, frame = product(carrommen, np.arange(4), FRAMES)
    start = pieces[carromman, 0]
    limit = board.half_side - board.carromman_radius

    def touched(aim: Complex) -> Complex:
        return bounce(start, aim, frame, limit, 0.0, options.material).point

    aim = aim_from(board, touched(aim_from(board, start, pocket)), pocket)
    point = touched(aim)
    obstacles = others(pieces, carromman)
    room_in = clearance(start, point, obstacles) - board.carromman_diameter
    room_out = clearance(point, aim, obstacles) - board.carromman_diameter
    ghost = start - touching(board) * heading_of(point - start)
    kept = (room_in > 0) & (room_out > 0) & within(board, ghost, options)
    kept &= on_frame(board, point, frame)
    way, place = product(np.flatnonzero(kept), places(view))
    # The contact must be on the near side, seen from the striker.
    run = ghost[way] - (place + 1j * board.base_line_y)
    near = ((point - start)[way].conjugate() * run).real > 0
    way, place = way[near], place[near]
    ways = Ways(carromman, pocket, start, aim, room_out).take(way)
    return Candidates(ways, place, (frame[way],)), room_in[way]


def _way(board: Board, candidates: Candidates, options: ShotOptions) -> tuple[Bounce, Hit, Complex]:
    """How the carromman touches the frame, how it is hit, and where the striker then is."""
    limit = board.half_side - board.carromman_radius
    origin, start, aim = candidates.origin(board), candidates.ways.start, candidates.ways.aim

    def by_way_of(back: Bounce, ghost: Complex) -> tuple[Bounce, Hit, Complex]:
        way_in = heading_of(back.point - start)
        impact = hit(heading_of(ghost - origin), way_in, 0.0, **striker_impact(board, options))
        back = bounce(start, aim, candidates.frames[0], limit, impact.spin, options.material)
        return back, impact, start - touching(board) * impact.line

    back = bounce(start, aim, candidates.frames[0], limit, 0.0, options.material)
    found = by_way_of(back, start - touching(board) * heading_of(back.point - start))
    for _ in range(_ROUNDS - 1):
        found = by_way_of(found[0], found[-1])
    return found


def _meets_striker(
    board: Board,
    material: Material,
    shots: Shots,
    ways: tuple[Complex, Complex, Complex],
    after: Float,
    kept: Float,
) -> NDArray[np.bool_]:
    """Whether the carromman runs into the striker on its way back from the frame, (n,).

    Args:
        board: the board.
        material: friction and restitution.
        shots: (n,).
        ways: the carromman's start, its point at the frame, and its aim, (n,) each.
        after: the carromman's speed after the impact, m/s.
        kept: its speed off the frame over that before.
    """
    deceleration = material.deceleration
    start, point, aim = ways
    at_frame = np.sqrt(np.maximum(after**2 - 2 * deceleration * length(point - start), 0.0))
    off = at_frame * kept
    left = np.sqrt(np.maximum(off**2 - 2 * deceleration * length(aim - point), 0.0))
    time = _MOMENTS * (off - left) / deceleration
    carromman = point + heading_of(aim - point) * (off * time - deceleration * time**2 / 2)
    speed = length(shots.onward)
    sliding = np.minimum((after - at_frame) / deceleration + time, speed / deceleration)
    covered = speed * sliding - deceleration * sliding**2 / 2
    striker = _folded(board, material, shots.ghost + heading_of(shots.onward) * covered)
    return np.any(length(carromman - striker) < touching(board) + _APART, axis=0)


def _folded(board: Board, material: Material, centre: Complex) -> Complex:
    """Where a striker is, by way of a frame, that would be at ``centre`` without one."""
    limit = board.half_side - board.striker_radius
    x, y = (
        np.where(
            np.abs(part) <= limit,
            part,
            np.sign(part) * (limit - material.restitution_frame * (np.abs(part) - limit)),
        )
        for part in (centre.real, centre.imag)
    )
    return x + 1j * y
