"""A position as a player sees it from his seat."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from carrom.baseline import Interval, free_line, free_places
from carrom.board import Board
from carrom.decision import STRIKE_NOW, Request
from carrom.laws import QueenState
from carrom.pieces import N_PER_SIDE, QUEEN, SLICES

OWN = slice(0, N_PER_SIDE)
OPPONENT = slice(N_PER_SIDE, 2 * N_PER_SIDE)


class QueenStatus(IntEnum):
    """Where the queen is, for one side."""

    ON_BOARD = 0
    WAITING = 1
    """My side pocketed her with its last stroke and must cover her with the next (15)."""
    MINE = 2
    THEIRS = 3
    """The other side holds her, or must cover her with its next stroke."""


def _queen_seen(queen: QueenState, own: int, striker: int) -> QueenStatus:
    if queen == QueenState.ON_BOARD:
        return QueenStatus.ON_BOARD
    if queen == QueenState.WAITING:
        return QueenStatus.WAITING if striker == own else QueenStatus.THEIRS
    return QueenStatus.MINE if queen == QueenState.covered_by(own) else QueenStatus.THEIRS


QUEEN_SEEN = np.array(
    [[[_queen_seen(q, own, striker) for striker in (0, 1)] for own in (0, 1)] for q in QueenState]
)
"""The ``QueenStatus``, by state of the queen, own colour and colour of who has the turn."""
OWN_FIRST = np.array([np.r_[SLICES[own], SLICES[1 - own], QUEEN] for own in (0, 1)])
"""By own colour, the index of each carromman that a view shows: own, opponent's, the queen."""


@dataclass(frozen=True, eq=False)
class View:
    """Everything a player may know, turned to his seat.

    Pairs are (own, opponent's); in doubles "own" is the pair's.

    Attributes:
        board: the board played on.
        positions: float64 (19, 2), metres, the player's own frame: his base line is at
            negative y. Nine own carrommen, nine of the opponent's, the queen; zero for a
            carromman off the board.
        on_board: bool (19,).
        queen: where the queen is.
        queen_allowed: whether he may pocket and cover the queen (92, 95).
        owed: dues and penalties still to be placed.
        score: points in this game.
        games: games won in this match.
        board_number: 1 to 8, 9 for an extra board.
        plays_white: whether his carrommen are white, as the breaker's are (43).
        break_to_be_made: whether the next stroke is an attempt at the break (44).
        failed_breaks: attempts at the break that the player with the turn has failed (45).
        idle_turns: consecutive turns in which nothing was touched (137).
        turn_begun: whether the player with the turn has already struck in it (63, 64).
        request: what is to be decided, and by whom.
    """

    board: Board
    positions: NDArray[np.float64]
    on_board: NDArray[np.bool_]
    queen: QueenStatus = QueenStatus.ON_BOARD
    queen_allowed: bool = False
    owed: tuple[int, int] = (0, 0)
    score: tuple[int, int] = (0, 0)
    games: tuple[int, int] = (0, 0)
    board_number: int = 1
    plays_white: bool = True
    break_to_be_made: bool = False
    failed_breaks: int = 0
    idle_turns: int = 0
    turn_begun: bool = False
    request: Request = STRIKE_NOW

    @functools.cached_property
    def _standing(self) -> tuple[float, tuple[Interval, ...]] | None:
        """``forward`` and ``free_places``; None if the striker can be set nowhere."""
        middle = free_places(self.board, self.positions, self.on_board)
        if middle:
            return 0.0, middle
        forward = free_line(self.board, self.positions, self.on_board)
        if forward is None:
            return None
        return forward, free_places(self.board, self.positions, self.on_board, forward)

    @property
    def can_strike(self) -> bool:
        """Whether his striker can be set anywhere (142)."""
        return self._standing is not None

    @property
    def forward(self) -> float:
        """How far forward of the middle between the base lines his striker has to stand, m.

        Zero unless carrommen leave no place on the middle line. There is a place whenever he
        is asked to strike: without one the board is replayed (142).
        """
        return self._somewhere[0]

    @property
    def free_places(self) -> tuple[Interval, ...]:
        """Where his striker may stand (130, 134), ``forward`` of the middle line."""
        return self._somewhere[1]

    @property
    def _somewhere(self) -> tuple[float, tuple[Interval, ...]]:
        assert self._standing is not None, "a board without a free place is replayed (142)"
        return self._standing
