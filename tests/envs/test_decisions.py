"""Decisions that are no strikes: placing dues, waiving them, claiming points, the toss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carrom
from carrom import carrom_doubles_v0, carrom_singles_v0
from carrom.answering import place_grid
from carrom.decision import Answer, AsScripted, Claim, Kind, Placement, Request, TossChoice, Waiver
from carrom.errors import ActionError, ConfigError
from carrom.laws import Event, QueenState, StrokeFacts, due_faults_jit
from carrom.layout import Layout
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN
from carrom.play import report
from carrom.view import View

BOARD = carrom.Board()
INNER, OUTER = BOARD.placing_radii
GENTLE = Strike(place=0.0, direction=0.0, speed=0.3)
"""Moves the striker 6 cm ahead, where nothing lies: touches nothing, and loses the turn."""
IMPROPER = Strike(place=0.0, direction=0.0, speed=0.3, forward=0.04)
"""As ``GENTLE``, from off the base lines (130.a)."""


@dataclass
class Sitter:
    """A player who strikes and answers as told, and remembers what he was asked."""

    strike: Strike = GENTLE
    answers: list[Answer] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    def __call__(self, view: View, rng: np.random.Generator) -> Strike:
        return self.strike

    def decide(self, view: View, rng: np.random.Generator) -> Answer:
        self.asked.append(view.request)
        return self.answers.pop(0) if self.answers else AsScripted()


def make(opponent: Any = None, **options: Any) -> carrom.CarromEnv:
    options = {"task": "board", "due_placing": "agent", "first": "agent"} | options
    env = carrom.CarromEnv(opponent=Sitter() if opponent is None else opponent, **options)
    env.reset(seed=0)
    return env


def told_of_opponent(env: carrom.CarromEnv, facts: StrokeFacts) -> dict[str, Any]:
    """The umpire hears of a stroke of the opponent's, who has the turn; returns the info."""
    table = env._table_in_play()
    report(env._physics, table, 2, facts)
    return env._stepped(table)[4]


def assert_counts_agree(env: carrom.CarromEnv | carrom.CarromAECEnv) -> None:
    """What lies on the board is what the umpire counts."""
    table = env._table_in_play()
    if table.incident is None:
        board, layout = table.position.match.board, table.position.layout
        assert layout.counts == tuple(np.asarray(board.on_board))
        assert layout.queen_on_board == (int(board.queen) == QueenState.ON_BOARD)
        layout.check(BOARD)


def with_men(layout: Layout, places: Sequence[tuple[float, float]], first: int) -> Layout:
    """The layout with carrommen at ``places``, of the indices from ``first``."""
    for index, place in enumerate(places, first):
        layout = layout.with_piece(index, place)
    return layout


FULL_RING = [
    (0.055 * math.cos(angle), 0.055 * math.sin(angle))
    for angle in np.linspace(0, 2 * math.pi, 8, endpoint=False)
]
"""Eight carrommen between which no ninth fits inside the outer circle."""


class TestWhoIsAsked:
    """The right player, in the right order, for what is his to decide."""

    @pytest.mark.law("9", "73", "78.a", "83", "87.a", "U23", "U24")
    def test_wrongly_pocketed_ones_first_then_dues_which_alone_can_be_waived(
        self, put: Any, scattered: Any
    ) -> None:
        places = [Placement(0.05 * math.cos(a), 0.05 * math.sin(a)) for a in (0.0, 1.5, 3.1, 4.6)]
        opponent = Sitter(answers=list(places))
        env = make(opponent)
        put(env, layout=scattered(5, 6), owed=(1, 0))
        # 73: both own come out, and a due; one more was owed. The turn is kept.
        *_, info = env.report(StrokeFacts.shot(pocketed=(2, 0), striker=True))
        assert [(r.left, r.may_waive) for r in opponent.asked] == [
            (4, False),
            (3, False),
            (2, True),
            (1, False),
        ]
        for request in opponent.asked:
            assert (request.kind, request.by, request.own_carromman) == (Kind.PLACE, 0, False)
            assert request.turn == 2
        assert info["decision"] == "strike"
        laid = env.last_strokes[0].laid
        assert [piece.seat for piece in laid] == [2] * 4
        # To the last bit where he wished, seen from his side.
        assert [piece.place for piece in laid] == [(-p.x + 0.0, -p.y + 0.0) for p in places]
        assert env.layout().counts == (5 - 2 + 4, 6)
        assert_counts_agree(env)

    @pytest.mark.law("93", "98.a", "U24")
    def test_the_umpire_lays_the_queen_before_the_player_is_asked(
        self, put: Any, scattered: Any
    ) -> None:
        opponent = Sitter()
        env = make(opponent)
        put(env)
        env.report(StrokeFacts.shot(pocketed=(1, 0), queen=True, striker=True))
        laid = env.last_strokes[0].laid
        assert [(piece.index, piece.seat) for piece in laid[:1]] == [(QUEEN, None)]
        assert [piece.seat for piece in laid] == [None, 2, 2]
        assert laid[0].place == pytest.approx((0, 0), abs=1e-6)
        assert [request.left for request in opponent.asked] == [2, 1]

    @pytest.mark.law("65.a", "65.b", "U24")
    def test_the_umpire_lays_what_jumped_before_the_player_is_asked(
        self, put: Any, scattered: Any
    ) -> None:
        opponent = Sitter()
        env = make(opponent)
        put(env)
        env.report(StrokeFacts.shot(overboard=(0, 1), overboard_queen=True, striker=True))
        laid = env.last_strokes[0].laid
        assert [piece.seat for piece in laid] == [None, None, 2]
        places = {piece.index: np.array(piece.place) for piece in laid}
        assert places[QUEEN] == pytest.approx((0, 0), abs=1e-6)
        # 65.b: touching her on the side away from the next player, who sits opposite.
        assert places[9] == pytest.approx((0, -BOARD.carromman_diameter), abs=1e-5)
        assert_counts_agree(env)

    @pytest.mark.law("78.b.ii")
    def test_a_player_who_makes_the_opponents_due_available_lays_it(
        self, put: Any, scattered: Any
    ) -> None:
        env = make()
        put(env, layout=scattered(6, 9), owed=(0, 1))
        *_, info = env.report(StrokeFacts.shot(pocketed=(1, 1)))
        assert info["decision"] == "place"
        request = env.view().request
        assert (request.by, request.turn, request.own_carromman) == (0, 0, False)
        *_, info = env.answer(Placement(0.0, -0.05))
        assert info["decision"] == "strike"
        assert env.last_strokes[0].laid[0].place == (0.0, -0.05)
        assert env.view().turn_begun
        assert_counts_agree(env)

    def test_players_that_cannot_decide_place_as_scripted(self, put: Any) -> None:
        layouts = []
        for opponent, how in ((_strikes, "agent"), (Sitter(), "agent"), (_strikes, "scripted")):
            env = make(opponent, due_placing=how)
            put(env)
            env.report(StrokeFacts.shot(striker=True))
            layouts.append(env.last_strokes[0].after.layout)
        assert layouts[0] == layouts[1] == layouts[2]
        assert layouts[0].counts == (7, 6)

    @pytest.mark.parametrize(
        ("answer", "complaint"),
        [
            (None, "expected a carrom Placement or Waiver"),
            (GENTLE, "expected a carrom Placement or Waiver"),
            (Claim(1), "expected a carrom Placement or Waiver"),
            (Placement(math.nan, 0.0), "finite"),
            (Placement(0.0, math.inf), "finite"),
            (Waiver(), "87.a"),
        ],
    )
    def test_wrong_answers_of_players(self, put: Any, answer: Any, complaint: str) -> None:
        env = make(Sitter(answers=[answer]))
        put(env)
        with pytest.raises(ConfigError, match=f"player of seat 2: .*{complaint}"):
            env.report(StrokeFacts.shot(pocketed=(1, 0), striker=True))

    def test_wrong_answers_of_the_agent_change_nothing(self, put: Any, scattered: Any) -> None:
        env = make()
        put(env, seat=2, layout=scattered(6, 6))
        # 73 for black: one wrongly pocketed, one due.
        told_of_opponent(env, StrokeFacts.shot(pocketed=(0, 1), striker=True))
        before = env.layout(), env.view().request
        for answer, complaint in (
            (GENTLE, "expected a carrom Placement"),
            (Waiver(), "87.a"),
            (Placement(math.nan, 0.0), "finite"),
        ):
            with pytest.raises(ActionError, match=complaint):
                env.answer(answer)
            assert (env.layout(), env.view().request) == before
        with pytest.raises(ActionError, match=r"decision = 'place'"):
            env.report(Event.CONCEDE_MATCH)
        assert (env.layout(), env.view().request) == before


def _strikes(view: View, rng: np.random.Generator) -> Strike:
    return GENTLE


def charge_of(env: carrom.CarromEnv) -> tuple[Event, str, tuple[int, int]]:
    """The second incident of the last step: its event, its first words, the penalties."""
    stroke = env.last_strokes[1]
    penalties = np.asarray(stroke.ruling.penalties_charged).tolist()
    return Event(int(stroke.facts.event)), " ".join(stroke.sentences), (penalties[0], penalties[1])


DIAGONAL, NARROW = math.pi / 4, math.asin(BOARD.pocket_radius / (BOARD.pocket_offset * 2**0.5))
"""Direction of a pocket from the centre, and half the angle under which it is seen from there."""
IN_RING = (0.05, 0.0)
ILLEGAL = [
    # Where the queen lies, another carromman, the wish, where the carromman comes to lie, law.
    (False, None, (0.09, 0.0), (OUTER, 0.0), "85"),
    (False, None, (0.06, 0.08), (0.6 * OUTER, 0.8 * OUTER), "85"),
    (False, None, (0.02, 0.0), (INNER, 0.0), "89.b"),
    (False, IN_RING, (0.05, 0.01), (0.05, BOARD.carromman_diameter), "86"),
    (
        True,
        None,
        (0.05 * math.cos(DIAGONAL - 0.01), 0.05 * math.sin(DIAGONAL - 0.01)),
        tuple(0.05 * math.cos(NARROW - 0.01) * f(DIAGONAL - NARROW) for f in (math.cos, math.sin)),
        "114",
    ),
]


class TestIllegalPlaces:
    """Corrected to the nearest legal place, and charged to the placer."""

    @pytest.mark.law("64.a", "78.b.ii", "84.a", "85", "86", "89.b", "114", "A26", "A27")
    @pytest.mark.parametrize(("queen", "man", "wish", "place", "law"), ILLEGAL)
    def test_after_a_stroke_of_his_turn_it_is_a_foul(
        self,
        put: Any,
        scattered: Any,
        queen: bool,
        man: tuple[float, float] | None,
        wish: tuple[float, float],
        place: tuple[float, float],
        law: str,
    ) -> None:
        env = make()
        layout = scattered(5, 9, queen)
        if man:
            layout = with_men(layout, [man], first=8)
        held = QueenState.ON_BOARD if queen else QueenState.COVERED_WHITE
        put(env, layout=layout, owed=(0, 1), queen=held)
        env.report(StrokeFacts.shot(pocketed=(1, 1)))
        step = env.answer(Placement(*wish))
        (laid,) = env.last_strokes[0].laid
        assert laid.place == pytest.approx(place, abs=5e-6)
        assert laid.breach == law
        event, words, penalties = charge_of(env)
        assert (event, penalties) == (Event.FOUL, (1, 0))
        assert f"{law}:" in words
        assert "64.a:" in words
        # The turn is lost: the opponent strikes next.
        assert env.last_strokes[2].seat == 2
        assert step[4]["reward_terms"]["penalty"] == -1.0
        assert_counts_agree(env)

    @pytest.mark.law("63.b", "85")
    def test_without_the_turn_it_is_a_technical_foul_that_leaves_the_turn(
        self, put: Any, scattered: Any
    ) -> None:
        opponent = Sitter()
        env = make(opponent)
        put(env, layout=scattered(6, 9), owed=(0, 1))
        # 125.a: only the opponent's was pocketed, so the turn is his now.
        env.report(StrokeFacts.shot(pocketed=(0, 1)))
        env.answer(Placement(0.0, 0.1))
        event, words, penalties = charge_of(env)
        assert (event, penalties) == (Event.TECHNICAL_FOUL_OPPONENT, (1, 0))
        assert "63.b:" in words
        assert [request.kind for request in opponent.asked] == [Kind.PLACE]
        assert env.last_strokes[2].seat == 2
        assert env.layout().counts == (7, 9)

    @pytest.mark.law("63.a", "86")
    def test_before_his_first_stroke_it_is_a_technical_foul_that_keeps_the_turn(
        self, put: Any, scattered: Any
    ) -> None:
        opponent = Sitter(IMPROPER)
        env = make(opponent, striker_placing="strict")
        put(env, seat=0)
        env.answer(GENTLE)
        assert env.view().request.kind is Kind.PLACE
        assert env.view().request.turn == 0
        *_, info = env.answer(Placement(0.0, 0.2))
        event, words, penalties = charge_of(env)
        assert (event, penalties) == (Event.TECHNICAL_FOUL, (1, 0))
        assert "63.a:" in words
        assert info["decision"] == "strike"
        assert not env.view().turn_begun
        assert env.layout().counts == (7, 7)

    @pytest.mark.law("63.b", "83", "85")
    def test_each_of_several_is_charged(self, put: Any, scattered: Any) -> None:
        outside = Placement(0.2, 0.2)
        opponent = Sitter(answers=[outside, outside])
        env = make(opponent)
        put(env, layout=scattered(5, 5))
        env.report(StrokeFacts.shot(pocketed=(1, 0), striker=True))
        # The agent keeps the turn, and now lays the two penalties one by one.
        for left in (1, 1):
            request = env.view().request
            assert (request.kind, request.left) == (Kind.PLACE, left)
            *_, info = env.answer(AsScripted())
        assert info["decision"] == "strike"
        assert env.layout().counts == (6, 7)
        assert_counts_agree(env)

    @settings(max_examples=60, deadline=None)
    @given(
        wish=st.tuples(*[st.floats(-0.1, 0.1)] * 2),
        men=st.lists(st.tuples(st.floats(0.032, 0.09), st.floats(0, 6.28)), max_size=6),
        rotation=st.integers(0, 3),
    )
    @pytest.mark.law("85", "86", "89.b", "114")
    def test_no_legal_place_is_nearer(
        self,
        put: Any,
        scattered: Any,
        wish: tuple[float, float],
        men: list[tuple[float, float]],
        rotation: int,
    ) -> None:
        layout, kept = scattered(4, 9), []
        for radius, angle in men:
            spot = radius * math.cos(angle), radius * math.sin(angle)
            if not overlaps(layout, spot) and len(kept) < 4:
                kept.append(spot)
                layout = layout.with_piece(4 + len(kept), spot)
        env = SHARED
        env.reset(seed=0)
        put(env, layout=layout, owed=(0, 1), match={"rotation": rotation})
        *_, info = env.report(StrokeFacts.shot(pocketed=(0, 1)))
        if info["decision"] != "place":
            return
        before = env.layout()
        env.answer(Placement(*wish))
        laid = env.last_strokes[0].laid[0]
        # The player's frame, turned counter-clockwise with him.
        at = complex(*wish) * 1j**rotation
        legal = legal_by_drawing(before, ring_points())
        if laid.breach is None:
            assert laid.place == (at.real + 0.0, at.imag + 0.0)
            return
        moved = abs(complex(*laid.place) - at)
        assert moved <= np.abs(legal - at).min() + 1e-5
        assert due_faults_jit(before, laid.place, board=BOARD) == ()


SHARED = carrom.CarromEnv("board", opponent=Sitter(), due_placing="agent", first="agent")
"""One environment for many examples: it is reset before each."""


def overlaps(layout: Layout, spot: tuple[float, float], reach: float | None = None) -> bool:
    gaps = np.hypot(*(layout.positions[layout.on_board] - spot).T)
    return bool(np.any(gaps < (BOARD.carromman_diameter if reach is None else reach)))


def ring_points() -> np.ndarray:
    """Places in the ring for dues, complex."""
    radius, angle = np.meshgrid(
        np.linspace(INNER + 1e-5, OUTER - 1e-5, 40), np.linspace(0, 2 * math.pi, 300)
    )
    return (radius * np.exp(1j * angle)).ravel()


def legal_by_drawing(layout: Layout, points: np.ndarray) -> np.ndarray:
    """Those of ``points`` where a due may surely lie: drawn here anew, with a hair to spare."""
    men = layout.positions[layout.on_board] @ [1, 1j]
    free = np.abs(points[:, None] - men).min(axis=1) > BOARD.carromman_diameter + 1e-5
    queen = complex(*layout.positions[QUEEN])
    offset = BOARD.pocket_offset
    shot = np.zeros(len(points), bool)
    for pocket in (offset * (sx + 1j * sy) for sx in (1, -1) for sy in (1, -1)):
        along = (points - queen) / np.abs(points - queen)
        shot |= np.abs(((pocket - queen) * along.conjugate()).imag) < BOARD.pocket_radius + 1e-5
    return points[free & ~shot]


class TestWaiving:
    """All of the dues and penalties, or none (87.a)."""

    @pytest.mark.law("80", "87.a", "A15")
    def test_all_are_forgiven_at_once(self, put: Any, scattered: Any) -> None:
        opponent = Sitter(answers=[Waiver()])
        env = make(opponent)
        put(env, layout=scattered(5, 5), owed=(2, 1))
        *_, info = env.report(StrokeFacts.shot(striker=True))
        assert [(r.left, r.may_waive) for r in opponent.asked] == [(3, True)]
        # Black's due is the agent's to lay, and still is.
        assert info["decision"] == "place"
        *_, info = env.answer(AsScripted())
        assert info["decision"] == "strike"
        stroke = env.last_strokes[0]
        assert stroke.ruling.waived.tolist() == [3, 0]
        assert stroke.after.match.board.owed.tolist() == [0, 0]
        assert any(sentence.startswith("87.a") for sentence in stroke.sentences)
        assert info["reward_terms"]["waived"] == 3.0
        assert env.layout().counts == (5, 6)
        assert_counts_agree(env)

    @pytest.mark.law("87.a", "A15")
    def test_not_once_one_of_them_has_been_laid(self, put: Any, scattered: Any) -> None:
        env = make()
        put(env, seat=2, layout=scattered(5, 5), owed=(0, 1))
        told_of_opponent(env, StrokeFacts.shot(striker=True))
        assert env.view().request.may_waive
        env.answer(Placement(0.05, 0.0))
        assert (env.view().request.left, env.view().request.may_waive) == (1, False)
        with pytest.raises(ActionError, match=r"87\.a"):
            env.answer(Waiver())
        # As an action, the wish to waive is passed over, and the place counts.
        action = SHARED.action_space.sample() | {
            "waive": 1,
            "place": np.array([-0.5, 0.0], np.float32),
        }
        env.step(action)
        assert env.last_strokes[0].laid[1].place == (-0.05, 0.0)
        assert env.layout().counts == (5, 7)

    @pytest.mark.law("U23", "U28", "79.a")
    def test_wrongly_pocketed_ones_that_waited_for_room_are_laid_all_the_same(
        self, put: Any, scattered: Any
    ) -> None:
        opponent = Sitter(answers=[Placement(0.05, 0.0), Waiver()])
        env = make(opponent)
        put(env, layout=scattered(5, 5), owed=(3, 0), stranded=(1, 0))
        env.report(StrokeFacts.shot())
        assert [(r.left, r.may_waive) for r in opponent.asked] == [(3, False), (2, True)]
        ruling = env.last_strokes[0].ruling
        assert ruling.waived.tolist() == [2, 0]
        assert ruling.dues_paid.tolist() == [1, 0]
        assert env.layout().counts == (6, 5)
        assert_counts_agree(env)


class TestRoom:
    """What finds no room waits, and is laid as soon as there is some (79.a, 81)."""

    @pytest.mark.law("79.a", "81", "U28")
    def test_nobody_is_asked_until_there_is_room(self, put: Any, scattered: Any) -> None:
        opponent = Sitter()
        env = make(opponent)
        layout = with_men(scattered(5, 0), FULL_RING, first=9)
        put(env, layout=layout)
        *_, info = env.report(StrokeFacts.shot(pocketed=(1, 0), striker=True))
        assert opponent.asked == []
        assert info["decision"] == "strike"
        stroke = env.last_strokes[0]
        assert stroke.laid == ()
        board = stroke.after.match.board
        assert (board.owed.tolist(), board.stranded.tolist()) == ([2, 0], [1, 0])
        assert any(sentence.startswith("79.a") for sentence in stroke.sentences)
        assert_counts_agree(env)
        # One in the ring falls; he is asked at once, and fills the gap.
        opponent.answers = [Placement(-0.055, 0.0)]
        env.report(StrokeFacts.shot(pocketed=(1, 1)))
        assert [(r.left, r.may_waive) for r in opponent.asked] == [(2, False)]
        board = env.last_strokes[0].after.match.board
        assert (board.owed.tolist(), board.stranded.tolist()) == ([1, 0], [0, 0])
        assert env.layout().counts == (4, 7)
        assert_counts_agree(env)


class TestMasks:
    """With ``illegal_placing="masked"`` what the laws forbid cannot be chosen."""

    @settings(max_examples=12, deadline=None)
    @given(
        men=st.lists(st.tuples(*[st.floats(-0.12, 0.12)] * 2), max_size=10),
        queen=st.tuples(*[st.floats(-0.3, 0.3)] * 2),
        rotation=st.integers(0, 3),
    )
    @pytest.mark.law("84.a", "85", "86", "89.b", "114")
    def test_allow_exactly_what_has_no_fault(
        self,
        put: Any,
        men: list[tuple[float, float]],
        queen: tuple[float, float],
        rotation: int,
    ) -> None:
        layout = Layout(np.zeros((19, 2)), np.zeros(19, bool)).with_piece(QUEEN, queen)
        count = 0
        for spot in men:
            if not overlaps(layout, spot) and count < 7:
                layout, count = layout.with_piece(count, spot), count + 1
        layout = with_men(layout, [(0.3, 0.2), (0.3, 0.1)], first=9)
        env = MASKED
        env.reset(seed=0)
        put(env, layout=layout, owed=(0, 2), match={"rotation": rotation})
        *_, info = env.report(StrokeFacts.shot())
        if info["decision"] != "place":
            assert not env.last_strokes[0].laid
            return
        mask = info["action_mask"]["place"]
        grid = place_grid(BOARD)
        assert len(mask) == len(grid) + 2
        now = env.layout()
        turned = (grid @ [1, 1j]) * 1j**rotation
        faults = [due_faults_jit(now, (p.real, p.imag), board=BOARD) for p in turned]
        assert mask[:-2].tolist() == [not broken for broken in faults]
        assert mask[-2:].tolist() == [1, 1]

    @pytest.mark.law("87.a", "U23")
    def test_of_waiving(self, put: Any, scattered: Any) -> None:
        for illegal in ("charged", "masked"):
            env = make(illegal_placing=illegal)
            put(env, seat=2, layout=scattered(5, 5), owed=(0, 1))
            info = told_of_opponent(env, StrokeFacts.shot(pocketed=(0, 1), striker=True))
            seen = []
            while info["decision"] == "place":
                mask = info["action_mask"]
                seen.append(bool(mask["place"][-1] if illegal == "masked" else mask["waive"][1]))
                *_, info = env.answer(AsScripted())
            assert seen == [False, True, False]

    def test_a_masked_choice_is_refused_and_changes_nothing(self, put: Any, scattered: Any) -> None:
        env = make(illegal_placing="masked")
        put(env, seat=2, layout=scattered(5, 5))
        info = told_of_opponent(env, StrokeFacts.shot(pocketed=(0, 1), striker=True))
        mask = info["action_mask"]["place"]
        state, action = env.get_state(), env.action_space.sample(info["action_mask"])
        before = env.layout()
        for number in [*np.flatnonzero(mask == 0)[:3], len(mask) - 1]:
            with pytest.raises(ActionError, match=rf"action\['place'\] = {number}"):
                env.step(action | {"place": number})
        assert env.layout() == before
        wanted = env.step(action)
        env.set_state(state)
        again = env.step(action)
        assert np.array_equal(wanted[0], again[0])
        assert wanted[1:4] == again[1:4]

    def test_a_masked_choice_on_one_of_many_boards(self) -> None:
        options: dict[str, Any] = {
            "due_placing": "agent",
            "illegal_placing": "masked",
            "striker_placing": "strict",
            "opponent": _improper,
            "first": "agent",
        }
        here, elsewhere = (
            gym.make_vec("CarromBoard-v0", num_envs=2, workers=count, **options).unwrapped
            for count in (1, 2)
        )
        assert isinstance(here, carrom.CarromVectorEnv)
        assert isinstance(elsewhere, carrom.CarromVectorEnv)
        try:
            here.single_action_space.seed(1)
            for env in (here, elsewhere):
                env.reset(seed=0)
            # What nobody could do is refused before any worker plays.
            with pytest.raises(ActionError, match="finite"):
                elsewhere.answer([GENTLE, Strike(0.0, math.nan, 1.0)])
            refused = {0: 0, 1: 0}
            while min(refused.values()) < 2:
                views, actions = here.views(), sampled(here)
                for board, view in enumerate(views):
                    mask = here.coding.mask(view)
                    assert mask is not None
                    illegal = np.flatnonzero(mask["place"] == 0)
                    if not len(illegal):
                        continue
                    spoilt = actions | {"place": actions["place"].copy()}
                    spoilt["place"][board] = illegal[0]
                    # One of them is asked what it must refuse; both go on alike.
                    with pytest.raises(ActionError, match="place"):
                        (here, elsewhere)[refused[board] % 2].step(spoilt)
                    refused[board] += 1
                steps = here.step(actions), elsewhere.step(actions)
                for one, other in zip(steps[0][:4], steps[1][:4], strict=True):
                    assert np.array_equal(one, other)
        finally:
            elsewhere.close()


MASKED = carrom.CarromEnv(
    "board", opponent=Sitter(), due_placing="agent", first="agent", illegal_placing="masked"
)
"""As ``SHARED``."""


def _improper(view: View, rng: np.random.Generator) -> Strike:
    return IMPROPER


def sampled(env: carrom.CarromVectorEnv) -> dict[str, np.ndarray]:
    """An action for every board that its mask allows."""
    actions = [env.single_action_space.sample(env.coding.mask(view)) for view in env.views()]
    return {name: np.stack([action[name] for action in actions]) for name in actions[0]}


class TestClaims:
    """Extra points at the end of a board (87.b)."""

    # Own last and the striker, the queen still there: the opponent has 3 and claims 1.
    LAST = StrokeFacts.shot(pocketed=(1, 0), striker=True)
    BLACK_LAST = StrokeFacts.shot(pocketed=(0, 1), striker=True, proper=False)

    @pytest.mark.law("87.b", "108.a")
    @pytest.mark.parametrize(("claims", "points"), [("always", 4), ("never", 3)])
    def test_scripted(self, put: Any, scattered: Any, claims: str, points: int) -> None:
        env = make(claims=claims)
        put(env, layout=scattered(1, 4))
        *_, info = env.report(self.LAST)
        assert info["result"] == {"winner": "opponent", "points": (0, points)}

    @pytest.mark.law("87.b", "108.a")
    @pytest.mark.parametrize(
        ("answer", "points"), [(Claim(0), 3), (Claim(1), 4), (AsScripted(), 4)]
    )
    def test_by_the_opponent(self, put: Any, scattered: Any, answer: Answer, points: int) -> None:
        opponent = Sitter(answers=[answer])
        env = make(opponent, claims="agent")
        put(env, layout=scattered(1, 4))
        _, reward, terminated, _, info = env.report(self.LAST)
        assert terminated
        assert info["result"] == {"winner": "opponent", "points": (0, points)}
        assert [(r.kind, r.claims, r.by) for r in opponent.asked] == [(Kind.CLAIM, 1, 0)]
        # Over the board so far three carrommen more than the opponent are down.
        assert reward == -points - 3

    @pytest.mark.law("87.b", "108.b")
    @pytest.mark.parametrize("claimed", [0, 1, 2])
    def test_by_the_agent_in_whole_or_in_part(self, put: Any, scattered: Any, claimed: int) -> None:
        env = make(claims="agent")
        put(env, seat=2, layout=scattered(4, 1))
        info = told_of_opponent(env, self.BLACK_LAST)
        assert info["decision"] == "claim"
        assert "result" not in info
        assert info["action_mask"]["claim"].tolist() == [1, 1, 1]
        for points in (-1, 3, 1.5):
            with pytest.raises(ActionError, match=f"claim = {points}: expected .* 0 to 2"):
                env.answer(Claim(points))  # pyright: ignore[reportArgumentType] -- a bad one
        action = env.action_space.sample() | {"claim": claimed}
        _, _, terminated, _, info = env.step(action)
        assert terminated
        assert info["decision"] == "none"
        assert info["result"] == {"winner": "own", "points": (3 + claimed, 0)}

    @pytest.mark.law("55", "111.b", "A8")
    @pytest.mark.parametrize(("left", "points"), [(9, 12), (8, 12), (7, 12), (6, 11)])
    def test_never_more_than_twelve(self, put: Any, scattered: Any, left: int, points: int) -> None:
        env = make(claims="agent")
        put(env, seat=2, breaker=2, layout=scattered(left, 1))
        # Seat 2 has white here, and pockets the last black one with the striker, improperly.
        info = told_of_opponent(env, self.BLACK_LAST)
        assert info["decision"] == "claim"
        *_, info = env.answer(Claim(2))
        assert info["result"] == {"winner": "own", "points": (points, 0)}

    @pytest.mark.law("87.b")
    @pytest.mark.parametrize("doubles", [False, True])
    def test_where_every_seat_is_an_agent_the_next_player_claims(
        self, put: Any, tell: Any, scattered: Any, doubles: bool
    ) -> None:
        module = carrom_doubles_v0 if doubles else carrom_singles_v0
        env = module.raw_env(task="game", claims="agent", reward="points")
        env.reset(seed=0)
        put(env, seat=2, breaker=2, layout=scattered(1, 4))
        tell(env, self.LAST)
        claimant = 3 if doubles else 0
        assert env.agent_selection == f"player_{claimant}"
        mask = env.infos[env.agent_selection]["action_mask"]
        assert mask["claim"].tolist() == [1, 1, 0]
        # More than there are means all of them.
        action = env.action_space(env.agent_selection).sample() | {"claim": 2}
        env.step(action)
        assert env.rewards[f"player_{claimant}"] == 4.0
        assert env.layout().counts == (9, 9)


class TestToss:
    """Who breaks (39, 42)."""

    @pytest.mark.law("39.a", "39.c", "42", "43")
    @pytest.mark.parametrize("toss", ["break", "side"])
    def test_scripted(self, toss: str) -> None:
        winners = set()
        for seed in range(12):
            env = carrom.CarromEnv("board", toss=toss, opponent=_strikes, max_strokes=9)
            observation, info = env.reset(seed=seed)
            winner = info["toss"]["winner"]
            winners.add(winner)
            assert info["toss"]["choice"] == toss
            agent_breaks = (winner == "own") == (toss == "break")
            # 43: who breaks has white.
            assert observation[69] == agent_breaks
            assert env.last_strokes == () if agent_breaks else env.last_strokes[0].seat == 2
        assert winners == {"own", "opponent"}

    def test_there_is_none_if_it_is_said_who_breaks(self) -> None:
        env = carrom.CarromEnv("board", first="agent", toss="agent")
        _, info = env.reset(seed=0)
        assert "toss" not in info
        assert info["decision"] == "strike"

    @pytest.mark.law("39.a", "39.c", "42", "43")
    @pytest.mark.parametrize("takes_break", [False, True])
    def test_by_whoever_won_it(self, takes_break: bool) -> None:
        winners = set()
        for seed in range(12):
            opponent = Sitter(answers=[TossChoice(takes_break)])
            env = carrom.CarromEnv("board", toss="agent", opponent=opponent)
            observation, info = env.reset(seed=seed)
            winner = info["toss"]["winner"]
            winners.add(winner)
            if winner == "own":
                assert info["decision"] == "toss"
                assert info["toss"]["choice"] is None
                observation, *_ = env.step(env.action_space.sample() | {"toss": int(takes_break)})
                assert opponent.asked == []
            else:
                assert [request.kind for request in opponent.asked] == [Kind.TOSS]
                assert info["toss"]["choice"] == ("break" if takes_break else "side")
            agent_breaks = (winner == "own") == takes_break
            assert observation[69] == agent_breaks
            strokes = env.last_strokes
            assert strokes == () if agent_breaks else strokes[0].seat == 2
        assert winners == {"own", "opponent"}

    @pytest.mark.law("39.b", "39.c", "49.b")
    @pytest.mark.parametrize("takes_break", [False, True])
    def test_in_doubles_the_pair_of_the_winner_or_the_next_player(self, takes_break: bool) -> None:
        winners = set()
        for seed in range(16):
            env = carrom_doubles_v0.raw_env(task="board", toss="agent")
            env.reset(seed=seed)
            winner = env.possible_agents.index(env.agent_selection)
            winners.add(winner)
            action = env.action_space(env.agent_selection).sample() | {"toss": int(takes_break)}
            env.step(action)
            breaker = winner if takes_break else (winner + 1) % 4
            assert env.agent_selection == f"player_{breaker}"
            for seat in range(4):
                assert env.observe(f"player_{seat}")[69] == ((seat - breaker) % 2 == 0)
        assert winners == {0, 1, 2, 3}


@pytest.mark.parametrize("module", [carrom_singles_v0, carrom_doubles_v0])
@pytest.mark.parametrize("illegal", ["charged", "masked"])
def test_random_play_keeps_what_lies_there_and_what_is_counted_together(
    module: Any, illegal: str
) -> None:
    env = module.raw_env(
        task="board",
        due_placing="agent",
        claims="agent",
        illegal_placing=illegal,
        striker_placing="strict",
        max_cycles=400,
    )
    env.reset(seed=4)
    for index, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(index)
    kinds: set[str] = set()
    while not (any(env.terminations.values()) or any(env.truncations.values())):
        info = env.infos[env.agent_selection]
        kinds.add(info["decision"])
        env.step(env.action_space(env.agent_selection).sample(info["action_mask"]))
        assert_counts_agree(env)
    assert {"strike", "place"} <= kinds
