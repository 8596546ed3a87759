"""A striker set as close to a carromman as a player may set it."""

from __future__ import annotations

import numpy as np
import pytest

from carrom.baseline import CLEARANCE
from carrom.board import Board
from carrom.layout import Layout
from carrom.physics.calibration.planar_strokes import (
    AT_ONCE,
    NO_TIME,
    breaks,
    play,
    random_materials,
    with_random_strikes,
)
from carrom.physics.planar.engine import PlanarEngine
from carrom.physics.strike import Strike
from carrom.rack import Packing


def test_strokes_that_begin_with_a_touch_come_to_rest() -> None:
    """The gap is the tolerance of the search: whether it is a contact is up to rounding."""
    board, rng, engine = Board(), np.random.default_rng(0), PlanarEngine()
    spots, on_board = np.zeros((19, 2)), np.arange(19) < 13
    spots[:13] = np.stack([np.linspace(-0.3, 0.3, 13), np.full(13, 0.3)], -1)
    reach = board.striker_radius + board.carromman_radius + CLEARANCE
    for _ in range(800):
        angle, place = rng.uniform(0.2, np.pi - 0.2), rng.uniform(-0.1, 0.1)
        spots[0] = place + reach * np.cos(angle), board.base_line_y + reach * np.sin(angle)
        strike = Strike(place, angle - np.pi / 2 + rng.uniform(-1.4, 1.4), 5.0)
        # One that never comes to rest is a PhysicsError.
        motion = engine.play(Layout(spots.copy(), on_board), strike)
        assert motion.first_touch == 0


@pytest.mark.slow
def test_discs_that_touch_and_neither_close_nor_part_come_to_rest() -> None:
    """In a rack without gaps, where the search sees closing what the impact sees parting."""
    strokes = with_random_strikes(breaks(500, 35, Packing(0.0, 0.0)), 100_000, 3)
    block = slice(93 * AT_ONCE, 94 * AT_ONCE)
    # Stroke 95,394 once took steps for ever.
    outcomes = play(
        strokes.take(block), random_materials(1024, 5), springs=True, contact_time=NO_TIME
    )
    assert not outcomes.unfinished.any()
    assert len(outcomes.unfinished) == AT_ONCE
