"""What films show, against what the engine recorded, and against positions with one way only."""

import dataclasses
import math

import numpy as np
import pytest

from carrom.board import Board
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.opponents import random_player
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, STRIKER
from carrom.view import View
from carrom_agents.practice import lay_out, practice_env, stroke_from
from carrom_agents.shot_kinds import FILM_RATE, FRAME, ShotKind, falls, meetings
from carrom_agents.shot_rates import BREAK, NO_SHOT, CalledShot, called, rates

BOARD = Board()
TOUCHING = BOARD.striker_radius + BOARD.carromman_radius
RIGHT_FAR = complex(*BOARD.pocket_centres[1])
LEFT_FAR = complex(*BOARD.pocket_centres[2])
RIGHT_NEAR = complex(*BOARD.pocket_centres[0])


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine(BOARD)


def _layout(*carrommen: complex) -> Layout:
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
    for index, each in enumerate(carrommen):
        positions[index], on_board[index] = (each.real, each.imag), True
    return Layout(positions, on_board)


def _at(place: float, target: complex, speed: float) -> Strike:
    way = target - complex(place, BOARD.base_line_y)
    return Strike(place, math.atan2(-way.real, way.imag), speed)


def _ghost(carromman: complex, aim: complex, apart: float = TOUCHING) -> complex:
    return carromman - apart * (aim - carromman) / abs(aim - carromman)


def _unit(way: complex) -> complex:
    return way / abs(way)


@pytest.mark.parametrize("seed", range(12))
def test_the_film_shows_the_touches_that_the_engine_recorded(
    seed: int, engine: MujocoEngine
) -> None:
    rng = np.random.default_rng(seed)
    layout = random_layout(BOARD, rng, white=5, black=4, queen=True)
    strike = random_player(View(BOARD, layout.positions, layout.on_board), rng)
    motion = engine.play(layout, strike, 0, trajectory_rate=FILM_RATE)
    assert motion.trajectory is not None
    met = meetings(BOARD, motion.trajectory)
    seen = np.zeros(N_CARROMMEN, bool)
    for each in met:
        pair = [each.disc, each.other]
        if FRAME not in pair:
            seen[[disc for disc in pair if disc != STRIKER]] = True
    # A touch too gentle to change a velocity by 2 cm/s is none to the film.
    assert not np.any(seen & ~motion.touched)
    moved = np.hypot(*(motion.layout.positions - layout.positions).T) > 0.02
    assert not np.any(moved & motion.layout.on_board & ~seen)
    touched = [
        (each.frame, each.disc)
        for each in met
        if each.other == STRIKER  # a frame has the greater number
    ]
    # Of what it touches within two frames, a film does not tell what was first.
    first = {disc for frame, disc in touched if frame <= touched[0][0] + 2}
    assert motion.first_touch in first if first else motion.first_touch is None


def _sole_fall(engine: MujocoEngine, layout: Layout, strike: Strike) -> ShotKind:
    motion = engine.play(layout, strike, 0, trajectory_rate=FILM_RATE)
    fallen = falls(BOARD, layout, strike, motion)
    assert [each.carromman for each in fallen] == [each.index for each in motion.pocketed]
    assert len(fallen) == 1, motion.pocketed
    pocket = BOARD.pocket_centres[fallen[0].pocket]
    lay = layout.positions[fallen[0].carromman]
    assert fallen[0].distance == pytest.approx(math.dist(lay, pocket))
    return fallen[0].kind


def _first_made(engine: MujocoEngine, layout: Layout, strikes: list[Strike]) -> ShotKind | None:
    """How the carromman falls at the first of the strikes at which it does and nothing else."""
    for strike in strikes:
        motion = engine.play(layout, strike, 0, trajectory_rate=FILM_RATE)
        if [each.index for each in motion.pocketed] == [0]:
            return falls(BOARD, layout, strike, motion)[0].kind
    return None


def test_a_carromman_on_the_strikers_line_is_a_direct_shot(engine: MujocoEngine) -> None:
    carromman = RIGHT_FAR - 0.3 * _unit(RIGHT_FAR - complex(0, BOARD.base_line_y))
    assert _sole_fall(engine, _layout(carromman), _at(0.0, carromman, 1.1)) is ShotKind.DIRECT


def test_a_carromman_beside_the_strikers_line_is_cut(engine: MujocoEngine) -> None:
    carromman = 0.05 + 0.1j
    strikes = [
        _at(0.0, _ghost(carromman, RIGHT_FAR + offset), 2.0)
        for offset in np.linspace(-0.1j, 0.1j, 41)
    ]
    assert _first_made(engine, _layout(carromman), strikes) is ShotKind.CUT


def test_a_carromman_behind_the_line_is_a_back_shot(engine: MujocoEngine) -> None:
    carromman = 0.2 - 0.31j
    strike = _at(0.05, _ghost(carromman, RIGHT_NEAR), 1.5)
    assert abs(strike.direction) > math.pi / 2
    assert _sole_fall(engine, _layout(carromman), strike) is ShotKind.BACK


def test_one_carromman_that_sends_another_is_a_combination(engine: MujocoEngine) -> None:
    way = _unit(RIGHT_FAR - complex(0, BOARD.base_line_y))
    last = RIGHT_FAR - 0.08 * way
    first = last - 0.12 * way
    layout = _layout(first, last)
    motion = engine.play(layout, _at(0.0, first, 2.0), 0, trajectory_rate=FILM_RATE)
    kinds = {each.carromman: each.kind for each in falls(BOARD, layout, _at(0, first, 2), motion)}
    assert kinds[1] is ShotKind.COMBINATION


def test_a_carromman_off_the_far_frame_is_banked(engine: MujocoEngine) -> None:
    """Struck almost straight up, it can reach a near pocket by no other way."""
    carromman = 0.12 + 0j
    limit = BOARD.half_side - BOARD.carromman_radius
    mirrored = complex(RIGHT_NEAR.real, 2 * limit - RIGHT_NEAR.imag)
    strikes = [
        _at(-0.06, _ghost(carromman, mirrored + offset), 4.0)
        for offset in np.linspace(-0.2, 0.2, 41)
    ]
    assert _first_made(engine, _layout(carromman), strikes) is ShotKind.BANK


def test_a_striker_off_the_far_frame_makes_a_rebound(engine: MujocoEngine) -> None:
    """Sent straight up, the striker comes back to a carromman on the near frame."""
    carromman = 0.2 - 0.31j
    limit = BOARD.half_side - BOARD.striker_radius
    ghost = _ghost(carromman, RIGHT_NEAR)
    mirrored = complex(ghost.real, 2 * limit - ghost.imag)
    strikes = [_at(-0.17, mirrored + offset, 4.0) for offset in np.linspace(-0.15, 0.15, 61)]
    assert _first_made(engine, _layout(carromman), strikes) is ShotKind.REBOUND


def test_a_shot_is_called_by_what_was_meant() -> None:
    """The same strike misses by a large error of the hand, and is still the shot it was."""
    aside = practice_env(noise="none", film_rate=FILM_RATE)
    aside.reset(seed=0)
    table = aside.get_state().table
    assert table is not None
    own = int(table.position.match.board.striker)
    carromman = RIGHT_FAR - 0.3 * _unit(RIGHT_FAR - complex(0, BOARD.base_line_y))
    alone = Layout(np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool))
    layout = alone.with_piece(9 * own, (carromman.real, carromman.imag))
    position = dataclasses.replace(table.position, layout=layout)
    meant, missed = _at(0.0, carromman, 1.1), _at(0.0, carromman + 0.03, 1.1)
    for made, kind, hits in (
        (meant, meant, True),
        (missed, meant, False),
        (missed, missed, False),
    ):
        lay_out(aside, position)
        shot = called(aside, stroke_from(aside, made), kind)
        assert shot.made is hits
        assert shot.kind == (ShotKind.DIRECT if kind is meant else NO_SHOT)
        assert shot.distance == (pytest.approx(0.3) if kind is meant else None)


def test_rates_count_the_shots_of_each_kind_and_distance() -> None:
    shots = [
        CalledShot(ShotKind.CUT, 0.1, True, (ShotKind.CUT,)),
        CalledShot(ShotKind.CUT, 0.2, False, ()),
        CalledShot(ShotKind.BANK, 0.4, True, (ShotKind.BANK, ShotKind.OTHER)),
        CalledShot(BREAK, None, True, (ShotKind.OTHER,)),
        CalledShot(NO_SHOT, None, False, ()),
    ]
    found = rates(shots)
    assert {k: (e.value, e.samples) for k, e in found.kinds.items()} == {
        "cut": (0.5, 2),
        "bank": (1.0, 1),
        "break": (1.0, 1),
        "no shot": (0.0, 1),
    }
    assert {k: (e.value, e.samples) for k, e in found.distances.items()} == {
        "near": (1.0, 1),
        "middle": (0.0, 1),
        "far": (1.0, 1),
    }
    assert found.fallen == {"cut": 1, "bank": 1, "other": 2}
