"""The best strike of a drill: aimed and random strikes, sifted on an engine that plays many."""

from __future__ import annotations

import dataclasses
import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from carrom.action import MIN_SPEED
from carrom.baseline import Interval, nearest_place
from carrom.layout import Layout
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.noise import NOISE_LEVELS
from carrom.physics.strike import Strike
from carrom.tasks import AGENT_SEAT
from carrom_agents.drills.drill import BestStrike, Drill
from carrom_agents.drills.way import Way
from carrom_agents.offers import Kind, offers
from carrom_agents.planner.errors import as_made, spread_errors
from carrom_agents.planner.halving import Round, halve
from carrom_agents.shots import ShotOptions

NOISE = "expert"
"""Level at which strikes are compared."""
TRIES = 2000
"""With which the rate of the best strike is found, apart from the search."""
_AIMED, _DRAWN = 1000, 5000
"""Strikes tried once, without errors: the likeliest of those that geometry finds, and random."""
_SIFTED = (Round(300, 8), Round(60, 40), Round(10, 200))
_REFINED = (Round(60, 40), Round(10, 200))
_LOOKED_AT = 600
"""Strikes at most, drawn from those that succeed, whose way is looked at."""
_CHANGE = (2e-3, math.radians(0.4), 0.06)
"""Standard deviations by which the best is varied: m, rad, and a factor's."""
_DIGITS = 5
"""A strike is kept to so many digits behind the point: 10 micrometres, 0.6 millidegrees."""

Strikes = NDArray[np.float64]
"""(n, 3): place, m; direction, rad; speed, m/s."""


class PlayMany(Protocol):
    """Who plays independent strokes side by side, as ``PlanarEngine.play_many``."""

    def __call__(
        self, layouts: list[Layout], strikes: list[Strike], seats: list[int], /
    ) -> list[Motion]:
        """The outcomes."""
        ...


def searched(drill: Drill, play: PlayMany, way: Way, rng: np.random.Generator) -> Drill:
    """The drill with its best strike, see ``best_strike``."""
    return dataclasses.replace(drill, best=best_strike(drill, play, way, rng))


def best_strike(
    drill: Drill, play: PlayMany, way: Way, rng: np.random.Generator
) -> BestStrike | None:
    """The strike that succeeds most often with the errors of an expert's hand.

    Strikes are aimed in closed form and drawn at random; those that succeed without errors, in
    the way that the drill is about, are compared with errors, and variations of the best of
    them once more.

    Args:
        drill: the drill.
        play: plays strokes.
        way: tells whether a strike does it in the way that the drill is about.
        rng: draws strikes and errors.

    Returns:
        The best strike with its rate in tries of its own; None if no strike succeeded.
    """
    tried = np.concatenate([_aimed(drill), _drawn(drill, rng)])
    succeeded = _outcomes(drill, play, tried)
    found = _in_the_way(drill, way, tried[succeeded], _SIFTED[0].candidates, rng)
    if not len(found):
        return None
    best = _sifted(drill, play, found, _SIFTED, rng)
    varied = _varied(best, drill.view().free_places, rng, _REFINED[0].candidates)
    near = _in_the_way(drill, way, varied, len(varied), rng)
    # The best has been found to be in the way, and is among them.
    best = np.round(_sifted(drill, play, near, _REFINED, rng), _DIGITS)
    rate = float(np.mean(_outcomes(drill, play, _as_made(best[None], TRIES, rng))))
    place, direction, speed = best.tolist()
    return BestStrike(place, direction, speed, round(rate, 4), TRIES)


def _as_made(strikes: Strikes, tries: int, rng: np.random.Generator) -> Strikes:
    """Each strike with so many errors of the hand, the same for all: (n tries, 3)."""
    errors = spread_errors(NOISE_LEVELS[NOISE], rng, tries)
    return as_made(strikes, errors).reshape(-1, 3)


def _aimed(drill: Drill) -> Strikes:
    view = drill.view()
    if drill.break_to_be_made:
        return np.empty((0, 3))
    wanted = drill.success.pocketed or drill.success.cleared
    found = offers(view, np.array(wanted), ShotOptions(), frozenset(Kind))
    likeliest = np.argsort(-found.shots.chance, kind="stable")[:_AIMED]
    shots = found.shots
    return np.stack([shots.place, shots.direction, shots.speed], axis=1)[likeliest]


def _drawn(drill: Drill, rng: np.random.Generator) -> Strikes:
    """Random strikes; of the break at the rack, which is all that a break can be about."""
    fastest = Material().full_speed
    free = drill.view().free_places
    ends = np.array(free)
    share = np.diff(ends).ravel() / np.diff(ends).sum()
    low, high = ends[rng.choice(len(ends), _DRAWN, p=share)].T
    place = rng.uniform(low, high)
    if drill.break_to_be_made:
        at_rack = np.arctan2(place, -drill.view().board.base_line_y)
        direction = at_rack + rng.normal(0.0, math.radians(5), _DRAWN)
        speed = rng.uniform(0.6, 1.0, _DRAWN) * fastest
    else:
        direction = rng.uniform(-math.pi, math.pi, _DRAWN)
        speed = np.exp(rng.uniform(math.log(2 * MIN_SPEED), math.log(fastest), _DRAWN))
    return np.stack([place, direction, speed], axis=1)


def _varied(
    best: NDArray[np.float64],
    free: tuple[Interval, ...],
    rng: np.random.Generator,
    count: int,
) -> Strikes:
    """The best itself, and variations of it, all from free places."""
    change = rng.standard_normal((count, 3)) * _CHANGE
    change[0] = 0.0
    varied = best + change
    varied[:, 0] = [nearest_place(free, place) for place in varied[:, 0].tolist()]
    varied[:, 2] = np.clip(best[2] * (1 + change[:, 2]), MIN_SPEED, Material().full_speed)
    return varied


def _in_the_way(
    drill: Drill, way: Way, strikes: Strikes, most: int, rng: np.random.Generator
) -> Strikes:
    """Some strikes that do it in the way that the drill is about, at most ``most`` of them."""
    found: list[list[float]] = []
    for strike in rng.permutation(strikes).tolist()[:_LOOKED_AT]:
        if len(found) < most and way(drill, Strike(*strike)):
            found.append(strike)
    return np.array(found).reshape(-1, 3)


def _sifted(
    drill: Drill,
    play: PlayMany,
    strikes: Strikes,
    plan: tuple[Round, ...],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """The strike that succeeds most often."""

    def sample(chosen: NDArray[np.intp], tries: int) -> NDArray[np.float64]:
        made = _as_made(strikes[chosen], tries, rng)
        return _outcomes(drill, play, made).reshape(len(chosen), tries).astype(float)

    return strikes[halve(sample, len(strikes), plan).best]


def _outcomes(drill: Drill, play: PlayMany, made: Strikes) -> NDArray[np.bool_]:
    """Whether each strike succeeds, (n,), from the nearest free place."""
    free, layout = drill.view().free_places, drill.layout
    strikes = []
    for place, direction, speed in made.tolist():
        nearest = nearest_place(free, place)
        assert nearest is not None, "a drill has a free place"
        strikes.append(Strike(nearest, direction, speed))
    motions = play([layout] * len(strikes), strikes, [AGENT_SEAT] * len(strikes))
    return np.array([drill.succeeded(motion) for motion in motions], bool)
