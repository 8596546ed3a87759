"""What a position is worth to the player who is to strike, without looking ahead.

It is a weighted sum of what can be counted, of the queen, and of the chances that the scripted
aimer's geometry gives direct shots, at the player's carrommen from his side and at the
opponent's from his. The weights were fitted by least squares to how boards ended from there on
(see ``carrom_agents.planner.fitting``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from carrom.board import Board
from carrom.functional import Sight
from carrom.pieces import N_PER_SIDE, QUEEN
from carrom.view import OPPONENT, OWN, QueenStatus
from carrom_agents.device.aimer import DeviceAimer
from carrom_agents.device.weighing import Boards, chances
from carrom_agents.planner.position import lines_of
from carrom_agents.scripted import TARGETS, Aimer
from carrom_agents.shots import ShotOptions

GLANCE = DeviceAimer(
    Aimer(options=ShotOptions(middle_places=15, circle_places=1, kept=1, arrivals=(1.0,)))
)
"""Looks at a third of the places that the aimer looks at, and at one speed."""

FEATURES = (
    "constant",
    "own_left",
    "opponent_left",
    "queen_waiting",
    "queen_mine",
    "queen_theirs",
    "own_best",
    "own_ready",
    "opponent_best",
    "opponent_ready",
    "queen_ready",
    "opponent_queen_ready",
)
"""What is weighed: carrommen on the board; whether the queen awaits the player's cover, is his,
or the opponent's; the chance of his likeliest direct shot, the sum of the chances of his
likeliest shots at each carromman, and the same for the opponent, as if it were his turn; the
chances of shots at the queen, the player's only if he may take her."""

WEIGHTS = (
    0.401,  # constant
    0.227,  # own_left
    -0.488,  # opponent_left
    0.111,  # queen_waiting
    -1.161,  # queen_mine
    1.756,  # queen_theirs
    0.380,  # own_best
    0.783,  # own_ready
    -0.065,  # opponent_best
    -0.384,  # opponent_ready
    1.375,  # queen_ready
    -0.349,  # opponent_queen_ready
)
"""Of 5,120 boards, 91,200 positions, in which the aimer on the device played itself in
``carrom.functional`` with an expert's hand. They explain 0.343 of the variance in boards that they
were not fitted to; a network of two layers on the same chances, sorted, explained no more. Weights
fitted to 200 boards of the planner against itself explain 0.37 of those, where these explain 0.29,
and won 29 of 60 boards against these: no better."""

_OPPONENT_FIRST = np.r_[OPPONENT, OWN, QUEEN]


@dataclass(frozen=True)
class StaticWorth:
    """The weighted sum; it evaluates as ``rollouts.Evaluate``.

    Attributes:
        weights: points per unit of each of ``FEATURES``.
        looks: whose geometry gives the chances, and with which noise.
    """

    weights: tuple[float, ...] = WEIGHTS
    looks: DeviceAimer = GLANCE

    def __call__(self, sights: Sight, /) -> jax.Array:
        """Worth of B positions, float32 (B,)."""
        return features_on(self.looks)(sights) @ np.asarray(self.weights, np.float32)


@functools.cache
def features_on(looks: DeviceAimer) -> Callable[[Sight], jax.Array]:
    """The compiled function that gives ``FEATURES`` of B sights, float32 (B, F)."""
    return jax.jit(functools.partial(_features, looks))


def _features(looks: DeviceAimer, sights: Sight) -> jax.Array:
    # Looked at together, both sides are compiled once.
    seen = [_wanted(looks, each) for each in (sights, _as_opponent(looks.board, sights))]
    both = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *seen)
    own, opponent = jnp.split(chances(looks.rules.options, looks.board, both), 2)
    lies, count = sights.queen == QueenStatus.ON_BOARD, functools.partial(jnp.sum, axis=1)
    own_left, opponent_left = count(sights.on_board[:, OWN]), count(sights.on_board[:, OPPONENT])
    carrommen = slice(0, N_PER_SIDE)
    by_name = {
        "constant": jnp.ones(len(lies)),
        "own_left": own_left,
        "opponent_left": opponent_left,
        "queen_waiting": sights.queen == QueenStatus.WAITING,
        "queen_mine": sights.queen == QueenStatus.MINE,
        "queen_theirs": sights.queen == QueenStatus.THEIRS,
        "own_best": jnp.max(own[:, carrommen], axis=1),
        "own_ready": count(own[:, carrommen]),
        "opponent_best": jnp.max(opponent[:, carrommen], axis=1),
        "opponent_ready": count(opponent[:, carrommen]),
        "queen_ready": own[:, -1] * sights.queen_allowed,
        "opponent_queen_ready": opponent[:, -1],
    }
    return jnp.stack([jnp.asarray(by_name[name], jnp.float32) for name in FEATURES], axis=1)


def _wanted(looks: DeviceAimer, sights: Sight) -> Boards:
    """The positions, with shots wanted at all of ``TARGETS`` that lie on the board."""
    boards = jax.vmap(looks.position)(sights)
    return boards._replace(wanted=sights.on_board[:, TARGETS])


def _as_opponent(board: Board, sights: Sight) -> Sight:
    """What the opponent sees of it, as far as shots are concerned."""
    positions, on_board = -sights.positions[:, _OPPONENT_FIRST], sights.on_board[:, _OPPONENT_FIRST]
    places = jax.vmap(lines_of(board).on, in_axes=(None, 0, 0))(jnp.int32(0), positions, on_board)
    return sights._replace(positions=positions, on_board=on_board, places=places)
