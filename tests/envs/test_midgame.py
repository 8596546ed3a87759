"""Random mid-game positions against what a position must be."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from carrom.baseline import free_places
from carrom.board import Board, to_seat
from carrom.midgame import random_layout


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    white=st.integers(0, 9),
    black=st.integers(0, 9),
    queen=st.booleans(),
    seat=st.integers(0, 3),
)
def test_a_position_is_what_was_asked_for_and_can_be_played(
    seed: int, white: int, black: int, queen: bool, seat: int
) -> None:
    board = Board()
    layout = random_layout(
        board, np.random.default_rng(seed), white=white, black=black, queen=queen, seat=seat
    )
    assert layout.counts == (white, black)
    assert layout.queen_on_board == queen
    layout.check(board)
    lying = layout.positions[layout.on_board]
    from_pocket = np.hypot(*(np.abs(lying) - board.pocket_offset).T)
    assert np.all(from_pocket >= board.pocket_radius)
    assert free_places(board, to_seat(layout.positions, seat), layout.on_board)


def test_points_are_spread_over_the_whole_board() -> None:
    rng = np.random.default_rng(0)
    places = np.concatenate(
        [
            random_layout(Board(), rng, white=1, black=1, queen=False).positions[[0, 9]]
            for _ in range(2000)
        ]
    )
    # Uniform but for the corners: each quarter of the board holds about a quarter.
    quarters = np.histogram2d(*places.T, bins=2, range=[[-0.37, 0.37]] * 2)[0] / len(places)
    assert np.abs(quarters - 0.25).max() < 0.03
    assert np.abs(places).max() > 0.35
