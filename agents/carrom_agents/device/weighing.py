"""Strikes weighed for many boards at once: what ``shots`` and ``aftermath`` say, in lanes.

Ways of carrommen into pockets are weighed together, of all boards, and only those that are
open. The last axis of every array runs over them, so that the processor's vectors do.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from carrom.action import N_POCKETS, N_SHOTS
from carrom.aiming import as_points, straight_place
from carrom.board import Board
from carrom.pieces import N_PER_SIDE
from carrom_agents.aftermath import aftermath
from carrom_agents.device.lanes import Served, serve
from carrom_agents.scripted import TARGETS, Aimer, stirring
from carrom_agents.shots import (
    ShotOptions,
    Shots,
    Ways,
    is_free,
    is_possible,
    is_thick,
    way_room,
    weighed,
)
from carrom_agents.ways import others, pocket_aims

_LANES = 512
"""Ways weighed together."""
_RARELY = 32
"""Boards served together where few need it."""
_N_TARGETS = len(TARGETS)
_TARGET_OF_WAY = np.repeat(TARGETS, N_POCKETS)
_OWN_WAYS = N_PER_SIDE * N_POCKETS
"""The first of the ways are those of own carrommen, the others the queen's."""


class Boards(NamedTuple):
    """Positions to decide in, of B boards.

    Attributes:
        pieces: complex64 (B, 19), see ``ways.standing``.
        wanted: bool (B, 10), which of ``TARGETS`` may be shot at.
        needs_cover: bool (B,), whether there are own carrommen that the queen's cover, and so
            her worth, depends on.
        places: float32 (B, P), m, where the striker may stand; inf where there are no more.
    """

    pieces: jax.Array
    wanted: jax.Array
    needs_cover: jax.Array
    places: jax.Array


class Aimed(NamedTuple):
    """The shot of greatest value on each of B boards.

    Attributes:
        value: float32 (B,), -inf where there is no shot.
        place: float32 (B,), of the striker, m.
        start: complex64 (B,), the carromman's centre.
        aim: complex64 (B,), where it is to go.
        arrival: float32 (B,), how fast it is to get there, m/s.
    """

    value: jax.Array
    place: jax.Array
    start: jax.Array
    aim: jax.Array
    arrival: jax.Array


class _Kept(NamedTuple):
    """Shots of m ways: A arrivals and K places for each.

    Attributes:
        risk: float32 (A, K, m), that the carromman is not pocketed; inf for no shot.
        spoilt: float32 (A, K, m), see ``Aimer.spoilt``.
        place: float32 (K, m), m.
    """

    risk: jax.Array
    spoilt: jax.Array
    place: jax.Array


def best_shots(rules: Aimer, board: Board, boards: Boards) -> Aimed:
    """The best of the shots that ``shots.direct_shots`` finds, by ``rules``."""
    n_boards, options = len(boards.pieces), rules.options
    ways, needed = _ways_in_question(board, boards, options)
    arrivals = np.array(options.arrivals, np.float32)

    def work(index: jax.Array) -> _Kept:
        pieces, places = (rows[index // N_SHOTS].T for rows in (boards.pieces, boards.places))
        lane = ways.take(index)
        obstacles = others(pieces, lane.carromman)
        tried = _most_promising(board, lane, places, obstacles, options)
        shots = weighed(board, lane, tried.place, arrivals[:, None, None], options)
        after = aftermath(board, shots, obstacles, options.material)
        there = jnp.isfinite(tried.risk) & is_possible(shots, options)
        return _Kept(_risk(shots, there), rules.spoilt(after), tried.place)

    served = serve(needed, work, _LANES)
    loss, slot, worth = _losses(rules, served, needed, boards.needs_cover)
    n_kept = options.kept
    own, queen = (
        _first_of_least(loss[:, part], slot[:, part] // n_kept)
        for part in (slice(0, _OWN_WAYS), slice(_OWN_WAYS, None))
    )
    every = jnp.arange(n_boards)
    own_value, queen_value = 1 - loss[every, own], worth - loss[every, _OWN_WAYS + queen]
    way = jnp.where(queen_value > own_value, _OWN_WAYS + queen, own)
    arrival, kept = jnp.divmod(slot[every, way], n_kept)
    item = every * N_SHOTS + way
    return Aimed(
        value=jnp.maximum(own_value, queen_value),
        place=served.results.place[kept, served.column[item]],
        start=ways.start[item],
        aim=ways.aim[item],
        arrival=jnp.asarray(arrivals)[arrival],
    )


def chances(options: ShotOptions, board: Board, boards: Boards) -> jax.Array:
    """The chance of the likeliest direct shot at each of ``TARGETS``, float32 (B, 10).

    It is that of the slowest arrival, zero where there is no shot or none is wanted.
    """
    ways, needed = _ways_in_question(board, boards, options)

    def work(index: jax.Array) -> jax.Array:
        pieces, places = (rows[index // N_SHOTS].T for rows in (boards.pieces, boards.places))
        lane = ways.take(index)
        tried = _most_promising(board, lane, places, others(pieces, lane.carromman), options)
        return jnp.min(tried.risk, axis=0)

    served = serve(needed, work, _LANES)
    risk = jnp.where(needed, served.results[served.column], 1.0)
    likeliest = jnp.min(risk.reshape(len(boards.pieces), _N_TARGETS, N_POCKETS), axis=2)
    return 1 - jnp.minimum(likeliest, 1.0)


def _ways_in_question(board: Board, boards: Boards, options: ShotOptions) -> tuple[Ways, jax.Array]:
    """Every way of a target into a pocket, (40 B,), and which of them there may be shots on."""
    ways, is_open = _all_ways(board, boards)
    needed = is_open & jnp.repeat(boards.wanted, N_POCKETS, axis=1).reshape(-1)
    return ways, needed & _may_be_thick(board, ways, options)


def _all_ways(board: Board, boards: Boards) -> tuple[Ways, jax.Array]:
    """Every way of a target into a pocket, (40 B,), and whether nothing lies on it."""
    n_boards = len(boards.pieces)
    centres = boards.pieces[:, TARGETS]
    start = jnp.repeat(centres, N_POCKETS, axis=1).reshape(-1)
    aim = pocket_aims(board, centres).reshape(-1)
    carromman = jnp.tile(jnp.asarray(_TARGET_OF_WAY, jnp.int32), n_boards)
    pocket = jnp.arange(n_boards * N_SHOTS, dtype=jnp.int32) % N_POCKETS
    obstacles = others(jnp.repeat(boards.pieces.T, N_SHOTS, axis=1), carromman)
    is_open, room = way_room(board, start, aim, obstacles)
    return Ways(carromman, pocket, start, aim, room), is_open


def _may_be_thick(board: Board, ways: Ways, options: ShotOptions) -> jax.Array:
    """Whether there is a place, free or not, from which the contact is thick, bool (40 B,).

    Rim friction apart the cut is least from where the shot is straight, or, if the ghost lies
    behind the base line, from one of its ends.
    """
    straight = straight_place(board, as_points(ways.start).T, as_points(ways.aim).T)
    end = board.base_line_length / 2
    each = (is_thick(board, ways.start, ways.aim, x, options) for x in (straight, -end, end))
    return functools.reduce(jnp.logical_or, each)


class _Tried(NamedTuple):
    """Places, (K, m), m, and the risks of the shots from there; inf where there are no more."""

    risk: jax.Array
    place: jax.Array


def _most_promising(
    board: Board, ways: Ways, places: jax.Array, obstacles: jax.Array, options: ShotOptions
) -> _Tried:
    """The places with the least risk at the slowest arrival, the first of equal ones first."""
    is_place = jnp.isfinite(places)
    places = jnp.where(is_place, places, 0.0)
    shots = weighed(board, ways, places, options.arrivals[0], options)
    there = is_place & is_thick(board, ways.start, ways.aim, places, options)
    there &= is_free(board, shots, obstacles, options)
    promise, row = lax.top_k(-_risk(shots, there).T, options.kept)
    return _Tried(-promise.T, jnp.take_along_axis(places, row.T, axis=0))


def _risk(shots: Shots, there: jax.Array) -> jax.Array:
    """Risks of those shots that are there, inf elsewhere."""
    return jnp.where(there, shots.risk, jnp.inf)


def _losses(
    rules: Aimer, served: Served, needed: jax.Array, needs_cover: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """What risk and spoilt things take from what the best shot of each way is worth.

    Losses are compared and not values, in whose digits the differences of small losses vanish.

    Returns:
        Loss of each way's best shot, (B, 40), inf where there is none; which it is, (B, 40),
        as an index into arrivals and kept places; the queen's worth, (B,).
    """
    kept: _Kept = served.results
    n_boards = len(needs_cover)

    def by_way(values: jax.Array, otherwise: float) -> jax.Array:
        values = jnp.where(needed, values[served.column], otherwise)
        return values.reshape(n_boards, N_SHOTS)

    risk = by_way(jnp.min(kept.risk, axis=(0, 1)), jnp.inf)
    cover = 1 - jnp.minimum(jnp.min(risk[:, :_OWN_WAYS], axis=1), 1.0)
    queens = rules.queen_worth * jnp.where(needs_cover, cover, 1.0)
    row, way = jnp.divmod(jnp.minimum(served.item, len(needed) - 1), N_SHOTS)
    worth = jnp.where(way < _OWN_WAYS, 1.0, queens[row])
    loss = jnp.where(jnp.isfinite(kept.risk), worth * kept.risk + kept.spoilt, jnp.inf)
    loss = loss.reshape(-1, loss.shape[-1])
    slot = by_way(jnp.argmin(loss, axis=0).astype(jnp.int32), 0)
    return by_way(jnp.min(loss, axis=0), jnp.inf), slot, queens


def _first_of_least(loss: jax.Array, arrival: jax.Array) -> jax.Array:
    """Column of the least loss in each row, the slowest arrival first if there are several."""
    is_least = loss == jnp.min(loss, axis=1, keepdims=True)
    return jnp.argmin(jnp.where(is_least, arrival, jnp.iinfo(arrival.dtype).max), axis=1)


def stirs(
    rules: Aimer, board: Board, boards: Boards, asked: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """What to hit full where it is ``asked``, bool (B,), and there is anything to be hit.

    Returns:
        The striker's place, (B,), m, and the centre of the carromman, complex64 (B,).
    """
    n_boards = len(boards.pieces)
    own = boards.wanted.at[:, -1].set(False)
    # The queen only if there is nothing else.
    candidates = jnp.where(jnp.any(own, axis=1, keepdims=True), own, boards.wanted)

    def work(index: jax.Array) -> tuple[jax.Array, jax.Array]:
        row, target = jnp.divmod(index, _N_TARGETS)
        carromman = jnp.asarray(TARGETS, jnp.int32)[target]
        pieces, places = (rows[row].T for rows in (boards.pieces, boards.places))
        is_place = jnp.isfinite(places)
        places = jnp.where(is_place, places, 0.0)
        centre = boards.pieces[row, carromman]
        good = stirring(board, places, centre, others(pieces, carromman), rules.options)
        good = jnp.where(is_place, good, -jnp.inf)
        best = jnp.argmax(good, axis=0)[None]
        return jnp.max(good, axis=0), jnp.take_along_axis(places, best, axis=0)[0]

    needed = (candidates & asked[:, None]).reshape(-1)
    served = serve(needed, work, _LANES)
    good, place = (leaf[served.column].reshape(n_boards, _N_TARGETS) for leaf in served.results)
    best = jnp.argmax(jnp.where(candidates, good, -jnp.inf), axis=1)
    every = jnp.arange(n_boards)
    return place[every, best], boards.pieces[every, jnp.asarray(TARGETS)[best]]


def middle_places(boards: Boards, asked: jax.Array) -> jax.Array:
    """The place in the middle of the list, (B,), m, where it is ``asked``, bool (B,)."""

    def work(index: jax.Array) -> jax.Array:
        places = jnp.sort(boards.places[index], axis=1)
        middle = jnp.sum(jnp.isfinite(places), axis=1, keepdims=True) // 2
        return jnp.take_along_axis(places, middle, axis=1)[:, 0]

    served = serve(asked, work, _RARELY)
    return served.results[served.column]
