"""What the players of a replay saw, against what the environment showed them."""

import numpy as np
import pytest

import carrom
from carrom.errors import ConfigError
from carrom.replay.views import view_before


def test_a_player_saw_what_the_environment_showed_it():
    seen = {}

    def opponent(view, rng):
        seen[len(seen)] = view
        return carrom.Strike(0.05, 0.2, 2.0)

    env = carrom.CarromEnv("board", opponent=opponent, record=True)
    env.reset(seed=3)
    own = []
    for _ in range(3):
        own.append(env.view())
        env.step(np.array([0.1, -0.05, 0.2], np.float32))
    replay = env.replay()
    shown = {0: iter(own), 2: iter(seen.values())}
    for number, stroke in enumerate(replay.strokes, 1):
        view, expected = view_before(replay, number), next(shown[stroke.seat])
        np.testing.assert_array_equal(view.positions, expected.positions)
        np.testing.assert_array_equal(view.on_board, expected.on_board)
        for name in ("queen", "queen_allowed", "plays_white", "break_to_be_made", "turn_begun"):
            assert getattr(view, name) == getattr(expected, name)
    for number in (0, len(replay.strokes) + 1):
        with pytest.raises(ConfigError, match=f"stroke = {number}: expected 1 to"):
            view_before(replay, number)
