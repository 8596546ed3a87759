"""How an environment asks someone for a strike.

A player is any callable ``player(view, rng) -> Strike``: it sees the position from its own
seat (``carrom.view.View``) and draws whatever is random in its play from ``rng``. One that also
has a method ``decide(view, rng) -> Answer`` is asked for the decisions that are no strikes
(``carrom.decision``), where the environment leaves them to the players. Players that other
packages offer by name are found through the entry-point group ``carrom.opponents``, so that the
environment never imports an agent.
"""

from __future__ import annotations

import functools
import math
from importlib.metadata import entry_points
from typing import Protocol

import numpy as np

from carrom.action import MIN_SPEED
from carrom.decision import Answer, AsScripted, Kind
from carrom.errors import ConfigError
from carrom.physics.material import Material
from carrom.physics.strike import Strike
from carrom.view import View

ENTRY_POINT_GROUP = "carrom.opponents"


class Player(Protocol):
    """Someone who can be asked for a strike."""

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """Decide the next strike in the position ``view``."""
        ...


def answer_of(player: Player, view: View, rng: np.random.Generator) -> Answer:
    """What ``player`` answers to whatever ``view`` asks; once it is over, a last strike."""
    if view.request.kind in (Kind.STRIKE, None):
        return player(view, rng)
    decide = getattr(player, "decide", None)
    return AsScripted() if decide is None else decide(view, rng)


def random_player(view: View, rng: np.random.Generator, /) -> Strike:
    """Strikes from a random free place in a random direction at a random speed."""
    lengths = np.array([high - low for low, high in view.free_places])
    share = lengths.sum()
    weights = lengths / share if share > 0 else np.full(len(lengths), 1 / len(lengths))
    low, high = view.free_places[rng.choice(len(weights), p=weights)]
    return Strike(
        place=rng.uniform(low, high),
        direction=rng.uniform(-math.pi, math.pi),
        speed=rng.uniform(MIN_SPEED, Material().full_speed),
    )


_BUILT_IN: dict[str, Player] = {"random": random_player}


@functools.cache
def opponent_names() -> tuple[str, ...]:
    """Names under which players can be had, in alphabetical order."""
    offered = (point.name for point in entry_points(group=ENTRY_POINT_GROUP))
    return tuple(sorted({*_BUILT_IN, *offered}))


def find_opponent(opponent: str | Player, option: str = "opponent") -> Player:
    """The player called ``opponent``, or ``opponent`` itself if it can be called.

    Args:
        opponent: a name or a player.
        option: what an error calls it.

    Raises:
        ConfigError: no player of that name, or neither a name nor a callable.
    """
    if callable(opponent):
        return opponent
    if isinstance(opponent, str):
        if opponent in _BUILT_IN:
            return _BUILT_IN[opponent]
        for point in entry_points(group=ENTRY_POINT_GROUP, name=opponent):
            return point.load()
    raise ConfigError(
        f"{option} = {opponent!r}: expected one of {list(opponent_names())} or a callable "
        "(view, rng) -> Strike"
    )
