"""How an umpire's sheet words names, strikes, rulings and scores; the sheet is in ``sheet``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from carrom.errors import ConfigError
from carrom.incident import Laid
from carrom.laws import LAW_IDS, BoardState, Event, MatchFormat, QueenState, cited, side_of
from carrom.laws.finish import MOST_POINTS, QUEEN_POINTS
from carrom.laws.state import Pair, Scalar
from carrom.physics.strike import Strike
from carrom.pieces import COLOURS, QUEEN, Colour
from carrom.table import Stroke

_MISPLACES = "lays a C/m where it may not lie"
_BREACHES = {
    "46": "does not break in time",
    "50": "does not strike in time",
    "85": _MISPLACES,
    "86": _MISPLACES,
    "89.b": _MISPLACES,
    "114": _MISPLACES,
    "134": "disturbs a C/m while setting the striker",
}
"""What was done, where the law that was broken says it."""
_HAPPENINGS = {
    Event.EARLY_BREAK: "breaks before the call to play",
    Event.FOUL: "commits a foul",
    Event.TECHNICAL_FOUL: "commits a technical foul",
    Event.TECHNICAL_FOUL_OPPONENT: "commits a technical foul",
    Event.TECHNICAL_FOUL_PARTNER: "commits a technical foul",
    Event.OUT_OF_TURN: "strikes out of turn",
    Event.OUT_OF_TURN_PARTNER: "strikes out of turn",
    Event.NO_STRIKER_SPACE: "cannot set the striker",
    Event.VOID: "is stopped by an event beyond control",
    Event.CONCEDE_GAME: "concedes the game",
    Event.CONCEDE_MATCH: "concedes the match",
    Event.BOARD_LOST: "loses the board",
    Event.BOARD_LOST_OPPONENT: "loses the board",
    Event.CONCEDE_GAME_OPPONENT: "concedes the game",
    Event.CONCEDE_MATCH_OPPONENT: "concedes the match",
    Event.NO_STROKE: "slips: no stroke",
}
_MIN_FORWARD = 0.0005
"""m forward of the middle line that are worth a word."""


@dataclass(frozen=True)
class Seating:
    """Who sits where, and what players and sides are called.

    Attributes:
        format: singles or doubles.
        names: name of the player on each seat that is taken.

    Raises:
        ConfigError: a seat without a name, or a name for a seat that is not taken.
    """

    format: MatchFormat
    names: Mapping[int, str]

    def __post_init__(self) -> None:
        if set(self.names) != set(self.format.seats):
            raise ConfigError(
                f"names of seats {sorted(self.names)}: expected of seats {self.format.seats}"
            )

    def player(self, seat: int) -> str:
        """The player's name, with his seat where somebody else has the same."""
        name = self.names[seat]
        return name if self._is_unique(name) else f"{name} (seat {seat})"

    def side(self, side: int) -> str:
        """A player in singles, a pair in doubles."""
        doubles = self.format.doubles
        seats = [seat for seat in self.format.seats if side_of(seat, doubles=doubles) == side]
        if len(seats) > 1 and len({self.names[seat] for seat in seats}) == 1:
            return f"{self.names[seats[0]]} (seats {seats[0]}, {seats[1]})"
        return " and ".join(map(self.player, seats))

    @property
    def width(self) -> int:
        """Letters of the longest player's name."""
        return max(len(self.player(seat)) for seat in self.format.seats)

    def _is_unique(self, name: str) -> bool:
        return list(self.names.values()).count(name) == 1


def occurrence(stroke: Stroke) -> str:
    """What was done and what fell, in order of falling where that is known."""
    facts, event = stroke.facts, Event(int(stroke.facts.event))
    runs = ((piece, len(list(run))) for piece, run in itertools.groupby(_fallen(stroke)))
    fallen = ", ".join(f"{count} {piece}" if count > 1 else piece for piece, count in runs)
    if event == Event.SHOT:
        # Somebody may have reported a stroke that nothing has simulated.
        how = "as reported" if stroke.strike is None else strike_columns(stroke.strike)
        nothing = "nothing" if facts.touched else "touches nothing"
        improper = "" if facts.proper else "improper: "
        return f"{how}   {improper}{fallen or nothing}"
    what = _HAPPENINGS[event]
    if int(facts.breach) >= 0:
        what = _BREACHES.get(LAW_IDS[int(facts.breach)], what)
    return f"{what}: {fallen}" if fallen else what


def strike_columns(strike: Strike) -> str:
    """Place, direction and speed, as the player sees them."""
    place, turn = 100 * strike.place, math.degrees(strike.direction)
    columns = [
        f"{abs(place):4.1f} cm {_right_or_left(place):5}",
        f"{abs(turn):5.1f}° {_right_or_left(-turn):5}",
        f"{strike.speed:.2f} m/s",
    ]
    if abs(strike.forward) >= _MIN_FORWARD:
        which = "ahead" if strike.forward > 0 else "behind"
        columns[0] += f" {abs(100 * strike.forward):.1f} cm {which}"
    return "  ".join(columns)


def _right_or_left(number: float) -> str:
    return "left" if number < 0 else "right"


def _fallen(stroke: Stroke) -> list[str]:
    """What was pocketed, then what jumped off the board."""
    facts = stroke.facts
    if stroke.motion is not None:
        indices = [pocketing.index for pocketing in stroke.motion.pocketed]
        fallen = [Colour(int(COLOURS[index])).name.lower() for index in indices]
    else:
        fallen = _named(facts.pocketed, facts.pocketed_queen, facts.pocketed_striker)
    jumped = _named(facts.overboard, facts.overboard_queen, facts.overboard_striker)
    return fallen + [f"{piece} off the board" for piece in jumped]


def _named(men: Pair, queen: Scalar, striker: Scalar) -> list[str]:
    named = ["white"] * int(men[0]) + ["black"] * int(men[1])
    return named + ["queen"] * bool(queen) + ["striker"] * bool(striker)


def men_in_words(board: BoardState) -> str:
    """What lies on the board."""
    white, black = (int(count) for count in board.on_board)
    queen = ", queen" if int(board.queen) == QueenState.ON_BOARD else ""
    return f"{white} white, {black} black{queen}"


def decision(stroke: Stroke) -> str:
    """The laws of the ruling, the one that was broken first, and what it leads to."""
    ruling = stroke.ruling
    laws = cited(ruling)
    said = ", ".join(laws)
    if int(ruling.breach) >= 0:
        said = f"breach of {laws[0]}; {', '.join(laws[1:])}"
    return f"{said}: {'; '.join(_consequences(stroke))}"


def _consequences(stroke: Stroke) -> list[str]:
    ruling = stroke.ruling
    charges = {
        "{count} due for {colour}": ruling.dues_charged,
        "{count} penalty for {colour}": ruling.penalties_charged,
        "{colour} is forgiven {count}": ruling.waived,
        "{colour} owes {count}": ruling.owed,
    }
    if ruling.board_over:
        return ["board over"]
    if ruling.board_replayed:
        return ["board void, to be replayed"]
    said = [
        what.format(count=int(count), colour=colour)
        for what, counts in charges.items()
        for colour, count in zip(("white", "black"), counts, strict=True)
        if int(count)
    ]
    before, after = (p.match.board.queen for p in (stroke.before, stroke.after))
    if int(after) == QueenState.WAITING:
        said.append("queen to be covered")
    elif int(before) < QueenState.COVERED_WHITE <= int(after):
        said.append("queen covered")
    if ruling.rebreak:
        said.append("break still to be made")
    said.append("turn kept" if ruling.turn_kept else "turn lost")
    return said


def placing(laid: Sequence[Laid], placer: str) -> str:
    """What one placer puts back, all of one colour, with the laws by which it was corrected."""
    places = ", ".join(
        f"({_cm(one.place[0])}, {_cm(one.place[1])})"
        f"{f' corrected by {one.breach}' if one.breach else ''}"
        for one in laid
    )
    index = laid[0].index
    piece = "the queen" if index == QUEEN else Colour(int(COLOURS[index])).name.lower()
    return f"{placer} lays {piece} at {places}"


def _cm(metres: float) -> str:
    """Centimetres to a tenth; zero has no sign."""
    tenths = round(1000 * metres)
    return f"{tenths / 10:+.1f}" if tenths else "0.0"


def points_in_words(stroke: Stroke) -> str:
    """The points of a board that has ended, what they are made of, and whether it was a slam."""
    ruling, winner = stroke.ruling, int(stroke.ruling.winner)
    points, claims = int(ruling.points[winner]), int(ruling.claims)
    left = int(stroke.after.match.board.on_board[1 - winner])
    said = f"{points} point{'' if points == 1 else 's'}"
    # Where both sides' last fall, or the loser's own, some laws give a flat point (102-112).
    for men, queen, flat in ((left, 0, 0), (left, QUEEN_POINTS, 0), (0, 0, 1)):
        total = men + queen + flat + claims
        if min(total, MOST_POINTS) == points:
            items = [f"{men} C/m"] * (men > 0)
            items += [f"flat {flat}"] * (flat > 0)
            items += [f"queen {queen}"] * (queen > 0)
            items += [f"{claims} claimed"] * (claims > 0)
            items += [f"at most {MOST_POINTS}"] * (total > MOST_POINTS)
            said += f" ({', '.join(items)})" if items else ""
            break
    for holds, slam in ((ruling.white_slam, "white slam"), (ruling.black_slam, "black slam")):
        said += f", {slam}" if holds else ""
    return said


def score_table(
    corner: str, heads: Sequence[str], rows: Mapping[str, Sequence[int]], last: str
) -> list[str]:
    """A table of numbers with a line for each side, of equal length each.

    Args:
        corner: what the columns are.
        heads: their names.
        rows: the numbers by side; the last one stands under ``last``.
        last: head of the last column.
    """
    width = max(map(len, (corner, *rows)))
    lines = [f"{corner:{width}}  {''.join(f'{head:>4}' for head in heads)}  {last}"]
    for name, numbers in rows.items():
        *cells, total = numbers
        lines.append(
            f"{name:{width}}  {''.join(f'{cell:>4}' for cell in cells)}  {total:>{len(last)}}"
        )
    return lines
