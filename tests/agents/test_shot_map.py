"""What strikes come to in one position, against the environment on MuJoCo."""

import numpy as np
import pytest

from carrom.baseline import is_free
from carrom.errors import ConfigError
from carrom.physics.strike import Strike
from carrom_agents.drills.file import load_drills
from carrom_agents.planner.worth import StaticWorth
from carrom_agents.practice import lay_out, practice_env, stroke_from
from carrom_agents.shot_map import place_worths, shot_map, succeeded

DRILLS = {drill.name: drill for drill in load_drills()}
FEW = {"cells": (30, 16), "tries": 1}


def turn_kept_for_a_carromman(stroke) -> bool:
    """By the umpire's ruling on a stroke that MuJoCo computed."""
    own = int(stroke.ruling.striker)
    board = stroke.after.match.board
    if stroke.ruling.board_over:
        return int(board.on_board[own]) == 0
    fewer = board.on_board[own] < stroke.before.match.board.on_board[own]
    return bool(fewer) and int(board.seat) == stroke.seat


def test_success_is_what_the_umpire_says_of_the_stroke():
    drill = DRILLS["cut-2"]
    rng, best = np.random.default_rng(0), drill.best
    assert best is not None
    # Half of them near the best strike that is known, where some do and some do not.
    made = np.c_[
        np.full(60, best.place),
        best.direction + np.r_[rng.normal(0, 0.006, 40), rng.uniform(-1, 1, 20)],
        best.speed * rng.uniform(1.0, 1.2, 60),
    ]
    found = succeeded(drill.view(), made)
    env, expected = practice_env(), []
    for place, direction, speed in made.tolist():
        lay_out(env, drill.position(), seed=0)
        stroke = stroke_from(env, Strike(place, direction, speed))
        expected.append(turn_kept_for_a_carromman(stroke))
    assert 5 < sum(expected) < 50, "the strikes have to tell something"
    # The engines disagree about strikes at the very edge of success.
    assert np.mean(found == np.array(expected)) > 0.9


def test_a_map_covers_the_free_places_and_is_the_same_again():
    view = DRILLS["direct-4"].view()
    shots = shot_map(view, speed=2.0, noise="none", **FEW)
    assert shots.success.shape == FEW["cells"]
    free = [is_free(view.free_places, place) for place in shots.places.tolist()]
    np.testing.assert_array_equal(np.isnan(shots.success).all(axis=1), np.logical_not(free))
    assert np.isin(shots.success[free], (0.0, 1.0)).all()
    np.testing.assert_allclose(np.diff(shots.directions), np.pi / 16)
    assert shots.directions[0] == pytest.approx(-np.pi / 2 + np.pi / 32)
    again = shot_map(view, speed=2.0, noise="none", **FEW)
    np.testing.assert_array_equal(shots.success, again.success)
    other = shot_map(view, speed=2.0, noise="none", seed=1, **FEW)
    assert not np.array_equal(shots.success, other.success, equal_nan=True)


def test_the_map_is_bright_where_the_best_known_strike_is():
    drill = DRILLS["direct-1"]
    best = drill.best
    assert best is not None
    around = (best.direction - 0.01, best.direction + 0.01)
    shots = shot_map(
        drill.view(),
        speed=best.speed,
        noise="none",
        cells=(200, 1),
        directions=around,
        tries=4,
    )
    nearest = int(np.argmin(np.abs(shots.places - best.place)))
    assert shots.success[nearest, 0] == 1.0
    place, direction, share = shots.best
    assert share == 1.0
    assert direction == pytest.approx(best.direction)
    assert place in shots.places


def test_the_best_strikes_of_places_hold_on_the_other_engine():
    drill = DRILLS["cut-2"]
    worths = place_worths(drill.view(), StaticWorth(), speeds=(2.0,), places=6, tries=16)
    assert all(is_free(drill.view().free_places, each.place) for each in worths)
    assert all(each.worth.low <= each.worth.value <= each.worth.high for each in worths)
    assert {each.worth.samples for each in worths} == {16}
    best = max(worths, key=lambda each: each.worth.value)
    worst = min(worths, key=lambda each: each.worth.value)
    assert best.worth.low > worst.worth.value
    env, done = practice_env(noise="expert"), 0
    for seed in range(20):
        lay_out(env, drill.position(), seed=seed)
        done += turn_kept_for_a_carromman(
            stroke_from(env, Strike(best.place, best.direction, best.speed))
        )
    assert done > 12


BAD = [
    ({"tries": 0}, "tries = 0"),
    ({"seed": -1}, "seed = -1"),
    ({"noise": "loud"}, "noise = 'loud'"),
    ({"speed": 6.0}, r"speed = 6.0 m/s: expected 0.25 to 5"),
    ({"speed": float("nan")}, "speed = nan"),
    ({"cells": (0, 3)}, "cells of places = 0"),
    ({"cells": (3, 0)}, "cells of directions = 0"),
    ({"cells": (100_000, 100_000)}, "expected at most 1000000 together"),
    (
        {"directions": (np.radians(30), np.radians(-30))},
        r"directions = \(30.0, -30.0\) degrees: expected two growing numbers from -180",
    ),
]


@pytest.mark.parametrize(("change", "said"), BAD)
def test_bad_maps_are_refused(change, said):
    options = {"speed": 2.0, **FEW} | change
    with pytest.raises(ConfigError, match=said):
        shot_map(DRILLS["cut-1"].view(), **options)


def test_positions_that_cannot_be_played_are_refused():
    with pytest.raises(ConfigError, match="before the break"):
        shot_map(DRILLS["break-1"].view(), speed=2.0)
    with pytest.raises(ConfigError, match="before the break"):
        place_worths(DRILLS["break-1"].view(), StaticWorth())
    with pytest.raises(ConfigError, match="speed = nan"):
        place_worths(DRILLS["cut-1"].view(), StaticWorth(), speeds=())
