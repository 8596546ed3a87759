"""The umpire's sheet, word by word on boards made up for it, and against episodes as played."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carrom
from carrom.errors import ConfigError
from carrom.incident import Laid
from carrom.laws import (
    DOUBLES,
    LAWS,
    SINGLES,
    Event,
    MatchFormat,
    StrokeFacts,
    cited,
    new_match,
    next_board_jit,
    rule_jit,
)
from carrom.layout import Layout
from carrom.physics.motion import Motion, Pocketing
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, STRIKER
from carrom.sheet import Sheet
from carrom.table import Stroke, Toss
from carrom.tasks import Position, Unit

SHEETS = Path(__file__).parents[1] / "data" / "sheets"
NOBODY = Layout(np.zeros((19, 2)), np.zeros(19, bool))
STRIKE = Strike(place=0.1, direction=-0.5, speed=2.0)
INDEX = {"white": 0, "black": 9, "queen": QUEEN, "striker": STRIKER}


class Umpired:
    """A match made up stroke by stroke: the facts are told, the rulings are the umpire's."""

    def __init__(self, format: MatchFormat, breaker: int) -> None:
        self.format = format
        self.match = new_match(format, breaker)

    def shot(self, *fallen: str, laid: tuple[Laid, ...] = (), **facts: Any) -> Stroke:
        """A stroke by the player with the turn, which pockets this in this order."""
        pocketed = tuple(Pocketing(INDEX[piece], 0, 0.1) for piece in fallen)
        motion = Motion(NOBODY, pocketed, None, np.zeros(19, bool), 1.0, None)
        told = StrokeFacts.shot(
            pocketed=(fallen.count("white"), fallen.count("black")),
            queen="queen" in fallen,
            striker="striker" in fallen,
            **facts,
        )
        return self._ruled(int(self.match.board.seat), told, STRIKE, motion, laid)

    def happens(
        self,
        event: Event,
        seat: int | None = None,
        breach: str | None = None,
        laid: tuple[Laid, ...] = (),
    ) -> Stroke:
        """Something without a stroke, by the player with the turn unless said otherwise."""
        by = int(self.match.board.seat) if seat is None else seat
        return self._ruled(by, StrokeFacts.without_stroke(event, breach=breach), None, None, laid)

    def _ruled(
        self,
        seat: int,
        facts: StrokeFacts,
        strike: Strike | None,
        motion: Motion | None,
        laid: tuple[Laid, ...],
    ) -> Stroke:
        before = self.match
        after, ruling = rule_jit(before, facts, format=self.format)
        back = int(sum(ruling.returned) + sum(ruling.replaced)) + bool(ruling.queen_returned)
        assert len(laid) == back, "what the umpire takes out is laid"
        ended = ruling.board_over or ruling.board_replayed
        self.match = next_board_jit(after, format=self.format) if ended else after
        return Stroke(
            seat=seat,
            strike=strike,
            before=Position(NOBODY, before),
            after=Position(NOBODY, after),
            motion=motion,
            facts=facts,
            ruling=ruling,
            laid=laid,
        )


def written(sheet: Sheet, strokes: list[Stroke]) -> list[str]:
    return [*sheet.heading(), *(line for stroke in strokes for line in sheet.entry(stroke))]


def expected(name: str) -> list[str]:
    """The lines of a sheet that was checked by hand against the laws."""
    return (SHEETS / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_doubles_with_dues_queen_and_change_of_sides() -> None:
    """The choice of side, dues, a corrected placing, the queen lost and covered, 12 points."""
    match = Umpired(DOUBLES, breaker=1)
    dues = (Laid(0, 2, (0.031, -0.024)), Laid(1, 2, (-0.05, 0.0)))
    due = (Laid(QUEEN, None, (0.0, 0.0)), Laid(9, 3, (0.04, 0.04), "114"))
    strokes = [
        match.shot("white", "white"),
        match.shot("striker", "white", laid=dues),
        match.shot(),
        match.shot("black"),
        match.shot("queen"),
        match.shot("striker", laid=due),
        match.happens(Event.TECHNICAL_FOUL, breach="114", laid=(Laid(0, 0, (-0.06, 0.013)),)),
        match.shot("queen", "white"),
        match.shot(*["white"] * 7),
        match.shot("white"),
        match.shot("white", "black", "white"),
        match.happens(Event.CONCEDE_GAME),
        match.shot(touched=False),
    ]
    names = {0: "anna", 1: "bela", 2: "chitra", 3: "bela"}
    sheet = Sheet(DOUBLES, names, toss=Toss(0, takes_break=False))
    assert written(sheet, strokes) == expected("doubles")


def test_incidents_without_a_stroke() -> None:
    """Late, slips, no room for the striker, an early break, fouls, waiving, out of turn."""
    match = Umpired(SINGLES, breaker=2)
    strokes = [
        match.happens(Event.TECHNICAL_FOUL, breach="46"),
        match.happens(Event.NO_STROKE),
        match.happens(Event.NO_STRIKER_SPACE),
        match.shot("white", event=Event.EARLY_BREAK, laid=(Laid(0, 0, (0.02, 0.04)),)),
        match.shot(
            "black",
            proper=False,
            breach="130.b",
            overboard=(1, 0),
            overboard_striker=True,
            laid=(Laid(0, None, (0.0, 0.0)), Laid(9, 2, (0.0, 0.05))),
        ),
        match.happens(Event.TECHNICAL_FOUL_OPPONENT, seat=0, breach="131"),
        match.shot("white", laid=(Laid(0, 0, (0.0, -0.04)),)),
        match.happens(Event.FOUL, breach="50"),
        match.shot("black", waive=True),
        match.happens(Event.OUT_OF_TURN, seat=2),
    ]
    sheet = Sheet(SINGLES, {0: "anna", 2: "anna"}, unit=Unit.BOARD)
    assert written(sheet, strokes) == expected("incidents")


def test_the_end_of_a_match() -> None:
    """Slam, change of sides in the last game, an extra board, a board void and replayed."""
    format = MatchFormat(board_limit=2)
    match = Umpired(format, breaker=0)
    strokes = [
        match.happens(Event.CONCEDE_GAME),
        match.happens(Event.CONCEDE_GAME),
        match.shot("white"),
        match.shot("queen"),
        match.shot("white"),
        match.shot(*["white"] * 7),
        match.happens(Event.OUT_OF_TURN, seat=0),
        match.happens(Event.VOID),
        match.shot(),
        match.happens(Event.OUT_OF_TURN, seat=0),
    ]
    sheet = Sheet(format, {0: "anna", 2: "bela"}, toss=Toss(0, takes_break=True))
    assert written(sheet, strokes) == expected("match")


def test_black_slam_and_a_board_already_begun() -> None:
    match = Umpired(SINGLES, breaker=0)
    strokes = [match.shot(), match.shot("black"), match.shot("queen"), match.shot("black")]
    strokes.append(match.shot(*["black"] * 7))
    whole = written(Sheet(SINGLES, {0: "anna", 2: "bela"}, unit=Unit.GAME), strokes)
    assert "Board 1 to bela: 12 points (9 C/m, queen 3), black slam" in whole
    later = written(Sheet(SINGLES, {0: "anna", 2: "bela"}), strokes[2:])
    assert "     begun before; on the board 9 white, 8 black, queen" in later


@pytest.mark.parametrize(
    ("last", "points"),
    [
        (("white", "black", "striker"), "bela: 2 points (flat 1, 1 claimed)"),  # 110.a
        (("black", "striker"), "bela: 2 points (1 C/m, 1 claimed)"),  # A29, U12
        (("white",), "anna: 4 points (1 C/m, queen 3)"),  # 53
    ],
)
def test_points_are_itemised(last: tuple[str, ...], points: str) -> None:
    """White holds the queen, and either side has one left."""
    match = Umpired(SINGLES, breaker=0)
    strokes = [match.shot(*fallen) for fallen in (["white"], ["queen"], ["white"] * 7, [])]
    strokes += [match.shot(*fallen) for fallen in (["black"] * 8, [], last)]
    lines = written(Sheet(SINGLES, {0: "anna", 2: "bela"}, unit=Unit.BOARD), strokes)
    assert lines[-1] == f"Board 1 to {points}"


def test_a_strike_ahead_of_the_line_says_so() -> None:
    match = Umpired(SINGLES, breaker=0)
    stroke = match.shot()
    for forward, words in ((0.012, "10.0 cm right 1.2 cm ahead  "), (-0.004, "0.4 cm behind")):
        strike = Strike(place=0.1, direction=0.5, speed=2.0, forward=forward)
        moved = dataclasses.replace(stroke, strike=strike)
        lines = Sheet(SINGLES, {0: "anna", 2: "bela"}).entry(moved)
        assert any(words in line and "28.6° left" in line for line in lines)


@pytest.mark.parametrize("names", [{0: "anna"}, {0: "anna", 1: "bela"}, {}])
def test_every_seat_needs_a_name(names: dict[int, str]) -> None:
    with pytest.raises(ConfigError, match=r"names of seats .*: expected of seats \(0, 2\)"):
        Sheet(SINGLES, names)


@pytest.mark.parametrize("doubles", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_match_as_played_is_on_its_sheet(seed: int, doubles: bool) -> None:
    """Every stroke once, every law explained once, and points that add up to the score."""
    strokes, result = played(seed, doubles)
    format = MatchFormat(doubles=doubles, board_limit=1)
    names = {seat: f"p{seat}" for seat in format.seats}
    sheet = Sheet(format, names)
    entries = [sheet.entry(stroke) for stroke in strokes]
    number = 0
    for stroke, entry in zip(strokes, entries, strict=True):
        number = 0 if any(line.startswith("     white") for line in entry) else number
        is_stroke = int(stroke.facts.event) in (Event.SHOT, Event.EARLY_BREAK)
        number += is_stroke
        (row,) = [line for line in entry if ROW.match(line)]
        assert row[:3] == (f"{number:>3}" if is_stroke else "  -")
        assert row.count("m/s") == (int(stroke.facts.event) == Event.SHOT)
        if stroke.strike is not None and "m/s" in row:
            assert f"{stroke.strike.speed:.2f} m/s" in row
            assert f"{abs(100 * stroke.strike.place):4.1f} cm" in row
        for colour, name in enumerate(("white", "black")):
            counts = re.findall(rf"(\d*) ?{name}", row)
            assert sum(int(count or 1) for count in counts) == stroke.facts.pocketed[colour]
        laid = [line for line in entry if " lays " in line]
        assert sum(line.count("(") for line in laid) == len(stroke.laid)

    lines = [line for entry in entries for line in entry]
    explained = [line for line in lines if line.startswith(" " * 13)]
    assert len(explained) == len(set(explained))
    ruled = {law for stroke in strokes for law in cited(stroke.ruling)}
    assert {f"{' ' * 13}{law:<8} {LAWS[law]}" for law in ruled} <= set(explained)

    sides = ["p0 and p2", "p1 and p3"] if doubles else ["p0", "p2"]
    assert points_of(lines, sides) == [
        tuple(int(x) for x in stroke.after.match.game.score)
        for stroke in strokes
        if stroke.ruling.game_over
    ]
    best, worst = max(result), min(result)
    assert lines[-1] == f"Match to {sides[result.index(best)]}, {best} : {worst}"


ROW = re.compile(r"[ \d]{2}[\d-]  (p\d|  )  ")
BOARD = re.compile(r"Board \d+ to (.*): (\d+) points?( \((.*)\))?")


def played(seed: int, doubles: bool) -> tuple[list[Stroke], tuple[int, int]]:
    """The strokes of a short match of random decisions, and the games won."""
    options = {"board_limit": 1, "due_placing": "agent", "striker_placing": "strict"}
    env = gym.make("CarromMatch-v0", doubles=doubles, **options).unwrapped
    assert isinstance(env, carrom.CarromEnv)
    env.action_space.seed(seed)
    env.reset(seed=seed)
    strokes: list[Stroke] = []
    over, info = False, {}
    while not over:
        _, _, terminated, truncated, info = env.step(env.action_space.sample())
        strokes += env.last_strokes
        over = terminated or truncated
    return strokes, info["result"]["points"]


def points_of(lines: list[str], sides: list[str]) -> list[tuple[int, int]]:
    """The points of each game, added up from the ends of its boards; checks their items."""
    games, points = [], [0, 0]
    for line in lines:
        if found := BOARD.match(line):
            winner, number, _, items = found.groups()
            points[sides.index(winner)] += int(number)
            if items and "at most" not in items:
                assert sum(map(int, re.findall(r"\d+", items))) == int(number)
        elif line.startswith("Game ") and " to " in line:
            games.append((points[0], points[1]))
            points = [0, 0]
    return games
