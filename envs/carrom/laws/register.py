"""Which function applies which law, or why the law cannot arise here.

Every id of ``LAWS`` has one entry, and so has every item of ``EQUIPMENT``. Names are dotted and
importable; the file that a name leads to cites the law.
``carrom.laws.coverage`` checks all of it against sources and tests, and writes ``docs/laws.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from carrom.laws.equipment import BUILT, EQUIPMENT, UNBUILT
from carrom.laws.lawbook import LAW_IDS


class Tag(Enum):
    """What kind of law it is."""

    DIMENSION = "dimension"
    """Numbers of the equipment or of the rack."""
    REFEREE = "referee"
    """A rule that the umpire applies without being asked."""
    DECISION = "decision"
    """A choice of a player's."""
    MATCH = "match"
    """The course of boards, games and matches."""
    CONDUCT = "conduct"
    """Behaviour of bodies, or organisation, that a simulated striker has none of."""


@dataclass(frozen=True)
class Entry:
    """How a law is dealt with.

    Attributes:
        tags: its kinds; one that has any but ``CONDUCT`` is applicable, and must be tested.
        applied_by: dotted names of functions, or of fields and constants that embody a word.
        told_by: dotted names of the events and facts by which a caller says that it was
            broken or happened; strokes of the simulation never do.
        reason: why it cannot arise by itself, or what of it is left out; "" if nothing is.
    """

    tags: tuple[Tag, ...]
    applied_by: tuple[str, ...] = ()
    told_by: tuple[str, ...] = ()
    reason: str = ""

    @property
    def applicable(self) -> bool:
        """Whether anything but conduct is left to simulate."""
        return self.tags != (Tag.CONDUCT,)

    @property
    def left_out(self) -> bool:
        """Whether nothing of it is simulated, for a reason."""
        return not self.applied_by and bool(self.reason)


def _rule(*applied_by: str, told_by: tuple[str, ...] = (), reason: str = "") -> Entry:
    return Entry((Tag.REFEREE,), applied_by, told_by, reason)


def _choice(*applied_by: str, reason: str = "") -> Entry:
    return Entry((Tag.DECISION,), applied_by, reason=reason)


def _course(*applied_by: str, reason: str = "") -> Entry:
    return Entry((Tag.MATCH,), applied_by, reason=reason)


def _conduct(reason: str, told_by: tuple[str, ...] = ()) -> Entry:
    return Entry((Tag.CONDUCT,), (), told_by, reason)


def _mixed(tags: tuple[Tag, ...], *applied_by: str, reason: str = "") -> Entry:
    return Entry(tags, applied_by, reason=reason)


_BOARD = "carrom.laws.BoardState."
_FACTS = "carrom.laws.StrokeFacts."
_EVENT = "carrom.laws.Event."
_JUDGE = "carrom.laws.tables.judge"
_STEER = "carrom.laws.course.steer"
_SETTLE = "carrom.laws.payment.settle"
_RULE = "carrom.laws.rule"
_END = "carrom.laws.finish.by_stroke"
_CLOSE = "carrom.laws.match.close"
_NEXT = "carrom.laws.next_board"
_SIDES = "carrom.laws.sides_change"
_FOUL_BY = "carrom.laws.foul_by"
_SEATS = "carrom.laws.MatchFormat.seats"
_DUE_FAULTS = "carrom.laws.due_faults"
_JUMPED = "carrom.laws.place_jumped"
_CENTRE = "carrom.laws.place_centre"
_LAY = "carrom.umpiring.take_up"
_LAID = "carrom.umpiring.decide"
_STRIKE = "carrom.striking.strike_all"
_CLOCK = "carrom.clock.Clock"
_BEGIN = "carrom.play.begin"
_REPORT = "carrom.env.CarromEnv.report"
_STRIKER = "carrom.baseline.striker_faults"
_BREACH = (_FACTS + "breach",)
_FORFEIT = (_EVENT + "CONCEDE_MATCH", _EVENT + "CONCEDE_MATCH_OPPONENT")
_LOSS = (_EVENT + "BOARD_LOST", *_BREACH)

_NO_BODY = "there are no bodies: the striker receives one impulse and nothing else is touched"
_NO_WORDS = "players exchange strikes and places with the table, and nothing with anybody else"
_NO_WEAR = "nothing breaks or is exchanged"
_NO_POWDER = "friction is a constant of the board; powder can neither be added nor removed"
_NO_PLACE = "there is no hall: players neither come nor go"
_NO_PROTEST = "rulings are deterministic and can be replayed, which takes the place of protests"

_LAWS: tuple[tuple[str, Entry], ...] = (
    # Interpretation.
    ("1", _conduct("tells the reader of the laws what words mean; names in code mean one thing")),
    ("2.a 2.b", _rule(_FACTS + "proper")),
    ("3", _rule("carrom.board.Board")),
    ("4", _rule("carrom.pieces.COLOURS")),
    ("5", _course("carrom.laws.BoardState")),
    ("6", _course(_BOARD + "break_done")),
    ("7", _course(_BOARD + "over")),
    ("8", _conduct("names whoever holds a seat; the seats are those of 28 and 29")),
    ("9", _mixed((Tag.REFEREE, Tag.DECISION), _LAY)),
    ("10", _rule(_FACTS + "pocketed")),
    ("11", _conduct("a word for what 33 forbids")),
    ("12", _rule("carrom.pieces.QUEEN")),
    ("13", _rule("carrom.laws.Ruling.dues_charged")),
    ("14", _rule("carrom.laws.Ruling.penalties_charged")),
    ("15", _rule(_JUDGE)),
    ("16 17.a 17.b", _rule(_DUE_FAULTS)),
    ("18", _conduct("allowed, and an impulse does not tell which finger gave it")),
    ("19", _rule(_BOARD + "seat")),
    ("20 21", _conduct("offices; the functions of carrom.laws fill both")),
    ("22.a 22.b", _rule(_FOUL_BY)),
    ("23 24 25", _conduct("words for parts of the body, and for lines that bodies must not cross")),
    ("26", _rule(_FACTS + "touched")),
    ("27.a 27.b", _course(_RULE)),
    # Sitting and striking.
    ("28 29", _course(_SEATS)),
    ("30 31.a 31.b 32 37.a 38.a", _conduct(_NO_BODY, _BREACH)),
    ("37.b 38.b", _conduct("allows something to bodies, and there are none")),
    ("32 (bis)", _conduct(_NO_BODY, _BREACH)),
    ("33", _conduct("a stroke is a single impulse, so it can only strike", _BREACH)),
    ("34 35 36", _conduct("a stroke is an impulse; what gives it is not simulated")),
    # Toss, trial boards, break.
    ("39.a", _mixed((Tag.MATCH, Tag.DECISION), _BEGIN, "carrom.decision.TossChoice")),
    ("39.b", _course(_BEGIN, "carrom.decision.TossChoice")),
    ("39.c", _choice(_BEGIN, "carrom.decision.TossChoice")),
    ("39.d", _course("carrom.laws.MatchState.rotation")),
    ("40", _course(reason="left out: strokes before the match that count for nothing")),
    ("41.a", _mixed((Tag.DIMENSION, Tag.DECISION), "carrom.rack.rack")),
    ("41.b", _course("carrom.tasks.racked")),
    ("42 43", _course("carrom.laws.new_board")),
    ("44 45.a 45.b 45.c", _rule(_STEER)),
    ("46", _mixed((Tag.MATCH, Tag.CONDUCT), _CLOCK, _FOUL_BY)),
    ("47", _rule("carrom.laws.view.see", told_by=(_EVENT + "EARLY_BREAK",))),
    # Turn, scoring, change of sides.
    ("48", _rule(_JUDGE)),
    ("49.a.i 49.a.ii 49.a.iii", _course(_NEXT)),
    ("49.b", _course(_NEXT, _RULE)),
    ("50", _mixed((Tag.REFEREE, Tag.CONDUCT), _CLOCK, _FOUL_BY)),
    ("51", _rule("carrom.laws.finish.by_breach", "carrom.aec.CarromAECEnv.step_as")),
    ("52.a 52.b.i 52.b.ii 53.a 53.b 53.c 54", _course(_END)),
    ("55", _course(_RULE, _SETTLE)),
    ("56.a 56.b 57", _course(_CLOSE)),
    ("58 59 60.a 60.b 60.c", _course(_SIDES)),
    ("61", _conduct("no time passes between boards")),
    # Fouls.
    ("62 63.a 63.b", _rule(_FOUL_BY)),
    ("64.a 64.b", _rule(_JUDGE)),
    # Overboard, standing and overlapping pieces.
    ("65.a 65.b 65.c 65.d", _rule(_JUMPED, told_by=(_FACTS + "overboard",))),
    ("66.a", _rule(_JUMPED, told_by=(_FACTS + "overboard",))),
    ("66.b", _conduct("there is no lamp above the board")),
    ("67 68", _rule(_LAY, reason="strokes move flat discs in a plane: none ends on its rim")),
    (
        "69.a 69.b 70.a 70.b",
        _rule(
            _FACTS + "pocketed",
            reason="strokes move flat discs in a plane: none ends on another, or on the striker",
        ),
    ),
    ("71 113", _rule("carrom.laws.citations.of_event")),
    # Dues and penalties.
    ("72.a 72.b 73 74 75 76 77.a 77.b", _rule(_JUDGE)),
    ("72.c 78.a", _rule(_SETTLE)),
    ("78.b.i 78.b.ii", _mixed((Tag.REFEREE, Tag.DECISION), _SETTLE)),
    ("79.a 79.b", _mixed((Tag.REFEREE, Tag.DECISION), _SETTLE)),
    ("80", _choice("carrom.decision.Waiver", "carrom.laws.Ruling.waived")),
    ("81", _rule(_SETTLE)),
    ("82.a", _conduct("the table takes the right colour out of the pocket", _BREACH)),
    ("82.b", _conduct("the table takes the right colour out of the pocket")),
    ("83", _mixed((Tag.REFEREE, Tag.CONDUCT), _SETTLE, reason="nothing is ever forgotten")),
    ("84.a 84.b", _choice(_DUE_FAULTS)),
    ("85 86 89.b 114", _choice(_DUE_FAULTS, _LAID)),
    ("87.a", _choice("carrom.decision.Waiver", _FACTS + "waive")),
    ("87.b", _choice("carrom.decision.Claim", _FACTS + "claims")),
    ("88.a 88.b", _mixed((Tag.CONDUCT,), _CLOCK)),
    ("89.a", _rule(_SETTLE)),
    ("90", _rule(_SETTLE)),
    ("91", _conduct(_NO_BODY, _LOSS)),
    # Queen.
    ("92 95.a 95.b 95.c 95.d 97.a 97.b 98.a 98.b 99.a 99.b", _rule(_JUDGE)),
    ("96", _mixed((Tag.REFEREE, Tag.CONDUCT), _JUDGE, reason="an uncovered queen never stays")),
    ("100.a 100.b 101.a 101.b", _rule(_JUDGE)),
    ("93", _rule(_LAY, _CENTRE)),
    ("94", _rule(_CENTRE)),
    ("102.a 102.b 103.a 103.b 104.a 104.b 105.a 105.b 106.a 106.b", _rule(_END)),
    ("107.a 107.b 108.a 108.b 109.a 109.b 110.a 110.b 111.a 111.b 112.a 112.b", _rule(_END)),
    # General.
    ("115", _conduct("the only striker there is has the size and mass of the board's equipment")),
    ("116", _rule("carrom.laws.citations.of_event", told_by=(_FACTS + "overboard_striker",))),
    ("117", _course("carrom.table.Setting.board")),
    ("118.a 118.b", _conduct("the board is the frame of reference and does not move")),
    ("119 120 141", _conduct(_NO_WEAR)),
    ("121.a", _conduct("nobody appeals: the umpire sees everything")),
    ("121.b", _conduct("nobody appeals: the umpire sees everything", _LOSS)),
    ("122.a 122.d 122.e", _conduct(_NO_POWDER)),
    ("122.b 122.c", _conduct(_NO_POWDER, _BREACH)),
    ("123", _rule("carrom.physics.mujoco.MujocoEngine.play")),
    ("124.a 124.b 124.c", _rule("carrom.play.advance")),
    ("125.a", _rule(_JUDGE)),
    ("125.b", _conduct("the umpire notices at once")),
    ("126.a", _conduct(_NO_BODY, _BREACH)),
    ("126.b", _conduct(_NO_BODY, _LOSS)),
    ("127.a", _rule("carrom.action.MIN_SPEED")),
    ("127.b", _rule(_STRIKE, _STEER)),
    ("128 129 131 132", _conduct(_NO_WORDS, _BREACH)),
    ("130.a 130.b", _rule(_STRIKER)),
    ("133", _conduct(_NO_BODY, _BREACH)),
    ("134", _rule(_STRIKE, "carrom.baseline.free_places")),
    ("135 136.a", _conduct("the striker is on the board during strokes only", _BREACH)),
    ("136.b", _conduct("pieces are placed one by one, with nothing laid down in between")),
    ("137", _course(_STEER)),
    ("138", _course(reason="left out: no time passes between games")),
    ("139", _choice(_REPORT, "carrom.laws.finish.ending")),
    ("140", _course(_STRIKE, _STEER)),
    ("142", _course("carrom.baseline.free_line", _STEER)),
    # Loss of the match, protests.
    ("143.a 143.b 143.i", _conduct(_NO_PLACE, _FORFEIT)),
    ("143.c 143.d 143.h", _conduct(_NO_WORDS, _FORFEIT)),
    ("143.e 143.g", _conduct(_NO_BODY, _FORFEIT)),
    ("143.f", _conduct("the board refuses a striker that the laws do not allow")),
    ("144 145 146 147 148 149 150 151.a 151.b 151.c", _conduct(_NO_PROTEST)),
)


def _collect(groups: Iterable[tuple[str, Entry]]) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for ids, entry in groups:
        # One id has a space in it: it stands alone.
        for law in [ids] if ids in LAW_IDS or ids in EQUIPMENT else ids.split():
            if law in entries:
                raise ValueError(f"law {law}: two entries, expected one")
            entries[law] = entry
    return entries


REGISTER: dict[str, Entry] = _collect(
    [
        *((item, Entry((Tag.DIMENSION,), names)) for item, (_, names) in BUILT.items()),
        *((item, Entry((Tag.DIMENSION,), reason=why)) for item, (_, why) in UNBUILT.items()),
        *_LAWS,
    ]
)
"""Law or item of the equipment -> how it is dealt with."""
