"""Everything that defines a tournament, as frozen dataclasses from a file in ``configs/``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from carrom.errors import ConfigError, one_of
from carrom.physics.noise import NOISE_LEVELS
from carrom_agents import strict_yaml
from carrom_agents.episode import check_at_least

_LONGEST_MOVE_S = 86_400
"""A day: timers of operating systems do not take every number."""


@dataclass(frozen=True)
class Conditions:
    """What games are played under; only games under the same conditions can be compared."""

    unit: Literal["board", "game", "match"] = "board"
    """What is won or lost: a board, a game of 25 points, a match of three games."""
    noise: str = "expert"
    """Execution noise of all players."""
    physics: Literal["mujoco", "planar"] = "mujoco"
    """The engine."""
    due_placing: Literal["scripted", "agent"] = "scripted"
    """Whether dues are laid where they hurt most, or by the players, those that do no more than
    strike excepted."""
    max_strokes: int | None = None
    """Strokes of both after which it is cut off, and drawn; the environment's limit if unset."""
    move_limit_s: float | None = None
    """Seconds for a decision, beyond which the player forfeits. They are those of a clock on the
    wall: compilation counts, and what else the machine does. No limit if unset."""

    def __post_init__(self) -> None:
        one_of("noise", self.noise, NOISE_LEVELS)
        if self.max_strokes is not None:
            check_at_least("max_strokes", self.max_strokes, 1)
        if self.move_limit_s is not None and not 0 < self.move_limit_s <= _LONGEST_MOVE_S:
            raise ConfigError(
                f"move_limit_s = {self.move_limit_s!r}: expected seconds above 0, at most "
                f"{_LONGEST_MOVE_S}"
            )


@dataclass(frozen=True)
class TournamentConfig:
    """A tournament."""

    players: tuple[str, ...]
    """Names of players, or run folders."""
    name: str = "tournament"
    """What it is called."""
    folder: str = "runs/tournament"
    """Where the games are kept, and the tables and pictures written."""
    schedule: Literal["round_robin", "swiss"] = "round_robin"
    """Everybody against everybody, or in rounds against others of about the same score."""
    rounds: int | None = None
    """Rounds of a Swiss tournament."""
    starts: int = 10
    """Starts of each pairing; each is played twice, with the places swapped."""
    seed: int = 0
    """Of the first start; the others follow. All pairings have the same starts."""
    anchor: str = "aimer"
    """The player whose rating is 0."""
    workers: int = 1
    """Processes that share the games; the results do not depend on it."""
    conditions: Conditions = Conditions()

    def __post_init__(self) -> None:
        # However a run folder is written, its games are the same.
        players = tuple(map(os.path.normpath, self.players))
        object.__setattr__(self, "players", players)
        object.__setattr__(self, "anchor", os.path.normpath(self.anchor))
        if len(set(players)) < max(len(players), 2):
            raise ConfigError(f"players = {list(players)}: expected at least two, none twice")
        if self.anchor not in players:
            raise ConfigError(f"anchor = {self.anchor!r}: expected one of {list(players)}")
        check_at_least("starts", self.starts, 1)
        check_at_least("seed", self.seed, 0)
        check_at_least("workers", self.workers, 1)
        most = self.tables_with_bye
        if self.schedule == "swiss" and self.rounds == 1 and len(players) > 2:
            raise ConfigError(
                f"rounds = 1: expected at least 2 with {len(players)} players: those who have not "
                "met, not even by way of others, cannot be rated"
            )
        if self.schedule == "round_robin":
            if self.rounds is not None:
                raise ConfigError(
                    f"rounds = {self.rounds}: expected none with schedule = {self.schedule!r}"
                )
        elif self.rounds is None or not 1 <= self.rounds <= most:
            # Up to here there always is a pairing of players who have not met: everybody has at
            # least half of the others left (Dirac, 1952).
            raise ConfigError(
                f"rounds = {self.rounds}: expected 1 to {most}, half as many as there are players"
            )

    @property
    def tables_with_bye(self) -> int:
        """Pairs of players, one of whom may be paired with nobody."""
        return (len(self.players) + 1) // 2

    @property
    def start_seeds(self) -> range:
        """Seeds of the starts."""
        return range(self.seed, self.seed + self.starts)

    @property
    def games(self) -> int:
        """Games of the whole tournament."""
        n = len(self.players)
        pairings = n * (n - 1) // 2 if self.rounds is None else self.rounds * (n // 2)
        return 2 * self.starts * pairings


def load_tournament(path: Path) -> TournamentConfig:
    """The tournament that a YAML file describes.

    Raises:
        ConfigError: missing file, unknown key, wrong type or bad value: says which and where.
    """
    return strict_yaml.load(TournamentConfig, path)
