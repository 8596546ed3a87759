"""What a run begins with: a new network or a trained one, always the same."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from carrom.errors import ConfigError
from carrom_agents.agent import agent_of
from carrom_agents.checkpoint import located, newest_checkpoint, restore, run_config
from carrom_agents.config import LEAGUE, SELF, ExperimentConfig
from carrom_agents.device.opposition import SCRIPTED
from carrom_agents.learning import TrainingState, initial_state


def pinned(config: ExperimentConfig) -> ExperimentConfig:
    """The configuration with run folders replaced by their newest checkpoints.

    A run folder may go on; what was begun from it, or played against it, must not then change.

    Raises:
        CheckpointError: a run folder without a checkpoint.
    """
    env, opponent = config.env, config.env.opponent
    # Who that is on the other engine is a name.
    named = env.physics != "planar" or opponent in (SELF, LEAGUE, *SCRIPTED)
    if not named and Path(opponent).is_dir():
        env = dataclasses.replace(env, opponent=_pinned(opponent))
    start = None if config.start_from is None else _pinned(config.start_from)
    return dataclasses.replace(config, env=env, start_from=start)


def _pinned(place: str) -> str:
    run_config(Path(place))  # it is a run folder, or lies in one
    run, chosen = located(Path(place))
    return str(newest_checkpoint(run)) if chosen is None else place


def begun(config: ExperimentConfig) -> TrainingState:
    """What a run begins with: a new network, or the one it is to start from."""
    state = initial_state(config, agent_of(config))
    if config.start_from is None:
        return state
    folder = Path(config.start_from)
    theirs = run_config(folder)
    for name, found, wanted in (
        ("network", theirs.network, config.network),
        ("action coding", theirs.env.action_coding, config.env.action_coding),
    ):
        if found != wanted:
            raise ConfigError(
                f"start_from = {config.start_from!r}: its {name} is {found}: expected {wanted}"
            )
    trained = restore(folder, theirs)
    learner = dataclasses.replace(state.learner, params=trained.learner.params)
    return dataclasses.replace(state, learner=learner, statistics=trained.statistics)
