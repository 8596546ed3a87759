"""Candidates, errors and their allocation: what needs no rollouts to be tested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from carrom.action import MIN_SPEED
from carrom.baseline import is_free
from carrom.board import Board
from carrom.midgame import random_layout
from carrom.physics.material import Material
from carrom.physics.noise import NOISE_LEVELS
from carrom.physics.strike import Strike
from carrom.view import QueenStatus, View
from carrom_agents.offers import Kind
from carrom_agents.planner.errors import as_made, spread_errors
from carrom_agents.planner.halving import Round, halve
from carrom_agents.planner.proposing import ScriptedProposals
from carrom_agents.scripted import aimer

BOARD = Board()

# ---- allocation -------------------------------------------------------------------------------


class Arms:
    """Candidates with known means and normal rollouts, which counts what it is asked for."""

    def __init__(self, means: NDArray[np.float64], deviation: float, seed: int) -> None:
        self.means, self.deviation = means, deviation
        self.rng, self.asked = np.random.default_rng(seed), []

    def __call__(self, chosen: NDArray[np.intp], rollouts: int) -> NDArray[np.float64]:
        self.asked.append((chosen.tolist(), rollouts))
        noise = self.rng.standard_normal((len(chosen), rollouts))
        return self.means[chosen, None] + self.deviation * noise


PLAN = (Round(32, 2), Round(8, 8), Round(2, 32))


def test_without_noise_each_round_keeps_the_best() -> None:
    means = np.random.default_rng(0).standard_normal(32)
    arms = Arms(means, 0.0, 0)
    ranking = halve(arms, 32, PLAN)
    best = np.argsort(-means)
    assert [asked for asked, _ in arms.asked] == [
        sorted(best[: each.candidates].tolist()) for each in PLAN
    ]
    assert ranking.best == best[0]
    np.testing.assert_allclose(ranking.mean, means)
    assert ranking.rollouts.sum() == sum(each.shots for each in PLAN)


def test_with_noise_it_beats_equal_shares() -> None:
    """The same number of rollouts: sharing them out equally finds the best less often."""
    plan, wins = (Round(64, 4), Round(16, 16), Round(4, 64)), {"halving": 0, "equal": 0}
    for seed in range(300):
        means = np.random.default_rng([seed, 0]).standard_normal(64)
        best = int(np.argmax(means))
        for name, rounds in (("halving", plan), ("equal", (Round(64, 12),))):
            wins[name] += halve(Arms(means, 2.0, seed), 64, rounds).best == best
    assert wins["halving"] > wins["equal"] + 25


def test_standard_errors_are_those_of_all_rollouts_of_a_candidate() -> None:
    drawn: dict[int, list[float]] = {index: [] for index in range(32)}
    arms = Arms(np.random.default_rng(1).standard_normal(32), 3.0, 1)

    def sample(chosen: NDArray[np.intp], rollouts: int) -> NDArray[np.float64]:
        found = arms(chosen, rollouts)
        for index, row in zip(chosen.tolist(), found.tolist(), strict=True):
            drawn[index] += row
        return found

    ranking = halve(sample, 32, PLAN)
    expected = [stats.sem(drawn[index]) for index in range(32)]
    np.testing.assert_allclose(ranking.standard_error, expected)
    assert np.all(np.isinf(halve(arms, 32, (Round(32, 1),)).standard_error))


def test_of_equals_the_first_is_chosen() -> None:
    assert halve(Arms(np.zeros(8), 0.0, 0), 8, (Round(8, 1), Round(2, 1))).best == 0


def test_fewer_candidates_than_the_plan_has_room_for() -> None:
    ranking = halve(Arms(np.array([0.0, 1.0]), 0.0, 0), 2, PLAN)
    assert ranking.best == 1
    assert ranking.rollouts.tolist() == [42, 42]


def test_when_time_is_up_no_further_round_begins() -> None:
    arms = Arms(np.arange(32.0), 0.0, 0)
    assert halve(arms, 32, PLAN, time_limit_s=1e-9).best == 31
    assert len(arms.asked) == 1


def test_time_that_is_left_goes_to_the_finalists() -> None:
    arms = Arms(np.arange(32.0), 0.0, 0)
    ranking = halve(arms, 32, PLAN, time_limit_s=0.05)
    assert len(arms.asked) > len(PLAN)
    assert all(asked == ([30, 31], 32) for asked in arms.asked[2:])
    assert ranking.best == 31


# ---- errors of the hand -----------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 70))
@settings(max_examples=30, deadline=None)
def test_every_likely_interval_holds_one_error(seed: int, count: int) -> None:
    noise = NOISE_LEVELS["club"]
    errors = spread_errors(noise, np.random.default_rng(seed), count)
    scaled = errors / (noise.place, noise.direction, noise.speed)
    stratum = np.floor(stats.norm.cdf(scaled) * count).astype(int)
    for column in stratum.T:
        assert sorted(column.tolist()) == list(range(count))


def test_errors_are_standard_normal_and_their_columns_apart() -> None:
    noise, rng = NOISE_LEVELS["expert"], np.random.default_rng(0)
    errors = np.concatenate([spread_errors(noise, rng, 16) for _ in range(500)])
    scaled = errors / (noise.place, noise.direction, noise.speed)
    for column in scaled.T:
        assert stats.kstest(column, "norm").pvalue > 0.01
    # Three standard errors of a correlation of independent columns.
    assert np.abs(np.corrcoef(scaled.T) - np.eye(3)).max() < 3 / np.sqrt(len(scaled))


def test_strikes_are_made_as_the_environment_makes_them() -> None:
    noise, rng = NOISE_LEVELS["beginner"], np.random.default_rng(0)
    strikes = np.column_stack([rng.uniform(-0.2, 0.2, 5), rng.uniform(-3, 3, 5), np.r_[0.3:5:5j]])
    errors = np.random.default_rng(1).standard_normal((40, 3))
    errors[7, 2] = -11.0  # far too weak: the speed does not turn round
    made = as_made(strikes, errors * (noise.place, noise.direction, noise.speed))
    for strike, row in zip(strikes.tolist(), made, strict=True):
        for error, found in zip(errors, row, strict=True):
            expected = noise.apply(Strike(*strike), _Told(error))  # type: ignore[arg-type]
            wanted = (expected.place, expected.direction, expected.speed)
            np.testing.assert_allclose(found, wanted, atol=1e-15)
    assert np.all(made[:, 7, 2] == 0)


class _Told:
    """Draws what it is told."""

    def __init__(self, drawn: NDArray[np.float64]) -> None:
        self.drawn = drawn

    def standard_normal(self, size: int) -> NDArray[np.float64]:
        assert size == len(self.drawn)
        return self.drawn


# ---- candidates -------------------------------------------------------------------------------


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(0, 9), st.booleans(), st.booleans()
)
@settings(max_examples=40, deadline=None)
def test_candidates_are_legal_as_many_as_asked_for_and_lead_with_the_likeliest(
    seed: int, own: int, other: int, queen: bool, allowed: bool
) -> None:
    rng = np.random.default_rng(seed)
    layout = random_layout(BOARD, rng, white=own, black=other, queen=queen)
    status = QueenStatus.ON_BOARD if queen else QueenStatus.MINE
    view = View(BOARD, layout.positions, layout.on_board, queen=status, queen_allowed=allowed)
    for count in (1, 16, 128):
        strikes = ScriptedProposals()(view, rng, count)
        assert strikes.shape == (count, 3)
        assert all(is_free(view.free_places, place) for place in strikes[:, 0].tolist())
        assert np.all(np.isfinite(strikes))
        assert strikes[:, 2].min() >= MIN_SPEED
        assert strikes[:, 2].max() <= Material().full_speed
    once, again = (ScriptedProposals()(view, np.random.default_rng(1), 64) for _ in range(2))
    np.testing.assert_array_equal(once, again)


def test_of_direct_shots_the_aimers_is_among_them() -> None:
    rng, found = np.random.default_rng(3), []
    propose = ScriptedProposals(kinds=frozenset({Kind.DIRECT}))
    for _ in range(40):
        layout = random_layout(BOARD, rng, white=4, black=4, queen=False)
        view = View(BOARD, layout.positions, layout.on_board, queen=QueenStatus.MINE)
        choice = aimer(view, rng)
        row = np.array([choice.place, choice.direction, choice.speed])
        strikes = propose(view, rng, 128)
        found.append(np.abs(strikes - row).max(axis=1).min() < 1e-9)
    assert np.mean(found) > 0.9


@pytest.mark.parametrize("count", [1, 5, 60])
def test_where_there_is_no_shot_all_are_drawn(count: int) -> None:
    """An own carromman at the far frame, between two of the opponent's."""
    frame = BOARD.half_side - BOARD.carromman_radius
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    for index, x in ((0, 0.0), (9, 0.033), (10, -0.033)):
        positions[index], on_board[index] = (x, frame), True
    view = View(BOARD, positions, on_board, queen=QueenStatus.MINE)
    strikes = ScriptedProposals()(view, np.random.default_rng(0), count)
    assert len(np.unique(strikes, axis=0)) == count
