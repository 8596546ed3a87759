"""Environments on the fast engine: the same game as on the reference engine."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import carrom
from carrom.errors import ConfigError


def drills(physics: str, count: int) -> list[dict[str, Any]]:
    """What as many seeded strokes did, one from each of as many positions."""
    env = gym.make("CarromShot-v0", physics=physics, action_coding="target", noise="expert")
    env.action_space.seed(5)
    facts = []
    for seed in range(count):
        env.reset(seed=seed)
        facts.append(env.step(env.action_space.sample())[-1]["facts"])
    return facts


def test_both_engines_do_the_same_to_most_strokes() -> None:
    # Strokes of many impacts go their own ways: what is rounded differently soon differs.
    mujoco, planar = drills("mujoco", 150), drills("planar", 150)
    same = np.mean([one == other for one, other in zip(mujoco, planar, strict=True)])
    assert same > 0.8
    assert any(facts["pocketed_own"] for facts in planar)


def test_a_vector_of_boards_on_the_fast_engine_is_its_boards_one_by_one() -> None:
    options: dict[str, Any] = {"physics": "planar", "noise": "club", "max_strokes": 12}
    many = gym.make_vec("CarromBoard-v0", num_envs=3, autoreset_mode="Disabled", **options)
    single = [gym.make("CarromBoard-v0", **options) for _ in range(3)]
    many.action_space.seed(0)
    seen, _ = many.reset(seed=4)
    alone = [env.reset(seed=4 + k)[0] for k, env in enumerate(single)]
    assert np.array_equal(seen, alone)
    for _ in range(3):
        actions = many.action_space.sample()
        seen, rewards, *_ = many.step(actions)
        steps = [env.step(action) for env, action in zip(single, actions, strict=True)]
        assert np.array_equal(seen, [step[0] for step in steps])
        assert rewards.tolist() == [step[1] for step in steps]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"physics": "springs"}, "expected one of"),
        ({"physics": "planar", "ground": "contact"}, "expected 'coulomb'"),
    ],
)
def test_engines_that_do_not_exist(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        carrom.CarromEnv("shot", **options)
