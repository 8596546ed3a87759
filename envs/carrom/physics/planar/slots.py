"""Few carrommen in few slots: what costs is slots, not carrommen.

The functions take NumPy or JAX arrays and give the same kind, also inside jitted code.
"""

from __future__ import annotations

from typing import Any

from carrom.errors import BoardError

SIZES = (10, 14, 20)
"""Numbers of slots there are programs for, the striker's included."""


def slots_for(carrommen: int) -> int:
    """The fewest slots that hold so many carrommen and the striker.

    Raises:
        BoardError: there are no boards with so many.
    """
    for size in SIZES:
        if carrommen < size:
            return size
    raise BoardError(f"{carrommen} carrommen: expected at most {SIZES[-1] - 1}")


def to_slots(positions: Any, on_board: Any, slots: int) -> tuple[Any, Any, Any]:
    """Move the carrommen that are on the board to the first slots, in index order.

    Args:
        positions: (L, 19, 2), m.
        on_board: (L, 19), bool; at most ``slots`` - 1 of them, or the last ones are lost.
        slots: striker's slot included.

    Returns:
        positions (L, slots - 1, 2), on_board (L, slots - 1), and the carromman in each slot,
        (L, slots - 1).
    """
    xp = on_board.__array_namespace__()
    up_to, slot = xp.cumulative_sum(on_board, axis=1), xp.arange(slots - 1)
    # As many as there are before the one in a slot; sorting would take several times as long.
    carromman = xp.sum(up_to[:, None] <= slot[:, None], axis=2)
    present = slot < up_to[:, -1:]
    carromman = xp.minimum(carromman, up_to.shape[1] - 1)
    places = xp.take_along_axis(positions, carromman[..., None], axis=1)
    return places, present, carromman


def from_slots(values: Any, on_board: Any) -> Any:
    """Values of the carrommen in index order, from values in slots.

    Args:
        values: (M, slots, ...), as in ``Outcomes``.
        on_board: (M, 19), bool, before the stroke, as given to ``to_slots``.

    Returns:
        (M, 19, ...); what stands at a carromman that was not on the board means nothing.
    """
    xp = on_board.__array_namespace__()
    slot = xp.minimum(xp.cumulative_sum(on_board, axis=1) - 1, values.shape[1] - 2)
    slot = xp.maximum(slot, 0).reshape(*slot.shape, *(1,) * (values.ndim - 2))
    return xp.take_along_axis(values, slot, axis=1)
