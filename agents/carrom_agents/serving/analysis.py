"""What a position is worth, and what could be played in it: the planner's search, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from carrom.baseline import nearest_place
from carrom.board import to_seat
from carrom.layout import Layout
from carrom.observation import encode
from carrom.physics.strike import Strike
from carrom.pieces import COLOURS, QUEEN, SLICES, STRIKER, Colour
from carrom.replay.page.paths import paths
from carrom.replay.replay import Engine
from carrom.view import View
from carrom_agents.planner import Planner, candidates
from carrom_agents.player import NetworkPlayer
from carrom_agents.shot_kinds import FILM_RATE, ShotKind, falls

SHOWN = 5
"""Candidates that are shown."""


@dataclass(frozen=True, eq=False)
class Question:
    """A position in which somebody is to strike.

    Attributes:
        number: strokes played before.
        view: what he sees.
        layout: where everything lies, board frame.
        side: the side of the board that he strikes from.
        earned: points that he has won more than lost on this board as it stands, by the reward
            ``aicf``.
        noise: level of execution noise.
        engine: to play candidates on as they are meant, without the errors of the hand.
    """

    number: int
    view: View
    layout: Layout
    side: int
    earned: float
    noise: str
    engine: Engine


def analysed(question: Question, planner: Planner, network: NetworkPlayer) -> dict[str, Any]:
    """What the planner's search and a network's value say of a position.

    Args:
        question: the position.
        planner: searches, with the question's level of noise.
        network: trained on the reward ``aicf``, whose unit are points.

    Returns:
        ``number``; ``learned``, the points by which the player wins this board (less than zero:
        loses it), as the network expects; ``planned``, those of the best candidate, None for a
        break, which is not searched for; ``candidates``, of those that do the same the best:
        ``strike`` (place m, direction rad, speed m/s), ``points`` and ``standard_error`` (None
        for a break), ``rollouts``, ``what`` it is in words, and ``paths``, as it is meant.
    """
    view, rng = question.view, np.random.default_rng(question.number)
    planner = replace(planner, noise=question.noise)
    found = []
    if view.break_to_be_made:
        strike = planner.breaker(view, rng)
        found.append(_described(question, strike) | _weighed(None, None, 0))
    else:
        seen = set()
        for each in candidates(planner, view, rng):
            told = _described(question, each.strike)
            # Of several that do the same, the best one stands for all.
            if told["what"] not in seen and len(found) < SHOWN:
                seen.add(told["what"])
                points = question.earned + each.points
                found.append(told | _weighed(points, each.standard_error, each.rollouts))
    value = network.agent.value(network.params, network.scale, encode(view)[None])
    return {
        "number": question.number,
        "learned": question.earned + float(jax.device_get(value)[0]),
        "planned": found[0]["points"],
        "candidates": found,
    }


def _weighed(points: float | None, standard_error: float | None, rollouts: int) -> dict[str, Any]:
    return {"points": points, "standard_error": standard_error, "rollouts": rollouts}


def _described(question: Question, strike: Strike) -> dict[str, Any]:
    """A strike, and what it does as it is meant."""
    view = question.view
    place = nearest_place(view.free_places, strike.place)
    assert place is not None, "a board without a free place was replayed (142)"
    strike = replace(strike, place=place, forward=view.forward)
    motion = question.engine.play(question.layout, strike, question.side, trajectory_rate=FILM_RATE)
    assert motion.trajectory is not None
    own = SLICES[0 if view.plays_white else 1]
    wanted = [
        fall
        for fall in falls(view.board, question.layout, strike, motion)
        if own.start <= fall.carromman < own.stop or fall.carromman == QUEEN
    ]
    what = "nothing falls that is wanted"
    if view.break_to_be_made:
        what = "break"
    elif wanted:
        pocket = to_seat(view.board.pocket_centres[wanted[0].pocket], question.side)
        colour = Colour(int(COLOURS[wanted[0].carromman])).name.lower()
        kind = "roundabout" if wanted[0].kind is ShotKind.OTHER else str(wanted[0].kind)
        what = f"{kind}: {colour} into the {_corner(pocket)} pocket"
    if any(fall.index == STRIKER for fall in motion.pocketed):
        what += ", striker falls too"
    return {
        "strike": [strike.place, strike.direction, strike.speed],
        "what": what,
        "paths": paths(motion.trajectory),
    }


def _corner(pocket: np.ndarray) -> str:
    """Which pocket it is, for the player."""
    x, y = pocket
    return f"{'far' if y > 0 else 'near'} {'right' if x > 0 else 'left'}"
