"""The multi-agent environments as a user of PettingZoo meets them."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test

import carrom
from carrom import carrom_doubles_v0, carrom_singles_v0
from carrom.errors import ActionError, ConfigError, RenderError
from carrom.laws import QueenState, StrokeFacts

BOTH = pytest.mark.parametrize("module", [carrom_singles_v0, carrom_doubles_v0])
EVERYTHING = {"due_placing": "agent", "claims": "agent", "toss": "agent"}
DECISIONS = pytest.mark.parametrize(
    "options",
    [
        {},
        {"action_coding": "target", "noise": "club"},
        {**EVERYTHING, "illegal_placing": "charged", "striker_placing": "strict"},
        {**EVERYTHING, "illegal_placing": "masked", "time_limit_s": 15.0, "clock": "step"},
    ],
    ids=["strikes", "targets", "charged", "masked"],
)


def act(env: Any) -> Any:
    """A random action of whoever has to decide, or None for an agent whose episode is over."""
    _, _, terminated, truncated, info = env.last()
    if terminated or truncated:
        return None
    return env.action_space(env.agent_selection).sample(info.get("action_mask"))


def seed_spaces(env: Any, seed: int) -> None:
    for index, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + index)


@BOTH
@DECISIONS
class TestPettingZoosOwnTests:
    """Run as they are, to an episode's end and beyond."""

    def test_api(self, module: ModuleType, options: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # Advice, where there is more to an action than a vector.
            warnings.filterwarnings("ignore", "Action space for each agent probably should be")
            api_test(module.env(task="board", max_cycles=15, **options), num_cycles=40)

    def test_seed(self, module: ModuleType, options: dict[str, Any]) -> None:
        seed_test(lambda: module.env(task="board", max_cycles=30, **options), num_cycles=40)


# A window can only be opened where there is a display.
DRAWN = ["rgb_array", "human"] if "DISPLAY" in os.environ else ["rgb_array"]


@BOTH
@pytest.mark.parametrize(
    "mode", ["ansi", *(pytest.param(mode, marks=pytest.mark.render) for mode in DRAWN)]
)
def test_render(module: ModuleType, mode: str) -> None:
    # PettingZoo types the maker as one without arguments, and calls it with one.
    def only(render_mode: str | None = None) -> Any:
        env = module.env(task="board", render_mode=render_mode, width=64, height=64)
        env.unwrapped.metadata["render_modes"] = [mode]
        return env

    render_test(only)


@BOTH
def test_a_window_needs_a_display(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    env = module.env(render_mode="human")
    with pytest.raises(RenderError, match="DISPLAY"):
        env.reset(seed=0)


@pytest.mark.parametrize(("name", "seats"), [("singles", 2), ("doubles", 4)])
def test_pettingzoo_makes_it_by_name(name: str, seats: int) -> None:
    env: Any = pettingzoo.make("aec", f"carrom_{name}_v0", task="board", max_cycles=5)
    env.reset(seed=0)
    assert env.possible_agents == [f"player_{i}" for i in range(seats)]
    assert isinstance(env.unwrapped, carrom.CarromAECEnv)
    assert env.metadata["name"] == f"carrom_{name}_v0"


@BOTH
@pytest.mark.parametrize("limit", [1, 7])
def test_max_cycles_truncates_after_so_many_strokes(module: ModuleType, limit: int) -> None:
    """PettingZoo's ``max_cycles_test`` cannot be asked of a game of turns.

    It plays ``parallel_env`` and demands as many actions of the median agent as there are
    cycles. Here nobody acts at the same time as another, and who pockets acts again.
    """
    env = module.raw_env(task="board", max_cycles=limit)
    env.reset(seed=0)
    seed_spaces(env, 0)
    actions = 0
    while not any(env.truncations.values()):
        assert not any(env.terminations.values())
        env.step(act(env))
        actions += 1
    assert actions == limit
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert "result" not in env.infos["player_0"]
    with pytest.raises(AttributeError, match="parallel_env"):
        max_cycles_test(module)


@BOTH
def test_no_parallel_version_is_claimed(module: ModuleType) -> None:
    assert not hasattr(module, "parallel_env")
    assert module.env().metadata["is_parallelizable"] is False


class TestRewards:
    """What ``last`` gives an agent over an episode adds up to how it ended for his side."""

    @BOTH
    @pytest.mark.parametrize("reward", ["aicf", "points", "result"])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_of_a_whole_board(self, module: ModuleType, reward: str, seed: int) -> None:
        env = module.env(task="board", reward=reward, claims="agent", due_placing="agent")
        env.reset(seed=seed)
        seed_spaces(env, seed)
        infos = _infos_at_the_end(env)
        assert_paid(env.unwrapped, reward, *infos)

    @BOTH
    @pytest.mark.parametrize("reward", ["aicf", "points", "result"])
    @pytest.mark.parametrize("task", ["game", "match"])
    @pytest.mark.law("56.a", "57")
    def test_of_the_last_board(
        self, module: ModuleType, reward: str, task: str, put: Any, scattered: Any
    ) -> None:
        env = module.raw_env(task=task, reward=reward)
        for seed in range(3):
            env.reset(seed=seed)
            seed_spaces(env, seed)
            # One more point wins the game, and with it the match; a potential of zero.
            put(
                env,
                layout=scattered(1, 1, queen=False),
                queen=QueenState.COVERED_WHITE,
                game={"score": [24, 24]},
                match={"games_won": [1, 1], "game_number": 3},
            )
            sums, infos = _infos_at_the_end(env)
            result = infos["player_0"]["result"]
            won = 1 if result["winner"] == "own" else -1
            score = np.array(result["points"]) - (24 if task == "game" else 1)
            if reward == "result":
                assert sums["player_0"] == won
            elif task == "game":
                assert sums["player_0"] == score[0] - score[1]
            assert np.sign(sums["player_0"]) == won
            assert_antisymmetric(sums)

    @BOTH
    @pytest.mark.law("139")
    @pytest.mark.parametrize("match", [False, True])
    def test_when_any_agent_concedes(self, module: ModuleType, match: bool) -> None:
        for loser in range(len(module.raw_env().possible_agents)):
            env = module.raw_env(task="match")
            env.reset(seed=0)
            env.concede(f"player_{loser}", match=match)
            assert all(env.terminations.values()) == match
            for agent in env.agents:
                same_side = (int(agent[-1]) - loser) % 2 == 0
                assert env.rewards[agent] == match * (-1 if same_side else 1)
            if not match:
                # One more game, and the match is lost (57).
                env.concede(f"player_{loser}")
                assert all(env.terminations.values())

    @BOTH
    @pytest.mark.law("51")
    @pytest.mark.parametrize("by", ["opponent", "partner"])
    @pytest.mark.parametrize("reward", ["points", "result"])
    def test_when_somebody_strikes_out_of_turn(
        self, module: ModuleType, by: str, reward: str, put: Any, scattered: Any
    ) -> None:
        doubles = module is carrom_doubles_v0
        if by == "partner" and not doubles:
            return
        for turn in [0, 1, 2, 3] if doubles else [0, 1]:
            env = module.raw_env(task="board", reward=reward)
            env.reset(seed=0)
            seat = turn if doubles else 2 * turn
            put(env, seat=seat, breaker=seat, layout=scattered(4, 7))
            offender = (turn + (2 if by == "partner" else 1)) % len(env.possible_agents)
            sums = dict.fromkeys(env.possible_agents, 0.0)
            sums[env.agent_selection] += env.last()[1]
            env.step_as(f"player_{offender}", act(env))
            assert all(env.terminations.values())
            ruling = env.infos["player_0"]["ruling"]
            assert any(sentence.startswith("51:") for sentence in ruling)
            # White, whose turn it was, has four left, black seven; the queen lay there.
            points = 3 + (4 if by == "partner" else 7)
            for agent in list(env.agents):
                result = env.infos[agent]["result"]
                loser = (int(agent[-1]) - offender) % 2 == 0
                assert result["winner"] == ("opponent" if loser else "own")
                assert sorted(result["points"]) == [0, points]
            for agent in env.agent_iter():
                sums[agent] += env.last()[1]
                env.step(None)
            paid = 1 if reward == "result" else points
            for agent, total in sums.items():
                assert total == (-paid if (int(agent[-1]) - offender) % 2 == 0 else paid)


def _infos_at_the_end(env: Any) -> tuple[dict[str, float], dict[str, Any]]:
    """Random play to the end: sums of rewards, and what the last stroke reported."""
    sums, infos = dict.fromkeys(env.possible_agents, 0.0), {}
    for agent in env.agent_iter(1_000_000):
        _, reward, terminated, _, info = env.last(observe=False)
        sums[agent] += reward
        if terminated:
            infos[agent] = info
        else:
            terms = info["reward_terms"].values()
            assert env.rewards[agent] == pytest.approx(sum(terms))
        env.step(act(env))
    assert set(infos) == set(env.possible_agents), "random players finish"
    return sums, infos


def assert_antisymmetric(sums: dict[str, float]) -> None:
    for agent, total in sums.items():
        assert total == pytest.approx(sums["player_0"] * (-1) ** int(agent[-1]))


def assert_paid(
    env: carrom.CarromAECEnv, reward: str, sums: dict[str, float], infos: dict[str, Any]
) -> None:
    for agent in env.possible_agents:
        own, theirs = infos[agent]["result"]["points"]
        winner = infos[agent]["result"]["winner"]
        assert winner == ("own" if own > theirs else "opponent")
        due = {"own": 1, "opponent": -1}[winner] if reward == "result" else own - theirs
        assert sums[agent] == pytest.approx(due)
    assert_antisymmetric(sums)


@BOTH
@pytest.mark.law("51")
class TestOutOfTurn:
    """``step_as``, and what it refuses."""

    def test_for_whose_turn_it_is_it_is_step(self, module: ModuleType) -> None:
        one, other = module.raw_env(task="board"), module.raw_env(task="board")
        for env in (one, other):
            env.reset(seed=3)
        action = one.action_space("player_0").sample()
        one.step_as(one.agent_selection, action)
        other.step(action)
        assert one.layout() == other.layout()
        assert one.infos == other.infos

    def test_while_somebody_places(
        self, module: ModuleType, put: Any, tell: Any, scattered: Any
    ) -> None:
        env = module.raw_env(task="board", due_placing="agent")
        env.reset(seed=0)
        put(env, seat=0, layout=scattered(5, 5))
        # 73: his own carromman and a due come out; he keeps the turn, his opponent places.
        tell(env, StrokeFacts.shot(pocketed=(1, 0), striker=True))
        assert env.agent_selection == "player_1"
        before = env.layout(), dict(env.infos), env.agent_selection
        action = act(env)
        for agent in env.possible_agents:
            if agent != env.agent_selection:
                with pytest.raises(ActionError, match=r"decision = 'place'.*'strike'"):
                    env.step_as(agent, action)
        assert (env.layout(), dict(env.infos), env.agent_selection) == before

    def test_by_nobody_or_after_the_end_or_with_no_action(self, module: ModuleType) -> None:
        env = module.raw_env(task="board", max_cycles=1)
        env.reset(seed=0)
        action = act(env)
        with pytest.raises(ActionError, match=r"agent = 'player_9'.*'player_0'"):
            env.step_as("player_9", action)
        waiting = next(a for a in env.possible_agents if a != env.agent_selection)
        with pytest.raises(ActionError, match="action"):
            env.step_as(waiting, None)
        env.step(action)
        for agent in env.agents[1:]:
            with pytest.raises(ActionError, match="decision = 'nothing'"):
                env.step_as(agent, action)

    def test_the_game_goes_on_with_the_next_board(self, module: ModuleType, put: Any) -> None:
        env = module.raw_env(task="game", reward="points")
        env.reset(seed=0)
        put(env, seat=0)
        sums = dict.fromkeys(env.possible_agents, 0.0)
        turns = len(env.possible_agents)
        # Six carrommen and the queen of a board in play, nine and the queen of new ones.
        for board, points in enumerate((9, 12, 12, 12)):
            # 49: the break goes on to the next.
            assert env.agent_selection == f"player_{board % turns}"
            env.step_as(f"player_{(board + 1) % turns}", act(env))
            assert env.rewards["player_0"] == (points if board % 2 == 0 else -points)
            if board < 3:
                assert env.layout().counts == (9, 9)
        put(env, seat=0, game={"score": [21, 24]})
        env.step_as("player_1", act(env))
        # Nobody has acted by step, so everything that was earned is still to be read.
        for agent in env.agent_iter():
            sums[agent] += env.last()[1]
            env.step(None)
        # 21 - 24 by the boards so far, and nine points more.
        for agent, total in sums.items():
            assert total == (6.0 if int(agent[-1]) % 2 == 0 else -6.0)


class TestObservations:
    """What each seat is shown."""

    @pytest.mark.law("131")
    @pytest.mark.parametrize("illegal", ["charged", "masked"])
    def test_partners_see_the_same_table(self, illegal: str) -> None:
        env = carrom_doubles_v0.raw_env(
            task="board", illegal_placing=illegal, max_cycles=150, noise="club", **EVERYTHING
        )
        asked = set()
        for seed in range(2):
            env.reset(seed=seed)
            seed_spaces(env, seed)
            while not (any(env.terminations.values()) or any(env.truncations.values())):
                asked.add(env.infos["player_0"]["decision"])
                for seat in range(4):
                    mine, his = (env.observe(f"player_{s % 4}") for s in (seat, seat + 2))
                    assert np.array_equal(mine, half_turned(his))
                env.step(act(env))
        assert {"strike", "place", "toss"} <= asked

    @BOTH
    def test_opponents_see_it_with_colours_exchanged(self, module: ModuleType, put: Any) -> None:
        env = module.raw_env(task="board")
        env.reset(seed=0)
        put(env, seat=0, owed=(1, 0), game={"score": [5, 11]})
        mine, theirs = env.observe("player_0"), env.observe("player_1")
        pieces = mine[:57].reshape(19, 3), theirs[:57].reshape(19, 3)
        order = np.r_[9:18, 0:9, 18]
        x, y, there = pieces[0][order].T
        # From the right-hand side a point at (x, y) is at (y, -x); from opposite at (-x, -y).
        turned = (y, -x) if module is carrom_doubles_v0 else (-x, -y)
        assert np.array_equal(pieces[1], np.stack([*turned, there], axis=1) + 0.0)
        assert np.array_equal(mine[[62, 63, 64, 65]], [1, 0, 5, 11])
        assert np.array_equal(theirs[[62, 63, 64, 65]], [0, 1, 11, 5])
        step = 1 if module is carrom_doubles_v0 else 2
        for observation, turn in ((mine, 0), (theirs, 4 - step)):
            assert np.flatnonzero(observation[78:82]).tolist() == [turn]
            assert np.flatnonzero(observation[82:86]).tolist() == [turn]


def half_turned(observation: np.ndarray) -> np.ndarray:
    """An observation as it would be from the seat opposite, of the same colour."""
    turned = observation.copy()
    pieces = turned[:57].reshape(19, 3)
    pieces[:, :2] = -pieces[:, :2] + 0.0
    for start in (78, 82):
        turned[start : start + 4] = np.roll(observation[start : start + 4], 2)
    return turned


def bad_actions() -> Iterator[tuple[dict[str, Any], Callable[[Any], Any]]]:
    place = {"place": np.zeros(2, np.float32), "waive": 0}
    strike = {"strike": np.zeros(3, np.float32)}
    yield {}, lambda good: np.array([0, 0, 2.0])
    yield {}, lambda good: {"strike": good}
    yield {"action_coding": "target"}, lambda good: good | {"shot": 40}
    yield {"toss": "agent"}, lambda good: good["strike"]
    yield {"toss": "agent"}, lambda good: good | {"toss": 2}
    yield {"toss": "agent"}, lambda good: good | {"claim": 1}
    yield {"due_placing": "agent"}, lambda good: strike
    yield {"due_placing": "agent"}, lambda good: strike | place | {"place": [0.0, 1.01]}
    yield {"due_placing": "agent"}, lambda good: strike | place | {"place": [0.0, np.nan]}
    yield {"due_placing": "agent"}, lambda good: strike | place | {"waive": -1}
    yield {"due_placing": "agent", "illegal_placing": "masked"}, lambda good: strike | place
    yield {"claims": "agent"}, lambda good: good | {"claim": 3}


@pytest.mark.parametrize(("options", "spoil"), list(bad_actions()))
def test_an_action_outside_the_space_is_refused_and_changes_nothing(
    options: dict[str, Any], spoil: Callable[[Any], Any]
) -> None:
    env = carrom_singles_v0.raw_env(task="board", **options)
    env.reset(seed=0)
    good = act(env)
    before = env.layout(), copy.deepcopy(env.infos), env.agent_selection
    with pytest.raises(ActionError, match="action"):
        env.step(spoil(good))
    assert env.layout() == before[0]
    assert env.agent_selection == before[2]
    env.step(good)


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("opponent", "random", "every seat is an agent"),
        ("partner", "random", "every seat is an agent"),
        ("first", "agent", "every seat is an agent"),
        ("max_strokes", 5, "every seat is an agent"),
        ("task", "solo", "'match', 'game' or 'board'"),
        ("max_cycles", 0, "positive"),
        ("reward", "gold", "aicf"),
        ("colour", "blue", "unknown option"),
    ],
)
def test_options(option: str, value: Any, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        carrom_singles_v0.env(**{option: value})


@BOTH
@pytest.mark.law("39.a")
@pytest.mark.parametrize("toss", ["break", "side"])
def test_the_infos_say_who_won_the_toss(module: ModuleType, toss: str) -> None:
    env = module.raw_env(task="board", toss=toss)
    for seed in range(6):
        env.reset(seed=seed)
        told = [info["toss"] for info in env.infos.values()]
        assert all(other == told[0] for other in told)
        assert told[0]["choice"] == toss
        assert (told[0]["winner"] == env.agent_selection) == (toss == "break")


@BOTH
@pytest.mark.parametrize("reads", [True, False])
def test_nothing_earned_is_lost_when_somebody_else_acts(module: ModuleType, reads: bool) -> None:
    """An agent's last() sums, over its own acts and its end, to what its side earned."""
    env = module.raw_env(task="board", reward="aicf")
    env.reset(seed=0)
    sums = dict.fromkeys(env.possible_agents, 0.0)
    for _ in range(8):
        sums[env.agent_selection] += env.last()[1]
        env.step(act(env))
    if reads:
        env.last()
    waiting = env.possible_agents.index(env.agent_selection)
    env.step_as(f"player_{1 - waiting % 2}", act(env))
    for agent in env.agent_iter():
        sums[agent] += env.last()[1]
        info = env.infos[agent]
        env.step(None)
        own, opponent = info["result"]["points"]
        assert sums[agent] == pytest.approx(own - opponent)


@BOTH
def test_an_answer_that_is_no_action_is_played_to_the_last_bit(module: ModuleType) -> None:
    """A strike between two floats of the action space, and what the player sees of it."""
    env = module.raw_env(task="board")
    env.reset(seed=3)
    assert env.view().break_to_be_made
    strike = carrom.Strike(place=0.1234567890123, direction=0.0123456789012, speed=4.567890123456)
    env.answer(strike)
    (stroke,) = env.last_strokes
    assert stroke.meant == strike
    assert stroke.strike == strike
    assert env.position().layout == env.layout() == stroke.after.layout
    observed = env.observe(env.agent_selection)
    assert np.array_equal(observed, env.setting.observe(env.view()))


def test_there_is_nothing_to_answer_after_the_end() -> None:
    env = carrom_singles_v0.raw_env(task="board", max_cycles=1)
    env.reset(seed=0)
    env.answer(carrom.Strike(0.0, 0.0, 1.0))
    with pytest.raises(ActionError, match="the episode is over"):
        env.answer(carrom.Strike(0.0, 0.0, 1.0))
