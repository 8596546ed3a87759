"""Doubles: four players in two pairs (22.b, 29, 43, 49.b, 59, 60, 78.b, 79.b, 90, 137)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import carrom
from carrom import carrom_doubles_v0, carrom_singles_v0
from carrom.decision import Kind
from carrom.errors import ConfigError
from carrom.laws import Event, QueenState, StrokeFacts
from carrom.opponents import find_opponent
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, STRIKER
from carrom.view import View

BOARD = carrom.Board()
SEATS = range(4)
BACK = np.array([0.0, 1.0, -1.0], np.float32)
"""As slowly as possible straight back: touches nothing."""
SLAM = StrokeFacts.shot(pocketed=(9, 0), queen=True)
"""All nine white carrommen and the queen at the break: twelve points."""
FULL_RING = [
    (0.055 * math.cos(angle), 0.055 * math.sin(angle))
    for angle in np.linspace(0, 2 * math.pi, 8, endpoint=False)
]
"""Eight carrommen between which no ninth fits inside the outer circle."""


def make(**options: Any) -> carrom.CarromAECEnv:
    env = carrom_doubles_v0.raw_env(**({"task": "board", "reward": "points"} | options))
    env.reset(seed=0)
    return env


def turn_of(env: carrom.CarromAECEnv) -> int:
    return int(env.agent_selection[-1])


def struck_from(env: carrom.CarromAECEnv) -> complex:
    """Where the striker of the last stroke stood, in the board's frame."""
    motion = env.last_strokes[0].motion
    assert motion is not None
    assert motion.trajectory is not None
    return complex(*motion.trajectory.positions[0, STRIKER])


class TestTheTable:
    """Who sits where, plays what and strikes when."""

    @pytest.mark.law("29", "49.b")
    def test_the_turn_goes_to_the_right_round_the_board(self, put: Any) -> None:
        env = make(film_rate=10.0)
        put(env)
        for turn in range(6):
            assert turn_of(env) == turn % 4
            env.step(np.array([0.1, 1.0, -1.0], np.float32))
            # Quarter turns counter-clockwise from the side at negative y.
            spot = 0.1 * BOARD.base_line_length / 2 + 1j * BOARD.base_line_y
            assert struck_from(env) == pytest.approx(spot * 1j**turn, abs=1e-6)

    @pytest.mark.law("22.b", "29", "43")
    @pytest.mark.parametrize("breaker", SEATS)
    def test_partners_share_a_colour_and_the_breakers_pair_has_white(
        self, put: Any, breaker: int
    ) -> None:
        env = make()
        put(env, seat=(breaker + 1) % 4, breaker=breaker, owed=(2, 1))
        for seat in SEATS:
            seen = env.observe(f"player_{seat}")
            white = (seat - breaker) % 2 == 0
            assert seen[69] == white
            assert tuple(seen[62:64]) == ((2, 1) if white else (1, 2))

    @pytest.mark.law("29", "43")
    @pytest.mark.parametrize("rotation", SEATS)
    def test_everybody_sees_the_board_from_his_own_side(
        self, put: Any, scattered: Any, rotation: int
    ) -> None:
        env = make()
        put(env, layout=scattered(5, 7), match={"rotation": rotation})
        there = env.layout()
        for seat in SEATS:
            pieces = env.observe(f"player_{seat}")[:57].reshape(19, 3)
            order = np.r_[0:9, 9:18, 18] if seat % 2 == 0 else np.r_[9:18, 0:9, 18]
            seen = (there.positions[order] @ [1, 1j]) * 1j ** -(seat + rotation)
            assert pieces[:, 0] + 1j * pieces[:, 1] == pytest.approx(seen, abs=1e-7)
            assert np.array_equal(pieces[:, 2], there.on_board[order])

    @pytest.mark.law("49.b")
    def test_requests_are_counted_from_the_own_seat(self, put: Any, tell: Any) -> None:
        env = make(due_placing="agent")
        put(env, seat=2)
        # Seat 2 pockets the striker: the turn passes to 3, who also lays the due.
        tell(env, StrokeFacts.shot(pocketed=(1, 0), striker=True))
        for seat in SEATS:
            seen = env.observe(f"player_{seat}")
            assert np.flatnonzero(seen[74:78]).tolist() == [1]
            assert np.flatnonzero(seen[78:82]).tolist() == [(3 - seat) % 4]
            assert np.flatnonzero(seen[82:86]).tolist() == [(2 - seat) % 4]
            assert seen[86] == (seat % 2 == 0)
            assert seen[87] == 2

    @pytest.mark.law("137", "U18")
    @pytest.mark.parametrize(("module", "limit"), [(carrom_singles_v0, 6), (carrom_doubles_v0, 12)])
    def test_three_idle_turns_of_everybody_void_the_board(
        self, put: Any, module: Any, limit: int
    ) -> None:
        env = module.raw_env(task="game")
        env.reset(seed=0)
        put(env, breaker=2, seat=2, game={"board_number": 3, "score": [4, 2]})
        for turn in range(1, limit + 1):
            assert env.layout().counts == (6, 6)
            env.step(BACK)
            words = env.infos["player_0"]["ruling"]
            assert any(sentence.startswith("137") for sentence in words) == (turn == limit)
        assert env.layout().counts == (9, 9)
        seen = env.observe("player_0")
        # U17: the same breaker, number and score.
        assert env.agent_selection == ("player_1" if limit == 6 else "player_2")
        assert (seen[68], *seen[64:66], seen[72]) == (3, 4, 2, 0)


@pytest.mark.law("27.a", "41.a", "42", "43", "49.a.ii", "49.b", "56.a", "57", "59", "60.a")
def test_a_match_of_slams(tell: Any) -> None:
    """Every board is won by its breaker with twelve points, so a game takes five boards."""
    env = make(task="match", reward="result", film_rate=10.0)
    opener = turn_of(env)
    breaker, rotation, games = opener, 0, [0, 0]
    for game in (1, 2, 3):
        score = [0, 0]
        breaker = (opener + (game == 2)) % 4
        for number in range(1, 6):
            assert turn_of(env) == breaker
            seen = env.observe(f"player_{breaker}")
            pair = breaker % 2
            assert seen[68:71].tolist() == [number, 1, 1]
            assert seen[64:66].tolist() == [score[pair], score[1 - pair]]
            assert seen[66:68].tolist() == [games[pair], games[1 - pair]]
            side = (breaker + rotation) % 4
            # The stem of the white Y points to him, wherever he sits by now.
            stem = -2j * BOARD.carromman_radius * 1j**side
            white = env.layout().positions[:9] @ [1, 1j]
            assert np.abs(white - stem).min() < 3e-4
            # A first attempt touches nothing (45.a), but shows from where he strikes.
            env.step(BACK)
            assert struck_from(env) == pytest.approx(1j * BOARD.base_line_y * 1j**side, abs=1e-6)
            assert turn_of(env) == breaker
            tell(env, SLAM)
            score[pair] += 12
            words = env.infos["player_0"]["ruling"]
            changes = [s[:4] for s in words if s.startswith(("59", "60"))]
            if number == 5:
                games[pair] += 1
                over = max(games) == 2
                assert changes == ([] if over else ["59: "])
                assert all(env.terminations.values()) == over
                rotation += not over
            elif game == 3 and number == 2:
                # Twelve points each: not yet thirteen, nor four boards.
                assert changes == []
            elif game == 3 and number == 3:
                assert changes == ["60.a"]
                rotation += 1
            else:
                assert changes == []
            breaker = (breaker + 1) % 4
        if max(games) == 2:
            break
    assert game == 3
    winners = opener % 2
    for agent, reward in env.rewards.items():
        assert reward == (1.0 if int(agent[-1]) % 2 == winners else -1.0)
        assert env.infos[agent]["result"]["winner"] == ("own" if reward > 0 else "opponent")


class TestWhoPlaces:
    """The right player of four (78.b, 79.b, 90)."""

    @pytest.mark.law("78.b.i", "90")
    @pytest.mark.parametrize("seat", SEATS)
    @pytest.mark.parametrize("keeps", [False, True])
    def test_the_player_to_the_right_of_the_one_with_the_turn(
        self, put: Any, tell: Any, seat: int, keeps: bool
    ) -> None:
        env = make(due_placing="agent")
        put(env, seat=seat)
        own = seat % 2
        pocketed = (1 - own, own) if keeps else (0, 0)
        tell(env, StrokeFacts.shot(pocketed=pocketed, striker=True))
        placer = (seat + 1) % 4
        count = 2 if keeps else 1
        for left in range(count, 0, -1):
            assert turn_of(env) == placer
            seen = env.observe(f"player_{placer}")
            assert (seen[75], seen[86], seen[87]) == (1, 0, left)
            action = env.action_space(f"player_{placer}").sample()
            spot = (-1) ** left * 0.5
            env.step(action | {"place": np.array([spot, 0.0], np.float32), "waive": 0})
        laid = env.last_strokes[0].laid
        assert [piece.seat for piece in laid] == [placer] * count
        # Where he wished, from where he sits.
        wished = [(-1) ** left * 0.05 * 1j**placer for left in range(count, 0, -1)]
        assert [complex(*piece.place) for piece in laid] == pytest.approx(wished, abs=1e-9)
        assert turn_of(env) == (seat if keeps else placer)

    @pytest.mark.law("78.b.ii", "90", "64.a", "63.b")
    @pytest.mark.parametrize("seat", SEATS)
    @pytest.mark.parametrize("keeps", [False, True])
    def test_who_pockets_what_the_opponents_owe_places_it_himself(
        self, put: Any, tell: Any, scattered: Any, seat: int, keeps: bool
    ) -> None:
        env = make(due_placing="agent")
        # Seat 0 and 2 have white: the others owe, and have all nine on the board.
        own = seat % 2
        layout, owed = (scattered(6, 9), (0, 1)) if own == 0 else (scattered(9, 6), (1, 0))
        put(env, seat=seat, layout=layout, owed=owed)
        tell(env, StrokeFacts.shot(pocketed=(1, 1) if keeps else (1 - (own == 0), 1 - own)))
        assert turn_of(env) == seat
        action = env.action_space(f"player_{seat}").sample()
        env.step(action | {"place": np.array([0.9, 0.0], np.float32), "waive": 0})
        # Outside the outer circle (85). In his own turn that is a foul; else a technical one.
        foul = env._table_in_play().incident
        assert foul is not None
        event = Event(int(foul.facts.event))
        assert event == (Event.FOUL if keeps else Event.TECHNICAL_FOUL_OPPONENT)
        penalties = foul.ruling.penalties_charged.tolist()
        assert penalties == ([1, 0] if own == 0 else [0, 1])
        # The penalty is laid by the player to the right of the one with the turn; or, since
        # the turn has passed, by the one who has it.
        assert turn_of(env) == (seat + 1) % 4
        assert foul.seat == seat

    @pytest.mark.law("79.a", "79.b", "81", "90", "U30")
    @pytest.mark.parametrize(("turns", "placer"), [(0, 1), (1, 1), (2, 3)])
    def test_the_right_to_place_passes_to_the_partner_with_the_turn(
        self, put: Any, tell: Any, scattered: Any, turns: int, placer: int
    ) -> None:
        env = make(due_placing="agent")
        layout = scattered(5, 0)
        for index, place in enumerate(FULL_RING, 9):
            layout = layout.with_piece(index, place)
        put(env, layout=layout)
        tell(env, StrokeFacts.shot(striker=True))
        assert turn_of(env) == 1
        for turn in range(turns):
            tell(env, StrokeFacts.shot())
            assert turn_of(env) == (turn + 2) % 4
        # One in the ring falls, and there is room.
        tell(env, StrokeFacts.shot(pocketed=(0, 1)))
        assert env.infos["player_0"]["decision"] == "place"
        assert turn_of(env) == placer

    @pytest.mark.law("63.b")
    @pytest.mark.parametrize("by_partner", [False, True])
    def test_a_breach_by_the_partner_is_charged_to_the_pair(
        self, put: Any, by_partner: bool
    ) -> None:
        env = carrom.CarromEnv("board", doubles=True, first="agent")
        env.reset(seed=0)
        put(env)
        partner, opponent = Event.TECHNICAL_FOUL_PARTNER, Event.TECHNICAL_FOUL_OPPONENT
        event = partner if by_partner else opponent
        *_, info = env.report(StrokeFacts.without_stroke(event, breach="131"))
        assert info["reward_terms"]["penalty"] == (-1.0 if by_partner else 1.0)
        assert env.layout().counts == ((7, 6) if by_partner else (6, 7))
        assert info["strokes"] == 1


@dataclass
class Replayer:
    """Strikes what it is told to, and remembers the views it was shown."""

    strikes: list[Strike] = field(default_factory=list)
    views: list[View] = field(default_factory=list)

    def __call__(self, view: View, rng: np.random.Generator) -> Strike:
        self.views.append(view)
        return self.strikes.pop(0)


class TestOneAgent:
    """``CarromEnv(doubles=True)``: the agent has seat 0."""

    @pytest.mark.law("29", "43", "49.b")
    @pytest.mark.parametrize("reward", ["aicf", "points"])
    @pytest.mark.parametrize("seed", range(3))
    def test_is_the_same_game_as_that_of_four_agents(self, reward: str, seed: int) -> None:
        four = carrom_doubles_v0.raw_env(task="board", reward=reward, max_cycles=60)
        four.reset(seed=seed)
        rewards, strokes, layouts = dict.fromkeys(four.agents, 0.0), [], []
        four.action_space("player_0").seed(seed)
        while not (any(four.terminations.values()) or any(four.truncations.values())):
            four.step(four.action_space("player_0").sample())
            for agent, reward_now in four.rewards.items():
                rewards[agent] += reward_now
            strokes += four.last_strokes
            layouts.append(four.layout())
        for agent, total in rewards.items():
            assert total == pytest.approx(rewards["player_0"] * (-1) ** int(agent[-1]))

        opponent, partner = Replayer(), Replayer()
        one = carrom.CarromEnv(
            *("board",),
            doubles=True,
            reward=reward,
            opponent=opponent,
            partner=partner,
            max_strokes=60,
        )
        agents = []
        for stroke in strokes:
            assert stroke.strike is not None
            others = {0: agents, 2: partner.strikes}.get(stroke.seat, opponent.strikes)
            others.append(stroke.strike)
        _, info = one.reset(seed=seed)
        assert info["strokes"] == strokes.index(next(s for s in strokes if s.seat == 0))
        # What was played before the agent's first turn, its first step reports too.
        total, count, over = 0.0, 0, False
        while not over:
            strike = agents.pop(0) if agents else Strike(0.0, 0.0, 1.0)
            _, value, terminated, truncated, info = one.answer(strike)
            total, count = total + value, count + info["strokes"]
            over = terminated or truncated
            assert one.layout() == layouts[count - 1]
        assert count == len(strokes)
        assert total == pytest.approx(rewards["player_0"])
        # Everybody was asked for his own strokes only, from his own seat.
        assert (agents, partner.strikes, opponent.strikes) == ([], [], [])
        for view in [*opponent.views, *partner.views]:
            assert (view.request.by, view.request.turn) == (0, 0)

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            ({"task": "solo", "doubles": True}, "doubles = True.*'solo'"),
            ({"task": "shot", "doubles": True}, "doubles = True.*'shot'"),
            ({"task": "board", "doubles": 1}, "doubles = 1: expected True or False"),
            ({"task": "board", "partner": "nobody"}, "partner = 'nobody'.*random"),
            ({"task": "board", "opponent": "nobody"}, "opponent = 'nobody'.*random"),
        ],
    )
    def test_bad_options(self, options: dict[str, Any], complaint: str) -> None:
        with pytest.raises(ConfigError, match=complaint):
            carrom.CarromEnv(**options)

    @pytest.mark.parametrize(("first", "breakers"), [("agent", {0}), ("opponent", {1})])
    def test_first(self, first: str, breakers: set[int]) -> None:
        env = carrom.CarromEnv("board", doubles=True, first=first)
        seen = set()
        for seed in range(4):
            env.reset(seed=seed)
            table = env._table_in_play()
            seen.add(int(table.position.match.opener_seat))
        assert seen == breakers


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(
    "options",
    [
        {"doubles": True, "noise": "club"},
        {"due_placing": "agent", "claims": "agent", "toss": "agent"},
        {"doubles": True, "due_placing": "agent", "striker_placing": "strict"},
    ],
    ids=["doubles", "decisions", "both"],
)
def test_many_boards_equal_single_ones(mode: AutoresetMode, options: dict[str, Any]) -> None:
    options = options | {"max_strokes": 30}

    def one() -> gym.Env:
        return gym.make("CarromBoard-v0", disable_env_checker=True, **options).unwrapped

    ours = gym.make_vec("CarromBoard-v0", num_envs=3, autoreset_mode=mode, **options)
    reference = SyncVectorEnv([one] * 3, autoreset_mode=mode)
    assert same(ours.reset(seed=5), reference.reset(seed=5))
    ours.action_space.seed(5)
    ends = np.zeros(3, int)
    while ends.min() < 2:
        action = ours.action_space.sample()
        step = ours.step(action)
        assert same(step, reference.step(action))
        ends += step[2] | step[3]


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit, through tuples, dictionaries and arrays of them."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, list | tuple | np.ndarray):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


class TestToTheEnd:
    """Whole episodes of scripted players."""

    @pytest.mark.law("52.a", "53.a")
    def test_a_board_of_aimers(self) -> None:
        total, result, _ = self.played("board", "aimer", reward="aicf")
        own, theirs = result["points"]
        assert total == pytest.approx(own - theirs)
        assert max(own, theirs) > 0
        assert min(own, theirs) == 0

    @pytest.mark.law("56.a", "49.b")
    def test_a_game(self) -> None:
        total, result, boards = self.played("game", "random", reward="points")
        own, theirs = result["points"]
        assert total == own - theirs
        assert max(own, theirs) >= 25 or boards >= 8
        assert result["winner"] == ("own" if own > theirs else "opponent")

    @pytest.mark.law("57")
    @pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
    def test_a_match(self, put: Any, whole: bool) -> None:
        """From the last board on, which gives whoever wins it the game and the match."""

        def begin(env: carrom.CarromEnv) -> None:
            if not whole:
                game = {"board_number": 8, "score": [24, 24], "sides_changed": True}
                put(env, game=game, match={"games_won": [1, 1], "game_number": 3})

        total, result, _ = self.played("match", "random", "result", begin)
        assert sorted(result["points"])[1] == 2
        assert total == (1.0 if result["points"][0] == 2 else -1.0)

    def played(
        self,
        task: str,
        player: str,
        reward: str,
        begin: Callable[[carrom.CarromEnv], object] = lambda env: None,
    ) -> tuple[float, dict[str, Any], int]:
        env = carrom.CarromEnv(
            task, doubles=True, opponent=player, partner=player, reward=reward, noise="club"
        )
        env.reset(seed=1)
        begin(env)
        agent: Callable[..., Strike] = find_opponent(player)
        rng = np.random.default_rng(0)
        total, boards = 0.0, 0
        while True:
            before = env.view()
            assert before.request.kind is Kind.STRIKE
            _, value, terminated, truncated, info = env.answer(agent(before, rng))
            total += value
            boards += sum(bool(stroke.ruling.board_over) for stroke in env.last_strokes)
            assert not truncated
            if terminated:
                return total, info["result"], boards


@pytest.mark.law("53.b", "92", "15")
def test_what_a_pair_has_is_both_partners(put: Any, tell: Any, scattered: Any) -> None:
    env = make()
    put(env, seat=1, breaker=1, layout=scattered(8, 8))
    # 92: one of the pair has pocketed, so the partner has the right to the queen too.
    for seat in SEATS:
        assert env.observe(f"player_{seat}")[61] == 1
    tell(env, StrokeFacts.shot(pocketed=(1, 0), queen=True))
    assert not env.layout().on_board[QUEEN]
    for seat in SEATS:
        held = np.flatnonzero(env.observe(f"player_{seat}")[57:61]).tolist()
        assert held == [2 if seat % 2 == 1 else 3]
    board = env._table_in_play().position.match.board
    assert int(board.queen) == QueenState.COVERED_WHITE
