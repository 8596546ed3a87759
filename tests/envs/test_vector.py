"""The vector environment against Gymnasium's own loop over single environments."""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

import carrom
from carrom.errors import ActionError, ConfigError, WorkerError
from carrom.opponents import find_opponent

MODES = list(AutoresetMode)


def make(num_envs: int, id: str = "CarromShot-v0", **options: Any) -> carrom.CarromVectorEnv:
    env = gym.make_vec(id, num_envs=num_envs, **options).unwrapped
    assert isinstance(env, carrom.CarromVectorEnv)
    return env


def singles(
    num_envs: int, mode: AutoresetMode, id: str = "CarromShot-v0", **options: Any
) -> SyncVectorEnv:
    def one() -> gym.Env:
        return gym.make(id, disable_env_checker=True, **options).unwrapped

    return SyncVectorEnv([one] * num_envs, autoreset_mode=mode)


def assert_same(one: Any, other: Any, where: str = "result") -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, np.ndarray) and one.dtype != object:
        assert one.dtype == other.dtype, where
        assert np.array_equal(one, other), where
    elif isinstance(one, list | tuple | np.ndarray):
        assert len(one) == len(other), where
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_same(left, right, f"{where}[{index}]")
    else:
        assert one == other, where


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**31), num_envs=st.integers(1, 5), limit=st.integers(1, 6))
def test_equals_single_environments_over_several_autoresets(
    mode: AutoresetMode, seed: int, num_envs: int, limit: int
) -> None:
    options = {"noise": "club", "max_strokes": limit, "action_coding": "target"}
    ours = make(num_envs, "CarromBoard-v0", autoreset_mode=mode, **options)
    reference = singles(num_envs, mode, "CarromBoard-v0", **options)
    assert_same(ours.reset(seed=seed), reference.reset(seed=seed))
    ours.action_space.seed(seed)
    ends = np.zeros(num_envs, int)
    for _ in range(200):
        action = ours.action_space.sample()
        step = ours.step(action)
        assert_same(step, reference.step(action))
        over = step[2] | step[3]
        ends += over
        if mode is AutoresetMode.DISABLED and over.any():
            assert_same(
                ours.reset(options={"reset_mask": over}),
                reference.reset(options={"reset_mask": over}),
            )
        if ends.min() >= 3:
            return
    raise AssertionError("no three episodes ended")


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_drills_of_one_stroke_equal_single_environments(mode: AutoresetMode) -> None:
    ours, reference = make(4, autoreset_mode=mode), singles(4, mode)
    assert_same(ours.reset(seed=1), reference.reset(seed=1))
    ours.action_space.seed(1)
    for _ in range(8):
        action = ours.action_space.sample()
        assert_same(ours.step(action), reference.step(action))


@pytest.mark.parametrize(
    ("mode", "workers"),
    [
        (AutoresetMode.SAME_STEP, 2),
        (AutoresetMode.DISABLED, 3),
    ],
)
def test_workers_change_nothing_and_end_with_the_environment(
    mode: AutoresetMode, workers: int
) -> None:
    logs = []
    for count in (1, workers):
        before = set(multiprocessing.active_children())
        env = make(
            5, "CarromBoard-v0", autoreset_mode=mode, noise="expert", max_strokes=3, workers=count
        )
        started = set(multiprocessing.active_children()) - before
        assert len(started) == (count if count > 1 else 0)
        env.action_space.seed(0)
        log: list[Any] = [env.reset(seed=0)]
        for _ in range(8):
            log.append(env.step(env.action_space.sample()))
            over = log[-1][2] | log[-1][3]
            if mode is AutoresetMode.DISABLED and over.any():
                log.append(env.reset(options={"reset_mask": over}))
        log += [env.np_random_seed, [view.positions for view in env.views()]]
        log += [[len(strokes) for strokes in env.last_strokes]]
        env.close()
        assert not started & set(multiprocessing.active_children())
        logs.append(log)
    assert_same(logs[0], logs[1])


class TestWorkers:
    """Processes that play the boards."""

    def test_an_error_in_a_worker_reaches_the_caller(self) -> None:
        env = make(2, "CarromBoard-v0", workers=2, opponent=_gives_up, first="agent")
        try:
            env.reset(seed=0)
            with pytest.raises(RuntimeError, match="no more carrom"):
                _until_the_opponent_strikes(env)
        finally:
            env.close()

    def test_a_worker_that_dies_is_named(self) -> None:
        env = make(2, "CarromBoard-v0", workers=2, opponent=_dies, first="agent")
        try:
            env.reset(seed=0)
            with pytest.raises(WorkerError, match="exit code 7"):
                _until_the_opponent_strikes(env)
        finally:
            env.close()


def _until_the_opponent_strikes(env: carrom.CarromVectorEnv) -> None:
    for _ in range(5):
        env.step(np.array([[0, 0, 1], [0, 0, 1]], np.float32))


def _gives_up(view: carrom.View, rng: np.random.Generator) -> carrom.Strike:
    raise RuntimeError("no more carrom")


def _dies(view: carrom.View, rng: np.random.Generator) -> carrom.Strike:
    os._exit(7)


def test_final_observation_is_not_overwritten_by_the_reset() -> None:
    env = make(3, autoreset_mode="SameStep")
    env.reset(seed=0)
    observations, *_, infos = env.step(np.zeros((3, 3), np.float32))
    for index, final in enumerate(infos["final_obs"]):
        assert not np.array_equal(final, observations[index])
        assert final is not None
        assert not np.shares_memory(final, observations)
    assert infos["final_info"]["strokes"].tolist() == [1, 1, 1]


def test_observations_are_fresh_arrays() -> None:
    env = make(2)
    first, _ = env.reset(seed=0)
    kept = first.copy()
    second, *_ = env.step(np.zeros((2, 3), np.float32))
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, second)


def test_one_integer_seeds_everything() -> None:
    env = make(3)
    assert env.np_random_seed == (-1, -1, -1)
    env.reset(seed=10)
    assert env.np_random_seed == (10, 11, 12)
    starts = env.reset(seed=10)[0]
    assert np.array_equal(starts, env.reset(seed=[10, 11, 12])[0])
    assert not np.array_equal(starts, env.reset()[0])
    assert len({start.tobytes() for start in starts}) == 3


def test_strikes_and_views_bypass_the_coding() -> None:
    env = make(3, "CarromBoard-v0", opponent="random")
    env.reset(seed=0)
    player, rng = find_opponent("random"), np.random.default_rng(0)
    for _ in range(3):
        strikes = [player(view, rng) for view in env.views()]
        env.answer(strikes)
        played = [next(s for s in strokes if s.own).strike for strokes in env.last_strokes]
        assert played == strikes


class TestBadInput:
    """One clear error each, and nothing half done."""

    def test_options(self) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"num_envs": 0}, "num_envs"),
            ({"workers": 0}, "workers"),
            ({"autoreset_mode": "never"}, "autoreset_mode"),
            ({"render_mode": "human"}, "render_mode"),
            ({"colour": 1}, "unknown option"),
        ]
        for options, complaint in cases:
            with pytest.raises(ConfigError, match=complaint):
                carrom.CarromVectorEnv(**options, task="shot")

    def test_one_bad_action_stops_the_step_before_anything_is_played(self) -> None:
        env = make(3, "CarromBoard-v0")
        env.reset(seed=0)
        before = [view.positions for view in env.views()]
        actions = np.zeros((3, 3), np.float32)
        actions[2, 1] = np.nan
        with pytest.raises(ActionError, match="nan"):
            env.step(actions)
        assert all(
            np.array_equal(old, view.positions)
            for old, view in zip(before, env.views(), strict=True)
        )

    @pytest.mark.parametrize(
        "mask", [[True, False], np.zeros(2, bool), np.ones(3, bool), np.ones(2)]
    )
    def test_reset_masks(self, mask: Any) -> None:
        env = make(2)
        env.reset(seed=0)
        with pytest.raises(ConfigError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})

    @pytest.mark.parametrize("seed", [[1], 1.5])
    def test_seeds(self, seed: Any) -> None:
        with pytest.raises(ConfigError, match="seed"):
            make(2).reset(seed=seed)

    def test_unknown_reset_options(self) -> None:
        with pytest.raises(ConfigError, match="reset_mas"):
            make(2).reset(options={"reset_mas": np.ones(2, bool)})

    def test_an_opponent_that_cannot_be_sent_to_a_worker(self) -> None:
        with pytest.raises(ConfigError, match="opponent"):
            make(2, workers=2, opponent=lambda view, rng: None)

    def test_stepping_before_reset_and_after_the_end(self) -> None:
        env = make(2, autoreset_mode="Disabled")
        with pytest.raises(gym.error.ResetNeeded):
            env.step(np.zeros((2, 3), np.float32))
        env.reset(seed=0)
        env.step(np.zeros((2, 3), np.float32))
        with pytest.raises(gym.error.ResetNeeded):
            env.step(np.zeros((2, 3), np.float32))
