"""Players that several games ask."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from carrom.env import CarromEnv
from carrom.opponents import Player
from carrom.physics.strike import Strike
from carrom.view import View
from carrom_agents.roster import find_player


class SharedPlayer:
    """A player who is found when first asked, and asked by one thread at a time.

    While he is being prepared, whoever asks him waits, instead of compiling the same again.

    Args:
        name: a player's name or a run folder.
        find: finds him.
    """

    def __init__(self, name: str, find: Callable[[str], Player] = find_player) -> None:
        self._name, self._find = name, find
        self._lock = threading.Lock()
        self._player: Player | None = None

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """The strike that he decides on."""
        with self._lock:
            return self._found()(view, rng)

    def prepare(self) -> None:
        """Let him decide once, so that what he compiles is compiled."""
        env = CarromEnv("shot")
        env.reset(seed=0)
        self(env.view(), np.random.default_rng(0))

    def _found(self) -> Player:
        if self._player is None:
            self._player = self._find(self._name)
        return self._player
