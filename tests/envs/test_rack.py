"""The rack against law 41.a."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrom.board import Board, legal_range
from carrom.errors import BoardError, ConfigError
from carrom.layout import Layout
from carrom.pieces import COLOURS, QUEEN, Colour
from carrom.rack import LOOSE, PACKINGS, TIGHT, Packing, rack

# Law 41.a by the specification's table of the rack: colour, radius / r, angles in degrees.
TABLE = [
    (Colour.QUEEN, 0.0, [0]),
    (Colour.WHITE, 2.0, [-90, 30, 150]),
    (Colour.BLACK, 2.0, [-30, 90, 210]),
    (Colour.WHITE, 4.0, [-90, 30, 150, -30, 90, 210]),
    (Colour.BLACK, 2 * math.sqrt(3), [-60, 0, 60, 120, 180, 240]),
]


def _distances(positions: np.ndarray) -> np.ndarray:
    return np.hypot(*(positions[:, None] - positions[None]).T)


@pytest.mark.law("41.a")
def test_places_and_colours_are_those_of_the_law() -> None:
    board = Board()
    positions = rack(board, np.random.default_rng(0), packing=Packing(0.0, 0.0))
    wanted = [
        (colour, factor * board.carromman_radius * np.array([math.cos(a), math.sin(a)]))
        for colour, factor, angles in TABLE
        for a in np.radians(angles)
    ]
    assert len(wanted) == 19
    for colour, place in wanted:
        nearest = np.argmin(np.hypot(*(positions - place).T))
        assert positions[nearest] == pytest.approx(place, abs=1e-12)
        assert COLOURS[nearest] == colour
    touching = np.triu(_distances(positions) < board.carromman_diameter + 1e-9, 1)
    assert touching.sum() == 42


@pytest.mark.law("41.a")
@given(
    seed=st.integers(0, 2**32 - 1),
    packing=st.sampled_from([TIGHT, LOOSE]),
    orientation=st.floats(-math.pi, math.pi),
    diameter=st.floats(*legal_range("carromman_diameter")),
)
def test_every_rack_is_compact_free_of_overlap_and_inside_the_outer_circle(
    seed: int, packing: Packing, orientation: float, diameter: float
) -> None:
    board = Board(carromman_diameter=diameter)
    positions = rack(board, np.random.default_rng(seed), packing=packing, orientation=orientation)
    distances = _distances(positions)[np.triu_indices(19, 1)]
    assert distances.min() > board.carromman_diameter
    near = np.sort(distances)[:42]
    reach = packing.gap + math.sqrt(2) * packing.jitter
    assert near.max() <= board.carromman_diameter + reach + 1e-12
    edge = np.hypot(*positions.T).max() + board.carromman_radius
    assert edge < board.outer_circle_diameter / 2
    Layout(positions, np.ones(19, bool)).check(board)


@pytest.mark.law("U14")
def test_the_stem_of_the_y_points_to_the_breaker() -> None:
    board = Board()
    positions = rack(board, np.random.default_rng(0), packing=Packing(0.0, 0.0))
    stem = positions[np.abs(positions[:, 0]) < 1e-9]
    heights = np.round(stem[:, 1] / board.carromman_radius).astype(int)
    colours = np.array(COLOURS[:19])[np.abs(positions[:, 0]) < 1e-9]
    assert dict(zip(heights.tolist(), colours.tolist(), strict=True)) == {
        **{-4: Colour.WHITE, -2: Colour.WHITE, 0: Colour.QUEEN},
        **{2: Colour.BLACK, 4: Colour.WHITE},
    }


@pytest.mark.law("U14")
def test_orientation_turns_the_whole_rack() -> None:
    board = Board()
    straight, turned = (
        rack(board, np.random.default_rng(0), packing=Packing(0.0, 0.0), orientation=angle)
        for angle in (0.0, math.pi / 2)
    )
    assert turned == pytest.approx(np.stack([-straight[:, 1], straight[:, 0]], axis=-1))


def test_jitter_comes_from_the_generator_alone() -> None:
    one, same, other = (rack(Board(), np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(("gap", "jitter"), [(-1e-5, 0), (1e-5, -1e-6), (1e-5, 1e-5)])
def test_a_packing_that_could_overlap_is_refused(gap: float, jitter: float) -> None:
    with pytest.raises(ConfigError, match="packing gap"):
        Packing(gap, jitter)


def test_named_packings() -> None:
    assert PACKINGS["tight"].gap == pytest.approx(0.02e-3)
    assert PACKINGS["loose"].gap == pytest.approx(0.2e-3)


class TestLayout:
    def test_counts(self) -> None:
        on_board = np.ones(19, bool)
        on_board[[0, 1, 9, QUEEN]] = False
        layout = Layout(rack(Board(), np.random.default_rng(0)), on_board)
        assert layout.counts == (7, 8)
        assert not layout.queen_on_board
        assert layout.positions[0].tolist() == [0.0, 0.0]
        assert layout.with_piece(0, (0.1, 0.2)).counts == (8, 8)

    def test_overlap_and_frame_are_refused(self) -> None:
        board = Board()
        positions = rack(board, np.random.default_rng(0))
        crowded = positions.copy()
        crowded[3] = crowded[4] + [0.03, 0.0]
        with pytest.raises(BoardError, match="carrommen 3 and 4 overlap"):
            Layout(crowded, np.ones(19, bool)).check(board)
        for bad in (0.36, math.nan):
            outside = positions.copy()
            outside[5] = [bad, 0.0]
            with pytest.raises(BoardError, match="carromman 5"):
                Layout(outside, np.ones(19, bool)).check(board)

    def test_wrong_shape_is_refused(self) -> None:
        with pytest.raises(BoardError, match="shapes"):
            Layout(np.zeros((18, 2)), np.ones(18, bool))
