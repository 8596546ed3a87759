"""Episodes on one table, or on many at once: they begin, and go on with decisions.

Strike -> noise -> physics -> facts -> umpire -> placing -> reward and the next position. The
single environment is one table, the vector environment many; nothing a table does depends
on which other tables are played with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from carrom.decision import Answer, AsScripted, Claim, Decision, Kind, Placement, TossChoice, Waiver
from carrom.errors import ActionError, ConfigError
from carrom.finite import is_finite
from carrom.laws import StrokeFacts, foul_by, new_match
from carrom.opponents import answer_of
from carrom.physics.strike import Strike
from carrom.striking import Physics, strike_all
from carrom.table import Setting, Streams, Table, Toss
from carrom.tasks import AGENT_SEAT, Position, Unit, check_start, drill_position, racked
from carrom.umpiring import ask_for_strike, decide, tell

_ANSWERS = {
    Kind.STRIKE: (Strike,),
    Kind.PLACE: (Placement, Waiver, AsScripted),
    Kind.CLAIM: (Claim, AsScripted),
    Kind.TOSS: (TossChoice, AsScripted),
}
"""What may be answered to what."""


_FORCE_SLACK = 1 + 1e-6
"""By how much rounding, to single precision for instance, may exceed full force."""


def begin(
    setting: Setting, physics: Physics, generators: Sequence[np.random.Generator]
) -> list[Table]:
    """New episodes, each seeded from one generator, up to the first decision from outside.

    Should an episode end before anybody outside has been asked, its table is over; the
    agent's first step, whatever its action, reports that end.
    """
    tables = [_opened(setting, Streams.drawn_from(rng)) for rng in generators]
    _until_outside(physics, tables)
    return tables


def advance(physics: Physics, tables: Sequence[Table], answers: Sequence[Answer]) -> None:
    """Go on with the ``answers`` from outside, up to the next decision from outside.

    Every stroke starts once all that the last one moved has come to rest (124). A table that
    was over already is left as it is.

    Raises:
        ActionError: an answer to another question than was asked, or one that the laws do
            not leave open. No table has been touched then.
    """
    refuse_faulty(tables, answers)
    live = [pair for pair in zip(tables, answers, strict=True) if not pair[0].over]
    for table, _ in live:
        table.stop_thinking()
    _answer_all(physics, [table for table, _ in live], [answer for _, answer in live])
    _until_outside(physics, tables)


def refuse_faulty(tables: Sequence[Table], answers: Sequence[Answer]) -> None:
    """Refuse what ``advance`` would refuse.

    Raises:
        ActionError: as ``advance``.
    """
    for table, answer in zip(tables, answers, strict=True):
        fault = None if table.over else _fault(table, answer)
        if fault:
            raise ActionError(fault)


def report(physics: Physics, table: Table, seat: int, facts: StrokeFacts) -> None:
    """Tell the umpire of something that no stroke shows, and go on from his ruling.

    Args:
        physics: for the strokes that follow.
        table: on which the player with the turn has to strike.
        seat: whose doing it is.
        facts: of it.

    Raises:
        ActionError: another decision has to be taken first.
    """
    check_nothing_else_asked(table)
    tell(table, seat, facts)
    _until_outside(physics, [table])


def check_nothing_else_asked(table: Table) -> None:
    """Refuse to hear of anything while somebody has something else to decide than a strike.

    Raises:
        ActionError: somebody has, or the episode is over.
    """
    if table.decision is None or table.decision.kind is not Kind.STRIKE:
        asked = "nothing" if table.decision is None else table.decision.kind.value
        raise ActionError(f"decision = {asked!r}: expected 'strike' before anything is reported")


def _opened(setting: Setting, streams: Streams) -> Table:
    """A table at which the first decision has been put."""
    start, seats = streams.start, setting.format.seats
    if setting.start is not None:
        position = setting.start(setting.board, start)
        check_start(position, setting.task, setting.format, setting.board)
        table = Table(setting, streams, position)
        ask_for_strike(table)
        return table
    if setting.task.unit is Unit.STROKE:
        table = Table(setting, streams, drill_position(setting.board, start))
        ask_for_strike(table)
        return table
    winner = seats[int(start.integers(len(seats)))]
    if setting.task.solo:
        breaker, toss = AGENT_SEAT, None
    elif setting.breaker_side is not None:
        breaker, toss = seats[setting.breaker_side], None
    elif Kind.TOSS in setting.asked:
        breaker, toss = winner, Toss(winner)
    else:
        toss = Toss(winner, setting.breaks_if_won)
        breaker = _breaker(setting, toss)
    table = Table(setting, streams, _first_position(setting, streams, breaker), toss=toss)
    if toss is not None and toss.takes_break is None:
        table.ask(Decision(Kind.TOSS, winner))
    else:
        ask_for_strike(table)
    return table


def _first_position(setting: Setting, streams: Streams, breaker: int) -> Position:
    match = new_match(setting.format, breaker)
    return racked(match, setting.board, streams.start, setting.packing, setting.orientation)


def _breaker(setting: Setting, toss: Toss) -> int:
    """Who breaks first: the winner of the toss, or, if he chose the side, the next (39)."""
    return (toss.winner + (0 if toss.takes_break else setting.format.seat_step)) % 4


def _until_outside(physics: Physics, tables: Sequence[Table]) -> None:
    """Let the players at the tables decide, round by round, until each waits or is over."""
    while waiting := [t for t in tables if not (t.over or t.waits_outside)]:
        _answer_all(physics, waiting, [_answer_of_player(table) for table in waiting])
    for table in tables:
        table.start_thinking()


def _answer_of_player(table: Table) -> Answer:
    """What the player at the table decides whose decision it is."""
    decision = _asked(table)
    player, rng = table.setting.players[decision.seat], table.streams.opponent
    assert player is not None
    table.start_thinking()
    answer = answer_of(player, table.view, rng)
    table.stop_thinking()
    fault = _fault(table, answer)
    if fault:
        raise ConfigError(f"the player of seat {decision.seat}: {fault}")
    return answer


def _fault(table: Table, answer: Answer) -> str | None:
    """What is wrong with ``answer``, if anything is."""
    decision = _asked(table)
    kinds = _ANSWERS[decision.kind]
    if not isinstance(answer, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        return f"answer = {answer!r} to {decision.kind.value!r}: expected a carrom {names}"
    if isinstance(answer, Waiver) and not decision.may_waive:
        return (
            "answer = Waiver(): expected a place; only dues and penalties can be waived, all "
            "or none (87.a, U23)"
        )
    if isinstance(answer, Claim) and answer.points not in range(decision.claims + 1):
        return f"claim = {answer.points!r}: expected a whole number from 0 to {decision.claims}"
    if isinstance(answer, Strike):
        return _fault_of_strike(table.setting, answer)
    if isinstance(answer, Placement) and not (is_finite(answer.x) and is_finite(answer.y)):
        return f"answer = {answer}: expected finite numbers"
    return None


def _fault_of_strike(setting: Setting, strike: Strike) -> str | None:
    """Why nobody could make this strike, proper or not."""
    if not setting.strict and is_finite(strike.place):
        # Any place means the nearest free one.
        strike = dataclasses.replace(strike, place=0.0, forward=0.0)
    try:
        strike.check(setting.board)
    except ConfigError as error:
        return str(error)
    full = setting.material.full_speed
    if strike.speed > full * _FORCE_SLACK:
        return f"speed = {strike.speed!r} m/s: expected at most full force, {full:g} m/s"
    return None


def _answer_all(physics: Physics, tables: Sequence[Table], answers: Sequence[Answer]) -> None:
    """Take the answers to what each table has asked."""
    strikers, strikes = [], []
    for table, answer in zip(tables, answers, strict=True):
        if table.late:
            _too_late(table)
        elif isinstance(answer, Strike):
            strikers.append(table)
            strikes.append(answer)
        else:
            _take(table, answer)
    strike_all(physics, strikers, strikes)


def _take(table: Table, answer: Answer) -> None:
    """Take an answer that is no strike."""
    if _asked(table).kind is Kind.TOSS:
        scripted = table.setting.breaks_if_won
        takes = answer.takes_break if isinstance(answer, TossChoice) else scripted
        assert table.toss is not None
        table.toss = Toss(table.toss.winner, takes)
        breaker = _breaker(table.setting, table.toss)
        table.position = _first_position(table.setting, table.streams, breaker)
        ask_for_strike(table)
    else:
        assert not isinstance(answer, Strike | TossChoice)
        decide(table, answer)


def _too_late(table: Table) -> None:
    """The clock has run out: a foul for a stroke (46, 50), else the right is lost (87.a)."""
    decision = _asked(table)
    if decision.kind is Kind.STRIKE:
        match = table.position.match
        breach = "50" if match.board.break_done else "46"
        event = foul_by(decision.seat, match, table.setting.format)
        tell(table, decision.seat, StrokeFacts.without_stroke(event, breach=breach))
    elif decision.kind is Kind.CLAIM:
        _take(table, Claim(0))
    else:
        _take(table, Waiver() if decision.may_waive else AsScripted())


def _asked(table: Table) -> Decision:
    assert table.decision is not None, "a table that is not over has asked for something"
    return table.decision
