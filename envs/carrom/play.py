"""The path of a stroke, for one table or for many at once.

Strike -> noise -> physics -> facts -> umpire -> placing -> reward and the next position. The
single environment is one table, the vector environment many; nothing a table does depends
on which other tables are played with it.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carrom.baseline import is_free, legal_places, nearest_place
from carrom.errors import ConfigError, PhysicsError
from carrom.laws import (
    SINGLES,
    Event,
    MatchState,
    Ruling,
    StrokeFacts,
    colour_of,
    foul_now,
    new_match,
    next_board_jit,
    rule_jit,
    rule_many_jit,
    side_with,
)
from carrom.laws.finish import QUEEN_COUNTS_BELOW
from carrom.layout import Layout
from carrom.physics.motion import Motion
from carrom.physics.mujoco import MujocoEngine
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, SLICES
from carrom.putting_back import put_back
from carrom.reward import board_terms
from carrom.table import Setting, Streams, Stroke, Table
from carrom.tasks import (
    AGENT_SEAT,
    OPPONENT_SEAT,
    Position,
    Unit,
    drill_position,
    racked,
    returned_to,
)
from carrom.view import View

_log = logging.getLogger(__name__)

_PLANTED = 1e-9
"""How far off the middle of the base lines, m, a striker may stand: rounding, no more."""


@dataclass(frozen=True)
class Physics:
    """Many strokes at once on one engine.

    Attributes:
        engine: computes them.
        film_rate: frames per second of their films, or None for no films.
    """

    engine: MujocoEngine
    film_rate: float | None = None

    def play(
        self, layouts: Sequence[Layout], strikes: Sequence[Strike], seats: Sequence[int]
    ) -> list[Motion | PhysicsError]:
        """The outcome of each strike on its layout from its seat, or why there is none."""
        return [self._outcome(*stroke) for stroke in zip(layouts, strikes, seats, strict=True)]

    def _outcome(self, layout: Layout, strike: Strike, seat: int) -> Motion | PhysicsError:
        try:
            return self.engine.play(layout, strike, seat, trajectory_rate=self.film_rate)
        except PhysicsError as error:
            _log.warning("a stroke diverged and its board is void (140): %s", error)
            return error


def begin(
    setting: Setting, physics: Physics, generators: Sequence[np.random.Generator]
) -> list[Table]:
    """New episodes, each seeded from one generator, up to the agent's first decision.

    An opponent who ends the episode before the agent has had a turn leaves a table that is
    over; the agent's first step, whatever its action, reports that end.
    """
    tables = []
    for rng in generators:
        streams = Streams.drawn_from(rng)
        tables.append(Table(setting, streams, _first_position(setting, streams.start)))
    _until_agent(physics, tables)
    return tables


def advance(physics: Physics, tables: Sequence[Table], strikes: Sequence[Strike]) -> None:
    """Play the agent's ``strikes``, and whatever the opponents answer.

    Every stroke starts once all that the last one moved has come to rest (124). Afterwards it
    is the agent's turn on every table that is not over. A table that was over
    already is left as it is.
    """
    live = [pair for pair in zip(tables, strikes, strict=True) if not pair[0].over]
    _strike_all(physics, [table for table, _ in live], [strike for _, strike in live])
    _until_agent(physics, tables)


def _first_position(setting: Setting, rng: np.random.Generator) -> Position:
    if setting.task.unit is Unit.STROKE:
        return drill_position(setting.board, rng)
    drawn = bool(rng.integers(2))
    agent_breaks = drawn if setting.agent_breaks is None else setting.agent_breaks
    seat = AGENT_SEAT if agent_breaks or setting.task.solo else OPPONENT_SEAT
    return _racked(setting, new_match(SINGLES, seat), rng)


def _racked(setting: Setting, match: MatchState, rng: np.random.Generator) -> Position:
    return racked(match, setting.board, rng, setting.packing, setting.orientation)


def _until_agent(physics: Physics, tables: Sequence[Table]) -> None:
    """Let the opponents strike, round by round, until each waits for the agent or is over."""
    while waiting := [t for t in tables if not (t.over or t.agents_turn)]:
        _strike_all(physics, waiting, [_opponents_strike(table) for table in waiting])


def _opponents_strike(table: Table) -> Strike:
    strike = table.setting.opponent(table.view, table.streams.opponent)
    if not isinstance(strike, Strike):
        raise ConfigError(f"the opponent returned {strike!r}: expected a carrom Strike")
    return strike


@dataclass(frozen=True)
class _Attempt:
    """A strike on its way: ``legal`` says whether the striker could be set there at all."""

    strike: Strike
    legal: bool
    outcome: Motion | PhysicsError | None = None

    @property
    def motion(self) -> Motion | None:
        """What the discs did, if they moved and the physics held."""
        return self.outcome if isinstance(self.outcome, Motion) else None

    @property
    def failure(self) -> PhysicsError | None:
        """Why the physics did not hold, if it did not."""
        return self.outcome if isinstance(self.outcome, PhysicsError) else None


def _strike_all(physics: Physics, tables: Sequence[Table], strikes: Sequence[Strike]) -> None:
    """One stroke on each table: from the strike as meant to the position after the ruling."""
    attempts = [_as_made(t, strike) for t, strike in zip(tables, strikes, strict=True)]
    struck = [(t.position, a.strike) for t, a in zip(tables, attempts, strict=True) if a.legal]
    outcomes = iter(
        physics.play(
            [position.layout for position, _ in struck],
            [strike for _, strike in struck],
            [position.physical_seat for position, _ in struck],
        )
    )
    attempts = [dataclasses.replace(a, outcome=next(outcomes)) if a.legal else a for a in attempts]
    facts = [_facts(t, attempt) for t, attempt in zip(tables, attempts, strict=True)]
    rulings = rule_many_jit([t.position.match for t in tables], facts) if tables else []
    for table, attempt, told, ruled in zip(tables, attempts, facts, rulings, strict=True):
        table.strokes += 1
        _conclude(table, attempt, told, *ruled)


def _as_made(table: Table, strike: Strike) -> _Attempt:
    """The strike with execution noise, put back on a free place unless placing is strict."""
    made = table.setting.noise.apply(strike, table.streams.noise)
    if table.setting.strict:
        return _Attempt(made, legal=not _disturbs(made, table.view))
    place = nearest_place(table.view.free_places, made.place)
    assert place is not None, "a board without a free place was replayed (142)"
    return _Attempt(dataclasses.replace(made, place=place), legal=True)


def _disturbs(strike: Strike, view: View) -> bool:
    """Whether the striker would be set onto a carromman (134)."""
    reach = view.board.striker_radius + view.board.carromman_radius
    spot = np.array([strike.place, view.board.base_line_y + strike.forward])
    gaps = np.hypot(*(view.positions - spot).T)
    return bool(np.any(view.on_board & (gaps < reach)))


def _facts(table: Table, attempt: _Attempt) -> StrokeFacts:
    """What the umpire is told about a stroke."""
    if attempt.failure is not None:
        # To restore the position (A18) could go on for ever: the same strike would fail again.
        return StrokeFacts.without_stroke(Event.VOID)
    if attempt.motion is None:
        # The carrommen are put back; what is left is the foul (134, 63, 64).
        return StrokeFacts.without_stroke(foul_now(table.position.match))
    strike, motion = attempt.strike, attempt.motion
    fallen = [pocketing.index for pocketing in motion.pocketed]
    white, black = (sum(part.start <= i < part.stop for i in fallen) for part in SLICES)
    on_the_lines = is_free(legal_places(table.setting.board), strike.place)
    return StrokeFacts.shot(
        proper=on_the_lines and abs(strike.forward) <= _PLANTED,
        touched=motion.first_touch is not None,
        pocketed=(white, black),
        queen=QUEEN in fallen,
        striker=motion.striker_pocketed,
    )


def _conclude(
    table: Table, attempt: _Attempt | None, facts: StrokeFacts, match: MatchState, ruling: Ruling
) -> None:
    """Put back what comes out, book the reward, and set up what is played next."""
    before = table.position
    motion = attempt.motion if attempt else None
    layout = motion.layout if motion else before.layout
    if not (ruling.board_over or ruling.board_replayed):
        back = put_back(table.setting.board, layout, ruling, Position(layout, match))
        if back.without_room:
            # The rest waits as owed (79.a, U28), so the umpire is told how much found room.
            facts = dataclasses.replace(
                facts, room_returned=np.int32(back.returned), room_due=np.int32(back.dues)
            )
            match, ruling = rule_jit(before.match, facts)
        layout = back.layout
    after = Position(layout, match)
    table.played.append(
        Stroke(
            own=table.agents_turn,
            strike=attempt.strike if attempt else None,
            before=before,
            after=after,
            motion=motion,
            facts=facts,
            ruling=ruling,
            failure=attempt.failure if attempt else None,
        )
    )
    table.earn(_reward_terms(table.setting, table.played[-1]))
    table.position = after
    _go_on(table, ruling)


def _reward_terms(setting: Setting, stroke: Stroke) -> dict[str, float]:
    """The stroke's reward terms under the preset in use; ``result`` is paid at the end."""
    board, game = stroke.before.match.board, stroke.before.match.game
    colour = int(colour_of(AGENT_SEAT, board, doubles=False))
    if setting.reward == "result" or (stroke.failure and setting.task.unit is Unit.STROKE):
        return {}
    if setting.reward == "points":
        points = stroke.ruling.points
        terms = {"points": float(points[colour] - points[1 - colour])}
    else:
        scores = [int(game.score[side_with(c, board, doubles=False)]) for c in (0, 1)]
        counts = (scores[0] < QUEEN_COUNTS_BELOW, scores[1] < QUEEN_COUNTS_BELOW)
        terms = board_terms(
            board, stroke.after.match.board, stroke.facts, stroke.ruling, colour, counts
        )
    return terms | {"stroke": -1.0} if setting.task.solo else terms


def _go_on(table: Table, ruling: Ruling) -> None:
    """End the episode, or set up the next stroke on this board or a new one."""
    setting, after = table.setting, table.position
    if setting.task.unit is Unit.STROKE and ruling.board_replayed:
        table.truncated = True
        return
    if _ended(setting.task.unit, ruling):
        table.terminated = True
        table.result = _result(setting.task.unit, after.match, ruling)
        if setting.reward == "result":
            winner = table.result["winner"]
            table.earn({"result": {"own": 1.0, "opponent": -1.0, None: 0.0}[winner]})
        return
    table.truncated = table.strokes >= setting.max_strokes
    if ruling.board_over or ruling.board_replayed:
        start = table.streams.start
        match = next_board_jit(after.match, toss=int(start.integers(2)))
        table.position = _racked(setting, match, start)
    elif setting.task.solo and not table.agents_turn:
        table.position = Position(after.layout, returned_to(AGENT_SEAT, after.match))
    if not table.truncated and not table.view.free_places:
        facts = StrokeFacts.without_stroke(Event.NO_STRIKER_SPACE)
        _conclude(table, None, facts, *rule_jit(table.position.match, facts))


def _ended(unit: Unit, ruling: Ruling) -> bool:
    """Whether the ruling ends what the episode consists of."""
    return {
        Unit.STROKE: True,
        Unit.BOARD: bool(ruling.board_over),
        Unit.GAME: bool(ruling.game_over),
        Unit.MATCH: bool(ruling.match_over),
    }[unit]


def _result(unit: Unit, match: MatchState, ruling: Ruling) -> dict[str, Any]:
    """Who won what the episode consists of, and the score of it: (own, opponent's)."""
    own = int(colour_of(AGENT_SEAT, match.board, doubles=False))
    side, pair = {
        Unit.STROKE: (_side_of_colour(int(ruling.winner), own), ruling.points),
        Unit.BOARD: (_side_of_colour(int(ruling.winner), own), ruling.points),
        Unit.GAME: (int(match.game.winner), match.game.score),
        Unit.MATCH: (int(match.winner), match.games_won),
    }[unit]
    if unit in (Unit.STROKE, Unit.BOARD):
        pair = (pair[own], pair[1 - own])
    names = {-1: None, 0: "own", 1: "opponent"}
    return {"winner": names[side], "points": (int(pair[0]), int(pair[1]))}


def _side_of_colour(colour: int, own: int) -> int:
    """Side that plays ``colour``, -1 for none; the agent is side 0."""
    return -1 if colour < 0 else int(colour != own)
