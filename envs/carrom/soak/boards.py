"""The soak with physics: random agents on real strokes, through the vector environment.

The same demands as without physics, on the strokes that the environment reports; what lies on
the board has to be what the umpire believes to lie there; and one stroke has to begin where
the last one ended.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from carrom.board import Board
from carrom.errors import BoardError
from carrom.laws import MatchFormat, MatchState, QueenState, check, next_board_jit
from carrom.laws.state import integers
from carrom.soak.expected import NO_CAUSE
from carrom.soak.figures import Tally
from carrom.soak.report import Part, resident_bytes
from carrom.soak.umpire import Played, SoakError, unmet, verdicts
from carrom.table import Stroke
from carrom.vector import CarromVectorEnv

_BATCH = 256
"""Strokes that are checked together."""


@dataclass(frozen=True)
class BoardsPlan:
    """What is played.

    Attributes:
        name: said in reports.
        count: episodes, shared out among ``envs`` evenly, rounded up.
        options: of the environment, its task among them.
        seed: of everything.
        envs: boards played side by side.
    """

    name: str
    count: int
    options: dict[str, Any]
    seed: int = 0
    envs: int = 32

    @property
    def quota(self) -> int:
        """Episodes of each board."""
        return -(-self.count // self.envs)


@dataclass
class _Lane:
    """One of the boards of the vector environment.

    Attributes:
        episode: number of the one in play.
        stroke: strokes of the episode so far.
        length: strokes of the board so far.
        last: the last of them, which waits for the one after it.
    """

    episode: int = 0
    stroke: int = 0
    length: int = 0
    last: Stroke | None = None


@dataclass
class _Books:
    """Strokes on their way to be checked, and what has been seen."""

    plan: BoardsPlan
    format: MatchFormat
    board: Board
    tally: Tally = field(default_factory=Tally)
    waiting: list[tuple[Played, str, int, bool]] = field(default_factory=list)
    truncated: int = 0
    overlap: float = 0.0

    def add(self, played: Played, where: str, length: int, cut: bool) -> None:
        """Note a stroke; ``where`` says which it is."""
        self.waiting.append((played, where, length, cut))
        if len(self.waiting) == _BATCH:
            self.settle()

    def settle(self) -> None:
        """Check what is waiting.

        Raises:
            SoakError: a demand is not met.
        """
        if not self.waiting:
            return
        strokes, where, lengths, cut = zip(*self.waiting, strict=True)
        # Always as many, so that it is compiled once.
        filled = [*strokes, *[strokes[0]] * (_BATCH - len(strokes))]
        batch: Played = jax.tree.map(lambda *leaves: np.stack(leaves), *filled)
        met, cause = verdicts(self.format, batch)
        for lane, name in enumerate(where):
            if failed := unmet(met, lane):
                raise SoakError(f"{name}: not met: {'; '.join(failed)}\n{strokes[lane]}")
        count = len(strokes)
        words = np.asarray(batch.ruling.laws)[:count]
        ended = cause[:count] != NO_CAUSE
        self.tally.add(cause[:count], np.array(cut) & ~ended, np.array(lengths), words)
        self.waiting.clear()


def soak_boards(plan: BoardsPlan) -> Part:
    """Play and check everything.

    Raises:
        SoakError: a demand is not met, or a position contradicts the umpire; says where.
    """
    start = time.perf_counter()
    # A step also reports what others played before the first decision of its episode.
    env = CarromVectorEnv(plan.envs, autoreset_mode="SameStep", **plan.options)
    books = _Books(plan, env.setting.format, env.setting.board)
    lanes = [_Lane() for _ in range(plan.envs)]
    env.action_space.seed(plan.seed)
    env.reset(seed=plan.seed)
    # By then everything is compiled and every buffer has its size.
    warm_from, warm = plan.quota * plan.envs // 10, 0
    while (played := sum(lane.episode for lane in lanes)) < plan.quota * plan.envs:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        for index, (lane, strokes) in enumerate(zip(lanes, env.last_strokes, strict=True)):
            if lane.episode < plan.quota:
                _take(books, lane, index, strokes)
                if terminated[index] or truncated[index]:
                    _close(books, lane, index, bool(truncated[index]))
        if not warm and played >= warm_from:
            warm = resident_bytes()
    env.close()
    books.settle()
    return Part(
        name=plan.name,
        format=books.format,
        figures=books.tally.figures(),
        seconds=time.perf_counter() - start,
        resident=(warm, resident_bytes()),
        since="after a tenth",
        notes=(
            f"{plan.quota * plan.envs:,} episodes, {books.truncated:,} of them truncated",
            f"carrommen at rest overlap by at most {books.overlap * 1e6:.2g} micrometres",
        ),
    )


def _take(books: _Books, lane: _Lane, index: int, strokes: Sequence[Stroke]) -> None:
    """Look at the strokes of a step on one board."""
    for stroke in strokes:
        where = f"board {index}, episode {lane.episode}, stroke {lane.stroke}"
        check(stroke.before.match, stroke.facts, format=books.format)
        _check_layout(books, stroke, where)
        if lane.last is not None:
            _pass_on(books, lane, index, stroke.before.match, cut=False)
            if _goes_on(lane.last) and stroke.before.layout != lane.last.after.layout:
                raise SoakError(f"{where}: it does not begin where the last one ended")
            if not _goes_on(lane.last):
                lane.length = 0
        lane.last = stroke
        lane.stroke += 1
        lane.length += 1


def _close(books: _Books, lane: _Lane, index: int, truncated: bool) -> None:
    """The episode is over."""
    assert lane.last is not None, "an episode has a stroke"
    following = next_board_jit(lane.last.after.match, format=books.format)
    _pass_on(books, lane, index, following, cut=truncated)
    books.truncated += truncated
    lane.episode += 1
    lane.stroke, lane.length, lane.last = 0, 0, None


def _pass_on(books: _Books, lane: _Lane, index: int, following: MatchState, cut: bool) -> None:
    """Have the last stroke checked, now that what follows it is known."""
    stroke = lane.last
    assert stroke is not None, "there is a last stroke"
    board = stroke.after.match.board
    # The toss shows in who breaks; without an extra board it has no effect.
    step = books.format.seat_step
    tossed = (int(board.breaker_seat) + step) % 4 != int(following.board.breaker_seat)
    where = f"board {index}, episode {lane.episode}, stroke {lane.stroke - 1}"
    played = Played(
        before=stroke.before.match,
        facts=stroke.facts,
        after=stroke.after.match,
        ruling=stroke.ruling,
        toss=integers(int(tossed)),
        following=following,
    )
    books.add(played, where, lane.length, cut)


def _goes_on(stroke: Stroke) -> bool:
    return not (stroke.ruling.board_over or stroke.ruling.board_replayed)


def _check_layout(books: _Books, stroke: Stroke, where: str) -> None:
    """What lies there is what the umpire believes to lie there, and lies where it can.

    Raises:
        SoakError: it is not, or does not.
    """
    layout, board = stroke.after.layout, stroke.after.match.board
    if not _goes_on(stroke):
        return
    queen = int(board.queen) == QueenState.ON_BOARD
    if layout.counts != tuple(board.on_board.tolist()) or layout.queen_on_board != queen:
        raise SoakError(
            f"{where}: {layout.counts} carrommen lie there, queen {layout.queen_on_board}; the "
            f"umpire believes {board.on_board.tolist()}, queen {queen}"
        )
    try:
        layout.check(books.board)
    except BoardError as error:
        raise SoakError(f"{where}: {error}") from None
    places = layout.positions[layout.on_board]
    gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    overlap = 2 * books.board.carromman_radius - gaps.min(initial=np.inf)
    books.overlap = max(books.overlap, float(overlap))
