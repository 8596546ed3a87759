"""The planner: it tries strikes on the planar engine and plays the best of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from carrom.decision import Answer
from carrom.errors import ConfigError
from carrom.functional import Functional
from carrom.opponents import Player
from carrom.physics.material import Material
from carrom.physics.noise import execution_noise
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents import laying
from carrom_agents.opening import straight_break
from carrom_agents.planner.errors import as_made, spread_errors
from carrom_agents.planner.halving import Ranking, Round, Sample, check_plan, halve
from carrom_agents.planner.position import state_of
from carrom_agents.planner.proposing import Propose, ScriptedProposals, Strikes
from carrom_agents.planner.rollouts import Evaluate, values
from carrom_agents.planner.worth import StaticWorth

PLAN = (Round(128, 4), Round(32, 16), Round(8, 64))
"""1,536 strokes for a decision."""


@dataclass(frozen=True)
class Planner:
    """Searches one stroke ahead with the laws of singles; a ``carrom.opponents.Player``.

    Every candidate is played several times, with errors of the hand, in ``carrom.functional``;
    the rollouts are shared out by sequential halving. A rollout is worth the points it gains
    and the worth of the position it leaves, which is the opponent's where the turn is lost. So
    dues, queen and cover, and boards lost by the last carromman, weigh what the laws say.

    The first decision compiles two programs, in half a minute. What contacts that overlap in
    time do is computed as impulses: a decision would take several times as long with springs.

    Attributes:
        propose: names the candidates.
        evaluate: what a position is worth to whoever is to strike.
        breaker: strikes the breaks: without springs a tight rack does not break as it should.
        noise: level of execution noise that it believes its hand to have, and the opponent's.
        material: as it believes the board to be.
        plan: how the rollouts are shared out; a decision depends on nothing but the view and
            the generator.
        time_limit_s: seconds for the search instead: rounds of the plan until then, and more
            of the last one if there is time left. Decisions are then not repeatable.

    Raises:
        ConfigError: no such noise level, no plan, or a time that is not positive.
    """

    propose: Propose = field(default_factory=ScriptedProposals)
    evaluate: Evaluate = field(default_factory=StaticWorth)
    breaker: Player = straight_break
    noise: str = "expert"
    material: Material = field(default_factory=Material)
    plan: tuple[Round, ...] = PLAN
    time_limit_s: float | None = None

    def __post_init__(self) -> None:
        execution_noise(self.noise)
        check_plan(self.plan)
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise ConfigError(f"time_limit_s = {self.time_limit_s!r}: expected a positive number")

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """Decide the next strike in the position ``view``."""
        if view.break_to_be_made:
            return self.breaker(view, rng)
        candidates, ranking = self.search(view, rng)
        place, direction, speed = candidates[ranking.best].tolist()
        return Strike(place, direction, speed, forward=view.forward)

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        """Decide something else than a strike: dues are laid where the position is worth most."""
        return laying.answer(view, self.evaluate)

    def search(self, view: View, rng: np.random.Generator) -> tuple[Strikes, Ranking]:
        """The candidates in the position ``view``, (n, 3), and what the search says of them."""
        candidates = self.propose(view, rng, self.plan[0].candidates)
        sample = self._sampler(view, candidates, rng)
        ranking = halve(sample, len(candidates), self.plan, time_limit_s=self.time_limit_s)
        return candidates, ranking

    @functools.cached_property
    def env(self) -> Functional:
        """The game as the planner believes it to be, the errors of the hand apart."""
        return Functional("board", overlaps="impulses", material=self.material)

    def _sampler(self, view: View, candidates: Strikes, rng: np.random.Generator) -> Sample:
        state, noise = state_of(view, self.env), execution_noise(self.noise)

        def sample(chosen: NDArray[np.intp], rollouts: int) -> NDArray[np.float64]:
            made = as_made(candidates[chosen], spread_errors(noise, rng, rollouts))
            return values(self.env, self.evaluate, state, made)

        return sample


planner = Planner()
"""The planner with its ordinary settings: the opponent called ``planner``."""
