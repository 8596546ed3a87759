"""Questions in words: read as the law cases say, said again without loss, refused clearly."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import chex
import hypothesis
import hypothesis.strategies as st
import pytest

from carrom.errors import FactsError
from carrom.laws import LAW_IDS, Event, QueenState
from carrom.laws.asking import answer
from carrom.laws.asking.answer import position_in_words, stroke_in_words
from carrom.laws.asking.inquiry import read_question, read_stroke
from carrom.laws.asking.vocabulary import CAUSES
from carrom.laws.cases import Case, judge, read_case
from carrom.laws.stroke import BOARD_LOST_BY

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "law_cases.jsonl").read_text().splitlines()
]
FORFEITS = [law for law in LAW_IDS if law.startswith("143.")]
EVENTS = {
    "technical_foul": ["technical foul"],
    "technical_foul_opponent": ["technical foul by opponent", "foul by the opponent"],
    "technical_foul_partner": ["technical foul by partner", "partner fouls"],
    "foul": ["foul"],
    "early_break": ["early break", "early"],
    "out_of_turn": ["out of turn", "the opponent out of turn"],
    "out_of_turn_partner": ["out of turn by the partner"],
    "no_striker_space": ["no place"],
    "no_stroke": ["slip", "no stroke"],
    "void": ["void"],
    "concede_game": ["concedes the game", "concedes"],
    "concede_match": ["concedes the match"],
}


def pieces(counts: dict[str, Any], mover: str, rng: random.Random) -> str:
    """A list of pieces, in one of the ways people write them."""
    colour_first, relative = rng.random() < 0.3, rng.random() < 0.3
    words = []
    for colour in ("white", "black"):
        if counts[colour]:
            name = ("own" if colour == mover else "opponent's") if relative else colour
            count = counts[colour]
            words.append(f"{name} {count}" if colour_first else f"{count} {name}")
    words += [piece for piece in ("queen", "striker") if counts.get(piece)]
    return rng.choice([" ", ", ", " and "]).join(words) or "nothing"


def clauses_of(raw: dict[str, Any], rng: random.Random) -> list[str]:
    """All that a law case says, as clauses in random words and order."""
    before, shot, event = raw["before"], raw["shot"], raw.get("event", "shot")
    mover = before["striker"]
    said = [
        raw["mode"],
        rng.choice([f"{mover} to play", f"{mover}'s turn", f"{mover} strikes"]),
        f"on the board {pieces(before['on_board'], mover, rng)}",
        f"score {before['score']['white']} to {before['score']['black']}",
        f"board {before['board_number']}",
    ]
    side = before["queen"].split(":")[-1]
    if before["queen"].startswith("pending"):
        said.append("queen waiting for cover")
    elif before["queen"].startswith("covered"):
        said.append(rng.choice([f"queen covered by {side}", f"{side} holds the queen"]))
    said += [f"{side} owes {count}" for side, count in before["owed"].items() if count]
    down = before.get("has_pocketed", {})
    said += [f"{s} had one down" for s in down if down[s] and before["on_board"][s] == 9]
    if not before["break_done"]:
        said.append("break to be made")
    if before["break_attempts_failed"]:
        said.append(f"break missed {before['break_attempts_failed']} times")
    if before["consecutive_idle_turns"]:
        said.append(f"{before['consecutive_idle_turns']} idle turns")
    for key, word in (("striker_seat", "to play"), ("breaker_seat", "broke")):
        if key in before:
            said.append(f"seat {before[key]} {word}")
    if "match" in before:
        match = before["match"]
        said += [
            f"games {match['games']['white']} to {match['games']['black']}",
            f"game {match['game_number']}",
            f"{match['opened_match']} opened the match",
        ]
    if event != "shot":
        said.append(rng.choice(EVENTS[event]))
    said.append(f"pocketed {pieces(shot['pocketed'], mover, rng)}")
    if any(shot["overboard"].values()):
        said.append(f"jumped {pieces(shot['overboard'], mover, rng)}")
    if shot["touched"] != (event in ("shot", "early_break")):
        said.append("touched" if shot["touched"] else "touched nothing")
    if not shot["proper"]:
        said.append("improper")
    if "claims" in raw:
        said.append({True: "claims all", False: "claims none"}[raw["claims"]])
    if raw.get("decline"):
        said.append("waives")
    if not raw.get("space", True):
        said.append("no room")
    rng.shuffle(said)
    return said


def assert_same(asked: Case, case: Case) -> None:
    chex.assert_trees_all_equal(asked.state, case.state)
    chex.assert_trees_all_equal(asked.facts, case.facts)
    assert (asked.format, asked.with_match, asked.with_breaker) == (
        case.format,
        case.with_match,
        case.with_breaker,
    )
    assert judge(asked)[0] == judge(case)[0]


def assert_said_again(case: Case) -> None:
    words = f"{position_in_words(case.state, case.format)}; {stroke_in_words(case.facts)}"
    again = read_question(words)
    chex.assert_trees_all_equal(again.state, case.state)
    chex.assert_trees_all_equal(again.facts, case.facts)
    assert again.format == case.format


@pytest.mark.parametrize("raw", CASES, ids=lambda raw: raw["id"])
def test_every_law_case_can_be_asked_in_words(raw):
    rng = random.Random(raw["id"])
    for _ in range(4):
        text = rng.choice(["; ", ", ", ". "]).join(clauses_of(raw, rng))
        assert_same(read_question(text), read_case(raw))


@pytest.mark.parametrize("raw", CASES, ids=lambda raw: raw["id"])
def test_what_was_understood_can_be_asked_again(raw):
    assert_said_again(read_case(raw))


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(data=st.data())
def test_strokes_and_events_survive_being_said(data: st.DataObject):
    event = data.draw(st.sampled_from(list(Event)))
    stroke = event in (Event.SHOT, Event.EARLY_BREAK, Event.FOUL)
    shown = data.draw(st.booleans()) and stroke
    proper = data.draw(st.booleans()) or event not in (Event.SHOT, Event.EARLY_BREAK)
    if event in (Event.BOARD_LOST, Event.BOARD_LOST_OPPONENT):
        laws = BOARD_LOST_BY
    elif event in (Event.CONCEDE_MATCH, Event.CONCEDE_MATCH_OPPONENT):
        laws = FORFEITS
    elif event in (Event.EARLY_BREAK, Event.FOUL, Event.TECHNICAL_FOUL) or not proper:
        laws = sorted({*LAW_IDS} - {*BOARD_LOST_BY, *FORFEITS})
    else:
        laws = [None]
    case = read_question("doubles; break to be made" if event == Event.EARLY_BREAK else "doubles")
    facts = case.facts.shot(
        event=event,
        touched=stroke and data.draw(st.booleans()),
        pocketed=(2, 0) if shown else (0, 0),
        queen=shown,
        striker=shown,
        overboard=(0, 1) if shown else (0, 0),
        proper=proper,
        claims=data.draw(st.integers(0, 2)),
        breach=data.draw(st.sampled_from(laws)),
        waive=data.draw(st.booleans()),
        room_due=data.draw(st.sampled_from([0, 18])),
    )
    words = stroke_in_words(facts)
    chex.assert_trees_all_equal(read_stroke(words, case.state, case.format), facts)


def test_a_question_in_plain_words():
    text = "white to play, 3 white 5 black queen on board, pocketed white 1 striker"
    assert answer(text) == [
        "understood: singles; white to play; on board 3 white 5 black queen; nobody owes; "
        "score white 0 black 0; board 1; break made; pocketed 1 white striker; proper; claims all",
        "73: striker and own C/m: they come out and a due; turn kept",
        "78.a: dues and penalties are taken out as soon as available",
        "comes back: 2 white, placed by black",
        "owed: nothing",
        "next: white goes on",
        "position: singles; white to play; on board 4 white 5 black queen; nobody owes; "
        "score white 0 black 0; board 1; break made",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "White to play. 3 white, 5 black and the queen on the board. Pocketed 2 own men.",
        "3 white 5 black queen on board pocketed white 2",
        "white pocketed 2 white; on board 3 white 5 black queen",
        "two white pocketed; on the board: queen, three white, five black",
        "pocketed 2 of white's C/m, 3 white, 5 black, queen on board",
        "on board white 3 black 5 queen, white plays, sank two own coins",
        "3 white, 5 black and the queen; white pocketed two own men",
        "pocketed 1 white, 1 white on board 3 white 5 black queen",
        "White to play; queen on the board; 3 white and 5 black; 2 white fell",
        "3 white 5 black queen on board, pocketed 1 white, 1 white",
    ],
)
def test_people_write_as_they_like(text):
    plain = read_question("on board 3 white 5 black queen; pocketed 2 white")
    assert_same(read_question(text), plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        # What one word does to the next.
        ("pocketed own and the queen", "pocketed 1 white queen"),
        ("pocketed a white and a black and the red queen", "pocketed 1 white 1 black queen"),
        ("pocketed striker with one white", "pocketed 1 white striker"),
        ("pocketed white 2 and one black", "pocketed 2 white 1 black"),
        ("pocketed 1-white", "pocketed 1 white"),
        ("board 3 white to play", "board 3; white to play"),
        ("nothing jumped, 1 white pocketed", "pocketed 1 white"),
        (
            "white covered the red queen; 3 white 5 black on board",
            "queen covered by white; on board 3 white 5 black",
        ),
        ("score 9\u20133", "score 9 to 3"),
        ("black owes a due", "owed black 1"),
        ("white owes nothing, black owes two penalties", "owed black 2"),
        (
            "white has the queen; 3 white 5 black on board",
            "queen covered by white; on board 3 white 5 black",
        ),
        # Whose verb it is.
        ("1 black jumped and 1 white jumped", "jumped 1 white 1 black"),
        ("1 white pocketed and 2 black jumped", "pocketed 1 white; jumped 2 black"),
        ("pocketed 1 white; pocketed striker", "pocketed 1 white striker"),
        ("pocketed 1 white, touched 1 black", "pocketed 1 white"),
        ("3 white on board, 5 black and queen on board", "on board 3 white 5 black queen"),
        (
            "3 white, 5 black, queen, 2 white pocketed",
            "on board 3 white 5 black queen; pocketed 2 white",
        ),
        (
            "white 4, black 4, queen on board; white 2, striker pocketed",
            "on board 4 white 4 black queen; pocketed 2 white striker",
        ),
        (
            "4 white 4 black queen; pocketed nothing; 1 white jumped",
            "on board 4 white 4 black queen; jumped 1 white",
        ),
        # Who it is.
        ("black plays out of turn", "out of turn by black"),
        ("white pockets 2 of his own", "white to play; pocketed 2 white"),
        ("doubles; seat 1 broke", "doubles; seat 1 broke; seat 1 to play; white to play"),
        ("doubles; partner concedes", "doubles; white concedes"),
        # What follows from what was said.
        ("games 1 to 0", "games 1 to 0; game 2"),
        ("game 3", "game 3; games 1 to 1"),
        ("break missed", "break missed once"),
    ],
)
def test_what_people_write_means_what_is_plain(text, plain):
    assert_same(read_question(text), read_question(plain))


@pytest.mark.parametrize("text", ["break missed once", "break missed twice"])
def test_how_often_the_break_was_missed_is_said_as_people_say_it(text):
    case = read_question(text)
    assert text in position_in_words(case.state, case.format)


def test_the_defaults_are_the_position_after_the_rack():
    state, facts = read_question("").state, read_question("").facts
    board = state.board
    assert (board.on_board.tolist(), int(board.queen)) == ([9, 9], QueenState.ON_BOARD)
    assert (int(board.striker), board.owed.tolist(), bool(board.break_done)) == (0, [0, 0], True)
    assert (state.game.score.tolist(), int(state.game.board_number)) == ([0, 0], 1)
    assert (bool(facts.proper), bool(facts.touched), facts.pocketed.tolist()) == (
        True,
        True,
        [0, 0],
    )
    assert int(facts.event) == Event.SHOT


@pytest.mark.parametrize(
    ("text", "event", "law"),
    [
        ("improper, striker on the arrow", Event.SHOT, "130.b"),
        ("improper: breach 130.a", Event.SHOT, "130.a"),
        ("pocketed 1 white, off the line", Event.SHOT, "130.a"),
        ("breach 134", Event.TECHNICAL_FOUL, "134"),
        ("on board 8 white 9 black, queen waiting, breach of law 134", Event.FOUL, "134"),
        ("too late", Event.TECHNICAL_FOUL, "50"),
        ("break to be made, too late", Event.TECHNICAL_FOUL, "46"),
        ("foul by black because he talked", Event.TECHNICAL_FOUL_OPPONENT, "131"),
        ("black to play, foul by black, hit the board", Event.FOUL, "126.a"),
        ("doubles; partner fouls, against 32 (bis)", Event.TECHNICAL_FOUL_PARTNER, "32 (bis)"),
        ("technical foul, placed outside", Event.TECHNICAL_FOUL, "85"),
        ("out of turn, against 49.a.i", Event.OUT_OF_TURN, "49.a.i"),
    ],
)
def test_a_breach_may_be_said_with_its_cause(text, event, law):
    facts = read_question(text).facts
    assert (int(facts.event), LAW_IDS[int(facts.breach)]) == (event, law)
    assert not (event == Event.SHOT and facts.proper)


def test_every_cause_is_read_to_its_end():
    for phrase, law in CAUSES.items():
        facts = read_question(f"improper, {phrase}").facts
        assert LAW_IDS[int(facts.breach)] == (law if law in LAW_IDS else "50")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("purple", ["'purple'", "not understood", "white to play", "pocketed"]),
        ("whte to play", ["'whte'", "did you mean 'white'"]),
        ("white to sing", ["'sing'", "to play"]),
        ("pocketed 3", ["'3'", "pieces"]),
        ("pocketed 2 queen", ["queen = 2", "one at most"]),
        ("pocketed white 2 black", ["white 2 black", "comma"]),
        ("pocketed white -1", ["'-1'", "not understood"]),
        ("pocketed -1 white", ["'-1'", "pieces"]),
        ("score 9 -3", ["'-3'", "score"]),
        ("claims \u22121", ["'-1'", "a number"]),
        ("white pocketed one and the queen", ["'one'", "pieces"]),
        ("white pocketed one and striker", ["'one'", "pieces"]),
        ("pocketed 2 white and black", ["black: how many?", "1 black"]),
        ("pocketed own men", ["own: how many?"]),
        ("pocketed whites", ["whites: how many?"]),
        ("pocketed 1 white (own)", ["white, own: both are white"]),
        ("black to play; black owes 1; own owes 2", ["black, own: both are black"]),
        ("claims 2 white pocketed", ["2 white: expected a comma"]),
        ("board 3 white pocketed", ["3 white: expected a comma"]),
        ("already pocketed 3 white", ["already pocketed", "this stroke"]),
        ("3 white already pocketed", ["already pocketed", "this stroke"]),
        ("3 white 5 black queen on board, 2 white", ["on board = 2 white", "said before"]),
        ("pocketed nothing, pocketed 1 white", ["pocketed = 1 white", "said before"]),
        ("nobody owes; white owes 1", ["1 white owed", "nobody owes"]),
        ("claims all; claims 1", ["claims = 1", "said before"]),
        ("3 white", ["3 white", "on board, pocketed or jumped"]),
        ("3 white 5 black, improper", ["3 white 5 black", "on board, pocketed"]),
        ("3 white 5 black pocketed 1 white", ["queen: not on board"]),
        ("3 white on board, 5 white on board", ["on board = 5 white", "said before"]),
        ("score 3", ["ends too early", "score"]),
        ("score white 1 white 2", ["score of white = 2", "said before"]),
        ("board 3; board 4", ["board number = 4", "said before"]),
        ("black owes 1; owed black 2", ["black owes 2", "once"]),
        ("breach 130.c", ["'130.c'", "a law"]),
        ("breach", ["ends too early", "a law"]),
        ("foul by nobody", ["'nobody'", "by whom"]),
        ("foul by partner", ["by partner", "singles"]),
        ("partner concedes", ["by partner", "singles"]),
        ("partner concedes the match", ["by partner", "singles"]),
        ("partner loses the board, breach 91", ["by partner", "singles"]),
        ("out of turn by partner", ["by partner", "singles"]),
        ("partner owes 1", ["partner: expected the colour"]),
        ("doubles; partner holds the queen", ["partner: expected the colour"]),
        ("white strikes out of turn", ["out of turn by white", "another player"]),
        ("no queen on board", ["queen", "covered by"]),
        ("on board striker 1 white", ["striker on board"]),
        ("seat 2 to play", ["seat 2", "singles"]),
        ("own to play", ["own to play", "white or black"]),
        ("opponent concedes by white", ["'by'", "not understood"]),
        ("pocketed 10 white", ["pocketed white = 10", "0 to 9"]),
        ("jumped 10 white", ["jumped white = 10", "0 to 9"]),
        ("black owes 100", ["owed black = 100", "0 to 99"]),
        ("game 4, games 1 to 1", ["game = 4", "1 to 3"]),
        ("game 3, games 0 to 0", ["game = 3", "expected 1, one more than have been won"]),
        ("game 2, games 0 to 0", ["game = 2", "expected 1, one more than have been won"]),
        ("game 1, games 1 to 0", ["game = 1", "expected 2, one more than have been won"]),
        ("game 2", ["game 2: who won before?", "games 1 to 0"]),
        ("games 2 to 0", ["games white = 2", "match is over"]),
        ("board 9, score 5 to 0", ["board = 9", "at most 8", "56.b"]),
        ("black opened the match", ["opened the match = black", "expected white"]),
        ("idle turns 6", ["idle turns = 6", "at most 5"]),
        ("break missed 3", ["break missed = 3", "0 to 2"]),
        ("doubles; seat 4 to play", ["seat to play = 4", "0 to 3"]),
        ("doubles; seat 1 broke; seat 1 to play; black to play", ["seat to play = 1", "0 or 2"]),
        ("queen covered by white, 1 white 1 black queen on board", ["on board and elsewhere"]),
        ("3 white 5 black queen on board, break to be made", ["break to be made: expected"]),
        ("early break", ["early break after the break was made"]),
        ("no place, pocketed 1 white", ["no place pocketed something"]),
        ("5 white 5 black on board, queen waiting, pocketed queen", ["pocketed queen while"]),
        ("breach 134, void", ["breach = 134 by void"]),
        ("pocketed 5 white, 3 white 5 black queen on board", ["pocketed white = 5", "0 to 3"]),
        ("breach 134, proper", ["breach = 134", "proper stroke"]),
        ("claims 3", ["claims = 3", "0 to 2"]),
        ("score 25 to 3", ["score white = 25", "game is over"]),
        ("no fun", ["'fun'", "room"]),
    ],
)
def test_what_is_not_understood_is_one_clear_error(text, words):
    with pytest.raises(FactsError) as caught:
        read_question(text)
    message = str(caught.value)
    assert "\n" not in message
    assert not re.search(r"before\.|shot\.|match\.|[a-z]_[a-z]|\b[A-Z]{2,}", message)
    for word in words:
        assert word in message


WORDS = (
    *("white", "black", "own", "opponent", "queen", "striker", "pocketed", "jumped", "on", "board"),
    *("1", "2", "9", ",", ";", "score", "to", "play", "owes", "covered", "by", "waiting", "had"),
    *("improper", "breach", "130.a", "foul", "out", "turn", "break", "missed", "no", "claims"),
    *("seat", "game", "idle", "down", "holds", "purple"),
)


@hypothesis.settings(max_examples=300, deadline=None)
@hypothesis.given(
    st.lists(
        st.sampled_from(WORDS),
        max_size=10,
    )
)
def test_any_words_are_read_or_refused(words):
    try:
        case = read_question(" ".join(words))
    except FactsError:
        return
    assert_said_again(case)


@pytest.mark.parametrize("text", ["white to play", "board 3", "score 1 to 2", "queen waiting"])
def test_a_stroke_in_a_known_position_says_nothing_of_it(text):
    case = read_question("")
    with pytest.raises(FactsError, match="the position is known"):
        read_stroke(text, case.state, case.format)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (
            "1 white 4 black on board, queen covered by white, score 3 to 2, pocketed own",
            [
                "points: white wins the board by 7",
                "score: white 10 black 2",
                "next: black breaks, playing white (49.a.i)",
            ],
        ),
        (
            "1 white 4 black queen on board, pocketed own and striker, improper, claims 1",
            [
                "points: black wins the board by 4, 1 of them claimed",
                "score: white 0 black 4",
                "next: black breaks, playing white (49.a.i)",
            ],
        ),
        (
            "1 white 4 black on board, queen covered by black, score 21 to 2, pocketed own",
            [
                "points: white wins the board by 4",
                "score: white 25 black 2",
                "next: white wins the game; black breaks, playing white (49.a.ii), "
                "after a change of sides",
            ],
        ),
        (
            "board 8; 1 white 4 black on board, queen covered by black, score 4 to 8, pocketed own",
            [
                "points: white wins the board by 4",
                "score: white 8 black 8",
                "next: an extra board, whose break is tossed for (56.b)",
            ],
        ),
        # The leader of the game is not the winner of its last board.
        (
            "board 8; game 3; games 1 to 1; 1 white 4 black on board, queen covered by black, "
            "score 3 to 20, pocketed own",
            [
                "points: white wins the board by 4",
                "score: white 7 black 20",
                "next: nothing, black wins the match",
            ],
        ),
        (
            "doubles; seat 1 to play; seat 1 broke; 1 white 4 black on board; queen covered by "
            "black; pocketed own",
            [
                "points: white wins the board by 4",
                "score: white 4 black 0",
                "next: seat 2 breaks, playing white (49.b)",
            ],
        ),
        (
            "no place",
            ["points: none, the board is void", "next: the board is replayed, with the same break"],
        ),
    ],
)
def test_the_end_of_a_board_says_who_breaks_and_why(text, last):
    assert answer(text)[-len(last) :] == last


@pytest.mark.law("60.a")
@pytest.mark.parametrize(
    ("game", "board", "score", "made", "due"),
    [
        # After board 4, or as soon as somebody has 13 points: once, and in the last game only.
        ("game 3", 3, "12 to 0", False, True),
        ("game 3", 3, "0 to 7", False, False),
        ("game 3", 3, "13 to 0", True, False),
        ("game 3", 2, "0 to 13", True, False),
        ("game 3", 4, "3 to 4", False, True),
        ("game 3", 5, "3 to 4", True, False),
        ("game 3", 6, "15 to 4", True, False),
        ("games 0 to 1", 6, "15 to 4", False, False),
        ("game 1", 3, "13 to 0", False, False),
    ],
)
def test_sides_have_changed_where_earlier_boards_made_it_due(game, board, score, made, due):
    text = (
        f"{game}; board {board}; score {score}; 1 white 2 black on board; "
        "queen covered by white; pocketed 1 white"
    )
    assert bool(read_question(text).state.game.sides_changed) == made
    said = answer(text)
    assert any(line.startswith("60.a: ") for line in said) == due
    assert said[-1].endswith("after a change of sides") == due


@pytest.mark.law("139")
def test_a_conceded_game_is_won_without_points():
    said = answer("score 3 to 4; black concedes")
    assert said[-3:-1] == [
        "points: white wins the board without points",
        "score: white 3 black 4",
    ]


def test_what_comes_back_is_said_with_who_places_it():
    said = answer(
        "doubles; black to play; seat 1 to play; seat 0 broke; 4 white 5 black queen on board; "
        "pocketed queen, 1 white, striker; jumped 1 black; white owes 1"
    )
    assert (
        "comes back: the queen and 1 black that jumped, placed by the umpire; "
        "1 white, placed by seat 1; 1 black, placed by seat 2"
    ) in said
    assert "next: black (seat 1) goes on" in said
    assert "waived: 1 white" in answer("5 white 5 black queen on board, pocketed striker, waives")


def test_a_waiting_queen_is_said():
    said = answer("on board 5 white 5 black queen, pocketed queen")
    assert said[-2] == "next: white goes on, who has to cover the queen"
