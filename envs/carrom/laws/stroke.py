"""What a stroke did, as the umpire is told, and whether that can be true."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import jax
import numpy as np

from carrom.errors import FactsError
from carrom.laws.lawbook import LAW_IDS
from carrom.laws.state import (
    SINGLES,
    MatchFormat,
    MatchState,
    Pair,
    QueenState,
    Scalar,
    flags,
    integers,
)
from carrom.pieces import N_PER_SIDE, Colour

PLENTY = 2 * N_PER_SIDE
"""Room for every carromman there is."""
ALL_CLAIMS = 2
"""No board offers more extra points (87.b): one for the striker, one for an improper stroke."""
NO_BREACH = -1


class Event(IntEnum):
    """What happened. Only the first two and ``FOUL`` can pocket anything."""

    SHOT = 0
    """A stroke by the player with the turn."""
    EARLY_BREAK = 1
    """The break was played before the call "play" (47)."""
    FOUL = 2
    """The player with the turn broke a law in or after the first stroke of it (64)."""
    TECHNICAL_FOUL = 3
    """The player with the turn broke a law before the first stroke of it (63.a)."""
    TECHNICAL_FOUL_OPPONENT = 4
    """A player of the side without the turn broke a law (63.b)."""
    OUT_OF_TURN = 5
    """A player of the side without the turn struck (51)."""
    NO_STRIKER_SPACE = 6
    """The striker cannot be set anywhere (142)."""
    VOID = 7
    """An event beyond control that cannot be undone (140): the physics diverged."""
    CONCEDE_GAME = 8
    """The side with the turn concedes the game (139)."""
    CONCEDE_MATCH = 9
    """The side with the turn concedes the match (139), or forfeits it (143)."""
    NO_STROKE = 10
    """A slip that left no line and moved nothing: the player tries again (127.b)."""
    TECHNICAL_FOUL_PARTNER = 11
    """The partner of the player with the turn broke a law (63.b)."""
    OUT_OF_TURN_PARTNER = 12
    """The partner of the player with the turn struck (51)."""
    CONCEDE_GAME_OPPONENT = 13
    """A player of the side without the turn concedes the game (139)."""
    CONCEDE_MATCH_OPPONENT = 14
    """A player of the side without the turn concedes the match (139), or forfeits it (143)."""
    BOARD_LOST = 15
    """A player of the side with the turn loses the board by a breach (91, 121.b, 126.b)."""
    BOARD_LOST_OPPONENT = 16
    """A player of the side without the turn does."""


_CAN_POCKET = (Event.SHOT, Event.EARLY_BREAK, Event.FOUL)
_OF_PARTNER = (Event.TECHNICAL_FOUL_PARTNER, Event.OUT_OF_TURN_PARTNER)
_BREACHES = (
    *(Event.EARLY_BREAK, Event.FOUL, Event.TECHNICAL_FOUL, Event.TECHNICAL_FOUL_OPPONENT),
    *(Event.OUT_OF_TURN, *_OF_PARTNER),
)
"""Events that are a breach of a law; so is an improper stroke."""
_BOARD_LOST = (Event.BOARD_LOST, Event.BOARD_LOST_OPPONENT)
_OUT_OF_TURN = (Event.OUT_OF_TURN, Event.OUT_OF_TURN_PARTNER)
_MATCH_LOST = (Event.CONCEDE_MATCH, Event.CONCEDE_MATCH_OPPONENT)
BOARD_LOST_BY = ("91", "121.b", "126.b")
"""Laws whose breach costs the board, by own C/m and the queen; so does 51, which has its events."""
_MATCH_LOST_BY = "143."
"""So begin the laws whose breach costs the match."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class StrokeFacts:
    """The facts of a stroke, or of an event without one. Leaves as in ``carrom.laws.state``.

    Attributes:
        event: int32, an ``Event``.
        proper: bool, the stroke was played according to the laws (2.a) and not against them (2.b).
        touched: bool, the striker touched a carromman or the queen (26).
        pocketed: int32 (2,), carrommen pocketed (10) per colour; among them those that fall when
            a striker that lies on them or under them is taken away (69, 70).
        pocketed_queen: bool.
        pocketed_striker: bool.
        overboard: int32 (2,), carrommen that jumped off the surface (65, 66.a), per colour.
        overboard_queen: bool.
        overboard_striker: bool, the striker left the board (116).
        claims: int32, the most extra points that the winner claims (87.b).
        breach: int32, the law that was broken, as an index into ``LAW_IDS``, -1 for none: the
            cause of an improper stroke or a foul, if it is known.
        waive: bool (2,), the creditor waives the dues and penalties of the colour that
            could be placed now (87.a); wrongly pocketed carrommen that come out are not his
            to waive (U23).
        room_returned: int32, how many wrongly pocketed carrommen find room on the board
            (U28); the rest waits as owed.
        room_due: int32, how many due and penalty carrommen find room (79.a), the striking
            side's first.
    """

    event: Scalar
    proper: Scalar
    touched: Scalar
    pocketed: Pair
    pocketed_queen: Scalar
    pocketed_striker: Scalar
    overboard: Pair
    overboard_queen: Scalar
    overboard_striker: Scalar
    claims: Scalar
    breach: Scalar
    waive: Pair
    room_returned: Scalar
    room_due: Scalar

    @classmethod
    def shot(
        cls,
        *,
        touched: bool = True,
        pocketed: tuple[int, int] = (0, 0),
        queen: bool = False,
        striker: bool = False,
        proper: bool = True,
        overboard: tuple[int, int] = (0, 0),
        overboard_queen: bool = False,
        overboard_striker: bool = False,
        claims: bool | int = True,
        breach: str | None = None,
        waive: bool | tuple[bool, bool] = False,
        room_returned: int = PLENTY,
        room_due: int = PLENTY,
        event: Event = Event.SHOT,
    ) -> StrokeFacts:
        """The facts from plain Python values.

        Args:
            touched: the striker touched a carromman or the queen.
            pocketed: carrommen pocketed, white and black.
            queen: she was pocketed.
            striker: he was pocketed.
            proper: the stroke was played according to the laws.
            overboard: carrommen that jumped off the surface, white and black.
            overboard_queen: she did.
            overboard_striker: he did.
            claims: how many extra points the winner claims at most; True for all, False for
                none.
            breach: the law that was broken, such as "130.a", None if none was or if it is
                not known which.
            waive: the creditor of both colours, or of white and of black, waives.
            room_returned: room for wrongly pocketed carrommen.
            room_due: room for due and penalty carrommen.
            event: what happened.

        Raises:
            FactsError: there is no law ``breach``.
        """
        if claims is True:
            claims = ALL_CLAIMS
        return cls(
            event=integers(event),
            proper=flags(proper),
            touched=flags(touched),
            pocketed=integers(pocketed),
            pocketed_queen=flags(queen),
            pocketed_striker=flags(striker),
            overboard=integers(overboard),
            overboard_queen=flags(overboard_queen),
            overboard_striker=flags(overboard_striker),
            claims=integers(claims),
            breach=integers(NO_BREACH if breach is None else _law_index(breach)),
            waive=flags(np.broadcast_to(waive, 2)),
            room_returned=integers(room_returned),
            room_due=integers(room_due),
        )

    @classmethod
    def without_stroke(
        cls,
        event: Event,
        *,
        breach: str | None = None,
        waive: bool | tuple[bool, bool] = False,
        room_returned: int = PLENTY,
        room_due: int = PLENTY,
        claims: bool | int = True,
    ) -> StrokeFacts:
        """The facts of an event in which no stroke was played; arguments as of ``shot``."""
        return cls.shot(
            event=event,
            touched=False,
            breach=breach,
            waive=waive,
            room_returned=room_returned,
            room_due=room_due,
            claims=claims,
        )


def _law_index(law: str) -> int:
    if law not in LAW_IDS:
        raise FactsError(f'breach = {law!r}: expected a law, such as "130.a"')
    return LAW_IDS.index(law)


def check(state: MatchState, facts: StrokeFacts, *, format: MatchFormat = SINGLES) -> None:
    """Refuse facts that contradict the position. For single states, outside ``jax.jit``.

    Args:
        state: the match before.
        facts: what is said to have happened.
        format: what is played; only in doubles has anybody a partner.

    Raises:
        FactsError: the board is not being played, a count is negative or larger than what
            lies on the board, the queen or the striker is said to have done two things, an
            event without a stroke pocketed something, or a law is said to be broken by
            something that is no breach; names the fact and its value.
    """
    board, event = state.board, int(facts.event)
    if event not in Event._value2member_map_:
        raise FactsError(f"event = {event}: expected one of 0 to {max(Event):d}")
    if state.match_over or board.over or board.replay:
        raise FactsError(f"event = {Event(event).name} on a board that has ended: start the next")
    _check_counts(state, facts)
    if event in _OF_PARTNER and not format.doubles:
        raise FactsError(f"event = {Event(event).name} in singles: nobody has a partner")
    _check_breach(facts)
    for name in ("room_returned", "room_due", "claims"):
        if int(getattr(facts, name)) < 0:
            raise FactsError(f"{name} = {int(getattr(facts, name))}: expected 0 or more")
    queen_on_board = int(board.queen) == QueenState.ON_BOARD
    for name in ("pocketed_queen", "overboard_queen"):
        if getattr(facts, name) and not queen_on_board:
            raise FactsError(f"{name} = True while the queen is not on the board")
    for piece in ("queen", "striker"):
        if getattr(facts, f"pocketed_{piece}") and getattr(facts, f"overboard_{piece}"):
            raise FactsError(f"{piece}: both pocketed and overboard, expected at most one")
    moved = np.any(facts.pocketed) or np.any(facts.overboard) or facts.pocketed_striker
    moved = moved or facts.pocketed_queen or facts.overboard_queen or facts.overboard_striker
    if moved and event not in _CAN_POCKET:
        raise FactsError(f"event = {Event(event).name} pocketed something: it has no stroke")
    if event == Event.TECHNICAL_FOUL and int(board.strokes_in_turn):
        raise FactsError("event = TECHNICAL_FOUL after a stroke of the turn: expected FOUL (64)")
    if event == Event.EARLY_BREAK and board.break_done:
        raise FactsError("event = EARLY_BREAK after the break was made")


def _check_breach(facts: StrokeFacts) -> None:
    breach, event = int(facts.breach), Event(int(facts.event))
    if not NO_BREACH <= breach < len(LAW_IDS):
        raise FactsError(f"breach = {breach}: expected {NO_BREACH} to {len(LAW_IDS) - 1}")
    if breach == NO_BREACH:
        return
    law = LAW_IDS[breach]
    broken = event in _BREACHES or (event == Event.SHOT and not facts.proper)
    if law in BOARD_LOST_BY or event in _BOARD_LOST:
        fits = law in BOARD_LOST_BY and event in _BOARD_LOST
        wanted = f"one of {', '.join(BOARD_LOST_BY)} by {' or '.join(e.name for e in _BOARD_LOST)}"
    elif law == "51":
        fits = event in _OUT_OF_TURN
        wanted = " or ".join(e.name for e in _OUT_OF_TURN)
    elif law.startswith(_MATCH_LOST_BY):
        fits, wanted = event in _MATCH_LOST, " or ".join(e.name for e in _MATCH_LOST)
    else:
        fits, wanted = broken, "none, it is no breach"
    if not fits:
        what = "a proper stroke" if event == Event.SHOT and facts.proper else event.name
        raise FactsError(f"breach = {law} by {what}: expected {wanted}")


def _check_counts(state: MatchState, facts: StrokeFacts) -> None:
    for colour in (Colour.WHITE, Colour.BLACK):
        lying = int(state.board.on_board[colour])
        fallen, jumped = int(facts.pocketed[colour]), int(facts.overboard[colour])
        for name, count in (("pocketed", fallen), ("overboard", jumped)):
            if not 0 <= count <= lying:
                raise FactsError(
                    f"{name} {colour.name.lower()} = {count}: expected 0 to {lying}, the "
                    "carrommen on the board"
                )
        if fallen + jumped > lying:
            raise FactsError(
                f"{colour.name.lower()}: {fallen} pocketed and {jumped} overboard, but only "
                f"{lying} on the board"
            )
