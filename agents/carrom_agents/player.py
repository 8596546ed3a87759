"""The learner's policy as a player: a position in, a strike out."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import numpy as np

from carrom.action import action_coding
from carrom.decision import Answer
from carrom.functional import Sight
from carrom.observation import encode
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents import laying
from carrom_agents.agent import Agent, agent_of, scale_of
from carrom_agents.config import ExperimentConfig
from carrom_agents.learning import TrainingState, initial_state
from carrom_agents.networks import environment_action
from carrom_agents.normaliser import Scale
from carrom_agents.planner.position import encoded
from carrom_agents.ppo import Parameters


@dataclass(frozen=True, eq=False)
class NetworkPlayer:
    """Plays what the network says; a ``carrom.opponents.Player``.

    Attributes:
        config: of the experiment the network belongs to.
        agent: made from ``config``.
        params: of the network.
        scale: the observation statistics of the training, frozen.
        samples: draw from the policy instead of playing its most probable action.
    """

    config: ExperimentConfig
    agent: Agent
    params: Parameters
    scale: Scale
    samples: bool = False

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """The strike in the position ``view``; only a sampling player uses ``rng``."""
        observation = encode(view)[None]
        if self.samples:
            key = jax.random.key(rng.integers(2**32))
            action = self.agent.draw(self.params, self.scale, observation, key)
        else:
            action = self.agent.mode(self.params, self.scale, observation)
        action = environment_action(jax.tree.map(lambda leaf: leaf[0], action))
        env = self.config.env
        coding = action_coding(env.action_coding, "snap", Material())
        return coding.decode(action, view)

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        """Decide something else than a strike: dues are laid where the position is worth most."""
        return laying.answer(view, NetworkValue(self))


@dataclass(frozen=True)
class NetworkValue:
    """What a network's value says that positions are worth.

    Attributes:
        player: whose value it is; trained on the reward ``aicf``, whose unit are points.
    """

    player: NetworkPlayer

    def __call__(self, sights: Sight, /) -> jax.Array:
        """As ``carrom_agents.planner.rollouts.Evaluate``."""
        return self.player.agent.value(self.player.params, self.player.scale, encoded(sights))


def untrained_player(config: ExperimentConfig, *, samples: bool = False) -> NetworkPlayer:
    """The player that training with ``config`` starts from: the same initial parameters."""
    return player_of(config, initial_state(config, agent_of(config)), samples=samples)


def player_of(
    config: ExperimentConfig, state: TrainingState, *, samples: bool = False
) -> NetworkPlayer:
    """The player that training with ``config`` has made so far."""
    scale = scale_of(state.statistics)
    return NetworkPlayer(config, agent_of(config), state.learner.params, scale, samples)
