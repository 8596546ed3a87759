"""The weights of the static worth, from how boards really ended.

``python -m carrom_agents.planner.fitting aimer`` lets the player of that name play boards
against itself, and prints the weights that ``worth.WEIGHTS`` holds.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carrom.env import CarromEnv
from carrom.functional import Functional
from carrom.opponents import Player, find_opponent
from carrom.reward import lead, potential
from carrom.table import view_of
from carrom.view import STRIKE_NOW, View
from carrom_agents.episode import episode
from carrom_agents.planner.position import sights_of
from carrom_agents.planner.worth import FEATURES, StaticWorth, features_on

_BLOCK = 512
"""Positions that are weighed together."""
_QUEEN_COUNTS = (True, True)
"""Both sides are at zero in every board (54)."""


@dataclass(frozen=True, eq=False)
class Record:
    """Positions of boards that were played to their end, the breaks left out.

    Attributes:
        views: n of them, each of the player who was to strike.
        to_go: (n,), points that he won more than he lost from there on, by the reward ``aicf``.
        board: (n,), the number of the board it is from.
    """

    views: tuple[View, ...]
    to_go: NDArray[np.float64]
    board: NDArray[np.int64]


def record(player: Player, *, boards: int, seed: int, noise: str = "expert") -> Record:
    """Let a player play boards against itself, with MuJoCo.

    Args:
        player: who.
        boards: how many; those that are cut off are left out.
        seed: of the first board; the others follow.
        noise: level of execution noise.
    """
    env = CarromEnv("board", opponent=player, noise=noise)
    views, to_go, board = [], [], []
    for number in range(boards):
        steps = list(episode(env, player, seed + number))
        strokes = [s for played, _ in steps for s in played if s.strike is not None]
        if "result" not in steps[-1][1]:
            continue
        points = strokes[-1].ruling.points
        for stroke in strokes:
            before, colour = stroke.before.match.board, stroke.ruling.striker
            if not before.break_done:
                continue
            views.append(view_of(env.setting, stroke.before, stroke.seat, STRIKE_NOW))
            to_go.append(lead(points, colour) - potential(before, colour, _QUEEN_COUNTS))
            board.append(number)
    return Record(tuple(views), np.array(to_go, np.float64), np.array(board))


def fit(played: Record, worth: StaticWorth) -> tuple[NDArray[np.floating], float]:
    """The weights by least squares.

    Args:
        played: what they are fitted to.
        worth: says how chances are looked at; its weights play no part.

    Returns:
        The weights (F,), and the share of the variance that they explain in boards that they
        were not fitted to: two halves, each by the weights of the other.
    """
    features = features_of(played.views, worth)
    half = played.board % 2 == 0
    rest = np.empty(len(played.to_go))
    for known in (half, ~half):
        weights = _least_squares(features[known], played.to_go[known])
        rest[~known] = played.to_go[~known] - features[~known] @ weights
    explained = 1 - float(np.mean(rest**2) / np.var(played.to_go))
    return _least_squares(features, played.to_go), explained


def features_of(views: tuple[View, ...], worth: StaticWorth) -> NDArray[np.float64]:
    """``FEATURES`` of n positions, (n, F)."""
    env, parts = Functional("board"), []
    for first in range(0, len(views), _BLOCK):
        part = views[first : first + _BLOCK]
        filled = part + part[:1] * (_BLOCK - len(part))
        parts.append(np.asarray(features_on(worth.looks)(sights_of(filled, env)))[: len(part)])
    return np.concatenate(parts).astype(np.float64)


def _least_squares(
    features: NDArray[np.float64], to_go: NDArray[np.float64]
) -> NDArray[np.floating]:
    return np.linalg.lstsq(features, to_go, rcond=None)[0]


def main() -> None:
    """Fit the weights, and print them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("player")
    parser.add_argument("--boards", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1_000_000)
    options = parser.parse_args()
    played = record(find_opponent(options.player), boards=options.boards, seed=options.seed)
    weights, explained = fit(played, StaticWorth())
    print(f"{len(played.to_go)} positions, {explained:.3f} of the variance explained")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"    {weight:.3f},  # {name}")


if __name__ == "__main__":
    main()
