"""How many carrommen a turn is good for, and when in it the queen is best taken.

While a player pockets own carrommen he goes on (48), so a sure shot is worth the shots that
come after it, and a doubtful one is best left for last. The queen must be covered by the next
stroke (15), and before the last own carromman falls (107): she is taken when nothing surer is
left but her cover. Shots are taken for independent, and for as likely later as they are now.
"""

from __future__ import annotations

import numpy as np

from carrom_agents.ways import Float


def run_value(chances: Float) -> float:
    """Own carrommen that a turn is expected to pocket, the surest first.

    Args:
        chances: (k,), that each own carromman falls when it is shot at.
    """
    return float(_all_so_far(chances).sum())


def cover_value(chances: Float, worth: float) -> float:
    """What a turn is good for in which the queen has just been pocketed.

    Args:
        chances: (k,), of the own carrommen, the surest of which is to cover her.
        worth: carrommen that she is worth once she is covered.
    """
    so_far = _all_so_far(chances)
    return float(so_far.sum() + worth * so_far[:1].sum())


def run_with_queen(chances: Float, queen: float, worth: float) -> float:
    """What a turn is good for with the queen on the board, taken when it is best, or not at all.

    Args:
        chances: (k,), of the own carrommen.
        queen: chance that she falls when she is shot at; 0 if she may not be taken.
        worth: carrommen that she is worth once she is covered.
    """
    so_far = _all_so_far(chances)
    if not len(so_far):
        return 0.0
    # Taken after ``before`` own carrommen she is covered by the next; the last covers her yet.
    taken = [
        so_far[:before].sum() + queen * (so_far[before:].sum() + worth * so_far[before])
        for before in range(len(so_far))
    ]
    return float(max(so_far[:-1].sum(), *taken))


def _all_so_far(chances: Float) -> Float:
    """That the first, the first two, ... of the surest carrommen fall one after the other."""
    return np.cumprod(np.sort(chances)[::-1])
