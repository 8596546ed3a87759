"""The MJCF by itself, stepped by nothing but ``mj_step``."""

import mujoco
import numpy as np
import pytest

from carrom.board import Board
from carrom.errors import ConfigError
from carrom.physics.material import Material
from carrom.physics.scene import FIXED_STEP, build_mjcf
from carrom.pieces import N_DISCS, STRIKER

BOARD, MATERIAL = Board(), Material()


def load(positions=None):
    text = build_mjcf(BOARD, MATERIAL, "contact", positions=positions)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    return model, data, data.qpos.reshape(N_DISCS, 4), data.qvel.reshape(N_DISCS, 4)


def apart() -> np.ndarray:
    """Discs 7 cm apart in a grid."""
    x, y = np.meshgrid(np.arange(5) - 2, np.arange(4) - 1.5)
    return 0.07 * np.stack([x.ravel(), y.ravel()], 1)


def test_discs_left_alone_stay():
    model, data, place, rate = load()
    before = place.copy()
    mujoco.mj_step(model, data, nstep=1000)
    assert np.abs(place - before)[:, :3].max() < 1e-9
    assert np.abs(place[:, 3]).max() < 1e-6  # neither sink nor rise
    assert np.abs(rate).max() < 1e-6


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 4])
def test_a_sliding_disc_slows_at_mu_g_and_rests(angle):
    model, data, place, rate = load(apart())
    for index in (0, STRIKER):
        mujoco.mj_resetData(model, data)
        place[:, :2] = np.where(np.arange(N_DISCS)[:, None] == index, 0.0, place[:, :2] + 2.0)
        model.geom_contype[:] = model.geom_conaffinity[:] = 0
        rate[index, :2] = 0.5 * np.cos(angle), 0.5 * np.sin(angle)
        steps = 400
        mujoco.mj_step(model, data, nstep=steps)
        slowed = (0.5 - np.hypot(*rate[index, :2])) / (steps * FIXED_STEP)
        assert slowed == pytest.approx(MATERIAL.deceleration, rel=5e-3)
        across = rate[index, 1] * np.cos(angle) - rate[index, 0] * np.sin(angle)
        assert abs(across) < 1e-4
        mujoco.mj_step(model, data, nstep=1500)
        assert np.abs(rate[index]).max() < 1e-6
        assert abs(place[index, 3]) < 1e-5


def test_a_break_stays_on_the_board():
    model, data, place, rate = load()
    rate[STRIKER, 1] = 5.0
    highest = 0.0
    energy = np.inf
    for _ in range(600):
        mujoco.mj_step(model, data, nstep=5)
        highest = max(highest, np.abs(place[:, 3]).max())
        kinetic = (BOARD.masses * (rate[:, :2] ** 2).sum(1)).sum()
        assert kinetic <= energy * (1 + 1e-9)
        energy = kinetic
    assert highest < 1e-3
    assert np.abs(place[:, :2]).max() < BOARD.half_side
    assert np.abs(rate).max() < 1e-2
    moved = np.hypot(*(place[:, :2] - model.qpos0.reshape(N_DISCS, 4)[:, :2]).T)
    assert (moved > 0.01).sum() > 10


def test_restitution_at_the_fixed_step():
    positions = apart() * 1.1
    positions[0], positions[STRIKER] = (0.33, 0.1), (0.2, 0.3)
    model, data, _, rate = load(positions)
    model.opt.gravity[:] = 0  # no floor force, no friction
    model.pair_margin[:] = -1
    rate[0, 0] = 2.0
    mujoco.mj_step(model, data, nstep=100)
    assert rate[0, 0] == pytest.approx(-2.0 * MATERIAL.restitution_frame, abs=1e-3)


def test_unknown_ground():
    with pytest.raises(ConfigError, match="'coulomb' or 'contact'"):
        build_mjcf(BOARD, MATERIAL, "ice")
