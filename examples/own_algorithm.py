"""An algorithm of one's own: REINFORCE with a linear policy, in NumPy.

    python examples/own_algorithm.py

It learns which of the 40 direct shots to play in the drill ``CarromShot-v0`` (Williams, 1992,
https://doi.org/10.1007/BF00992696), in a few seconds, and prints how well it does before
and after.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from carrom import Board, Material, Strike, View
from carrom.action import N_SHOTS, action_coding, shot_mask
from carrom.aiming import direct_shot
from carrom.observation import encode
from carrom.pieces import N_PER_SIDE, QUEEN
from carrom_agents.evaluation import evaluate_shots

Floats = NDArray[np.floating]
BOARD, MATERIAL = Board(), Material()
_TARGETS = np.r_[:N_PER_SIDE, QUEEN]
_PLACES = np.linspace(-0.2, 0.2, 5)[:, None, None, None]
"""m on the base line from which shots are looked at."""


# --8<-- [start:policy]
def features(observations: Floats) -> Floats:
    """What the policy sees of each shot, (N, 40, 4), from observations (N, 74)."""
    pieces = observations[:, :57].reshape(-1, 19, 3)
    targets, pockets = pieces[:, _TARGETS, None, :2], BOARD.pocket_centres
    way = pockets - targets
    length = np.hypot(way[..., 0], way[..., 1])
    shots = direct_shot(BOARD, MATERIAL, _PLACES, targets, pockets, 1.0)
    # How far other carrommen lie beside the way: along it and across it.
    to_others = pieces[:, None, None, :, :2] - targets[..., None, :]
    unit = (way / length[..., None])[..., None, :]
    along = np.sum(to_others * unit, axis=-1)
    across = np.abs(to_others[..., 0] * unit[..., 1] - to_others[..., 1] * unit[..., 0])
    lies = pieces[:, None, None, :, 2] > 0
    near = (along > 1e-3) & (along < length[..., None]) & (across < BOARD.carromman_diameter)
    blocked = np.any(lies & near, axis=-1)
    is_queen = np.broadcast_to(_TARGETS[:, None] == QUEEN, length.shape)
    columns = [length, shots.cut.min(axis=0), blocked, is_queen]
    return np.stack(columns, axis=-1).reshape(len(observations), N_SHOTS, -1)


def probabilities(weights: Floats, observations: Floats) -> tuple[Floats, Floats]:
    """The policy, (N, 40), and what it has seen, (N, 40, 4)."""
    seen = features(observations)
    there = np.stack([shot_mask(observation) for observation in observations])
    scores = np.where(there, seen @ weights, -np.inf)
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True), seen
    # --8<-- [end:policy]


# --8<-- [start:learn]
def learn(updates: int = 40, boards: int = 64, rate: float = 2.0, seed: int = 0) -> Floats:
    """Weights (4,) after some updates: a step along reward times the gradient of log p."""
    envs = gym.make_vec(
        *("CarromShot-v0", boards),
        action_coding="target",
        noise="expert",
        autoreset_mode="SameStep",
    )
    rng = np.random.default_rng(seed)
    weights = np.zeros(4)
    observations, _ = envs.reset(seed=seed)
    for _ in range(updates):
        policy, seen = probabilities(weights, observations)
        shots = (policy.cumsum(axis=1) > rng.random((boards, 1))).argmax(axis=1)
        actions = {"shot": shots, "residual": np.zeros((boards, 3), np.float32)}
        observations, rewards, *_ = envs.step(actions)
        chosen = seen[np.arange(boards), shots]
        expected = np.einsum("ns,nsf->nf", policy, seen)
        advantages = rewards - rewards.mean()
        weights += rate * np.mean(advantages[:, None] * (chosen - expected), axis=0)
    return weights
    # --8<-- [end:learn]


# --8<-- [start:player]
class Shooter:
    """Plays the most probable shot; a player as any other."""

    def __init__(self, weights: Floats) -> None:
        self.weights = weights
        self.coding = action_coding("target", "snap", MATERIAL)

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """The shot in the position ``view``."""
        del rng
        policy, _ = probabilities(self.weights, encode(view)[None])
        return self.coding.decode({"shot": policy.argmax(), "residual": np.zeros(3)}, view)
        # --8<-- [end:player]


if __name__ == "__main__":
    players = {"trained": Shooter(learn()), "untrained": Shooter(np.zeros(4))}
    Console().print(evaluate_shots(players, positions=500, seed=10_000).table())
