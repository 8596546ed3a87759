"""What kind of shot pocketed a carromman, as a stroke's film shows it.

A motion tells what fell and what the striker touched first, but neither which discs met nor
who touched a frame. Both are read off the film: between two meetings a disc slides straight
and slows evenly, so wherever its velocity jumps it met something.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.motion import Motion, Trajectory
from carrom.physics.strike import Strike
from carrom.pieces import STRIKER

FILM_RATE = 500.0
"""Frames per second that the films need. Within a frame a carromman moves by a centimetre at
most, so what it meets is not in doubt."""
FRAME = 20
"""Stands for the frames where discs are numbered."""

_JUMP = 0.02
"""m/s by which a velocity must change from frame to frame: friction takes less than 0.003."""
_REACH = 0.5e-3
"""m that two discs may be apart beyond what they move within two frames, and yet have met."""
_THIN = np.radians(15)
"""Angle between the striker's way and the carromman's from which on a shot is a cut."""


class ShotKind(StrEnum):
    """Kinds of shots."""

    DIRECT = "direct"
    """The striker comes straight and sends the carromman on within 15 degrees of its own way."""
    CUT = "cut"
    """The same, at a greater angle."""
    BACK = "back"
    """Direct or cut, struck backwards."""
    BANK = "bank"
    """Hit by the striker, which comes straight, the carromman falls by way of a frame."""
    REBOUND = "rebound"
    """The striker touches a frame before it sends the carromman straight into the pocket."""
    COMBINATION = "combination"
    """Another carromman sends it straight into the pocket."""
    OTHER = "other"
    """Everything else: more than one of these, cannons, kisses."""


@dataclass(frozen=True)
class Fall:
    """A carromman that fell.

    Attributes:
        carromman: its index, board order.
        pocket: index into ``Board.pocket_centres``.
        kind: how it was pocketed.
        distance: from where it lay to the pocket's centre, m.
    """

    carromman: int
    pocket: int
    kind: ShotKind
    distance: float


@dataclass(frozen=True)
class Meeting:
    """Two discs touched, or a disc and a frame.

    Attributes:
        frame: number of the film's frame about which it was.
        disc: the one.
        other: the other, or ``FRAME``.
    """

    frame: int
    disc: int
    other: int


def falls(board: Board, before: Layout, strike: Strike, motion: Motion) -> tuple[Fall, ...]:
    """The carrommen that fell, in order, and how.

    Args:
        board: the board.
        before: where the carrommen lay.
        strike: the stroke.
        motion: of it, with a film of ``FILM_RATE`` frames per second.
    """
    film = motion.trajectory
    assert film is not None, "the environment's film_rate is FILM_RATE"
    fallen = [each for each in motion.pocketed if each.index != STRIKER]
    if not fallen:
        return ()
    met = meetings(board, film)
    found = []
    for each in fallen:
        centre = board.pocket_centres[each.pocket]
        kind = _kind(board, film, met, each.index, centre, strike)
        distance = float(np.hypot(*(before.positions[each.index] - centre)))
        found.append(Fall(each.index, each.pocket, kind, distance))
    return tuple(found)


def meetings(board: Board, film: Trajectory) -> tuple[Meeting, ...]:
    """What met what, in order of time; a meeting that lasts some frames is there once."""
    # The last frame is that of rest, at a time of its own.
    times, positions, in_play = film.times[:-1], film.positions[:-1], film.in_play[:-1]
    if len(times) < 3:
        return ()
    velocity = np.diff(positions, axis=0) / np.diff(times)[:, None, None]
    change = np.diff(velocity, axis=0)
    present = in_play[:-2] & in_play[1:-1] & in_play[2:]
    jumped = (np.hypot(*np.moveaxis(change, -1, 0)) > _JUMP) & present
    found: list[Meeting] = []
    last: dict[tuple[int, int], int] = {}
    for k in np.flatnonzero(jumped.any(axis=1)).tolist():
        near = slice(max(k - 1, 0), k + 2)
        partners = jumped[near].any(axis=0)
        for disc in np.flatnonzero(jumped[k]).tolist():
            others = [
                *_discs_met(board, positions[k : k + 3], disc, partners),
                *_frames_met(board, positions[k : k + 3], velocity[k], change[k], disc),
            ]
            for other in others:
                pair = (min(disc, other), max(disc, other))
                if k - last.get(pair, -9) > 2:
                    found.append(Meeting(k + 1, *pair))
                last[pair] = k
    return tuple(found)


def _discs_met(
    board: Board,
    positions: NDArray[np.float64],
    disc: int,
    partners: NDArray[np.bool_],
) -> list[int]:
    """Discs that ``disc`` met within three frames, of those that changed their way as well."""
    apart = np.hypot(*np.moveaxis(positions - positions[:, disc, None], -1, 0)).min(axis=0)
    moved = np.linalg.norm(np.diff(positions, axis=0), axis=-1).max(axis=0)
    gap = apart - board.radii - board.radii[disc]
    met = partners & (gap < moved + moved[disc] + _REACH)
    met[disc] = False
    return np.flatnonzero(met).tolist()


def _frames_met(
    board: Board,
    positions: NDArray[np.float64],
    velocity: NDArray[np.float64],
    change: NDArray[np.float64],
    disc: int,
) -> list[int]:
    """``FRAME`` if ``disc`` was sent back by a frame within three frames."""
    place, way = positions[:, disc], velocity[disc]
    step = np.abs(np.diff(place, axis=0)).max(axis=0)
    limit = board.half_side - board.radii[disc] - step - _REACH
    side = np.sign(place[1])
    at_frame = np.abs(place).max(axis=0) > limit
    sent_back = (change[disc] * side < -_JUMP) & (way * side > -_JUMP)
    return [FRAME] if np.any(at_frame & sent_back) else []


def _kind(
    board: Board,
    film: Trajectory,
    met: tuple[Meeting, ...],
    carromman: int,
    pocket: NDArray[np.float64],
    strike: Strike,
) -> ShotKind:
    """How ``carromman`` got into the pocket with this centre."""
    mine = [each for each in met if carromman in (each.disc, each.other)]
    partners = [each.disc + each.other - carromman for each in mine]
    if not partners:
        return ShotKind.OTHER
    first = mine[0].frame
    earlier = [each for each in met if STRIKER in (each.disc, each.other) and each.frame < first]
    before = {each.disc + each.other - STRIKER for each in earlier}
    # At the jaws of its pocket a carromman may brush the frame, whatever brings it there.
    banked = any(
        other == FRAME
        and np.hypot(*(film.positions[each.frame, carromman] - pocket)) > board.pocket_diameter
        for each, other in zip(mine, partners, strict=True)
    )
    discs = [other for other in partners if other != FRAME]
    if discs and STRIKER not in discs and not banked:
        return ShotKind.COMBINATION
    if set(discs) != {STRIKER} or before - {FRAME} or (banked and before):
        return ShotKind.OTHER
    if banked:
        return ShotKind.BANK
    if before:
        return ShotKind.REBOUND
    if abs(strike.direction) > np.pi / 2:
        return ShotKind.BACK
    return ShotKind.CUT if _angle(film, first, carromman) > _THIN else ShotKind.DIRECT


def _angle(film: Trajectory, frame: int, carromman: int) -> float:
    """Angle between the striker's way and the carromman's after they met, rad."""
    start = film.positions[0]
    way = film.positions[max(frame - 1, 1), STRIKER] - start[STRIKER]
    last = min(frame + 2, len(film.times) - 1)
    sent = film.positions[last, carromman] - start[carromman]
    cosine = way @ sent / max(float(np.hypot(*way) * np.hypot(*sent)), 1e-12)
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))
