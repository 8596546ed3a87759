"""The network that foresees what strikes come to."""

from __future__ import annotations

from typing import NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp

from carrom.pieces import N_PER_SIDE, QUEEN
from carrom_agents.foresight.features import Lying, Struck

_GROUPS = (slice(0, N_PER_SIDE), slice(N_PER_SIDE, QUEEN), slice(QUEEN, QUEEN + 1))
_HE = nn.initializers.he_normal()


class Foreseen(NamedTuple):
    """What the network says.

    Attributes:
        worth: float32 (B, K), points that each strike gains and leaves.
        gained: float32 (B, K), points that each strike gains.
        keeps: float32 (B, K), logit of having the turn again.
        value: float32 (B,), points that the position is worth.
    """

    worth: jax.Array
    gained: jax.Array
    keeps: jax.Array
    value: jax.Array


class PositionNetwork(nn.Module):
    """What a position is worth, and what the strikes in it are judged by.

    Deep sets over the carrommen as they lie (Zaheer et al. 2017,
    https://arxiv.org/abs/1703.06114).

    Attributes:
        width: features of a position.
    """

    width: int

    @nn.compact
    def __call__(self, lying: Lying) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Features of each carromman (B, 19, W / 2), of the position (B, W), its value (B,)."""
        own = _mlp(lying.pieces, [self.width // 2, self.width // 2])
        pooled = [_pool(own[:, group], lying.present[:, group]) for group in _GROUPS]
        context = _mlp(jnp.concatenate([*pooled, lying.game], axis=-1), [self.width])
        return own, context, nn.Dense(1)(_mlp(context, [self.width]))[:, 0]


class ForesightNetwork(nn.Module):
    """Deep sets over the carrommen as each strike passes them.

    Attributes:
        width: features of a position and of a strike.
        pair_width: features of a carromman as a strike passes it.
    """

    width: int = 96
    pair_width: int = 32

    def setup(self) -> None:
        """Make the layers."""
        self.position = PositionNetwork(self.width)
        self.lying = nn.Dense(self.pair_width)
        self.struck = nn.Dense(self.pair_width)
        self.pairs = nn.Dense(self.pair_width)
        self.paired = nn.Dense(self.pair_width)
        self.joint = nn.Dense(self.width)
        self.passed = nn.Dense(self.width)
        self.context = nn.Dense(self.width)
        self.hidden = [nn.Dense(self.width, kernel_init=_HE) for _ in range(2)]
        self.outcome = nn.Dense(4)

    def value(self, lying: Lying) -> jax.Array:
        """Points (B,) that positions are worth to whoever is to strike."""
        return self.position(lying)[2]

    def __call__(self, lying: Lying, struck: Struck) -> Foreseen:
        """Foresee B positions with K strikes each."""
        own, context, value = self.position(lying)
        pairs = self.pairs(struck.pairs) + jnp.moveaxis(self.lying(own), 1, 0)[:, :, None]
        pairs = nn.relu(self.paired(nn.relu(pairs + self.struck(struck.strikes))))
        pairs = jnp.where(lying.present.T[:, :, None, None], pairs, 0.0)
        passed = jnp.concatenate([jnp.sum(pairs, axis=0) / 4, jnp.max(pairs, axis=0)], axis=-1)
        joint = self.joint(struck.strikes) + self.passed(passed) + self.context(context)[:, None]
        hidden = joint = nn.relu(joint)
        for layer in self.hidden:
            hidden = nn.relu(layer(hidden))
        gained, keeps, kept, lost = jnp.moveaxis(self.outcome(joint + hidden), -1, 0)
        left = nn.sigmoid(keeps) * kept - nn.sigmoid(-keeps) * lost
        return Foreseen(gained + left, gained, keeps, value)


def _mlp(values: jax.Array, widths: list[int]) -> jax.Array:
    for width in widths:
        values = nn.relu(nn.Dense(width, kernel_init=_HE)(values))
    return values


def _pool(values: jax.Array, present: jax.Array) -> jax.Array:
    """Mean, maximum and number (B, 2 F + 1) of the values (B, S, F) that are present."""
    values = jnp.where(present[..., None], values, 0.0)
    count = jnp.sum(present, axis=1, keepdims=True)
    mean = jnp.sum(values, axis=1) / jnp.maximum(count, 1)
    return jnp.concatenate([mean, jnp.max(values, axis=1), count / present.shape[1]], axis=-1)
