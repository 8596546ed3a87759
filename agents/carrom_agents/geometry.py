"""What the geometry of the board says about every direct shot: the network's inputs.

A shot is a pair (target, pocket) in the order of the target coding: nine own carrommen, then
the queen, each with four pockets. Each shot is described as such, and from every place of a
fixed set along the base line and from the place where it is straight. Nothing here is
learnt; everything is in the striking player's frame and made dimensionless, and carrommen
off the board change nothing. JAX, so that it is compiled together with the network.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from carrom.action import N_POCKETS, N_SHOTS
from carrom.baseline import legal_places
from carrom.board import Board
from carrom.observation import PIECE_FEATURES, PIECES_SIZE
from carrom.pieces import N_CARROMMEN, N_PER_SIDE, QUEEN

_TARGET_OF_SHOT = np.repeat([*range(N_PER_SIDE), QUEEN], N_POCKETS)
"""Index of each shot's target among the carrommen, (40,)."""
_POCKET_OF_SHOT = np.arange(N_SHOTS) % N_POCKETS
_IS_OTHER = np.arange(N_CARROMMEN)[:, None] != _TARGET_OF_SHOT
"""(19, 40): the carromman is not the shot's target."""

_MIDDLE_PLACES = 9
N_PLACES = 1 + _MIDDLE_PLACES + 2
"""The place where the shot is straight, places between the base circles, the two circles."""

_GAP_SCALE = 0.02
"""m: whether there is a gap matters on the scale of a carromman's radius; it saturates."""
_FAR = 1.0
"""m: the gap where nothing is in the way."""
_TINY = 1e-6
"""Keeps divisions by a length finite where a carromman off the board stands for one on it."""


@struct.dataclass
class Position:
    """A position as the network reads it; leading axes are batch axes.

    Attributes:
        pieces: (..., 19, 6): x and y in half sides, on the board, and which of own,
            opponent's, queen it is.
        present: bool (..., 19): on the board.
        shots: (..., 40, 10): of each shot the target's x and y, and the way to the pocket as
            x, y and length in half sides; whether a straight shot exists; the gap along the
            carromman's way; on which side the pocket lies in x and in y; whether the target
            is the queen.
        places: (..., 40, N_PLACES, 5): of each shot from each place the cosine of the cut,
            the length of the striker's way in half sides, the gap along it, the gap round
            the striker where it is placed, and the place in half base lines.
        shifts: (..., 40, N_PLACES): the place residual of the target coding that means the
            place.
        allowed: bool (..., 40): the shot's target is on the board.
        game: (..., 17): the rest of the observation.
    """

    pieces: jax.Array
    present: jax.Array
    shots: jax.Array
    places: jax.Array
    shifts: jax.Array
    allowed: jax.Array
    game: jax.Array


@struct.dataclass
class _Vectors:
    """Plane vectors, m.

    The coordinates lie in two arrays because an innermost axis of size two keeps the
    compiler from using vector instructions (measured: five times slower).
    """

    x: jax.Array
    y: jax.Array

    @classmethod
    def of(cls, points: jax.Array) -> _Vectors:
        """From points (..., 2)."""
        return cls(points[..., 0], points[..., 1])

    def __getitem__(self, index: Any) -> _Vectors:
        return _Vectors(self.x[index], self.y[index])

    def __sub__(self, other: _Vectors) -> _Vectors:
        return _Vectors(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: jax.Array | float) -> _Vectors:
        return _Vectors(self.x * factor, self.y * factor)

    def dot(self, other: _Vectors) -> jax.Array:
        return self.x * other.x + self.y * other.y

    def norm(self) -> jax.Array:
        """Length; never zero."""
        return jnp.sqrt(self.dot(self) + _TINY**2)


def describe(board: Board, observation: jax.Array) -> Position:
    """The network's inputs for observations (..., 74).

    The positions in them must be in metres; the game features may be normalised.
    """
    batch = observation.shape[:-1]
    pieces = observation[..., :PIECES_SIZE].reshape(*batch, N_CARROMMEN, PIECE_FEATURES)
    present = pieces[..., 2] > 0.5
    points = _Vectors.of(pieces[..., :2])
    targets = points[..., _TARGET_OF_SHOT]
    pockets = _Vectors.of(jnp.asarray(board.pocket_centres[_POCKET_OF_SHOT], jnp.float32))
    way = pockets - targets
    straight, exists = _straight_places(board, targets, way)
    others = present[..., None] & _IS_OTHER  # (..., 19, 40): no target is in its own way
    gap = _gap(points, others, targets, way) - 2 * board.carromman_radius
    shots = [
        *(targets.x / board.half_side, targets.y / board.half_side),
        *(way.x / board.half_side, way.y / board.half_side, way.norm() / board.half_side),
        *(exists, _squash(gap)),
        *(jnp.sign(pockets.x), jnp.sign(pockets.y)),
        jnp.asarray(_TARGET_OF_SHOT == QUEEN, jnp.float32),
    ]
    shots = [jnp.broadcast_to(feature, way.x.shape) for feature in shots]
    places = _candidate_places(board, straight)
    kind = np.repeat(np.eye(3, dtype=np.float32), [N_PER_SIDE, N_PER_SIDE, 1], axis=0)
    return Position(
        pieces=jnp.concatenate(
            [
                pieces[..., :2] / board.half_side,
                pieces[..., 2:],
                jnp.broadcast_to(kind, (*batch, *kind.shape)),
            ],
            axis=-1,
        ),
        present=present,
        shots=jnp.stack(shots, axis=-1),
        places=_from_places(board, points, present, others, targets, way, places),
        shifts=(places - straight[..., None]) * (2 / board.base_line_length),
        allowed=present[..., _TARGET_OF_SHOT],
        game=observation[..., PIECES_SIZE:],
    )


def _squash(gap: jax.Array) -> jax.Array:
    return jnp.tanh(gap / _GAP_SCALE)


def _straight_places(board: Board, targets: _Vectors, way: _Vectors) -> tuple[jax.Array, jax.Array]:
    """Where shots are straight (see ``carrom.aiming.straight_place``).

    Returns:
        Places (..., 40), m, and 1 where the shot is really straight from there, else 0.
    """
    end = board.base_line_length / 2
    forwards = way.y > 0
    slope = way.x / jnp.where(forwards, way.y, 1.0)
    crossing = targets.x - slope * (targets.y - board.base_line_y)
    place = jnp.where(forwards, jnp.clip(crossing, -end, end), -jnp.sign(way.x) * end)
    return place, (forwards & (jnp.abs(crossing) <= end)).astype(jnp.float32)


def _candidate_places(board: Board, straight: jax.Array) -> jax.Array:
    """Places tried for each shot, (..., 40, N_PLACES), m; the straight one first."""
    left, middle, right = legal_places(board)
    fixed = np.array([np.mean(left), *np.linspace(*middle, _MIDDLE_PLACES), np.mean(right)])
    fixed = jnp.broadcast_to(fixed.astype(np.float32), (*straight.shape, len(fixed)))
    return jnp.concatenate([straight[..., None], fixed], axis=-1)


def _from_places(
    board: Board,
    points: _Vectors,
    present: jax.Array,
    others: jax.Array,
    targets: _Vectors,
    way: _Vectors,
    places: jax.Array,
) -> jax.Array:
    """The features ``places`` of ``Position``, (..., 40, N_PLACES, 5)."""
    touching = board.striker_radius + board.carromman_radius
    line = way * (1 / way.norm())
    ghost = targets - line * touching
    start = _Vectors(places, jnp.full_like(places, board.base_line_y))
    run = ghost[..., None] - start
    length = run.norm()
    cosine = run.dot(line[..., None]) / length
    # The obstacles are compared with all shots from all places in one flat axis.
    flat = (*places.shape[:-2], N_SHOTS * N_PLACES)
    start, run = (_Vectors(v.x.reshape(flat), v.y.reshape(flat)) for v in (start, run))
    in_the_way = jnp.repeat(others, N_PLACES, axis=-1)
    run_gap = _gap(points, in_the_way, start, run) - touching
    # All places but the straight one are the same for every shot.
    straight, fixed = places[..., 0], places[..., 0, 1:]
    room = _room(board, points, present, jnp.concatenate([straight, fixed], axis=-1))
    around = jnp.broadcast_to(room[..., None, N_SHOTS:], (*straight.shape, N_PLACES - 1))
    start_gap = jnp.concatenate([room[..., :N_SHOTS, None], around], axis=-1)
    features = [
        cosine,
        length / board.half_side,
        _squash(run_gap.reshape(places.shape)),
        _squash(start_gap - touching),
        places * (2 / board.base_line_length),
    ]
    return jnp.stack(features, axis=-1)


def _room(board: Board, points: _Vectors, present: jax.Array, places: jax.Array) -> jax.Array:
    """Distance of the nearest carromman from the striker in each of the places (..., S), m."""
    start = _Vectors(places, jnp.full_like(places, board.base_line_y))
    offset = points[..., None] - start[..., None, :]
    square = jnp.where(present[..., None], offset.dot(offset), _FAR**2)
    return jnp.sqrt(jnp.min(square, axis=-2) + _TINY**2)


def _gap(points: _Vectors, obstacles: jax.Array, start: _Vectors, way: _Vectors) -> jax.Array:
    """Least distance of obstacles from the segments start + [0, 1] way.

    Args:
        points: (..., N).
        obstacles: bool (..., N, S): which points count for which segment.
        start: (..., S).
        way: (..., S).

    Returns:
        (..., S), m; ``_FAR`` where there is no obstacle.
    """
    start, way = start[..., None, :], way[..., None, :]
    offset = points[..., None] - start
    share = jnp.clip(offset.dot(way) / (way.dot(way) + _TINY**2), 0.0, 1.0)
    aside = offset - way * share
    square = jnp.where(obstacles, aside.dot(aside), _FAR**2)
    return jnp.sqrt(jnp.min(square, axis=-2) + _TINY**2)
