"""From arrays to motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from carrom.layout import Layout
from carrom.physics.motion import Motion, Pocketing
from carrom.physics.planar.outcomes import Outcomes
from carrom.physics.planar.slots import from_slots
from carrom.pieces import STRIKER


def motions_of(outcomes: Outcomes, layouts: Sequence[Layout]) -> list[Motion]:
    """The outcomes, as NumPy arrays, of strokes on ``layouts`` that were put ``to_slots``."""
    before = np.stack([layout.on_board for layout in layouts])
    positions = from_slots(outcomes.positions, before).astype(np.float64)
    on_board = from_slots(outcomes.on_board, before) & before
    touched = from_slots(outcomes.touched, before) & before
    # What was not touched stays where it was, to the last bit of its float64.
    stayed = (on_board & ~touched)[..., None]
    positions = np.where(stayed, np.stack([layout.positions for layout in layouts]), positions)
    strikers = np.asarray(outcomes.positions[:, -1], np.float64)
    motions = []
    for k in range(len(layouts)):
        first = int(outcomes.first_touch[k])
        motions.append(
            Motion(
                layout=Layout(positions[k], on_board[k]),
                pocketed=_pocketed(outcomes, k, before[k]),
                first_touch=None if first < 0 else int(np.flatnonzero(before[k])[first]),
                touched=touched[k],
                duration=float(outcomes.durations[k]),
                striker=strikers[k] if outcomes.on_board[k, -1] else None,
            )
        )
    return motions


def _pocketed(outcomes: Outcomes, k: int, before: NDArray[np.bool_]) -> tuple[Pocketing, ...]:
    """What fell in stroke ``k``, in order; ``before``, (19,), is what was on the board."""
    pockets, times = outcomes.pockets[k], outcomes.fall_times[k]
    if not (pockets >= 0).any():
        return ()
    present = np.flatnonzero(before)
    fell = [slot for slot in np.argsort(times, stable=True).tolist() if pockets[slot] >= 0]
    return tuple(
        Pocketing(
            STRIKER if slot == len(pockets) - 1 else int(present[slot]),
            int(pockets[slot]),
            float(times[slot]),
        )
        for slot in fell
    )
