"""What holds for every position and stroke, on boards reached by random play."""

from __future__ import annotations

import dataclasses
import functools
import re

import chex
import hypothesis
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from carrom.laws import (
    DOUBLES,
    LAW_IDS,
    NO_BREACH,
    SINGLES,
    Event,
    MatchFormat,
    MatchState,
    QueenState,
    Ruling,
    StrokeFacts,
    check,
    cited,
    law_mask,
    new_match,
    next_board,
    next_board_jit,
    rule,
    rule_jit,
    sentences,
)

OF_PARTNER = (Event.TECHNICAL_FOUL_PARTNER, Event.OUT_OF_TURN_PARTNER)
BREACHES = (
    *(Event.EARLY_BREAK, Event.FOUL, Event.TECHNICAL_FOUL, Event.TECHNICAL_FOUL_OPPONENT),
    *(Event.OUT_OF_TURN, *OF_PARTNER),
)
FORMATS = (SINGLES, DOUBLES, MatchFormat(board_limit=None, games_to_win=1))


@st.composite
def facts_for(draw: st.DrawFn, state: MatchState, format: MatchFormat = SINGLES) -> StrokeFacts:
    """Any facts that do not contradict the position."""
    board = state.board
    events = [e for e in Event if format.doubles or e not in OF_PARTNER]
    if board.break_done:
        events.remove(Event.EARLY_BREAK)
    if board.strokes_in_turn:
        events.remove(Event.TECHNICAL_FOUL)
    # Mostly shots, or boards would never get anywhere.
    event = draw(st.one_of(st.just(Event.SHOT), st.just(Event.SHOT), st.sampled_from(events)))
    if event not in (Event.SHOT, Event.EARLY_BREAK, Event.FOUL):
        law = draw(st.sampled_from([None, "134", "46"])) if event in BREACHES else None
        return StrokeFacts.without_stroke(event, room_due=draw(st.integers(0, 3)), breach=law)
    men = [int(n) for n in board.on_board]
    pocketed = [draw(st.integers(0, n)) for n in men]
    jumped = [draw(st.integers(0, min(n - down, 2))) for n, down in zip(men, pocketed, strict=True)]
    queen = draw(st.sampled_from(["stays", "pocketed", "overboard"]))
    queen = queen if int(board.queen) == QueenState.ON_BOARD else "stays"
    striker = draw(st.sampled_from(["stays", "pocketed", "overboard"]))
    proper = draw(st.booleans())
    breach = event in BREACHES or not proper
    return StrokeFacts.shot(
        event=event,
        proper=proper,
        breach=draw(st.sampled_from([None, "130.a", "151.c"])) if breach else None,
        touched=draw(st.booleans()),
        pocketed=(pocketed[0], pocketed[1]),
        queen=queen == "pocketed",
        striker=striker == "pocketed",
        overboard=(jumped[0], jumped[1]),
        overboard_queen=queen == "overboard",
        overboard_striker=striker == "overboard",
        claims=draw(st.integers(0, 2)),
        waive=(draw(st.booleans()), draw(st.booleans())),
        room_returned=draw(st.sampled_from([0, 1, 18])),
        room_due=draw(st.sampled_from([0, 1, 18])),
    )


def assert_legal(before: MatchState, facts: StrokeFacts, after: MatchState, ruling: Ruling):
    """Conservation, ranges, and that there is exactly one next step."""
    board = after.board
    outcomes = (ruling.turn_kept, ruling.turn_lost, ruling.board_over, ruling.board_replayed)
    assert sum(map(bool, outcomes)) == 1
    assert bool(board.over) == bool(ruling.board_over)
    assert bool(board.replay) == bool(ruling.board_replayed)

    settled = bool(ruling.turn_kept | ruling.turn_lost)
    fallen = facts.pocketed if settled or ruling.board_over else 0 * facts.pocketed
    np.testing.assert_array_equal(board.on_board, before.board.on_board - fallen + ruling.returned)
    assert np.all((board.on_board >= 0) & (board.on_board <= 9))
    assert np.all(ruling.returned >= 0)
    assert np.all(board.owed >= 0)
    if settled:
        assert np.all(board.on_board + board.stranded >= 1)
        come_out = facts.pocketed[int(ruling.striker)] - ruling.returned_own
        debts = ruling.dues_charged + ruling.penalties_charged - ruling.dues_paid - ruling.waived
        change = board.owed - before.board.owed - debts
        # What should come out but finds no room waits among the debts.
        assert change.sum() in (0, come_out)
        assert (board.queen == QueenState.WAITING) <= bool(ruling.turn_kept)
    queen_left = before.board.queen == QueenState.ON_BOARD and not facts.pocketed_queen
    if settled:
        assert (board.queen == QueenState.ON_BOARD) == (queen_left or bool(ruling.queen_returned))

    assert np.all((ruling.points >= 0) & (ruling.points <= 12))
    assert np.count_nonzero(ruling.points) <= 1
    assert (int(ruling.winner) >= 0) == bool(ruling.board_over)
    assert ruling.points.sum() == (after.game.score - before.game.score).sum()
    assert cited(ruling)
    assert sentences(ruling)[-1]


@pytest.mark.parametrize("format", FORMATS, ids=["singles", "doubles", "one game"])
@hypothesis.settings(max_examples=120, deadline=None)
@hypothesis.given(data=st.data())
def test_random_play_stays_legal(format: MatchFormat, data: st.DataObject):
    state = new_match(format, data.draw(st.sampled_from(format.seats)))
    for _ in range(12):
        facts = data.draw(facts_for(state, format))
        check(state, facts, format=format)
        after, ruling = rule_jit(state, facts, format=format)
        assert_legal(state, facts, after, ruling)
        state = next_board_jit(after, format=format, toss=data.draw(st.integers(0, 1)))
        if state.match_over:
            break
        assert not (state.board.over | state.board.replay)
        assert int(state.board.seat) in format.seats


def swapped(state: MatchState) -> MatchState:
    """The same position with the colours exchanged, and with them who broke."""
    board = state.board
    return dataclasses.replace(
        state,
        board=dataclasses.replace(
            board,
            striker=1 - board.striker,
            breaker_seat=(board.breaker_seat + 2) % 4,
            on_board=board.on_board[::-1],
            owed=board.owed[::-1],
            stranded=board.stranded[::-1],
            has_pocketed=board.has_pocketed[::-1],
            placing_seat=board.placing_seat[::-1],
            queen={2: np.int32(3), 3: np.int32(2)}.get(int(board.queen), board.queen),
        ),
    )


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(data=st.data())
def test_the_laws_do_not_see_colours(data: st.DataObject):
    state = new_match()
    for _ in range(data.draw(st.integers(0, 4))):
        after, _ = rule_jit(state, data.draw(facts_for(state)))
        state = next_board_jit(after)
        if state.match_over:
            return
    facts = data.draw(facts_for(state))
    mirrored = dataclasses.replace(
        facts,
        pocketed=facts.pocketed[::-1],
        overboard=facts.overboard[::-1],
        waive=facts.waive[::-1],
    )
    one, ruling = rule_jit(state, facts)
    two, reflected = rule_jit(swapped(state), mirrored)
    chex.assert_trees_all_equal(swapped(one), two)
    by_colour = ("returned", "dues_paid", "dues_charged", "penalties_charged", "waived", "owed")
    for name in (*by_colour, "points", "replaced", "placer_seat"):
        np.testing.assert_array_equal(getattr(ruling, name)[::-1], getattr(reflected, name))
    slams = {"27.a", "27.b"}
    assert set(cited(ruling)) - slams == set(cited(reflected)) - slams


def test_one_trace_serves_every_stroke(position):
    traced = jax.jit(chex.assert_max_traces(rule, n=1))
    state = new_match()
    for facts in (
        StrokeFacts.shot(),
        StrokeFacts.shot(pocketed=(1, 2), queen=True, proper=False),
        StrokeFacts.without_stroke(Event.VOID),
    ):
        traced(state, facts)
        state = position()


def test_compiled_batched_and_plain_rulings_agree(position):
    states = [position(striker=k % 2, owed=(k, 0)) for k in (0, 3)]
    facts = [StrokeFacts.shot(pocketed=(k, 1), striker=k > 1) for k in (0, 3)]
    stack = functools.partial(jax.tree.map, lambda *leaves: np.stack(leaves))
    batch = jax.jit(jax.vmap(rule))(stack(*states), stack(*facts))
    for k, (state, fact) in enumerate(zip(states, facts, strict=True)):
        single = rule(state, fact)
        chex.assert_trees_all_equal(rule_jit(state, fact), single)
        chex.assert_trees_all_equal(jax.tree.map(lambda leaf, k=k: leaf[k], batch), single)
        chex.assert_trees_all_equal(next_board_jit(single[0]), next_board(single[0]))


# ---- the soak ------------------------------------------------------------------------


def random_facts(key: jax.Array, state: MatchState) -> StrokeFacts:
    """Random facts that do not contradict the position, for one lane of a batch."""
    keys = iter(jax.random.split(key, 16))
    board = state.board

    def chance(probability: float) -> jax.Array:
        return jax.random.bernoulli(next(keys), probability)

    stroke = chance(0.95)
    other = jax.random.randint(next(keys), (), Event.FOUL, Event.NO_STROKE + 1)
    early = ~board.break_done & chance(0.1)
    event = jnp.where(stroke, jnp.where(early, Event.EARLY_BREAK, Event.SHOT), other)
    moves = event <= Event.FOUL
    pocketed = jnp.minimum(jax.random.poisson(next(keys), 0.7, (2,)), board.on_board) * moves
    left = board.on_board - pocketed
    overboard = jnp.minimum(jax.random.poisson(next(keys), 0.05, (2,)), left) * moves
    on_board = board.queen == QueenState.ON_BOARD
    queen = on_board & moves & chance(0.2)
    striker = moves & chance(0.2)
    jumping_queen = on_board & ~queen & moves & chance(0.05)
    return StrokeFacts(
        event=event.astype(jnp.int32),
        proper=chance(0.85),
        touched=chance(0.6),
        pocketed=pocketed.astype(jnp.int32),
        pocketed_queen=queen,
        pocketed_striker=striker,
        overboard=overboard.astype(jnp.int32),
        overboard_queen=jumping_queen,
        overboard_striker=~striker & moves & chance(0.05),
        claims=jax.random.randint(next(keys), (), 0, 3),
        breach=jnp.int32(NO_BREACH),
        waive=jnp.stack([chance(0.1), chance(0.1)]),
        room_returned=jnp.where(chance(0.1), 0, 18),
        room_due=jnp.where(chance(0.2), 0, 18),
    )


def flaws(before: MatchState, facts: StrokeFacts, after: MatchState, ruling: Ruling) -> jax.Array:
    """Which demands a ruling fails, bool (n,)."""
    board = after.board
    goes_on = ruling.turn_kept | ruling.turn_lost
    fallen = jnp.where(goes_on | ruling.board_over, facts.pocketed, 0)
    outcomes = jnp.stack(
        [ruling.turn_kept, ruling.turn_lost, ruling.board_over, ruling.board_replayed]
    )
    seats = jnp.array([board.seat, board.breaker_seat])
    return jnp.stack(
        [
            jnp.sum(outcomes) != 1,
            jnp.any(board.on_board != before.board.on_board - fallen + ruling.returned),
            jnp.any((board.on_board < 0) | (board.on_board > 9)),
            goes_on & jnp.any(board.on_board + board.stranded < 1),
            jnp.any((board.stranded < 0) | (board.stranded > board.owed)),
            jnp.any(board.owed < 0),
            jnp.any((ruling.points < 0) | (ruling.points > 12)),
            jnp.all(ruling.laws == 0),
            (board.queen == QueenState.WAITING) & goes_on & ~ruling.turn_kept,
            jnp.any((seats < 0) | (seats > 3)),
            jnp.any(after.games_won > 2),
            (board.break_attempts_failed < 0) | (board.break_attempts_failed > 2),
            jnp.any(after.game.score - before.game.score != ruling.points[::-1])
            & jnp.any(after.game.score - before.game.score != ruling.points),
            (board.idle_turns < 0) | ((board.idle_turns > 5) & ~ruling.board_replayed),
        ]
    )


def soak(lanes: int, strokes: int) -> tuple[np.ndarray, np.ndarray]:
    """Random matches side by side; what was flawed, and which laws were ever cited."""

    def stroke(carry, key):
        state, laws = carry
        facts = jax.vmap(random_facts)(jax.random.split(key, lanes), state)
        after, ruling = jax.vmap(rule)(state, facts)
        flawed = jnp.any(jax.vmap(flaws)(state, facts, after, ruling), axis=0)
        laws = laws | jax.lax.reduce(ruling.laws, jnp.int32(0), jax.lax.bitwise_or, (0,))
        following = jax.vmap(next_board)(after)
        # A match that is over starts again.
        fresh = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (lanes, *leaf.shape)), first)
        state = jax.vmap(lambda over, a, b: jax.tree.map(lambda x, y: jnp.where(over, x, y), a, b))(
            after.winner >= 0, fresh, following
        )
        return (state, laws), flawed

    first = jax.tree.map(jnp.asarray, new_match())
    start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (lanes, *leaf.shape)), first)
    keys = jax.random.split(jax.random.key(7), strokes)
    none = jnp.zeros(rule_jit(new_match(), StrokeFacts.shot())[1].laws.shape, jnp.int32)
    (_, laws), flawed = jax.jit(functools.partial(jax.lax.scan, stroke))((start, none), keys)
    return np.asarray(flawed), law_mask(laws)


REACHABLE = re.findall(
    r"\S+",
    """15 44 45.a 45.b 45.c 47 48 51 52.a 53.a 53.b 53.c 54 55 56.a 57 58 63.a 63.b 64.a 64.b 65.a
    65.b 65.c 65.d 72.a 72.b 72.c 73 74 75 76 77.a 77.b 78.a 79.a 80 83 87.a 87.b 92 93 95.a 95.b
    95.d 96 97.a 97.b 98.a 98.b 99.a 99.b 100.a 100.b 101.a 101.b 106.a 106.b 107.a 107.b 108.a
    111.a 113 116 125.a 127.b 139 140 142""",
)


def test_a_million_random_strokes_leave_no_illegal_state():
    flawed, laws = soak(lanes=1000, strokes=1000)
    assert not flawed.any(), np.flatnonzero(flawed.any(axis=0))
    missing = [law for law in REACHABLE if not laws[LAW_IDS.index(law)]]
    assert missing == []
