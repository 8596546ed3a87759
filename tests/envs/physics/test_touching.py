"""Carrommen that touch one another and the frame, and whole boards played on and on."""

import math

import numpy as np
import pytest

from carrom.baseline import legal_places
from carrom.board import Board, to_seat
from carrom.layout import Layout
from carrom.physics.calibration.shots import break_shot
from carrom.physics.calibration.strokes import rest_overlaps
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN

BOARD = Board()
ENGINE = MujocoEngine()
WALL = BOARD.half_side - BOARD.carromman_radius
MOST_STEPS = 3000


def layout_of(points) -> Layout:
    positions, on_board = np.zeros((N_CARROMMEN, 2)), np.arange(N_CARROMMEN) < len(points)
    positions[: len(points)] = points
    return Layout(positions, on_board)


def row(pieces: int, gap: float, *, cornered: bool = False, y: float = WALL) -> Layout:
    """Side by side along the far frame, from the left one or about the middle."""
    pitch = BOARD.carromman_diameter + gap
    first = -WALL if cornered else -(pieces - 1) / 2 * pitch
    return layout_of([(first + k * pitch, y) for k in range(pieces)])


def block(rows: list[int], gap: float, height: float) -> Layout:
    """Centred rows from the far frame inwards, ``height`` diameters apart."""
    pitch = BOARD.carromman_diameter + gap
    return layout_of(
        [
            ((k - (pieces - 1) / 2) * pitch, WALL - depth * height * pitch)
            for depth, pieces in enumerate(rows)
            for k in range(pieces)
        ]
    )


SHAPES = {
    **{f"row of {n}": lambda gap, n=n: row(n, gap) for n in (3, 5, 9)},
    **{f"row of {n} from a corner": lambda gap, n=n: row(n, gap, cornered=True) for n in (3, 5, 9)},
    "square": lambda gap: block([4, 4, 4], gap, 1.0),
    "triangle": lambda gap: block([4, 3, 2, 1], gap, math.sqrt(0.75)),
}


def strike_at(layout: Layout, rng: np.random.Generator, seat: int = 0, slowest=0.2) -> Strike:
    """From a legal place clear of all carrommen, at about a random one of them."""
    points = to_seat(layout.positions[layout.on_board], seat)
    places = rng.uniform(*legal_places(BOARD)[1], size=400)
    apart = np.hypot(points[:, :1] - places, points[:, 1:] - BOARD.base_line_y).min(0)
    place = places[apart > BOARD.carromman_radius + BOARD.striker_radius][0]
    x, y = points[rng.integers(len(points))] + rng.uniform(-0.03, 0.03, 2)
    direction = math.atan2(place - x, y - BOARD.base_line_y)
    return Strike(float(place), direction, math.exp(rng.uniform(math.log(slowest), math.log(6.0))))


def check(engine: MujocoEngine, layout: Layout, strike: Strike, seat: int = 0) -> Layout:
    """Play a stroke that must end soon, without overlaps and without a gain of energy."""
    motion, diagnostics = engine.examine(layout, strike, seat)
    energy = BOARD.striker_mass * strike.speed**2 / 2
    assert diagnostics.steps <= MOST_STEPS
    assert diagnostics.impact_gain <= 1e-12 * energy
    assert diagnostics.cluster_gain <= 1e-9 * energy
    assert max(rest_overlaps(BOARD, motion)) <= 1e-6
    return motion.layout


@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-8])
@pytest.mark.parametrize("shape", SHAPES)
def test_strokes_at_touching_carrommen_end(shape, gap):
    layout = SHAPES[shape](gap)
    rng = np.random.default_rng(21)
    for _ in range(40):
        check(ENGINE, layout, strike_at(layout, rng))


@pytest.mark.parametrize("gap", [0.0, 1e-9])
@pytest.mark.parametrize(
    "material",
    [
        Material(friction=0.13, contact_time=2e-4, restitution_carromman=0.5),
        Material(friction=0.05, contact_time=5e-5, friction_rim=0.2, restitution_carromman=0.9),
    ],
)
def test_they_end_whatever_the_material(material, gap):
    engine = MujocoEngine(BOARD, material)
    rng = np.random.default_rng(22)
    for make in SHAPES.values():
        layout = make(gap)
        for _ in range(10):
            check(engine, layout, strike_at(layout, rng))


def test_a_row_of_nine_in_the_corner():
    """The middle of the row is left pressed together by less than friction can hold."""
    layout = row(9, 0.0, cornered=True)
    check(ENGINE, layout, Strike(0.0, -0.5, 5.0))


def test_a_nanometre_does_not_matter():
    """A column struck head-on: the same carrommen go equally far, whatever the tiny gaps."""
    pitch = BOARD.carromman_diameter
    ends = []
    for gap in (0.0, 1e-9, 1e-8):
        layout = layout_of([(0.0, k * (pitch + gap)) for k in range(4)])
        ends.append(ENGINE.play(layout, Strike(0.0, 0.0, 1.0)).layout.positions[:4, 1])
    assert ends[0][3] > 3 * pitch + 0.05
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-4)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-4)


def play_on(strokes: int, seed: int) -> None:
    """Boards from the break until few carrommen are left, each stroke where the last ended."""
    rng = np.random.default_rng(seed)
    layout = None
    for _ in range(strokes):
        if layout is None or layout.on_board.sum() < 4:
            layout, strike = break_shot(BOARD, rng)
            seat = 0
        else:
            seat = int(rng.integers(4))
            strike = strike_at(layout, rng, seat, slowest=0.05)
        layout = check(ENGINE, layout, strike, seat)


def test_boards_played_on():
    play_on(300, 23)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [24, 25])
def test_many_boards_played_on(seed):
    play_on(4000, seed)
