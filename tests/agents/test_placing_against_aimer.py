"""Dues laid by the scripted placer are harder to pocket on the real physics."""

from __future__ import annotations

import dataclasses
import functools
import itertools

import jax
import numpy as np

from carrom.baseline import nearest_place
from carrom.board import Board, to_seat
from carrom.laws import legal_due_places_jit, place_due_jit
from carrom.laws.prospects import openness
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import execution_noise
from carrom.view import QueenStatus, View
from carrom_agents.scripted import aimer

BOARD = Board()
NOISE = execution_noise("expert")
AXIS = np.arange(-0.068, 0.069, 0.004)
GRID = np.array(list(itertools.product(AXIS, AXIS)))

cut = jax.jit(functools.partial(openness, board=BOARD))

DUE = 0
"""Index of the debtor's only carromman, so that it is what he aims at."""


def is_pocketed(engine: MujocoEngine, layout: Layout, seat: int, seed: int) -> bool:
    """Whether the debtor's next stroke pockets the due."""
    view = View(BOARD, to_seat(layout.positions, seat), layout.on_board, queen=QueenStatus.THEIRS)
    rng = np.random.default_rng(seed)
    made = NOISE.apply(aimer(view, rng), rng)
    place = nearest_place(view.free_places, made.place)
    assert place is not None
    motion = engine.play(layout, dataclasses.replace(made, place=place), seat)
    return not motion.layout.on_board[DUE]


def test_a_due_laid_by_the_placer_is_pocketed_less_often():
    # 500 layouts, two strokes each: 0.46 by the placer, 0.71 where the cut is thinnest, 0.77 at
    # random, with standard errors of 0.02. Here they are fewer, and half of that is asked for.
    engine, rng = MujocoEngine(BOARD), np.random.default_rng(2)
    rates = []
    for seed in range(250):
        seat = seed % 4
        others = int(rng.integers(2, 10))
        layout = random_layout(BOARD, rng, white=0, black=others, queen=False, seat=seat)
        legal = legal_due_places_jit(layout, GRID, board=BOARD)
        straightness = np.where(legal, cut(GRID, seat), np.inf)
        chosen = place_due_jit(layout, (seat,), board=BOARD)
        assert chosen is not None
        places = (chosen, tuple(GRID[straightness.argmin()]), tuple(rng.choice(GRID[legal])))
        laid = [layout.with_piece(DUE, place) for place in places]
        rates.append([is_pocketed(engine, each, seat, seed) for each in laid])
    placer, thinnest, random = np.mean(rates, axis=0)
    assert placer < thinnest - 0.12
    assert placer < random - 0.15
