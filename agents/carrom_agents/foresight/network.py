"""The network that foresees what strikes come to.

Inside, features lie before everything else: there are many more strikes, and carrommen beside
them, than features, and processors work along the last axis (measured: a gradient of the part
that looks at carrommen takes 9 ms for 1,536 strikes so, 33 ms with the features last).
"""

from __future__ import annotations

from typing import NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp

from carrom.pieces import N_PER_SIDE, QUEEN
from carrom_agents.foresight.features import Lying, Struck
from carrom_agents.networks import Dense

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
        """Features of each carromman (W / 2, 19, B), of the position (W, B), its value (B,)."""
        own = _mlp(_flat(lying.pieces), [self.width // 2, self.width // 2])
        own = own.reshape(-1, *lying.present.shape)
        pooled = [_pool(own[:, group], lying.present[group]) for group in _GROUPS]
        context = _mlp(jnp.concatenate([*pooled, lying.game]), [self.width])
        return own, context, Dense(1)(_mlp(context, [self.width]))[0]


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
        self.lying, self.struck, self.pairs, self.paired = (
            Dense(self.pair_width) for _ in range(4)
        )
        self.joint, self.passed, self.context = (Dense(self.width) for _ in range(3))
        self.hidden = [Dense(self.width, kernel_init=_HE) for _ in range(2)]
        self.outcome = Dense(4)

    def value(self, lying: Lying) -> jax.Array:
        """Points (B,) that positions are worth to whoever is to strike."""
        return self.position(lying)[2]

    def __call__(self, lying: Lying, struck: Struck) -> Foreseen:
        """Foresee B positions with K strikes each."""
        own, context, value = self.position(lying)
        shape = struck.strikes.shape[1:]
        strikes = _flat(struck.strikes)
        joint = self.joint(strikes) + self.passed(self._passed(lying, own, strikes, struck.pairs))
        joint = joint.reshape(-1, *shape) + self.context(context)[:, :, None]
        hidden = joint = nn.relu(_flat(joint))
        for layer in self.hidden:
            hidden = nn.relu(layer(hidden))
        gained, keeps, kept, lost = self.outcome(joint + hidden).reshape(4, *shape)
        left = nn.sigmoid(keeps) * kept - nn.sigmoid(-keeps) * lost
        return Foreseen(gained + left, gained, keeps, value)

    def _passed(
        self, lying: Lying, own: jax.Array, strikes: jax.Array, pairs: jax.Array
    ) -> jax.Array:
        """The carrommen that strikes pass, summarised: (2 P, B * K)."""
        shape = pairs.shape[1:]
        by_strike = self.struck(strikes).reshape(-1, 1, *shape[1:])
        by_carromman = self.lying(_flat(own)).reshape(-1, *shape[:2], 1)
        seen = self.pairs(_flat(pairs)).reshape(-1, *shape)
        seen = nn.relu(self.paired(nn.relu(_flat(seen + by_carromman + by_strike))))
        seen = jnp.where(lying.present[..., None], seen.reshape(-1, *shape), 0.0)
        return _flat(jnp.concatenate([jnp.sum(seen, axis=1) / 4, jnp.max(seen, axis=1)]))


def _flat(values: jax.Array) -> jax.Array:
    """(F, M) of values (F, ...)."""
    return values.reshape(len(values), -1)


def _mlp(values: jax.Array, widths: list[int]) -> jax.Array:
    """Fully connected layers with rectifiers, made inside the calling module."""
    for width in widths:
        values = nn.relu(Dense(width, kernel_init=_HE)(values))
    return values


def _pool(values: jax.Array, present: jax.Array) -> jax.Array:
    """Mean, maximum and share (2 F + 1, B) of the values (F, S, B) that are present."""
    values = jnp.where(present, values, 0.0)
    count = jnp.sum(present, axis=0)
    mean = jnp.sum(values, axis=1) / jnp.maximum(count, 1)
    return jnp.concatenate([mean, jnp.max(values, axis=1), count[None] / len(present)])
