"""The actor-critic: a network over the set of carrommen.

Carrommen of one colour are interchangeable, and so they are to the network: permuting own
carrommen permutes the logits and residuals of their shots and leaves the value unchanged;
permuting the opponent's changes nothing. Carrommen off the board have no influence.
(Deep sets: Zaheer et al. 2017, https://arxiv.org/abs/1703.06114.)

Inside, features lie before the batch: processors work on many positions at once, and there
are more of them than features. N is the number of positions, M = 40 N that of their shots.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

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


_Affine: TypeAlias = tuple[jax.Array, jax.Array]
"""Kernel (inputs, features) and bias (features,)."""


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
        batch = position.present.shape[:-1]
        position = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[len(batch) :]), position)
        width = self.config.width
        pieces = _mlp(_features_first(position.pieces), [width, width])
        pieces = pieces.reshape(width, *position.present.shape)
        pooled = [_pool(pieces[..., group], position.present[..., group]) for group in _GROUPS]
        context = _mlp(jnp.concatenate([*pooled, position.game.T]), [width])
        shots, places = self._shots(position, context)
        by_position = shots.reshape(width, *position.allowed.shape)
        summary = jnp.concatenate([context, _pool(by_position, position.allowed)])
        value = Dense(1)(_mlp(summary, [width]))[0].reshape(batch)
        if self.action_coding == "target":
            return Decision(self._choose(position, shots, places, batch), value)
        mean = jnp.tanh(_small_dense(len(self.config.initial_std))(_mlp(summary, [width])))
        return Decision(DiagonalGaussian(mean.T.reshape(*batch, -1), self._log_std()), value)

    def _shots(self, position: Position, context: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Embed each shot, (width, N * 40), and each of its places, (N_PLACES, F, N * 40).

        A shot is as good as the best place to play it from, so it sees their maximum.
        """
        features, width = self.config.place_width, self.config.width
        described = _features_first(position.shots)
        shot = Dense(features)(described)
        places = jnp.transpose(position.places, (2, 3, 0, 1))
        places = Dense(features)(places.reshape(*places.shape[:2], -1))
        places = nn.relu(_add_to_each(places, shot))
        own = Dense(width)(jnp.concatenate([described, _best(places)]))
        by_position = own.reshape(width, -1, N_SHOTS) + Dense(width)(context)[..., None]
        return _mlp(nn.relu(by_position).reshape(own.shape), [width]), places

    def _choose(
        self, position: Position, shots: jax.Array, places: jax.Array, batch: tuple[int, ...]
    ) -> ChoiceWithResidual:
        """A choice among all shots from all places, flattened, and what to change about it."""
        features, numbers = self.config.place_width, len(self.config.initial_std)
        hidden = nn.relu(_add_to_each(Dense(features)(places), Dense(features)(shots)))
        logit, shot_logit, residual = _small_dense(1), _small_dense(1), _small_dense(numbers)
        # One product for both: so the gradient by ``hidden`` is one product as well.
        outputs = _affine(hidden, logit.parameters(features), residual.parameters(features))
        outputs = outputs.reshape(N_PLACES, 1 + numbers, -1, N_SHOTS)
        logits = outputs[:, 0] + shot_logit(shots).reshape(-1, N_SHOTS)
        return ChoiceWithResidual(
            choice=MaskedCategorical.create(
                jnp.transpose(logits, (1, 2, 0)).reshape(*batch, N_CHOICES),
                jnp.repeat(position.allowed, N_PLACES, axis=-1).reshape(*batch, N_CHOICES),
            ),
            unsquashed=jnp.transpose(outputs[:, 1:], (2, 3, 0, 1)).reshape(
                *batch, N_CHOICES, numbers
            ),
            shift=position.shifts.reshape(*batch, N_CHOICES),
            log_std=self._log_std(),
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


class Dense(nn.Module):
    """A fully connected layer over values with the features on the axis before the last.

    Attributes:
        features: that come out.
        kernel_init: of the kernel; the bias starts at zero.
    """

    features: int
    kernel_init: nn.initializers.Initializer = nn.initializers.lecun_normal()

    @nn.compact
    def parameters(self, inputs: int) -> _Affine:
        """Kernel (inputs, features) and bias (features,)."""
        return (
            self.param("kernel", self.kernel_init, (inputs, self.features)),
            self.param("bias", nn.initializers.zeros, (self.features,)),
        )

    def __call__(self, values: jax.Array) -> jax.Array:
        """(..., features, M) of values (..., inputs, M)."""
        return _affine(values, self.parameters(values.shape[-2]))


def _affine(values: jax.Array, *layers: _Affine) -> jax.Array:
    """What the layers make of the same values (..., inputs, M), one below the other."""
    kernel = jnp.concatenate([kernel.T for kernel, _ in layers])
    bias = jnp.concatenate([bias for _, bias in layers])
    # A batch of products keeps leading axes apart. Were they contracted together, the
    # elementwise work around the product would be compiled for a flat axis, with a division
    # for each index and no vector instructions (measured: four times slower).
    kernel = jnp.broadcast_to(kernel, (*values.shape[:-2], *kernel.shape))
    return kernel @ values + bias[:, None]


def _mlp(values: jax.Array, widths: Sequence[int]) -> jax.Array:
    """Fully connected layers with rectifiers, made inside the calling module."""
    for width in widths:
        values = nn.relu(Dense(width, kernel_init=nn.initializers.he_normal())(values))
    return values


def _small_dense(size: int) -> Dense:
    scale = nn.initializers.variance_scaling(_POLICY_SCALE**2, "fan_in", "normal")
    return Dense(size, kernel_init=scale)


def _features_first(values: jax.Array) -> jax.Array:
    """(F, N * S) of values (N, S, F)."""
    return jnp.moveaxis(values, -1, 0).reshape(values.shape[-1], -1)


@jax.custom_vjp
def _add_to_each(places: jax.Array, shot: jax.Array) -> jax.Array:
    """``shot`` (F, M) added to each of ``places`` (P, F, M).

    Its gradient sums over the first axis term by term: the compiler's own reduction along it was
    slower than one along a middle axis (measured: four times).
    """
    return places + shot


def _add_to_each_forwards(places: jax.Array, shot: jax.Array) -> tuple[jax.Array, None]:
    return places + shot, None


def _add_to_each_backwards(_: None, gradient: jax.Array) -> tuple[jax.Array, jax.Array]:
    return gradient, _sum(gradient)


_add_to_each.defvjp(_add_to_each_forwards, _add_to_each_backwards)


@jax.custom_vjp
def _best(places: jax.Array) -> jax.Array:
    """Maximum (F, M) of values (P, F, M); equal ones share the gradient equally.

    That is the maximum's usual gradient, with the equal ones counted term by term.
    """
    return jnp.max(places, axis=0)


def _best_forwards(places: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    best = _best(places)
    return best, (places, best)


def _best_backwards(saved: tuple[jax.Array, jax.Array], gradient: jax.Array) -> tuple[jax.Array]:
    places, best = saved
    equal = places == best
    return (jnp.where(equal, gradient / _sum(equal.astype(gradient.dtype)), 0.0),)


_best.defvjp(_best_forwards, _best_backwards)


def _sum(values: jax.Array) -> jax.Array:
    """Sum over the first axis, term by term."""
    return functools.reduce(jnp.add, values)


def _pool(values: jax.Array, present: jax.Array) -> jax.Array:
    """Summarise values (F, N, S), which are not negative, over those of the S that are present.

    Args:
        values: (F, N, S).
        present: bool (N, S).

    Returns:
        (2 F + 1, N): mean, maximum, and how many there are in units of S; all zero where
        none is.
    """
    count = jnp.sum(present, axis=-1)
    values = jnp.where(present, values, 0.0)
    mean = jnp.sum(values, axis=-1) / jnp.maximum(count, 1)
    return jnp.concatenate([mean, jnp.max(values, axis=-1), count[None] / present.shape[-1]])
