"""What an evaluation found, for people (tables) and for programs (dictionaries)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from carrom_agents.shot_rates import FAR, NEAR, ShotRates
from carrom_agents.statistics import Estimate


@dataclass(frozen=True)
class Measures:
    """What is measured of each stroke, over all positions.

    Attributes:
        pocketed: own carrommen pocketed.
        points: sum of the reward terms.
        dues: dues and penalties charged.
    """

    pocketed: Estimate
    points: Estimate
    dues: Estimate


@dataclass(frozen=True)
class PlayerShots(Measures):
    """One player's strokes.

    Attributes:
        success: share of strokes that pocket an own carromman.
    """

    success: Estimate


@dataclass(frozen=True)
class ShotReport:
    """Players compared stroke by stroke in the same positions.

    Attributes:
        positions: how many positions each player struck in.
        seed: of the first position; the others follow.
        noise: level of execution noise.
        players: by name, in the order given.
        differences: the first player's measures less the second's, position by position,
            for every pair of players.
    """

    positions: int
    seed: int
    noise: str
    players: dict[str, PlayerShots]
    differences: dict[tuple[str, str], Measures]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the pairs of ``differences`` become a list."""
        report = dataclasses.asdict(self)
        report["differences"] = [
            {"first": first, "second": second, **dataclasses.asdict(measures)}
            for (first, second), measures in self.differences.items()
        ]
        return report

    def table(self) -> Table:
        """For people."""
        table = Table(
            title=f"{self.positions} positions, noise {self.noise}, seed {self.seed}",
            caption="per stroke, with 95 % intervals",
            box=SIMPLE_HEAD,
        )
        table.add_column("player", overflow="fold")  # names of run folders are long
        for heading in ("own pocketed", "successful", "points", "dues"):
            table.add_column(heading, no_wrap=True)
        for name, shots in self.players.items():
            cells = (shots.pocketed, shots.success, shots.points, shots.dues)
            table.add_row(name, *map(_cell, cells))
        table.add_section()
        for (first, second), gain in self.differences.items():
            cells = (_cell(gain.pocketed), "", _cell(gain.points), _cell(gain.dues))
            table.add_row(f"{first}\nless {second}", *cells)
        return table


@dataclass(frozen=True)
class BoardReport:
    """A player against an opponent over boards.

    Attributes:
        player: name of the player.
        opponent: name of the opponent.
        boards: boards played, from half as many starts if the break was swapped.
        seed: of the first start; the others follow.
        noise: level of execution noise, of both.
        won: share of boards won; boards cut off by the stroke limit are not won.
        lost: share of boards lost.
        points: points won less points lost, per board.
        strokes: strokes of both, per board.
        dues: dues and penalties charged to the player, per board.
        opponent_dues: the same for the opponent.
        queens: share of boards in which the player covered the queen.
        slams: white slams, share of the boards on which the player broke: all nine white
            carrommen and the queen in the first turn (27.a). None if he never broke.
        shots: how often he made shots of each kind, if that was looked at.
    """

    player: str
    opponent: str
    boards: int
    seed: int
    noise: str
    won: Estimate
    lost: Estimate
    points: Estimate
    strokes: Estimate
    dues: Estimate
    opponent_dues: Estimate
    queens: Estimate
    slams: Estimate | None
    shots: ShotRates | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dataclasses.asdict(self)

    def table(self) -> Table:
        """For people."""
        title = (
            f"{self.player} against {self.opponent}: {self.boards} boards, "
            f"noise {self.noise}, seed {self.seed}"
        )
        measures = {
            "boards won": self.won,
            "boards lost": self.lost,
            "points per board": self.points,
            "strokes per board": self.strokes,
            "dues per board": self.dues,
            "opponent's dues per board": self.opponent_dues,
            "queens covered": self.queens,
            "white slams per break": self.slams,
        }
        return _table(title, measures, self.shots)


@dataclass(frozen=True)
class SoloReport:
    """A player who clears boards alone, with the turn always his.

    Attributes:
        player: name of the player.
        boards: boards played.
        seed: of the first board; the others follow.
        noise: level of execution noise.
        cleared: share of boards cleared, and not lost by the laws or cut off.
        strokes: per board, however it ended.
        dues: dues and penalties per board.
        slams: share of boards cleared in the first turn, the queen among it (27.a).
        shots: how often he made shots of each kind.
    """

    player: str
    boards: int
    seed: int
    noise: str
    cleared: Estimate
    strokes: Estimate
    dues: Estimate
    slams: Estimate
    shots: ShotRates

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dataclasses.asdict(self)

    def table(self) -> Table:
        """For people."""
        title = f"{self.player} alone: {self.boards} boards, noise {self.noise}, seed {self.seed}"
        measures = {
            "boards cleared": self.cleared,
            "strokes to clear a board": self.strokes,
            "dues per board": self.dues,
            "white slams per break": self.slams,
        }
        return _table(title, measures, self.shots)


def _table(title: str, measures: Mapping[str, Estimate | None], shots: ShotRates | None) -> Table:
    """Measures one a line, and how often shots were made."""
    table = Table("measure", "value and 95 % interval", "of", title=title, box=SIMPLE_HEAD)
    for label, estimate in measures.items():
        if estimate is not None:
            table.add_row(label, str(estimate), str(estimate.samples))
    if shots is None:
        return table
    of_distance = {
        "near": f"carromman up to {NEAR * 100:.0f} cm from its pocket",
        "middle": "carromman between",
        "far": f"carromman from {FAR * 100:.0f} cm on",
    }
    table.caption = "shots made: of those that, as they were meant, pocket a carromman of his"
    for made, named in ((shots.kinds, {}), (shots.distances, of_distance)):
        table.add_section()
        for name, estimate in made.items():
            table.add_row(named.get(name, name), str(estimate), str(estimate.samples))
    return table


def _cell(estimate: Estimate) -> str:
    """Two short lines: eighty columns are all that a log has."""
    return f"{estimate.value:.3f}\n[{estimate.low:.2f}, {estimate.high:.2f}]"
