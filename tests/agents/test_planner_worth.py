"""The static worth: what it counts, against the NumPy rules, and what it is fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from carrom.board import Board
from carrom.env import CarromEnv
from carrom.functional import Functional
from carrom.midgame import random_layout
from carrom.view import OPPONENT, OWN, QueenStatus, View
from carrom_agents.episode import episode
from carrom_agents.planner.fitting import Record, features_of, fit, record
from carrom_agents.planner.position import sights_of
from carrom_agents.planner.worth import FEATURES, GLANCE, StaticWorth
from carrom_agents.scripted import TARGETS, aimer
from carrom_agents.shots import direct_shots

BOARD = Board()


def positions(count: int) -> list[View]:
    rng, views = np.random.default_rng(0), []
    for _ in range(count):
        queen = QueenStatus(int(rng.choice(4, p=[0.55, 0.15, 0.15, 0.15])))
        own, other = rng.integers(1, 10, 2).tolist()
        lies = queen == QueenStatus.ON_BOARD
        layout = random_layout(BOARD, rng, white=own, black=other, queen=lies)
        view = View(BOARD, layout.positions, layout.on_board, queen=queen, queen_allowed=own < 9)
        views.append(view)
    return views


def turned(view: View) -> View:
    """The position from the opposite side of the board, carrommen of either colour exchanged."""
    order = np.r_[OPPONENT, OWN, 18]
    return View(BOARD, -view.positions[order], view.on_board[order], queen=view.queen)


def likeliest(view: View) -> NDArray[np.float64]:
    """By carromman of ``TARGETS``, one after the other, with the NumPy rules."""
    found = np.zeros(len(TARGETS))
    for number, target in enumerate(TARGETS.tolist()):
        if view.on_board[target]:
            shots = direct_shots(view, np.array([target]), GLANCE.rules.options)
            found[number] = shots.chance.max(initial=0.0)
    return found


def test_it_counts_what_it_says() -> None:
    views = positions(120)
    found = features_of(tuple(views), StaticWorth())
    features: dict[str, Any] = dict(zip(FEATURES, found.T, strict=True))
    own = np.array([likeliest(view) for view in views])
    opponent = np.array([likeliest(turned(view)) for view in views])
    allowed = np.array([view.queen_allowed for view in views])
    queen = np.array([view.queen for view in views])
    expected = {
        "constant": np.ones(len(views)),
        "own_left": [view.on_board[OWN].sum() for view in views],
        "opponent_left": [view.on_board[OPPONENT].sum() for view in views],
        "queen_waiting": queen == QueenStatus.WAITING,
        "queen_mine": queen == QueenStatus.MINE,
        "queen_theirs": queen == QueenStatus.THEIRS,
        "own_best": own[:, :9].max(axis=1),
        "own_ready": own[:, :9].sum(axis=1),
        "opponent_best": opponent[:, :9].max(axis=1),
        "opponent_ready": opponent[:, :9].sum(axis=1),
        "queen_ready": own[:, 9] * allowed,
        "opponent_queen_ready": opponent[:, 9],
    }
    assert set(expected) == set(FEATURES)
    for name, values in expected.items():
        # A place is free, or a shot too hard, by a rounding: hardly ever.
        close = np.abs(features[name] - np.asarray(values, float)) < 2e-3
        assert np.mean(close) > 0.97, name
    assert features["queen_ready"].max() > 0.5


def test_the_worth_is_the_weighted_sum() -> None:
    views = tuple(positions(8) * 64)  # as many as are weighed together elsewhere
    weights = tuple(np.random.default_rng(0).standard_normal(len(FEATURES)).tolist())
    worth = StaticWorth(weights)
    expected = features_of(views, worth) @ np.array(weights)
    found = worth(sights_of(views, Functional("board")))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_points_to_go_are_the_rewards_that_follow() -> None:
    """Of boards played again in the environment, whose rewards are the agent's."""
    played = record(aimer, boards=4, seed=5)
    assert len(set(played.board.tolist())) == 4
    env = CarromEnv("board", opponent=aimer, noise="expert")
    checked = 0
    for number in range(4):
        steps = list(episode(env, aimer, 5 + number))
        rewards = [sum(info["reward_terms"].values()) for _, info in steps]
        mine = played.board == number
        views = [view for view, known in zip(played.views, mine, strict=True) if known]
        to_go, strokes = played.to_go[mine], [s for part, _ in steps for s in part]
        strokes = [s for s in strokes if s.before.match.board.break_done]
        assert len(strokes) == len(to_go)
        for step in range(1, len(steps)):
            # The agent's stroke of this step is the first one in it.
            at = next(k for k, s in enumerate(strokes) if s is steps[step][0][0])
            assert strokes[at].own
            assert to_go[at] == pytest.approx(sum(rewards[step:]), abs=1e-6)
            np.testing.assert_array_equal(views[at].on_board[OWN].sum(), _own_left(strokes[at]))
            checked += 1
    assert checked > 15


def _own_left(stroke) -> int:
    return int(stroke.before.match.board.on_board[stroke.ruling.striker])


def test_weights_are_recovered_from_boards_that_end_as_they_say() -> None:
    views, worth = tuple(positions(150)), StaticWorth()
    weights = np.random.default_rng(1).standard_normal(len(FEATURES))
    exact = features_of(views, worth) @ weights
    noise = np.random.default_rng(2).standard_normal(len(views))
    board = np.arange(len(views))
    found, explained = fit(Record(views, exact, board), worth)
    np.testing.assert_allclose(found, weights, atol=1e-6)
    assert explained == pytest.approx(1.0)
    _, explained = fit(Record(views, exact.std() * noise, board), worth)
    assert explained < 0.1
