"""The observation: a view of the position as one flat array.

| index | meaning | unit | low | high |
|---|---|---|---|---|
| 3 i, 3 i + 1 | x, y of carromman i in my frame; 0 if off the board | m | -0.37 | 0.37 |
| 3 i + 2 | carromman i is on the board | - | 0 | 1 |
| 57 - 60 | queen: on the board, waiting for my cover, mine, theirs (one-hot) | - | 0 | 1 |
| 61 | I may pocket and cover the queen | - | 0 | 1 |
| 62, 63 | dues and penalties owed by me, by them | carrommen | 0 | 9 |
| 64, 65 | my score, theirs, in this game | points | 0 | 36 |
| 66, 67 | games won by me, by them | games | 0 | 2 |
| 68 | board number in this game | - | 0 | 49 |
| 69 | I play white | - | 0 | 1 |
| 70 | the break is still to be made | - | 0 | 1 |
| 71 | attempts at the break I have failed | - | 0 | 3 |
| 72 | consecutive turns without a touch | turns | 0 | 12 |
| 73 | I have already struck in this turn | - | 0 | 1 |

Carromman i is own for i = 0 to 8, the opponent's for 9 to 17, the queen for 18. A count
beyond its bound is reported as the bound. In doubles what is "own" is the pair's, and the turn
in 71 and 73 is that of whoever has it.

Where more than one's own strikes is decided (placing, claims, the toss, a clock, several agents)
the request follows:

| index | meaning | unit | low | high |
|---|---|---|---|---|
| 74 - 77 | what is asked: strike, place, claim, toss (one-hot; none once it is over) | - | 0 | 1 |
| 78 - 81 | whom: me, the player on my right, opposite, on my left (one-hot) | - | 0 | 1 |
| 82 - 85 | who has the turn, counted alike (one-hot) | - | 0 | 1 |
| 86 | the carromman to be laid is of my colour | - | 0 | 1 |
| 87 | how many of it are to be laid | carrommen | 0 | 9 |
| 88 | they may be forgiven (87.a) | - | 0 | 1 |
| 89 | extra points that can be claimed (87.b) | points | 0 | 2 |
| 90 | share of the time for this decision that is used up | - | 0 | 1 |
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from carrom.board import Board
from carrom.decision import Kind, Request
from carrom.pieces import N_CARROMMEN
from carrom.view import QueenStatus, View

PIECE_FEATURES = 3
"""Features of each carromman: x, y, on the board."""
PIECES_SIZE = PIECE_FEATURES * N_CARROMMEN
"""Length of the part that describes the carrommen; the game follows it."""

_GAME_HIGH = [
    *[1, 1, 1, 1],  # where the queen is
    *[1, 9, 9, 36, 36, 2, 2, 49],  # right to her, owed, score, games, board number
    *[1, 1, 3, 12, 1],  # white, break, failed breaks, idle turns, turn begun
]
GAME_SIZE = len(_GAME_HIGH)
"""Length of the part that describes the game."""
SIZE = PIECES_SIZE + GAME_SIZE


_KINDS = (Kind.STRIKE, Kind.PLACE, Kind.CLAIM, Kind.TOSS)
_REQUEST_HIGH = [*[1] * 12, 1, 9, 1, 2, 1]
REQUEST_SIZE = len(_REQUEST_HIGH)
"""Length of the part that describes what is asked for."""


def observation_space(
    board: Board, *, with_request: bool = False
) -> spaces.Space[NDArray[np.float32]]:
    """The space of one observation: float32, bounds as in the tables above.

    Args:
        board: gives how far carrommen can lie.
        with_request: whether the request is part of it: shape (91,) instead of (74,).
    """
    reach = board.half_side
    high = [*_GAME_HIGH, *(_REQUEST_HIGH if with_request else [])]
    low = np.concatenate([np.tile([-reach, -reach, 0], N_CARROMMEN), np.zeros(len(high))])
    high = np.concatenate([np.tile([reach, reach, 1], N_CARROMMEN), high])
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def encode(view: View, *, with_request: bool = False) -> NDArray[np.float32]:
    """The observation of ``view``, float32 (74,), or (91,) with the request; a fresh array."""
    observation = encode_position(view)
    if not with_request:
        return observation
    request = np.minimum(_request(view.request), _REQUEST_HIGH)
    return np.concatenate([observation, request.astype(np.float32)])


def encode_position(view: Any) -> Any:
    """The observation without the request, float32 (74,), of the same kind as the positions.

    Args:
        view: a ``View``, or, in compiled code, anything with its attributes as JAX arrays.
    """
    xp = view.positions.__array_namespace__()
    pieces = xp.concatenate([view.positions, view.on_board[:, None]], axis=1)
    game = [
        *(view.queen == status for status in QueenStatus),
        view.queen_allowed,
        *view.owed,
        *view.score,
        *view.games,
        view.board_number,
        view.plays_white,
        view.break_to_be_made,
        view.failed_breaks,
        view.idle_turns,
        view.turn_begun,
    ]
    game = xp.minimum(xp.asarray(game, dtype=xp.float32), xp.asarray(_GAME_HIGH, dtype=xp.float32))
    return xp.concatenate([pieces.reshape(-1).astype(xp.float32), game])


def _request(request: Request) -> list[float]:
    asked = request.kind is not None
    return [
        *(float(request.kind is kind) for kind in _KINDS),
        *(float(asked and request.by == seat) for seat in range(4)),
        *(float(request.turn == seat) for seat in range(4)),
        float(request.own_carromman),
        float(request.left),
        float(request.may_waive),
        float(request.claims),
        request.time_used,
    ]
