"""A task of one's own: how many carrommen go down in one turn at the end of a board.

    python examples/own_task.py

lets two players do it. Importing the module registers ``CarromRun-v0`` with Gymnasium.
"""

from __future__ import annotations

from collections.abc import Mapping

import gymnasium as gym
import numpy as np

from carrom import Board, CarromEnv, Position, Stroke, position_from
from carrom.midgame import random_layout
from carrom.view import QueenStatus
from carrom_agents.episode import episode
from carrom_agents.roster import find_player
from carrom_agents.statistics import Estimate, mean


# --8<-- [start:task]
def endgame(board: Board, rng: np.random.Generator) -> Position:
    """Where an episode begins: two to five carrommen each, the agent holds the queen."""
    own, others = rng.integers(2, 6, size=2).tolist()
    layout = random_layout(board, rng, white=own, black=others, queen=False)
    return position_from(layout, queen=QueenStatus.MINE)


def pocketed(stroke: Stroke) -> Mapping[str, float]:
    """What it pays: one for each own carromman that falls, less what is charged."""
    return {"pocketed": stroke.own_pocketed, "charged": -stroke.charged}


def turn_over(stroke: Stroke) -> bool:
    """What ends it, besides the end of the board: the turn passes."""
    return stroke.after.seat != stroke.seat


gym.register(
    "CarromRun-v0",
    entry_point="carrom.env:CarromEnv",
    vector_entry_point="carrom.vector:CarromVectorEnv",
    kwargs={"task": "board", "start": endgame, "reward": pocketed, "ends": turn_over},
)
# --8<-- [end:task]


# --8<-- [start:run]
def run_length(player: str, episodes: int) -> Estimate:
    """The return of ``player`` over some episodes: mean and 95 % interval."""
    env = gym.make("CarromRun-v0", noise="expert").unwrapped
    assert isinstance(env, CarromEnv)
    returns = [
        sum(
            sum(info["reward_terms"].values())
            for _, info in episode(env, find_player(player), seed)
        )
        for seed in range(episodes)
    ]
    return mean(np.array(returns), np.random.default_rng(0))
    # --8<-- [end:run]


if __name__ == "__main__":
    for name in ("random_coin", "aimer"):
        print(name, run_length(name, episodes=100))
