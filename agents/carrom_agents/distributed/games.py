"""The games of a tournament as tasks of a Ray cluster.

A game is determined by its fixture and the conditions, so it may be begun anew wherever its
worker was lost. It is the program that owns the tournament's file that records it, once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from carrom.opponents import Player, opponent_names
from carrom_agents.distributed.cluster import Cluster
from carrom_agents.distributed.tasks import in_tasks
from carrom_agents.tournament.game import play_game
from carrom_agents.tournament.play import FoundPlayers, Playing
from carrom_agents.tournament.record import Fixture, GameRecord
from carrom_agents.tournament.settings import Conditions, TournamentConfig


def games_on(cluster: Cluster) -> Playing:
    """Plays games on the processors of a cluster; see ``carrom_agents.tournament.play``."""

    def play(
        fixtures: Sequence[Fixture],
        config: TournamentConfig,
        players: Mapping[str, Player],
        find: Callable[[str], Player],
    ) -> Iterator[GameRecord]:
        folders = tuple(
            (name, str(Path(name).absolute()))
            for name in players
            if name not in opponent_names() and Path(name).is_dir()
        )
        there = _Finding(find, folders)
        shared = (there, config.conditions)
        games = in_tasks(_play, fixtures, shared, cluster.processors, _describe)
        return (game for _, game in games)

    return play


@dataclass(frozen=True)
class _Finding:
    """Finds players on another machine, where programs run in another working directory.

    Attributes:
        find: gives a player by name.
        folders: names that are run folders, and the whole paths of these.
    """

    find: Callable[[str], Player]
    folders: tuple[tuple[str, str], ...]

    def __call__(self, name: str) -> Player:
        return self.find(dict(self.folders).get(name, name))


def _describe(fixture: Fixture) -> str:
    return f"{fixture.breaker} against {fixture.other} from start {fixture.start}"


def _play(fixture: Fixture, find: Callable[[str], Player], conditions: Conditions) -> GameRecord:
    return play_game(fixture, conditions, _players_of(find))


@functools.lru_cache(maxsize=1)
def _players_of(find: Callable[[str], Player]) -> FoundPlayers:
    """Once in a worker, which plays many games."""
    return FoundPlayers(find)
