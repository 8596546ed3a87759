"""Boards in ``carrom.functional``, and what strikes on them come to."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.functional import Functional, Sight, State, Strike
from carrom.observation import encode_position
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.tasks import AGENT_SEAT
from carrom.view import QueenStatus, View
from carrom_agents.planner.rollouts import Evaluate

_MOST_STROKES = 150
"""Of a board; then it is given up."""
_WINNING = 25
"""Points that end a game (54): a board begins with fewer on either side."""


class Stroked(NamedTuple):
    """Boards [B] after a stroke.

    Attributes:
        states: of the game.
        laid: bool (B, 19), which dues and wrongly pocketed carrommen the script then laid.
    """

    states: State
    laid: jax.Array


class Rehearsed(NamedTuple):
    """Strokes, arrays (B, M).

    Attributes:
        gained: float32, points: the terms of the reward ``aicf`` for who struck.
        kept: bool, he has the turn again.
        over: bool, the board has ended.
        sight: what the one sees who strikes next.
    """

    gained: jax.Array
    kept: jax.Array
    over: jax.Array
    sight: Sight


@dataclass(frozen=True)
class Rehearsal:
    """The compiled functions by which boards are played and strikes rehearsed.

    Strikes come with their errors. Contacts that overlap in time are impulses, as in the
    planner's rollouts, but for the breaks.

    Attributes:
        noise: execution noise of the breaks.
    """

    noise: str = "expert"

    @functools.cached_property
    def env(self) -> Functional:
        """The game after the break."""
        return Functional("board", overlaps="impulses", max_strokes=_MOST_STROKES)

    @functools.cached_property
    def opened(self) -> Callable[[jax.Array], State]:
        """States [B] after a straight break at full force, of keys [B].

        The scores with which the boards begin are drawn at random. A break may have failed.
        """
        env = Functional("board", noise=self.noise, max_strokes=_MOST_STROKES)

        def one(key: jax.Array) -> State:
            deal, play, score = jax.random.split(key, 3)
            state = env.start(deal)
            points = jax.random.randint(score, (2,), 0, _WINNING, jnp.int32)
            game = dataclasses.replace(state.match.game, score=points)
            match = dataclasses.replace(state.match, game=game)
            strike = Strike(
                jnp.float32(0), jnp.float32(0), jnp.float32(env.material.full_speed), jnp.float32(0)
            )
            state, _ = env.stroke(dataclasses.replace(state, match=match), strike, play)
            return _without_earnings(state)

        return jax.jit(jax.vmap(one))

    @functools.cached_property
    def tried(self) -> Callable[[State, NDArray[np.float32]], Rehearsed]:
        """What strikes as made, (B, M, 3), come to in states [B]."""

        def one(state: State, made: jax.Array) -> Rehearsed:
            after = self._after(state, made)
            before, seat = state.match.board.seat, after.match.board.seat
            return Rehearsed(
                gained=_earned(after) * jnp.where(before == AGENT_SEAT, 1, -1),
                kept=seat == before,
                over=after.over,
                sight=self.env.sight(after, seat),
            )

        return jax.jit(jax.vmap(jax.vmap(one, in_axes=(None, 0))))

    @functools.cached_property
    def played(self) -> Callable[[State, NDArray[np.float32]], Stroked]:
        """What strikes as made, (B, 3), come to in states [B]."""

        def one(state: State, made: jax.Array) -> Stroked:
            # As ``env.stroke``; in between it is seen what lies on the board.
            noise, settling = jax.random.split(_no_chance())
            strike = self.env.make(state, _strike(made), noise)
            outcome = self.env.play(state, strike)
            after, booked = self.env.settle(state, strike, outcome, settling)
            goes_on = ~(after.over | booked.ruling.board_replayed)
            laid = after.on_board & ~outcome.on_board[:N_CARROMMEN] & goes_on
            return Stroked(_without_earnings(after), laid.at[QUEEN].set(False))

        return jax.jit(jax.vmap(one))

    @functools.cached_property
    def seen(self) -> Callable[[State], tuple[Sight, jax.Array]]:
        """What those see who are to strike in states [B], and that as observations [B, 74]."""

        def one(state: State) -> tuple[Sight, jax.Array]:
            sight = self.env.sight(state, state.match.board.seat)
            return sight, encode_position(sight)

        return jax.jit(jax.vmap(one))

    @functools.cached_property
    def seen_from(self) -> Callable[[State, NDArray[np.int32]], Sight]:
        """What the player of a seat sees in states [B]."""
        return jax.jit(jax.vmap(self.env.sight, in_axes=(0, None)))

    def _after(self, state: State, made: jax.Array) -> State:
        return self.env.stroke(state, _strike(made), _no_chance())[0]


@functools.cache
def rehearsal_of(noise: str) -> Rehearsal:
    """The rehearsals with that level of execution noise; equal ones share their programs."""
    return Rehearsal(noise)


def _strike(made: jax.Array) -> Strike:
    return Strike(made[0], made[1], made[2], jnp.float32(0))


def _no_chance() -> jax.Array:
    """A key: chance has no part in a stroke but where the board is void and racked anew."""
    return jax.random.key(0)


def _earned(state: State) -> jax.Array:
    return jnp.sum(jnp.stack(list(state.earned.values())))


def _without_earnings(state: State) -> State:
    return dataclasses.replace(state, earned=jax.tree.map(jnp.zeros_like, state.earned))


def worths(rehearsed: Rehearsed, evaluate: Evaluate) -> NDArray[np.float32]:
    """Points (B, M) that strokes gained, and that what they left is worth to who struck."""
    shape = rehearsed.gained.shape
    sights = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rehearsed.sight)
    left = np.asarray(evaluate(sights)).reshape(shape)
    left = np.where(rehearsed.kept, left, -left)
    return np.asarray(rehearsed.gained) + np.where(rehearsed.over, np.float32(0), left)


def views_of(sights: Sight, board: Board) -> list[View]:
    """The views that sights [B] stand for."""
    rows = jax.device_get(sights)

    def pair(leaf: NDArray[np.integer], row: int) -> tuple[int, int]:
        return int(leaf[row, 0]), int(leaf[row, 1])

    return [
        View(
            board=board,
            positions=rows.positions[row].astype(np.float64),
            on_board=rows.on_board[row],
            queen=QueenStatus(int(rows.queen[row])),
            queen_allowed=bool(rows.queen_allowed[row]),
            owed=pair(rows.owed, row),
            score=pair(rows.score, row),
            games=pair(rows.games, row),
            board_number=int(rows.board_number[row]),
            plays_white=bool(rows.plays_white[row]),
            break_to_be_made=bool(rows.break_to_be_made[row]),
            failed_breaks=int(rows.failed_breaks[row]),
            idle_turns=int(rows.idle_turns[row]),
            turn_begun=bool(rows.turn_begun[row]),
        )
        for row in range(len(rows.on_board))
    ]
