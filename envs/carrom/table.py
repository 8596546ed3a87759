"""A match in play: what stays the same, what changes, and how the players see it."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from carrom.board import Board, to_seat
from carrom.clock import Clock
from carrom.decision import Decision, Kind, Request
from carrom.errors import PhysicsError
from carrom.incident import Incident, Laid
from carrom.laws import (
    MatchFormat,
    QueenState,
    Ruling,
    StrokeFacts,
    colour_of,
    sentences,
    side_of,
    side_with,
)
from carrom.nets import EMPTY, Nets, nets_after, nets_without
from carrom.observation import REQUEST_SIZE, SIZE, encode, observation_space
from carrom.opponents import Player
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.noise import ExecutionNoise
from carrom.physics.strike import Strike
from carrom.rack import Packing
from carrom.tasks import AGENT_SEAT, Position, Start, Task
from carrom.view import OWN_FIRST, QUEEN_SEEN, QueenStatus, View


@dataclass(frozen=True)
class Setting:
    """What stays the same from episode to episode.

    Attributes:
        board: dimensions; no striker or board is exchanged on the way (117).
        material: friction, restitution, capture.
        task: what an episode consists of.
        format: singles or doubles, and how long games and matches are.
        packing: how tight the rack is.
        orientation: by how much the rack is turned, rad (U14).
        noise: execution noise of all players.
        players: who sits on each seat; None for one whose decisions come from outside.
        asked: the kinds of decisions that are put to the players; the others are scripted.
        strict: the striker may be put where it must not stand, and is then ruled upon.
        claims: whether the scripted player claims the extra points (87.b).
        breaks_if_won: whether the scripted winner of the toss takes the break (39.a).
        clock: how long a decision may take.
        reward: a preset of ``carrom.reward``, or what gives a stroke's terms.
        breaker_side: side that breaks first in an episode; None lets the toss decide.
        max_strokes: strokes of all players after which an episode is truncated.
        tells_request: whether observations say what is asked for, and whom.
        record: whether tables keep all their strokes, for a replay.
        start: draws the first position instead of the task; nobody tosses then.
        ends: whether a stroke ends the episode that the task would go on with.
    """

    board: Board
    material: Material
    task: Task
    format: MatchFormat
    packing: Packing
    orientation: float
    noise: ExecutionNoise
    players: tuple[Player | None, ...]
    asked: frozenset[Kind]
    strict: bool
    claims: bool
    breaks_if_won: bool
    clock: Clock
    reward: str | StrokeReward
    breaker_side: int | None
    max_strokes: int
    tells_request: bool
    record: bool = False
    start: Start | None = None
    ends: StrokeEnd | None = None

    def observation_space(self) -> spaces.Space[NDArray[np.float32]]:
        """The space of one observation."""
        return observation_space(self.board, with_request=self.tells_request)

    @property
    def observation_size(self) -> int:
        """Length of one observation."""
        return SIZE + REQUEST_SIZE * self.tells_request

    def observe(self, view: View) -> NDArray[np.float32]:
        """The observation of ``view``."""
        return encode(view, with_request=self.tells_request)

    def goes_on_from(self, other: Setting) -> bool:
        """Whether episodes under ``other`` look alike: the same task, players and decisions."""
        return (self.task, self.format, self.asked, self.tells_request) == (
            *(other.task, other.format, other.asked),
            other.tells_request,
        )

    def side_of(self, seat: int) -> int:
        """Side, 0 or 1, of ``seat``."""
        return side_of(seat, doubles=self.format.doubles)


@dataclass(frozen=True, eq=False)
class Stroke:
    """A stroke that was played and ruled upon, or an incident without one.

    Attributes:
        seat: whose stroke or breach it was.
        strike: the strike as it was made, noise included; None if there was none.
        before: the position before it.
        after: the position after it, before any new board was racked.
        motion: what the discs did; None if nothing was struck.
        facts: what the umpire was told.
        ruling: what he ruled.
        laid: what was put back afterwards, in order.
        failure: why there is no motion, if the physics diverged; its dump replays it.
        meant: the strike as the player decided it, before noise; None if there was none.
    """

    seat: int
    strike: Strike | None
    before: Position
    after: Position
    motion: Motion | None
    facts: StrokeFacts
    ruling: Ruling
    laid: tuple[Laid, ...] = ()
    failure: PhysicsError | None = None
    meant: Strike | None = None

    @property
    def own(self) -> bool:
        """Whether it was the agent's of a single-agent environment."""
        return self.seat == AGENT_SEAT

    @property
    def sentences(self) -> tuple[str, ...]:
        """The ruling in words, with the laws that decided."""
        return tuple(sentences(self.ruling))

    @property
    def own_pocketed(self) -> int:
        """Carrommen of the striking player's that fell."""
        return int(self.facts.pocketed[self.ruling.striker])

    @property
    def charged(self) -> int:
        """Dues and penalties charged to the striking player."""
        own = self.ruling.striker
        return int(self.ruling.dues_charged[own] + self.ruling.penalties_charged[own])

    @property
    def covers_queen(self) -> bool:
        """Whether the striking player covered the queen with this stroke."""
        before, after = self.before.match.board.queen, self.after.match.board.queen
        mine = QueenState.covered_by(int(self.ruling.striker))
        return int(before) < QueenState.COVERED_WHITE and int(after) == mine


StrokeReward: TypeAlias = Callable[[Stroke], Mapping[str, float]]
"""What a stroke earns the side of seat 0, itemised; asked of every player's strokes."""
StrokeEnd: TypeAlias = Callable[[Stroke], bool]
"""Whether a stroke, any player's, is the last of the episode."""


@dataclass
class Streams:
    """The sources of chance of one episode, apart so that one does not shift another.

    Attributes:
        start: of racks, drills and tosses.
        noise: of strikes.
        opponent: of the players at the table.
        seeds: of the three, in that order.
    """

    start: np.random.Generator
    noise: np.random.Generator
    opponent: np.random.Generator
    seeds: tuple[int, ...] = ()

    @classmethod
    def drawn_from(cls, rng: np.random.Generator) -> Streams:
        """New streams, seeded from ``rng``."""
        seeds = tuple(rng.integers(2**63 - 1, size=3).tolist())
        return cls(*map(np.random.default_rng, seeds), seeds=seeds)


@dataclass(frozen=True)
class Toss:
    """The toss before a match (39).

    Attributes:
        winner: the seat that won it.
        takes_break: whether it took the break; None while it has not decided.
    """

    winner: int
    takes_break: bool | None = None


@dataclass
class Table:
    """An episode in play; the only thing that changes.

    Attributes:
        setting: what stays the same.
        streams: the sources of chance.
        position: discs and match as they stand, up to the last ruling.
        decision: what has to be decided now; None once the episode is over.
        incident: a stroke or breach on which the umpire has not ruled to the end, because
            somebody still has to decide something.
        breaches: breaches of placing on which he has still to rule: seat and law.
        toss: how the match began; None where nobody tossed.
        asked_at: what the clock said when the player began to think, s.
        used_s: seconds used up for this decision before; a slip gives no new time (127.b).
        strokes: strokes and incidents so far.
        earned: own reward terms since they were last taken.
        played: strokes since they were last taken.
        history: all strokes so far, if the setting says to record them.
        fallen: where the carrommen fell that have fallen in this episode; see ``nets``.
        terminated: the episode has ended by the laws.
        truncated: the episode was cut off by the stroke limit.
        result: how it ended, from the own side; None while it goes on.
        reported: the agent has been told that the episode is over.
    """

    setting: Setting
    streams: Streams
    position: Position
    decision: Decision | None = None
    incident: Incident | None = None
    breaches: tuple[tuple[int, str], ...] = ()
    toss: Toss | None = None
    asked_at: float = 0.0
    used_s: float = 0.0
    strokes: int = 0
    earned: dict[str, float] = field(default_factory=dict)
    played: list[Stroke] = field(default_factory=list)
    history: list[Stroke] = field(default_factory=list)
    fallen: Nets = EMPTY
    terminated: bool = False
    truncated: bool = False
    result: dict[str, Any] | None = None
    reported: bool = False

    def __post_init__(self) -> None:
        self._view: tuple[Any, View] | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # The time in between, perhaps by another machine's clock, is nobody's thinking.
        self.start_thinking()

    @property
    def standing(self) -> Position:
        """Discs and match as they stand, what has been laid back so far included."""
        incident = self.incident
        return self.position if incident is None else Position(incident.layout, incident.match)

    @property
    def nets(self) -> Nets:
        """What hangs in the nets: whatever fell in this episode and is not back on the board.

        For pictures. What was off the board when the episode began hangs in none, nor does what
        no stroke has pocketed (``carrom.CarromEnv.report``).
        """
        return nets_without(self.fallen, np.flatnonzero(self.standing.layout.on_board).tolist())

    def note_falls(self, motion: Motion) -> None:
        """Take note of where the carrommen of a stroke fell; the striker is handed back."""
        self.fallen = nets_without(nets_after(self.nets, motion.pocketed))

    @property
    def view(self) -> View:
        """What the player sees who has to decide; the agent, once the episode is over."""
        # The last view is kept: between two decisions it is asked for several times. Without a
        # limit the time used up, which differs each time, is no part of it.
        used = self.setting.clock.share_used(self.used_s)
        state = (self.decision, self.position, self.incident, used)
        if self._view is None or self._view[0] != state:
            seat = AGENT_SEAT if self.decision is None else self.decision.seat
            self._view = state, self.view_from(seat)
        return self._view[1]

    def view_from(self, seat: int) -> View:
        """What the player of ``seat`` sees."""
        return view_of(self.setting, self.standing, seat, self._request(seat))

    def _request(self, seat: int) -> Request:
        """What has to be decided, as ``seat`` sees it."""
        position, decision = self.standing, self.decision
        turn = (position.seat - seat) % 4
        board, doubles = position.match.board, self.setting.format.doubles
        colour = int(colour_of(seat, board, doubles=doubles))
        own_turn = colour == int(board.striker)
        if decision is None:
            return Request(kind=None, turn=turn, own_turn=own_turn)
        return Request(
            kind=decision.kind,
            by=(decision.seat - seat) % 4,
            turn=turn,
            own_turn=own_turn,
            own_carromman=decision.colour == colour,
            left=decision.left,
            may_waive=decision.may_waive,
            claims=decision.claims,
            time_used=self.setting.clock.share_used(self.used_s),
        )

    @property
    def waits_outside(self) -> bool:
        """Whether the decision is one that nobody at the table takes."""
        return self.decision is not None and self.setting.players[self.decision.seat] is None

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated

    def ask(self, decision: Decision) -> None:
        """Put a decision, and start the clock for it."""
        self.decision, self.used_s = decision, 0.0
        self.start_thinking()

    def start_thinking(self) -> None:
        """Let the clock run from now on: what others took before does not count."""
        self.asked_at = self.setting.clock.now()

    def stop_thinking(self) -> None:
        """Add the time since ``start_thinking`` to what is used up."""
        self.used_s += self.setting.clock.thought_s(self.asked_at)

    @property
    def late(self) -> bool:
        """Whether more time is used up than the decision may take."""
        return self.setting.clock.is_late(self.used_s)

    def snapshot(self) -> Table:
        """An independent copy, from which the table goes on exactly as this one would."""
        return dataclasses.replace(
            self,
            streams=copy.deepcopy(self.streams),
            earned=dict(self.earned),
            played=list(self.played),
            history=list(self.history),
            asked_at=self.setting.clock.now(),
        )

    def earn(self, terms: dict[str, float]) -> None:
        """Add reward terms to what will be reported next."""
        for name, value in terms.items():
            self.earned[name] = self.earned.get(name, 0.0) + value

    def take_step(self) -> tuple[dict[str, float], list[Stroke]]:
        """The reward terms and the strokes since the last call, which are then forgotten."""
        terms, strokes = self.earned, self.played
        self.earned, self.played = {}, []
        self.reported = self.over
        return terms, strokes


def view_of(setting: Setting, position: Position, seat: int, request: Request) -> View:
    """The position as the player of ``seat`` sees it."""
    match, state = position.match, position.match.board
    doubles = setting.format.doubles
    own = int(colour_of(seat, state, doubles=doubles))
    other = 1 - own
    order = OWN_FIRST[own]
    sides = [int(side_with(colour, state, doubles=doubles)) for colour in (own, other)]
    return View(
        board=setting.board,
        positions=to_seat(position.layout.positions[order], position.side_of_board(seat)),
        on_board=position.layout.on_board[order],
        queen=QueenStatus(QUEEN_SEEN[int(state.queen), own, int(state.striker)]),
        queen_allowed=bool(state.has_pocketed[own]) and int(state.owed[own]) == 0,
        owed=(int(state.owed[own]), int(state.owed[other])),
        score=(int(match.game.score[sides[0]]), int(match.game.score[sides[1]])),
        games=(int(match.games_won[sides[0]]), int(match.games_won[sides[1]])),
        board_number=int(match.game.board_number),
        plays_white=own == 0,
        break_to_be_made=not state.break_done,
        failed_breaks=int(state.break_attempts_failed),
        idle_turns=int(state.idle_turns),
        turn_begun=int(state.strokes_in_turn) > 0,
        request=request,
    )
