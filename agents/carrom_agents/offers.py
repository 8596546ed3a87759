"""Everything a position offers a player who knows more than direct shots."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from carrom.view import View
from carrom_agents.banks import bank_shots
from carrom_agents.combinations import combination_shots
from carrom_agents.rebounds import rebound_shots
from carrom_agents.shots import ShotOptions, Shots, direct_shots
from carrom_agents.ways import Index


class Kind(IntEnum):
    """Kinds of shots; a double rebound is one by way of two frames."""

    DIRECT = 0
    BANK = 1
    REBOUND = 2
    COMBINATION = 3
    DOUBLE_REBOUND = 4


_LOOK = {
    Kind.DIRECT: direct_shots,
    Kind.BANK: bank_shots,
    Kind.REBOUND: rebound_shots,
    Kind.DOUBLE_REBOUND: functools.partial(rebound_shots, frames=2),
}


@dataclass(frozen=True, eq=False)
class Offers:
    """Shots of any kinds, arrays (n,).

    Attributes:
        shots: the shots.
        kind: of each, see ``Kind``.
        met: index of the carromman that the striker meets.
    """

    shots: Shots
    kind: Index
    met: Index

    def __len__(self) -> int:
        return len(self.kind)


def offers(view: View, carrommen: Index, options: ShotOptions, kinds: frozenset[Kind]) -> Offers:
    """The shots of some kinds at some carrommen.

    Args:
        view: the position.
        carrommen: (k,), indices of carrommen on the board.
        options: what counts as a shot.
        kinds: which to look for.
    """
    found = [_of_kind(kind, view, carrommen, options) for kind in sorted(kinds)]
    return joined([Offers(shots, np.full(len(shots), kind), met) for kind, shots, met in found])


def joined(parts: list[Offers]) -> Offers:
    """All of them in one list."""
    return Offers(
        shots=Shots(
            **{
                each.name: np.concatenate([getattr(part.shots, each.name) for part in parts])
                for each in fields(Shots)
            }
        ),
        kind=np.concatenate([part.kind for part in parts]),
        met=np.concatenate([part.met for part in parts]),
    )


def _of_kind(
    kind: Kind, view: View, carrommen: Index, options: ShotOptions
) -> tuple[Kind, Shots, Index]:
    if kind is Kind.COMBINATION:
        return kind, *combination_shots(view, carrommen, options)
    shots = _LOOK[kind](view, carrommen, options)
    return kind, shots, shots.carromman
