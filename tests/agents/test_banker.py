"""The banker: what it goes for, what it spares, and that it does better than the aimer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.board import Board
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import NOISE_LEVELS
from carrom.pieces import QUEEN, STRIKER
from carrom.rack import rack
from carrom.view import QueenStatus, View
from carrom_agents.banker import Banker, banker, fatal_carrommen
from carrom_agents.scripted import Aimer, aimer
from carrom_agents.shots import ShotOptions

BOARD = Board()
GONE = QueenStatus.MINE
OPEN, OTHER = (0.2, 0.1), (-0.2, 0.1)
FROZEN = (0.0, BOARD.half_side - BOARD.carromman_radius)
"""At the far frame, where no direct shot is."""


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine()


def _layout(pieces: dict[int, tuple[float, float]]) -> Layout:
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    for index, point in pieces.items():
        positions[index], on_board[index] = point, True
    return Layout(positions, on_board)


def _fallen(engine: MujocoEngine, layout: Layout, **game) -> set[int]:
    """What falls by the banker's strike as it is meant."""
    view = View(BOARD, layout.positions, layout.on_board, **game)
    motion = engine.play(layout, banker(view, np.random.default_rng(0)))
    return {fall.index for fall in motion.pocketed}


def _pocketed(engine: MujocoEngine, player, layouts: list[Layout]) -> float:
    """Share of positions in which the player, with an expert's hand, goes on."""
    rng, noise = np.random.default_rng(0), NOISE_LEVELS["expert"]
    goes_on = 0
    for layout in layouts:
        view = View(BOARD, layout.positions, layout.on_board, queen=GONE)
        fallen = engine.play(layout, noise.apply(player(view, rng), rng)).pocketed
        indices = {fall.index for fall in fallen}
        goes_on += bool(indices & set(range(9))) and STRIKER not in indices
    return goes_on / len(layouts)


def test_it_pockets_more_than_the_aimer_in_crowded_positions(engine: MujocoEngine) -> None:
    rng = np.random.default_rng(1)
    layouts = [random_layout(BOARD, rng, white=2, black=9, queen=False) for _ in range(250)]
    assert _pocketed(engine, banker, layouts) > _pocketed(engine, aimer, layouts) + 0.08


@pytest.mark.parametrize("kind", [Aimer, Banker])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_in_a_mirrored_position_the_strike_is_the_mirrored_one(
    kind: type[Aimer], seed: int
) -> None:
    """With an unsteady hand, so that no two shots are equally sure."""
    unsteady = kind(options=ShotOptions(noise=NOISE_LEVELS["beginner"]))
    layout = random_layout(BOARD, np.random.default_rng(seed), white=3, black=3, queen=False)
    views = [
        View(BOARD, layout.positions * (side, 1.0), layout.on_board, queen=GONE) for side in (1, -1)
    ]
    one, other = (unsteady(view, np.random.default_rng(0)) for view in views)
    assert other.speed == pytest.approx(one.speed, abs=1e-9)
    assert other.place == pytest.approx(-one.place, abs=1e-9)
    assert math.sin(other.direction) == pytest.approx(-math.sin(one.direction), abs=1e-9)


@pytest.mark.law("107.a")
def test_the_last_own_carromman_is_spared_while_the_queen_lies(engine: MujocoEngine) -> None:
    layout = _layout({0: OPEN, QUEEN: (-0.15, 0.0), 9: (0.0, 0.2)})
    assert _fallen(engine, layout, queen_allowed=True) == {QUEEN}
    assert 0 not in _fallen(engine, layout, queen_allowed=False)


@pytest.mark.law("106.a")
def test_it_does_not_knock_in_the_opponents_last_for_its_own() -> None:
    """Without the guard the surest shots drive the opponent's last after their own carromman."""
    hanging = tuple(0.93 * BOARD.pocket_centres[1])
    layout = _layout({0: (0.27, 0.27), 1: OTHER, 9: hanging})
    view = View(BOARD, layout.positions, layout.on_board, queen=GONE)
    assert fatal_carrommen(view).nonzero()[0].tolist() == [9]
    found, value = banker.weigh(view)
    best = int(np.argmax(value))
    assert found.shots.carromman[best] == 1
    assert np.all(value[(found.met == 9)] < 0)


def test_what_is_fatal_depends_on_what_is_left() -> None:
    view = View(BOARD, *_arrays({0: OPEN, 9: OTHER, 10: (0.0, 0.2), QUEEN: (0.0, 0.0)}))
    assert fatal_carrommen(view).nonzero()[0].tolist() == [0]
    covered = View(BOARD, *_arrays({0: OPEN, 9: OTHER, 10: (0.0, 0.2)}), queen=GONE)
    assert not fatal_carrommen(covered).any()


def _arrays(pieces: dict[int, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    layout = _layout(pieces)
    return layout.positions, layout.on_board


@pytest.mark.law("92")
def test_a_sure_carromman_comes_before_a_doubtful_queen(engine: MujocoEngine) -> None:
    """The aimer goes for her at once; two sure ones beside her cover can be had first."""
    layout = _layout({0: OPEN, 1: OTHER, 2: (0.1, 0.2), QUEEN: FROZEN, 9: (0.15, -0.05)})
    fallen = _fallen(engine, layout, queen_allowed=True)
    assert fallen
    assert fallen <= {0, 1, 2}


@pytest.mark.law("15")
def test_waiting_for_cover_it_plays_its_last_carromman(engine: MujocoEngine) -> None:
    layout = _layout({0: OPEN, 9: OTHER})
    assert _fallen(engine, layout, queen=QueenStatus.WAITING) == {0}


@pytest.mark.law("54")
def test_from_22_points_on_the_queen_is_worth_less() -> None:
    layout = _layout({0: OPEN, 1: OTHER, QUEEN: (0.05, 0.15), 9: (0.3, -0.3)})
    worth = []
    for score in (21, 22):
        view = View(BOARD, layout.positions, layout.on_board, queen_allowed=True, score=(score, 0))
        found, value = banker.weigh(view)
        worth.append(value[found.shots.carromman == QUEEN].max())
    assert worth[1] < worth[0] - 1.0


def test_without_a_direct_shot_it_finds_another(engine: MujocoEngine) -> None:
    """Barred from the only pocket it can be sent to straight, it goes by way of a frame."""
    layout = _layout({0: (0.22, -0.15), 9: (0.307, 0.214)})
    assert _fallen(engine, layout, queen=GONE) == {0}


def test_without_any_shot_it_stirs_its_own_carrommen(engine: MujocoEngine) -> None:
    corner = BOARD.half_side - BOARD.carromman_radius
    pieces = {3: (0.0, corner)}
    # Walled in by the opponent's, but for the way from straight before it.
    for index, x in enumerate((-0.064, -0.032, 0.032, 0.064), 9):
        pieces[index] = (x, corner)
    layout = _layout(pieces)
    view = View(BOARD, layout.positions, layout.on_board, queen=GONE)
    found, value = banker.weigh(view)
    assert not np.any((value > 0) & (found.shots.chance >= banker.least_chance))
    assert engine.play(layout, banker(view, np.random.default_rng(0))).first_touch == 3


def test_its_break_is_no_worse_than_the_aimers(engine: MujocoEngine) -> None:
    """Own carrommen pocketed less the opponent's and the striker's dues, in the same racks."""
    noise, on_board = NOISE_LEVELS["expert"], np.ones(19, bool)
    worth = {}
    for name, player in (("banker", banker), ("aimer", aimer)):
        rng = np.random.default_rng(0)
        worth[name] = []
        for _ in range(60):
            layout = Layout(rack(BOARD, rng), on_board)
            view = View(BOARD, layout.positions, on_board, break_to_be_made=True)
            motion = engine.play(layout, noise.apply(player(view, rng), rng))
            own, opponent = motion.layout.counts
            worth[name].append(opponent - own - 2 * motion.striker_pocketed)
    assert np.mean(worth["banker"]) > np.mean(worth["aimer"]) - 0.3
    assert np.mean(worth["banker"]) > 1.5
