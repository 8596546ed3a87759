"""The planner: what it plays, and that its rollouts are the ordinary environment's strokes."""

from __future__ import annotations

import math
import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.baseline import is_free
from carrom.board import Board
from carrom.decision import STRIKE_NOW
from carrom.env import CarromEnv
from carrom.errors import ConfigError
from carrom.functional import Sight
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.noise import NOISE_LEVELS
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, STRIKER
from carrom.table import view_of
from carrom.view import QueenStatus, View
from carrom_agents.evaluation import play_boards
from carrom_agents.planner import Planner, Round, StaticWorth, candidates, planner
from carrom_agents.planner.errors import as_made
from carrom_agents.planner.position import state_of
from carrom_agents.planner.proposing import Strikes
from carrom_agents.planner.rollouts import player_on, values
from carrom_agents.planner.worth import features_on
from carrom_agents.scripted import aimer

BOARD = Board()
HAND = Planner(noise="none", plan=(Round(128, 1),))
"""Sure of its hand: one rollout of each candidate, all in one block."""


def layout_of(pieces: dict[int, tuple[float, float]]) -> Layout:
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    for index, point in pieces.items():
        positions[index], on_board[index] = point, True
    return Layout(positions, on_board)


def view_on(layout: Layout, **game: Any) -> View:
    return View(BOARD, layout.positions, layout.on_board, **game)


def fallen(engine: MujocoEngine, layout: Layout, strike: Strike) -> set[int]:
    return {fall.index for fall in engine.play(layout, strike).pocketed}


@pytest.fixture(scope="module")
def engine() -> MujocoEngine:
    return MujocoEngine()


# ---- rollouts against the ordinary environment ------------------------------------------------


def ready(sights: Sight, /) -> jax.Array:
    """A worth that tells positions apart, without anything of the planner's own."""
    own, other = sights.on_board[:, :9], sights.on_board[:, 9:18]
    height = jnp.sum(sights.positions[:, :, 1] * sights.on_board, axis=1)
    return jnp.sum(own, axis=1) - 0.5 * jnp.sum(other, axis=1) + height + 0.1 * sights.queen


def ready_in(view: View) -> float:
    """The same in NumPy."""
    own, other = view.on_board[:9], view.on_board[9:18]
    height = view.positions[view.on_board, 1].sum()
    return float(own.sum() - 0.5 * other.sum() + height + 0.1 * view.queen)


def one_by_one(env: CarromEnv, made: Strikes) -> list[float]:
    """What strikes as made come to in the environment, from where it stands."""
    start, found = env.get_state(), []
    for row in made.tolist():
        env.set_state(start)
        _, gained, *_ = env.answer(Strike(*row))
        (stroke,) = env.last_strokes
        if not bool(stroke.ruling.board_over | stroke.ruling.board_replayed):
            seat = stroke.after.seat
            worth = ready_in(view_of(env.setting, stroke.after, seat, STRIKE_NOW))
            gained += worth if seat == 0 else -worth
        found.append(gained)
    env.set_state(start)
    return found


def test_a_candidate_is_worth_the_mean_of_strokes_in_the_ordinary_environment() -> None:
    """The same errors, drawn as the environment draws them, stroke by stroke."""
    noise, rollouts = NOISE_LEVELS["expert"], 8
    env = CarromEnv("shot", physics="planar")
    known, expected = [], []
    for seed in range(12):
        env.reset(seed=seed)
        view, hand = env.view(), np.random.default_rng(seed)
        meant = HAND.propose(view, hand, 128)[[0, 5, 100]]
        errors = np.random.default_rng(seed).standard_normal((rollouts, 3))
        errors *= (noise.place, noise.direction, noise.speed)
        state = state_of(view, HAND.env)
        known.append(values(HAND.env, ready, state, as_made(meant, errors)))
        for row in meant.tolist():
            hand = np.random.default_rng(seed)
            made = [noise.apply(Strike(*row), hand) for _ in range(rollouts)]
            columns = np.array([(each.place, each.direction, each.speed) for each in made])
            expected.append(one_by_one(env, columns))
    known, expected = np.concatenate(known), np.array(expected)
    assert len(np.unique(expected)) > 100
    # Two programs agree to rounding, which a stroke of many contacts magnifies: seldom so
    # far that another carromman falls.
    alike = np.abs(known - expected) < 0.02
    assert np.mean(alike) > 0.97
    quiet = alike.all(axis=1)
    assert quiet.sum() > 20
    np.testing.assert_allclose(known[quiet].mean(axis=1), expected[quiet].mean(axis=1), atol=0.01)


def test_the_state_shows_what_the_view_shows() -> None:
    """Boards from the rack to the end, of both colours, with queens and dues on the way."""
    rng, seen = np.random.default_rng(0), []
    for seed in range(6):
        first = ("agent", "opponent")[seed % 2]
        env = CarromEnv("board", opponent=aimer, noise="beginner", first=first)
        env.reset(seed=seed)
        over = False
        while not over:
            seen.append(env.view())
            _, _, terminated, truncated, _ = env.answer(aimer(env.view(), rng))
            over = terminated or truncated
    sight_of = jax.jit(lambda state: HAND.env.sight(state, 0))
    for view in seen:
        sight = sight_of(state_of(view, HAND.env))
        np.testing.assert_allclose(sight.positions, view.positions, atol=1e-6)
        for name in ("on_board", "owed", "score", "games", "queen", "queen_allowed"):
            np.testing.assert_array_equal(getattr(sight, name), getattr(view, name), name)
        for name in ("plays_white", "break_to_be_made", "failed_breaks", "turn_begun"):
            assert getattr(sight, name) == getattr(view, name), name
        assert (sight.board_number, sight.idle_turns) == (view.board_number, view.idle_turns)
    assert {view.plays_white for view in seen} == {True, False}
    assert len({view.queen for view in seen}) >= 3
    assert any(view.break_to_be_made for view in seen)


# ---- decisions --------------------------------------------------------------------------------


@pytest.mark.parametrize("point", [(0.28, 0.3), (-0.31, 0.2), (0.12, -0.05)])
def test_a_lone_carromman_is_pocketed(engine: MujocoEngine, point: tuple[float, float]) -> None:
    layout = layout_of({0: point, 9: (0.0, 0.1)})
    view = view_on(layout, queen=QueenStatus.MINE)
    strike = HAND(view, np.random.default_rng(0))
    assert fallen(engine, layout, strike) & {0, STRIKER} == {0}


@pytest.mark.law("107.a")
def test_the_last_own_carromman_is_spared_while_the_queen_lies(engine: MujocoEngine) -> None:
    layout = layout_of({0: (0.28, 0.3), 9: (-0.1, 0.1), QUEEN: (0.0, 0.2)})
    strike = HAND(view_on(layout, queen_allowed=True), np.random.default_rng(0))
    assert fallen(engine, layout, strike) == {QUEEN}
    strike = HAND(view_on(layout, queen_allowed=False), np.random.default_rng(0))
    assert 0 not in fallen(engine, layout, strike)


def only(*strikes: Strike) -> Any:
    """Proposes these, as often as it takes."""

    def propose(view: View, rng: np.random.Generator, count: int, /) -> Strikes:
        rows = [(each.place, each.direction, each.speed) for each in strikes]
        return np.array(rows)[np.arange(count) % len(rows)]

    return propose


@pytest.mark.law("125.a")
def test_a_carromman_is_left_alone_that_would_take_the_opponents_last_along(
    engine: MujocoEngine,
) -> None:
    """The greedy shot pockets one more own carromman, and with it the board is lost."""
    start, corner = np.array([-0.1, BOARD.base_line_y]), BOARD.pocket_centres[1]
    way = (corner - start) / np.linalg.norm(corner - start)
    before, behind = corner - 0.08 * way, corner - 0.03 * way
    layout = layout_of({9: tuple(behind), 0: tuple(before), 1: (-0.25, 0.0), 2: (-0.2, 0.25)})
    greedy = Strike(place=-0.1, direction=_towards(-0.1, corner), speed=3.5)
    assert fallen(engine, layout, greedy) == {0, 9}
    quiet = Strike(place=-0.1, direction=_towards(-0.1, np.array([-0.25, 0.0])), speed=0.8)
    assert not fallen(engine, layout, quiet)
    view = view_on(layout, queen=QueenStatus.MINE)
    choice = Planner(propose=only(greedy, quiet), noise="none", plan=(Round(2, 1),))
    assert choice(view, np.random.default_rng(0)) == quiet
    # With one more of the opponent's on the board nothing ends, and greed is right.
    richer = layout.with_piece(10, (0.0, 0.3))
    view = view_on(richer, queen=QueenStatus.MINE)
    assert choice(view, np.random.default_rng(0)) == greedy


def _towards(place: float, point: np.ndarray) -> float:
    return math.atan2(place - point[0], point[1] - BOARD.base_line_y)


def traces(program: Any) -> int:
    """For how many kinds of arguments a jitted function has been compiled."""
    return program._cache_size()


def test_decisions_are_legal_and_repeatable_in_positions_of_every_size() -> None:
    """One program each plays and weighs them all."""
    # Other tests may have compiled them for other batches, or in haste.
    player_on.cache_clear()
    features_on.cache_clear()
    rng = np.random.default_rng(0)
    for own, other in ((2, 2), (1, 9), (6, 6), (9, 9)):
        layout = random_layout(BOARD, rng, white=own, black=other, queen=own > 1)
        game: dict[str, Any] = {"plays_white": bool(own % 2), "queen_allowed": own < 9}
        if own == 1:
            game["queen"] = QueenStatus.THEIRS
        view = view_on(layout, **game)
        strike = HAND(view, np.random.default_rng(own))
        assert is_free(view.free_places, strike.place)
        assert 0 < strike.speed <= HAND.material.full_speed
        HAND(view, rng)
        assert HAND(view, np.random.default_rng(own)) == strike
    assert traces(player_on(HAND.env)) == 1
    assert traces(features_on(StaticWorth().looks)) == 1


def test_the_budget_is_spent_and_not_exceeded() -> None:
    layout = random_layout(BOARD, np.random.default_rng(1), white=3, black=3, queen=False)
    view = view_on(layout, queen=QueenStatus.MINE)
    plan = (Round(64, 2), Round(16, 8), Round(4, 32))
    candidates, ranking = Planner(plan=plan).search(view, np.random.default_rng(0))
    assert candidates.shape == (64, 3)
    assert ranking.rollouts.sum() == sum(each.shots for each in plan)
    assert sorted(set(ranking.rollouts.tolist())) == [2, 10, 42]


def test_breaks_are_the_breakers() -> None:
    view = view_on(Layout(np.zeros((19, 2)), np.zeros(19, bool)), break_to_be_made=True)
    strike = Strike(0.1, 0.2, 3.0)
    assert Planner(breaker=lambda view, rng: strike)(view, np.random.default_rng(0)) == strike


def test_it_pickles() -> None:
    assert pickle.loads(pickle.dumps(planner)) == planner


@pytest.mark.parametrize(
    "options",
    [
        {"noise": "perfect"},
        {"plan": ()},
        {"plan": (Round(4, 0),)},
        {"plan": (Round(4, 1), Round(8, 1))},
        {"time_limit_s": 0.0},
        {"time_limit_s": math.nan},
    ],
)
def test_a_planner_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        Planner(**options)


@pytest.mark.slow
def test_it_beats_the_aimer_on_the_reference_engine() -> None:
    report = play_boards(planner, "aimer", boards=20, seed=50)
    assert report.won.low > 0.5


def test_candidates_are_those_of_the_last_round_the_played_one_first() -> None:
    env = CarromEnv("shot")
    for seed in range(4):
        env.reset(seed=seed)
        view = env.view()
        found = candidates(planner, view, np.random.default_rng(seed))
        assert len(found) == planner.plan[-1].candidates
        assert found[0].strike == planner(view, np.random.default_rng(seed))
        points = [each.points for each in found]
        assert points == sorted(points, reverse=True)
        shares = {each.rollouts for each in found}
        assert shares == {sum(each.rollouts for each in planner.plan)}
        # Played anew, the last of them (the first one is chosen for having come out well).
        last, noise = found[-1], NOISE_LEVELS["expert"]
        errors = np.random.default_rng([seed, 1]).standard_normal((512, 3))
        errors *= (noise.place, noise.direction, noise.speed)
        strike = np.array([[last.strike.place, last.strike.direction, last.strike.speed]])
        made = as_made(strike, errors)
        anew = values(planner.env, planner.evaluate, state_of(view, planner.env), made)
        apart = abs(float(anew.mean()) - last.points)
        error = math.hypot(last.standard_error, float(anew.std()) / math.sqrt(512))
        assert apart <= 4.5 * error + 1e-6
