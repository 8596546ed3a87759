"""The drills that are about more than a shot: queen, defence, break."""

from __future__ import annotations

import math

import numpy as np

from carrom.rack import rack
from carrom.view import OPPONENT, OWN
from carrom_agents.drills.drafting import centimetres, drill
from carrom_agents.drills.drill import CLEAR, Drill, Success
from carrom_agents.drills.geometry import BOARD, POCKETS, before, behind, cut, straight


def queen_drills() -> list[Drill]:
    """The queen, her cover, and both with one stroke."""
    rest, theirs = [-0.352 + 0.03j, 0.2 - 0.352j], [0.05 + 0.352j, 0.352 - 0.05j]
    alone = [
        ("The queen, straight.", straight(0.1, 2, 0.25), rest),
        ("The queen, cut by 40 degrees at least.", cut(1, 0.12, math.radians(40)), rest),
        ("The queen from the centre of the board.", 0j, rest),
    ]
    waiting = [
        ("Cover her: straight, far away.", straight(-0.1, 1, 0.45)),
        ("Cover her: cut by 50 degrees at least.", cut(2, 0.2, math.radians(50))),
    ]
    both = [
        ("The queen and her cover with one stroke, in one pocket.", straight(0.0, 1, 0.06), 0.05),
        ("The queen and her cover with one stroke, farther off.", straight(0.0, 2, 0.12), 0.08),
    ]
    drills = [
        drill(
            "queen",
            number,
            task,
            own,
            theirs,
            queen=queen,
            queen_status="on board",
            success=Success(pocketed=(18,)),
        )
        for number, (task, queen, own) in enumerate(alone, 1)
    ]
    for task, carromman in waiting:
        own = [carromman, rest[1]]
        number = len(drills) + 1
        drills.append(drill("queen", number, task, own, theirs, queen_status="waiting"))
    for task, queen, gap in both:
        pocket = 1 if queen.real > 0 else 2
        drills.append(
            drill(
                "queen",
                len(drills) + 1,
                task,
                [behind(queen, POCKETS[pocket], gap), rest[1]],
                theirs,
                queen=queen,
                queen_status="on board",
                success=Success(pocketed=(0, 18)),
            )
        )
    return drills


def defence_drills() -> list[Drill]:
    """An opponent's carromman hangs at a pocket: it has to go, and must not fall."""
    cleared = Success(cleared=(9,))
    hanging = [before(1, 0.04, 0.0), before(2, 0.05, 0.4), before(0, 0.045, 0.2)]
    own = [0.352 + 0.1j, -0.05 + 0.352j, -0.352 - 0.1j]
    drills = [
        drill(
            "defence",
            number,
            f"Clear the carromman that hangs at a pocket: {centimetres(CLEAR)} from every one.",
            own,
            [place],
            plays="black",
            success=cleared,
        )
        for number, place in enumerate(hanging, 1)
    ]

    drills.append(
        drill(
            "defence",
            len(drills) + 1,
            f"Pocket the own one and clear the other: {centimetres(CLEAR)} from every pocket.",
            [before(1, 0.09, 0.6), -0.352 - 0.1j],
            [before(1, 0.045, 0.0), 0.05 + 0.352j],
            plays="black",
            success=Success(pocketed=(0,), cleared=(9,)),
        )
    )
    return drills


def break_drills() -> list[Drill]:
    """The rack as it is packed for every board."""
    racked = rack(BOARD, np.random.default_rng(0))
    places = [complex(x, y) for x, y in racked.tolist()]
    return [
        drill(
            "break",
            number,
            f"Break, and pocket at least {number} of your own.",
            places[OWN],
            places[OPPONENT],
            queen=places[-1],
            queen_status="on board",
            break_to_be_made=True,
            success=Success(own_pocketed=number),
        )
        for number in (1, 2, 3)
    ]
