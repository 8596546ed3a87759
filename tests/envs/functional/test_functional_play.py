"""Whole games of the ordinary environments on the planar engine, stroke by stroke.

The functional environment plays every stroke that they play, from the same position, and
rules on it. Where few carrommen were touched the discs have to come to rest in the same
places. The programs differ in the last bit, and every impact multiplies that: what touches
many goes its own way, and is compared in distribution. So that the rest can be compared
exactly for every stroke, the umpire is told what their discs did.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ordinary_path import lane, outcome_of, same
from programs import BATCH, parts, play

import carrom
from carrom.action import action_coding
from carrom.functional import Functional, Outcome, State, Strike
from carrom.functional.umpiring import Umpire
from carrom.layout import Layout
from carrom.physics.material import Material
from carrom.physics.planar.engine import PlanarEngine
from carrom.physics.strike import Strike as PlainStrike
from carrom.pieces import STRIKER
from carrom.rack import rack
from carrom.table import Stroke
from carrom.view import View

PLANAR: dict[str, Any] = {"physics": "planar", "action_coding": "target"}
_DECODE = action_coding("target", "snap", Material()).decode


@dataclasses.dataclass(frozen=True)
class Played:
    """A stroke of an ordinary environment.

    Attributes:
        stroke: the stroke.
        following: position and seat from which the game went on; None after the last stroke.
        last: whether the episode ended with it.
        number: how many strokes and incidents there were before it.
    """

    stroke: Stroke
    following: Any
    last: bool
    number: int


def shot(view: View, rng: np.random.Generator) -> dict[str, Any]:
    """An own carromman, or the queen, into a far pocket; a break at full force."""
    targets = np.flatnonzero(view.on_board[:9]).tolist()
    if view.on_board[18] and view.queen_allowed:
        targets = [9, 9, *targets]
    force = 1.0 if view.break_to_be_made else 0.2
    number = 4 * int(rng.choice(targets)) + int(rng.integers(1, 3))
    return {"shot": np.int64(number), "residual": np.array([0, 0, force], np.float32)}


def player(view: View, rng: np.random.Generator) -> PlainStrike:
    return _DECODE(shot(view, rng), view)


def singles(seed: int, count: int) -> tuple[list[Played], list[Any]]:
    """Boards of a match from the break to their end, and the reported terms of every step."""
    env = carrom.CarromEnv("match", opponent=player, **PLANAR)
    env.reset(seed=seed)
    rng, strokes, steps = np.random.default_rng(seed), [], []
    while sum(bool(stroke.ruling.board_over) for stroke in strokes) < count:
        *_, info = env.step(shot(env.view(), rng))
        steps.append((len(env.last_strokes), info["reward_terms"]))
        strokes += env.last_strokes
    return chained(strokes, over=False), steps


def solo(seed: int, boards: int) -> tuple[list[Played], list[Any]]:
    """Boards alone, side by side in the vector environment, for some strokes."""
    options = {"autoreset_mode": "Disabled", "max_strokes": 25, **PLANAR}
    envs = carrom.CarromVectorEnv(boards, task="solo", **options)
    envs.reset(seed=seed)
    rng, played = np.random.default_rng(seed), [[] for _ in range(boards)]
    over = np.zeros(boards, bool)
    while not over.any():
        _, _, terminated, truncated, _ = envs.answer([player(view, rng) for view in envs.views()])
        over = terminated | truncated
        for strokes, new in zip(played, envs.last_strokes, strict=True):
            strokes += new
    every = [chained(strokes, over=bool(o)) for strokes, o in zip(played, over, strict=True)]
    return [stroke for strokes in every for stroke in strokes], []


def doubles(seed: int, boards: int) -> tuple[list[Played], list[Any]]:
    """Boards of four agents, for some strokes each."""
    every = []
    for number in range(boards):
        env = carrom.CarromAECEnv(doubles=True, task="board", max_cycles=20, **PLANAR)
        env.reset(seed=seed + number)
        rng, strokes = np.random.default_rng(seed + number), []
        while not (any(env.terminations.values()) or any(env.truncations.values())):
            env.step(shot(env._table_in_play().view, rng))
            strokes += env.last_strokes
        every += chained(strokes, over=True)
    return every, []


def chained(strokes: list[Stroke], *, over: bool) -> list[Played]:
    nexts = [stroke.before for stroke in strokes[1:]]
    return [
        Played(stroke, following, over and number == len(strokes) - 1, number)
        for number, (stroke, following) in enumerate(zip(strokes, [*nexts, None], strict=True))
    ]


def state_before(played: Played, base: State, forwards: np.ndarray) -> State:
    layout, strike = played.stroke.before.layout, played.stroke.strike
    assert strike is not None
    return dataclasses.replace(
        base,
        match=jax.tree.map(np.asarray, played.stroke.before.match),
        positions=np.where(layout.on_board[:, None], layout.positions, 0).astype(np.float32),
        on_board=layout.on_board,
        line=np.int32(np.argmin(np.abs(forwards - strike.forward))),
        strokes=np.int32(played.number),
    )


def batches(items: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    """As many items at a time as the programs take, the last ones repeated, and stacked."""
    for first in range(0, len(items), BATCH):
        part = items[first : first + BATCH]
        filled = part + [part[-1]] * (BATCH - len(part))
        yield part, jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *filled)


def outcome_of_theirs(stroke: Stroke, ours: Outcome) -> Outcome:
    """What their discs did; that the striker met the frame only ours tell."""
    motion = stroke.motion
    assert motion is not None
    striker = np.zeros(2) if motion.striker is None else motion.striker
    touched = motion.first_touch is not None
    return outcome_of(
        np.append(motion.layout.positions, striker[None], 0),
        np.append(motion.layout.on_board, motion.striker is not None),
        touched=touched,
        collided=touched or bool(ours.collided),
    )


@dataclasses.dataclass(frozen=True)
class Compared:
    """How ours differs from theirs: how far apart discs ended, m, inf if others fell."""

    apart: float
    touched: int
    is_break: bool

    @classmethod
    def of(cls, stroke: Stroke, ours: Outcome, theirs: Outcome) -> Compared:
        assert stroke.motion is not None
        away = np.where(theirs.on_board[:, None], ours.positions - theirs.positions, 0)
        same_fell = np.array_equal(ours.on_board, theirs.on_board)
        return cls(
            apart=float(np.abs(away).max()) if same_fell else np.inf,
            touched=int(stroke.motion.touched.sum()),
            is_break=not stroke.before.match.board.break_done,
        )


def as_arrays(strike: PlainStrike | None) -> Strike:
    assert strike is not None
    return Strike._make(np.float32(value) for value in dataclasses.astuple(strike))


def replay(env: Functional, every: list[Played]) -> tuple[list[Compared], list[dict[str, float]]]:
    """Play and rule on all strokes again; how the discs compare, and what each stroke earned."""
    umpire: Umpire = env._umpire
    part, keys = parts(env), jax.random.split(jax.random.key(0), BATCH)
    base = lane(jax.device_get(part["start"](keys)), 0)
    strokes = [played for played in every if played.stroke.strike is not None]
    told: list[tuple[State, Strike]] = []
    for played in strokes:
        state = state_before(played, base, umpire.lines.forward)
        told.append((state, as_arrays(played.stroke.strike)))
    compared, earned = [], []
    for some, (states, strikes) in batches(told):
        first = len(earned)
        ours = jax.device_get(play(states, strikes))
        theirs = [
            outcome_of_theirs(strokes[first + k].stroke, lane(ours, k)) for k in range(len(some))
        ]
        _, outcomes = next(batches(theirs))
        settled = jax.device_get(part["settle"](states, strikes, outcomes, keys))
        for k in range(len(some)):
            played, (after, booked) = strokes[first + k], lane(settled, k)
            check(played, after, booked)
            compared.append(Compared.of(played.stroke, lane(ours, k), theirs[k]))
            earned.append({name: float(value) for name, value in after.earned.items()})
    return compared, earned


def check(played: Played, after: State, booked: Any) -> None:
    stroke, following = played.stroke, played.following
    assert int(booked.seat) == stroke.seat
    assert same(stroke.facts, booked.facts) == []
    assert same(stroke.ruling, booked.ruling) == []
    assert same(stroke.after.match, booked.match) == []
    assert bool(after.over) == played.last
    new_board = stroke.ruling.board_over or stroke.ruling.board_replayed
    if following is not None and not new_board:
        assert same(following.match, after.match) == []
        np.testing.assert_array_equal(following.layout.on_board, after.on_board)
        on_board = following.layout.on_board[:, None]
        positions = np.where(on_board, following.layout.positions, 0)
        np.testing.assert_allclose(after.positions, positions, atol=2e-6)
    if following is not None and new_board:
        assert after.on_board.all()


KINDS: list[tuple[str, dict[str, Any], Callable[..., Any], int, int]] = [
    ("match", {}, singles, 3, 2),
    ("solo", {"max_strokes": 25}, solo, 5, 3),
    ("board", {"doubles": True, "reward": "result", "max_strokes": 20}, doubles, 7, 2),
]


@pytest.mark.parametrize(("task", "options", "record", "seed", "count"), KINDS)
def test_games_go_on_as_in_the_ordinary_environments(
    task: str, options: dict[str, Any], record: Callable[..., Any], seed: int, count: int
) -> None:
    every, steps = record(seed, count)
    compared, earned = replay(Functional(task, **options), every)
    assert sum(stroke.is_break for stroke in compared) >= count
    assert any(played.stroke.facts.pocketed.sum() for played in every)
    # Rounding seldom decides what falls, and moves little where few were touched; for the
    # breaks see below.
    later = [stroke for stroke in compared if not stroke.is_break]
    assert np.mean([np.isfinite(stroke.apart) for stroke in later]) > 0.95
    few = [stroke.apart for stroke in later if stroke.touched <= 2]
    assert np.median(few) < 1e-6
    assert np.mean(np.array(few) < 1e-4) > 0.85
    done = 0
    for number, terms in steps:
        ours: dict[str, float] = {}
        for stroke in earned[done : done + number]:
            ours = {name: ours.get(name, 0.0) + value for name, value in stroke.items()}
        assert {n: v for n, v in ours.items() if v} == pytest.approx(
            {n: v for n, v in terms.items() if v}, abs=1e-6
        )
        done += number


def breaks_here_and_there(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Carrommen pocketed, and how far all came on the average, by the same breaks."""
    board, rng, engine = carrom.Board(), np.random.default_rng(0), PlanarEngine()
    keys = jax.random.split(jax.random.key(0), BATCH)
    base = lane(jax.device_get(parts(Functional("match"))["start"](keys)), 0)
    side = (int(base.match.board.seat) + int(base.match.rotation)) % 4
    breaks, theirs = [], []
    for _ in range(count):
        layout = Layout(rack(board, rng), np.ones(19, bool))
        place, direction = rng.uniform(-0.02, 0.02), rng.uniform(-0.03, 0.03)
        strike = PlainStrike(place, direction, rng.uniform(4.5, 5))
        state = dataclasses.replace(base, positions=layout.positions.astype(np.float32))
        breaks.append((state, as_arrays(strike)))
        motion = engine.play(layout, strike, side)
        theirs.append(figures(motion.layout.positions, motion.layout.on_board))
    ours = []
    for some, (states, strikes) in batches(breaks):
        outcome = jax.device_get(play(states, strikes))
        ours += [
            figures(outcome.positions[k, :STRIKER], outcome.on_board[k, :STRIKER])
            for k in range(len(some))
        ]
    return np.array(ours), np.array(theirs)


def figures(positions: np.ndarray, on_board: np.ndarray) -> tuple[float, float]:
    away = np.hypot(*np.where(on_board[:, None], positions, 0).T).mean()
    return float(np.sum(~on_board)), float(away)


@pytest.mark.parametrize("count", [304, pytest.param(2000, marks=pytest.mark.slow)])
def test_breaks_are_distributed_as_the_engines(count: int) -> None:
    """They pocket 0.48 carrommen; with impulses it were 0.13, twice the bound away."""
    ours, theirs = breaks_here_and_there(count)
    error = np.sqrt((ours.var(0) + theirs.var(0)) / count)
    assert np.all(np.abs(ours.mean(0) - theirs.mean(0)) < 4 * error)
