"""A drill: a position, what the player is to do in it with one stroke, and how to tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from carrom.board import Board
from carrom.errors import BoardError, ConfigError
from carrom.layout import Layout
from carrom.physics.motion import Motion
from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, N_PER_SIDE, QUEEN
from carrom.tasks import Position, position_from
from carrom.view import OWN, OWN_FIRST, QueenStatus, View

Point = tuple[float, float]
DrillKind = Literal[
    "direct", "cut", "bank", "rebound", "combination", "back", "queen", "defence", "break"
]
QueenPlace = Literal["on board", "waiting", "mine", "theirs"]
KINDS: tuple[DrillKind, ...] = get_args(DrillKind)
CLEAR = 0.12
"""m from every pocket's centre that a carromman lies if it is cleared away."""
_BOARD = Board()
_ROUNDING = 1e-5
"""m by which a written place may be off."""
_STATUS = {
    "on board": QueenStatus.ON_BOARD,
    "waiting": QueenStatus.WAITING,
    "mine": QueenStatus.MINE,
    "theirs": QueenStatus.THEIRS,
}


@dataclass(frozen=True)
class Success:
    """What the stroke has to do; the striker must not fall, whatever else is asked for.

    Carrommen are numbered as in a view: 0 to 8 own, 9 to 17 the opponent's, 18 the queen.

    Attributes:
        pocketed: all of these fall.
        own_pocketed: so many of the own fall at least.
        cleared: these stay on the board, at least 12 cm from every pocket.
    """

    pocketed: tuple[int, ...] = ()
    own_pocketed: int = 0
    cleared: tuple[int, ...] = ()


@dataclass(frozen=True)
class BestStrike:
    """The best strike that is known, and how often it succeeds on the planar engine.

    Attributes:
        place: as in ``Strike``, m.
        direction: rad.
        speed: m/s.
        rate: share of ``tries`` with the errors of an expert's hand that succeeded.
        tries: how many there were, after the search and apart from it.
    """

    place: float
    direction: float
    speed: float
    rate: float
    tries: int

    @property
    def strike(self) -> Strike:
        """As a strike."""
        return Strike(self.place, self.direction, self.speed)


@dataclass(frozen=True)
class Drill:
    """A position in which the player on seat 0 is to strike, in his frame, on a regulation board.

    Attributes:
        name: of the drill.
        kind: of shot that it asks for.
        task: what is to be done, for people.
        own: where his carrommen lie, m.
        opponent: where the opponent's lie, m.
        success: when the stroke has done it.
        queen: where the queen lies, m, or None.
        queen_status: "on board", "waiting" (he has to cover her now), "mine" or "theirs".
        plays: his colour.
        break_to_be_made: whether it is the break.
        best: the best known strike, None before any was looked for.

    Raises:
        ConfigError: the laws do not allow the position, or the success is none.
    """

    name: str
    kind: DrillKind
    task: str
    own: tuple[Point, ...]
    opponent: tuple[Point, ...]
    success: Success
    queen: Point | None = None
    queen_status: QueenPlace = "mine"
    plays: Literal["white", "black"] = "white"
    break_to_be_made: bool = False
    best: BestStrike | None = None

    def __post_init__(self) -> None:
        self._check_counts()
        self._check_lying()
        self._check_success()
        view = self.view()
        if not view.can_strike:
            raise ConfigError("own: no free place for the striker (142): expected one")
        if self.best is not None:
            self._check_best(self.best, view)

    @property
    def positions(self) -> NDArray[np.float64]:
        """In the order of a view, (19, 2), m; zero where none lies."""
        positions = np.zeros((N_CARROMMEN, 2))
        positions[: len(self.own)] = np.reshape(self.own, (-1, 2))
        opponents = slice(N_PER_SIDE, N_PER_SIDE + len(self.opponent))
        positions[opponents] = np.reshape(self.opponent, (-1, 2))
        if self.queen is not None:
            positions[QUEEN] = self.queen
        return positions

    @property
    def on_board(self) -> NDArray[np.bool_]:
        """In the order of a view, (19,)."""
        on_board = np.zeros(N_CARROMMEN, bool)
        on_board[: len(self.own)] = True
        on_board[N_PER_SIDE : N_PER_SIDE + len(self.opponent)] = True
        on_board[QUEEN] = self.queen is not None
        return on_board

    @property
    def index_order(self) -> NDArray[np.intp]:
        """The index, board order, of each carromman of a view, (19,)."""
        return OWN_FIRST[self._colour]

    @property
    def layout(self) -> Layout:
        """Where the carrommen lie, in index order."""
        order = self.index_order
        positions, on_board = np.zeros((N_CARROMMEN, 2)), np.zeros(N_CARROMMEN, bool)
        positions[order], on_board[order] = self.positions, self.on_board
        return Layout(positions, on_board)

    @property
    def difficulty(self) -> int | None:
        """1 if the best known strike succeeds in nine tries of ten, 2 in six, else 3."""
        if self.best is None:
            return None
        return 1 + (self.best.rate < 0.9) + (self.best.rate < 0.6)

    def view(self) -> View:
        """What the player sees."""
        return View(
            board=_BOARD,
            positions=self.positions,
            on_board=self.on_board,
            queen=_STATUS[self.queen_status],
            queen_allowed=len(self.own) < N_PER_SIDE,
            plays_white=self.plays == "white",
            break_to_be_made=self.break_to_be_made,
            turn_begun=self.queen_status == "waiting",
        )

    def position(self) -> Position:
        """The position for an environment, with the agent to strike."""
        return position_from(
            self.layout,
            plays_white=self.plays == "white",
            queen=_STATUS[self.queen_status],
            break_done=not self.break_to_be_made,
        )

    def succeeded(self, motion: Motion) -> bool:
        """Whether a stroke from the drill's position, struck from seat 0, has done it."""
        if motion.striker_pocketed:
            return False
        order = self.index_order
        on_board, positions = motion.layout.on_board[order], motion.layout.positions[order]
        fell = self.on_board & ~on_board
        success = self.success
        if np.count_nonzero(fell[OWN]) < success.own_pocketed:
            return False
        if not all(fell[index] for index in success.pocketed):
            return False
        return all(on_board[i] and _is_clear(positions[i]) for i in success.cleared)

    @property
    def _colour(self) -> int:
        return int(self.plays == "black")

    def _check_counts(self) -> None:
        for name in ("own", "opponent"):
            count = len(getattr(self, name))
            if not 1 <= count <= N_PER_SIDE:
                raise ConfigError(f"{name}: {count} carrommen: expected 1 to {N_PER_SIDE}")
        if (self.queen is None) == (self.queen_status == "on board"):
            raise ConfigError(
                f"queen = {self.queen!r} with queen_status = {self.queen_status!r}: expected a "
                "place exactly if she is on the board"
            )
        holder = {"mine": self.own, "waiting": self.own, "theirs": self.opponent}
        if len(holder.get(self.queen_status, ())) == N_PER_SIDE:
            raise ConfigError(
                f"queen_status = {self.queen_status!r}: expected fewer than nine carrommen of "
                "the side that has pocketed her (92)"
            )
        racked = len(self.own) == len(self.opponent) == N_PER_SIDE and self.queen is not None
        if self.break_to_be_made and not (racked and self.plays == "white"):
            raise ConfigError(
                "break_to_be_made: expected all carrommen on the board, and white to play (43)"
            )

    def _check_lying(self) -> None:
        try:
            self.layout.check(_BOARD)
        except BoardError as error:
            raise ConfigError(f"own, opponent, queen: {error}") from None
        for index in np.flatnonzero(self.on_board).tolist():
            to_pocket = _to_pockets(self.positions[index]).min()
            if to_pocket < _BOARD.pocket_radius:
                raise ConfigError(
                    f"carromman {index} at {tuple(self.positions[index].tolist())} m: expected "
                    "none over a pocket (71)"
                )

    def _check_success(self) -> None:
        success = self.success
        for index in (*success.pocketed, *success.cleared):
            if not (0 <= index < N_CARROMMEN and self.on_board[index]):
                raise ConfigError(f"success: carromman {index}: expected one on the board")
        if not (success.pocketed or success.own_pocketed or success.cleared):
            raise ConfigError("success: nothing asked for: expected something to be done")
        if not 0 <= success.own_pocketed <= len(self.own):
            raise ConfigError(
                f"success.own_pocketed = {success.own_pocketed}: expected 0 to {len(self.own)}"
            )

    def _check_best(self, best: BestStrike, view: View) -> None:
        best.strike.check(_BOARD)
        if not any(
            low - _ROUNDING <= best.place <= high + _ROUNDING for low, high in view.free_places
        ):
            raise ConfigError(
                f"best.place = {best.place!r} m: expected a free place, one of {view.free_places}"
            )
        if not (0 <= best.rate <= 1 and best.tries >= 1):
            raise ConfigError(
                f"best: rate = {best.rate!r} of {best.tries!r} tries: expected a share of some"
            )


def _to_pockets(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances of a place from the pockets' centres, (4,), m."""
    return np.hypot(*(_BOARD.pocket_centres - place).T)


def _is_clear(place: NDArray[np.float64]) -> bool:
    return bool(_to_pockets(place).min() >= CLEAR)


def of_kind(drills: Iterable[Drill], kind: str) -> tuple[Drill, ...]:
    """The drills of one kind."""
    return tuple(drill for drill in drills if drill.kind == kind)
