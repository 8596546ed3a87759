"""Who plays whom: everybody everybody, or in rounds those of about the same score."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from carrom_agents.tournament.record import Fixture, GameRecord

Pairing = tuple[str, str]


def round_robin(players: Sequence[str]) -> list[Pairing]:
    """Everybody against everybody."""
    return list(itertools.combinations(players, 2))


def swiss_round(
    players: Sequence[str], met: Iterable[Pairing], games: Iterable[GameRecord]
) -> list[Pairing]:
    """The next round of a Swiss tournament: neighbours by score who have not met.

    Players of the same score stand in the order given. If their number is odd, one of the last
    who has not done so yet pauses.

    Args:
        players: who takes part.
        met: pairings of the rounds before; whoever was in none of a round has paused.
        games: of the rounds before.

    Raises:
        ValueError: everybody left has met: too many rounds.
    """
    scores: dict[str, float] = dict.fromkeys(players, 0.0)
    for game in games:
        for player in (game.fixture.breaker, game.fixture.other):
            scores[player] += game.score_of(player)
    excluded: set[frozenset[str | None]] = {frozenset(pairing) for pairing in met}
    order: list[str | None] = []
    order += sorted(players, key=lambda player: -scores[player])
    if len(order) % 2:
        rounds = 2 * len(excluded) // (len(order) - 1)
        for player in players:
            if sum(player in pairing for pairing in excluded) < rounds:
                excluded.add(frozenset((player, None)))
        order.append(None)
    pairings = _paired(order, excluded)
    if pairings is None:
        raise ValueError("no pairing of players who have not met is left: too many rounds")
    return [(one, two) for one, two in pairings if one is not None and two is not None]


def fixtures(pairings: Sequence[Pairing], starts: Iterable[int]) -> Iterator[Fixture]:
    """Every start of every pairing, twice, with the places swapped.

    Start by start, so that whatever has been played when it is interrupted is balanced.
    """
    for start in starts:
        for one, two in pairings:
            yield Fixture(one, two, start)
            yield Fixture(two, one, start)


def _paired(
    order: Sequence[str | None], excluded: set[frozenset[str | None]]
) -> list[tuple[str | None, str | None]] | None:
    """Everybody with one of the next in order, none of the pairs excluded; None if impossible."""
    if not order:
        return []
    first, *rest = order
    for place, other in enumerate(rest):
        if frozenset((first, other)) in excluded:
            continue
        others = _paired(rest[:place] + rest[place + 1 :], excluded)
        if others is not None:
            return [(first, other), *others]
    return None
