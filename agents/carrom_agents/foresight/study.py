"""How the network learns from lessons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct

from carrom_agents.foresight.lessons import Lessons, mirrored
from carrom_agents.foresight.player import Foresight
from carrom_agents.foresight.settings import StudyConfig
from carrom_agents.ppo import Parameters

_KEEPS, _GAINED, _VALUE = 0.5, 1.0, 0.2
"""Weights of the parts of the loss beside that of the worth."""


class Losses(NamedTuple):
    """Parts of the loss, scalars.

    Attributes:
        worth: mean squared error of what strikes come to, points squared.
        gained: the same of what they gain.
        keeps: cross entropy of keeping the turn, nats.
        value: mean squared error of what positions are worth.
        skipped: 1 where the gradient was not finite and no step was taken, else 0.
    """

    worth: jax.Array
    gained: jax.Array
    keeps: jax.Array
    value: jax.Array
    skipped: jax.Array


@struct.dataclass
class Student:
    """What is learned.

    Attributes:
        params: of the network.
        optimiser: Adam's state.
    """

    params: Parameters
    optimiser: optax.OptState


class Study:
    """The compiled step of learning.

    Args:
        foresight: the network.
        config: how it learns.
    """

    def __init__(self, foresight: Foresight, config: StudyConfig) -> None:
        self.foresight, self.config = foresight, config
        self._optimiser = optax.chain(
            optax.clip_by_global_norm(config.max_gradient_norm),
            optax.scale_by_adam(),
        )
        self._step = jax.jit(self._stepped)

    def begin(self, key: jax.Array) -> Student:
        """A student who knows nothing."""
        params = self.foresight.init(key)
        return Student(params, self._optimiser.init(params))

    def learn(
        self, student: Student, lessons: Lessons, steps: int, rate: float, rng: np.random.Generator
    ) -> tuple[Student, dict[str, float]]:
        """Take ``steps`` gradient steps with the step size ``rate``.

        Returns:
            The student, and the mean of each part of the loss.
        """
        losses = []
        for part in self._minibatches(lessons, steps, rng):
            student, loss = self._step(student, part, rate)
            losses.append(loss)
        means = [float(np.mean(each)) for each in zip(*jax.device_get(losses), strict=True)]
        return student, dict(zip(Losses._fields, means, strict=True))

    def _minibatches(
        self, lessons: Lessons, steps: int, rng: np.random.Generator
    ) -> Iterator[Lessons]:
        size = self.config.minibatch
        for _ in range(steps):
            rows = rng.integers(len(lessons.worth), size=size)
            drawn = Lessons(*(leaf[rows] for leaf in lessons))
            yield mirrored(drawn, rng.random(size) < 0.5)

    def _stepped(
        self, student: Student, lessons: Lessons, rate: jax.Array
    ) -> tuple[Student, Losses]:
        def total(params: Parameters) -> tuple[jax.Array, Losses]:
            losses = self.losses(params, lessons)
            weighted = _GAINED * losses.gained + _KEEPS * losses.keeps + _VALUE * losses.value
            return losses.worth + weighted, losses

        gradient, losses = jax.grad(total, has_aux=True)(student.params)
        direction, optimiser = self._optimiser.update(gradient, student.optimiser)
        params = jax.tree.map(lambda at, way: at - rate * way, student.params, direction)
        # A step that is not finite would be the end of the network.
        good = jnp.isfinite(optax.tree.norm(gradient))
        taken = jax.tree.map(
            lambda new, old: jnp.where(good, new, old), Student(params, optimiser), student
        )
        return taken, losses._replace(skipped=1.0 - good)

    def losses(self, params: Parameters, lessons: Lessons) -> Losses:
        """The parts of the loss on lessons (B, K).

        A position is worth what the strike came to that the network would have played: of
        strikes that are chosen by what they came to, the mean would flatter.
        """
        foreseen = self.foresight.foresee(params, *map(jnp.asarray, lessons[:4]))
        choice = jnp.argmax(foreseen.worth, axis=1)[:, None]
        value = jnp.take_along_axis(jnp.asarray(lessons.worth), choice, axis=1)[:, 0]
        return Losses(
            worth=jnp.mean((foreseen.worth - lessons.worth) ** 2),
            gained=jnp.mean((foreseen.gained - lessons.gained) ** 2),
            keeps=jnp.mean(optax.sigmoid_binary_cross_entropy(foreseen.keeps, lessons.kept)),
            value=jnp.mean((foreseen.value - value) ** 2),
            skipped=jnp.float32(0),
        )


def annealed(config: StudyConfig, done: float) -> float:
    """The step size when the share ``done`` of the training is over."""
    low, high = config.final_learning_rate, config.learning_rate
    return low + (high - low) * (1 + math.cos(math.pi * done)) / 2
