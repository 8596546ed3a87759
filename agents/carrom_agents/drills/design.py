"""The drills that come with the package, as geometry makes them, before a strike is known.

Every drill asks for one stroke. Where nothing else is said the queen is the player's, so that
the last own carromman wins the board.
"""

from __future__ import annotations

import math

from carrom_agents.drills.drafting import centimetres, drill
from carrom_agents.drills.drill import Drill, Success
from carrom_agents.drills.geometry import (
    POCKETS,
    before,
    behind,
    blockers,
    cut,
    gate,
    straight,
)
from carrom_agents.drills.tactics import break_drills, defence_drills, queen_drills


def designed() -> tuple[Drill, ...]:
    """All drills, by kind."""
    return (
        *_direct(),
        *_cuts(),
        *_banks(),
        *_rebounds(),
        *_combinations(),
        *_back(),
        *queen_drills(),
        *defence_drills(),
        *break_drills(),
    )


def _direct() -> list[Drill]:
    """On the line from a place to a far pocket; three of them through a gate."""
    plain = [
        (0.0, 1, 0.06),
        (0.12, 1, 0.12),
        (-0.1, 2, 0.2),
        (0.0, 2, 0.3),
        (0.15, 2, 0.35),
        (-0.15, 1, 0.42),
        (0.05, 1, 0.5),
    ]
    gates = [(0.0, 1, 0.2, 0.02), (-0.1, 2, 0.25, 0.01), (0.1, 2, 0.4, 0.003)]
    drills = [
        drill(
            "direct",
            number,
            f"Straight into the pocket, {centimetres(distance)} away.",
            [straight(place, pocket, distance)],
        )
        for number, (place, pocket, distance) in enumerate(plain, 1)
    ]
    for number, (place, pocket, distance, free) in enumerate(gates, 1 + len(plain)):
        carromman = straight(place, pocket, distance)
        drills.append(
            drill(
                "direct",
                number,
                f"Through the gate, {free * 1000:.0f} mm free on either side.",
                [carromman],
                gate(carromman, POCKETS[pocket], 0.5, free),
            )
        )
    return drills


def _cuts() -> list[Drill]:
    """No place allows a fuller contact than the one said."""
    wanted = [
        (1, 0.08, 30),
        (2, 0.15, 30),
        (1, 0.25, 30),
        (2, 0.08, 45),
        (1, 0.15, 45),
        (2, 0.25, 45),
        (1, 0.2, 50),
        (2, 0.3, 55),
        (1, 0.35, 60),
    ]
    return [
        drill(
            "cut",
            number,
            f"Cut by {angle} degrees at least, {centimetres(distance)} from the pocket.",
            [cut(pocket, distance, math.radians(angle))],
        )
        for number, (pocket, distance, angle) in enumerate(wanted, 1)
    ]


def _banks() -> list[Drill]:
    """With the far pockets closed, only a frame leads into one."""
    far = [0.0 + 0.0j, 0.1 - 0.05j, -0.15 + 0.1j, 0.2 + 0.05j, -0.05 + 0.2j]
    side = [0.05 + 0.05j, -0.1 + 0.0j, 0.18 - 0.05j]
    drills = [
        drill(
            "bank",
            number,
            "Off the far frame: both far pockets are closed.",
            [place],
            [before(1, 0.045, 0.0), before(2, 0.045, 0.0)],
        )
        for number, place in enumerate(far, 1)
    ]
    for number, place in enumerate(side, 1 + len(far)):
        drills.append(
            drill(
                "bank",
                number,
                "Off a frame: the straight ways to the far pockets are closed.",
                [place],
                blockers(place, (1, 2), 0.35),
            )
        )
    return drills


def _rebounds() -> list[Drill]:
    """Forward of the striker, with a near pocket to go to, or on the near frame behind it."""
    places = [
        0.28 - 0.17j,
        -0.25 - 0.12j,
        0.3 - 0.05j,
        -0.3 + 0.05j,
        0.2 - 0.15j,
        -0.12 - 0.33j,
        0.06 - 0.345j,
    ]
    return [
        drill(
            "rebound",
            number,
            "With the striker off a frame, into a near pocket.",
            [place],
            [before(1, 0.045, 0.0), before(2, 0.045, 0.0)],
        )
        for number, place in enumerate(places, 1)
    ]


def _combinations() -> list[Drill]:
    """A carromman stands where the striker would have to: it has to do the work."""
    wanted = [
        (1, 0.08, 0.0, 0.005, 0),
        (2, 0.12, 0.2, 0.01, 0),
        (1, 0.2, -0.2, 0.03, 5),
        (2, 0.1, 0.0, 0.03, -10),
        (1, 0.3, 0.1, 0.06, 10),
        (2, 0.25, -0.2, 0.1, -15),
    ]
    drills = []
    for number, (pocket, distance, turn, gap, bend) in enumerate(wanted, 1):
        last = before(pocket, distance, turn)
        first = behind(last, POCKETS[pocket], gap, math.radians(bend))
        own, opponent = ([last, first], []) if number % 2 else ([last], [first])
        whose = "your own" if number % 2 else "the opponent's"
        task = f"The farther one by way of {whose}, {gap * 1000:.0f} mm behind it."
        drills.append(drill("combination", number, task, own, opponent))
    for number, (place, gap) in enumerate([(0.05, 0.04), (-0.12, 0.08)], 1 + len(wanted)):
        last = straight(place, 1, 0.1)
        first = behind(last, POCKETS[1], gap)
        drills.append(
            drill(
                "combination",
                number,
                f"Both into one pocket, {gap * 1000:.0f} mm apart.",
                [last, first],
                success=Success(pocketed=(0, 1)),
            )
        )
    return drills


def _back() -> list[Drill]:
    """Behind the base line, struck backwards into a near pocket (no law forbids it)."""
    places = [
        0.25 - 0.32j,
        -0.2 - 0.31j,
        0.12 - 0.325j,
        -0.05 - 0.33j,
        0.28 - 0.3j,
        -0.15 - 0.335j,
    ]
    return [
        drill("back", number, "Backwards into a near pocket.", [place])
        for number, place in enumerate(places, 1)
    ]
