"""The aimer: what it goes for, and that it pockets what can be pocketed."""

import math

import numpy as np
import pytest

from carrom.board import Board
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import NOISE_LEVELS
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, STRIKER
from carrom.rack import rack
from carrom.view import QueenStatus, View
from carrom_agents.aftermath import aftermath
from carrom_agents.scripted import aimer
from carrom_agents.shots import ShotOptions, Shots, direct_shots
from carrom_agents.ways import Complex, others, standing

BOARD = Board()
GONE = QueenStatus.MINE


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine()


def _layout(pieces: dict[int, tuple[float, float]]) -> Layout:
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    for index, point in pieces.items():
        positions[index], on_board[index] = point, True
    return Layout(positions, on_board)


def _aimed_at(engine: MujocoEngine, layout: Layout, **game) -> int | None:
    """The carromman that the aimer's strike touches first."""
    view = View(BOARD, layout.positions, layout.on_board, **game)
    return engine.play(layout, aimer(view, np.random.default_rng(0))).first_touch


def _beside(view: View, shots: Shots) -> Complex:
    return others(standing(view.positions, view.on_board)[:, None], shots.carromman)


def _strike(shots: Shots, index: int) -> Strike:
    return Strike(
        float(shots.place[index]), float(shots.direction[index]), float(shots.speed[index])
    )


def _has_easy_shot(point: np.ndarray) -> bool:
    """Whether from some legal place some pocket asks for a cut of at most 60 degrees.

    Slow, scalar and without rim friction: nothing here is shared with the aimer.
    """
    reach = BOARD.striker_radius + BOARD.carromman_radius
    limit = BOARD.half_side - BOARD.striker_radius
    for pocket in BOARD.pocket_centres:
        way = (pocket - point) / np.linalg.norm(pocket - point)
        ghost = point - reach * way
        if np.max(np.abs(ghost)) > limit - 1e-3:
            continue
        for place in np.linspace(-0.18, 0.18, 37):
            start = np.array([place, BOARD.base_line_y])
            run = ghost - start
            length = np.linalg.norm(run)
            on_way = start + np.linspace(0, 1, 50)[:, None] * run
            over_pocket = np.linalg.norm(on_way[:, None] - BOARD.pocket_centres, axis=-1).min()
            is_thick = run @ way > length * math.cos(math.radians(60))
            stands_apart = np.linalg.norm(start - point) > reach
            if is_thick and stands_apart and over_pocket > BOARD.pocket_radius:
                return True
    return False


def test_it_pockets_a_lone_carromman_whenever_there_is_an_easy_shot(engine: MujocoEngine) -> None:
    rng = np.random.default_rng(0)
    easy = pocketed = due = 0
    while easy < 150:
        layout = random_layout(BOARD, rng, white=1, black=0, queen=False)
        if not _has_easy_shot(layout.positions[0]):
            continue
        easy += 1
        view = View(BOARD, layout.positions, layout.on_board, queen=GONE)
        fallen = {fall.index for fall in engine.play(layout, aimer(view, rng)).pocketed}
        pocketed += 0 in fallen
        due += STRIKER in fallen
    assert pocketed >= 0.97 * easy
    assert due <= 0.03 * easy


OPEN = (0.2, 0.1)
OTHER = (-0.2, 0.1)


@pytest.mark.law("107.a")
def test_the_last_own_carromman_is_spared_while_the_queen_lies(engine: MujocoEngine) -> None:
    layout = _layout({0: OPEN, QUEEN: (-0.15, 0.0)})
    assert _aimed_at(engine, layout, queen_allowed=True) == QUEEN
    assert _aimed_at(engine, layout, queen_allowed=False) is None


@pytest.mark.law("92")
def test_the_queen_is_left_alone_until_she_may_be_taken(engine: MujocoEngine) -> None:
    hard, easy = (0.0, 0.0), OTHER
    layout = _layout({0: hard, 1: (0.05, 0.3), QUEEN: easy})
    assert _aimed_at(engine, layout, queen_allowed=True) == QUEEN
    assert _aimed_at(engine, layout, queen_allowed=False) in (0, 1)


def test_the_queen_is_not_taken_without_a_cover_in_sight(engine: MujocoEngine) -> None:
    frozen = (0.0, BOARD.half_side - BOARD.carromman_radius)
    layout = _layout({0: frozen, 1: (0.05, frozen[1]), QUEEN: OTHER})
    assert _aimed_at(engine, layout, queen_allowed=True) in (0, 1)


@pytest.mark.law("15")
def test_waiting_for_cover_it_plays_its_last_carromman(engine: MujocoEngine) -> None:
    layout = _layout({0: OPEN, 9: OTHER})
    assert _aimed_at(engine, layout, queen=QueenStatus.WAITING) == 0


def test_it_does_not_send_the_striker_after_its_carromman() -> None:
    """A carromman in a pocket's mouth: the straight shot takes the striker along."""
    layout = _layout({0: (0.30, 0.30)})
    view = View(BOARD, layout.positions, layout.on_board, queen=GONE)
    options = ShotOptions(kept=1000)
    shots = direct_shots(view, np.array([0]), options)
    after = aftermath(BOARD, shots, _beside(view, shots), options.material)
    assert after.striker_falls.any()
    assert not after.striker_falls.all()
    engine, lost = MujocoEngine(), 0
    for index in np.flatnonzero(~after.striker_falls)[::25]:
        lost += engine.play(layout, _strike(shots, index)).striker_pocketed
    assert lost == 0
    assert not engine.play(layout, aimer(view, np.random.default_rng(0))).striker_pocketed


def test_it_sees_an_opponents_carromman_in_the_strikers_way(engine: MujocoEngine) -> None:
    rng = np.random.default_rng(0)
    fell = {True: [], False: []}
    for _ in range(600):
        # Easily pocketed carrommen of the opponent's, each somewhere before its pocket.
        ready = 0.85 * BOARD.pocket_centres * rng.uniform(0.85, 1.0, (4, 2))
        own = rng.uniform(-0.15, 0.15, 2)
        layout = _layout({0: tuple(own), **{9 + k: tuple(ready[k]) for k in range(4)}})
        view = View(BOARD, layout.positions, layout.on_board, queen=GONE)
        shots = direct_shots(view, np.array([0]), ShotOptions())
        seen = aftermath(BOARD, shots, _beside(view, shots), Material()).opponent_falls
        for expected in (True, False):
            for index in np.flatnonzero(seen == expected)[:2]:
                motion = engine.play(layout, _strike(shots, index))
                fell[expected].append(motion.layout.counts[1] < 4)
    assert len(fell[True]) > 20
    assert np.mean(fell[True]) > 0.6
    assert np.mean(fell[False]) < 0.05


def test_without_a_shot_it_stirs_its_own_carrommen(engine: MujocoEngine) -> None:
    frame = BOARD.half_side - BOARD.carromman_radius
    layout = _layout({3: (0.0, frame), 12: (0.1, 0.0)})
    assert _aimed_at(engine, layout, queen=GONE) == 3


def test_its_break_beats_breaks_at_random(engine: MujocoEngine) -> None:
    rng = np.random.default_rng(0)
    on_board = np.ones(19, bool)

    def worth(strike: Strike, positions: np.ndarray) -> int:
        made = NOISE_LEVELS["expert"].apply(strike, rng)
        motion = engine.play(Layout(positions, on_board), made)
        own, opponent = motion.layout.counts
        return opponent - own - 2 * motion.striker_pocketed

    ours, random = [], []
    for _ in range(150):
        positions = rack(BOARD, rng)
        view = View(BOARD, positions, on_board, break_to_be_made=True)
        ours.append(worth(aimer(view, rng), positions))
        place, beside = rng.uniform(-0.18, 0.18), rng.uniform(-0.05, 0.05)
        to_centre = np.array([-place, -BOARD.base_line_y])
        turn = math.asin(beside / np.hypot(*to_centre))
        direction = math.atan2(-to_centre[0], to_centre[1]) + turn
        random.append(worth(Strike(place, direction, Material().full_speed), positions))
    assert np.mean(ours) > np.mean(random) + 0.3
