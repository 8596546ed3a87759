"""A player that foresees: geometry names strikes, a network says what they will come to."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.decision import Answer
from carrom.functional import Sight
from carrom.observation import encode
from carrom.opponents import Player
from carrom.physics.noise import execution_noise
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents import laying
from carrom_agents.foresight.features import Describer
from carrom_agents.foresight.network import Foreseen, ForesightNetwork
from carrom_agents.foresight.settings import ForesightConfig
from carrom_agents.opening import straight_break
from carrom_agents.planner.position import encoded
from carrom_agents.planner.proposing import Propose, ScriptedProposals
from carrom_agents.planner.worth import FEATURES
from carrom_agents.ppo import Parameters


@dataclass(frozen=True)
class Foresight:
    """A network with the functions by which it is asked, each compiled once per batch size.

    Attributes:
        config: sizes of the network.
        noise: level of execution noise that the hand is believed to have.
    """

    config: ForesightConfig
    noise: str

    @functools.cached_property
    def network(self) -> ForesightNetwork:
        """The module."""
        return ForesightNetwork(self.config.width, self.config.pair_width)

    @functools.cached_property
    def describer(self) -> Describer:
        """What the network is told."""
        return Describer(noise=execution_noise(self.noise))

    def init(self, key: jax.Array) -> Parameters:
        """Initial parameters."""
        lying = jax.eval_shape(self.describer.lying, _shape(1, 74), _shape(1, N_GLANCED))
        struck = jax.eval_shape(
            self.describer.struck, _shape(1, 74), _shape(1, 1, 3), _shape(1, 1, N_GLANCED)
        )
        zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), (lying, struck))
        return self.network.init(key, *zeros)

    def foresee(
        self,
        params: Parameters,
        observation: jax.Array,
        strikes: jax.Array,
        glance: jax.Array,
        glances: jax.Array,
    ) -> Foreseen:
        """What strikes (B, K, 3) come to in positions (B, 74); not compiled.

        Args:
            params: of the network.
            observation: the positions.
            strikes: place, m; direction, rad; speed, m/s.
            glance: (B, 12), see ``glanced``.
            glances: (B, K, 12), see ``glanced``.
        """
        lying = self.describer.lying(observation, glance)
        struck = self.describer.struck(observation, strikes, glances)
        foreseen = self.network.apply(params, lying, struck)
        assert isinstance(foreseen, Foreseen)
        return foreseen

    @functools.cached_property
    def foreseen(self) -> Callable[..., Foreseen]:
        """``foresee``, compiled."""
        return jax.jit(self.foresee)

    @functools.cached_property
    def glanced(self) -> Callable[..., tuple[jax.Array, jax.Array]]:
        """A glance at positions (B, 74), and at what strikes (B, K, 3) leave of them.

        Both are what geometry says of the direct shots of either side, the planner's
        ``FEATURES``: (B, 12) and (B, K, 12). The network is told of them.
        """

        def glanced(observation: jax.Array, strikes: jax.Array) -> tuple[jax.Array, jax.Array]:
            describer = self.describer
            return describer.glance(observation), describer.glances(observation, strikes)

        return jax.jit(glanced)

    @functools.cached_property
    def value(self) -> Callable[[Parameters, jax.Array], jax.Array]:
        """Points (B,) that positions, observations (B, 74), are worth to whoever is to strike."""

        def value(params: Parameters, observation: jax.Array) -> jax.Array:
            lying = self.describer.lying(observation, self.describer.glance(observation))
            found = self.network.apply(params, lying, method="value")
            assert isinstance(found, jax.Array)
            return found

        return jax.jit(value)


N_GLANCED = len(FEATURES)
"""How many features a glance has."""


def _shape(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


@functools.cache
def foresight_of(config: ForesightConfig, noise: str) -> Foresight:
    """The network of that size; equal ones share one, and its compiled code."""
    return Foresight(config, noise)


@dataclass(frozen=True, eq=False)
class LearnedValue:
    """What a network says that positions are worth.

    Attributes:
        foresight: the network.
        params: its parameters.
    """

    foresight: Foresight
    params: Parameters

    def __call__(self, sights: Sight, /) -> jax.Array:
        """As ``carrom_agents.planner.rollouts.Evaluate``."""
        return self.foresight.value(self.params, encoded(sights))


@dataclass(frozen=True, eq=False)
class ForesightPlayer:
    """Plays the strike that its network expects most of; a ``carrom.opponents.Player``.

    Nothing is simulated: a decision is one evaluation of the network.

    Attributes:
        foresight: the network.
        params: its parameters.
        propose: names the strikes.
        count: how many.
        breaker: strikes the breaks.
    """

    foresight: Foresight
    params: Parameters
    propose: Propose = field(default_factory=ScriptedProposals)
    count: int = 64
    breaker: Player = straight_break

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """Decide the next strike in the position ``view``."""
        if view.break_to_be_made:
            return self.breaker(view, rng)
        strikes = self.propose(view, rng, self.count)
        place, direction, speed = strikes[np.argmax(self.worths(view, strikes))].tolist()
        return Strike(place, direction, speed, forward=view.forward)

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        """Decide something else than a strike: dues are laid where the position is worth most."""
        return laying.answer(view, LearnedValue(self.foresight, self.params))

    def worths(self, view: View, strikes: NDArray[np.floating]) -> NDArray[np.float32]:
        """Points (n,) that strikes (n, 3), place, direction and speed, are expected to come to."""
        seen = encode(view)[None], strikes[None].astype(np.float32)
        glanced = self.foresight.glanced(*seen)
        return np.asarray(self.foresight.foreseen(self.params, *seen, *glanced).worth[0])
