"""States, facts and rulings as JSON: only the fields that differ from a reference.

So a file names every field it holds, and a stroke says what it changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from carrom.errors import ConfigError
from carrom.finite import is_finite
from carrom.laws import LAW_IDS, Event, QueenState, Ruling, StrokeFacts
from carrom.laws.state import flags, integers
from carrom.layout import Layout
from carrom.pieces import N_CARROMMEN, N_DISCS

Tree = TypeVar("Tree")

PLAIN_FACTS = StrokeFacts.shot()
"""The facts that others are told apart from."""
_BOUNDS = {
    "breach": (-1, len(LAW_IDS) - 1),
    "breaker_seat": (0, 3),
    "event": (0, max(Event)),
    "opener_seat": (0, 3),
    "placer_seat": (-1, 3),
    "queen": (0, max(QueenState)),
    "rotation": (0, 3),
    "seat": (0, 3),
    "striker": (0, 1),
    "winner": (-1, 1),
}
"""Least and largest value of the fields that are names of something."""
_NO, _NONE, _NEITHER = flags(False), integers(0), integers([0, 0])
PLAIN_RULING = Ruling(
    striker=_NONE,
    returned=_NEITHER,
    returned_own=_NONE,
    dues_paid=_NEITHER,
    dues_charged=_NEITHER,
    penalties_charged=_NEITHER,
    waived=_NEITHER,
    owed=_NEITHER,
    placer_seat=integers([-1, -1]),
    queen_returned=_NO,
    replaced=_NEITHER,
    queen_replaced=_NO,
    turn_kept=_NO,
    turn_lost=_NO,
    rebreak=_NO,
    board_over=_NO,
    board_replayed=_NO,
    winner=integers(-1),
    points=_NEITHER,
    claims=_NONE,
    white_slam=_NO,
    black_slam=_NO,
    game_over=_NO,
    match_over=_NO,
    sides_change=_NO,
    breach=integers(-1),
    laws=integers([0] * 8),
)
"""The ruling that others are told apart from: it decides nothing."""


def changes(tree: Any, reference: Any) -> dict[str, Any]:
    """The fields of ``tree`` that differ from those of ``reference``, nested alike."""
    changed: dict[str, Any] = {}
    for leaf in dataclasses.fields(tree):
        value, other = getattr(tree, leaf.name), getattr(reference, leaf.name)
        if dataclasses.is_dataclass(value):
            inner = changes(value, other)
            if inner:
                changed[leaf.name] = inner
        elif not np.array_equal(value, other):
            changed[leaf.name] = np.asarray(value).tolist()
    return changed


def changed(data: Any, reference: Tree, where: str) -> Tree:
    """The inverse of ``changes``.

    Raises:
        ConfigError: a field that there is not, or a value of another kind; says ``where``.
    """
    known = {leaf.name for leaf in dataclasses.fields(reference)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in mapping(data, where).items():
        place = f"{where}.{name}"
        if name not in known:
            raise ConfigError(f"{place}: no such field")
        other = getattr(reference, name)
        if dataclasses.is_dataclass(other):
            values[name] = changed(value, other, place)
        else:
            bounds = _BOUNDS.get(name, (-(2**31), 2**31 - 1))
            values[name] = _leaf(value, np.asarray(other), bounds, place)
    return dataclasses.replace(reference, **values)  # type: ignore[type-var]


def _leaf(value: Any, like: NDArray[Any], bounds: tuple[int, int], where: str) -> Any:
    flat = value if isinstance(value, list) else [value]
    kind = bool if like.dtype == bool else int
    good = isinstance(value, list) == bool(like.shape) and all(type(one) is kind for one in flat)
    if not good or len(flat) != max(like.size, 1):
        shape = f" of shape {like.shape}" if like.shape else ""
        raise ConfigError(f"{where} = {value!r:.60}: expected {kind.__name__}{shape}")
    if kind is bool:
        return flags(value)
    low, high = bounds
    if not all(low <= one <= high for one in flat):
        raise ConfigError(f"{where} = {value!r:.60}: expected {low} to {high}")
    return integers(value)


def layout_changes(before: Layout, after: Layout) -> dict[str, Any]:
    """By index, where carrommen lie now that lay elsewhere, to the bit; None for those gone."""
    moved = np.any(before.positions != after.positions, axis=1)
    moved |= before.on_board != after.on_board
    return {
        str(index): after.positions[index].tolist() if after.on_board[index] else None
        for index in np.flatnonzero(moved).tolist()
    }


def layout_changed(data: Any, before: Layout, where: str) -> Layout:
    """The inverse of ``layout_changes``.

    Raises:
        ConfigError: no such carromman, or no place; says ``where``.
    """
    positions, on_board = before.positions.copy(), before.on_board.copy()
    for key, place in mapping(data, where).items():
        index = key_of(key, f"{where}.{key:.60}", N_CARROMMEN)
        on_board[index] = place is not None
        if place is not None:
            positions[index] = numbers(place, 2, f"{where}.{key:.60}")
    return Layout(positions, on_board)


def mapping(data: Any, where: str) -> Mapping[str, Any]:
    """``data`` if it is a JSON object, else ConfigError."""
    if not isinstance(data, dict):
        raise ConfigError(f"{where} = {data!r:.60}: expected an object")
    return data


def item(data: Mapping[str, Any], name: str, where: str) -> Any:
    """``data[name]``, or a ConfigError that says it is missing."""
    if name not in data:
        raise ConfigError(f"{where}: {name} is missing")
    return data[name]


def listed(data: Any, where: str) -> list[Any]:
    """``data`` if it is a JSON list, else ConfigError."""
    if not isinstance(data, list):
        raise ConfigError(f"{where} = {data!r:.60}: expected a list")
    return data


def numbers(data: Any, count: int, where: str) -> list[float]:
    """``count`` finite numbers, else ConfigError."""
    good = isinstance(data, list) and len(data) == count
    if not (good and all(_is_number(value) for value in data)):
        raise ConfigError(f"{where} = {data!r:.60}: expected {count} finite numbers")
    return [float(value) for value in data]


def number(data: Any, where: str) -> float:
    """A finite number, else ConfigError."""
    return numbers([data], 1, where)[0]


def whole(data: Any, where: str, end: int = N_DISCS) -> int:
    """A whole number from 0 up to but not including ``end``, else ConfigError."""
    if not (type(data) is int and 0 <= data < end):
        raise ConfigError(f"{where} = {data!r:.60}: expected a whole number from 0 to {end - 1}")
    return data


def key_of(data: str, where: str, end: int) -> int:
    """The whole number below ``end`` that a key of an object is, else ConfigError."""
    # Not by int(): it refuses thousands of digits, and takes those of every script.
    keys = {str(number): number for number in range(end)}
    return whole(keys.get(data, data), where, end)


def text(data: Any, where: str) -> str:
    """A string, else ConfigError."""
    if not isinstance(data, str):
        raise ConfigError(f"{where} = {data!r:.60}: expected text")
    return data


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and is_finite(value)
