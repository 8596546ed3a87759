"""From a question in words to the position and the facts the umpire rules on."""

from __future__ import annotations

from typing import Any

from carrom.errors import FactsError
from carrom.laws.asking.clauses import read_clauses
from carrom.laws.asking.refusals import in_words
from carrom.laws.asking.vocabulary import BREAK_OR_STROKE
from carrom.laws.case_format import COLOURS
from carrom.laws.cases import Case, read_case, read_facts
from carrom.laws.state import N_SEATS, MatchFormat, MatchState
from carrom.laws.stroke import BOARD_LOST_BY, StrokeFacts, check
from carrom.pieces import N_PER_SIDE

_OF_STROKE = frozenset(
    ["pocketed", "jumped", "touched", "proper", "event", "by", "breach", "claims", "waives", "room"]
)
_STRIKES = ("shot", "early_break")
_FOULS = ("foul", "technical_foul", "out_of_turn")
_ENDINGS = {
    "foul": {"opponent": "technical_foul_opponent", "partner": "technical_foul_partner"},
    "technical_foul": {"opponent": "technical_foul_opponent", "partner": "technical_foul_partner"},
    "out_of_turn": {"opponent": "out_of_turn", "partner": "out_of_turn_partner"},
    "board_lost": {"opponent": "board_lost_opponent", "partner": "board_lost"},
    "concede_game": {"opponent": "concede_game_opponent", "partner": "concede_game"},
    "concede_match": {"opponent": "concede_match_opponent", "partner": "concede_match"},
}
"""The events of somebody who does not have the turn."""


def read_question(text: str) -> Case:
    """The law case that a question asks about.

    Args:
        text: as ``carrom.laws.asking.HELP`` describes it.

    Returns:
        A case without a decision; what was not said has its default.

    Raises:
        FactsError: something is not understood, or contradicts itself; names it.
    """
    said = read_clauses(text)
    mode = said.get("mode", "singles")
    _check_partner(said, doubles=mode == "doubles")
    before = _position(said)
    stroke = _stroke(said, before["striker"], before["break_done"], said.get("queen") == "waiting")
    try:
        return read_case({"id": "question", "mode": mode, "before": before, **stroke})
    except FactsError as error:
        raise in_words(error) from None


def read_stroke(text: str, state: MatchState, format: MatchFormat) -> StrokeFacts:
    """What happened next in a position that is known.

    Args:
        text: the clauses of a stroke.
        state: the match; its board is being played.
        format: what is played.

    Raises:
        FactsError: as ``read_question``, or a clause is about the position.
    """
    said = read_clauses(text)
    for key in said:
        if key not in _OF_STROKE:
            raise FactsError(f"{key.replace('_', ' ')}: the position is known, expected a stroke")
    _check_partner(said, doubles=format.doubles)
    board = state.board
    striker = COLOURS[int(board.striker)]
    stroke = _stroke(said, striker, bool(board.break_done), int(board.strokes_in_turn) > 0)
    try:
        facts = read_facts(stroke)
        check(state, facts, format=format)
    except FactsError as error:
        raise in_words(error) from None
    return facts


def _check_partner(said: dict[str, Any], *, doubles: bool) -> None:
    if said.get("by") == "partner" and not doubles:
        raise FactsError("by partner in singles: expected a player, nobody has a partner")


def _position(said: dict[str, Any]) -> dict[str, Any]:
    """The case's ``before``."""
    striker = said.get("striker")
    doubles = said.get("mode") == "doubles"
    if striker is None:
        # Seats alternate in colour from the breaker's on, who is white (43, 49.b).
        breaker = said.get("breaker_seat", 0)
        black = (said.get("seat", breaker) - breaker) % 2
        striker = COLOURS[black] if doubles else "white"
    if striker not in COLOURS:
        raise FactsError(f"{striker} to play: expected white or black")
    queen = said.get("queen", "board")
    if queen == "waiting":
        queen = f"pending:{striker}"
    elif queen != "board":
        queen = f"covered:{_colour(queen[1], striker)}"
    men = _on_board(said.get("on_board"), striker, queen)
    before: dict[str, Any] = {
        "striker": striker,
        "on_board": men,
        "queen": queen if men["queen"] or queen != "board" else _missing_queen(),
        "owed": _by_colour(said.get("owed", {}), striker),
        "score": _by_colour(said.get("score", {}), striker),
        "board_number": said.get("board_number", 1),
        "break_done": said.get("break_done", True),
        "break_attempts_failed": said.get("attempts", 0),
        "consecutive_idle_turns": said.get("idle", 0),
    }
    had_down = {_colour(side, striker) for side in said.get("had_down", {})}
    if had_down:
        before["has_pocketed"] = {
            colour: colour in had_down or men[colour] < N_PER_SIDE for colour in COLOURS
        }
    if doubles:
        first = (said.get("breaker_seat", 0) + COLOURS.index(striker)) % N_SEATS
        before["striker_seat"] = said.get("seat", first)
        if "breaker_seat" in said:
            before["breaker_seat"] = said["breaker_seat"]
    else:
        for key in ("seat", "breaker_seat"):
            if key in said:
                raise FactsError(f"seat {said[key]}: expected no seats in singles")
    match = {"games", "game_number", "opened"} & said.keys()
    if match:
        before["match"] = _match(said, striker, before["board_number"])
    return before


def _on_board(counts: dict[str, int] | None, striker: str, queen: str) -> dict[str, Any]:
    if counts is None:
        return dict.fromkeys(COLOURS, N_PER_SIDE) | {"queen": queen == "board"}
    if "striker" in counts:
        raise FactsError("striker on board: expected carrommen and the queen")
    return _by_colour(counts, striker) | {"queen": counts.get("queen", 0) == 1}


def _missing_queen() -> str:
    raise FactsError("queen: not on board, expected queen waiting, or queen covered by a side")


def _match(said: dict[str, Any], striker: str, board_number: int) -> dict[str, Any]:
    number = said.get("game_number")
    if "games" in said:
        games = _by_colour(said["games"], striker)
        number = sum(games.values()) + 1 if number is None else number
    else:
        games = _games_before(number or 1)
        number = number or 1
    # White broke this board; so many breaks have been since the first (49).
    black_opened = (board_number - 1 + (number % 2 == 0)) % 2
    opened = said.get("opened", COLOURS[black_opened])
    return {
        "games": games,
        "game_number": number,
        "opened_match": _colour(opened, striker),
    }


def _games_before(number: int) -> dict[str, int]:
    """The games that have been won before one of a match, where it could only be these (57)."""
    if number % 2 == 0:
        raise FactsError(f"game {number}: who won before? expected games, such as games 1 to 0")
    return dict.fromkeys(COLOURS, number // 2)


def _stroke(said: dict[str, Any], striker: str, break_done: bool, struck: bool) -> dict[str, Any]:
    """The case's fields beside ``before``."""
    pocketed, jumped = said.get("pocketed", {}), said.get("jumped", {})
    breach = said.get("breach")
    if breach == BREAK_OR_STROKE:
        breach = "50" if break_done else "46"
    played = bool({"pocketed", "jumped", "touched", "proper"} & said.keys())
    event = _event(said, striker, breach is not None and not played, struck)
    strike = event in _STRIKES
    return {
        "event": event,
        "claims": said.get("claims", True),
        "breach": breach,
        "decline": said.get("waives", False),
        "space": said.get("room", True),
        "shot": {
            "proper": said.get("proper", not (breach and strike)),
            "touched": said.get("touched", strike),
            "pocketed": _pieces(pocketed, striker),
            "overboard": _pieces(jumped, striker),
        },
    }


def _event(said: dict[str, Any], striker: str, only_breach: bool, struck: bool) -> str:
    event = said.get("event")
    breach = said.get("breach") or ""
    if event in _FOULS or (event is None and only_breach):
        # A breach and no stroke is what the law says, or what the turn makes it (63.a, 64.a).
        foul = event or ("foul" if struck else "technical_foul")
        costs_match = breach.startswith("143.")
        event = "concede_match" if costs_match else foul
        event = "board_lost" if breach in BOARD_LOST_BY else event
    if event is None:
        return "shot"
    by = said.get("by", "opponent" if event == "out_of_turn" else "own")
    if by in COLOURS:
        by = "own" if by == striker else "opponent"
    if event in _ENDINGS and by != "own":
        return _ENDINGS[event][by]
    if by != "own" or event == "out_of_turn":
        who = striker if by == "own" else by
        raise FactsError(f"{event.replace('_', ' ')} by {who}: expected another player")
    return event


def _colour(side: str, striker: str) -> str:
    """White or black, of a side that may be named from the striker's point of view."""
    if side in COLOURS:
        return side
    if side == "partner":
        raise FactsError("partner: expected the colour, which partners share")
    return striker if side == "own" else COLOURS[1 - COLOURS.index(striker)]


def _by_colour(counts: dict[str, int], striker: str) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(COLOURS, 0)
    names: dict[str, str] = {}
    for piece, count in counts.items():
        if piece not in ("queen", "striker"):
            colour = _colour(piece, striker)
            if colour in names:
                raise FactsError(f"{names[colour]}, {piece}: both are {colour}, expected one name")
            names[colour] = piece
            found[colour] = count
    return found


def _pieces(counts: dict[str, int], striker: str) -> dict[str, Any]:
    return _by_colour(counts, striker) | {
        piece: counts.get(piece, 0) == 1 for piece in ("queen", "striker")
    }
