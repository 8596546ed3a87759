"""A film at a steady rate, against numpy's interpolation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrom.errors import ConfigError
from carrom.physics.motion import Trajectory
from carrom.render.film import stills


def film(times, seed=0):
    rng = np.random.default_rng(seed)
    in_play = np.sort(rng.random((len(times), 20)) < 0.7, axis=0)[::-1]  # once fallen, gone
    return Trajectory(np.array(times), rng.uniform(-0.3, 0.3, (len(times), 20, 2)), in_play)


@given(
    steps=st.lists(st.floats(1e-6, 0.3), min_size=1, max_size=20),
    fps=st.floats(1.0, 120.0),
    seed=st.integers(0, 1000),
)
def test_stills_are_the_film_interpolated(steps, fps, seed):
    times = np.concatenate([[0.0], np.cumsum(steps)])
    trajectory = film(times, seed)
    shown = list(stills(trajectory, fps))
    moments = np.minimum(np.arange(len(shown)) / fps, times[-1])
    for disc in range(20):
        for axis in range(2):
            expected = np.interp(moments, times, trajectory.positions[:, disc, axis])
            assert [p[disc, axis] for p, _ in shown] == pytest.approx(expected, abs=1e-9)
    for moment, (_, in_play) in zip(moments, shown, strict=True):
        latest = np.flatnonzero(times <= moment)[-1]
        assert np.array_equal(in_play, trajectory.in_play[latest])
    assert times[-1] <= (len(shown) - 1) / fps + 1e-6 / fps < times[-1] + 1 / fps + 1e-6


def test_a_whole_number_of_periods_has_one_still_more():
    shown = list(stills(film(np.arange(11) / 10), 30.0))
    assert len(shown) == 31


def test_first_and_last_still_are_the_films_own():
    trajectory = film([0.0, 0.4, 1.03])
    shown = list(stills(trajectory, 25.0))
    for index in (0, -1):
        assert np.array_equal(shown[index][0], trajectory.positions[index])
        assert np.array_equal(shown[index][1], trajectory.in_play[index])


def test_a_film_of_one_moment_is_one_still():
    assert len(list(stills(film([0.0]), 60.0))) == 1


@pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), float("inf")])
def test_the_rate_is_positive(fps):
    with pytest.raises(ConfigError, match="fps = "):
        next(stills(film([0.0, 1.0]), fps))
