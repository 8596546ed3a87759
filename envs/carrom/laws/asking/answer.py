"""What the umpire says: how he understood the question, his ruling, and what is next.

The understanding is said in the words that ``clauses`` reads, so it can be asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from carrom.laws.asking.inquiry import read_question
from carrom.laws.asking.vocabulary import EVENT_WORDS, TIMES
from carrom.laws.case_format import COLOURS
from carrom.laws.host import next_board_jit, rule_jit
from carrom.laws.lawbook import LAW_IDS
from carrom.laws.match import next_break_law
from carrom.laws.ruling import Ruling
from carrom.laws.state import (
    MatchFormat,
    MatchState,
    Pair,
    QueenState,
    Scalar,
    colour_of,
    side_with,
)
from carrom.laws.stroke import ALL_CLAIMS, NO_BREACH, Event, StrokeFacts
from carrom.laws.text import law_sentences
from carrom.pieces import N_PER_SIDE

_STROKES = (Event.SHOT, Event.EARLY_BREAK)


def answer(question: str) -> list[str]:
    """How a question was understood, and the ruling on it, line by line.

    Args:
        question: see ``carrom.laws.asking.inquiry.read_question``.

    Raises:
        FactsError: it is not understood, or contradicts itself.
    """
    case = read_question(question)
    words = f"{position_in_words(case.state, case.format)}; {stroke_in_words(case.facts)}"
    after, ruling = rule_jit(case.state, case.facts, format=case.format)
    lines = [f"understood: {words}", *ruling_in_words(after, ruling, case.format)]
    if not (ruling.board_over or ruling.board_replayed):
        lines.append(f"position: {position_in_words(after, case.format)}")
    return lines


def position_in_words(state: MatchState, format: MatchFormat) -> str:
    """A position as the clauses of a question; all of it but who sits where in singles."""
    return "; ".join(_position(state, format))


def stroke_in_words(facts: StrokeFacts) -> str:
    """A stroke or event as the clauses of a question; all of it but how much room there is."""
    return "; ".join(_stroke(facts))


def _position(state: MatchState, format: MatchFormat) -> Iterator[str]:
    board, game, doubles = state.board, state.game, format.doubles
    striker = COLOURS[int(board.striker)]
    yield "doubles" if doubles else "singles"
    yield f"{striker} to play"
    if doubles:
        yield f"seat {int(board.seat)} to play"
        yield f"seat {int(board.breaker_seat)} broke"
    queen = QueenState(int(board.queen))
    yield f"on board {_pieces(board.on_board, zeros=True, queen=queen == QueenState.ON_BOARD)}"
    if queen == QueenState.WAITING:
        yield "queen waiting"
    elif queen != QueenState.ON_BOARD:
        yield f"queen covered by {COLOURS[queen - QueenState.COVERED_WHITE]}"
    for colour in (0, 1):
        if board.has_pocketed[colour] and board.on_board[colour] == N_PER_SIDE:
            yield f"{COLOURS[colour]} had one down"
    yield f"owed {_each(board.owed)}" if board.owed.any() else "nobody owes"
    yield f"score {_each(_coloured(game.score, state, format))}"
    if int(state.game_number) > 1 or state.games_won.any():
        yield f"game {int(state.game_number)}"
        yield f"games {_each(_coloured(state.games_won, state, format))}"
        opener = int(colour_of(int(state.opener_seat), board, doubles=doubles))
        yield f"{COLOURS[opener]} opened the match"
    yield f"board {int(game.board_number)}"
    yield "break made" if board.break_done else "break to be made"
    if board.break_attempts_failed:
        yield f"break missed {TIMES[int(board.break_attempts_failed)]}"
    if board.idle_turns:
        yield f"idle turns {int(board.idle_turns)}"


def _stroke(facts: StrokeFacts) -> Iterator[str]:
    event = Event(int(facts.event))
    if event != Event.SHOT:
        yield EVENT_WORDS[event]
    pocketed = _pieces(
        facts.pocketed, queen=bool(facts.pocketed_queen), striker=bool(facts.pocketed_striker)
    )
    jumped = _pieces(
        facts.overboard, queen=bool(facts.overboard_queen), striker=bool(facts.overboard_striker)
    )
    if pocketed or event in _STROKES:
        yield f"pocketed {pocketed or 'nothing'}"
    if jumped:
        yield f"jumped {jumped}"
    if event in _STROKES:
        if not facts.touched:
            yield "touched nothing"
        yield "proper" if facts.proper else "improper"
    elif facts.touched:
        yield "touched"
    if facts.breach != NO_BREACH:
        yield f"breach {LAW_IDS[int(facts.breach)]}"
    yield f"claims {'all' if facts.claims >= ALL_CLAIMS else int(facts.claims) or 'none'}"
    if facts.waive.any():
        yield "waives"
    if not facts.room_due:
        yield "no room"


def ruling_in_words(after: MatchState, ruling: Ruling, format: MatchFormat) -> list[str]:
    """The ruling, line by line: the laws, what comes back, what is owed, points, who is next.

    Args:
        after: the match after the ruling.
        ruling: the ruling, a single one.
        format: what is played.
    """
    lines = law_sentences(ruling)
    lines += [f"comes back: {what}" for what in [_back(after, ruling, format)] if what]
    if ruling.waived.any():
        lines.append(f"waived: {_nonzero(ruling.waived)}")
    if not (ruling.board_over or ruling.board_replayed):
        lines.append(f"owed: {_nonzero(ruling.owed) or 'nothing'}")
        return [*lines, *_goes_on(after, ruling, format)]
    return [*lines, *_ends(after, ruling, format)]


def _back(after: MatchState, ruling: Ruling, format: MatchFormat) -> str:
    """What is put back, and who does it."""
    umpires = []
    if ruling.queen_returned or ruling.queen_replaced:
        umpires.append("the queen")
    umpires += [f"{men} that jumped" for men in [_nonzero(ruling.replaced)] if men]
    parts = [f"{' and '.join(umpires)}, placed by the umpire"] if umpires else []
    for colour in (0, 1):
        count, seat = int(ruling.returned[colour]), int(ruling.placer_seat[colour])
        if count:
            parts.append(f"{count} {COLOURS[colour]}, placed by {_name(seat, after, format)}")
    return "; ".join(parts)


def _goes_on(after: MatchState, ruling: Ruling, format: MatchFormat) -> Iterator[str]:
    board = after.board
    who = COLOURS[int(board.striker)] + (f" (seat {int(board.seat)})" if format.doubles else "")
    what = "goes on" if ruling.turn_kept else "is to play"
    rebreak = ", the break is still to be made" if ruling.rebreak else ""
    cover = ", who has to cover the queen" if board.queen == QueenState.WAITING else ""
    yield f"next: {who} {what}{rebreak}{cover}"


def _ends(after: MatchState, ruling: Ruling, format: MatchFormat) -> Iterator[str]:
    if ruling.board_replayed:
        yield "points: none, the board is void"
        yield "next: the board is replayed, with the same break"
        return
    winner, claims = int(ruling.winner), int(ruling.claims)
    claimed = f", {claims} of them claimed" if claims else ""
    points = int(ruling.points[winner])
    by = f"by {points}{claimed}" if points else "without points"
    yield f"points: {COLOURS[winner]} wins the board {by}"
    yield f"score: {_each(_coloured(after.game.score, after, format))}"
    yield f"next: {_next_board(after, ruling, format)}"


def _next_board(after: MatchState, ruling: Ruling, format: MatchFormat) -> str:
    """Who has won what, and who breaks next."""
    if ruling.match_over:
        return f"nothing, {_side_name(after.winner, after, format)} wins the match"
    law = next_break_law(after, format=format)
    if law == "56.b":
        return "an extra board, whose break is tossed for (56.b)"
    seat = int(next_board_jit(after, format=format).board.breaker_seat)
    winner = _side_name(after.game.winner, after, format)
    game = f"{winner} wins the game; " if after.game_over else ""
    sides = ", after a change of sides" if ruling.sides_change else ""
    return f"{game}{_name(seat, after, format)} breaks, playing white ({law}){sides}"


def _name(seat: int, state: MatchState, format: MatchFormat) -> str:
    """Of a player: the colour on this board, in doubles the seat."""
    if format.doubles:
        return f"seat {seat}"
    return COLOURS[int(colour_of(seat, state.board, doubles=False))]


def _side_name(side: Scalar, state: MatchState, format: MatchFormat) -> str:
    """Of a side: the colour on this board."""
    white = int(side_with(0, state.board, doubles=format.doubles))
    return COLOURS[int(side) ^ white]


def _coloured(by_side: Pair, state: MatchState, format: MatchFormat) -> list[int]:
    """What sides have, by the colours they play on this board."""
    sides = [side_with(colour, state.board, doubles=format.doubles) for colour in (0, 1)]
    return [int(by_side[int(side)]) for side in sides]


def _each(counts: Sequence[int] | Pair) -> str:
    return " ".join(f"{name} {int(n)}" for name, n in zip(COLOURS, counts, strict=True))


def _nonzero(counts: Pair) -> str:
    pairs = zip(COLOURS, counts, strict=True)
    return " ".join(f"{int(n)} {name}" for name, n in pairs if int(n))


def _pieces(men: Pair, *, zeros: bool = False, queen: bool = False, striker: bool = False) -> str:
    named = [f"{int(n)} {c}" for c, n in zip(COLOURS, men, strict=True) if zeros or int(n)]
    return " ".join(named + ["queen"] * queen + ["striker"] * striker)
