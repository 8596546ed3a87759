"""The tasks: how an episode starts and what ends it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from carrom.board import Board, to_board
from carrom.errors import BoardError, ConfigError
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
from carrom.pieces import N_CARROMMEN, N_PER_SIDE
from carrom.rack import Packing, rack
from carrom.view import QUEEN_SEEN, QueenStatus

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


Start: TypeAlias = Callable[[Board, np.random.Generator], Position]
"""Draws the position in which an episode begins, as ``drill_position`` does."""


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
    plays_white = int(rng.choice(SINGLES.seats)) == AGENT_SEAT
    left = rng.integers(1, 10, size=2)
    queen = QueenState.ON_BOARD
    # A side that still has all nine cannot have covered the queen (92).
    holders = [side for side in (0, 1) if left[side] < N_PER_SIDE]
    if rng.random() < QUEEN_COVERED_SHARE and holders:
        queen = QueenState.covered_by(int(rng.choice(holders)))
    layout = random_layout(
        board,
        rng,
        white=int(left[0]),
        black=int(left[1]),
        queen=queen == QueenState.ON_BOARD,
        seat=AGENT_SEAT,
    )
    own = int(not plays_white)
    seen = QueenStatus(QUEEN_SEEN[queen, own, own])
    return position_from(layout, plays_white=plays_white, queen=seen)


def position_from(
    layout: Layout,
    *,
    seat: int = AGENT_SEAT,
    plays_white: bool = True,
    queen: QueenStatus = QueenStatus.ON_BOARD,
    break_done: bool = True,
    format: MatchFormat = SINGLES,
) -> Position:
    """A position on the first board of a match, with the carrommen where ``layout`` has them.

    Nobody owes anything, and a side has pocketed something if it has fewer than nine left.
    Whatever else is wanted is changed by ``dataclasses.replace``.

    Args:
        layout: where the carrommen lie, board frame: that of a player on seat 0.
        seat: who strikes next.
        plays_white: whether he has the white carrommen.
        queen: where she is for him. If she is to be covered, his turn has begun.
        break_done: False if his stroke is the break (44).
        format: singles or doubles.

    Raises:
        ConfigError: nobody sits on ``seat``.
    """
    own = int(not plays_white)
    breaker = seat if plays_white else (seat + format.seat_step) % 4
    if seat not in format.seats:
        raise ConfigError(f"seat = {seat!r}: expected one of {format.seats}")
    match = new_match(format, breaker)
    left, covering = np.array(layout.counts, np.int32), queen == QueenStatus.WAITING
    state: BoardState = dataclasses.replace(
        match.board,
        striker=np.int32(own),
        seat=np.int32(seat),
        on_board=left,
        has_pocketed=left < N_PER_SIDE,
        queen=np.int32(np.flatnonzero(QUEEN_SEEN[:, own, own] == queen)[0]),
        break_done=np.bool_(break_done),
        strokes_in_turn=np.int32(covering),
        touched_in_turn=np.bool_(covering),
    )
    return Position(layout, dataclasses.replace(match, board=state))


def check_start(position: Position, task: Task, format: MatchFormat, board: Board) -> None:
    """Refuse a position in which an episode cannot begin.

    Raises:
        ConfigError: it is none, the carrommen cannot lie so, or the umpire's counts are others.
    """
    if not isinstance(position, Position):
        given = type(position).__name__
        raise ConfigError(f"start gave a {given}: expected a carrom Position, see position_from")
    try:
        position.layout.check(board)
    except BoardError as error:
        raise ConfigError(f"start: {error}") from None
    state, layout = position.match.board, position.layout
    counted = tuple(int(count) for count in state.on_board)
    if layout.counts != counted or min(counted) < 1:
        raise ConfigError(
            f"start: {layout.counts} white and black carrommen lie on the board, the umpire counts "
            f"{counted}: expected the same, and at least one of either"
        )
    if layout.queen_on_board != (int(state.queen) == QueenState.ON_BOARD):
        raise ConfigError(
            f"start: queen = {QueenState(int(state.queen)).name} while she "
            f"{'lies' if layout.queen_on_board else 'does not lie'} on the board: expected "
            "ON_BOARD exactly if she lies there"
        )
    points = layout.positions[layout.on_board]
    to_pocket = np.hypot(*(points[:, None] - board.pocket_centres[None]).T)
    if to_pocket.min() < board.pocket_radius:
        raise ConfigError("start: a carromman lies over a pocket: expected none (71)")
    if position.seat not in format.seats:
        raise ConfigError(f"start: seat {position.seat} has the turn: expected {format.seats}")
    if (task.solo or task.unit is Unit.STROKE) and position.seat != AGENT_SEAT:
        raise ConfigError(
            f"start: seat {position.seat} has the turn: expected the agent's, {AGENT_SEAT}, as it "
            "is the only one that strikes in this task"
        )
    if int(state.striker) != int(colour_of(position.seat, state, doubles=format.doubles)):
        raise ConfigError(
            f"start: seat {position.seat} has the turn, and not the carrommen of "
            f"{('white', 'black')[int(state.striker)]}, who has it by the match"
        )


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
