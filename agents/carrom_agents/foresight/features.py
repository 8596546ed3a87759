"""What the network is told of a position and of strikes in it.

Everything is in the striking player's frame, dimensionless, and of the order of one. Features lead,
then carrommen; positions B and the strikes K in each come last.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from carrom.board import Board
from carrom.functional import Sight
from carrom.observation import PIECE_FEATURES, PIECES_SIZE
from carrom.physics.material import Material
from carrom.physics.noise import NOISE_LEVELS, ExecutionNoise
from carrom.pieces import N_CARROMMEN, N_PER_SIDE
from carrom.view import OWN, QueenStatus
from carrom_agents.foresight.preview import NOBODY, Leg, Preview, left_lying, preview
from carrom_agents.planner.position import lines_of
from carrom_agents.planner.worth import GLANCE, features_on
from carrom_agents.ways import (
    TINY,
    heading_of,
    length,
    mouth,
    pocket_aims,
    pocket_centres,
    seen_from,
    standing,
    touching,
)

_KINDS = np.repeat(np.eye(3, dtype=np.float32), [N_PER_SIDE, N_PER_SIDE, 1], axis=0)
"""(19, 3): own, opponent's, the queen."""
_GAP = 0.02
"""m: gaps matter on the scale of a carromman's radius; they saturate."""
_FINEST = 0.5e-3
"""m: no gap matters more finely."""
_MARGINS = (0.01, 0.06)
"""m: scales on which it matters how a leg passes a pocket."""
_GLANCE_SCALE = np.array([1, 1 / 9, 1 / 9, 1, 1, 1, 1, 1 / 3, 1, 1 / 3, 1, 1], np.float32)
"""Of the planner's ``FEATURES``."""
_GAME_SCALE = np.array([*[1] * 5, 2, 2, 12, 12, 2, 2, 8, 1, 1, 3, 12, 1], np.float32)


class Lying(NamedTuple):
    """B positions.

    Attributes:
        pieces: float32 (F, 19, B), of each carromman.
        present: bool (19, B), on the board.
        game: float32 (29, B), the rest of the observation and a glance at the chances.
    """

    pieces: jax.Array
    present: jax.Array
    game: jax.Array


class Struck(NamedTuple):
    """K strikes in each of B positions.

    Attributes:
        strikes: float32 (G, B, K), of each strike.
        pairs: float32 (H, 19, B, K), of each carromman and strike.
    """

    strikes: jax.Array
    pairs: jax.Array


@dataclass(frozen=True)
class Describer:
    """Describes positions and strikes as a player believes board, discs and hand to be.

    Attributes:
        board: dimensions.
        material: friction and restitution.
        noise: errors of the hand.
    """

    board: Board = field(default_factory=Board)
    material: Material = field(default_factory=Material)
    noise: ExecutionNoise = NOISE_LEVELS["expert"]

    def glance(self, observation: jax.Array) -> jax.Array:
        """The planner's ``FEATURES`` of positions, observations (B, 74): float32 (B, 12)."""
        rows, present, _ = _discs(observation)
        return self._seen(rows[..., :2], present, observation)

    def glances(self, observation: jax.Array, strikes: jax.Array) -> jax.Array:
        """``FEATURES`` of what strikes (B, K, 3) in positions (B, 74) leave: (B, K, 12)."""
        _, present, centres = _discs(observation)
        shape = (N_CARROMMEN, *strikes.shape[:2])
        discs = jnp.broadcast_to(centres.T[:, :, None], shape)
        seen = preview(self.board, self.material, discs, strikes)
        left, falls = left_lying(self.board, self.material, discs, seen)
        stays = jnp.broadcast_to(present.T[:, :, None], shape) & ~falls
        left = jnp.where(stays, left, 0)
        positions = jnp.stack([left.real, left.imag], axis=-1)
        positions, stays = (
            jnp.moveaxis(leaf, 0, 2).reshape(-1, *leaf.shape[:1], *leaf.shape[3:])
            for leaf in (positions, stays)
        )
        each = jnp.repeat(observation, strikes.shape[1], axis=0)
        found = self._seen(positions, stays, each)
        return found.reshape(*strikes.shape[:2], -1)

    def _seen(self, positions: jax.Array, on_board: jax.Array, observation: jax.Array) -> jax.Array:
        """``FEATURES`` of positions (B, 19, 2), all else as in observations (B, 74)."""
        game = observation[:, PIECES_SIZE:]
        queen = jnp.argmax(game[:, :4], axis=1)
        taken = (queen == QueenStatus.ON_BOARD) & ~on_board[:, -1]
        queen = jnp.where(taken, QueenStatus.WAITING, queen).astype(jnp.int32)
        nothing = jnp.zeros(len(queen), jnp.int32)
        pair = jnp.zeros((len(queen), 2), jnp.int32)
        places = jax.vmap(lines_of(self.board).on, in_axes=(None, 0, 0))(
            jnp.int32(0), positions, on_board
        )
        sights = Sight(
            positions=positions,
            on_board=on_board,
            queen=queen,
            queen_allowed=(game[:, 4] > 0.5) | ~jnp.all(on_board[:, OWN], axis=1),
            owed=pair,
            score=pair,
            games=pair,
            board_number=nothing,
            plays_white=nothing == 0,
            break_to_be_made=nothing > 0,
            failed_breaks=nothing,
            idle_turns=nothing,
            turn_begun=nothing > 0,
            forward=jnp.zeros(len(queen), jnp.float32),
            places=places,
        )
        return features_on(GLANCE)(sights) * _GLANCE_SCALE

    def lying(self, observation: jax.Array, glance: jax.Array) -> Lying:
        """Describe positions, observations (B, 74), with ``glance`` of them."""
        rows, present, centres = _discs(observation)
        return Lying(
            pieces=jnp.transpose(_of_pieces(self.board, rows, present, centres)),
            present=present.T,
            game=jnp.concatenate([observation[:, PIECES_SIZE:] / _GAME_SCALE, glance], axis=1).T,
        )

    def struck(self, observation: jax.Array, strikes: jax.Array, glances: jax.Array) -> Struck:
        """Describe strikes (B, K, 3) in positions (B, 74), with ``glances`` at what they leave."""
        centres = _discs(observation)[2]
        discs = jnp.broadcast_to(centres.T[:, :, None], (N_CARROMMEN, *strikes.shape[:2]))
        seen = preview(self.board, self.material, discs, strikes)
        errors = _errors(self.board, self.noise, strikes, seen)
        told = _of_strikes(self.board, self.material, self.noise, strikes, seen, errors)
        return Struck(
            strikes=jnp.concatenate([told, jnp.moveaxis(glances, -1, 0)]),
            pairs=_of_pairs(self.board, discs, seen, errors),
        )


def _discs(observation: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Rows (B, 19, 3) of the carrommen, whether they are there, and their centres (B, 19)."""
    rows = observation[:, :PIECES_SIZE].reshape(-1, N_CARROMMEN, PIECE_FEATURES)
    present = rows[..., 2] > 0.5
    return rows, present, standing(rows[..., :2], present)


def _of_pieces(board: Board, rows: jax.Array, present: jax.Array, centres: jax.Array) -> jax.Array:
    """(B, 19, 14): place, kind, and of its ways into the pockets the gaps and the lengths."""
    aims = pocket_aims(board, centres)
    way = aims - centres[..., None]
    heading, end = heading_of(way), length(way)
    # (obstacle, B, carromman, pocket)
    obstacle = jnp.moveaxis(centres, 1, 0)[:, :, None, None]
    along, across = seen_from(centres[..., None], heading, obstacle)
    beside = (along > TINY) & (along < end + board.carromman_diameter)
    gap = jnp.min(jnp.where(beside, jnp.abs(across), 1.0), axis=0) - board.carromman_diameter
    kinds = jnp.broadcast_to(_KINDS, (*present.shape, 3))
    parts = [
        rows[..., :2] / board.half_side,
        present[..., None],
        kinds,
        jnp.tanh(gap / _GAP),
        end / board.half_side,
    ]
    return jnp.concatenate(parts, axis=-1) * present[..., None]


class _Errors(NamedTuple):
    """Standard errors of directions, rad, that the hand's errors come to.

    Attributes:
        hand: of the strike itself.
        sent: of the carromman that is met.
        combined: of the one that it meets.
    """

    hand: jax.Array
    sent: jax.Array
    combined: jax.Array


def _errors(board: Board, noise: ExecutionNoise, strikes: jax.Array, seen: Preview) -> _Errors:
    way = length(seen.impact.end - (strikes[..., 0] + 1j * board.base_line_y))
    # An error of the hand moves the point of contact, which turns the line of centres.
    across = jnp.sqrt((way * noise.direction) ** 2 + (noise.place * seen.impact.heading.imag) ** 2)
    sent = across / (touching(board) * jnp.maximum(seen.cut_cosine, 0.1))
    carried = sent * seen.sent.reach
    return _Errors(
        hand=jnp.full_like(sent, noise.direction),
        sent=sent,
        combined=carried / (board.carromman_diameter * jnp.maximum(seen.second_cosine, 0.1)),
    )


def _of_strikes(
    board: Board,
    material: Material,
    noise: ExecutionNoise,
    strikes: jax.Array,
    seen: Preview,
    errors: _Errors,
) -> jax.Array:
    """(G, B, K)."""
    carrommen = functools.partial(_of_leg, board, material, falls=True)
    striker = functools.partial(_of_leg, board, material, falls=False)
    legs = [
        *striker(seen.run, errors.hand),
        *striker(seen.rebound, errors.hand),
        *carrommen(seen.sent, errors.sent),
        *carrommen(seen.banked, errors.sent),
        *carrommen(seen.combined, errors.combined),
        *striker(seen.onward, errors.sent),
        *striker(seen.returned, errors.sent),
    ]
    kinds = np.concatenate([_KINDS, np.zeros((1, 3), np.float32)])
    met = [
        jnp.asarray(kinds[:, kind])[leg.met]
        for leg in (seen.impact, seen.sent, seen.onward)
        for kind in range(3)
    ]
    place, direction, speed = (strikes[..., axis] for axis in range(3))
    whole = [
        *(place * (2 / board.base_line_length), jnp.sin(direction), jnp.cos(direction)),
        *(speed / material.full_speed, seen.cut_cosine, seen.second_cosine),
        *(_log(errors.sent, noise.direction), _log(errors.combined, noise.direction)),
    ]
    return jnp.stack([*whole, *met, *legs])


def _log(angle: jax.Array, unit: float) -> jax.Array:
    return jnp.log1p(angle / unit) / 3


def _of_leg(
    board: Board, material: Material, leg: Leg, turned: jax.Array, *, falls: bool
) -> list[jax.Array]:
    """Features (...) of a leg.

    Args:
        board: the board.
        material: friction.
        leg: of a carromman or the striker.
        turned: standard error of its direction, rad.
        falls: whether it is a carromman: the band that a pocket takes is that of one.
    """
    there = leg.speed > 0
    if falls:
        pockets = jnp.moveaxis(pocket_aims(board, leg.start), -1, 0)
    else:
        pockets = pocket_centres(board, leg.start)
    along, across = seen_from(leg.start, leg.heading, pockets)
    # A leg that ends at the frame in the mouth of a pocket has come to it.
    beyond = jnp.maximum(jnp.maximum(along - leg.reach - board.carromman_radius, -along), 0)
    miss = jnp.sqrt(beyond**2 + across**2)
    nearest = jnp.min(miss, axis=0)
    # Nothing is compared for equality: compiled code may compute it twice, unequally.
    is_nearest = miss <= nearest * (1 + 1e-5) + 1e-7
    there_along = jnp.min(jnp.where(is_nearest, along, 10.0), axis=0)
    come = jnp.sqrt(
        jnp.maximum(leg.speed**2 - 2 * material.deceleration * jnp.maximum(there_along, 0), 0)
    )
    band = mouth(come) if falls else board.pocket_radius
    margin = band - nearest
    forgiven = margin / (jnp.maximum(there_along, 0.02) * turned + 1e-4)
    spare = leg.speed**2 / (2 * material.deceleration) - there_along
    features = [
        *(jnp.tanh(margin / scale) for scale in _MARGINS),
        jnp.tanh(forgiven / 2),
        jnp.tanh(forgiven / 0.7),
        jnp.tanh(spare / 0.1),
        come,
        *(leg.end.real / board.half_side, leg.end.imag / board.half_side),
        *(leg.heading.real, leg.heading.imag),
        jnp.sqrt(leg.speed),
        leg.reach / board.half_side,
        jnp.asarray(leg.met != NOBODY, jnp.float32),
        leg.left,
    ]
    return [jnp.where(there, feature, 0.0) for feature in features] + [
        jnp.asarray(there, jnp.float32)
    ]


def _of_pairs(board: Board, discs: jax.Array, seen: Preview, errors: _Errors) -> jax.Array:
    """(H, 19, B, K)."""
    carromman, striker = board.carromman_diameter, touching(board)
    features = []
    for leg, reach, turned in (
        (seen.impact, striker, errors.hand),
        (seen.sent, carromman, errors.sent),
        (seen.banked, carromman, errors.sent),
        (seen.combined, carromman, errors.combined),
        (seen.onward, striker, errors.sent),
        (seen.returned, striker, errors.sent),
    ):
        along, across = seen_from(leg.start, leg.heading, discs)
        there = (leg.speed > 0) & (jnp.abs(along) < 3)
        beyond = jnp.maximum(jnp.maximum(along - leg.reach, -along), 0)
        gap = jnp.sqrt(beyond**2 + across**2) - reach
        astray = jnp.maximum(along, 0) * turned + _FINEST
        features += [
            jnp.where(there, jnp.tanh(gap / _GAP) - 1, 0.0),
            jnp.where(there, jnp.tanh(gap / astray) - 1, 0.0),
            jnp.where(there, jnp.clip((leg.reach - along) / board.half_side, -1, 2), 0.0),
            jnp.where(there, jnp.tanh(across / (2 * _GAP)) * jnp.exp(-beyond / 0.05), 0.0),
        ]
    number = jnp.arange(N_CARROMMEN)[:, None, None]
    for leg in (seen.impact, seen.sent, seen.onward):
        features.append(jnp.asarray(leg.met == number, jnp.float32))
    # What touches the carromman that is met, or nearly, takes part in the impact.
    along, across = seen_from(seen.sent.start, seen.sent.heading, discs)
    apart = jnp.sqrt(along**2 + across**2)
    gap, there = jnp.maximum(apart - carromman, 0), (seen.sent.speed > 0) & (apart > _FINEST)
    near = jnp.where(there, jnp.exp(-gap / 0.02), 0.0)
    features += [
        jnp.where(there, jnp.exp(-gap / 0.002), 0.0),
        near * along / (apart + TINY),
        near * across / (apart + TINY),
    ]
    return jnp.stack(features)
