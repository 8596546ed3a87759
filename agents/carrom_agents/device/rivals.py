"""Who plays for the other side on the device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from carrom import Functional
from carrom.errors import ConfigError
from carrom.functional import Player, State, Strike, random_player
from carrom_agents.agent import agent_of, scale_of
from carrom_agents.config import ExperimentConfig
from carrom_agents.device.acting import act, coded
from carrom_agents.device.aimer import aimer

SELF = "self"
"""Name of the opponent that plays with the parameters being trained, as it explores."""

Decide = Callable[[Functional, Any, State, jax.Array], Strike]
"""The strike of the player with the turn on one board: of environment, arrays, state, key."""


@dataclass(frozen=True, eq=False)
class Rival:
    """Who plays for the other side.

    Attributes:
        decide: gives his strike; None if he is the agent itself.
        arrays: what ``decide`` is given besides the board: parameters, for instance.
    """

    decide: Decide | None
    arrays: Any = ()


def _by_sight(player: Player) -> Decide:
    def decide(env: Functional, arrays: Any, state: State, key: jax.Array) -> Strike:
        return player(env.sight(state, state.match.board.seat), key)

    return decide


_SCRIPTED = {"random": _by_sight(random_player), "aimer": _by_sight(aimer)}


def find_rival(name: str, config: ExperimentConfig) -> Rival:
    """The rival called ``name``, or the frozen player of a run folder.

    Raises:
        ConfigError: neither a name nor a run folder, or a player of another action coding.
        CheckpointError: a folder that holds no trained player.
    """
    if name == SELF:
        return Rival(None)
    if name in _SCRIPTED:
        return Rival(_SCRIPTED[name])
    if not Path(name).is_dir():
        raise ConfigError(
            f"env.opponent = {name!r}: with env.physics = 'planar' expected one of "
            f"{', '.join(_SCRIPTED)}, {SELF} or a run folder"
        )
    return _frozen(Path(name), config)


def _frozen(folder: Path, config: ExperimentConfig) -> Rival:
    from carrom_agents.checkpoint import restore, run_config

    theirs = run_config(folder)
    if theirs.env.action_coding != config.env.action_coding:
        raise ConfigError(
            f"env.opponent = {str(folder)!r}: its action coding is {theirs.env.action_coding!r}: "
            f"expected {config.env.action_coding!r}, as in env.action_coding"
        )
    state, agent = restore(folder, theirs), agent_of(theirs)

    def decide(env: Functional, arrays: Any, state: State, key: jax.Array) -> Strike:
        params, scale = arrays
        observation = scale(env.observe(state, state.match.board.seat))
        return env.decode(state, coded(act(agent, params, observation, key).action))

    return Rival(decide, (state.learner.params, scale_of(state.statistics)))
