"""What changes from stroke to stroke, and what a stroke yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax

from carrom.laws import Event, MatchState, Ruling, StrokeFacts
from carrom.physics.planar.lanes import Parameters


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """An episode between two strokes; every leaf may carry leading batch axes.

    Attributes:
        match: all the umpire has to know.
        positions: float32 (19, 2), m, board frame, index order; zero off the board.
        on_board: bool (19,).
        line: int32 (), on which line between the base lines the striker stands: an index into
            ``baseline.Lines``; 0 is the middle one.
        parameters: of the physics, float32 () each, constant within an episode.
        strokes: int32 (), strokes and incidents so far, of all players.
        earned: reward terms, float32 (), since they were last reported.
        winner: int32 (), once the episode has ended by the laws: 0 the agent's side, 1 the
            other; -1 before, and if neither has won.
        terminated: bool (), the episode has ended by the laws.
        truncated: bool (), it was cut off.
    """

    match: MatchState
    positions: jax.Array
    on_board: jax.Array
    line: jax.Array
    parameters: Parameters
    strokes: jax.Array
    earned: dict[str, jax.Array]
    winner: jax.Array
    terminated: jax.Array
    truncated: jax.Array

    @property
    def over(self) -> jax.Array:
        """Whether the episode has ended, bool ()."""
        return self.terminated | self.truncated


class Strike(NamedTuple):
    """As ``carrom.physics.strike.Strike``, float32 () each."""

    place: jax.Array
    direction: jax.Array
    speed: jax.Array
    forward: jax.Array


class Outcome(NamedTuple):
    """Where a stroke left the discs, and what of it the umpire has to be told.

    Attributes:
        positions: float32 (20, 2), m, board frame; the striker last.
        on_board: bool (20,).
        touched: bool (), the striker touched a carromman.
        collided: bool (), something touched something: a carromman or the frame.
        failed: bool (), the physics was given up.
    """

    positions: jax.Array
    on_board: jax.Array
    touched: jax.Array
    collided: jax.Array
    failed: jax.Array


class Booked(NamedTuple):
    """A stroke as the umpire booked it.

    Attributes:
        seat: int32 (), whose it was.
        facts: what the umpire was told.
        ruling: what he ruled, on what found room.
        match: after it, before a new board was racked.
    """

    seat: jax.Array
    facts: StrokeFacts
    ruling: Ruling
    match: MatchState

    @property
    def failed(self) -> jax.Array:
        """Whether the physics was given up, bool (), and the board is void for it (140)."""
        return self.facts.event == Event.VOID


class Transition(NamedTuple):
    """What a step yields; every leaf may carry leading batch axes.

    Attributes:
        observation: float32 (74,), the agent's, also when the episode is over.
        reward: float32 (), the sum of ``terms``.
        terminated: bool ().
        truncated: bool ().
        terms: the reward itemised, float32 () each: own and the others' strokes.
        winner: as in ``State``.
        strokes: int32 (), played since the last step.
        booked: the agent's own stroke.
    """

    observation: jax.Array
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    terms: dict[str, jax.Array]
    winner: jax.Array
    strokes: jax.Array
    booked: Booked
