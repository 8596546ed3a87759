"""The actor-critic: a network over the set of carrommen.

Carrommen of one colour are interchangeable, and so they are to the network: permuting own
carrommen permutes the logits and residuals of their shots and leaves the value unchanged;
permuting the opponent's changes nothing. Carrommen off the board have no influence.
(Deep sets: Zaheer et al. 2017, https://arxiv.org/abs/1703.06114.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from carrom.action import N_SHOTS
from carrom.board import Board
from carrom.observation import PIECES_SIZE, SIZE
from carrom.pieces import N_PER_SIDE, QUEEN
from carrom_agents.config import NetworkConfig
from carrom_agents.distributions import (
    Action,
    ChoiceWithResidual,
    DiagonalGaussian,
    Distribution,
    MaskedCategorical,
)
from carrom_agents.geometry import N_PLACES, Position, describe

_GROUPS = (slice(0, N_PER_SIDE), slice(N_PER_SIDE, QUEEN), slice(QUEEN, QUEEN + 1))
_POLICY_SCALE = 0.01
"""Scale of the initial last layers of the policy: it starts out nearly uniform and unshifted."""

N_CHOICES = N_SHOTS * N_PLACES
"""Of the target coding's policy: ``N_PLACES * shot + place``. The environment hears of the
place through the residual; to choose it is easier to learn than to regress on it, because
good places for one shot lie apart, with blocked ones in between."""

NORMALISED = np.arange(SIZE) >= PIECES_SIZE
"""Which features of an observation are normalised: those of the game. Positions stay in
metres; to scale each carromman by its own statistics would tell carrommen apart."""


@struct.dataclass
class Decision:
    """What the network says about a position.

    Attributes:
        policy: distribution over actions, batch shape (...,).
        value: expected return, (...,).
    """

    policy: Distribution
    value: jax.Array


class ActorCritic(nn.Module):
    """Policy and value of one position, or of a batch of them.

    Attributes:
        config: sizes and initial exploration.
        action_coding: "target" (a shot and residuals) or "direct" (three numbers).
        board: its dimensions give the geometry.
    """

    config: NetworkConfig
    action_coding: str = "target"
    board: Board = Board()

    def inputs(self, observation: jax.Array) -> Position:
        """What ``__call__`` wants, from observations (..., 74); needs no parameters."""
        return describe(self.board, observation)

    @nn.compact
    def __call__(self, position: Position) -> Decision:
        """Decide in positions with the batch shape (...,)."""
        width = self.config.width
        pieces = _mlp(position.pieces, [width, width])
        pooled = [_pool(pieces[..., group, :], position.present[..., group]) for group in _GROUPS]
        context = _mlp(jnp.concatenate([*pooled, position.game], axis=-1), [width])
        shots, places = self._shots(position, context)
        summary = jnp.concatenate([context, _pool(shots, position.allowed)], axis=-1)
        value = nn.Dense(1)(_mlp(summary, [width]))[..., 0]
        if self.action_coding == "target":
            return Decision(self._choose(position, shots, places), value)
        mean = jnp.tanh(_small_dense(len(self.config.initial_std))(_mlp(summary, [width])))
        return Decision(DiagonalGaussian(mean, self._log_std()), value)

    def _shots(self, position: Position, context: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Embed each shot, (..., 40, width), and each of its places, (..., 40, N_PLACES, F).

        A shot is as good as the best place to play it from, so it sees their maximum.
        """
        features, width = self.config.place_width, self.config.width
        shot = nn.Dense(features)(position.shots)[..., None, :]
        places = nn.relu(nn.Dense(features)(position.places) + shot)
        best = jnp.max(places, axis=-2)
        own = nn.Dense(width)(jnp.concatenate([position.shots, best], axis=-1))
        shots = nn.relu(own + nn.Dense(width)(context)[..., None, :])
        return _mlp(shots, [width]), places

    def _choose(
        self, position: Position, shots: jax.Array, places: jax.Array
    ) -> ChoiceWithResidual:
        """A choice among all shots from all places, flattened, and what to change about it."""
        features = self.config.place_width
        hidden = nn.relu(nn.Dense(features)(places) + nn.Dense(features)(shots)[..., None, :])
        logits = _small_dense(1)(hidden)[..., 0] + _small_dense(1)(shots)
        residual = jnp.tanh(_small_dense(len(self.config.initial_std))(hidden))
        residual = residual.at[..., 0].add(position.shifts)
        return ChoiceWithResidual(
            choice=MaskedCategorical.create(
                logits.reshape(*logits.shape[:-2], N_CHOICES),
                jnp.repeat(position.allowed, N_PLACES, axis=-1),
            ),
            residuals=DiagonalGaussian(
                residual.reshape(*logits.shape[:-2], N_CHOICES, residual.shape[-1]),
                self._log_std(),
            ),
        )

    def _log_std(self) -> jax.Array:
        initial = jnp.asarray([math.log(std) for std in self.config.initial_std], jnp.float32)
        return self.param("log_std", lambda _: initial)


def environment_action(action: Action) -> Any:
    """What the environment is told when ``action`` was drawn from the policy.

    Args:
        action: of the target coding's policy, {"choice": (...,), "residual": (..., 3)}, or of
            the direct coding's, (..., 3).

    Returns:
        {"shot": int64 (...,), "residual": float32 (..., 3)}, or float32 (..., 3), inside the
        environment's action space.
    """
    if isinstance(action, dict):
        return {
            "shot": np.asarray(action["choice"], np.int64) // N_PLACES,
            "residual": np.clip(np.asarray(action["residual"]), -1, 1),
        }
    return np.clip(np.asarray(action), -1, 1)


def shot_log_probabilities(policy: ChoiceWithResidual) -> jax.Array:
    """Log probability of each of the 40 shots, whatever the place, (..., 40)."""
    log_probabilities = policy.choice.log_probabilities
    by_shot = log_probabilities.reshape(*log_probabilities.shape[:-1], N_SHOTS, N_PLACES)
    return jax.nn.logsumexp(by_shot, axis=-1)


def _mlp(values: jax.Array, widths: Sequence[int]) -> jax.Array:
    """Fully connected layers with rectifiers, made inside the calling module."""
    for width in widths:
        values = nn.relu(nn.Dense(width, kernel_init=nn.initializers.he_normal())(values))
    return values


def _small_dense(size: int) -> nn.Dense:
    scale = nn.initializers.variance_scaling(_POLICY_SCALE**2, "fan_in", "normal")
    return nn.Dense(size, kernel_init=scale)


def _pool(values: jax.Array, present: jax.Array) -> jax.Array:
    """Summarise values (..., N, F), which are not negative, over those of the N that are present.

    Returns:
        (..., 2 F + 1): mean, maximum, and how many there are in units of N; all zero where
        none is.
    """
    mask = present[..., None]
    count = jnp.sum(mask, axis=-2)
    values = jnp.where(mask, values, 0.0)
    mean = jnp.sum(values, axis=-2) / jnp.maximum(count, 1)
    return jnp.concatenate([mean, jnp.max(values, axis=-2), count / present.shape[-1]], axis=-1)
