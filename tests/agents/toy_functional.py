"""A functional environment in a few lines: what is right in it can be said in one."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from carrom.action import N_POCKETS
from carrom.observation import SIZE

SEAT = 71
"""Where an observation of doubles says who sees it."""
THEIR_REWARD = -0.25
"""What a stroke of the other side earns the agent."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Seat:
    seat: jax.Array
    breaker_seat: jax.Array


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Match:
    board: Seat


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class ToyState:
    match: Match
    places: jax.Array
    earned: dict[str, jax.Array]
    winner: jax.Array
    terminated: jax.Array
    truncated: jax.Array

    @property
    def over(self) -> jax.Array:
        return self.terminated | self.truncated


class ToyBooked(NamedTuple):
    failed: jax.Array


@dataclass(frozen=True)
class ToyFunctional:
    """Three own carrommen; the shot to name is the one farthest to the right, to pocket 1.

    It earns 1, less how far the speed residual is from 0.5. In the task "shot" that is all. In
    "board" the carrommen change places, the turn is drawn anew after every stroke, and one
    stroke in six ends the episode, half of them by cutting it off. In doubles four have turns,
    and each sees where he sits.
    """

    task: str
    doubles: bool = False

    @property
    def alone(self) -> bool:
        return self.task == "shot"

    def start(self, key: jax.Array) -> ToyState:
        place, turn = jax.random.split(key)
        no = jnp.bool_(False)
        return ToyState(
            match=Match(Seat(self._turn(turn), self._turn(jax.random.fold_in(turn, 1)))),
            places=jax.random.uniform(place, (3, 2), minval=-0.3, maxval=0.3),
            earned={"shot": jnp.float32(0)},
            winner=jnp.int32(-1),
            terminated=no,
            truncated=no,
        )

    def _turn(self, key: jax.Array) -> jax.Array:
        if self.alone:
            return jnp.int32(0)
        seats = jnp.asarray([0, 1, 2, 3] if self.doubles else [0, 2], jnp.int32)
        return seats[jax.random.randint(key, (), 0, len(seats))]

    def side_of(self, seat: Any) -> Any:
        return seat % 2 if self.doubles else seat // 2

    def observe(self, state: ToyState, seat: Any = 0) -> jax.Array:
        pieces = jnp.concatenate([state.places, jnp.ones((3, 1))], axis=1)
        seen = jnp.zeros(SIZE).at[:9].set(pieces.reshape(-1)).at[60].set(state.places[0, 0])
        return seen.at[SEAT].set(seat) if self.doubles else seen

    def broke(self, state: ToyState) -> jax.Array:
        return self.side_of(state.match.board.breaker_seat) == 0

    def decode(self, state: ToyState, action: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return action

    def stroke(
        self, state: ToyState, strike: dict[str, jax.Array], key: jax.Array
    ) -> tuple[ToyState, ToyBooked]:
        named = strike["shot"] == N_POCKETS * jnp.argmax(state.places[:, 0]) + 1
        own = named - jnp.abs(strike["residual"][2] - 0.5)
        reward = jnp.where(self.side_of(state.match.board.seat) == 0, own, THEIR_REWARD)
        turn, end, cut = jax.random.split(key, 3)
        over = jnp.bool_(self.alone) | (jax.random.uniform(end) < 1 / 6)
        cut_off = jax.random.uniform(cut) < (0.0 if self.alone else 0.5)
        state = dataclasses.replace(
            state,
            match=Match(dataclasses.replace(state.match.board, seat=self._turn(turn))),
            places=jnp.roll(state.places, 1, axis=0),
            earned={"shot": state.earned["shot"] + reward},
            terminated=over & ~cut_off,
            truncated=over & cut_off,
        )
        return state, ToyBooked(jnp.bool_(False))
