"""Placing for ordinary Python: layouts in, points out, compiled once per board on the CPU."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike, NDArray

from carrom.board import Board
from carrom.errors import ActionError, ConfigError, FactsError
from carrom.laws import dues, placing
from carrom.laws.host import cpu
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN

_DUE_LAWS = ("85", "89.b", "86", "114")
"""The laws that the faults of ``dues.DueFaults`` break, in its order."""


def place_centre_jit(layout: Layout, next_seat: int, *, board: Board) -> tuple[float, float]:
    """``carrom.laws.place_centre`` on a layout that lacks the piece to be placed.

    Raises:
        ConfigError: ``next_seat`` is not 0 to 3.
    """
    _check_among("next_seat", [next_seat], range(4))
    place = _compiled(placing.place_centre, board)
    return _point(place(layout.positions, layout.on_board, np.int32(next_seat)))


def place_jumped_jit(
    layout: Layout,
    jumped: NDArray[np.bool_],
    striker_colour: int,
    next_seat: int,
    *,
    board: Board,
) -> Layout:
    """``carrom.laws.place_jumped`` on a layout that lacks the pieces that jumped.

    Raises:
        FactsError: ``jumped`` is not bool (19,), or marks carrommen that lie on the board.
        ConfigError: there is no such colour or seat.
    """
    jumped = np.asarray(jumped)
    if jumped.shape != (N_CARROMMEN,) or jumped.dtype != bool:
        raise FactsError(f"jumped = {jumped!r}: expected a bool array of shape ({N_CARROMMEN},)")
    if np.any(jumped & layout.on_board):
        both = np.flatnonzero(jumped & layout.on_board).tolist()
        raise FactsError(f"carrommen {both} jumped off the board but lie on it")
    _check_among("striker_colour", [striker_colour], range(2))
    _check_among("next_seat", [next_seat], range(4))
    place = _compiled(placing.place_jumped, board)
    positions, on_board = place(
        layout.positions, layout.on_board, jumped, np.int32(striker_colour), np.int32(next_seat)
    )
    # What did not jump stays to the last bit.
    placed = np.where(jumped[:, None], np.asarray(positions, np.float64), layout.positions)
    return Layout(placed, np.asarray(on_board))


def place_due_jit(
    layout: Layout, debtor_seats: Sequence[int], *, board: Board
) -> tuple[float, float] | None:
    """``carrom.laws.place_due`` on a layout that lacks the carromman; None without room.

    Args:
        layout: where the others lie.
        debtor_seats: all seats of the debtor's side.
        board: the board.

    Raises:
        ConfigError: there is no seat, or one is not 0 to 3.
    """
    _check_among("debtor_seats", debtor_seats, range(4))
    place, found = _compiled(dues.place_due, board)(
        layout.positions, layout.on_board, np.isin(np.arange(4), debtor_seats)
    )
    return _point(place) if found else None


def nearest_due_place_jit(
    layout: Layout, wished: tuple[float, float], *, board: Board
) -> tuple[float, float] | None:
    """``carrom.laws.nearest_due_place`` on a layout that lacks the carromman.

    Returns:
        ``wished`` itself, to the last bit, if it is legal; None without room.

    Raises:
        ActionError: ``wished`` is not a finite point.
    """
    wish = _checked("wished", wished, 1)
    if not due_faults_jit(layout, wished, board=board):
        return float(wish[0]), float(wish[1])
    place, found = _compiled(dues.nearest_due_place, board)(wish, layout.positions, layout.on_board)
    return _point(place) if found else None


def due_faults_jit(layout: Layout, point: tuple[float, float], *, board: Board) -> tuple[str, ...]:
    """The laws broken by placing a due at ``point``, on a layout that lacks the carromman.

    Returns:
        Some of "85" (outside the outer circle), "89.b" (on the centre circle), "86" (onto
        another carromman) and "114" (a shot with the queen), in this order; empty if legal.

    Raises:
        ActionError: ``point`` is not a finite point.
    """
    faults = _compiled(dues.due_faults, board)(
        _checked("point", point, 1), layout.positions, layout.on_board
    )
    return tuple(law for law, broken in zip(_DUE_LAWS, faults, strict=True) if broken)


def legal_due_places_jit(layout: Layout, points: ArrayLike, *, board: Board) -> NDArray[np.bool_]:
    """``carrom.laws.legal_due_place`` at ``points`` (n, 2), bool (n,); compiled for each n.

    Raises:
        ActionError: ``points`` has another shape or is not finite.
    """
    points = _checked("points", points, 2)
    legal = _compiled(dues.legal_due_place, board)(points, layout.positions, layout.on_board)
    return np.asarray(legal)


def _check_among(name: str, numbers: Sequence[int], allowed: range) -> None:
    """Refuse ``numbers`` unless there are some and all are ``allowed``."""
    if not numbers or not set(numbers) <= set(allowed):
        raise ConfigError(f"{name} = {numbers}: expected numbers among {list(allowed)}")


def _checked(name: str, points: ArrayLike, dimensions: int) -> NDArray[np.float64]:
    """Finite points of shape (2,) or, with two ``dimensions``, (n, 2)."""
    array = np.asarray(points, np.float64)
    if array.ndim != dimensions or array.shape[-1] != 2 or not np.all(np.isfinite(array)):
        wanted = "a point (2,)" if dimensions == 1 else "points (n, 2)"
        raise ActionError(f"{name} = {points!r}: expected {wanted}, finite, in metres")
    return array


def _point(place: jax.Array) -> tuple[float, float]:
    x, y = np.asarray(place, np.float64)
    return float(x), float(y)


@functools.cache
def _compiled(function: Callable[..., Any], board: Board) -> Callable[..., Any]:
    return jax.jit(
        functools.partial(function, board=board), in_shardings=cpu(), out_shardings=cpu()
    )
