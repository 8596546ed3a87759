"""What strikes came to when they were rehearsed: what the network learns from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carrom.observation import PIECE_FEATURES, PIECES_SIZE, SIZE
from carrom_agents.foresight.player import N_GLANCED


class Lessons(NamedTuple):
    """N positions with K strikes each.

    Attributes:
        observation: float32 (N, 74).
        strikes: float32 (N, K, 3), place, m; direction, rad; speed, m/s.
        glance: float32 (N, 12), see ``Foresight.glanced``.
        glances: float32 (N, K, 12), the same of what the strikes leave.
        worth: float32 (N, K), points: mean of what they gained and left.
        gained: float32 (N, K), points: mean of what they gained.
        kept: float32 (N, K), share of the rehearsals after which the turn was kept.
    """

    observation: NDArray[np.float32]
    strikes: NDArray[np.float32]
    glance: NDArray[np.float32]
    glances: NDArray[np.float32]
    worth: NDArray[np.float32]
    gained: NDArray[np.float32]
    kept: NDArray[np.float32]


def blank_lessons(positions: int, strikes: int) -> Lessons:
    """Lessons of N positions with K strikes each that say nothing yet."""
    sizes = {"observation": (SIZE,), "glance": (N_GLANCED,)}
    of_strikes = {"strikes": (3,), "glances": (N_GLANCED,)}
    shapes = sizes | {
        name: (strikes, *of_strikes.get(name, ())) for name in Lessons._fields if name not in sizes
    }
    return Lessons(
        **{name: np.zeros((positions, *shapes[name]), np.float32) for name in Lessons._fields}
    )


def joined(parts: Sequence[Lessons]) -> Lessons:
    """All of them in one."""
    return Lessons(*(np.concatenate(leaves) for leaves in zip(*parts, strict=True)))


def newest(lessons: Lessons, count: int) -> Lessons:
    """The last ``count`` positions."""
    return Lessons(*(leaf[-count:] for leaf in lessons))


def mirrored(lessons: Lessons, rows: NDArray[np.bool_]) -> Lessons:
    """The lessons with the positions in ``rows`` (N,) seen in a mirror: left is right."""
    observation, strikes = lessons.observation.copy(), lessons.strikes.copy()
    observation[rows] *= _MIRRORED_OBSERVATION
    strikes[rows] *= _MIRRORED_STRIKE
    return lessons._replace(observation=observation, strikes=strikes)


_MIRRORED_OBSERVATION = np.ones(SIZE, np.float32)
_MIRRORED_OBSERVATION[0:PIECES_SIZE:PIECE_FEATURES] = -1
_MIRRORED_STRIKE = np.array([-1, -1, 1], np.float32)
"""Place and direction change their sign."""
