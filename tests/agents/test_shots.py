"""Direct shots: what is in the way, and whether they succeed in the MuJoCo engine."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.aiming import as_complex, as_points, direct_shot
from carrom.baseline import is_free
from carrom.board import Board
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.view import OWN, View
from carrom_agents.shots import ShotOptions, Shots, direct_shots, normal_within
from carrom_agents.ways import MOUTH, clearance, pocket_aims, striker_places, touching

BOARD = Board()
EVERY_PLACE = ShotOptions(kept=1000, arrivals=(1.0,))


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine()


def _view(own: list[tuple[float, float]], opponent: tuple[tuple[float, float], ...] = ()) -> View:
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    for index, point in [*enumerate(own), *enumerate(opponent, 9)]:
        positions[index], on_board[index] = point, True
    return View(BOARD, positions, on_board)


def _strike(shots: Shots, index: int) -> Strike:
    return Strike(
        float(shots.place[index]), float(shots.direction[index]), float(shots.speed[index])
    )


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_clearance_of_a_way_is_the_distance_of_its_nearest_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, end, points = (rng.uniform(-1, 1, n) + 1j * rng.uniform(-1, 1, n) for n in (3, 3, 5))
    way = start[:, None] + np.linspace(0, 1, 4001) * (end - start)[:, None]
    nearest = np.abs(way[:, None, :] - points[None, :, None]).min(axis=(1, 2))
    for backend in (np, jnp):
        found = clearance(*map(backend.asarray, (start, end, points[:, None])))
        np.testing.assert_allclose(found, nearest, atol=1e-3)


def test_normal_probability_is_as_near_as_it_says() -> None:
    bounds = np.linspace(0, 6, 601)
    exact = [math.erf(bound / math.sqrt(2)) for bound in bounds]
    np.testing.assert_allclose(normal_within(bounds), exact, atol=4e-4)


@pytest.mark.parametrize("pocket", range(4))
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("beside", "offered"), [(0.5e-3, True), (-0.5e-3, False)])
def test_a_carromman_needs_its_own_width_on_its_way(
    pocket: int, side: int, beside: float, offered: bool
) -> None:
    target = 0.02 - 0.03j
    aim = pocket_aims(BOARD, np.array([target]))[0, pocket]
    way = (aim - target) / abs(aim - target)
    blocker = (target + aim) / 2 + side * 1j * way * (BOARD.carromman_diameter + beside)
    view = _view([(target.real, target.imag)], ((blocker.real, blocker.imag),))
    shots = direct_shots(view, np.array([0]), EVERY_PLACE)
    free = direct_shots(_view([(target.real, target.imag)]), np.array([0]), EVERY_PLACE)
    assert (pocket in shots.pocket) == (offered and pocket in free.pocket)
    assert {1, 2} <= set(free.pocket.tolist())


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("beside", "offered"), [(0.5e-3, True), (-0.5e-3, False)])
def test_the_striker_needs_both_radii_and_the_gap_on_its_way(
    side: int, beside: float, offered: bool
) -> None:
    target = (0.1, 0.15)
    free = direct_shots(_view([target]), np.array([0]), EVERY_PLACE)
    for index in np.flatnonzero(free.pocket == 1)[::7]:
        start = free.place[index] + 1j * BOARD.base_line_y
        way = free.ghost[index] - start
        reach = touching(BOARD) + EVERY_PLACE.striker_gap + beside
        blocker = start + way / 2 + side * 1j * way / abs(way) * reach
        view = _view([target], ((float(blocker.real), float(blocker.imag)),))
        shots = direct_shots(view, np.array([0]), EVERY_PLACE)
        same = (shots.pocket == 1) & (np.abs(shots.place - free.place[index]) < 1e-9)
        assert same.any() == offered


def test_a_striker_does_not_reach_behind_a_carromman_at_the_frame() -> None:
    at_frame = (0.0, BOARD.half_side - BOARD.carromman_radius)
    assert len(direct_shots(_view([at_frame]), np.array([0]), EVERY_PLACE)) == 0


def test_no_carromman_no_shots() -> None:
    assert len(direct_shots(_view([]), np.array([], np.int64), ShotOptions())) == 0


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_places_and_strikes_are_legal_in_crowded_positions(seed: int) -> None:
    layout = random_layout(BOARD, np.random.default_rng(seed), white=9, black=9, queen=True)
    view = View(BOARD, layout.positions, layout.on_board)
    assert all(is_free(view.free_places, place) for place in striker_places(view, 50, 3))
    shots = direct_shots(view, np.arange(9), ShotOptions())
    assert all(is_free(view.free_places, place) for place in shots.place)
    assert np.all(shots.speed <= Material().full_speed)
    assert np.all((shots.chance >= 0) & (shots.chance <= 1))
    assert np.all(shots.cut <= ShotOptions().greatest_cut)


def test_shots_play_as_promised(engine: MujocoEngine) -> None:
    """Without noise the striker meets what it was sent at, first, and pockets it."""
    rng = np.random.default_rng(1)
    played = met = pocketed = 0
    for _ in range(60):
        layout = random_layout(BOARD, rng, white=6, black=6, queen=True)
        view = View(BOARD, layout.positions, layout.on_board)
        shots = direct_shots(view, np.flatnonzero(layout.on_board[OWN]), ShotOptions())
        sure = np.flatnonzero(shots.chance > 0.9)
        for index in rng.choice(sure, min(len(sure), 5), replace=False):
            motion = engine.play(layout, _strike(shots, index))
            target = shots.carromman[index]
            played += 1
            met += motion.first_touch == target
            pocketed += any(
                fall.index == target and fall.pocket == shots.pocket[index]
                for fall in motion.pocketed
            )
    assert played > 200
    assert met == played
    assert pocketed >= 0.98 * played


def test_chances_are_borne_out_under_noise(engine: MujocoEngine) -> None:
    """A little pessimistic: some carrommen that miss the mouth fall by a rebound."""
    rng = np.random.default_rng(2)
    options = ShotOptions(arrivals=(1.0,))
    promised, kept = [], []
    for _ in range(1500):
        layout = random_layout(BOARD, rng, white=3, black=3, queen=False)
        view = View(BOARD, layout.positions, layout.on_board)
        shots = direct_shots(view, np.arange(3), options)
        doubtful = np.flatnonzero(shots.chance < 0.9)
        if len(doubtful):
            index = rng.choice(doubtful)
            strike = options.noise.apply(_strike(shots, index), rng)
            fallen = {fall.index for fall in engine.play(layout, strike).pocketed}
            promised.append(shots.chance[index])
            kept.append(shots.carromman[index] in fallen)
    assert len(kept) > 1000
    assert -0.05 < np.mean(kept) - np.mean(promised) < 0.2
    assert np.corrcoef(kept, promised)[0, 1] > 0.15


@pytest.mark.parametrize("angle", [3.0, 12.0, 30.0, 45.0, 60.0, 80.0])
@pytest.mark.parametrize("offset", [-MOUTH + 5e-3, 0.0, MOUTH - 5e-3])
def test_a_pocket_takes_what_its_mouth_says(
    engine: MujocoEngine, angle: float, offset: float
) -> None:
    pocket = as_complex(BOARD.pocket_centres[1])
    target = pocket - 0.18 * complex(math.cos(math.radians(angle)), math.sin(math.radians(angle)))
    aim = pocket_aims(BOARD, np.array([target]))[0, 1]
    end = aim + offset * 1j * (aim - target) / abs(aim - target)
    places = np.linspace(-0.18, 0.18, 19)
    shots = direct_shot(BOARD, Material(), places, as_points(target), as_points(end), 1.0)
    best = np.argmin(shots.cut)
    strike = Strike(places[best], float(shots.direction[best]), float(shots.speed[best]))
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    positions[0], on_board[0] = as_points(target), True
    motion = engine.play(Layout(positions, on_board), strike)
    assert (0, 1) in {(fall.index, fall.pocket) for fall in motion.pocketed}
