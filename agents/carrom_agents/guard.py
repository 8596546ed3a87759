"""What a vector environment gives back, kept from the learner where it is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carrom.errors import Dump

MOST_STROKES = 4
"""Failed strokes of a rollout that are dumped."""


def finite_rows(array: NDArray[np.floating]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """An array (B, ...) with rows of zeros for those not finite, and which are, bool (B,)."""
    finite: NDArray[np.bool_] = np.all(np.isfinite(array).reshape(len(array), -1), axis=1)
    clean = array.copy()
    clean[~finite] = 0
    return clean, finite


def finite_action(action: Any) -> Any:
    """An environment's action with zeros for what is not finite in it.

    The learner is told of the action as it was drawn, and skips it; the boards go on.
    """
    if isinstance(action, dict):
        return action | {"residual": np.nan_to_num(action["residual"])}
    return np.nan_to_num(action)


def failures(infos: dict[str, Any], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Strokes that the physics gave up in a step, (B,) each.

    Args:
        infos: of the step of a vector environment; toys tell of no failures.
        count: B.

    Returns:
        Those before the step's end, and those after it, where the next episode began at once.
    """
    final = infos.get("final_info", {})
    ended = np.asarray(infos.get("_final_info", np.zeros(count, bool)))
    before, last = (_told(told, count) for told in (infos, final))
    return np.where(ended, last, before), np.where(ended, before, 0)


def _told(infos: dict[str, Any], count: int) -> NDArray[np.int64]:
    there = infos.get("_failures", np.zeros(count, bool))
    return np.where(there, infos.get("failures", 0), 0).astype(np.int64)


def failed_strokes(envs: Any) -> list[Dump]:
    """The dumps of the strokes of the last step that the physics gave up.

    Args:
        envs: a ``carrom.CarromVectorEnv``; others keep no strokes.
    """
    boards = getattr(envs.unwrapped, "last_strokes", ())
    return [
        stroke.failure.dump for board in boards for stroke in board if stroke.failure is not None
    ]
