"""Probability distributions over strokes.

Small on purpose: a categorical with a mask, a Gaussian with diagonal covariance, and the
joint distribution of a choice and of numbers that depend on the choice. All are pytrees
whose leading axes are batch axes; entropies and divergences are in nats.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
from flax import struct

Action: TypeAlias = Any
"""An array or a dictionary of arrays; each distribution says which."""

_FORBIDDEN = -1e9
"""Logit of a masked choice: zero probability in float32, and finite, so that gradients are."""

Self = TypeVar("Self", bound="Distribution")


class Distribution(Protocol):
    """What the learner asks of a policy's distribution."""

    def sample(self, key: jax.Array) -> Action:
        """One action for each element of the batch."""
        ...

    def mode(self) -> Action:
        """The most probable action."""
        ...

    def log_prob(self, action: Action) -> jax.Array:
        """Log density of ``action``, shape (...,)."""
        ...

    def entropy(self) -> jax.Array:
        """Entropy, shape (...,)."""
        ...

    def kl(self: Self, other: Self) -> jax.Array:
        """KL divergence of ``other`` from this distribution, KL(self || other), (...,)."""
        ...


@struct.dataclass
class MaskedCategorical:
    """A choice among K, of which some may be forbidden.

    Attributes:
        log_probabilities: (..., K); of a forbidden choice far below what float32 can
            exponentiate, and finite.
    """

    log_probabilities: jax.Array

    @classmethod
    def create(cls, logits: jax.Array, allowed: jax.Array) -> MaskedCategorical:
        """A categorical over the choices that are ``allowed``, bool (..., K).

        Where nothing is allowed every choice is equally probable.
        """
        return cls(jax.nn.log_softmax(jnp.where(allowed, logits, _FORBIDDEN)))

    def sample(self, key: jax.Array) -> jax.Array:
        """Integers (...,)."""
        shape, dtype = self.log_probabilities.shape, self.log_probabilities.dtype
        return _argmax(self.log_probabilities + jax.random.gumbel(key, shape, dtype))

    def mode(self) -> jax.Array:
        """Integers (...,): the most probable choice, the first one of equals."""
        return _argmax(self.log_probabilities)

    def log_prob(self, action: jax.Array) -> jax.Array:
        """Log probability of the integers ``action`` (...,), shape (...,)."""
        return _take(self.log_probabilities, action)

    def entropy(self) -> jax.Array:
        """(...,)."""
        log_probabilities = self.log_probabilities
        return -jnp.sum(jnp.exp(log_probabilities) * log_probabilities, axis=-1)

    def kl(self, other: MaskedCategorical) -> jax.Array:
        """KL(self || other), (...,)."""
        mine, theirs = self.log_probabilities, other.log_probabilities
        return jnp.sum(jnp.exp(mine) * (mine - theirs), axis=-1)


@struct.dataclass
class DiagonalGaussian:
    """Independent normal variables.

    Attributes:
        mean: (..., D).
        log_std: (..., D), or a shape that broadcasts to it.
    """

    mean: jax.Array
    log_std: jax.Array

    def sample(self, key: jax.Array) -> jax.Array:
        """(..., D)."""
        noise = jax.random.normal(key, self.mean.shape, self.mean.dtype)
        return self.mean + jnp.exp(self.log_std) * noise

    def mode(self) -> jax.Array:
        """(..., D)."""
        return self.mean

    def log_prob(self, action: jax.Array) -> jax.Array:
        """Log density, summed over D, (...,)."""
        standard = (action - self.mean) * jnp.exp(-self.log_std)
        terms = -0.5 * standard**2 - self.log_std - 0.5 * math.log(2 * math.pi)
        return jnp.sum(terms, axis=-1)

    def entropy(self) -> jax.Array:
        """(...,)."""
        terms = self.log_std + 0.5 * math.log(2 * math.pi * math.e)
        return jnp.sum(jnp.broadcast_to(terms, self.mean.shape), axis=-1)

    def kl(self, other: DiagonalGaussian) -> jax.Array:
        """KL(self || other), (...,)."""
        ratio = jnp.exp(2 * (self.log_std - other.log_std))
        shift = (self.mean - other.mean) * jnp.exp(-other.log_std)
        terms = 0.5 * (ratio + shift**2 - 1) + other.log_std - self.log_std
        return jnp.sum(jnp.broadcast_to(terms, self.mean.shape), axis=-1)


@struct.dataclass
class ChoiceWithResidual:
    """A choice, and numbers whose distribution depends on the choice.

    p(choice, residual) = p(choice) p(residual | choice). Actions are dictionaries
    {"choice": int (...), "residual": (..., D)}. The residual is normal, with the mean
    tanh(unsquashed), to whose first number the shift is added. Means are computed where they
    are asked for: there are many choices, and mostly only one of them counts.

    Attributes:
        choice: over K choices.
        unsquashed: (..., K, D).
        shift: (..., K).
        log_std: (D,), whatever the choice.
    """

    choice: MaskedCategorical
    unsquashed: jax.Array
    shift: jax.Array
    log_std: jax.Array

    @property
    def residuals(self) -> DiagonalGaussian:
        """Of each choice one distribution of D numbers, batch shape (..., K)."""
        return self._residual(self.unsquashed, self.shift)

    def given(self, choice: jax.Array) -> DiagonalGaussian:
        """Distribution of the residual once ``choice`` (...,) is chosen."""
        index = choice[..., None, None]
        unsquashed = jnp.take_along_axis(self.unsquashed, index, axis=-2)[..., 0, :]
        return self._residual(unsquashed, _take(self.shift, choice))

    def _residual(self, unsquashed: jax.Array, shift: jax.Array) -> DiagonalGaussian:
        return DiagonalGaussian(jnp.tanh(unsquashed).at[..., 0].add(shift), self.log_std)

    def sample(self, key: jax.Array) -> dict[str, jax.Array]:
        """{"choice": (...,), "residual": (..., D)}."""
        choice_key, residual_key = jax.random.split(key)
        choice = self.choice.sample(choice_key)
        return {"choice": choice, "residual": self.given(choice).sample(residual_key)}

    def mode(self) -> dict[str, jax.Array]:
        """The most probable choice, and the most probable residual given it."""
        choice = self.choice.mode()
        return {"choice": choice, "residual": self.given(choice).mode()}

    def log_prob(self, action: dict[str, jax.Array]) -> jax.Array:
        """Log density of a choice and its residual, (...,)."""
        choice = action["choice"]
        return self.choice.log_prob(choice) + self.given(choice).log_prob(action["residual"])

    def entropy(self) -> jax.Array:
        """H(choice) + H(residual | choice), (...,)."""
        residual = DiagonalGaussian(jnp.zeros_like(self.log_std), self.log_std)
        return self.choice.entropy() + residual.entropy()

    def kl(self, other: ChoiceWithResidual) -> jax.Array:
        """KL of the choices plus the expected KL of the residuals (chain rule), (...,)."""
        residual = self.residuals.kl(other.residuals)
        probabilities = jnp.exp(self.choice.log_probabilities)
        return self.choice.kl(other.choice) + jnp.sum(probabilities * residual, axis=-1)


def _argmax(values: jax.Array) -> jax.Array:
    """Index (...,) of the first of the greatest of values (..., K).

    By two plain reductions, for which the compiler has vector instructions; for one of pairs,
    as ``jnp.argmax`` is, it has none.
    """
    size = values.shape[-1]
    greatest = values == jnp.max(values, axis=-1, keepdims=True)
    return jnp.min(jnp.where(greatest, jnp.arange(size), size - 1), axis=-1)


def _take(values: jax.Array, index: jax.Array) -> jax.Array:
    """``values[..., index]`` for each element of the batch."""
    return jnp.take_along_axis(values, index[..., None], axis=-1)[..., 0]
