"""A tournament from its configuration to its games: what is missing is played."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeAlias

from carrom.errors import WorkerError
from carrom.opponents import Player
from carrom_agents.pool import process_pool
from carrom_agents.roster import find_player
from carrom_agents.tournament.game import play_game
from carrom_agents.tournament.log import GameLog
from carrom_agents.tournament.record import Fixture, GameRecord
from carrom_agents.tournament.schedule import Pairing, fixtures, round_robin, swiss_round
from carrom_agents.tournament.settings import Conditions, TournamentConfig

Playing: TypeAlias = Callable[
    [Sequence[Fixture], TournamentConfig, Mapping[str, Player], Callable[[str], Player]],
    Iterator[GameRecord],
]
"""Plays games, and gives each when it has come to its end: of what is missing, the tournament,
its players, and what finds them by name, elsewhere."""


def play_on_this_machine(
    missing: Sequence[Fixture],
    config: TournamentConfig,
    players: Mapping[str, Player],
    find: Callable[[str], Player],
) -> Iterator[GameRecord]:
    """Play the games here, or in ``config.workers`` processes; see ``Playing``.

    Raises:
        WorkerError: a process has ended unexpectedly.
    """
    if min(config.workers, len(missing)) <= 1:
        for fixture in missing:
            yield play_game(fixture, config.conditions, players)
        return
    pool = process_pool(min(config.workers, len(missing)), _begin_work, find)
    try:
        waiting = [pool.submit(_work, fixture, config.conditions) for fixture in missing]
        for game in concurrent.futures.as_completed(waiting):
            yield game.result()
    except BrokenProcessPool:
        raise WorkerError(
            "a process that played games has ended unexpectedly: what was played is kept, start "
            "the tournament again to go on"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def play_tournament(
    config: TournamentConfig,
    *,
    find: Callable[[str], Player] = find_player,
    play: Playing = play_on_this_machine,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[GameRecord]:
    """Play what is missing in the tournament's folder; returns all its games, in order.

    A game depends on its fixture and the conditions alone. So it does not matter how many
    processes share the games, whether the tournament was interrupted, or whether players or
    starts were added later; no game is ever played twice.

    Args:
        config: of the tournament.
        find: gives a player by name; can be pickled if there are several workers.
        play: plays the games, on this machine or elsewhere.
        progress: told how many of how many games there are, after each.

    Raises:
        ConfigError: no player of a name, or a folder that cannot be used, see ``GameLog``.
        CheckpointError: a folder that holds no trained player.
        WorkerError: who played games was lost. What was played is kept.
    """
    players = {name: find(name) for name in config.players}
    games: list[GameRecord] = []
    met: list[Pairing] = []
    with GameLog(Path(config.folder), config.conditions) as log:
        for _ in range(config.rounds or 1):
            if config.schedule == "swiss":
                pairings = swiss_round(config.players, met, games)
            else:
                pairings = round_robin(config.players)
            wanted = list(fixtures(pairings, config.start_seeds))
            missing = [fixture for fixture in wanted if fixture not in log.records]
            there = len(games) + len(wanted) - len(missing)
            progress(there, config.games)
            for done, record in enumerate(play(missing, config, players, find), start=1):
                log.append(record)
                progress(there + done, config.games)
            met += pairings
            games += [log.records[fixture] for fixture in wanted]
    return games


class FoundPlayers(dict[str, Player]):
    """The players of a process, found when they first play."""

    def __init__(self, find: Callable[[str], Player]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, name: str) -> Player:
        self[name] = self._find(name)
        return self[name]


_players: FoundPlayers
"""In a process that works for another."""


def _begin_work(find: Callable[[str], Player]) -> None:
    global _players
    _players = FoundPlayers(find)


def _work(fixture: Fixture, conditions: Conditions) -> GameRecord:
    return play_game(fixture, conditions, _players)
