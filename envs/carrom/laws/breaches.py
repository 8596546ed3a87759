"""What it is called when a player breaks a law (51, 63, 64), or concedes (139)."""

from __future__ import annotations

from carrom.errors import FactsError
from carrom.laws.state import MatchFormat, MatchState, side_of
from carrom.laws.stroke import Event


def foul_by(seat: int, state: MatchState, format: MatchFormat) -> Event:
    """What a breach by a player is now: a foul or a technical foul (62), and whose (63, 64).

    So is a stroke, or a break, that comes too late (46, 50). Opponents are, in doubles, the
    neighbours of the player with the turn (22).

    Args:
        seat: the player who broke a law.
        state: the match; its board is being played.
        format: what is played.

    Raises:
        FactsError: nobody sits on ``seat``.
    """
    if seat == _with_turn(seat, state, format):
        struck = int(state.board.strokes_in_turn) > 0
        return Event.FOUL if struck else Event.TECHNICAL_FOUL
    if _partners(seat, state, format):
        return Event.TECHNICAL_FOUL_PARTNER
    return Event.TECHNICAL_FOUL_OPPONENT


def out_of_turn_by(seat: int, state: MatchState, format: MatchFormat) -> Event:
    """What a stroke by a player who does not have the turn is now (51).

    Args:
        seat: the player who struck.
        state: the match; its board is being played.
        format: what is played.

    Raises:
        FactsError: nobody sits on ``seat``, or that player has the turn.
    """
    turn = _with_turn(seat, state, format)
    if seat == turn:
        raise FactsError(f"seat = {seat}: he has the turn, expected another player")
    partner = _partners(seat, state, format)
    return Event.OUT_OF_TURN_PARTNER if partner else Event.OUT_OF_TURN


def loss_by(seat: int, state: MatchState, format: MatchFormat) -> Event:
    """What a breach is that costs the board (91, 121.b, 126.b); 51 has ``out_of_turn_by``.

    Args:
        seat: the player who broke the law.
        state: the match; its board is being played.
        format: what is played.

    Raises:
        FactsError: nobody sits on ``seat``.
    """
    _with_turn(seat, state, format)
    own = _partners(seat, state, format)
    return Event.BOARD_LOST if own else Event.BOARD_LOST_OPPONENT


def concession_by(seat: int, state: MatchState, format: MatchFormat, *, match: bool) -> Event:
    """What it is when a player gives up the game, or the match, now (139).

    Args:
        seat: the player who gives up.
        state: the match; its board is being played.
        format: what is played.
        match: the whole match instead of the game.

    Raises:
        FactsError: nobody sits on ``seat``.
    """
    _with_turn(seat, state, format)
    if _partners(seat, state, format):
        return Event.CONCEDE_MATCH if match else Event.CONCEDE_GAME
    return Event.CONCEDE_MATCH_OPPONENT if match else Event.CONCEDE_GAME_OPPONENT


def _with_turn(seat: int, state: MatchState, format: MatchFormat) -> int:
    """The seat with the turn, once it is certain that somebody sits on ``seat``."""
    if seat not in format.seats:
        raise FactsError(f"seat = {seat!r}: expected one of {format.seats}")
    return int(state.board.seat)


def _partners(seat: int, state: MatchState, format: MatchFormat) -> bool:
    """Whether the player is of the side with the turn."""
    sides = [side_of(s, doubles=format.doubles) for s in (seat, int(state.board.seat))]
    return sides[0] == sides[1]
