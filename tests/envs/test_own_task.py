"""Episodes that begin, pay and end as a user's own functions say."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carrom
from carrom.board import Board, to_seat
from carrom.errors import ConfigError
from carrom.laws import DOUBLES, SINGLES, MatchFormat
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.replay import load, verify
from carrom.tasks import TASKS, Position, check_start, position_from
from carrom.view import QueenStatus

BOARD = Board()


def endgame(board: Board, rng: np.random.Generator) -> Position:
    """One to three carrommen each, the queen covered by the agent."""
    white, black = rng.integers(1, 4, size=2).tolist()
    layout = random_layout(board, rng, white=white, black=black, queen=False)
    return position_from(layout, queen=QueenStatus.MINE)


def opponents_endgame(board: Board, rng: np.random.Generator) -> Position:
    layout = random_layout(board, rng, white=3, black=3, queen=True, seat=2)
    return position_from(layout, seat=2, plays_white=False)


def own_touches(stroke: carrom.Stroke) -> dict[str, float]:
    return {"touched": 1.0 * (stroke.own and bool(stroke.facts.touched))}


def own_pocketing(stroke: carrom.Stroke) -> bool:
    return stroke.own and stroke.own_pocketed > 0


def make(id: str = "CarromBoard-v0", **options: Any) -> carrom.CarromEnv:
    env = gym.make(id, **options).unwrapped
    assert isinstance(env, carrom.CarromEnv)
    return env


@pytest.mark.parametrize("format", [SINGLES, DOUBLES])
def test_any_random_position_is_seen_as_it_was_asked_for(format: MatchFormat) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        seat = int(rng.choice(format.seats))
        counts = rng.integers(1, 9, size=2).tolist()
        queen = QueenStatus(int(rng.integers(4)))
        lies = queen == QueenStatus.ON_BOARD
        layout = random_layout(BOARD, rng, white=counts[0], black=counts[1], queen=lies, seat=seat)
        plays_white = bool(rng.integers(2))

        def start(board: Board, chance: np.random.Generator) -> Position:
            return position_from(
                layout,  # noqa: B023 -- called at once
                seat=seat,  # noqa: B023
                plays_white=plays_white,  # noqa: B023
                queen=queen,  # noqa: B023
                format=format,
            )

        doubles = format.doubles
        env = carrom.CarromAECEnv(doubles=doubles, task="board", start=start)
        env.reset(seed=0)
        assert env._seats[env.agent_selection] == seat
        view = env._table_in_play().view
        assert (view.plays_white, view.queen) == (plays_white, queen)
        assert view.queen_allowed
        assert not view.break_to_be_made
        assert view.turn_begun == (queen == QueenStatus.WAITING)
        own = slice(0, 9) if plays_white else slice(9, 18)
        mine = to_seat(layout.positions[own], seat)
        np.testing.assert_allclose(view.positions[:9], np.where(view.on_board[:9, None], mine, 0))


@pytest.mark.parametrize("id", ["CarromShot-v0", "CarromSolo-v0", "CarromBoard-v0", "Carrom-v0"])
def test_every_task_begins_there_and_differently_by_the_seed(id: str) -> None:
    env = make(id, start=endgame)
    seen = []
    for seed in (0, 1, 0):
        observation, info = env.reset(seed=seed)
        assert "toss" not in info
        assert observation[59] == 1  # the queen is mine
        assert 1 <= observation[2:27:3].sum() <= 3
        seen.append(observation)
    assert np.array_equal(seen[0], seen[2])
    assert not np.array_equal(seen[0], seen[1])


def test_boards_after_the_first_are_racked() -> None:
    env = make("Carrom-v0", start=endgame, opponent="aimer", noise="master")
    env.reset(seed=3)
    for _ in range(60):
        env.answer(_aimed(env))
        if any(stroke.ruling.board_over for stroke in env.last_strokes):
            break
    assert env.view().board_number == 2
    assert env.view().on_board.sum() > 6


def _aimed(env: carrom.CarromEnv) -> carrom.Strike:
    from carrom_agents.scripted import aimer

    return aimer(env.view(), np.random.default_rng(0))


def test_others_strike_first_where_they_have_the_turn() -> None:
    env = make(start=opponents_endgame, opponent="random")
    env.reset(seed=0)
    assert env.last_strokes
    assert not env.last_strokes[0].own
    assert env.view().plays_white


def test_many_boards_begin_as_single_ones_do() -> None:
    envs = gym.make_vec(
        "CarromBoard-v0", num_envs=3, start=endgame, ends=own_pocketing, reward=own_touches
    )
    observations, _ = envs.reset(seed=5)
    envs.action_space.seed(0)
    actions = [envs.action_space.sample() for _ in range(4)]
    singles = [make(start=endgame, ends=own_pocketing, reward=own_touches) for _ in range(3)]
    for index, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=5 + index)[0], observations[index])
    over = np.zeros(3, bool)
    for action in actions:
        after, rewards, terminated, truncated, _ = envs.step(action)
        for index, env in enumerate(singles):
            # In the mode "NextStep" a board that is over is reset by its next step.
            want = env.reset() if over[index] else env.step(action[index])
            assert np.array_equal(after[index], want[0])
            if not over[index]:
                assert (rewards[index], terminated[index], truncated[index]) == want[1:4]
        over = terminated | truncated


def test_own_rewards_are_what_the_function_says_of_every_stroke() -> None:
    told: list[carrom.Stroke] = []

    def reward(stroke: carrom.Stroke) -> Mapping[str, float]:
        told.append(stroke)
        return {"own": float(stroke.own), "speed": 0.5}

    env = make(reward=reward, opponent="random", first="agent")
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(10):
        told.clear()
        *_, paid, _, _, info = env.step(env.action_space.sample())
        assert tuple(told) == env.last_strokes
        assert info["reward_terms"] == {"own": 1.0, "speed": 0.5 * len(told)}
        assert paid == 1 + 0.5 * len(told)


def test_an_own_end_terminates_without_a_result_of_the_board() -> None:
    env = make(start=endgame, ends=own_pocketing, reward="result", noise="master")
    ended = 0
    for seed in range(12):
        env.reset(seed=seed)
        _, reward, terminated, truncated, info = env.answer(_aimed(env))
        (last, *_) = env.last_strokes
        if last.own_pocketed and not last.ruling.board_over:
            ended += 1
            assert (terminated, truncated, reward) == (True, False, 0.0)
            assert info["result"] == {"winner": None, "points": (0, 0)}
            assert len(env.last_strokes) == 1
    assert ended > 3


def test_a_replay_of_it_is_verified(tmp_path: Path) -> None:
    env = make(start=endgame, ends=own_pocketing, record=True, noise="expert", max_strokes=6)
    env.reset(seed=1)
    over = False
    while not over:
        *_, terminated, truncated, _ = env.answer(_aimed(env))
        over = terminated or truncated
    replay = load(env.replay().save(tmp_path / "endgame.json.gz"))
    assert verify(replay).equal
    assert replay.strokes[0].before.layout.counts[0] <= 3


def test_where_every_seat_is_an_agent_the_other_side_gets_the_opposite() -> None:
    env = carrom.CarromAECEnv(doubles=False, task="board", start=endgame, reward=own_touches)
    env.reset(seed=0)
    env.action_space("player_0").seed(0)
    for _ in range(4):
        env.step(env.action_space(env.agent_selection).sample())
        assert env.rewards["player_0"] == -env.rewards["player_1"]
        own = [stroke for stroke in env.last_strokes if stroke.own]
        assert env.rewards["player_0"] == sum(bool(stroke.facts.touched) for stroke in own)


def _lying(**changes: Any) -> Position:
    rng = np.random.default_rng(0)
    layout = random_layout(BOARD, rng, white=3, black=3, queen=True)
    return dataclasses.replace(position_from(layout), **changes)


def _moved(position: Position, x: float, y: float) -> Position:
    return dataclasses.replace(position, layout=position.layout.with_piece(0, (x, y)))


def _state(position: Position, **fields: Any) -> Position:
    board = dataclasses.replace(position.match.board, **fields)
    return dataclasses.replace(position, match=dataclasses.replace(position.match, board=board))


_OVER_POCKET = float(BOARD.pocket_offset)
_EMPTY = Layout(np.zeros((19, 2)), np.zeros(19, bool))


@pytest.mark.parametrize(
    ("position", "said"),
    [
        (_lying().layout, r"start gave a Layout: expected a carrom Position"),
        (_moved(_lying(), 0.4, 0.0), r"start: carromman 0 at"),
        (_moved(_lying(), _OVER_POCKET, _OVER_POCKET), r"over a pocket"),
        (_lying(layout=_EMPTY), r"start: \(0, 0\) white and black carrommen lie.*counts \(3, 3\)"),
        (_state(_lying(), queen=np.int32(2)), r"queen = COVERED_WHITE while she lies"),
        (_state(_lying(), striker=np.int32(1)), r"not the carrommen of black"),
        (_state(_lying(), seat=np.int32(1)), r"seat 1 has the turn: expected \(0, 2\)"),
    ],
)
def test_a_position_that_cannot_be_is_refused(position: Any, said: str) -> None:
    env = make(start=lambda board, rng: position)
    with pytest.raises(ConfigError, match=said):
        env.reset(seed=0)


@pytest.mark.parametrize("task", ["shot", "solo"])
def test_where_only_the_agent_strikes_it_has_the_turn(task: str) -> None:
    position = opponents_endgame(BOARD, np.random.default_rng(0))
    with pytest.raises(ConfigError, match="seat 2 has the turn: expected the agent's, 0"):
        check_start(position, TASKS[task], SINGLES, BOARD)
    check_start(position, TASKS["board"], SINGLES, BOARD)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": "endgame"}, r"start = 'endgame': expected None or a callable \(board, rng\)"),
        ({"ends": 3}, r"ends = 3: expected None or a callable \(stroke\) -> bool"),
        ({"reward": 3}, r"reward = 3: expected one of \['aicf'"),
        ({"start": endgame, "first": "agent"}, r"first = 'agent': expected 'random' with start"),
        ({"start": endgame, "toss": "agent"}, r"toss = 'agent': expected 'break' with start"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make(**options)


def test_a_reward_that_is_no_dictionary_is_refused() -> None:
    env = make("CarromShot-v0", reward=lambda stroke: 1.0)
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=r"reward gave 1.0: expected a number by each name"):
        env.step(env.action_space.sample())


def test_what_cannot_be_sent_to_a_worker_is_named() -> None:
    with pytest.raises(ConfigError, match=r"ends = <function.*cannot be sent to a worker"):
        gym.make_vec("CarromBoard-v0", num_envs=2, workers=2, ends=lambda stroke: True)


def test_the_functional_environment_takes_presets_only() -> None:
    with pytest.raises(ConfigError, match="reward = "):
        carrom.Functional("shot", reward=own_touches)  # pyright: ignore[reportArgumentType]


def test_a_seat_that_nobody_has_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"seat = 1: expected one of \(0, 2\)"):
        position_from(_lying().layout, seat=1)
