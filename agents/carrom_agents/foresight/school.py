"""Positions of games, with what strikes in them came to when they were rehearsed.

Boards are played side by side. Whenever somebody is to strike, every proposed strike is
rehearsed some times, with errors of the hand, and the mean of what it gains and leaves is noted:
that is what the network is to foresee. A side then plays the strike that rehearsed best, or what
the network says, so that it is taught in the positions that it comes to itself (Ross, Gordon and
Bagnell 2011, https://arxiv.org/abs/1011.0686), or what a former network says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np
from flax import struct
from numpy.typing import NDArray

from carrom.board import Board
from carrom.functional import State
from carrom.physics.noise import ExecutionNoise, execution_noise
from carrom.view import View
from carrom_agents.foresight.dues import laid_by_players
from carrom_agents.foresight.lessons import Lessons, joined
from carrom_agents.foresight.player import Foresight, LearnedValue
from carrom_agents.foresight.rehearsing import Rehearsal, Rehearsed, Stroked, views_of, worths
from carrom_agents.foresight.settings import IterationConfig
from carrom_agents.league import League
from carrom_agents.planner.errors import as_made, spread_errors
from carrom_agents.planner.rollouts import Evaluate
from carrom_agents.ppo import Parameters

EXPERT = -1
"""Who plays what rehearsed best; others are members of the league, by number."""
_ROWS = 8
"""Positions that a snapshot decides on are filled up to a multiple of this: few programs."""
_SEATS = 2
"""Sides of a board; seat 0 is the first, seat 2 the other."""

Proposals = Callable[[Sequence[View], Sequence[tuple[int, ...]]], NDArray[np.float32]]
"""Strikes (B, K, 3) for B positions, drawn from generators with these seeds."""


@struct.dataclass
class Tables:
    """B boards in play.

    Attributes:
        states: of the game, arrays [B].
        drivers: int32 (B, 2), who plays either side: ``EXPERT`` or a member of the league.
        fresh: bool (B,), the board is to be begun anew.
    """

    states: State
    drivers: NDArray[np.int32]
    fresh: NDArray[np.bool_]


class Played(NamedTuple):
    """What a round of lessons brought.

    Attributes:
        tables: as they stand.
        lessons: of all its positions.
        games: (members,), boards that ended between the network and each member.
        score: (members,), what the network won of them; half of those given up.
        boards: how many ended in all.
        best: points: mean of what rehearsed best. Being the best of several it flatters.
        chosen: points: mean of what the network's choices came to when rehearsed.
    """

    tables: Tables
    lessons: Lessons
    games: NDArray[np.float64]
    score: NDArray[np.float64]
    boards: int
    best: float
    chosen: float


@dataclass(frozen=True, eq=False)
class School:
    """Where lessons are given: what stays the same from round to round.

    Attributes:
        config: of the training.
        foresight: the network.
        rehearsal: plays and rehearses.
        propose: names the strikes.
        aimer: decides for the league's member of that name: of views and seeds, (B, 3).
    """

    config: IterationConfig
    foresight: Foresight
    rehearsal: Rehearsal
    propose: Proposals
    aimer: Callable[[Sequence[View], Sequence[tuple[int, ...]]], NDArray[np.float32]]

    @property
    def noise(self) -> ExecutionNoise:
        """Of all hands."""
        return execution_noise(self.config.noise)

    def first_tables(self) -> Tables:
        """Boards, all of them to be begun."""
        count = self.config.lessons.boards
        states = self._openings(np.random.default_rng([self.config.seed, 0]), count)
        return Tables(states, np.zeros((count, _SEATS), np.int32), np.ones(count, bool))

    def round(
        self,
        number: int,
        tables: Tables,
        params: Parameters,
        league: League,
        evaluate: Evaluate,
    ) -> Played:
        """Play on for a round.

        Args:
            number: of the round, from 0; with the seed it decides all that is drawn.
            tables: where the last round left them.
            params: of the network.
            league: whose members are met.
            evaluate: says what a stroke leaves.
        """
        rng = np.random.default_rng([self.config.seed, 1 + number])
        weights = league.weights(self.config.league)
        members = len(weights)
        games, score, boards = np.zeros(members), np.zeros(members), 0
        parts, best, chosen = [], [], []
        for stroke in range(self.config.lessons.strokes):
            tables = self._begun(tables, weights, rng)
            states = tables.states
            sights, observation = self.rehearsal.seen(states)
            observation = np.asarray(observation)
            views = views_of(sights, Board())
            seeds = [(self.config.seed, number, stroke, row) for row in range(len(views))]
            strikes = self.propose(views, seeds)
            glance, glances = map(np.asarray, self.foresight.glanced(observation, strikes))
            rehearsed, worth = self._rehearsed(states, strikes, evaluate, rng)
            lesson = Lessons(
                observation=observation,
                strikes=strikes,
                glance=glance,
                glances=glances,
                worth=worth.mean(axis=2),
                gained=np.asarray(rehearsed.gained).reshape(worth.shape).mean(axis=2),
                kept=np.asarray(rehearsed.kept, np.float32).reshape(worth.shape).mean(axis=2),
            )
            own = np.asarray(self.foresight.foreseen(params, *lesson[:4]).worth)
            every, choice = np.arange(len(views)), np.argmax(own, axis=1)
            best.append(np.max(lesson.worth, axis=1).mean())
            chosen.append(lesson.worth[every, choice].mean())
            driver = tables.drivers[every, np.asarray(states.match.board.seat) // _SEATS]
            strike = self._decided(lesson, choice, driver, league, rng)
            aims = np.flatnonzero(driver == members - 2)
            if len(aims):
                strike[aims] = self.aimer(
                    [views[row] for row in aims], [seeds[row] for row in aims]
                )
            stroked = jax.device_get(self.rehearsal.played(states, self._made(strike, rng)))
            states = self._with_dues(stroked, tables.drivers, params, league, evaluate)
            over = np.asarray(states.over)
            tables = Tables(states, tables.drivers, over)
            boards += int(over.sum())
            self._tally(tables, games, score)
            parts.append(lesson)
        return Played(
            tables=tables,
            lessons=joined(parts),
            games=games,
            score=score,
            boards=boards,
            best=float(np.mean(best)),
            chosen=float(np.mean(chosen)),
        )

    def _begun(
        self, tables: Tables, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> Tables:
        """With new boards for those that are to be begun, and somebody at either side."""
        rows = np.flatnonzero(tables.fresh)
        if not len(rows):
            return tables
        new = self._openings(rng, len(rows))
        share = self.config.lessons.expert_share
        itself = len(weights) - 1
        other = rng.choice(len(weights), len(rows), p=weights)
        drivers = np.stack([np.full(len(rows), itself), other], axis=1)
        drivers = np.where(
            (drivers == itself) & (rng.random(drivers.shape) < share), EXPERT, drivers
        )
        swapped = rng.random(len(rows)) < 0.5
        drivers[swapped] = drivers[swapped, ::-1]

        def put(old: Any, part: Any) -> Any:
            old = np.array(old)
            old[rows] = part
            return old

        return Tables(
            states=jax.tree.map(put, tables.states, new),
            drivers=put(tables.drivers, drivers.astype(np.int32)),
            fresh=np.zeros_like(tables.fresh),
        )

    def _openings(self, rng: np.random.Generator, count: int) -> State:
        """States [count] after a break that did not fail."""
        size, found, parts = self.config.lessons.boards, 0, []
        while found < count:
            key = jax.random.key(int(rng.integers(2**32)))
            states = jax.device_get(self.rehearsal.opened(jax.random.split(key, size)))
            good = np.flatnonzero(states.match.board.break_done & ~states.over)
            parts.append(jax.tree.map(lambda leaf, good=good: leaf[good], states))
            found += len(good)
        return jax.tree.map(lambda *leaves: np.concatenate(leaves)[:count], *parts)

    def _rehearsed(
        self,
        states: State,
        strikes: NDArray[np.float32],
        evaluate: Evaluate,
        rng: np.random.Generator,
    ) -> tuple[Rehearsed, NDArray[np.float32]]:
        """What strikes (B, K, 3) come to, (B, K * R), and what that is worth, (B, K, R)."""
        rounds = self.config.lessons.rehearsals
        made = np.stack(
            [as_made(each, spread_errors(self.noise, rng, rounds)) for each in strikes]
        ).astype(np.float32)
        rehearsed = self.rehearsal.tried(states, made.reshape(len(made), -1, 3))
        return rehearsed, worths(rehearsed, evaluate).reshape(made.shape[:-1])

    def _decided(
        self,
        lesson: Lessons,
        choice: NDArray[np.intp],
        driver: NDArray[np.int32],
        league: League,
        rng: np.random.Generator,
    ) -> NDArray[np.float32]:
        """What is struck, (B, 3)."""
        lessons = self.config.lessons
        choice = np.where(driver == EXPERT, np.argmax(lesson.worth, axis=1), choice)
        for member in range(len(league.filled)):
            rows = np.flatnonzero(driver == member)
            if not len(rows):
                continue
            filled = np.resize(rows, -(-len(rows) // _ROWS) * _ROWS)
            params = jax.tree.map(lambda leaf, member=member: leaf[member], league.params)
            told = (leaf[filled] for leaf in lesson[:4])
            foreseen = self.foresight.foreseen(params, *told)
            choice[rows] = np.argmax(np.asarray(foreseen.worth), axis=1)[: len(rows)]
        # The maximum with Gumbel's noise draws from a softmax.
        drawn = np.argmax(
            lesson.worth + lessons.temperature * rng.gumbel(size=lesson.worth.shape), 1
        )
        explores = (rng.random(len(choice)) < lessons.exploration) & (driver == EXPERT)
        choice = np.where(explores, drawn, choice)
        return lesson.strikes[np.arange(len(choice)), choice]

    def _with_dues(
        self,
        stroked: Stroked,
        drivers: NDArray[np.int32],
        params: Parameters,
        league: League,
        evaluate: Evaluate,
    ) -> State:
        """The boards after a stroke, with dues laid by those who play, if that is wanted."""
        if self.config.lessons.due_placing == "scripted":
            return stroked.states
        snapshots = len(league.filled)

        def lays_by(row: int, side: int) -> Evaluate | None:
            driver = int(drivers[row, side])
            if driver == EXPERT:
                return evaluate
            if driver < snapshots:
                former = jax.tree.map(lambda leaf: leaf[driver], league.params)
                return LearnedValue(self.foresight, former)
            return LearnedValue(self.foresight, params) if driver > snapshots else None

        return laid_by_players(self.rehearsal, stroked, lays_by)

    def _made(self, strike: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
        """Strikes (B, 3) with independent errors of the hand."""
        noise = self.noise
        errors = rng.standard_normal(strike.shape) * (noise.place, noise.direction, noise.speed)
        made = strike + errors
        made[:, 2] = np.maximum(strike[:, 2] * (1 + errors[:, 2]), 0)
        return made.astype(np.float32)

    def _tally(
        self, tables: Tables, games: NDArray[np.float64], score: NDArray[np.float64]
    ) -> None:
        """Count the boards that have ended between the network and a member."""
        itself = len(games) - 1
        for row in np.flatnonzero(tables.fresh):
            drivers, winner = tables.drivers[row], int(tables.states.winner[row])
            if EXPERT in drivers or itself not in drivers:
                continue
            side = int(np.argmax(drivers == itself))
            member = int(drivers[1 - side])
            games[member] += 1
            score[member] += 0.5 if winner < 0 else float(winner == side)
