"""Dues in a training of foresight: laid by those who play."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.board import Board
from carrom.functional import Sight, State
from carrom.laws import due_faults_jit
from carrom.layout import Layout
from carrom.midgame import random_layout
from carrom.pieces import QUEEN, SLICES
from carrom.view import View
from carrom_agents.foresight.dues import laid_by_players
from carrom_agents.foresight.rehearsing import Rehearsal, Stroked, rehearsal_of
from carrom_agents.planner.position import state_of

pytestmark = pytest.mark.usefixtures("compiled_in_haste")

BOARD, BOARDS = Board(), 32


def to_the_left(sights: Sight, /) -> jax.Array:
    """Worth the more, the farther the opponent's carrommen lie on the left."""
    lies = sights.on_board[:, 9:18] * sights.positions[:, 9:18, 0]
    return -jnp.sum(lies, axis=1)


@pytest.fixture(scope="module")
def rehearsal(compiled_in_haste: Any) -> Rehearsal:
    return rehearsal_of("expert")


@pytest.fixture(scope="module")
def before(rehearsal: Rehearsal) -> State:
    """Boards on which both sides have carrommen down and white owes one, by turns."""
    states = []
    for number in range(BOARDS):
        rng = np.random.default_rng(number)
        layout = random_layout(BOARD, rng, white=5, black=6, queen=number % 2 == 0)
        owed = (number % 3 == 0) * 1
        view = View(BOARD, layout.positions, layout.on_board, owed=(owed, 0), queen_allowed=True)
        states.append(state_of(view, rehearsal.env))
    return jax.tree.map(lambda *leaves: np.stack(leaves), *states)


@pytest.fixture(scope="module")
def stroked(rehearsal: Rehearsal, before: State) -> Stroked:
    """After strokes into the left pocket and elsewhere."""
    rng = np.random.default_rng(7)
    made = np.stack(
        [rng.uniform(-0.2, 0.2, BOARDS), rng.uniform(-1, 1, BOARDS), rng.uniform(2, 5, BOARDS)], 1
    )
    return jax.device_get(rehearsal.played(before, made.astype(np.float32)))


def test_what_was_laid_is_at_least_what_was_owed(before: State, stroked: Stroked) -> None:
    """A debt that is paid, and perhaps a due of this very stroke; in the ring where they lie."""
    states = stroked.states
    goes_on = ~np.asarray(states.over)
    assert stroked.laid[goes_on].any(axis=1).sum() >= BOARDS // 3
    assert not stroked.laid[:, QUEEN].any()
    for row in np.flatnonzero(goes_on):
        white, black = (np.count_nonzero(stroked.laid[row, part]) for part in SLICES)
        owed = before.match.board.owed[row] - states.match.board.owed[row]
        # More may have been owed than before.
        assert white >= owed[0]
        assert black >= owed[1]
        laid = np.flatnonzero(stroked.laid[row])
        inner, outer = BOARD.placing_radii
        distance = np.hypot(*states.positions[row, laid].T)
        assert np.all((distance > inner - 1e-5) & (distance < outer + 1e-5))


def test_each_is_laid_where_its_creditor_wishes(rehearsal: Rehearsal, stroked: Stroked) -> None:
    sides: list[tuple[int, int]] = []

    def lays_by(row: int, side: int) -> Any:
        sides.append((row, side))
        return to_the_left

    states = stroked.states
    after = laid_by_players(rehearsal, stroked, lays_by)
    moved = 0
    for row in range(BOARDS):
        laid = np.flatnonzero(stroked.laid[row])
        kept = np.setdiff1d(np.arange(19), laid)
        np.testing.assert_array_equal(after.positions[row, kept], states.positions[row, kept])
        breaker = int(states.match.board.breaker_seat[row]) // 2
        for index in laid:
            creditor = 1 - (breaker + index // 9) % 2
            assert (row, creditor) in sides
            # The creditor's left, seen from where he sits; in the eyes of a side with the turn
            # whose own carromman it is, nothing of it is worth anything.
            others = np.array(after.positions[row])
            lying = np.array(states.on_board[row])
            lying[index] = False
            place = tuple(after.positions[row, index].astype(float).tolist())
            assert not due_faults_jit(Layout(others, lying), place, board=BOARD)
            if int(states.match.board.seat[row]) // 2 == creditor and len(laid) == 1:
                x = place[0] if creditor == 0 else -place[0]
                assert x < -0.03
                moved += 1
    assert moved >= 3
    untouched = dataclasses.replace(after, positions=states.positions)
    jax.tree.map(np.testing.assert_array_equal, untouched, states)


def test_who_leaves_it_to_the_script_gets_the_scripts_place(
    rehearsal: Rehearsal, stroked: Stroked
) -> None:
    after = laid_by_players(rehearsal, stroked, lambda row, side: None)
    jax.tree.map(np.testing.assert_array_equal, after, stroked.states)
