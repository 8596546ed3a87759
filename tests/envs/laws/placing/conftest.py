"""Positions for the tests of placing, and a plain reading of where carrommen fit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from carrom.board import Board
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, QUEEN

Points = NDArray[np.float64]
Crowd = Callable[..., Layout]
Clear = Callable[..., NDArray[np.bool_]]
NearestFree = Callable[..., float]


@pytest.fixture(scope="session")
def crowd() -> Crowd:
    """Drops carrommen round the centre, each where those before it leave room."""

    def drop(seed: int, *, board: Board, count: int | None = None, queen: bool = False) -> Layout:
        """At most ``count`` carrommen; without a queen asked for, she stays off the board."""
        rng = np.random.default_rng(seed)
        spread = rng.choice([0.03, 0.05, 0.07, 0.11, 0.2])
        wanted = int(rng.integers(N_CARROMMEN)) if count is None else count
        positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
        others = rng.permutation(QUEEN)
        for index in [QUEEN, *others][:wanted] if queen else others[:wanted]:
            for point in rng.uniform(-spread, spread, (200, 2)):
                if clear_of(point[None], positions[on_board], board)[0]:
                    positions[index], on_board[index] = point, True
                    break
        return Layout(positions, on_board)

    return drop


def clear_of(points: Points, others: Points, board: Board, gap: float = 0.0) -> NDArray[np.bool_]:
    """Whether a carromman at each point (n, 2) stays ``gap`` m away from all others (m, 2)."""
    distance = np.linalg.norm(points[:, None] - others[None], axis=-1)
    return np.all(distance >= board.carromman_diameter + gap, axis=1)


@pytest.fixture(scope="session")
def clear() -> Clear:
    """``clear_of``."""
    return clear_of


@pytest.fixture(scope="session")
def nearest_free() -> NearestFree:
    """The distance of the nearest free place from a target, by growing a circle round it."""

    def search(
        target: Points, others: Points, board: Board, *, upto: float, pitch: float = 5e-5
    ) -> float:
        """The least multiple of ``pitch`` below ``upto`` with a free direction, or infinity.

        On a circle round the target, every carromman forbids the directions of an arc. A
        direction is left if there is no arc, or if some arc ends where no other covers it.
        """
        radii = np.arange(0, upto, pitch)
        offset = others - target
        distance = np.maximum(np.hypot(*offset.T), 1e-12)
        keep = board.carromman_diameter + 3e-6  # free by more than what placing leaves
        # The law of cosines; beyond -1 and 1 the whole circle is forbidden, or nothing.
        cosine = (radii[:, None] ** 2 + distance**2 - keep**2) / np.maximum(
            2 * radii[:, None] * distance, 1e-15
        )
        half = np.arccos(np.clip(cosine, -1, 1))
        middle = np.arctan2(offset[:, 1], offset[:, 0])
        ends = np.concatenate([middle - half, middle + half], axis=1)
        apart = np.abs((ends[..., None] - middle + math.pi) % (2 * math.pi) - math.pi)
        covered = np.any(apart < half[:, None] - 1e-9, axis=-1)
        some_end = np.any(~covered & np.tile(half > 0, 2), axis=1)
        free = ~np.any(cosine <= -1, axis=1) & (some_end | ~np.any(half > 0, axis=1))
        return float(radii[np.argmax(free)]) if free.any() else math.inf

    return search
