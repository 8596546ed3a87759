"""Where players who weigh positions lay dues."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.answering import legal_places, place_grid
from carrom.board import Board, to_seat
from carrom.decision import Answer, AsScripted, Kind, Placement, Request
from carrom.env import CarromEnv
from carrom.functional import Sight
from carrom.laws import due_faults_jit
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.opponents import random_player
from carrom.physics.strike import Strike
from carrom.table import Table, view_of
from carrom.view import View
from carrom_agents import laying
from carrom_agents.episode import episode
from carrom_agents.planner import Planner, Round
from carrom_agents.tournament.game import play_game
from carrom_agents.tournament.record import Fixture
from carrom_agents.tournament.settings import Conditions

BOARD = Board()


def weighed(sights: Sight, /) -> jax.Array:
    """A worth that knows own from other, left from right, and near from far."""
    lies = sights.on_board[..., None] * sights.positions
    weights = jnp.asarray([1.0] * 9 + [-0.7] * 9 + [0.3])
    return jnp.sum(weights * (lies[..., 0] + 2.417 * lies[..., 1]), axis=1) + 5 * sights.score[:, 0]


def weighed_in(view: View) -> float:
    """The same in NumPy."""
    weights = np.array([1.0] * 9 + [-0.7] * 9 + [0.3])
    lies = view.positions * view.on_board[:, None]
    return float(weights @ (lies[:, 0] + 2.417 * lies[:, 1]) + 5 * view.score[0])


def asked_on(env: CarromEnv, seed: int) -> Table:
    """The table when the agent is first asked for a place, in games of random strikes."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while env.view().request.kind is not Kind.PLACE:
        *_, terminated, truncated, _ = env.answer(random_player(env.view(), rng))
        if terminated or truncated:
            env.reset()
    table = env.get_state().table
    assert table is not None
    return table


@pytest.mark.parametrize("doubles", [False, True])
def test_of_all_legal_places_the_one_after_which_the_position_is_worth_most(doubles: bool) -> None:
    """Against the position with the carromman really laid there, seen by who has the turn."""
    env = CarromEnv("board", due_placing="agent", doubles=doubles, opponent=random_player)
    own_turns = set()
    for seed in range(12):
        table = asked_on(env, seed)
        view, decision = table.view, table.decision
        assert decision is not None
        answer = laying.answer(view, weighed)
        assert isinstance(answer, Placement)
        layout, turn = table.standing.layout, table.standing.seat
        sign = 1 if view.request.own_turn else -1
        own_turns.add(sign)
        seat_side = table.standing.side_of_board(decision.seat)
        best, found = -np.inf, None
        for place in place_grid(BOARD):
            x, y = to_seat(place, -seat_side).tolist()
            if due_faults_jit(layout, (x, y), board=BOARD):
                continue
            index = next(
                i
                for i in range(9 * decision.colour, 9 * decision.colour + 9)
                if not layout.on_board[i]
            )
            laid = dataclasses.replace(table.standing, layout=layout.with_piece(index, (x, y)))
            worth = sign * weighed_in(view_of(table.setting, laid, turn, Request()))
            if worth > best + 1e-5:
                best, found = worth, place
        assert found is not None
        assert (answer.x, answer.y) == pytest.approx(tuple(found), abs=1e-9)
    assert own_turns == {1, -1}, "both sides have the turn in some of these positions"


def test_who_has_the_turn_is_seen_as_he_sees_himself() -> None:
    """The view of the one with the turn, from the other's, is the umpire's own."""
    env = CarromEnv("game", due_placing="agent", opponent=random_player)
    for seed in range(12):
        table = asked_on(env, seed)
        seen = laying.turn_holder(table.view)
        own = view_of(table.setting, table.standing, table.standing.seat, Request())
        np.testing.assert_allclose(seen.positions, own.positions)
        for field in dataclasses.fields(View):
            if field.name not in ("board", "positions"):
                assert np.all(getattr(seen, field.name) == getattr(own, field.name)), field.name


def test_places_are_legal_in_any_crowd() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        layout = random_layout(BOARD, rng, white=6, black=7, queen=seed % 2 == 0)
        places = place_grid(BOARD)[legal_places(View(BOARD, layout.positions, layout.on_board))]
        some = places[rng.permutation(len(places))[:5]]
        assert all(not due_faults_jit(layout, tuple(place), board=BOARD) for place in some)


def test_without_a_place_on_the_grid_it_is_left_to_the_script() -> None:
    ring = [(0.05 * np.cos(a), 0.05 * np.sin(a)) for a in np.arange(9) * 2 * np.pi / 9]
    positions, on_board = np.zeros((19, 2)), np.zeros(19, bool)
    positions[:9], on_board[:9] = ring, True
    view = View(BOARD, positions, on_board, request=Request(Kind.PLACE))
    assert not legal_places(view).any()
    assert laying.answer(view, weighed) == AsScripted()


def test_nothing_else_is_decided_otherwise_than_scripted() -> None:
    layout = Layout(np.zeros((19, 2)), np.zeros(19, bool))
    for kind in (Kind.CLAIM, Kind.TOSS):
        view = View(BOARD, layout.positions, layout.on_board, request=Request(kind))
        assert laying.answer(view, weighed) == AsScripted()


class Spoiler:
    """Strikes at random, but lays as the planner does."""

    def __init__(self) -> None:
        self.laid: list[Placement] = []
        self.planner = Planner(evaluate=weighed, plan=(Round(8, 1),))

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        return random_player(view, rng)

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        answer = self.planner.decide(view, rng)
        assert isinstance(answer, Placement)
        self.laid.append(answer)
        return answer


def test_players_are_asked_on_either_side_of_a_tournament() -> None:
    fixture = Fixture("one", "two", 3)
    one, two = Spoiler(), Spoiler()
    conditions = Conditions(due_placing="agent", max_strokes=60)
    record = play_game(fixture, conditions, {"one": one, "two": two})
    assert one.laid
    assert two.laid
    assert record.ending != "forfeit"
    one.laid.clear()
    play_game(fixture, Conditions(max_strokes=60), {"one": one, "two": two})
    assert not one.laid, "unless the conditions say so, dues are scripted"


def test_a_wrong_place_is_a_forfeit() -> None:
    class Stray(Spoiler):
        def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
            return cast(Answer, "somewhere")

    record = play_game(
        Fixture("one", "two", 3),
        Conditions(due_placing="agent", max_strokes=60),
        {"one": Stray(), "two": Spoiler()},
    )
    assert record.ending == "forfeit"
    assert record.forfeit is not None
    assert record.forfeit.player == "one"
    assert "'place'" in record.forfeit.reason


def test_whoever_only_strikes_has_dues_laid_by_the_script() -> None:
    """In an episode a player without ``decide`` plays the game of the scripted placer."""

    def laid(**options: Any) -> list[object]:
        env = CarromEnv("board", opponent=random_player, max_strokes=40, **options)
        played = [stroke for strokes, _ in episode(env, random_player, 3) for stroke in strokes]
        return [stroke.laid for stroke in played]

    assert laid(due_placing="agent") == laid()
