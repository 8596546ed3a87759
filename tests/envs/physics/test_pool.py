import pickle

import numpy as np
import pytest

from carrom.board import Board
from carrom.errors import ConfigError, PhysicsError
from carrom.physics.calibration.shots import midgame_shot
from carrom.physics.material import Material
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.pool import EnginePool
from carrom.physics.strike import Strike

BOARD = Board()


def test_the_pool_plays_the_same_bits_and_passes_errors_on():
    engine = MujocoEngine(material=Material(friction=0.1))
    rng = np.random.default_rng(0)
    shots = [midgame_shot(BOARD, rng) for _ in range(23)]
    layouts, strikes = [s.layout for s in shots], [s.strike for s in shots]
    seats = [k % 4 for k in range(23)]
    # Another seat's striker may stand on a carromman: that is played too.
    alone = engine.play_many(layouts, strikes, seats)
    with EnginePool(engine, 2) as pool:
        for together in (pool.play_many(layouts, strikes, seats) for _ in range(2)):
            assert [m.layout for m in together] == [m.layout for m in alone]
            assert [m.pocketed for m in together] == [m.pocketed for m in alone]
            assert [m.duration for m in together] == [m.duration for m in alone]
            assert not together[0].layout.positions.flags.writeable
        assert pool.play_many([], [], []) == []
        with pytest.raises(ConfigError, match="22 seats"):
            pool.play_many(layouts, strikes, seats[1:])
        with pytest.raises(PhysicsError, match="diverged") as caught:
            pool.play_many(layouts[:1], [Strike(0.0, 0.0, 1e7)], [1])
    assert pickle.loads(pickle.dumps(caught.value)).dump.seat == 1


def test_no_workers():
    with pytest.raises(ConfigError, match="workers = 0"):
        EnginePool(MujocoEngine(), 0)
