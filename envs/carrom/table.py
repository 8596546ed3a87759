"""A board in play: what stays the same, what changes, and how the players see it."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carrom.board import Board, to_seat
from carrom.errors import PhysicsError
from carrom.laws import QueenState, Ruling, StrokeFacts, sentences, side_with
from carrom.opponents import Player
from carrom.physics.material import Material
from carrom.physics.motion import Motion
from carrom.physics.noise import ExecutionNoise
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, SLICES
from carrom.rack import Packing
from carrom.tasks import AGENT_SEAT, Position, Task
from carrom.view import QueenStatus, View


@dataclass(frozen=True)
class Setting:
    """What stays the same from episode to episode.

    Attributes:
        board: dimensions; no striker or board is exchanged on the way (117).
        material: friction, restitution, capture.
        task: what an episode consists of.
        packing: how tight the rack is.
        orientation: by how much the rack is turned, rad (U14).
        noise: execution noise of both players.
        opponent: who plays the other side.
        strict: the striker may be put where it must not stand, and is then ruled upon.
        reward: a preset of ``carrom.reward``.
        agent_breaks: whether the agent breaks first in an episode; None draws it.
        max_strokes: strokes of both players after which an episode is truncated.
    """

    board: Board
    material: Material
    task: Task
    packing: Packing
    orientation: float
    noise: ExecutionNoise
    opponent: Player
    strict: bool
    reward: str
    agent_breaks: bool | None
    max_strokes: int


@dataclass(frozen=True, eq=False)
class Stroke:
    """A stroke that was played and ruled upon.

    Attributes:
        own: whether the agent played it.
        strike: the strike as it was made, noise included; None if there was none (a board
            on which the striker cannot be set).
        before: the position before it.
        after: the position after it, before any new board was racked.
        motion: what the discs did; None if nothing was struck.
        facts: what the umpire was told.
        ruling: what he ruled.
        failure: why there is no motion, if the physics diverged; its dump replays it.
    """

    own: bool
    strike: Strike | None
    before: Position
    after: Position
    motion: Motion | None
    facts: StrokeFacts
    ruling: Ruling
    failure: PhysicsError | None = None

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


@dataclass
class Streams:
    """The sources of chance of one episode, apart so that one does not shift another."""

    start: np.random.Generator
    noise: np.random.Generator
    opponent: np.random.Generator

    @classmethod
    def drawn_from(cls, rng: np.random.Generator) -> Streams:
        """New streams, seeded from ``rng``."""
        return cls(*(np.random.default_rng(int(s)) for s in rng.integers(2**63 - 1, size=3)))


@dataclass
class Table:
    """An episode in play; the only thing that changes.

    Attributes:
        setting: what stays the same.
        streams: the sources of chance.
        position: discs and match as they stand.
        strokes: strokes played so far.
        earned: reward terms since the agent's last step.
        played: strokes since the agent's last step.
        terminated: the episode has ended by the laws.
        truncated: the episode was cut off by the stroke limit.
        result: how it ended, from the agent's side; None while it goes on.
        reported: the agent has been told that the episode is over.
    """

    setting: Setting
    streams: Streams
    position: Position
    strokes: int = 0
    earned: dict[str, float] = field(default_factory=dict)
    played: list[Stroke] = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False
    result: dict[str, Any] | None = None
    reported: bool = False

    def __post_init__(self) -> None:
        self._view: tuple[Position, View] | None = None

    @property
    def view(self) -> View:
        """The position as the player with the turn sees it."""
        if self._view is None or self._view[0] is not self.position:
            self._view = self.position, view_of(self.setting.board, self.position)
        return self._view[1]

    @property
    def agents_turn(self) -> bool:
        """Whether the agent is the one to decide."""
        return int(self.position.match.board.seat) == AGENT_SEAT

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated

    def snapshot(self) -> Table:
        """An independent copy, from which the table goes on exactly as this one would."""
        return dataclasses.replace(
            self,
            streams=copy.deepcopy(self.streams),
            earned=dict(self.earned),
            played=list(self.played),
        )

    def earn(self, terms: dict[str, float]) -> None:
        """Add reward terms to what the agent's next step will report."""
        for name, value in terms.items():
            self.earned[name] = self.earned.get(name, 0.0) + value

    def take_step(self) -> tuple[dict[str, float], list[Stroke]]:
        """The reward terms and the strokes since the last call, which are then forgotten."""
        terms, strokes = self.earned, self.played
        self.earned, self.played = {}, []
        self.reported = self.over
        return terms, strokes


def view_of(board: Board, position: Position) -> View:
    """The position as the player with the turn sees it."""
    match, state = position.match, position.match.board
    own, other = int(state.striker), 1 - int(state.striker)
    order = np.r_[SLICES[own], SLICES[other], QUEEN]
    sides = [int(side_with(colour, state, doubles=False)) for colour in (own, other)]
    queen = QueenState(int(state.queen))
    if queen in (QueenState.ON_BOARD, QueenState.WAITING):
        status = QueenStatus(int(queen))
    else:
        mine = queen == QueenState.covered_by(own)
        status = QueenStatus.MINE if mine else QueenStatus.THEIRS
    return View(
        board=board,
        positions=to_seat(position.layout.positions[order], position.physical_seat),
        on_board=position.layout.on_board[order],
        queen=status,
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
    )
