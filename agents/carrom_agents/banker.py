"""The banker: the aimer's better, with every kind of shot and a plan for its turn."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from carrom.physics.strike import Strike
from carrom.pieces import N_CARROMMEN, QUEEN
from carrom.view import OPPONENT, OWN, QueenStatus, View
from carrom_agents.aftermath import aftermath
from carrom_agents.offers import Kind, Offers, joined, offers
from carrom_agents.opening import straight_break
from carrom_agents.run_plan import cover_value, run_value, run_with_queen
from carrom_agents.scripted import TARGETS, Aimer, wanted_targets
from carrom_agents.shots import ShotOptions
from carrom_agents.ways import Float, others, standing

ARRIVALS = (0.7, 1.0, 1.4, 1.8, 2.5)
"""m/s at the pocket. More than the aimer tries: a shot of another speed takes the striker
elsewhere, and a faster carromman is sooner out of its way."""

_USUAL = frozenset({Kind.BANK, Kind.REBOUND, Kind.COMBINATION})
_LAST_RESORT = frozenset({Kind.DOUBLE_REBOUND})

_QUEEN_COUNTS_BELOW = 22
"""Own points from which on she earns none (54)."""


@dataclass(frozen=True)
class Banker(Aimer):
    """Plays the shot that promises the best turn, of every kind that plane geometry finds.

    Beside direct shots it knows banks, rebounds and combinations, looks for them when nothing
    is sure without, and keeps to the aimer's belief of board and hand. A shot is worth the
    chance that its carromman falls times what the turn is then good for: the run through the
    other carrommen, the surest first, with the queen where she fits best. What the striker is
    likely to spoil is taken off; what would lose the board most of all (102-112). Without a
    shot it stirs as the aimer does: of gentler strokes, and of strokes at the opponent's
    carrommen, none won more boards. Nothing is simulated.

    Attributes:
        options: as the aimer's, with more speeds.
        due_cost: carrommen that it costs him when the striker falls: one comes out and another
            does not stay down.
        indirect: the kinds of shots it knows beside direct ones.
        content: chance with which a direct shot is sure, so that no other is looked for.
        hopeful: chance from which on no double rebound is looked for.
        unseen: chance that a carromman without a shot will have one when its time comes.
        least_chance: what a shot must have to be played.
        lost_board: carrommen that it costs to lose the board.
        late_queen: what the queen is worth when she earns no points any more (54): she must
            be covered before the last own carromman still.
    """

    options: ShotOptions = field(default_factory=lambda: ShotOptions(arrivals=ARRIVALS))
    due_cost: float = 2.0
    indirect: frozenset[Kind] = _USUAL | _LAST_RESORT
    content: float = 0.93
    hopeful: float = 0.6
    unseen: float = 0.35
    least_chance: float = 0.1
    lost_board: float = 8.0
    late_queen: float = 1.0

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        """Decide the next strike in the position ``view``."""
        if view.break_to_be_made:
            return straight_break(view, rng)
        found, value = self.weigh(view)
        playable = np.flatnonzero((value > 0) & (found.shots.chance >= self.least_chance))
        if not len(playable):
            targets = _targets(view)
            own = targets[targets != QUEEN]
            return self._stir(view, own if len(own) else targets)
        best = playable[np.argmax(value[playable])]
        shots = found.shots
        return Strike(
            place=float(shots.place[best]),
            direction=float(shots.direction[best]),
            speed=float(shots.speed[best]),
        )

    def weigh(self, view: View) -> tuple[Offers, Float]:
        """The shots that are on, and what each is worth in carrommen, (n,)."""
        targets = _targets(view)
        found = offers(view, targets, self.options, frozenset({Kind.DIRECT}))
        costs = self._costs(view, found)
        for kinds, enough in ((_USUAL, self.content), (_LAST_RESORT, self.hopeful)):
            if kinds & self.indirect and not self._suffices(view, found, costs, enough):
                more = offers(view, targets, self.options, kinds & self.indirect)
                found, costs = joined([found, more]), np.r_[costs, self._costs(view, more)]
        return found, self._worth(view, found, costs)

    def _suffices(self, view: View, found: Offers, costs: Float, enough: float) -> bool:
        """Whether there is a sure shot at an own carromman, and the queen can wait or is sure."""
        sure = found.shots.carromman[found.shots.chance - costs >= enough]
        own = len(np.unique(sure[sure != QUEEN]))
        waits = view.queen == QueenStatus.ON_BOARD and view.queen_allowed and QUEEN not in sure
        return own > waits

    def _costs(self, view: View, found: Offers) -> Float:
        """Carrommen that it costs what happens beside each shot."""
        shots, material = found.shots, self.options.material
        pieces = standing(view.positions, view.on_board)[:, None]
        obstacles = others(others(pieces, shots.carromman), found.met)
        after = aftermath(view.board, shots, obstacles, material)
        fatal = fatal_carrommen(view)
        theirs = self.lost_board if fatal[OPPONENT].any() else self.opponent_cost
        costs = self.due_cost * after.striker_falls + theirs * after.opponent_falls
        indirect = found.met != shots.carromman
        costs += self.lost_board * (indirect & fatal[found.met])
        if fatal[OWN].any():
            swapped = np.concatenate([obstacles[OPPONENT], obstacles[OWN], obstacles[QUEEN:]])
            costs += (
                self.lost_board * aftermath(view.board, shots, swapped, material).opponent_falls
            )
        return costs

    def _worth(self, view: View, found: Offers, costs: Float) -> Float:
        """What each shot is worth with the turn that it leads to."""
        shots = found.shots
        chances = np.where(view.on_board, self.unseen, 0.0)
        np.maximum.at(chances, shots.carromman, np.where(costs > 0, 0.0, shots.chance))
        own = np.flatnonzero(view.on_board[OWN])
        queen = self.queen_worth if view.score[0] < _QUEEN_COUNTS_BELOW else self.late_queen
        gain = np.zeros(N_CARROMMEN)
        for carromman in own:
            left = chances[own[own != carromman]]
            gain[carromman] = 1.0 + (
                run_with_queen(left, chances[QUEEN] * view.queen_allowed, queen)
                if view.queen == QueenStatus.ON_BOARD
                else run_value(left)
            )
        gain[OWN] += queen * (view.queen == QueenStatus.WAITING)
        gain[QUEEN] = cover_value(chances[own], queen)
        return gain[shots.carromman] * shots.chance - costs


def fatal_carrommen(view: View) -> np.ndarray:
    """Carrommen that lose the board if they fall now, bool (19,).

    The opponent's last ends it for him (103, 106), and the own last for him as well while the
    queen stays on the board (107).
    """
    fatal = np.zeros(N_CARROMMEN, bool)
    if np.count_nonzero(view.on_board[OPPONENT]) == 1:
        fatal[OPPONENT] = view.on_board[OPPONENT]
    if view.queen == QueenStatus.ON_BOARD and np.count_nonzero(view.on_board[OWN]) == 1:
        fatal[OWN] = view.on_board[OWN]
    return fatal


def _targets(view: View) -> np.ndarray:
    return TARGETS[wanted_targets(view.on_board, view.queen, view.queen_allowed)]


banker = Banker()
"""The banker with its ordinary settings: the opponent called ``banker``."""
