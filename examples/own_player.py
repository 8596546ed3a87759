"""A player of one's own: the shortest and straightest shot, whatever lies in the way.

    python examples/own_player.py

plays a small tournament against two players that come along, and prints who won how often.
"""

from __future__ import annotations

import tempfile
from typing import Any

import gymnasium as gym
import jax
import numpy as np
from rich.console import Console

from carrom import Board, CarromEnv, Material, Strike, View
from carrom.action import ARRIVAL_SPEED, N_SHOTS, action_coding
from carrom.aiming import direct_shot
from carrom.functional import Sight
from carrom.functional import Strike as DeviceStrike
from carrom.functional.codings import decode_target
from carrom.opponents import Player
from carrom.pieces import N_PER_SIDE, QUEEN
from carrom.view import QueenStatus
from carrom_agents.roster import find_player
from carrom_agents.tournament.play import play_tournament
from carrom_agents.tournament.report import TournamentReport
from carrom_agents.tournament.settings import Conditions, TournamentConfig

_BOARD, _MATERIAL = Board(), Material()
_CODING = action_coding("target", "snap", _MATERIAL)
_TARGETS = np.r_[:N_PER_SIDE, QUEEN]
_PLACES = np.linspace(-0.2, 0.2, 5)[:, None, None]
"""m on the base line from which shots are looked at."""


# --8<-- [start:player]
def straight(view: View, rng: np.random.Generator, /) -> Strike:
    """Plays one of the three shots with the shortest and straightest ways."""
    shot = _straightest(view)[rng.integers(3)]
    return _CODING.decode({"shot": shot, "residual": np.zeros(3)}, view)


def _straightest(view: Any) -> Any:
    """Shots, ``4 * carromman + pocket``, the shortest and straightest first, (40,).

    Args:
        view: a ``View``, or a ``Sight``, which has the same attributes as JAX arrays.
    """
    xp = view.positions.__array_namespace__()
    queen_wanted = (view.queen == QueenStatus.ON_BOARD) & view.queen_allowed
    wanted = view.on_board[_TARGETS] & xp.where(_TARGETS == QUEEN, queen_wanted, True)
    targets, pockets = view.positions[_TARGETS][:, None], xp.asarray(_BOARD.pocket_centres)
    ways = pockets - targets
    length = xp.hypot(ways[..., 0], ways[..., 1])
    cut = direct_shot(_BOARD, _MATERIAL, _PLACES, targets, pockets, ARRIVAL_SPEED).cut.min(axis=0)
    cost = xp.where(wanted[:, None], length * (1 + cut), xp.inf)
    return xp.argsort(cost.reshape(N_SHOTS))
    # --8<-- [end:player]


# --8<-- [start:device]
def straight_on_device(sight: Sight, key: jax.Array, /) -> DeviceStrike:
    """The same player as a pure function of arrays, for ``carrom.Functional``."""
    shot = _straightest(sight)[jax.random.randint(key, (), 0, 3)]
    action = {"shot": shot, "residual": np.zeros(3, np.float32)}
    return decode_target(action, sight, _BOARD, _MATERIAL)
    # --8<-- [end:device]


# --8<-- [start:play]
def board_against_aimer(seed: int = 0) -> dict[str, Any]:
    """The result of one board of this player, as the agent, against the aimer."""
    env = gym.make("CarromBoard-v0", opponent="aimer", noise="expert").unwrapped
    assert isinstance(env, CarromEnv)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while True:
        *_, terminated, truncated, info = env.answer(straight(env.view(), rng))
        if terminated or truncated:
            return info.get("result", {"winner": None})
    # --8<-- [end:play]


# --8<-- [start:tournament]
def find(name: str) -> Player:
    """The player called ``name``: this one, or one that is installed."""
    return straight if name == "straight" else find_player(name)


def tournament(folder: str, starts: int = 5) -> TournamentReport:
    """Everybody against everybody, every start twice with the places swapped."""
    config = TournamentConfig(
        players=("straight", "aimer", "random_coin"),
        folder=folder,
        starts=starts,
        conditions=Conditions(unit="board", noise="expert"),
    )
    return TournamentReport.of(config, play_tournament(config, find=find))
    # --8<-- [end:tournament]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        report = tournament(scratch)
    Console().print(report.table())
    Console().print(report.wins())
