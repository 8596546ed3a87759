"""The planar engine's laws one by one, on one or two discs, against closed forms."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.physics.calibration.check import PLANAR, Check
from carrom.physics.calibration.closed_forms import (
    arc_bounces,
    chord_speeds,
    end_of_runs,
    rebound,
    runs_of,
    stop,
    struck,
    uniform_leg_factor,
)
from carrom.physics.calibration.ground import RUNS_DEMANDED, SPINNING
from carrom.physics.calibration.pockets import (
    ALONG,
    BEFORE,
    CAPTURES,
    CHORD,
    FALL_TIMES,
    OUTWARDS,
    straight_in,
)
from carrom.physics.calibration.watch import Watched, watch
from carrom.physics.material import Material
from carrom.physics.simulation import fall_radii

_SLOTS = 10
STRIKER_SLOT = _SLOTS - 1


class Cases(NamedTuple):
    """M cases of a few discs in ten slots, the striker in the last: what ``watch`` takes."""

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    on_board: NDArray[np.bool_]
    spins: NDArray[np.float64]

    @classmethod
    def empty(cls, count: int) -> Cases:
        """Cases with no discs yet."""
        return cls(
            np.zeros((count, _SLOTS, 2)),
            np.zeros((count, _SLOTS, 2)),
            np.zeros((count, _SLOTS), bool),
            np.zeros((count, _SLOTS)),
        )

    @classmethod
    def alone(
        cls,
        slot: int,
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64],
        spins: NDArray[np.float64] | float = 0.0,
    ) -> Cases:
        """One disc each, in ``slot``."""
        cases = cls.empty(len(positions))
        cases.positions[:, slot], cases.velocities[:, slot] = positions, velocities
        cases.on_board[:, slot], cases.spins[:, slot] = True, spins
        return cases


class TwoDiscs(NamedTuple):
    """Impacts of a moving disc and a carromman at rest, random in every respect.

    Attributes:
        cases: a moment before them: the discs touch.
        materials: of each.
        mover: slot of the moving disc, (M,).
        expected_velocity: (M, 2, 2), of the mover and the carromman, m/s.
        expected_spin: (M, 2), rad/s.
        kept: (M,), energy kept.
    """

    cases: Cases
    materials: list[Material]
    mover: NDArray[np.intp]
    expected_velocity: NDArray[np.float64]
    expected_spin: NDArray[np.float64]
    kept: NDArray[np.float64]


def two_discs(board: Board, count: int, seed: int, fastest: float) -> TwoDiscs:
    """Draw impacts at the board's centre, of discs and materials in turn."""
    rng = np.random.default_rng(seed)
    cases, materials = Cases.empty(count), [Material.sample(rng) for _ in range(count)]
    mover = np.where(rng.random(count) < 0.5, STRIKER_SLOT, 3)
    velocity, spin, kept = np.zeros((count, 2, 2)), np.zeros((count, 2)), np.zeros(count)
    radii = board.radii[-_SLOTS:]
    masses = board.masses[-_SLOTS:]
    for k, slot in enumerate(mover.tolist()):
        angle, cut = rng.uniform(0, 2 * math.pi), rng.uniform(-1.3, 1.3)
        speed, turn = rng.uniform(0.1, fastest), rng.uniform(-60, 60)
        normal = np.array([math.cos(angle), math.sin(angle)])
        axes = np.stack([normal, [-normal[1], normal[0]]])
        material = materials[k]
        e = material.restitution_striker if slot == STRIKER_SLOT else material.restitution_carromman
        expected = struck(
            (float(masses[slot]), float(masses[0])), (float(radii[slot]), float(radii[0])),
            speed, cut, turn, e, material.friction_rim,
        )  # fmt: skip
        cases.positions[k, slot] = -(radii[slot] + radii[0]) * normal
        cases.velocities[k, slot] = speed * np.array([math.cos(cut), math.sin(cut)]) @ axes
        cases.spins[k, slot] = turn
        cases.on_board[k, [0, slot]] = True
        velocity[k] = np.stack([expected.mover, expected.other]) @ axes
        spin[k] = expected.mover_spin, expected.other_spin
        kept[k] = expected.kept
    return TwoDiscs(cases, materials, mover, velocity, spin, kept)


def impact_errors(board: Board, count: int) -> list[Check]:
    """Impacts of two discs and off the frame, and where two discs come to rest."""
    drawn = two_discs(board, count, 31, fastest=6.0)
    seen = watch(board, drawn.materials, *drawn.cases, impacts=1)
    each = np.arange(count)[:, None], np.stack([drawn.mover, np.zeros(count, np.intp)], 1)
    speed = np.hypot(*np.moveaxis(drawn.cases.velocities[each], -1, 0)).max(1)
    off = np.abs(seen.velocities[each] - drawn.expected_velocity).max((1, 2)) / speed
    radii = board.radii[-_SLOTS:][each[1]]
    turn = (np.abs(seen.spins[each] - drawn.expected_spin) * radii).max(1) / speed
    # Discs slower than the rest rule lose their spin at once.
    turned = np.hypot(*np.moveaxis(drawn.expected_velocity, -1, 0)).min(1) > 1e-3
    masses = board.masses[-_SLOTS:][each[1]]
    energy = _energies(masses, radii, seen.velocities[each], seen.spins[each])
    before = _energies(masses, radii, drawn.cases.velocities[each], drawn.cases.spins[each])
    unlike = np.abs(energy / before - drawn.kept)[turned]
    return [
        Check("velocities after an impact: error over speed", float(off.max()), 1e-9,
              cases=count, engine=PLANAR),
        Check("spins after an impact: error over speed", float(turn[turned].max()), 1e-9,
              cases=int(turned.sum()), engine=PLANAR),
        Check("energy kept in an impact: error", float(unlike.max()), 1e-9,
              cases=int(turned.sum()), engine=PLANAR),
        _rebound_error(board, count),
        *(
            Check(f"two discs, one impact, {dtype}: rest places, largest error",
                  _rest_error(board, count, dtype), limit, "m", cases=count, engine=PLANAR)
            for dtype, limit in (("float64", 1e-11), ("float32", 1e-6))
        ),
    ]  # fmt: skip


def _energies(
    masses: NDArray[np.float64],
    radii: NDArray[np.float64],
    velocities: NDArray[np.floating],
    spins: NDArray[np.floating],
) -> NDArray[np.float64]:
    return (masses * ((velocities**2).sum(-1) / 2 + (radii * spins) ** 2 / 4)).sum(1)


def _rest_error(board: Board, count: int, dtype: str) -> float:
    """Each disc slides from its impact to rest on one leg: S v^2 / (2 mu g)."""
    drawn = two_discs(board, count, 32, fastest=0.35)
    seen = watch(board, drawn.materials, *drawn.cases, dtype=dtype)
    each = np.arange(count)[:, None], np.stack([drawn.mover, np.zeros(count, np.intp)], 1)
    speed = np.hypot(*np.moveaxis(drawn.expected_velocity, -1, 0))
    rim = np.abs(drawn.expected_spin) * board.radii[-_SLOTS:][each[1]]
    slowing = np.array([material.deceleration for material in drawn.materials])[:, None]
    factor = uniform_leg_factor(rim / speed)
    way = drawn.expected_velocity * (speed * factor / (2 * slowing))[..., None]
    expected = drawn.cases.positions[each] + way
    # Apart from each other and from the frame all the way, and not slow enough for the rest rule.
    clear = (np.abs(expected).max((1, 2)) < 0.32) & (seen.outcomes.impacts == 1)
    clear &= speed.min(1) > 1e-3
    assert clear.sum() > count / 2
    return float(np.abs(seen.outcomes.positions[each] - expected).max((1, 2))[clear].max())


def _rebound_error(board: Board, count: int) -> Check:
    rng = np.random.default_rng(33)
    materials = [Material.sample(rng) for _ in range(count)]
    speed, incidence = rng.uniform(0.1, 6, count), rng.uniform(-1.3, 1.3, count)
    spin = rng.uniform(-60, 60, count)
    heading = np.stack([np.cos(incidence), np.sin(incidence)], 1)
    places = np.broadcast_to((board.half_side - board.carromman_radius, 0.0), heading.shape)
    seen = watch(
        board, materials, *Cases.alone(0, places, speed[:, None] * heading, spin), impacts=1
    )
    worst = 0.0
    for k, material in enumerate(materials):
        velocity, turn = rebound(
            board.carromman_radius, float(speed[k]), float(incidence[k]), float(spin[k]),
            material.restitution_frame, material.friction_frame,
        )  # fmt: skip
        off = np.abs(seen.velocities[k, 0] - velocity).max()
        turned = abs(float(seen.spins[k, 0]) - turn) * board.carromman_radius
        worst = max(worst, float(max(off, turned)) / float(speed[k]))
    return Check("rebound off the frame: error over speed", worst, 1e-9, cases=count, engine=PLANAR)


def arc_error(board: Board) -> Check:
    """Largest error of the direction in which a disc leaves a corner's arc."""
    material = dataclasses.replace(Material(), friction_frame=0.0, fall_time=0.1)
    cases = arc_bounces(board, material.restitution_frame)
    alone = Cases.alone(0, cases.places, cases.velocities)
    worst = cases.error(watch(board, [material], *alone, impacts=1).velocities[:, 0])
    return Check(
        "corner arc: error of direction", worst, 0.05, "deg", cases=len(cases.places), engine=PLANAR
    )


def stops(board: Board, speeds: NDArray[np.float64], rims: NDArray[np.float64]) -> Watched:
    """Carrommen that slide to rest from speeds and rim speeds, m/s."""
    places = np.broadcast_to((-0.3, 0.1), (len(speeds), 2))
    velocities = np.stack([speeds, np.zeros_like(speeds)], 1)
    return watch(
        board, [Material()], *Cases.alone(0, places, velocities, rims / board.carromman_radius)
    )


def sliding_errors(board: Board) -> list[Check]:
    """Where single discs stop, with and without spin, and after frames."""
    speeds, rims = np.array(SPINNING).T
    slowing = Material().deceleration
    seen = stops(board, speeds, rims)
    way = seen.outcomes.positions[:, 0, 0] + 0.3
    expected = [stop(speed, rim, slowing).distance for speed, rim in SPINNING]
    worst = float(np.abs(way / expected - 1).max())
    launch = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, Material().full_speed])
    ends = [end_of_runs(board, Material(), float(speed)) for speed in launch]
    seen = launched(board, launch)
    along = float(np.abs(seen.outcomes.positions[:-1, STRIKER_SLOT, 1] - ends[:-1]).max())
    frames, last = int(seen.outcomes.impacts[-1]), seen.outcomes.positions[-1, STRIKER_SLOT, 1]
    reach = board.half_side - board.striker_radius
    wall = reach if frames % 2 else -reach
    runs = frames + abs(wall - float(last)) / (2 * reach)
    expected_runs = runs_of(board, Material(), float(launch[-1])).runs
    return [
        Check("stop distance with spin: relative error", worst, 0.004, cases=len(SPINNING),
              engine=PLANAR),
        Check("stop distance up to 3 m/s, over frames: error", along * 1e3, 0.5, "mm",
              cases=len(launch) - 1, engine=PLANAR),
        Check("runs of a full-force striker", runs, RUNS_DEMANDED, at_least=True, engine=PLANAR),
        Check("runs: error against closed form", abs(runs - expected_runs), 1e-3, engine=PLANAR),
    ]  # fmt: skip


def launched(board: Board, speeds: NDArray[np.float64]) -> Watched:
    """Strikers sent straight ahead from the base line."""
    places = np.broadcast_to((0.0, board.base_line_y), (len(speeds), 2))
    velocities = np.stack([np.zeros_like(speeds), speeds], 1)
    return watch(board, [Material()], *Cases.alone(STRIKER_SLOT, places, velocities))


def capture_errors(board: Board) -> list[Check]:
    """Where discs fall at rest, how long they must be inside, and a central one at 1 m/s."""
    static = [
        (material, slot, float(fall_radii(board, material)[index]))
        for material in CAPTURES
        for slot, index in ((0, 0), (STRIKER_SLOT, 19))
    ]
    wrong = 0
    for beyond, falls in ((-0.02e-3, True), (0.02e-3, False), (1e-3, False)):
        cases = Cases.empty(len(static))
        for k, (_, slot, circle) in enumerate(static):
            cases.positions[k, slot] = board.pocket_centres[1] - (circle + beyond) * OUTWARDS
            cases.on_board[k, slot] = True
        seen = watch(board, [material for material, _, _ in static], *cases)
        fell = np.isfinite(seen.outcomes.fall_times).any(1)
        wrong += int((fell != falls).sum())
    shortest, late = _transit_errors(board)
    centre, velocity = straight_in(board, np.zeros(1), 1.0)
    many = np.repeat(centre, len(CAPTURES), 0), np.repeat(velocity, len(CAPTURES), 0)
    central = watch(board, CAPTURES, *Cases.alone(0, *many))
    share = float(np.isfinite(central.outcomes.fall_times[:, 0]).mean())
    return [
        Check("discs at rest 0.02 mm inside and outside, 1 mm outside: wrong", wrong, 0,
              cases=3 * len(static), engine=PLANAR),
        Check("shortest transit in which a disc falls: error", shortest * 1e6, 4.0, "us",
              cases=len(FALL_TIMES), engine=PLANAR),
        Check("time of a fall: error", late * 1e6, 4.0, "us", cases=len(FALL_TIMES),
              engine=PLANAR),
        Check("central carrommen at 1 m/s that fall: share", share, 1.0, at_least=True,
              cases=len(CAPTURES), engine=PLANAR),
    ]  # fmt: skip


def _transit_errors(board: Board) -> tuple[float, float]:
    """Of the shortest transit that falls, and of the time of the fall, s."""
    short, long = (np.array(FALL_TIMES) * share for share in (0.5, 1.5))
    materials = [Material(fall_time=fall_time) for fall_time in FALL_TIMES]
    half = math.sqrt(float(fall_radii(board, Material())[0]) ** 2 - CHORD**2)
    place = board.pocket_centres[1] - CHORD * OUTWARDS - (half + BEFORE) * ALONG
    late = 0.0
    for _ in range(18):
        middle = (short + long) / 2
        speeds = [chord_speeds(half, t, BEFORE, Material().deceleration) for t in middle.tolist()]
        start, enters = np.array(speeds).T
        places = np.broadcast_to(place, (len(middle), 2))
        seen = watch(board, materials, *Cases.alone(0, places, start[:, None] * ALONG))
        times = seen.outcomes.fall_times[:, 0]
        # Those that cross it may come back off the frame and fall later.
        falls = times < enters + middle + 1e-4
        expected = enters + np.array(FALL_TIMES)
        late = max(late, float(np.abs(times - expected)[falls].max(initial=0.0)))
        short, long = np.where(falls, short, middle), np.where(falls, middle, long)
    return float(np.abs(long - FALL_TIMES).max()), late
