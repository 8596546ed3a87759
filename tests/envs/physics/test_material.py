import math
import pickle

import numpy as np
import pytest

from carrom.errors import ConfigError
from carrom.physics.material import MATERIALS, Material, material, randomisation_range
from carrom.physics.noise import NOISE_LEVELS, ExecutionNoise, execution_noise
from carrom.physics.strike import Strike


def test_sample_stays_in_the_ranges_and_fills_them():
    rng = np.random.default_rng(0)
    drawn = [Material.sample(rng) for _ in range(300)]
    for name in Material.__dataclass_fields__:
        low, high = randomisation_range(name)
        values = np.array([getattr(m, name) for m in drawn])
        assert low <= values.min()
        assert values.max() <= high
        assert values.min() < low + 0.05 * (high - low)
        assert values.max() > high - 0.05 * (high - low)


@pytest.mark.parametrize("name", MATERIALS)
def test_presets_lie_in_the_ranges(name):
    for field in Material.__dataclass_fields__:
        low, high = randomisation_range(field)
        assert low <= getattr(material(name), field) <= high


@pytest.mark.parametrize("value", [math.nan, -0.1, 2.0, math.inf])
def test_bad_value_is_named(value):
    with pytest.raises(ConfigError, match=r"friction = .*expected 0.005 to 1"):
        Material(friction=value)


def test_unknown_names_list_the_known():
    with pytest.raises(ConfigError, match="nominal"):
        material("wood")
    with pytest.raises(ConfigError, match="friction_rim"):
        randomisation_range("hardness")
    with pytest.raises(ConfigError, match="beginner"):
        execution_noise("drunk")


def test_material_pickles_equal():
    drawn = Material.sample(np.random.default_rng(1))
    assert pickle.loads(pickle.dumps(drawn)) == drawn


def test_no_noise_changes_nothing():
    strike = Strike(0.1, 0.2, 3.0, 0.001)
    assert NOISE_LEVELS["none"].apply(strike, np.random.default_rng(0)) == strike


@pytest.mark.parametrize("level", ["master", "expert", "club", "beginner"])
def test_noise_has_its_deviations(level):
    noise, rng = execution_noise(level), np.random.default_rng(0)
    strike = Strike(0.1, 0.2, 3.0)
    made = [noise.apply(strike, rng) for _ in range(4000)]
    place = np.std([m.place for m in made])
    direction = np.std([m.direction for m in made])
    speed = np.std([m.speed for m in made]) / 3.0
    # Four standard errors of a standard deviation from 4000 draws are 4.5 %.
    assert place == pytest.approx(noise.place, rel=0.045)
    assert direction == pytest.approx(noise.direction, rel=0.045)
    assert speed == pytest.approx(noise.speed, rel=0.045)


def test_every_level_draws_equally_many_numbers():
    states = []
    for noise in NOISE_LEVELS.values():
        rng = np.random.default_rng(3)
        noise.apply(Strike(0.0, 0.0, 1.0), rng)
        states.append(rng.bit_generator.state["state"])
    assert all(state == states[0] for state in states)


def test_speed_is_never_negative():
    noise, rng = ExecutionNoise(0.0, 0.0, 5.0), np.random.default_rng(0)
    speeds = [noise.apply(Strike(0.0, 0.0, 1.0), rng).speed for _ in range(100)]
    assert min(speeds) == 0.0


def test_bad_noise_is_named():
    with pytest.raises(ConfigError, match="direction = nan"):
        ExecutionNoise(0.0, math.nan, 0.0)
