"""The position of a law case: checked, and completed to the state of a match."""

from __future__ import annotations

import dataclasses
from typing import Any

from carrom.errors import FactsError
from carrom.laws.case_format import COLOURS, QUEENS
from carrom.laws.match import half_played
from carrom.laws.schema import FieldError
from carrom.laws.state import (
    GameState,
    MatchFormat,
    MatchState,
    QueenState,
    flags,
    integers,
    new_board,
    side_of,
)
from carrom.pieces import N_PER_SIDE


def read_position(before: dict[str, Any], format: MatchFormat) -> MatchState:
    """The state of the match from the case's ``before``, whose fields have been checked.

    Raises:
        FactsError: two fields contradict each other, or the game or match is over already;
            names the field.
    """
    _check_pieces(before, format)
    _check_course(before, format)
    return _state(before, format)


def by_colour(counts: dict[str, Any]) -> tuple[Any, Any]:
    """What a field says of white and of black."""
    return counts["white"], counts["black"]


def _check_pieces(before: dict[str, Any], format: MatchFormat) -> None:
    """Refuse a position whose fields contradict each other."""
    queen, men = before["queen"], before["on_board"]
    if men["queen"] != (queen == "board"):
        raise FieldError("before.on_board.queen", men["queen"], f"the opposite, queen is {queen!r}")
    if queen.startswith("pending") and not queen.endswith(before["striker"]):
        raise FieldError(
            "before.queen", queen, "the side with the turn to be the one that has to cover"
        )
    for colour in COLOURS:
        # Only carrommen that wait for room (79.a) can leave a side without any.
        if not men[colour] and not before["owed"][colour]:
            raise FieldError(
                f"before.on_board.{colour}", 0, "at least 1, or the board is over (52.a)"
            )
    for colour, down in before.get("has_pocketed", {}).items():
        if not down and men[colour] < N_PER_SIDE:
            raise FieldError(
                f"before.has_pocketed.{colour}", down, f"true with {men[colour]} on the board"
            )
    racked = queen == "board" and men["white"] == men["black"] == N_PER_SIDE
    if not before["break_done"] and not racked:
        raise FieldError("before.break_done", False, "true once anything is off the board")
    if before["break_done"] and before["break_attempts_failed"]:
        raise FieldError(
            "before.break_attempts_failed", before["break_attempts_failed"], "0 after the break"
        )
    if before["consecutive_idle_turns"] >= format.idle_limit:
        raise FieldError(
            "before.consecutive_idle_turns",
            before["consecutive_idle_turns"],
            f"at most {format.idle_limit - 1}",
        )
    for name in ("striker_seat", "breaker_seat"):
        if name in before and not format.doubles:
            raise FactsError(f"before.{name}: unknown field in singles")
    if format.doubles and "striker_seat" not in before:
        raise FactsError("before.striker_seat: missing in doubles")
    if "breaker_seat" in before:
        partners = (before["striker_seat"] - before["breaker_seat"]) % 2 == 0
        if partners != (before["striker"] == "white"):
            first = (before["breaker_seat"] + COLOURS.index(before["striker"])) % 2
            raise FieldError(
                "before.striker_seat",
                before["striker_seat"],
                f"{first} or {first + 2}, the seats of {before['striker']}",
            )


def _check_course(before: dict[str, Any], format: MatchFormat) -> None:
    """Refuse a board of a game or a match that is over already (56, 57)."""
    match = before.get("match")
    games = match["games"] if match else {}
    for name, ended, counts, limit in (
        ("score", "game", before["score"], format.game_points),
        ("match.games", "match", games, format.games_to_win),
    ):
        for colour, count in counts.items():
            if count >= limit:
                raise FieldError(
                    f"before.{name}.{colour}", count, f"at most {limit - 1}, or the {ended} is over"
                )
    if match and match["game_number"] != sum(games.values()) + 1:
        raise FieldError(
            "before.match.game_number",
            match["game_number"],
            f"{sum(games.values()) + 1}, one more than have been won",
        )
    # A tie after the last board is decided by one more (56.b).
    limit, number, score = format.board_limit, before["board_number"], by_colour(before["score"])
    if limit is not None and number > limit + 1:
        raise FieldError("before.board_number", number, f"at most {limit + 1}")
    if limit is not None and number > limit and score[0] != score[1]:
        tie = f"at most {limit}, or a tie to be decided by an extra board (56.b)"
        raise FieldError("before.board_number", number, tie)


def _state(before: dict[str, Any], format: MatchFormat) -> MatchState:
    striker = COLOURS.index(before["striker"])
    if format.doubles:
        seat = before["striker_seat"]
        breaker_seat = before.get("breaker_seat", (seat - striker) % 4)
    else:
        seat, breaker_seat = 2 * striker, 0
    queen, *_ = QUEENS[before["queen"]]
    men = by_colour(before["on_board"])
    down = {colour: before["on_board"][colour] < N_PER_SIDE for colour in COLOURS}
    earlier = queen == QueenState.WAITING
    board = dataclasses.replace(
        new_board(integers(breaker_seat)),
        striker=integers(striker),
        seat=integers(seat),
        on_board=integers(men),
        queen=integers(queen),
        owed=integers(by_colour(before["owed"])),
        has_pocketed=flags(by_colour(before.get("has_pocketed", down))),
        break_done=flags(before["break_done"]),
        break_attempts_failed=integers(before["break_attempts_failed"]),
        idle_turns=integers(before["consecutive_idle_turns"]),
        touched_in_turn=flags(earlier),
        strokes_in_turn=integers(int(earlier)),
        # Late enough that no slam is claimed on the strength of a position.
        turns_passed=integers(striker + 2 * before["break_done"]),
    )
    match = before.get("match")
    game_number = match["game_number"] if match else 1
    score, games = before["score"], match["games"] if match else {"white": 0, "black": 0}
    changed = half_played(integers(by_colour(score)), before["board_number"] - 1, format=format)
    sides = COLOURS if int(side_of(breaker_seat, doubles=format.doubles)) == 0 else COLOURS[::-1]
    return MatchState(
        board=board,
        game=GameState(
            score=integers([score[colour] for colour in sides]),
            board_number=integers(before["board_number"]),
            # Nobody forgets the change that earlier boards made due (60.c).
            sides_changed=flags(game_number == format.deciding_game and changed),
            winner=integers(-1),
        ),
        game_number=integers(game_number),
        games_won=integers([games[colour] for colour in sides]),
        opener_seat=integers(_opener(before, breaker_seat, game_number, format)),
        rotation=integers(0),
        winner=integers(-1),
    )


def _opener(
    before: dict[str, Any], breaker_seat: int, game_number: int, format: MatchFormat
) -> int:
    """The seat that broke first in the match, found by turning the rotation of 49 back."""
    moves = before["board_number"] - 1 + (game_number % 2 == 0)
    opener = (breaker_seat - moves * format.seat_step) % 4
    if "match" not in before:
        return opener
    by_toss = format.board_limit is not None and before["board_number"] > format.board_limit
    said = COLOURS.index(before["match"]["opened_match"])
    same = (opener - breaker_seat) % 4 in ((0, 2) if format.doubles else (0,))
    if same != (said == 0):
        if not by_toss:
            raise FieldError(
                "before.match.opened_match",
                COLOURS[said],
                f"{COLOURS[1 - said]}, or white would not have this break",
            )
        opener = (opener + format.seat_step) % 4
    return opener
