"""Strikers set where they must not stand, the decision clock, and what only words can tell."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import carrom
from carrom import carrom_doubles_v0, carrom_singles_v0
from carrom.baseline import free_places
from carrom.boards import Boards
from carrom.decision import Kind, Placement
from carrom.drawing import Drawing
from carrom.errors import ActionError, ConfigError, FactsError
from carrom.laws import Event, QueenState, StrokeFacts
from carrom.layout import Layout
from carrom.nets import EMPTY, Nets
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN
from carrom.table import Stroke
from carrom.view import View

BOARD = carrom.Board()
LINE, REACH = BOARD.base_line_y, BOARD.striker_radius + BOARD.carromman_radius
GENTLE = Strike(place=0.0, direction=0.0, speed=0.3)
"""Moves the striker 6 cm ahead, where nothing lies: touches nothing, and loses the turn."""
AHEAD = np.array([0.0, 0.0, -0.9, 0.0], np.float32)
"""About the same, as a strict action."""


def strikes(view: View, rng: np.random.Generator) -> Strike:
    return GENTLE


def make(**options: Any) -> carrom.CarromEnv:
    options = {"task": "board", "opponent": strikes, "first": "agent"} | options
    env = carrom.CarromEnv(**options)
    env.reset(seed=0)
    return env


def first_stroke(
    env: carrom.CarromEnv | carrom.CarromAECEnv,
) -> tuple[Event, bool, list[int], bool, str]:
    """Event, proper, penalties, turn lost and words of the first stroke of the last step."""
    stroke = env.last_strokes[0]
    facts, ruling = stroke.facts, stroke.ruling
    return (
        Event(int(facts.event)),
        bool(facts.proper),
        np.asarray(ruling.penalties_charged).tolist(),
        bool(ruling.turn_lost),
        " ".join(stroke.sentences),
    )


def end(x: float) -> float:
    """The action that sets the striker at ``x``."""
    return x / (BOARD.base_line_length / 2)


class TestStrictStrikers:
    """Every breach that an action can commit, by its place alone."""

    @pytest.mark.law("130.a", "130.b", "64.a")
    @pytest.mark.parametrize(
        ("x", "forward", "law"),
        [
            # Forward by more than the lower line is thick and the striker reaches back.
            (0.0, 0.011, "130.a"),
            (0.0, -0.006, "130.a"),
            (0.1, 0.05, "130.a"),
            (-0.1, -0.05, "130.a"),
            # A base circle covered partly, from within and from beyond.
            (BOARD.base_circle_x - 0.01, 0.0, "130.b"),
            (-BOARD.base_circle_x + 0.03, 0.0, "130.b"),
            # The circle covered, but the arrow touched: 0.0214 m from the diagonal at least.
            (BOARD.base_circle_x + 0.004, 0.0, "130.b"),
            (-BOARD.base_circle_x - 0.004, 0.0, "130.b"),
        ],
    )
    def test_improper_strokes(self, put: Any, x: float, forward: float, law: str) -> None:
        env = make(striker_placing="strict")
        put(env)
        action = np.array([end(x), 0.0, -0.9, forward / 0.05], np.float32)
        *_, info = env.step(action)
        event, proper, penalties, lost, words = first_stroke(env)
        assert (event, proper, penalties, lost) == (Event.SHOT, False, [1, 0], True)
        assert f"{law}:" in words
        assert "64.a:" in words
        assert not info["facts"]["proper"]
        assert info["reward_terms"]["penalty"] == -1.0
        # A penalty is paid at once: six had been left.
        assert env.last_strokes[0].after.layout.counts == (7, 6)

    @pytest.mark.law("130.a", "130.b")
    @pytest.mark.parametrize(
        ("x", "forward"),
        [
            (0.0, 0.0),
            (0.0, 0.009),
            (0.0, -0.0045),
            (0.182, 0.0),
            (BOARD.base_circle_x, 0.0),
            (-BOARD.base_circle_x - 0.0008, 0.0),
        ],
    )
    def test_proper_places(self, put: Any, x: float, forward: float) -> None:
        env = make(striker_placing="strict")
        put(env)
        action = np.array([end(x), 0.0, -0.9, forward / 0.05], np.float32)
        *_, info = env.step(action)
        assert info["facts"]["proper"]
        assert info["reward_terms"]["penalty"] == 0.0
        strike = env.last_strokes[0].strike
        assert strike is not None
        assert (strike.place, strike.forward) == pytest.approx((x, forward), abs=1e-7)

    @pytest.mark.law("130.a")
    def test_the_target_coding_has_the_same_reach(self, put: Any) -> None:
        env = make(striker_placing="strict", action_coding="target")
        put(env)
        *_, info = env.step({"shot": 0, "residual": np.array([0, 0, 0, 0.5], np.float32)})
        assert not info["facts"]["proper"]
        assert any(sentence.startswith("breach of 130.a") for sentence in info["ruling"])

    @pytest.mark.law("134", "63.a", "64.a")
    @pytest.mark.parametrize("begun", [False, True])
    @pytest.mark.parametrize("index", [0, 9, QUEEN])
    def test_a_striker_set_onto_a_carromman(
        self, put: Any, scattered: Any, begun: bool, index: int
    ) -> None:
        env = make(striker_placing="strict")
        lying = scattered().with_piece(index, (0.1, LINE + REACH - 0.001))
        put(env, layout=lying, strokes_in_turn=int(begun))
        *_, info = env.step(np.array([end(0.1), 0.0, 1.0, 0.0], np.float32))
        event, _, penalties, lost, words = first_stroke(env)
        assert event == (Event.FOUL if begun else Event.TECHNICAL_FOUL)
        assert (penalties, lost) == ([1, 0], begun)
        assert "134:" in words
        assert ("64.a:" if begun else "63.a:") in words
        stroke = env.last_strokes[0]
        assert stroke.motion is None
        there = lying.on_board
        assert np.array_equal(stroke.after.layout.positions[there], lying.positions[there])
        assert not info["facts"]["proper"]
        # Beside it, a millimetre further, it may stand.
        put(env, layout=lying)
        *_, info = env.step(np.array([end(0.1), 1.0, -0.9, -0.0015 / 0.05], np.float32))
        assert info["facts"]["proper"]

    @pytest.mark.law("127.b", "127.a")
    def test_a_slip_is_no_stroke(self, put: Any) -> None:
        env = make(striker_placing="strict")
        put(env, idle_turns=1, strokes_in_turn=0)
        before = env.get_state().table
        assert before is not None
        weak = np.array([0.0, 0.0, -1.0, 0.0], np.float32)
        for speed in (-1.0, -0.99, -0.98):
            weak[2] = speed
            _, reward, *_, info = env.step(weak)
            event, _, penalties, lost, words = first_stroke(env)
            assert (event, penalties, lost) == (Event.NO_STROKE, [0, 0], False)
            assert "127.b:" in words
            assert reward == 0.0
            assert info["strokes"] == 1
            assert env.layout() == before.position.layout
            assert env.view().idle_turns == 1
            assert not env.view().turn_begun
        # Once the striker leaves the lines it is a stroke, touch or no touch.
        env.step(AHEAD)
        assert first_stroke(env)[0] == Event.SHOT

    @pytest.mark.law("45.a", "127.b")
    def test_a_slip_is_no_attempt_at_the_break(self) -> None:
        env = make(striker_placing="strict")
        env.step(np.array([0.0, 0.0, -1.0, 0.0], np.float32))
        assert env.view().failed_breaks == 0
        env.step(AHEAD)
        assert env.view().failed_breaks == 1
        assert env.view().break_to_be_made

    def test_actions_that_do_not_set_the_striker_on_the_board_are_refused(self) -> None:
        env = make(striker_placing="strict", noise="club")
        with pytest.raises(ActionError, match="shape"):
            env.step(np.zeros(3, np.float32))
        noise = env._table_in_play().streams.noise
        before = env.layout(), noise.bit_generator.state
        for strike in (
            Strike(0.4, 0.0, 1.0),
            Strike(0.0, np.nan, 1.0),
            Strike(0.0, 0.0, -1.0),
            Strike(0.0, 0.0, 1.0, forward=-0.2),
        ):
            with pytest.raises(ActionError, match="expected"):
                env.answer(strike)
            assert (env.layout(), noise.bit_generator.state) == before


class TestBlockedLines:
    """Carrommen in the way of the striker (130, 134, 142)."""

    @pytest.mark.law("130.a", "142")
    def test_with_the_middle_line_blocked_he_strikes_from_the_rest_of_the_band(
        self, put: Any
    ) -> None:
        # A row before the base lines: on the middle line every gap is too small, behind it not.
        row = [(x, LINE + 0.03) for x in np.arange(-6, 7) * 0.0409]
        layout = rowed(row)
        assert free_places(BOARD, layout.positions, layout.on_board) == ()
        env = make()
        put(env, layout=layout)
        *_, info = env.step(np.array([0.0, 1.0, -0.8], np.float32))
        strike = env.last_strokes[0].strike
        assert strike is not None
        assert strike.forward < 0
        assert info["facts"]["proper"]
        spot = np.array([strike.place, LINE + strike.forward])
        assert np.hypot(*(np.array(row) - spot).T).min() >= REACH

    @pytest.mark.law("142", "U17")
    @pytest.mark.parametrize("breaker", [0, 2])
    def test_with_everything_blocked_the_board_is_replayed(self, put: Any, breaker: int) -> None:
        env = make(task="game")
        blocked = [(x, LINE) for x in (-0.235, -0.17, -0.102, -0.034, 0.034, 0.102, 0.17, 0.235)]
        game = {"score": [3, 5], "board_number": 4}
        # It is the opponent's turn to come that finds no place.
        layout = rowed([(-x, -y) for x, y in blocked])
        put(env, layout=layout, breaker=breaker, game=game, owed=(2, 1))
        *_, info = env.step(np.array([0.0, 1.0, -0.8], np.float32))
        words = [s.ruling for s in env.last_strokes]
        assert [bool(ruling.board_replayed) for ruling in words[:2]] == [False, True]
        assert any(sentence.startswith("142") for sentence in info["ruling"])
        view = env.view()
        assert (view.score, view.board_number, view.owed) == ((3, 5), 4, (0, 0))
        assert view.plays_white == (breaker == 0)
        if breaker == 0:
            assert info["strokes"] == 2
            assert view.on_board.all()
            assert view.break_to_be_made


def rowed(places: list[tuple[float, float]]) -> Layout:
    """Carrommen of alternating colours at ``places``, and one of each and the queen elsewhere."""
    layout = Layout(np.zeros((19, 2)), np.zeros(19, bool)).with_piece(QUEEN, (0.0, 0.0))
    layout = layout.with_piece(8, (0.1, 0.0)).with_piece(17, (-0.1, 0.0))
    for number, place in enumerate(places):
        layout = layout.with_piece(number // 2 + 9 * (number % 2), place)
    return layout


@dataclass
class Watch:
    """A clock that runs only when it is told to."""

    time_s: float = 0.0

    def __call__(self) -> float:
        return self.time_s


def watched(env: Any, watch: Watch) -> None:
    """Give an environment's players the clock ``watch``."""
    clock = dataclasses.replace(env.setting.clock, now=watch)
    env.setting = dataclasses.replace(env.setting, clock=clock)


def timed(watch: Watch, **options: Any) -> carrom.CarromEnv:
    options = {"task": "board", "opponent": strikes, "first": "agent"} | options
    env = carrom.CarromEnv(time_limit_s=15.0, **options)
    watched(env, watch)
    env.reset(seed=0)
    return env


STRAIGHT = np.array([0.0, 0.0, 1.0], np.float32)


class TestWallClock:
    """15 seconds for a decision, measured."""

    @pytest.mark.law("46", "63.a", "72.c", "A22", "A32")
    def test_a_late_break_is_a_technical_foul(self) -> None:
        watch = Watch()
        env = timed(watch)
        watch.time_s += 15.1
        _, _, _, _, info = env.step(STRAIGHT)
        event, _, penalties, lost, words = first_stroke(env)
        assert (event, penalties, lost) == (Event.TECHNICAL_FOUL, [1, 0], False)
        assert "46:" in words
        assert "63.a:" in words
        assert info["strokes"] == 1
        assert env.view().break_to_be_made
        # Nothing is down yet: the penalty is outstanding.
        assert env.view().owed == (1, 0)

    @pytest.mark.law("50", "63.a", "64.a", "A22")
    @pytest.mark.parametrize("begun", [False, True])
    def test_a_late_stroke(self, put: Any, begun: bool) -> None:
        watch = Watch()
        env = timed(watch)
        put(env, strokes_in_turn=int(begun))
        before = env.layout()
        watch.time_s += 15.1
        env.step(STRAIGHT)
        event, _, penalties, lost, words = first_stroke(env)
        assert event == (Event.FOUL if begun else Event.TECHNICAL_FOUL)
        assert (penalties, lost) == ([1, 0], begun)
        assert "50:" in words
        assert ("64.a:" if begun else "63.a:") in words
        after = env.last_strokes[0].after.layout
        assert np.array_equal(after.positions[before.on_board], before.positions[before.on_board])
        assert (env.last_strokes[-1].seat == 2) == begun

    @pytest.mark.law("50")
    def test_in_time_is_in_time_and_every_decision_has_its_own(self, put: Any) -> None:
        watch = Watch()
        env = timed(watch)
        put(env)
        for _ in range(2):
            watch.time_s += 15.0
            env.step(np.array([0.0, 0.0, -0.9], np.float32))
            assert first_stroke(env)[0] == Event.SHOT
        watch.time_s += 15.1
        env.step(STRAIGHT)
        assert first_stroke(env)[0] == Event.TECHNICAL_FOUL
        watch.time_s += 14.9
        env.step(STRAIGHT)
        assert first_stroke(env)[0] == Event.SHOT

    @pytest.mark.law("50", "124.b")
    def test_the_time_of_others_does_not_count(self, put: Any) -> None:
        watch = Watch()

        def thinks(view: View, rng: np.random.Generator) -> Strike:
            watch.time_s += 14.0
            return GENTLE

        env = timed(watch, opponent=thinks)
        put(env)
        for _ in range(2):
            observation, *_ = env.step(np.array([0.0, 0.0, -0.9], np.float32))
            assert [Event(int(s.facts.event)) for s in env.last_strokes] == [Event.SHOT] * 2
            assert observation[90] == 0.0
            watch.time_s += 14.0

    @pytest.mark.law("50", "123", "124.b")
    @pytest.mark.parametrize("everybody", [False, True])
    def test_films_of_strokes_do_not_count(self, put: Any, everybody: bool) -> None:
        watch = Watch()

        class LongFilms(Drawing):
            def show(self, strokes: Sequence[Stroke], layout: Layout, nets: Nets = EMPTY) -> None:
                watch.time_s += 100.0

        env: Any = timed(watch)
        if everybody:
            env = carrom_singles_v0.raw_env(task="board", time_limit_s=15.0)
            watched(env, watch)
        env._drawing = LongFilms(BOARD, None, width=64, height=64, camera="top")
        env.reset(seed=0)
        put(env)
        for _ in range(2):
            env.step(np.array([0.0, 0.0, -0.9], np.float32))
            assert first_stroke(env)[0] == Event.SHOT

    @pytest.mark.law("50", "63.a")
    def test_a_slow_opponent_is_charged(self, put: Any) -> None:
        watch = Watch()
        slow = [20.0, 1.0]

        def thinks(view: View, rng: np.random.Generator) -> Strike:
            watch.time_s += slow.pop(0)
            return GENTLE

        env = timed(watch, opponent=thinks)
        put(env)
        *_, info = env.step(np.array([0.0, 0.0, -0.9], np.float32))
        events = [Event(int(stroke.facts.event)) for stroke in env.last_strokes]
        assert events == [Event.SHOT, Event.TECHNICAL_FOUL, Event.SHOT]
        assert info["reward_terms"]["penalty"] == 1.0

    @pytest.mark.law("127.b", "50")
    def test_a_slip_gives_no_new_time(self, put: Any) -> None:
        watch = Watch()
        env = timed(watch, striker_placing="strict")
        put(env)
        watch.time_s += 10.0
        slip = np.array([0.0, 0.0, -1.0, 0.0], np.float32)
        observation, *_ = env.step(slip)
        assert first_stroke(env)[0] == Event.NO_STROKE
        assert observation[90] == pytest.approx(10 / 15)
        watch.time_s += 4.0
        observation, *_ = env.step(slip)
        assert first_stroke(env)[0] == Event.NO_STROKE
        assert observation[90] == pytest.approx(14 / 15)
        watch.time_s += 1.1
        env.step(AHEAD)
        assert first_stroke(env)[0] == Event.TECHNICAL_FOUL

    @pytest.mark.law("87.a", "88.a", "88.b")
    def test_who_places_too_late_has_waived(self, put: Any, scattered: Any) -> None:
        watch = Watch()
        env = timed(watch, due_placing="agent")
        put(env, layout=scattered(6, 9), owed=(0, 2))
        env.report(StrokeFacts.shot(pocketed=(0, 2)))
        assert (env.view().request.kind, env.view().request.left) == (Kind.PLACE, 2)
        watch.time_s += 15.1
        env.answer(Placement(0.05, 0.0))
        stroke = env.last_strokes[0]
        assert (stroke.ruling.waived.tolist(), stroke.laid) == ([0, 2], ())
        assert any(sentence.startswith("87.a") for sentence in stroke.sentences)
        assert stroke.after.layout.counts == (6, 7)
        assert stroke.ruling.penalties_charged.tolist() == [0, 0]

    @pytest.mark.law("88.a", "U23")
    def test_who_places_wrongly_pocketed_ones_too_late_has_no_say(
        self, put: Any, scattered: Any, tell: Any
    ) -> None:
        watch = Watch()
        env = carrom_singles_v0.raw_env(task="board", due_placing="agent", time_limit_s=15.0)
        watched(env, watch)
        env.reset(seed=0)
        put(env, seat=0, layout=scattered(5, 5))
        tell(env, StrokeFacts.shot(pocketed=(1, 0), striker=True))
        assert env.agent_selection == "player_1"
        action = env.action_space("player_1").sample()
        for _ in range(2):
            watch.time_s += 15.1
            env.step(action)
        # The wrongly pocketed one is laid, though not where he wished; the due is waived.
        assert env.agent_selection == "player_0"
        assert env.layout().counts == (5, 5)
        (laid,) = env.last_strokes[0].laid
        assert np.abs(np.array(laid.place) + action["place"] * 0.1).max() > 1e-3

    @pytest.mark.law("87.a", "87.b")
    def test_who_claims_too_late_claims_nothing(self, put: Any, scattered: Any, tell: Any) -> None:
        watch = Watch()
        env = carrom_singles_v0.raw_env(
            task="board", claims="agent", time_limit_s=15.0, reward="points"
        )
        watched(env, watch)
        env.reset(seed=0)
        put(env, seat=0, layout=scattered(1, 4))
        tell(env, StrokeFacts.shot(pocketed=(1, 0), striker=True))
        assert env.agent_selection == "player_1"
        watch.time_s += 15.1
        env.step(env.action_space("player_1").sample() | {"claim": 1})
        assert env.infos["player_1"]["result"]["points"] == (3, 0)

    def test_boards_of_a_vector_do_not_use_up_each_others_time(self) -> None:
        watch = Watch()

        def thinks(view: View, rng: np.random.Generator) -> Strike:
            watch.time_s += 14.0
            return GENTLE

        env = carrom.CarromVectorEnv(
            2, task="board", time_limit_s=15.0, first="agent", opponent=thinks
        )
        boards = env._boards
        assert isinstance(boards, Boards)
        clock = dataclasses.replace(boards._setting.clock, now=watch)
        boards._setting = dataclasses.replace(boards._setting, clock=clock)
        env.reset(seed=0)
        # The first fails at the break and may try again; the second breaks, and his opponent
        # thinks while the first waits.
        back = np.array([0.0, 1.0, -1.0], np.float32)
        env.step(np.stack([back, [0.0, 0.0, -0.6]]))
        assert [len(strokes) for strokes in env.last_strokes] == [1, 2]
        watch.time_s += 2.0
        env.step(np.stack([back, back]))
        events = [Event(int(strokes[0].facts.event)) for strokes in env.last_strokes]
        assert events == [Event.SHOT, Event.SHOT]


class TestStepClock:
    """A second for each slip, nothing for thinking: what happens can be repeated."""

    SLIP = np.array([0.0, 0.0, -1.0, 0.0], np.float32)

    @pytest.mark.law("50", "63.a", "127.b")
    def test_slips_use_up_the_time(self, put: Any) -> None:
        env = make(striker_placing="strict", time_limit_s=2.0, clock="step")
        put(env)
        shares, events = [], []
        for _ in range(5):
            observation, *_ = env.step(self.SLIP)
            shares.append(float(observation[90]))
            events.append(first_stroke(env)[0])
        late = Event.TECHNICAL_FOUL
        slip = Event.NO_STROKE
        # Three slips have used up three seconds; whatever is done then is late.
        assert events == [slip, slip, slip, late, slip]
        assert shares == [0.5, 1.0, 1.0, 0.0, 0.5]

    @pytest.mark.law("46", "64.a")
    def test_before_the_break_and_after_a_stroke(self, put: Any) -> None:
        env = make(striker_placing="strict", time_limit_s=0.5, clock="step")
        env.step(self.SLIP)
        env.step(self.SLIP)
        assert "46:" in first_stroke(env)[4]
        put(env, strokes_in_turn=1)
        env.step(self.SLIP)
        env.step(self.SLIP)
        event, _, penalties, lost, words = first_stroke(env)
        assert (event, penalties, lost) == (Event.FOUL, [1, 0], True)
        assert "50:" in words

    def test_two_runs_are_alike(self) -> None:
        logs = []
        for _ in range(2):
            env = make(striker_placing="strict", time_limit_s=0.5, clock="step", max_strokes=80)
            env.action_space.seed(3)
            log, over = [], False
            while not over:
                action = env.action_space.sample()
                action[2] = min(action[2], -0.5)
                observation, reward, terminated, truncated, info = env.step(action)
                log.append((observation.tobytes(), reward, info["ruling"]))
                over = terminated or truncated
            logs.append(log)
        assert logs[0] == logs[1]


class TestStates:
    """In the middle of a decision, a copy goes on as the original."""

    @pytest.mark.parametrize("doubles", [False, True])
    @pytest.mark.parametrize("way", ["state", "pickled state", "pickled environment", "copy"])
    def test_while_a_carromman_is_to_be_laid(
        self, put: Any, scattered: Any, doubles: bool, way: str
    ) -> None:
        options: dict[str, Any] = {
            "doubles": doubles,
            "opponent": "random",
            "due_placing": "agent",
            "claims": "agent",
            "noise": "club",
            "max_strokes": 40,
            "time_limit_s": 15.0,
            "clock": "step",
        }
        env = make(**options)
        put(env, layout=scattered(4, 8), owed=(1, 3))
        *_, info = env.report(StrokeFacts.shot(pocketed=(2, 2), striker=True))
        while info["decision"] != "place":
            *_, info = env.step(env.action_space.sample(info["action_mask"]))
        # One of several is laid; the next is being asked for.
        other = make(**options)
        state = env.get_state()
        if way == "state":
            other.set_state(state)
        elif way == "pickled state":
            other.set_state(pickle.loads(pickle.dumps(state)))
        elif way == "pickled environment":
            other = pickle.loads(pickle.dumps(env))
        else:
            other = copy.deepcopy(env)
        env.action_space.seed(1)
        over = False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            one, same = env.step(action), other.step(action)
            assert np.array_equal(one[0], same[0])
            assert one[1:4] == same[1:4]
            assert one[4]["ruling"] == same[4]["ruling"]
            assert env.layout() == other.layout()
            over, info = one[2] or one[3], one[4]
        assert env.np_random.bit_generator.state == other.np_random.bit_generator.state

    def test_time_while_it_lies_in_a_drawer_does_not_count(self) -> None:
        env = make(time_limit_s=15.0)
        env.reset(seed=0)
        table = env._table_in_play()
        table.asked_at -= 1_000.0
        copied = pickle.loads(pickle.dumps(env))
        copied.step(STRAIGHT)
        assert first_stroke(copied)[0] == Event.SHOT

    def test_of_another_kind_of_game_is_refused(self) -> None:
        doubles, placing = make(doubles=True), make(due_placing="agent")
        plain = make()
        for other in (doubles, placing):
            for one, two in ((plain, other), (other, plain)):
                with pytest.raises(ConfigError, match="state"):
                    one.set_state(two.get_state())


class TestReports:
    """What no simulated stroke shows."""

    @pytest.mark.law("139")
    @pytest.mark.parametrize("event", [Event.CONCEDE_GAME, Event.CONCEDE_MATCH])
    def test_concessions(self, event: Event) -> None:
        env = make(task="match", reward="result")
        _, reward, terminated, _, info = env.report(event)
        assert terminated == (event == Event.CONCEDE_MATCH)
        assert any(sentence.startswith("139") for sentence in info["ruling"])
        if terminated:
            assert reward == -1.0
            assert info["result"]["winner"] == "opponent"
        else:
            assert reward == 0.0
            assert env.view().games == (0, 1)
            assert env.view().score == (0, 0)

    @pytest.mark.law("47", "63.a", "64.b")
    def test_an_early_break(self) -> None:
        env = make()
        facts = StrokeFacts.shot(event=Event.EARLY_BREAK, pocketed=(2, 1), queen=True)
        *_, info = env.report(facts)
        stroke = env.last_strokes[0]
        board = stroke.after.match.board
        # Own carrommen and the queen come out, the opponent's stays down (U21); none of the
        # own is down, so the penalty is outstanding.
        assert board.on_board.tolist() == [9, 8]
        assert int(board.queen) == QueenState.ON_BOARD
        assert board.owed.tolist() == [1, 0]
        assert bool(stroke.ruling.turn_lost)
        assert any(sentence.startswith("47") for sentence in stroke.sentences)
        assert stroke.after.layout.counts == (9, 8)
        assert stroke.after.layout.queen_on_board
        assert info["reward_terms"]["penalty"] == -1.0

    @pytest.mark.law("65.a", "65.c", "66.a", "116")
    def test_jumped_carrommen(self, put: Any, scattered: Any) -> None:
        env = make()
        put(env, layout=scattered(6, 6, queen=False), queen=QueenState.COVERED_WHITE)
        *_, info = env.report(
            StrokeFacts.shot(pocketed=(1, 0), overboard=(1, 1), overboard_striker=True)
        )
        # 116: no due, and the turn goes on; 65: no foul, nothing is pocketed by jumping.
        assert info["strokes"] == 1
        stroke = env.last_strokes[0]
        assert stroke.after.layout.counts == (5, 6)
        assert bool(stroke.ruling.turn_kept)
        assert stroke.charged == 0
        first, second = (np.array(piece.place) for piece in stroke.laid)
        assert [piece.index for piece in stroke.laid] == [0, 9]
        assert first == pytest.approx((0, 0), abs=1e-6)
        # The turn is kept: away from him is towards positive y.
        assert second == pytest.approx((0, BOARD.carromman_diameter), abs=1e-5)

    @pytest.mark.law("63.a", "64.a", "122.b", "126.a")
    @pytest.mark.parametrize("law", ["122.b", "126.a"])
    @pytest.mark.parametrize("begun", [False, True])
    def test_fouls_of_the_body(self, put: Any, law: str, begun: bool) -> None:
        env = make()
        put(env, strokes_in_turn=int(begun))
        event = Event.FOUL if begun else Event.TECHNICAL_FOUL
        *_, info = env.report(StrokeFacts.without_stroke(event, breach=law))
        assert any(sentence.startswith(f"breach of {law}:") for sentence in info["ruling"])
        assert env.last_strokes[0].after.layout.counts == (7, 6)
        assert len(env.last_strokes) == 1 + begun

    @pytest.mark.parametrize(
        "facts",
        [
            StrokeFacts.shot(pocketed=(7, 0)),
            StrokeFacts.shot(event=Event.EARLY_BREAK),
            StrokeFacts.without_stroke(Event.OUT_OF_TURN_PARTNER),
        ],
    )
    def test_facts_that_cannot_be(self, put: Any, facts: StrokeFacts) -> None:
        env = make()
        put(env)
        before = env.layout()
        with pytest.raises(FactsError):
            env.report(facts)
        assert env.layout() == before


def test_the_clock_is_the_same_for_whoever_decides_for_himself() -> None:
    watch = Watch()
    env = carrom_doubles_v0.raw_env(task="board", time_limit_s=15.0)
    watched(env, watch)
    env.reset(seed=0)
    breaker = env.agent_selection
    late: list[str] = []
    for agent, seconds in zip(env.agent_iter(), (14.0, 14.0, 16.0, 14.0), strict=False):
        watch.time_s += seconds
        env.step(np.array([0.0, 1.0, -1.0], np.float32))
        late += [agent] * any(s.startswith("breach of 46:") for s in env.infos[agent]["ruling"])
    # Two attempts at the break (45.a), and a third that came too late: after strokes, a foul.
    assert late == [breaker]
    assert env.agent_selection == f"player_{(int(breaker[-1]) + 1) % 4}"
