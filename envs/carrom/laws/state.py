"""What the umpire knows between two strokes: the board, the game and the match.

All states are frozen dataclasses registered as JAX pytrees. Leaves are int32 and bool
scalars or pairs; they may be numpy values (ordinary environments) or JAX arrays (functional
ones), and every leaf may carry leading batch axes under ``jax.vmap``.

Three ways of naming a player occur, and each has one meaning:

* *seat*, 0 to 3, counter-clockwise; ``seat + 1`` is the player on the right (29, 49.b). In
  singles only the seats 0 and 2 are taken. A player keeps his seat for the whole match;
  when sides change (58-60) it is ``MatchState.rotation`` that moves.
* *side*, 0 or 1, a player or a pair: ``seat // 2`` in singles, ``seat % 2`` in doubles.
  Scores and games belong to sides.
* *colour*, white 0 or black 1, a side's role on one board: the breaker's side is white (43).
  Carrommen, dues and points of a board belong to colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias, TypeVar, cast

import jax
import numpy as np
from numpy.typing import ArrayLike

from carrom.errors import ConfigError
from carrom.pieces import N_PER_SIDE, Colour

Scalar: TypeAlias = jax.Array
"""A leaf without axes of its own."""
Pair: TypeAlias = jax.Array
"""A leaf of shape (2,), per colour or per side."""
Number = TypeVar("Number", int, jax.Array)


def integers(value: ArrayLike) -> jax.Array:
    """An int32 leaf, held by numpy until it meets JAX.

    It is typed as the JAX array it stands for: both have the operators the laws need, and
    making a numpy value costs a hundredth of making a JAX one.
    """
    return cast("jax.Array", np.array(value, np.int32)[()])


def flags(value: ArrayLike) -> jax.Array:
    """A bool leaf, as ``integers``."""
    return cast("jax.Array", np.array(value, bool)[()])


N_SEATS = 4
"""Sides of the table, counter-clockwise; singles use every other one (28, 29)."""
_MOST = 10**6
"""Boards, points and games of a match, at most."""


class QueenState(IntEnum):
    """Where the queen is (92-101)."""

    ON_BOARD = 0
    WAITING = 1
    """Pocketed by the player with the turn, who has to cover her by his next stroke."""
    COVERED_WHITE = 2
    COVERED_BLACK = 3

    @classmethod
    def covered_by(cls, colour: int) -> QueenState:
        """The state in which ``colour`` holds the queen."""
        return cls(cls.COVERED_WHITE + colour)


@dataclass(frozen=True)
class MatchFormat:
    """What is played; hashable, static under ``jax.jit``.

    Attributes:
        doubles: four players in two pairs instead of two players.
        board_limit: boards after which the leader has the game (56.a), or None for none
            (late rounds, A11).
        game_points: points that win a game (56.a).
        games_to_win: games that win the match (57: two of three).

    Raises:
        ConfigError: a number is not positive, or too large to count with in 32 bits.
    """

    doubles: bool = False
    board_limit: int | None = 8
    game_points: int = 25
    games_to_win: int = 2

    def __post_init__(self) -> None:
        for name in ("board_limit", "game_points", "games_to_win"):
            value = getattr(self, name)
            optional = name == "board_limit" and value is None
            if not optional and not (type(value) is int and 0 < value <= _MOST):
                raise ConfigError(
                    f"{name} = {value!r:.60}: expected a positive whole number up to {_MOST}"
                )

    @property
    def seat_step(self) -> int:
        """From a seat to the one that plays after it (49)."""
        return 1 if self.doubles else 2

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that are taken, in order of play."""
        return (0, 1, 2, 3) if self.doubles else (0, 2)

    @property
    def idle_limit(self) -> int:
        """Turns in a row without a touch that void the board (137, A1, U18)."""
        return 3 * len(self.seats)

    @property
    def deciding_game(self) -> int:
        """Number of the last possible game; 1 when the match is a single game."""
        return 2 * self.games_to_win - 1


SINGLES = MatchFormat()
DOUBLES = MatchFormat(doubles=True)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class BoardState:
    """A board (5: from "play" to the last carromman) between two strokes.

    Attributes:
        striker: int32, colour with the turn.
        seat: int32, seat with the turn (19).
        breaker_seat: int32, the seat that had the right to break first; its side is white.
        on_board: int32 (2,), carrommen on the board per colour.
        queen: int32, a ``QueenState``.
        owed: int32 (2,), carrommen of each colour still to be placed: dues and penalties (13)
            and ``stranded`` ones.
        stranded: int32 (2,), of these, wrongly pocketed ones that came out and found no room
            (U28); they go first, and no creditor can waive them (U23).
        has_pocketed: bool (2,), whether a carromman of the colour was ever down (92, U16).
        break_done: bool, whether the striker has touched a carromman (6, 44).
        break_attempts_failed: int32, of the player about to break (45.a).
        idle_turns: int32, turns in a row in which nothing was touched (137).
        touched_in_turn: bool, whether this turn has touched anything yet.
        strokes_in_turn: int32, strokes played in this turn; they decide between a technical
            foul and a foul (63.a, 64.a).
        turns_passed: int32, turns that have ended on this board (27: the first turns).
        placing_seat: int32 (2,), who may place the carrommen of each colour that are
            available but had no room (79), -1 if there are none.
        over: bool, the board has ended (7).
        replay: bool, the board is void and has to be replayed (137, 140, 142).
    """

    striker: Scalar
    seat: Scalar
    breaker_seat: Scalar
    on_board: Pair
    queen: Scalar
    owed: Pair
    stranded: Pair
    has_pocketed: Pair
    break_done: Scalar
    break_attempts_failed: Scalar
    idle_turns: Scalar
    touched_in_turn: Scalar
    strokes_in_turn: Scalar
    turns_passed: Scalar
    placing_seat: Pair
    over: Scalar
    replay: Scalar


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class GameState:
    """A game (56) between two strokes.

    Attributes:
        score: int32 (2,), points per side, boards ended so far.
        board_number: int32, from 1; above the limit it is an extra board (56.b).
        sides_changed: bool, the change within the deciding game has taken place (60).
        winner: int32, side that has won this game, -1 while it goes on.
    """

    score: Pair
    board_number: Scalar
    sides_changed: Scalar
    winner: Scalar


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class MatchState:
    """A match (57) between two strokes: all the umpire has to know.

    Attributes:
        board: the board being played.
        game: the game being played.
        game_number: int32, from 1.
        games_won: int32 (2,), per side.
        opener_seat: int32, seat that broke first in the match (49.a).
        rotation: int32, side of the physical board, in quarter turns counter-clockwise, at
            which the player of seat 0 sits after the changes of sides (58-60).
        winner: int32, side that has won the match, -1 while it goes on.
    """

    board: BoardState
    game: GameState
    game_number: Scalar
    games_won: Pair
    opener_seat: Scalar
    rotation: Scalar
    winner: Scalar

    @property
    def board_over(self) -> Scalar:
        """Whether the board has ended, bool."""
        return self.board.over

    @property
    def game_over(self) -> Scalar:
        """Whether the game has ended, bool."""
        return self.game.winner >= 0

    @property
    def match_over(self) -> Scalar:
        """Whether the match has ended, bool."""
        return self.winner >= 0


def side_of(seat: Number, *, doubles: bool) -> Number:
    """Side, 0 or 1, to which ``seat`` belongs."""
    return seat % 2 if doubles else seat // 2


def colour_of(seat: Number, board: BoardState, *, doubles: bool) -> Scalar:
    """Colour ``seat`` plays on ``board``: the breaker's side is white (43)."""
    white = side_of(board.breaker_seat, doubles=doubles)
    return (side_of(seat, doubles=doubles) + white) % 2


def side_with(colour: Scalar | int, board: BoardState, *, doubles: bool) -> Scalar:
    """Side that plays ``colour`` on ``board``, the inverse of ``colour_of``."""
    return (side_of(board.breaker_seat, doubles=doubles) + colour) % 2


def new_board(breaker_seat: Scalar) -> BoardState:
    """A racked board, to be broken by ``breaker_seat``."""
    zero, no = integers(0), flags(False)
    return BoardState(
        striker=integers(Colour.WHITE),
        seat=breaker_seat,
        breaker_seat=breaker_seat,
        on_board=integers([N_PER_SIDE, N_PER_SIDE]),
        queen=integers(QueenState.ON_BOARD),
        owed=integers([0, 0]),
        stranded=integers([0, 0]),
        has_pocketed=flags([False, False]),
        break_done=no,
        break_attempts_failed=zero,
        idle_turns=zero,
        touched_in_turn=no,
        strokes_in_turn=zero,
        turns_passed=zero,
        placing_seat=integers([-1, -1]),
        over=no,
        replay=no,
    )


def new_match(format: MatchFormat = SINGLES, breaker_seat: int = 0) -> MatchState:
    """A match about to begin.

    Args:
        format: what is played.
        breaker_seat: the seat that breaks first, by the toss (39, 42).

    Raises:
        ConfigError: nobody sits on ``breaker_seat``.
    """
    if breaker_seat not in format.seats:
        raise ConfigError(f"breaker_seat = {breaker_seat!r}: expected one of {format.seats}")
    return MatchState(
        board=new_board(integers(breaker_seat)),
        game=new_game(),
        game_number=integers(1),
        games_won=integers([0, 0]),
        opener_seat=integers(breaker_seat),
        rotation=integers(0),
        winner=integers(-1),
    )


def new_game() -> GameState:
    """A game about to begin."""
    return GameState(
        score=integers([0, 0]),
        board_number=integers(1),
        sides_changed=flags(False),
        winner=integers(-1),
    )
