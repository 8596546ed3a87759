"""How often players do drills, on the reference engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.env import CarromEnv
from carrom.errors import ConfigError, one_of
from carrom.opponents import Player
from carrom.physics.noise import NOISE_LEVELS
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents.drills.drill import KINDS, Drill
from carrom_agents.episode import check_at_least, player_chance
from carrom_agents.practice import lay_out, practice_env, stroke_from
from carrom_agents.statistics import Estimate, proportion

BEST = "best strike"
"""Stands among the players for the best known strike of each drill."""
Rates = dict[str, dict[str, Estimate]]
"""By drill, by player."""


@dataclass(frozen=True)
class Plan:
    """What drills are played under.

    A player who decides alike whenever he is asked need not be asked for every try. Whose
    strikes differ should be: the intervals count tries.

    Attributes:
        noise: level of execution noise.
        tries: of each drill by each player.
        asked: how often a player decides in each drill; each strike is made equally often.
        seed: of everything; all players have the same errors of the hand.

    Raises:
        ConfigError: no such level, or numbers that cannot be.
    """

    noise: str = "expert"
    tries: int = 200
    asked: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("noise", self.noise, NOISE_LEVELS)
        check_at_least("tries", self.tries, 1)
        check_at_least("asked", self.asked, 1)
        check_at_least("seed", self.seed, 0)
        if self.tries % self.asked:
            raise ConfigError(
                f"tries = {self.tries}, asked = {self.asked}: expected a multiple of asked"
            )

    @property
    def each(self) -> int:
        """Tries with each strike."""
        return self.tries // self.asked


def choose(drills: Sequence[Drill], kinds: Sequence[str] | None) -> tuple[Drill, ...]:
    """The drills of some kinds, or all of them.

    Raises:
        ConfigError: no such kind, or no such drills.
    """
    wanted = [one_of("kind", kind, KINDS) for kind in kinds or KINDS]
    chosen = tuple(drill for drill in drills if drill.kind in wanted)
    if not chosen:
        raise ConfigError(f"no drills of kind {', '.join(wanted)}: expected some")
    return chosen


def drill_rates(
    players: Mapping[str, Player],
    drills: Sequence[Drill],
    plan: Plan,
    watched: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Rates:
    """How often each player, and each best known strike, does each drill.

    Args:
        players: by name.
        drills: what they do.
        plan: under what.
        watched: passes on the drills, and may tell how far things are.
    """
    env = practice_env(noise=plan.noise)
    found: Rates = {}
    for drill in watched(drills):
        found[drill.name] = {
            name: _rate(env, player, drill, plan) for name, player in players.items()
        }
        if drill.best is not None:
            best = _always(drill.best.strike)
            once = dataclasses.replace(plan, asked=1)
            found[drill.name][BEST] = _rate(env, best, drill, once)
    return found


def _rate(env: CarromEnv, player: Player, drill: Drill, plan: Plan) -> Estimate:
    done, position = 0, drill.position()
    for first in range(plan.seed, plan.seed + plan.tries, plan.each):
        lay_out(env, position, seed=first)
        strike = player(env.view(), player_chance(first))
        for seed in range(first, first + plan.each):
            lay_out(env, position, seed=seed)
            motion = stroke_from(env, strike).motion
            done += motion is not None and drill.succeeded(motion)
    return proportion(done, plan.tries)


def _always(strike: Strike) -> Player:
    def player(view: View, rng: np.random.Generator, /) -> Strike:
        del view, rng
        return strike

    return player
