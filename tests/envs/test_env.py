"""The environment as a user of Gymnasium meets it."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import carrom
from carrom.action import MIN_SPEED
from carrom.errors import ActionError, BoardError, ConfigError, FactsError, PhysicsError
from carrom.physics.mujoco import replay
from carrom.physics.strike import Strike

IDS = list(carrom.ENVIRONMENTS)


def make(id: str = "CarromBoard-v0", **options: Any) -> carrom.CarromEnv:
    env = gym.make(id, **options).unwrapped
    assert isinstance(env, carrom.CarromEnv)
    return env


def play(env: carrom.CarromEnv, seed: int, strokes: int) -> list[Any]:
    """Everything reported over some strokes of seeded random actions, across episodes."""
    env.action_space.seed(seed)
    log: list[Any] = [env.reset(seed=seed)]
    for _ in range(strokes):
        log.append(env.step(env.action_space.sample()))
        if log[-1][2] or log[-1][3]:
            log.append(env.reset())
    return log


def same(one: Any, other: Any) -> bool:
    """Equal to the last bit, through tuples and dictionaries."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("coding", ["direct", "target"])
def test_gymnasiums_checker_has_nothing_to_say(id: str, coding: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Windows need a display; the other render modes are tested with the drawing.
        check_env(make(id, action_coding=coding, max_strokes=20), skip_render_check=True)


@pytest.mark.parametrize("id", IDS)
def test_a_seed_fixes_everything_and_another_changes_it(id: str) -> None:
    options = {"noise": "club", "max_strokes": 25}
    one = play(make(id, **options), seed=7, strokes=20)
    again = play(make(id, **options), seed=7, strokes=20)
    other = play(make(id, **options), seed=8, strokes=20)
    assert same(one, again)
    assert not same(one, other)


def test_episodes_after_the_first_start_differently() -> None:
    env = make("CarromShot-v0")
    starts = [env.reset(seed=3)[0], *(env.reset()[0] for _ in range(5))]
    assert len({start.tobytes() for start in starts}) == len(starts)


def test_observations_are_fresh_arrays() -> None:
    env = make()
    first, _ = env.reset(seed=0)
    kept = first.copy()
    second, *_ = env.step(np.array([0.0, 0.0, 0.5], np.float32))
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("id", ["CarromBoard-v0", "CarromSolo-v0"])
def test_a_restored_environment_goes_on_bit_for_bit(id: str) -> None:
    env = make(id, noise="expert", max_strokes=60)
    play(env, seed=1, strokes=5)
    state = env.get_state()
    actions = [env.action_space.sample() for _ in range(100)]

    def go_on(env: carrom.CarromEnv) -> list[Any]:
        log: list[Any] = []
        for action in actions:
            log.append(env.step(action))
            if log[-1][2] or log[-1][3]:
                log.append(env.reset())
        return log

    wanted = go_on(env)
    env.set_state(state)
    assert same(go_on(env), wanted)
    elsewhere = make(id, noise="expert", max_strokes=60)
    elsewhere.set_state(pickle.loads(pickle.dumps(state)))
    assert same(go_on(elsewhere), wanted)


def test_pickling_in_the_middle_of_a_board_keeps_everything() -> None:
    env = make(noise="expert", opponent="random")
    play(env, seed=4, strokes=6)
    copy = pickle.loads(pickle.dumps(env))
    for _ in range(10):
        action = env.action_space.sample()
        step = env.step(action)
        assert same(step, copy.step(action))
        if step[2] or step[3]:
            break


@pytest.mark.parametrize("reward", ["aicf", "points"])
@pytest.mark.parametrize("seed", range(3))
def test_rewards_of_a_board_sum_to_points_won_minus_points_lost(reward: str, seed: int) -> None:
    env = make(reward=reward, noise="beginner", max_strokes=5_000)
    env.action_space.seed(seed)
    env.reset(seed=seed)
    total, over, info = 0.0, False, {}
    while not over:
        _, value, terminated, truncated, info = env.step(env.action_space.sample())
        assert value == pytest.approx(sum(info["reward_terms"].values()))
        total += value
        over = terminated or truncated
    points = info["result"]["points"] if "result" in info else None
    assert points is not None, "random players finish a board within the stroke limit"
    assert total == pytest.approx(points[0] - points[1])
    assert {"own": points[0] > points[1], "opponent": points[0] < points[1]}[
        info["result"]["winner"]
    ]


def test_the_result_reward_is_paid_once() -> None:
    env = make(reward="result", max_strokes=5_000)
    env.action_space.seed(0)
    env.reset(seed=0)
    rewards, terminated, info = [], False, {}
    while not terminated:
        _, value, terminated, _, info = env.step(env.action_space.sample())
        rewards.append(value)
    assert rewards[:-1] == [0.0] * (len(rewards) - 1)
    assert rewards[-1] == (1.0 if info["result"]["winner"] == "own" else -1.0)


def test_the_stroke_limit_truncates_and_the_laws_terminate() -> None:
    env = make("CarromSolo-v0", max_strokes=3)
    env.reset(seed=0)
    flags = [env.step(np.array([0, 0, 1], np.float32))[2:4] for _ in range(3)]
    assert flags == [(False, False), (False, False), (False, True)]
    with pytest.raises(gym.error.ResetNeeded):
        env.step(np.zeros(3, np.float32))
    shot = make("CarromShot-v0")
    shot.reset(seed=0)
    assert shot.step(np.zeros(3, np.float32))[2:4] == (True, False)


def test_solo_never_lets_the_opponent_strike() -> None:
    env = make("CarromSolo-v0", opponent=_never_asked, noise="beginner")
    env.action_space.seed(2)
    env.reset(seed=2)
    for _ in range(60):
        _, _, terminated, truncated, info = env.step(env.action_space.sample())
        assert info["strokes"] == 1
        assert info["reward_terms"]["stroke"] == -1.0
        assert env.last_strokes[0].own
        if terminated or truncated:
            env.reset()


def _never_asked(view: Any, rng: Any) -> Strike:
    raise AssertionError("the opponent was asked for a strike")


def _straight_ahead(view: carrom.View, rng: np.random.Generator) -> Strike:
    return Strike(place=view.free_places[0][0], direction=0.0, speed=3.0)


@pytest.mark.parametrize(("first", "opponents_strokes"), [("agent", False), ("opponent", True)])
def test_first_says_who_breaks(first: str, opponents_strokes: bool) -> None:
    env = make(first=first, opponent=_straight_ahead)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        assert (info["strokes"] > 0) == opponents_strokes
        assert observation[69] == (0.0 if opponents_strokes else 1.0)  # white breaks


def test_both_sides_see_the_board_from_their_own_seat() -> None:
    seen: list[carrom.View] = []

    def watching(view: carrom.View, rng: np.random.Generator) -> Strike:
        seen.append(view)
        return _straight_ahead(view, rng)

    env = make(opponent=watching, first="agent")
    env.reset(seed=0)
    while not seen:
        env.step(np.array([0.0, 0.0, 1.0], np.float32))
    theirs = seen[0]
    before = next(stroke.before for stroke in env.last_strokes if not stroke.own)
    # Half a turn, black carrommen first: computed here from the layout itself.
    black_first = np.r_[9:18, 0:9, 18]
    assert np.array_equal(theirs.positions, -before.layout.positions[black_first] + 0.0)
    assert not theirs.plays_white


class TestStrictPlacing:
    """Improper placings are played and ruled upon."""

    def test_between_circle_and_line_is_improper(self) -> None:
        env = make("CarromShot-v0", striker_placing="strict")
        spot = np.array([0.2, carrom.Board().base_line_y])
        for seed in range(100):
            env.reset(seed=seed)
            if np.hypot(*(env.view().positions - spot).T).min() > 0.05:
                break
        # x = 0.2 m covers the base circle partly (130.b).
        *_, info = env.step(np.array([0.2 / 0.235, 0.0, 1.0, 0.0], np.float32))
        assert not info["facts"]["proper"]
        assert info["reward_terms"]["penalty"] == -1.0

    def test_setting_the_striker_onto_a_carromman_is_a_foul_and_moves_nothing(self) -> None:
        env = make("CarromShot-v0", striker_placing="strict")
        board = carrom.Board()
        line, near = board.base_line_y, np.array([], int)
        for seed in range(200):
            env.reset(seed=seed)
            x, y = env.view().positions.T
            blocking = env.view().on_board & (np.abs(y - line) < 0.02) & (np.abs(x) < 0.2)
            near = np.flatnonzero(blocking)
            if len(near):
                break
        place = float(env.view().positions[near[0], 0])
        before = env.layout()
        *_, info = env.answer(Strike(place=place, direction=0.0, speed=2.0))
        lying = before.on_board
        assert np.array_equal(env.layout().positions[lying], before.positions[lying])
        assert info["reward_terms"]["penalty"] == -1.0
        assert any(sentence.startswith("63.a") for sentence in info["ruling"])

    def test_snap_puts_it_on_a_free_place(self) -> None:
        env = make("CarromShot-v0", noise="beginner")
        env.action_space.seed(0)
        for seed in range(50):
            env.reset(seed=seed)
            free = env.view().free_places
            env.step(env.action_space.sample())
            strike = env.last_strokes[0].strike
            assert strike is not None
            assert any(low <= strike.place <= high for low, high in free)


class TestActions:
    """What an action means, and what is refused."""

    def test_the_ends_of_the_direct_coding(self) -> None:
        env = make("CarromShot-v0")
        env.reset(seed=0)
        view = env.view()
        strike = env.coding.strikes.decode(np.array([0, 0.5, 1]), view)
        assert strike.direction == pytest.approx(np.pi / 2)
        assert strike.speed == pytest.approx(5.0)
        strike = env.coding.strikes.decode(np.array([0, -1, -1]), view)
        assert strike.direction == pytest.approx(-np.pi)
        assert strike.speed == pytest.approx(MIN_SPEED)

    @pytest.mark.parametrize(
        ("action", "complaint"),
        [
            ([0, np.nan, 0], "nan"),
            ([0, 1.5, 0], "1.5"),
            ([0, np.inf, 0], "inf"),
            ([0, 0], "shape"),
            ([[0, 0, 0]], "shape"),
            ("left", "3 numbers"),
        ],
    )
    def test_bad_direct_actions(self, action: Any, complaint: str) -> None:
        env = make()
        env.reset(seed=0)
        before = env.get_state()
        with pytest.raises(ActionError, match=complaint):
            env.step(action)
        assert before.table is not None
        assert env.layout() == before.table.position.layout

    @pytest.mark.parametrize(
        "action",
        [
            {"shot": 40, "residual": np.zeros(3)},
            {"shot": -1, "residual": np.zeros(3)},
            {"shot": 1.5, "residual": np.zeros(3)},
            {"shot": 1, "residual": np.zeros(2)},
            {"shot": 1},
            np.zeros(3),
        ],
    )
    def test_bad_target_actions(self, action: Any) -> None:
        env = make(action_coding="target")
        env.reset(seed=0)
        with pytest.raises(ActionError, match="action"):
            env.step(action)

    def test_a_straight_target_shot_pockets(self) -> None:
        """From free positions the zero residual is the direct shot itself."""
        env = make("CarromShot-v0", action_coding="target")
        pocketed = tried = 0
        for seed in range(150):
            env.reset(seed=seed)
            view = env.view()
            if view.on_board.sum() > 4:
                continue
            env.step({"shot": 4 * 0 + 1, "residual": np.zeros(3, np.float32)})
            tried += 1
            pocketed += env.last_strokes[0].facts.pocketed.sum() > 0
        assert tried > 5
        assert pocketed / tried > 0.3


class TestBadOptions:
    """One clear error each: the option, the value, what was expected."""

    @pytest.mark.parametrize(
        ("option", "value", "expected"),
        [
            ("opponent", "nobody", "random"),
            ("opponent", 3, "callable"),
            ("action_coding", "polar", "direct"),
            ("striker_placing", "loose", "snap"),
            ("noise", "drunk", "expert"),
            ("reward", "gold", "aicf"),
            ("first", "me", "agent"),
            ("rack", "square", "tight"),
            ("max_strokes", 0, "positive"),
            ("max_strokes", 1.5, "positive"),
            ("ground", "ice", "coulomb"),
            ("film_rate", -1.0, "frames"),
            ("board", 0.74, "Board"),
            ("material", "wood", "Material"),
            ("render_mode", "hologram", "rgb_array"),
            ("rack_orientation", float("nan"), "rad"),
            ("rack_orientation", "x", "rad"),
            ("film_rate", float("inf"), "frames"),
            ("film_rate", 1e7, "frames"),
            ("film_rate", "x", "frames"),
            ("max_strokes", True, "positive"),
            ("opponent", ["random"], "callable"),
            ("noise", ["expert"], "expert"),
            ("action_coding", ["direct"], "target"),
            ("camera", "side", "perspective"),
            ("width", -1, "4096"),
            ("height", "a", "4096"),
            ("colour", "blue", "unknown option"),
        ],
    )
    def test_single(self, option: str, value: Any, expected: str) -> None:
        with pytest.raises(ConfigError, match=rf"{option}.*{expected}|{expected}.*{option}"):
            carrom.CarromEnv("board", **{option: value})

    def test_reset_has_no_options(self) -> None:
        with pytest.raises(ConfigError, match="bogus"):
            carrom.CarromEnv("board").reset(options={"bogus": 1})

    def test_a_board_dimension_that_is_no_number(self) -> None:
        with pytest.raises(BoardError, match="side = 'x'"):
            carrom.Board(side="x")  # pyright: ignore[reportArgumentType] -- the point of it

    def test_states_of_other_tasks_and_things_that_are_no_states(self) -> None:
        env, other = carrom.CarromEnv("board"), carrom.CarromEnv("match")
        other.reset(seed=0)
        for state in ({}, other.get_state()):
            with pytest.raises(ConfigError, match="state"):
                env.set_state(state)  # pyright: ignore[reportArgumentType] -- the point of it

    def test_an_opponent_that_returns_no_strike(self) -> None:
        env = make(opponent=lambda view, rng: None, first="opponent")
        with pytest.raises(ConfigError, match="seat 2: answer = None"):
            env.reset(seed=0)

    def test_unknown_id(self) -> None:
        with pytest.raises(gym.error.Error):
            gym.make("CarromBilliards-v0")

    def test_stepping_before_reset(self) -> None:
        with pytest.raises(gym.error.ResetNeeded):
            carrom.CarromEnv("board").step(np.zeros(3, np.float32))


def test_an_opponent_that_finishes_first_is_reported_by_the_first_step() -> None:
    env = make(first="opponent", max_strokes=1, opponent=_straight_ahead)
    env.reset(seed=0)
    *_, terminated, truncated, info = env.step(np.zeros(3, np.float32))
    assert (terminated, truncated) == (False, True)
    assert info["strokes"] == 1
    assert not info["facts"]["touched"]
    with pytest.raises(gym.error.ResetNeeded):
        env.step(np.zeros(3, np.float32))


def test_nobody_strikes_harder_than_at_full_force() -> None:
    env = make(first="agent", opponent=lambda view, rng: Strike(0.0, 0.0, 5.1))
    env.reset(seed=0)
    before = env.get_state()
    for speed in (5.001, 5_000.0):
        with pytest.raises(ActionError, match=rf"speed = {speed} m/s: expected at most full force"):
            env.answer(Strike(0.0, 0.0, speed))
    after = env.get_state()
    assert before.table is not None
    assert after.table is not None
    assert (after.table.position, after.table.strokes) == (before.table.position, 0)
    with pytest.raises(ConfigError, match=r"seat 2: speed = 5\.1 m/s: expected at most full"):
        _fail_to_break(env)


def _fail_to_break(env: carrom.CarromEnv) -> None:
    """Touch nothing until the opponent has the turn."""
    for _ in range(4):
        env.answer(Strike(0.0, 0.0, 0.3))


@pytest.mark.usefixtures("strong_hands")
class TestDivergedPhysics:
    """A stroke that cannot be computed voids the board (140); nothing is lost."""

    IMPOSSIBLE = Strike(place=0.0, direction=0.1, speed=5_000.0)

    def test_the_board_is_replayed_within_the_episode(self, tmp_path: Path) -> None:
        env = make(first="agent", opponent="random")
        env.reset(seed=0)
        env.step(np.array([0, 0, 1], np.float32))
        *_, terminated, truncated, info = env.answer(self.IMPOSSIBLE)
        assert not terminated
        assert not truncated
        assert info["failures"] == 1
        assert any(sentence.startswith("140") for sentence in info["ruling"])
        stroke = env.last_strokes[0]
        assert stroke.ruling.board_replayed
        assert stroke.failure is not None
        stroke.failure.dump.save(tmp_path / "dump.json")
        with pytest.raises(PhysicsError):
            replay(tmp_path / "dump.json")
        assert env.step(np.zeros(3, np.float32))[4]["failures"] == 0

    def test_a_drill_is_truncated_without_reward(self) -> None:
        env = make("CarromShot-v0")
        env.reset(seed=0)
        _, reward, terminated, truncated, info = env.answer(self.IMPOSSIBLE)
        assert (reward, terminated, truncated) == (0.0, False, True)
        assert info["failures"] == 1

    def test_other_boards_of_a_batch_are_not_disturbed(self) -> None:
        logs = []
        for first in (self.IMPOSSIBLE, Strike(0.0, 0.0, 2.0)):
            envs = gym.make_vec("CarromBoard-v0", num_envs=3, noise="expert").unwrapped
            assert isinstance(envs, carrom.CarromVectorEnv)
            envs.reset(seed=0)
            observations, *_ = envs.answer([first, *[Strike(0.1, 0.2, 3.0)] * 2])
            logs.append(observations[1:])
        assert np.array_equal(*logs)


def test_a_game_is_25_points_or_the_lead_after_eight_boards() -> None:
    env = make("Carrom-v0", opponent="random", reward="points")
    env.action_space.seed(5)
    env.reset(seed=5)
    boards, total = 0, 0.0
    while True:
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        boards += sum(bool(stroke.ruling.board_over) for stroke in env.last_strokes)
        total += reward
        if terminated or truncated:
            break
    assert terminated
    own, theirs = info["result"]["points"]
    assert total == own - theirs
    assert max(own, theirs) >= 25 or (boards >= 8 and own != theirs)
    assert info["result"]["winner"] == ("own" if own > theirs else "opponent")


@pytest.mark.parametrize("facts", [None, 3, "concede"])
def test_what_is_reported_has_to_be_facts(facts: Any) -> None:
    env = make()
    env.reset(seed=0)
    with pytest.raises(FactsError, match="expected StrokeFacts or an Event"):
        env.report(facts)
