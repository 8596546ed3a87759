"""Law cases: a position, a stroke and what the umpire has to decide, one JSON object a line.

Colours are those of the board (white is the breaker's side). A case says nothing of how the
position came about; what the umpire needs beyond it (the opener of the match, the seats of
singles, earlier strokes of the turn) is filled in consistently.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from typing import Any

from carrom.errors import FactsError
from carrom.laws.case_format import CASE, COLOURS, EVENTS, MODES
from carrom.laws.case_position import by_colour, read_position
from carrom.laws.host import next_board_jit, rule_jit
from carrom.laws.ruling import Ruling
from carrom.laws.state import (
    MatchFormat,
    MatchState,
    QueenState,
    colour_of,
    side_of,
)
from carrom.laws.stroke import PLENTY, StrokeFacts, check
from carrom.laws.text import cited, sentences

_REPLAY_FIELDS = ("board_replayed", "points", "game_over")
"""What is comparable once a board is void: the rest is that of the next one."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A law case, read and checked.

    Attributes:
        name: its id.
        mode: "singles" or "doubles".
        state: the position.
        facts: the stroke or event.
        after: the decision expected, as in the file; empty when the file gives none.
        with_match: the case gives the state of the match.
        with_breaker: the case says who broke this board of doubles.
    """

    name: str
    mode: str
    state: MatchState
    facts: StrokeFacts
    after: dict[str, Any]
    with_match: bool
    with_breaker: bool

    @property
    def format(self) -> MatchFormat:
        """What is played."""
        return MODES[self.mode]


def read_cases(lines: Iterable[str]) -> list[Case]:
    """All cases of a file.

    Raises:
        FactsError: a line is not a case, or contradicts itself; names line and field.
    """
    cases = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                cases.append(read_case(_parse(line)))
            except FactsError as error:
                raise FactsError(f"line {number}: {error}") from None
    return cases


def _parse(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise FactsError(f"not JSON: {error}") from None
    except RecursionError:
        raise FactsError("nested too deeply: expected a case") from None
    except ValueError:
        # Python converts no number of more than some thousand digits.
        raise FactsError("a number has thousands of digits: expected a case") from None


def read_case(raw: Any) -> Case:
    """A case from its JSON object.

    Raises:
        FactsError: a field is unknown, missing, of a wrong type or out of range, or two of
            them contradict each other; names the field.
    """
    CASE(raw, "")
    before = raw["before"]
    format = MODES[raw["mode"]]
    state = read_position(before, format)
    facts = read_facts(raw)
    check(state, facts, format=format)
    return Case(
        name=raw["id"],
        mode=raw["mode"],
        state=state,
        facts=facts,
        after=raw.get("after", {}),
        with_match="match" in before,
        with_breaker="breaker_seat" in before,
    )


def read_facts(raw: dict[str, Any]) -> StrokeFacts:
    """The stroke or event of a case, given the case's fields beside ``before``."""
    shot = raw["shot"]
    return StrokeFacts.shot(
        event=EVENTS[raw.get("event", "shot")],
        proper=shot["proper"],
        touched=shot["touched"],
        pocketed=by_colour(shot["pocketed"]),
        queen=shot["pocketed"]["queen"],
        striker=shot["pocketed"]["striker"],
        overboard=by_colour(shot["overboard"]),
        overboard_queen=shot["overboard"]["queen"],
        overboard_striker=shot["overboard"]["striker"],
        claims=raw.get("claims", True),
        breach=raw.get("breach"),
        waive=raw.get("decline", False),
        room_due=PLENTY if raw.get("space", True) else 0,
    )


def judge(case: Case) -> tuple[dict[str, Any], Ruling]:
    """What the umpire decides, in the fields of ``after``, and the ruling itself."""
    state, ruling = rule_jit(case.state, case.facts, format=case.format)
    board, ended = state.board, bool(ruling.board_over | ruling.board_replayed)
    queen = {
        QueenState.ON_BOARD: "board",
        QueenState.WAITING: f"pending:{COLOURS[int(board.striker)]}",
        QueenState.COVERED_WHITE: "covered:white",
        QueenState.COVERED_BLACK: "covered:black",
    }[QueenState(int(board.queen))]
    after: dict[str, Any] = {
        "striker": None if ended else COLOURS[int(board.striker)],
        "on_board": _named(board.on_board) | {"queen": queen == "board"},
        "queen": None if ended else queen,
        "owed": _named(ruling.owed),
        "returned": _named(ruling.returned) | {"queen": bool(ruling.queen_returned)},
        "board_over": bool(ruling.board_over),
        "winner": _colour(int(ruling.winner)),
        "points": _named(ruling.points),
        "game_over": bool(ruling.game_over),
        "board_replayed": bool(ruling.board_replayed),
        "rebreak": bool(ruling.rebreak),
    }
    breaker = _next_breaker_seat(state, case.format) if ended else None
    if case.with_match:
        after["match"] = _match_after(state, breaker, case.format)
    if case.format.doubles:
        placers = [int(seat) for seat in ruling.placer_seat]
        own_first = sorted(placers, key=lambda seat: placers.index(seat) != int(ruling.striker))
        after["striker_seat"] = None if ended else int(board.seat)
        after["placer_seat"] = next((seat for seat in own_first if seat >= 0), None)
        if case.with_breaker:
            after["next_breaker_seat"] = breaker
    return after, ruling


def report(case: Case) -> dict[str, Any]:
    """The decision as one JSON object: ``after``'s fields, the laws cited, and sentences."""
    after, ruling = judge(case)
    return {"id": case.name, **after, "laws": cited(ruling), "sentences": sentences(ruling)}


def differences(case: Case) -> Iterator[tuple[str, Any, Any]]:
    """Where the umpire decides otherwise than the case expects: field, expected, got."""
    got, _ = judge(case)
    expected = case.after
    if expected.get("board_replayed"):
        expected = {name: expected[name] for name in _REPLAY_FIELDS if name in expected}
    yield from _differences(expected, got, "")


def _differences(expected: Any, got: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for name, value in expected.items():
            yield from _differences(value, got.get(name), f"{path}.{name}" if path else name)
    elif expected != got:
        yield path, expected, got


def _next_breaker_seat(state: MatchState, format: MatchFormat) -> int | None:
    """Who breaks next; nobody after the match, or when a toss decides (56.b)."""
    following = next_board_jit(state, format=format)
    limit = format.board_limit
    by_toss = limit is not None and not state.game_over and state.game.board_number >= limit
    if state.match_over or (by_toss and not state.board.replay):
        return None
    return int(following.board.breaker_seat)


def _match_after(
    state: MatchState, breaker_seat: int | None, format: MatchFormat
) -> dict[str, Any]:
    def colour_of_side(side: int) -> str | None:
        white = int(side_of(state.board.breaker_seat, doubles=format.doubles))
        return COLOURS[(side - white) % 2] if side >= 0 else None

    next_breaker = None
    if breaker_seat is not None:
        next_breaker = COLOURS[int(colour_of(breaker_seat, state.board, doubles=format.doubles))]
    games = {colour_of_side(side): int(state.games_won[side]) for side in (0, 1)}
    return {
        "games": {colour: games[colour] for colour in COLOURS},
        "match_over": bool(state.match_over),
        "match_winner": colour_of_side(int(state.winner)),
        "next_breaker": next_breaker,
    }


def _named(pair: Any) -> dict[str, int]:
    return {colour: int(count) for colour, count in zip(COLOURS, pair, strict=True)}


def _colour(index: int) -> str | None:
    return COLOURS[index] if index >= 0 else None
