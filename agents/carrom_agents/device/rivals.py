"""Who plays for the other side on the device, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax

from carrom import Functional
from carrom.errors import ConfigError
from carrom.functional import State, Strike
from carrom_agents.agent import agent_of, scale_of
from carrom_agents.config import LEAGUE, SELF, ExperimentConfig
from carrom_agents.device.acting import act, coded
from carrom_agents.device.league import playing_of
from carrom_agents.device.opposition import SCRIPTED, Rival, board_by_board, nobody_else
from carrom_agents.learning import positions_at_once


def find_rival(name: str, config: ExperimentConfig) -> Rival:
    """The rival called ``name``, or the frozen player of a run folder.

    Raises:
        ConfigError: neither a name nor a run folder, or a player of another action coding.
        CheckpointError: a folder that holds no trained player.
    """
    if name == SELF:
        return Rival(None, draw=nobody_else, members=1)
    if name == LEAGUE:
        decide, draw = playing_of(agent_of(config), positions_at_once())
        return Rival(decide, draw=draw, members=config.league.snapshots + 2)
    if name in SCRIPTED:
        return Rival(SCRIPTED[name])
    if not Path(name).is_dir():
        raise ConfigError(
            f"env.opponent = {name!r}: with env.physics = 'planar' expected one of "
            f"{', '.join(SCRIPTED)}, {SELF}, {LEAGUE} or a run folder, and there is no such folder"
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

    def strike(env: Functional, arrays: Any, state: State, key: jax.Array) -> Strike:
        params, scale = arrays
        observation = scale(env.observe(state, state.match.board.seat))
        return env.decode(state, coded(act(agent, params, observation, key).action))

    arrays = (state.learner.params, scale_of(state.statistics))
    return Rival(board_by_board(strike, positions_at_once()), arrays)
