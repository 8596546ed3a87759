"""The board in characters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrom.board import Board, legal_range, to_board
from carrom.errors import BoardError
from carrom.pieces import COLOURS, N_DISCS
from carrom.rack import rack
from carrom.render.text import board_text

NOTHING = np.zeros((N_DISCS, 2)), np.zeros(N_DISCS, bool)


def sign_places(text, sign, side=0.7366):
    """Where a sign stands on the board, m: the middles of its characters."""
    rows = [line[1:-1] for line in text.splitlines()[1:30]]
    return np.array(
        [
            (((column + 0.5) / 59 - 0.5) * side, (0.5 - (row + 0.5) / 29) * side)
            for row, line in enumerate(rows)
            for column, character in enumerate(line)
            if character == sign
        ]
    ).reshape(-1, 2)


def test_it_fits_a_terminal():
    lines = board_text(*NOTHING, "White to strike.", "Due: 1").splitlines()
    assert len(lines) == 33
    assert {len(line) for line in lines[:31]} == {61}
    assert lines[31:] == ["White to strike.", "Due: 1"]
    # A character is about twice as high as wide, so a square board is twice as many wide.
    assert pytest.approx(59, abs=1) == 29 * 2


def test_an_empty_board_has_pockets_and_base_lines_only():
    text = board_text(*NOTHING)
    assert set(text) == set("+-|\n o.")
    assert sorted(map(tuple, np.sign(sign_places(text, "o")))) == [
        (-1, -1),
        (-1, 1),
        (1, -1),
        (1, 1),
    ]
    lines = sign_places(text, ".")
    distance = np.abs(lines).max(axis=1)
    assert np.abs(distance - (0.7366 / 2 - 0.1174)).max() < 0.7366 / 29 / 2


@given(
    seed=st.integers(0, 2**32 - 1),
    diameter=st.floats(*legal_range("carromman_diameter")),
    side=st.floats(0.7350, 0.7396),
)
def test_every_disc_is_shown_once_where_it_lies(seed, diameter, side):
    board = Board(side=side, carromman_diameter=diameter)
    rng = np.random.default_rng(seed)
    # As dense as discs can lie, anywhere on the board, some of them gone.
    shift = rng.uniform(-0.2, 0.2, 2)
    places = np.vstack([rack(board, rng, orientation=rng.uniform(0, 7)) + shift, [0.34, 0.34]])
    shown = rng.random(N_DISCS) < 0.8
    text = board_text(places, shown, board=board)
    for colour, sign in enumerate("wbQS"):
        expected = places[shown & (colour == COLOURS)]
        found = sign_places(text, sign, side)
        assert len(found) == len(expected)
        # 1 micrometre: a place on the line between two characters belongs to either.
        for place in found:
            across, along = np.abs(expected - place).T
            assert np.any((across <= side / 59 / 2 + 1e-6) & (along <= side / 29 / 2 + 1e-6))


@pytest.mark.parametrize("seat", range(4))
def test_the_striker_stands_on_its_seats_base_line(seat):
    places, shown = np.zeros((N_DISCS, 2)), np.zeros(N_DISCS, bool)
    places[-1], shown[-1] = to_board(np.array([0.1, Board().base_line_y]), seat), True
    found = sign_places(board_text(places, shown), "S")
    expected = to_board(np.array([[0.1, -0.2509]]), seat)
    assert found == pytest.approx(expected, abs=0.7366 / 29 / 2 + 1e-4)


def test_a_disc_beyond_the_frame_is_shown_at_it():
    places, shown = np.zeros((N_DISCS, 2)), np.zeros(N_DISCS, bool)
    places[-1], shown[-1] = (2.0, 0.0), True
    assert board_text(places, shown).splitlines()[15].endswith("S|")


def test_a_bad_position_is_named():
    with pytest.raises(BoardError, match=r"\(19, 2\)"):
        board_text(np.zeros((19, 2)), np.ones(19, bool))
    with pytest.raises(BoardError, match=r"disc 0 .*nan"):
        board_text(np.full((N_DISCS, 2), np.nan), np.ones(N_DISCS, bool))
