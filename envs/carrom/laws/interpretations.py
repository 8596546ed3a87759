"""Where the laws are ambiguous or silent: how they are read here, and what does so.

A-numbers are points on which the texts of the laws contradict each other or can be read in
two ways, U-numbers situations on which they say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How a doubtful point is settled.

    Attributes:
        law: the law or situation in doubt.
        resolution: how it is read, in one line.
        done_by: dotted names of the functions, options or fields that read it so; none where
            only the numbering, the wording or something not simulated is in doubt.
    """

    law: str
    resolution: str
    done_by: tuple[str, ...] = ()


_JUDGE = "carrom.laws.tables.judge"
_END = "carrom.laws.finish.by_stroke"
_STEER = "carrom.laws.course.steer"
_SETTLE = "carrom.laws.payment.settle"
_BOARD = "carrom.board.Board."
_FACTS = "carrom.laws.StrokeFacts."
_FORMAT = "carrom.laws.MatchFormat."
_NEXT = "carrom.laws.next_board"

AMBIGUITIES: dict[str, Reading] = {
    "A1": Reading("137", "void after three turns of each player without a touch", (_STEER,)),
    "A2": Reading("125.a", "the turn is lost if only the opponent's C/m fell", (_JUDGE,)),
    "A3": Reading("pockets", "tolerance 0.0015 m, not 0.0045", (_BOARD + "pocket_diameter",)),
    "A4": Reading("99.a", "striker and queen, proper: the turn is kept", (_JUDGE,)),
    "A5": Reading("95", "due outstanding first, then nothing ever down, else a right", (_JUDGE,)),
    "A6": Reading("32", "the second law of this number is cited as 32 (bis)"),
    "A7": Reading("52.b, 54", "queen 3 points if the winner began the board below 22", (_END,)),
    "A8": Reading("55, 87.b", "12 points a board, claims included", ("carrom.laws.rule",)),
    "A9": Reading("64.b, 77.a", "improper stroke: own C/m come out and a penalty", (_JUDGE,)),
    "A10": Reading("102-112", "22 points: those of the side that wins the board", (_END,)),
    "A11": Reading("56.b, 60", "an option: eight boards, or no limit", (_FORMAT + "board_limit",)),
    "A12": Reading("97.b", "nine on the board: counted before the stroke", (_JUDGE,)),
    "A13": Reading("16, 26", "a shot is a pair or a cannon in 16, 17, 93, 114, else a stroke"),
    "A14": Reading("5, 23", "one word of a text: hand in 23 and 35-38, board elsewhere"),
    "A15": Reading("87.a", "the creditor waives all or nothing", (_FACTS + "waive",)),
    "A16": Reading("89.a", "no netting of the two sides' debts", (_SETTLE,)),
    "A17": Reading("127.b", "no stroke only if no line was left and nothing moved", (_STEER,)),
    "A18": Reading(
        "140", "a diverged stroke is not tried again: replay", ("carrom.striking.strike_all",)
    ),
    "A19": Reading("40", "one trial board each; not modelled"),
    "A20": Reading(
        "equipment",
        "inner circle 0.0254 m red, striker at most 0.0413 m",
        (_BOARD + "base_circle_red_diameter", _BOARD + "striker_diameter"),
    ),
    "A21": Reading(
        "45", "three attempts; the opponent breaks with black", ("carrom.laws.course.steer",)
    ),
    "A22": Reading(
        "46, 50",
        "too late: 63.a before the turn's first stroke, else 64.a",
        ("carrom.laws.foul_by",),
    ),
    "A23": Reading("51", "the offender loses by his own C/m", ("carrom.laws.finish.by_breach",)),
    "A24": Reading("52.a", "wins with the queen covered; with her on the board 107/108", (_END,)),
    "A25": Reading(
        "65.b",
        "placed against whoever strikes next",
        ("carrom.laws.place_centre", "carrom.laws.place_jumped"),
    ),
    "A26": Reading("84.a", "the whole disc inside the circle", ("carrom.laws.due_faults",)),
    "A27": Reading("89.b", "the discs may not overlap", ("carrom.laws.due_faults",)),
    "A28": Reading(
        "62",
        "a breach is a foul or a technical foul, by 63 and 64",
        ("carrom.laws.foul_by",),
    ),
    "A29": Reading("74, 76, 125", "opponent's last C/m down, queen covered: he wins", (_END,)),
    "A30": Reading("103, 106, 111", "C/m left are counted after the stroke", (_END,)),
    "A31": Reading("110", "one point, whatever the score", (_END,)),
    "A32": Reading("46", "a penalty before the break is outstanding", (_SETTLE,)),
    "A33": Reading("45.a, 116", "a touch makes the break, wherever the striker goes", (_STEER,)),
}

UNDEFINED: dict[str, Reading] = {
    "U1": Reading(
        "queen and own C/m with a due outstanding",
        "queen out, the C/m pays the due; turn lost",
        (_JUDGE,),
    ),
    "U2": Reading(
        "nine on, none ever down: queen, own C/m and striker",
        "all out and a due; turn kept",
        (_JUDGE,),
    ),
    "U3": Reading(
        "queen by right, opponent's C/m and striker", "queen out and a due; turn kept", (_JUDGE,)
    ),
    "U4": Reading("nine on again (95.c): queen and one own C/m", "still to be covered", (_JUDGE,)),
    "U5": Reading("nine on again: queen and striker", "queen out and a due; turn lost", (_JUDGE,)),
    "U6": Reading(
        "both last, queen covered earlier",
        "proper: her holder wins by 3 or 1; improper: the opponent",
        (_END,),
    ),
    "U7": Reading("102 with the striker", "as 109", (_END,)),
    "U8": Reading("103 with the striker", "as 111", (_END,)),
    "U9": Reading("105 with the striker", "one claim, improper two", (_END,)),
    "U10": Reading("queen and the opponent's last, own left", "as 103", (_END,)),
    "U11": Reading("covering stroke: own, not last, and the opponent's last", "as 103", (_END,)),
    "U12": Reading(
        "opponent's last, queen covered, improper or striker", "A29 and one claim for each", (_END,)
    ),
    "U13": Reading(
        "own C/m fell improperly as the board ends", "neither back nor counted", (_END,)
    ),
    "U14": Reading(
        "which way the rack's Y points", "an option; towards the breaker", ("carrom.rack.rack",)
    ),
    "U15": Reading("where pockets are", "tangent to both frames", (_BOARD + "pocket_offset",)),
    "U16": Reading(
        "whether a C/m that came back was down",
        "only if it stayed down or paid",
        ("carrom.laws.BoardState.has_pocketed",),
    ),
    "U17": Reading("who breaks in a replay", "the same player; the same board number", (_NEXT,)),
    "U18": Reading(
        "137 in doubles", "twelve turns: three of each player", (_FORMAT + "idle_limit",)
    ),
    "U19": Reading("striker pocketed untouched", "an idle turn all the same", (_STEER,)),
    "U20": Reading(
        "the break lost by one side", "three attempts of the other, and so on", (_STEER,)
    ),
    "U21": Reading("break before the call: opponent's C/m", "stay down", (_JUDGE,)),
    "U22": Reading(
        "a hanging queen falls (113)", "pocketed; the right to her is judged as always", (_JUDGE,)
    ),
    "U23": Reading(
        "waiving wrongly pocketed C/m", "not possible; only dues and penalties", (_SETTLE,)
    ),
    "U24": Reading(
        "order of placing",
        "queen, jumped C/m, returned C/m, dues",
        ("carrom.umpiring.take_up",),
    ),
    "U25": Reading(
        "51: the queen",
        "3 points below 22, on the board or covered by the winner",
        ("carrom.laws.finish.by_breach",),
    ),
    "U26": Reading("break of the extra board", "a toss drawn by the caller", (_NEXT,)),
    "U27": Reading(
        "where the queen goes if the centre is taken",
        "free place nearest the centre; of equals, the hardest for the next player",
        ("carrom.laws.place_centre",),
    ),
    "U28": Reading("no room for a C/m that comes out", "it waits as a due does", (_SETTLE,)),
    "U29": Reading("early break that misses", "a normal attempt lost, and the penalty", (_STEER,)),
    "U30": Reading(
        "when a right to place passes to the partner", "when play comes to him", (_SETTLE,)
    ),
    "U31": Reading(
        "turns without end",
        "a stroke limit cuts the episode off, without result",
        ("carrom.tasks.TASKS",),
    ),
    "U32": Reading("cover while a due is outstanding", "covered; the C/m then pays", (_JUDGE,)),
}

READINGS: dict[str, Reading] = AMBIGUITIES | UNDEFINED
"""Point in doubt -> how it is settled."""
