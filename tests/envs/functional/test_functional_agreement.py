"""Stroke by stroke, the functional environment and the ordinary one, told the same motion."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ordinary_path import lane, outcome_of, plain_strike, played, same, setting_of, way_and_time
from programs import BATCH, parts

from carrom.board import Board, to_board
from carrom.functional import Functional, Outcome, State, Strike
from carrom.functional.select import select
from carrom.laws import Event, next_board_jit
from carrom.midgame import random_layout
from carrom.rack import PACKINGS, lattice
from carrom.tasks import Unit

BOARD = Board()
_DOUBLES = {"doubles": True, "reward": "result", "max_strokes": 40}


def wall(rng: np.random.Generator, side: int, on_board: np.ndarray) -> np.ndarray:
    """The carrommen stand so close before a base line that no striker fits in between."""
    row = np.linspace(-0.25, 0.25, 9)
    spots = np.stack([row, np.full(9, BOARD.base_line_y)], -1)
    beyond = np.stack([np.linspace(-0.3, 0.3, 10), np.full(10, 0.3)], -1)
    points = np.concatenate([spots, beyond])
    present = np.flatnonzero(on_board)
    positions = np.zeros((19, 2))
    positions[present] = to_board(points[: len(present)], side)
    return positions


def invented(rng: np.random.Generator, state: State, made: Strike, next_side: int) -> Outcome:
    """Where the discs of one board come to rest: anything, with much falling."""
    before = np.asarray(state.on_board)
    touched, failed = bool(rng.random() < 0.85), bool(rng.random() < 0.02)
    collided = touched or bool(rng.random() < 0.5)
    falls = rng.choice(4, p=[0.5, 0.25, 0.15, 0.1]) if touched else 0
    weights = before * np.where(np.arange(19) == 18, 3.0, 1.0)
    fallen = rng.choice(19, size=min(falls, before.sum()), replace=False, p=weights / weights.sum())
    after = before.copy()
    after[fallen] = False
    points = random_layout(
        BOARD, rng, white=int(after[:9].sum()), black=int(after[9:18].sum()), queen=bool(after[18])
    )
    positions = np.zeros((20, 2))
    positions[:19][after] = points.positions[points.on_board]
    if not touched:
        positions[:19], after = np.asarray(state.positions), before.copy()
    elif after.sum() >= 9 and rng.random() < 0.1:
        positions[:19] = wall(rng, next_side, after)
    heading = np.array([-np.sin(made.direction), np.cos(made.direction)])
    place = np.array([made.place, BOARD.base_line_y + made.forward])
    way = way_and_time(made, False)[0] * (0.2 if collided else 1)
    side = (int(state.match.board.seat) + int(state.match.rotation)) % 4
    positions[19] = to_board(place + way * heading, side)
    on_board = np.append(after, rng.random() > 0.2 if collided else True)
    return outcome_of(positions, on_board, touched=touched, collided=collided, failed=failed)


choose = jax.jit(jax.vmap(select))


def strikes_for(rng: np.random.Generator, state: State) -> Strike:
    """Anything; some slow and sideways, which may leave no line (127.b)."""
    slow = rng.random(BATCH) < 0.2
    speed = np.where(slow, 0.25, rng.uniform(0.25, 5, BATCH))
    direction = np.where(slow, np.pi / 2, rng.uniform(-np.pi, np.pi, BATCH))
    place = rng.uniform(-0.3, 0.3, BATCH)
    numbers = (place, direction, speed, np.zeros(BATCH))
    return Strike(*(jnp.asarray(value, jnp.float32) for value in numbers))


@pytest.mark.parametrize(
    ("task", "options", "strokes"),
    [
        ("match", {}, 45),
        # Every task is compiled anew, which takes most of the time.
        pytest.param("shot", {}, 12, marks=pytest.mark.slow),
        pytest.param("board", _DOUBLES, 45, marks=pytest.mark.slow),
        pytest.param("solo", {"reward": "points", "max_strokes": 30}, 30, marks=pytest.mark.slow),
    ],
)
def test_umpire_placing_and_what_follows_are_those_of_the_ordinary_path(
    task: str, options: dict[str, Any], strokes: int
) -> None:
    env, setting = Functional(task, **options), setting_of(task, **options)
    part, rng = parts(env), np.random.default_rng(5)
    # A shot from the rack is ruled as any other, and compiled for other tests.
    start = parts(Functional("match") if task == "shot" else env)["start"]
    state = start(jax.random.split(jax.random.key(1), BATCH))
    seen: set[str] = set()
    for number in range(strokes):
        keys = jax.random.split(jax.random.key(100 + number), BATCH)
        meant = strikes_for(rng, state)
        made = part["make"](state, meant, keys)
        before, strikes = jax.device_get((state, made))
        outcomes = [
            invented(rng, lane(before, k), lane(strikes, k), int(rng.integers(4)))
            for k in range(BATCH)
        ]
        batch = jax.tree.map(lambda *leaves: np.stack(leaves), *outcomes)
        after, booked = part["settle"](state, made, batch, keys)
        ours = jax.device_get((state, made, after, booked))
        plain = [plain_strike(lane(jax.device_get(meant), k)) for k in range(BATCH)]
        for k in range(BATCH):
            table, asked = played(setting, lane(before, k), plain[k], outcomes[k])
            compare(table, asked, lane(ours, k), seen)
        state = choose(after.over, start(keys), after)
    wanted = {"ended", "laid", "void"} if task != "shot" else {"laid"}
    assert wanted <= seen
    if task == "match":
        assert {"queen laid", "slip", "no striker space", "owed"} <= seen


def compare(table: Any, asked: list[Any], ours: tuple[Any, ...], seen: set[str]) -> None:
    before, made, after, booked = ours
    stroke = table.played[0]
    if before.line == 0:
        assert asked[0].place == pytest.approx(float(made.place), abs=1e-6)
    assert asked[0].direction == pytest.approx(float(made.direction), abs=1e-6)
    assert asked[0].speed == pytest.approx(float(made.speed), abs=1e-6)
    assert same(stroke.facts, booked.facts) == []
    assert same(stroke.ruling, booked.ruling) == []
    assert same(stroke.after.match, booked.match) == []
    assert int(after.strokes) == table.strokes
    assert bool(after.terminated) == table.terminated
    assert bool(after.truncated) == table.truncated
    earned = {n: float(after.earned[n] - before.earned[n]) for n in after.earned}
    theirs = {name: value for name, value in table.earned.items() if value}
    assert {name: value for name, value in earned.items() if value} == pytest.approx(theirs)
    if table.result is not None:
        names = {0: "own", 1: "opponent", -1: None}
        assert names[int(after.winner)] == table.result["winner"]
    last = table.played[-1]
    new_board = last.ruling.board_over or last.ruling.board_replayed
    if new_board and table.setting.task.unit is not Unit.STROKE and not table.terminated:
        tosses = [next_board_jit(last.after.match, toss=toss) for toss in (0, 1)]
        assert any(same(match, after.match) == [] for match in tosses) or table.setting.task.solo
        side = (int(after.match.board.seat) + int(after.match.rotation)) % 4
        racked = to_board(lattice(BOARD, PACKINGS["tight"], 0.0), side)
        np.testing.assert_allclose(after.positions, racked, atol=2.6e-6)
        assert after.on_board.all()
    else:
        assert same(table.position.match, after.match) == []
        np.testing.assert_array_equal(after.on_board, table.position.layout.on_board)
        np.testing.assert_allclose(after.positions, table.position.layout.positions, atol=1e-6)
    note(table, seen)


def note(table: Any, seen: set[str]) -> None:
    stroke = table.played[0]
    happened = {
        "ended": stroke.ruling.board_over,
        "void": stroke.ruling.board_replayed,
        "laid": bool(stroke.laid),
        "queen laid": stroke.ruling.queen_returned,
        "slip": stroke.facts.event == Event.NO_STROKE,
        "no striker space": len(table.played) > 1,
        "owed": np.any(stroke.ruling.owed),
    }
    seen |= {name for name, is_so in happened.items() if is_so}


def test_where_there_is_no_room_what_comes_out_waits() -> None:
    """79.a: the ring is full of carrommen, and the umpire rules again on what has been laid."""
    part, setting = parts(Functional("match")), setting_of("match")
    state = part["start"](jax.random.split(jax.random.key(0), BATCH))
    # White strikes and pockets a carromman and the striker; the others fill the ring.
    angles = np.arange(16) * (2 * np.pi / 16)
    spots = np.zeros((19, 2))
    spots[1:9] = 0.064 * np.stack([np.cos(angles[::2]), np.sin(angles[::2])], -1)
    spots[9:18] = [(0.3 * np.cos(a), 0.3 * np.sin(a)) for a in np.linspace(0, 5, 9)]
    spots[9:13] = [(0.033 * x, 0.033 * y) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    on_board = np.arange(19) != 0
    board = dataclasses.replace(
        state.match.board,
        break_done=jnp.ones(BATCH, bool),
        has_pocketed=jnp.ones((BATCH, 2), bool),
    )
    state = dataclasses.replace(
        state,
        match=dataclasses.replace(state.match, board=board),
        positions=jnp.broadcast_to(jnp.asarray(spots, jnp.float32), (BATCH, 19, 2)),
    )
    outcome = outcome_of(
        np.append(spots, [[0.0, 0.0]], 0), np.append(on_board, False), touched=True, collided=True
    )
    batch = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (BATCH, *leaf.shape)), outcome)
    keys = jax.random.split(jax.random.key(3), BATCH)
    strike = Strike(*(jnp.full(BATCH, x, jnp.float32) for x in (0.0, 0.0, 3.0, 0.0)))
    made = part["make"](state, strike, keys)
    after, booked = part["settle"](state, made, batch, keys)
    for k in range(3):
        table, asked = played(setting, lane(state, k), plain_strike(lane(strike, k)), outcome)
        compare(table, asked, lane((state, made, after, booked), k), set())
        assert np.sum(table.position.match.board.owed) > 0
