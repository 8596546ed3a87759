"""How often a player makes the shots he plays, by their kind and their length.

A shot that misses shows no more what it should have been. So every shot is called for the
player: his strike as he meant it, without the errors of his hand, is played once more on a
board aside. The carromman of his that falls first then is the one he played at, and how it
falls is the kind of his shot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carrom.env import CarromEnv
from carrom.physics.strike import Strike
from carrom.pieces import QUEEN, SLICES
from carrom.table import Stroke
from carrom_agents.practice import lay_out, stroke_from
from carrom_agents.shot_kinds import ShotKind, falls
from carrom_agents.statistics import Estimate, proportion

BREAK = "break"
NO_SHOT = "no shot"
"""A strike that, as it was meant, pockets no carromman of the player's."""
NEAR, FAR = 0.15, 0.35
"""m from the pocket up to which a carromman is near, and from which on it is far."""


@dataclass(frozen=True)
class CalledShot:
    """A stroke, and whether it did what it was meant to do.

    Attributes:
        kind: a ``ShotKind``, ``BREAK`` or ``NO_SHOT``.
        distance: of the carromman played at from its pocket, m; None where none was.
        made: it fell and the striker did not; of a break and without a shot, any of his.
        fell: how carrommen of his, and the queen, fell as it happened.
    """

    kind: str
    distance: float | None
    made: bool
    fell: tuple[ShotKind, ...]


@dataclass(frozen=True)
class ShotRates:
    """Shares of a player's shots that were made.

    Attributes:
        kinds: by kind, as ``CalledShot.kind``; kinds that were never played are not there.
        distances: by the carromman's distance from the pocket: "near", "middle" or "far".
        fallen: carrommen of his, and queens, that fell, by how they did.
    """

    kinds: dict[str, Estimate]
    distances: dict[str, Estimate]
    fallen: dict[str, int]


def called(aside: CarromEnv, stroke: Stroke, meant: Strike) -> CalledShot:
    """What a stroke was meant to be, and whether it was.

    Args:
        aside: a ``practice_env`` of the same board, without noise, with a film.
        stroke: of the agent, with a film.
        meant: his strike as he meant it.
    """
    lay_out(aside, stroke.before, seed=0)
    wanted = _own_falls(aside, stroke_from(aside, meant))
    fell = _own_falls(aside, stroke)
    down = {carromman for carromman, *_ in fell}
    stays = not stroke.facts.pocketed_striker
    kinds = tuple(kind for _, kind, _ in fell)
    if not stroke.before.match.board.break_done:
        return CalledShot(BREAK, None, bool(down) and bool(stays), kinds)
    if not wanted:
        return CalledShot(NO_SHOT, None, bool(down) and bool(stays), kinds)
    carromman, kind, distance = wanted[0]
    return CalledShot(kind, distance, carromman in down and bool(stays), kinds)


def rates(shots: Sequence[CalledShot]) -> ShotRates:
    """The shares of shots that were made."""
    distances = {
        "near": [s.made for s in shots if s.distance is not None and s.distance <= NEAR],
        "middle": [s.made for s in shots if s.distance is not None and NEAR < s.distance < FAR],
        "far": [s.made for s in shots if s.distance is not None and s.distance >= FAR],
    }
    kinds = {k: [s.made for s in shots if s.kind == k] for k in (*ShotKind, BREAK, NO_SHOT)}
    fallen = [kind for shot in shots for kind in shot.fell]
    return ShotRates(
        kinds={str(kind): _share(made) for kind, made in kinds.items() if made},
        distances={name: _share(made) for name, made in distances.items() if made},
        fallen={str(kind): fallen.count(kind) for kind in ShotKind if kind in fallen},
    )


def _share(made: Sequence[bool]) -> Estimate:
    return proportion(sum(made), len(made))


def _own_falls(env: CarromEnv, stroke: Stroke) -> list[tuple[int, ShotKind, float]]:
    """Carrommen of the striking player's, and the queen, that fell: index, kind, distance."""
    if stroke.motion is None or stroke.strike is None:
        return []
    part = SLICES[int(stroke.ruling.striker)]
    found = falls(env.setting.board, stroke.before.layout, stroke.strike, stroke.motion)
    return [
        (each.carromman, each.kind, each.distance)
        for each in found
        if part.start <= each.carromman < part.stop or each.carromman == QUEEN
    ]
