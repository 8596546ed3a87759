"""The weights of the static worth, from how boards really ended.

``python -m carrom_agents.planner.fitting`` plays boards of the aimer against itself on the
planar engine, and prints the weights that ``worth.WEIGHTS`` holds.
"""

from __future__ import annotations

import argparse
import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.functional import Functional, Player, Sight, State
from carrom.tasks import AGENT_SEAT
from carrom_agents.device.aimer import DeviceAimer, aimer
from carrom_agents.planner.worth import FEATURES, GLANCE, features_on

_BATCH = 512
"""Boards played side by side."""
_MOST_STROKES = 400
"""After so many strokes a board that goes on is left out."""


@dataclass(frozen=True, eq=False)
class Record:
    """Positions of boards that were played to their end, the breaks left out.

    Attributes:
        features: (n, F), ``FEATURES`` of each position.
        to_go: (n,), points that the player who was to strike won more than he lost from there
            on, by the reward ``aicf``.
        board: (n,), the number of the board it is from.
    """

    features: NDArray[np.float64]
    to_go: NDArray[np.float64]
    board: NDArray[np.int64]


def record(
    player: Player, *, boards: int, seed: int, noise: str = "expert", looks: DeviceAimer = GLANCE
) -> Record:
    """Let a player play boards against itself on the planar engine.

    Args:
        player: of ``carrom.functional``.
        boards: how many, rounded up to a multiple of 512.
        seed: of the racks, the errors of the hand and the player's chance.
        noise: level of execution noise.
        looks: see ``features_on``.
    """
    env = Functional("board", noise=noise)
    parts = [_played(env, player, looks, seed, number) for number in range(-(-boards // _BATCH))]
    fields = (np.concatenate(values) for values in zip(*parts, strict=True))
    return Record(*fields)


def fit(played: Record) -> tuple[NDArray[np.float64], float]:
    """Least squares.

    Returns:
        The weights (F,), and the share of the variance that they explain in boards that they
        were not fitted to: two halves, each by the weights of the other.
    """
    half = played.board % 2 == 0
    rest = np.empty(len(played.to_go))
    for known in (half, ~half):
        weights = _least_squares(played.features[known], played.to_go[known])
        rest[~known] = played.to_go[~known] - played.features[~known] @ weights
    explained = 1 - float(np.mean(rest**2) / np.var(played.to_go))
    return _least_squares(played.features, played.to_go), explained


def _least_squares(features: NDArray[np.float64], to_go: NDArray[np.float64]) -> NDArray:
    return np.linalg.lstsq(features, to_go, rcond=None)[0]


def _played(
    env: Functional, player: Player, looks: DeviceAimer, seed: int, number: int
) -> tuple[NDArray, NDArray, NDArray]:
    """A batch of boards: features, points to go and numbers of the boards."""
    chance = jax.random.fold_in(jax.random.key(seed), number)
    state = _start(env, jax.random.split(chance, _BATCH))
    steps = []
    for stroke in range(_MOST_STROKES):
        keys = jax.random.split(jax.random.fold_in(chance, stroke), _BATCH)
        after, sights = _stroke(env, player, state, keys)
        asked = ~state.over & ~sights.break_to_be_made
        side = jnp.where(state.match.board.seat == AGENT_SEAT, 1.0, -1.0)
        seen = features_on(looks)(sights)
        steps.append(jax.device_get((seen, _earned(state), side, asked)))
        state = after
        if bool(jnp.all(state.over)):
            break
    seen, earned, side, asked = (np.stack(values) for values in zip(*steps, strict=True))
    chosen = asked & np.asarray(state.terminated)
    to_go = side * (np.asarray(_earned(state)) - earned)
    board = np.broadcast_to(number * _BATCH + np.arange(_BATCH), chosen.shape)
    return seen[chosen].astype(np.float64), to_go[chosen].astype(np.float64), board[chosen]


@functools.partial(jax.jit, static_argnums=0)
def _start(env: Functional, keys: jax.Array) -> State:
    return jax.vmap(env.start)(keys)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _stroke(env: Functional, player: Player, state: State, keys: jax.Array) -> tuple[State, Sight]:
    """The position after a stroke on every board that goes on, and what was seen before it."""

    def one(state: State, key: jax.Array) -> tuple[State, Sight]:
        decide, play = jax.random.split(key)
        sight = env.sight(state, state.match.board.seat)
        after, _ = env.stroke(state, player(sight, decide), play, ~state.over)
        return after, sight

    return jax.vmap(one)(state, keys)


def _earned(state: State) -> jax.Array:
    return jnp.sum(jnp.stack(list(state.earned.values())), axis=0)


def main() -> None:
    """Fit the weights, and print them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--boards", type=int, default=5_120)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    played = record(aimer, boards=options.boards, seed=options.seed)
    weights, explained = fit(played)
    print(f"{len(played.to_go)} positions, {explained:.3f} of the variance explained")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"    {weight:.3f},  # {name}")


if __name__ == "__main__":
    main()
