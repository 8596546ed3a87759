"""The league: who is met, what the ratings say, and its members on the device."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from toy_functional import ToyFunctional

from carrom.errors import ConfigError
from carrom_agents.agent import Agent, new_statistics, scale_of
from carrom_agents.checkpoint import restore, save
from carrom_agents.config import (
    LEAGUE,
    EnvConfig,
    ExperimentConfig,
    LeagueConfig,
    LoggingConfig,
    dump_config,
)
from carrom_agents.device.acting import act, coded
from carrom_agents.device.league import Pool, draw_member, playing_of
from carrom_agents.device.opposition import ONESELF, Rival
from carrom_agents.device.training import Game, learn_on_device
from carrom_agents.league import ELO, League
from carrom_agents.learning import Progress, initial_state, unchanged

# Compiling is most of what this takes, and what is compared is compiled alike.
pytestmark = pytest.mark.usefixtures("compiled_in_haste")

HYPER = LeagueConfig(snapshots=3, snapshot_every_updates=1, self_share=0.5, aimer_share=0.2)
PARAMS, SCALE = {"w": np.ones((2, 2), np.float32)}, scale_of(new_statistics())


def filled(*params: float) -> League:
    league = League.empty(HYPER, PARAMS, SCALE)
    for value in params:
        league = league.with_snapshot({"w": np.full((2, 2), value, np.float32)}, SCALE)
    return league


def results(**played: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Games and score, [5], of the members ``m0`` to ``m4``."""
    both = np.array([played.get(f"m{k}", (0.0, 0.0)) for k in range(5)])
    return both[:, 0], both[:, 1]


def test_an_empty_league_is_oneself_and_the_aimer():
    np.testing.assert_allclose(filled().weights(HYPER), [0, 0, 0, 0.2, 0.8])


def test_the_harder_a_snapshot_the_more_often_it_is_met():
    league = filled(1.0, 2.0).after(*results(m0=(98, 97), m1=(98, 48)), HYPER)
    weights = league.weights(HYPER)
    # Won 98 of 100 and 49 of 100, with a game won and one lost before: lost 2 and 51.
    np.testing.assert_allclose(weights, [0.3 * 2 / 53, 0.3 * 51 / 53, 0, 0.2, 0.5])
    even = dataclasses.replace(HYPER, priority=0.0)
    np.testing.assert_allclose(league.weights(even), [0.15, 0.15, 0, 0.2, 0.5])


def test_the_easiest_makes_room():
    league = filled(1.0, 2.0, 3.0).after(*results(m0=(10, 5), m1=(10, 9), m2=(10, 2)), HYPER)
    league = league.with_snapshot({"w": np.full((2, 2), 4.0, np.float32)}, SCALE)
    np.testing.assert_array_equal(league.params["w"][:, 0, 0], [1.0, 4.0, 3.0])
    np.testing.assert_allclose(league.won[:3], [0.5, 0.5, 3 / 12])


def test_ratings_find_the_strength_that_results_were_drawn_from():
    """A learner 150 points above the aimer, 100 below one snapshot, 300 above another."""
    rng, strengths = np.random.default_rng(0), np.array([250.0, -150.0, 0.0, 0.0])
    league = dataclasses.replace(filled(1.0, 2.0), rating=np.array([*strengths, 0.0]))
    for _ in range(200):
        games = np.array([20.0, 20.0, 0.0, 20.0])
        chance = 1 / (1 + np.exp((strengths - 150) / ELO))
        score = rng.binomial(games.astype(int), chance)
        league = league.after(np.append(games, 50), np.append(score, 25), HYPER)
    assert league.rating[-1] == pytest.approx(150, abs=25)
    np.testing.assert_array_equal(league.rating[:-1], strengths)
    assert league.metrics()["league/rating"] == league.rating[-1]


def test_members_are_drawn_as_often_as_the_weights_say():
    league = filled(1.0, 2.0).after(*results(m0=(98, 97), m1=(98, 48)), HYPER)
    pool = Pool.of(league, HYPER)
    keys = jax.random.split(jax.random.key(0), 20_000)
    drawn = np.asarray(jax.vmap(draw_member, in_axes=(None, 0))(pool, keys))
    share = np.array([(drawn == member).mean() for member in (0, 1, 2, 3, ONESELF)])
    np.testing.assert_allclose(share, league.weights(HYPER), atol=0.015)


def test_shares_above_one_are_a_clear_error():
    with pytest.raises(ConfigError, match=r"league\.self_share = 0\.7.*at most 1 together"):
        LeagueConfig(self_share=0.7, aimer_share=0.4)


def scripted(env, arrays, state, member, key, wanted):
    """Always the same strike of the toy."""
    count = len(member)
    return {"shot": jnp.full(count, 7), "residual": jnp.full((count, 3), 0.25)}


def test_every_member_decides_by_its_own_network(toy_agent: Agent):
    """Board by board, one member after the other, instead of all at once."""
    env, boards = ToyFunctional("board"), 40
    networks = [toy_agent.init(jax.random.key(seed)) for seed in range(2)]
    league = League.empty(HYPER, networks[0], SCALE)
    for params in networks:
        league = league.with_snapshot(params, SCALE)
    decide, _ = playing_of(toy_agent, 8, scripted)
    state = jax.vmap(env.start)(jax.random.split(jax.random.key(3), boards))
    keys = jax.random.split(jax.random.key(4), boards)
    rng = np.random.default_rng(5)
    member, wanted = rng.choice([0, 1, 3], boards), rng.random(boards) < 0.7
    found = jax.jit(lambda *args: decide(env, Pool.of(league, HYPER), *args))(  # type: ignore[arg-type]
        state, jnp.asarray(member), keys, jnp.asarray(wanted)
    )
    single = jax.jit(
        lambda params, seen, key: coded(act(toy_agent, params, SCALE(seen), key).action)
    )
    for board in np.flatnonzero(wanted):
        if member[board] == 3:
            expected = {"shot": 7, "residual": np.full(3, 0.25)}
        else:
            one = jax.tree.map(lambda leaf, b=board: leaf[b], state)
            expected = single(networks[member[board]], env.observe(one), keys[board])
        assert found["shot"][board] == expected["shot"]
        np.testing.assert_allclose(found["residual"][board], expected["residual"], atol=1e-5)


def test_a_resumed_league_gives_the_same_bits(toy_agent: Agent, toy_config, tmp_path):
    config = dataclasses.replace(
        toy_config,
        total_strokes=4 * 256,
        env=EnvConfig(physics="planar", num_envs=16, opponent=LEAGUE),
        league=dataclasses.replace(HYPER, snapshots=2),
        logging=LoggingConfig(checkpoint_every_updates=2),
    )
    decide, draw = playing_of(toy_agent, 8, scripted)
    game = Game(ToyFunctional("board"), Rival(decide, draw=draw, members=4), None)  # type: ignore[arg-type]

    def go(config: ExperimentConfig, state):
        told: list[Progress] = []
        (end,) = learn_on_device(
            config, toy_agent, game, [state], lambda _, news: told.append(news), wrap=unchanged
        )
        return end, told

    whole, told = go(config, initial_state(config, toy_agent))
    assert [news.metrics["league/snapshots"] for news in told] == [1, 2, 2, 2]
    league = told[-1].state.league
    # The last snapshot, which has just been taken, has not been met.
    assert league is not None
    assert (league.games > 0).sum() == 2
    (tmp_path / "config.yaml").write_text(dump_config(config), encoding="utf-8")
    save(tmp_path, config, told[1].state)
    resumed, again = go(config, restore(tmp_path, config))
    assert [news.metrics["reward"] for news in again] == [
        news.metrics["reward"] for news in told[2:]
    ]
    ours, theirs = ((end.learner, end.league) for end in (whole, resumed))
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
