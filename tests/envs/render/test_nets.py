"""Nets: who hangs in which, and how it is drawn."""

import itertools
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrom.board import Board
from carrom.env import CarromEnv
from carrom.errors import BoardError
from carrom.filming import nets_before, stroke_moments, with_nets
from carrom.nets import EMPTY, Nets, nets_after, nets_without
from carrom.physics.motion import Pocketing
from carrom.pieces import QUEEN, STRIKER
from carrom.render.net_places import places_in_net
from carrom.render.picture import BoardRenderer
from carrom.render.scene import NET_DEPTH

BOARD = Board()
OUTER = 0.7366 + 2 * 0.0700


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 3)), max_size=40))
def test_a_disc_is_where_it_fell_last_and_above_what_fell_before(falls):
    nets = nets_after(EMPTY, [Pocketing(index, pocket, 0.0) for index, pocket in falls])
    last = {index: (when, pocket) for when, (index, pocket) in enumerate(falls)}
    for pocket, net in enumerate(nets):
        expected = sorted((when, i) for i, (when, where) in last.items() if where == pocket)
        assert net == tuple(index for _, index in expected)


def test_what_is_taken_out_is_gone_and_the_rest_stays_in_order():
    assert nets_without(((3, 19, 1), (), (5,), ()), (1, 2, 5)) == ((3, 19), (), (), ())
    assert nets_without(((3, 19, 1), (), (5,), ())) == ((3, 1), (), (5,), ())


@pytest.mark.parametrize("count", [1, 2, 3, 4, 10, 19])
def test_discs_in_a_net_lie_beside_and_above_each_other_below_the_surface(count):
    places, turns = places_in_net(BOARD, 2, count)
    np.testing.assert_allclose(np.linalg.norm(turns, axis=1), 1.0)
    aside = np.linalg.norm(places[:, :2] - BOARD.pocket_centres[2], axis=1)
    assert (aside + BOARD.carromman_radius < 1.6 * BOARD.pocket_radius).all()
    layers = np.arange(count) // 3
    for layer in range(layers.max() + 1):
        x, y = places[layers == layer, :2].T
        gaps = np.hypot(x[:, None] - x, y[:, None] - y)[np.triu_indices(len(x), 1)]
        assert (gaps >= 2 * BOARD.carromman_radius - 1e-9).all()
    heights = [places[layers == layer, 2].mean() for layer in range(layers.max() + 1)]
    assert (np.diff(heights) > 0.002).all()
    assert places[:, 2].min() >= -NET_DEPTH
    if count <= 10:  # as many as there must be room for
        assert places[:, 2].max() + BOARD.carromman_thickness < 0.001


@pytest.fixture(scope="module")
def renderer():
    with BoardRenderer(BOARD, 256, 256, shadows=False) as renderer:
        yield renderer


@pytest.mark.render
def test_a_net_shows_what_fell_into_it(renderer):
    nets = ((4,), (13,), (QUEEN,), (STRIKER,))
    empty, centre = (np.zeros((20, 2)), np.zeros(20, bool)), []
    x, y = BOARD.pocket_centres.T * 256 / OUTER
    rows, columns = (128 - y).astype(int), (128 + x).astype(int)
    for held in (nets, EMPTY):
        picture = renderer.render(*empty, held).astype(int)
        centre.append(np.stack([picture[rows, columns + dx] for dx in (-1, 0, 1)]).mean(0))
    full, bare = centre
    assert full[0].min() > 150  # a white one
    assert full[1].max() < 90  # a black one, without cords
    assert full[2][0] > full[2][1] + 80  # red
    assert full[3][2] > full[3][0] + 60  # blue
    assert (np.ptp(bare, axis=1) < 40).all()


@pytest.mark.parametrize(
    ("nets", "said"),
    [
        (((), (), ()), "3 nets: expected 4"),
        (((20,), (), (), ()), "disc 20 in a net: expected a number below 20"),
        (((3,), (3,), (), ()), "disc 3 in a net is there a second time"),
        (((0,), (), (), ()), "disc 0 in a net is on the board a second time"),
    ],
)
@pytest.mark.render
def test_nets_that_cannot_be_are_refused(renderer, nets, said):
    shown = np.arange(20) == 0
    with pytest.raises(BoardError, match=said):
        renderer.render(np.zeros((20, 2)), shown, nets)


def nets_of(env: CarromEnv) -> Nets:
    table = env.get_state().table
    assert table is not None
    return table.nets


@pytest.fixture(scope="module")
def played():
    """A board from the rack, step by step: strokes, where the carrommen lie, nets."""
    env = gym.make("CarromBoard-v0", opponent="aimer", film_rate=20.0).unwrapped
    assert isinstance(env, CarromEnv)
    env.reset(seed=5)
    rng, steps, over = np.random.default_rng(0), [], False
    steps.append((env.last_strokes, env.layout(), nets_of(env)))
    while not over and len(steps) < 25:
        action = rng.uniform(-1, 1, 3).astype(np.float32) * [1, 0.15, 1]
        _, _, terminated, truncated, _ = env.step(action.astype(np.float32))
        over = terminated or truncated
        steps.append((env.last_strokes, env.layout(), nets_of(env)))
    return steps


def test_every_carromman_is_on_the_board_or_in_the_net_it_fell_into(played):
    where, count = {}, 0
    for strokes, layout, nets in played:
        for stroke in strokes:
            for fall in stroke.motion.pocketed if stroke.motion else ():
                where[fall.index] = fall.pocket
                count += fall.index != STRIKER
        held = {index: pocket for pocket, net in enumerate(nets) for index in net}
        assert sorted(held) == np.flatnonzero(~layout.on_board).tolist()
        assert held == {index: where[index] for index in held}
    assert count > 8, "the game has to show something"


def test_films_fill_the_nets_as_the_discs_fall(played):
    strokes = [stroke for step, _, _ in played for stroke in step]
    shown = list(stroke_moments(strokes, 20.0))
    for _, in_play, nets in shown:
        held = [index for net in nets for index in net]
        assert len(held) == len(set(held))
        assert not in_play[held].any()
        carrommen = np.delete(np.arange(19), [i for i in held if i != STRIKER])
        assert in_play[carrommen].all(), "what fell is in a net at once"
    at_rest = list(with_nets(strokes))
    assert at_rest[0][1] == EMPTY
    for (stroke, held), (next_stroke, following) in itertools.pairwise(at_rest):
        assert stroke.motion is not None
        assert nets_before([stroke], nets_after(held, stroke.motion.pocketed)) == held
        back = np.flatnonzero(next_stroke.before.layout.on_board).tolist()
        assert set(sum(held, ())) - set(back) <= set(sum(following, ()))


def test_a_snapshot_keeps_the_nets_and_a_vector_environment_has_the_same():
    env = CarromEnv("board", opponent="aimer")
    envs: Any = gym.make_vec("CarromBoard-v0", num_envs=2, opponent="aimer").unwrapped
    env.reset(seed=8)
    envs.reset(seed=7)
    for index in range(6):
        action = np.array([0.1 * index, 0.02, 0.8], np.float32)
        envs.step(np.stack([action, action]))
        env.step(action)
    state = env.get_state()
    nets = nets_of(env)
    assert nets != EMPTY
    assert envs._boards.nets()[1] == nets
    other = CarromEnv("board", opponent="aimer")
    other.set_state(state)
    assert nets_of(other) == nets
    envs.close()
