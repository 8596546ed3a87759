"""A tournament from its configuration to its games: what is missing is played."""

from __future__ import annotations

import concurrent.futures
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TypeAlias

from carrom.errors import WorkerError
from carrom.opponents import Player
from carrom_agents.pool import process_pool
from carrom_agents.roster import find_player
from carrom_agents.tournament.entrants import enter
from carrom_agents.tournament.game import play_game
from carrom_agents.tournament.log import GameLog
from carrom_agents.tournament.record import Fixture, Forfeit, GameRecord, forfeited
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

    Where a process ends unexpectedly, the games that may have been played in it are played one by
    one, each in a process of its own. Whoever is asked when that ends, too, forfeits the game.
    Without other processes, there is nobody left to notice it.
    """
    if min(config.workers, len(missing)) <= 1:
        for fixture in missing:
            yield play_game(fixture, config.conditions, players)
        return
    left = dict.fromkeys(missing)
    while left:
        with contextlib.suppress(BrokenProcessPool):
            for record in _side_by_side(list(left), config, find):
                del left[record.fixture]
                yield record
            return
        # Games are given out in order: those that were being played are among the first.
        for fixture in list(left)[: config.workers]:
            yield _played_alone(fixture, config.conditions, find)
            del left[fixture]


def _side_by_side(
    fixtures: Sequence[Fixture], config: TournamentConfig, find: Callable[[str], Player]
) -> Iterator[GameRecord]:
    """The games, as they come to their ends.

    Raises:
        BrokenProcessPool: a process has ended unexpectedly.
    """
    pool = process_pool(min(config.workers, len(fixtures)), _begin_work, find)
    try:
        waiting = [pool.submit(_work, fixture, config.conditions) for fixture in fixtures]
        for game in concurrent.futures.as_completed(waiting):
            yield game.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _played_alone(
    fixture: Fixture, conditions: Conditions, find: Callable[[str], Player]
) -> GameRecord:
    """A game in a process of its own, which may end with it.

    Raises:
        WorkerError: it has ended before anybody was asked for anything.
    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder, "asked")
        pool = process_pool(1, _begin_work, find)
        try:
            return pool.submit(_work, fixture, conditions, asked).result()
        except BrokenProcessPool:
            if not asked.exists():
                raise WorkerError(
                    f"the process that was to play {fixture.breaker} against {fixture.other} "
                    "has ended unexpectedly: what was played is kept, start the tournament again "
                    "to go on"
                ) from None
            return forfeited(
                fixture,
                conditions,
                Forfeit(asked.read_text(encoding="utf-8"), "ended the process that he played in"),
                round(time.perf_counter() - began, 3),
            )
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
        ConfigError: no player of a name, one that has changed since he played there, or a folder
            that cannot be used, see ``GameLog``.
        CheckpointError: a folder that holds no trained player.
        WorkerError: who played games was lost before he had begun. What was played is kept.
    """
    players = {name: find(name) for name in config.players}
    games: list[GameRecord] = []
    met: list[Pairing] = []
    with GameLog(Path(config.folder), config.conditions) as log:
        enter(Path(config.folder), config.players)
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


def _work(fixture: Fixture, conditions: Conditions, asked: Path | None = None) -> GameRecord:
    if asked is None:
        return play_game(fixture, conditions, _players)

    def note(name: str) -> None:
        asked.write_text(name, encoding="utf-8")

    return play_game(fixture, conditions, _players, note)
