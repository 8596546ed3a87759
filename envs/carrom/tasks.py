"""The tasks: how an episode starts and what ends it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum

import numpy as np

from carrom.board import Board, to_board
from carrom.laws import (
    SINGLES,
    BoardState,
    MatchFormat,
    MatchState,
    QueenState,
    colour_of,
    new_match,
)
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.pieces import N_CARROMMEN
from carrom.rack import Packing, rack

AGENT_SEAT = 0
"""The seat whose side is "own" in everything an environment reports."""
QUEEN_COVERED_SHARE = 0.4
"""Share of the drills in which a side has covered the queen, if one can have."""


class Unit(Enum):
    """What an episode consists of."""

    STROKE = "stroke"
    BOARD = "board"
    GAME = "game"
    MATCH = "match"


@dataclass(frozen=True)
class Task:
    """A kind of episode.

    Attributes:
        unit: what the episode consists of.
        solo: the opponent never strikes: whenever the turn would pass to him, it returns.
        max_strokes: strokes, of both players, after which the episode is truncated.
    """

    unit: Unit
    max_strokes: int
    solo: bool = False


# Two random players need some 170 strokes for a board (median), one board in 25 over 1,000.
# The limits are for play that the laws would let go on for ever (73 and 101.a return
# carrommen and keep the turn, U31).
TASKS = {
    "shot": Task(Unit.STROKE, max_strokes=1),
    "solo": Task(Unit.BOARD, max_strokes=1_000, solo=True),
    "board": Task(Unit.BOARD, max_strokes=1_000),
    "game": Task(Unit.GAME, max_strokes=10_000),
    "match": Task(Unit.MATCH, max_strokes=30_000),
}


@dataclass(frozen=True, eq=False)
class Position:
    """Everything that decides how a match goes on: the discs and what the umpire knows."""

    layout: Layout
    match: MatchState

    @property
    def seat(self) -> int:
        """Seat with the turn."""
        return int(self.match.board.seat)

    def side_of_board(self, seat: int) -> int:
        """Side of the board, in quarter turns, at which ``seat`` sits by now (58-60)."""
        return (seat + int(self.match.rotation)) % 4

    @property
    def physical_seat(self) -> int:
        """Side of the board from which the player with the turn strikes."""
        return self.side_of_board(self.seat)

    def sides_of_colour(self, colour: int, format: MatchFormat) -> tuple[int, ...]:
        """Sides of the board at which the players of ``colour`` sit."""
        board = self.match.board
        return tuple(
            self.side_of_board(seat)
            for seat in format.seats
            if int(colour_of(seat, board, doubles=format.doubles)) == colour
        )


def racked(
    match: MatchState,
    board: Board,
    rng: np.random.Generator,
    packing: Packing,
    orientation: float,
) -> Position:
    """A new board of ``match``, racked at once (41.b), facing the breaker (41.a, U14)."""
    position = Position(Layout(np.zeros((19, 2)), np.zeros(N_CARROMMEN, bool)), match)
    carrommen = rack(board, rng, packing=packing, orientation=orientation)
    carrommen = to_board(carrommen, position.physical_seat)
    return dataclasses.replace(position, layout=Layout(carrommen, np.ones(N_CARROMMEN, bool)))


def drill_position(board: Board, rng: np.random.Generator) -> Position:
    """A random mid-game position with the agent to strike.

    Each side has one to nine carrommen left, the queen lies on the board in three positions
    of five and is otherwise covered by either side; nobody owes anything.
    """
    breaker = int(rng.choice(SINGLES.seats))
    match = new_match(SINGLES, breaker)
    colour = int(breaker != AGENT_SEAT)
    left = rng.integers(1, 10, size=2)
    queen = QueenState.ON_BOARD
    # A side that still has all nine cannot have covered the queen (92).
    holders = [side for side in (0, 1) if left[side] < 9]
    if rng.random() < QUEEN_COVERED_SHARE and holders:
        queen = QueenState.covered_by(int(rng.choice(holders)))
    state: BoardState = dataclasses.replace(
        match.board,
        striker=np.int32(colour),
        seat=np.int32(AGENT_SEAT),
        on_board=left.astype(np.int32),
        has_pocketed=left < 9,
        queen=np.int32(queen),
        break_done=np.bool_(True),
    )
    layout = random_layout(
        board,
        rng,
        white=int(left[0]),
        black=int(left[1]),
        queen=queen == QueenState.ON_BOARD,
        seat=AGENT_SEAT,
    )
    return Position(layout, dataclasses.replace(match, board=state))


def returned_to(seat: int, match: MatchState) -> MatchState:
    """The match with the turn given back to ``seat``: how the solo task goes on.

    A turn handed back begins anew, and no idle turns are counted (137 is about two players).
    """
    turn = dataclasses.replace(
        match.board,
        seat=np.int32(seat),
        striker=colour_of(seat, match.board, doubles=False),
        break_attempts_failed=np.int32(0),
        idle_turns=np.int32(0),
        strokes_in_turn=np.int32(0),
        touched_in_turn=np.bool_(False),
    )
    return dataclasses.replace(match, board=turn)
