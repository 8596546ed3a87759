"""What came of a tournament, for people (tables) and for programs (files)."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from carrom_agents.plots.ladder import draw_ladder
from carrom_agents.plots.wins import draw_wins
from carrom_agents.ratings import Ratings, rate
from carrom_agents.roster import short_name
from carrom_agents.run_folder import write_text
from carrom_agents.statistics import Estimate
from carrom_agents.tournament.record import GameRecord, pairs_of
from carrom_agents.tournament.settings import TournamentConfig


@dataclass(frozen=True)
class Standing:
    """What one player came to.

    Attributes:
        rating: in Elo's units, the anchor's being 0.
        won: games won, forfeits included.
        drawn: games drawn or cut off.
        lost: games lost, forfeits included.
        points: own points less the opponents', per game.
        dues: dues and penalties charged, per game.
        forfeits: games forfeited, by reason.
    """

    rating: Estimate
    won: int
    drawn: int
    lost: int
    points: float
    dues: float
    forfeits: dict[str, int]

    @property
    def games(self) -> int:
        """How many there were."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True)
class TournamentReport:
    """A tournament, rated.

    Attributes:
        config: what was played.
        ratings: of the players, under the names they are called here.
        standings: by player, the strongest first.
        scores: by player and opponent, what the player scored against him, in games.
        games: by player and opponent, how many they played.
    """

    config: TournamentConfig
    ratings: Ratings
    standings: dict[str, Standing]
    scores: dict[tuple[str, str], float]
    games: dict[tuple[str, str], int]

    @classmethod
    def of(cls, config: TournamentConfig, records: Sequence[GameRecord]) -> TournamentReport:
        """The report on a tournament's games.

        Raises:
            ConfigError: the players have not met, not even by way of others.
        """
        rng = np.random.default_rng(config.seed)
        ratings = rate(pairs_of(records), anchor=config.anchor, rng=rng)
        scores: defaultdict[tuple[str, str], float] = defaultdict(float)
        games: Counter[tuple[str, str]] = Counter()
        for record in records:
            names = record.fixture.breaker, record.fixture.other
            for one, two in (names, names[::-1]):
                scores[one, two] += record.score_of(one)
                games[one, two] += 1
        return cls(
            config=config,
            ratings=ratings,
            standings={
                name: _standing(name, rating, records) for name, rating in ratings.players.items()
            },
            scores=dict(scores),
            games=dict(games),
        )

    @property
    def labels(self) -> dict[str, str]:
        """What each player is called in print: the short name, where it is the only such."""
        short = {name: short_name(name) for name in self.standings}
        times = Counter(short.values())
        return {name: label if times[label] == 1 else name for name, label in short.items()}

    def table(self) -> Table:
        """The ladder, for people."""
        conditions = self.config.conditions
        table = Table(
            title=(
                f"{self.config.name}: {sum(self.games.values()) // 2} {conditions.unit}s, "
                f"noise {conditions.noise}, {conditions.physics}, seed {self.config.seed}"
            ),
            caption=self._caption(),
            box=SIMPLE_HEAD,
        )
        table.add_column("player", overflow="fold")  # names of run folders are long
        for heading in ("Elo", "95 % interval", "won", "drawn", "lost", "points", "dues"):
            table.add_column(heading, justify="right", no_wrap=True)
        for name, standing in self.standings.items():
            table.add_row(
                self.labels[name],
                f"{standing.rating.value:.0f}",
                interval(standing.rating),
                *(str(count) for count in (standing.won, standing.drawn, standing.lost)),
                f"{standing.points:+.2f}",
                f"{standing.dues:.2f}",
            )
        return table

    def wins(self) -> Table:
        """Who scored how much against whom, for people."""
        table = Table(title="score of the row against the column", box=SIMPLE_HEAD)
        table.add_column("")
        for name in self.standings:
            table.add_column(self.labels[name], justify="right", overflow="fold")
        for one in self.standings:
            table.add_row(self.labels[one], *(self._score(one, two) for two in self.standings))
        return table

    def forfeits(self) -> list[str]:
        """A sentence on every player who forfeited, and every reason."""
        return [
            f"{self.labels[name]} forfeited {times} of {standing.games}: {reason}"
            for name, standing in self.standings.items()
            for reason, times in standing.forfeits.items()
        ]

    def write(self, folder: Path) -> list[Path]:
        """Write tables (``.csv``) and pictures (``.png``); returns their paths."""
        paths = [folder / name for name in ("ladder.csv", "wins.csv", "ladder.png", "wins.png")]
        ladder_csv, wins_csv, ladder_png, wins_png = paths
        write_text(ladder_csv, _csv(self._ladder_rows()))
        write_text(wins_csv, _csv(self._win_rows()))
        labels, conditions = self.labels, self.config.conditions
        draw_ladder(
            {labels[name]: standing.rating for name, standing in self.standings.items()},
            f"Elo, {labels[self.config.anchor]} = 0 ({conditions.unit}s, noise {conditions.noise})",
            ladder_png,
        )
        order = list(self.standings)
        shares = [[self._share(one, two) for two in order] for one in order]
        draw_wins([labels[name] for name in order], np.array(shares), wins_png)
        return paths

    def _caption(self) -> str:
        breaking, draws = self.ratings.breaking, self.ratings.draws
        caption = f"{self.labels[self.config.anchor]} = 0; points and dues per game; the break is "
        caption += f"worth {breaking.value:.0f} {interval(breaking)}"
        if draws.value > 0:
            caption += f"; equals draw {draws.value:.3f} [{draws.low:.3f}, {draws.high:.3f}]"
        return caption

    def _share(self, one: str, two: str) -> float:
        """Score of one against the other, per game; NaN if they have not met."""
        games = self.games.get((one, two), 0)
        return self.scores[one, two] / games if games else math.nan

    def _score(self, one: str, two: str) -> str:
        games = self.games.get((one, two), 0)
        return f"{self.scores[one, two]:g}/{games}" if games else ""

    def _ladder_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "player": name,
                "elo": standing.rating.value,
                "low": standing.rating.low,
                "high": standing.rating.high,
                "pairs": standing.rating.samples,
                "won": standing.won,
                "drawn": standing.drawn,
                "lost": standing.lost,
                "points_per_game": standing.points,
                "dues_per_game": standing.dues,
                "forfeits": sum(standing.forfeits.values()),
            }
            for name, standing in self.standings.items()
        ]

    def _win_rows(self) -> list[dict[str, Any]]:
        return [
            {"player": one, "opponent": two, "score": self.scores[one, two], "games": games}
            for (one, two), games in sorted(self.games.items())
        ]


def interval(estimate: Estimate) -> str:
    """Both ends, to whole numbers; an end that is not there is a bracket that stays open."""
    low = "(-∞" if math.isinf(estimate.low) else f"[{estimate.low:.0f}"
    high = "∞)" if math.isinf(estimate.high) else f"{estimate.high:.0f}]"
    return f"{low}, {high}"


def _standing(name: str, rating: Estimate, records: Iterable[GameRecord]) -> Standing:
    outcomes: Counter[float] = Counter()
    reasons: Counter[str] = Counter()
    points, dues = 0, 0
    for record in records:
        if name not in (record.fixture.breaker, record.fixture.other):
            continue
        own = int(record.fixture.other == name)
        outcomes[record.score_of(name)] += 1
        points += record.points[own] - record.points[1 - own]
        dues += record.dues[own]
        if record.forfeit is not None and record.forfeit.player == name:
            reasons[record.forfeit.reason] += 1
    games = sum(outcomes.values())
    return Standing(
        rating=rating,
        won=outcomes[1.0],
        drawn=outcomes[0.5],
        lost=outcomes[0.0],
        points=points / games,
        dues=dues / games,
        forfeits=dict(reasons.most_common()),
    )


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
