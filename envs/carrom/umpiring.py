"""From what the umpire is told to the position after it.

He rules; the queen and what jumped are placed by him, dues and penalties by those who are
entitled to, who may also waive (87.a); extra points are claimed (87.b). Whenever somebody has
to be asked, the table is left with that decision, and goes on with the answer.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from carrom.board import to_board
from carrom.decision import AsScripted, Claim, Decision, Kind, Placement, Waiver
from carrom.incident import Attempt, Due, Incident, Laid
from carrom.laws import (
    Event,
    MatchState,
    Ruling,
    StrokeFacts,
    due_faults_jit,
    foul_by,
    nearest_due_place_jit,
    next_board_jit,
    place_centre_jit,
    place_due_jit,
    place_jumped_jit,
    rule_jit,
)
from carrom.layout import Layout, first_absent
from carrom.pieces import QUEEN, SLICES
from carrom.scoring import OUTCOME_REWARD, last_stroke, result_of, stroke_terms
from carrom.table import Setting, Stroke, Table
from carrom.tasks import AGENT_SEAT, Position, Unit, racked, returned_to


def tell(table: Table, seat: int, facts: StrokeFacts) -> None:
    """Let the umpire rule on something that ``seat`` did without a stroke.

    Pieces that the facts say were pocketed or jumped leave the board, lowest indices first.
    """
    table.strokes += 1
    ruled = rule_jit(table.position.match, facts, format=table.setting.format)
    take_up(table, seat, facts, *ruled)


def take_up(
    table: Table,
    seat: int,
    facts: StrokeFacts,
    match: MatchState,
    ruling: Ruling,
    attempt: Attempt | None = None,
) -> None:
    """Go on from a ruling, as far as nobody has to be asked.

    Args:
        table: with the position before.
        seat: whose stroke or breach it is.
        facts: what the umpire was told, everything claimed, nothing waived, room for all.
        match: after the ruling.
        ruling: on these facts.
        attempt: the strike, if there was one.
    """
    motion = attempt.motion if attempt else None
    layout = motion.layout if motion else table.position.layout
    incident = Incident(seat, facts, match, ruling, layout, attempt)
    if motion is None:
        incident = dataclasses.replace(incident, layout=without_fallen(layout, facts))
    if not (ruling.board_over or ruling.board_replayed):
        incident = _with_umpires_places(table.setting, incident)
        incident = dataclasses.replace(incident, dues=_dues(table.position.match, ruling))
    table.incident = incident
    if ruling.claims and Kind.CLAIM in table.setting.asked:
        # Whoever claims is next to the player whose stroke ended the board.
        creditor = (table.position.seat + table.setting.format.seat_step) % 4
        table.ask(Decision(Kind.CLAIM, creditor, claims=int(ruling.claims)))
        return
    if ruling.claims and not table.setting.claims:
        _claim(table, 0)
        return
    _lay_dues(table)


def decide(table: Table, answer: Placement | Waiver | Claim | AsScripted) -> None:
    """Go on with the answer to the decision about the incident on the table."""
    decision, incident = table.decision, _open_incident(table)
    assert decision is not None, "whoever answers has been asked"
    if decision.kind is Kind.CLAIM:
        scripted = decision.claims if table.setting.claims else 0
        _claim(table, answer.points if isinstance(answer, Claim) else scripted)
        return
    if isinstance(answer, Waiver):
        forgiven = [d for d in incident.dues if d.forgivable and d.colour == decision.colour]
        table.incident = dataclasses.replace(
            incident,
            dues=tuple(due for due in incident.dues if due not in forgiven),
            waived=tuple(w or c == decision.colour for c, w in enumerate(incident.waived)),
            forgiven=incident.forgiven + len(forgiven),
        )
    elif isinstance(answer, Placement):
        side = table.position.side_of_board(decision.seat)
        x, y = to_board(np.array([answer.x, answer.y]), side).tolist()
        table.incident = _laid_as_wished(table.setting, incident, (x, y))
    else:
        place = _worst_place(table, incident, incident.dues[0])
        assert place is not None, "nobody is asked to lay a carromman for which there is no room"
        table.incident = _with_laid(incident, place)
    _lay_dues(table)


def without_fallen(layout: Layout, facts: StrokeFacts) -> Layout:
    """The layout without what the facts say fell or jumped, lowest indices first."""
    on_board = layout.on_board.copy()
    for part, count in zip(SLICES, facts.pocketed + facts.overboard, strict=True):
        on_board[np.flatnonzero(on_board[part])[: int(count)] + part.start] = False
    on_board[QUEEN] &= not (facts.pocketed_queen or facts.overboard_queen)
    return dataclasses.replace(layout, on_board=on_board)


def _with_umpires_places(setting: Setting, incident: Incident) -> Incident:
    """Put back the queen (93), then what jumped (65): the umpire's part, before dues (U24)."""
    board, ruling, layout = setting.board, incident.ruling, incident.layout
    next_side = Position(layout, incident.match).physical_seat
    laid: list[Laid] = []
    if ruling.queen_returned:
        place = place_centre_jit(layout, next_side, board=board)
        layout = layout.with_piece(QUEEN, place)
        laid.append(Laid(QUEEN, None, place))
    jumped = np.zeros(len(layout.on_board), bool)
    for part, count in zip(SLICES, ruling.replaced, strict=True):
        absent = np.flatnonzero(~layout.on_board[part]) + part.start
        jumped[absent[: int(count)]] = True
    jumped[QUEEN] = bool(ruling.queen_replaced)
    if jumped.any():
        layout = place_jumped_jit(layout, jumped, int(ruling.striker), next_side, board=board)
        for index in np.flatnonzero(jumped):
            x, y = layout.positions[index].tolist()
            laid.append(Laid(int(index), None, (x, y)))
    return dataclasses.replace(incident, layout=layout, laid=tuple(laid))


def _dues(before: MatchState, ruling: Ruling) -> tuple[Due, ...]:
    """What the players have to lay: wrongly pocketed ones first, then dues (U24)."""
    striker = int(ruling.striker)
    seats = [int(seat) for seat in ruling.placer_seat]
    fallen = Due(striker, seats[striker], owed=False, forgivable=False)
    dues = [fallen] * int(ruling.returned_own)
    for colour in (striker, 1 - striker):
        waited, paid = int(before.board.stranded[colour]), int(ruling.dues_paid[colour])
        dues += [
            Due(colour, seats[colour], owed=True, forgivable=number >= waited)
            for number in range(paid)
        ]
    return tuple(dues)


def _lay_dues(table: Table) -> None:
    """Lay what has to be laid (9, U24), until somebody has to be asked where.

    What lies on the board stays, however it lies (67, 68).
    """
    while (incident := _open_incident(table)).dues:
        due = incident.dues[0]
        place = _worst_place(table, incident, due)
        if place is None:
            # Where one finds no room, no other does: the rest waits as owed (79.a, U28).
            table.incident = dataclasses.replace(incident, dues=(), without_room=True)
        elif Kind.PLACE in table.setting.asked:
            alike = [other for other in incident.dues if other.colour == due.colour]
            table.ask(
                Decision(
                    Kind.PLACE,
                    due.seat,
                    colour=due.colour,
                    left=len(alike),
                    may_waive=due.forgivable and not incident.begun[due.colour],
                )
            )
            return
        else:
            table.incident = _with_laid(incident, place)
    _conclude(table)


def _open_incident(table: Table) -> Incident:
    assert table.incident is not None
    return table.incident


def _worst_place(table: Table, incident: Incident, due: Due) -> tuple[float, float] | None:
    """The place that is worst for the debtor; None without room."""
    debtors = table.position.sides_of_colour(due.colour, table.setting.format)
    return place_due_jit(incident.layout, debtors, board=table.setting.board)


def _laid_as_wished(setting: Setting, incident: Incident, wish: tuple[float, float]) -> Incident:
    """Lay the next carromman at ``wish``, or as near as the laws allow (85, 86, 89.b, 114)."""
    faults = due_faults_jit(incident.layout, wish, board=setting.board)
    if not faults:
        return _with_laid(incident, wish)
    place = nearest_due_place_jit(incident.layout, wish, board=setting.board)
    assert place is not None, "nobody is asked to lay a carromman for which there is no room"
    return _with_laid(incident, place, breach=faults[0])


def _with_laid(
    incident: Incident, place: tuple[float, float], breach: str | None = None
) -> Incident:
    """The incident with its next carromman laid at ``place``."""
    due, *rest = incident.dues
    index = first_absent(incident.layout.on_board, due.colour)
    assert index is not None, "the umpire takes out no more carrommen than are down"
    begun = list(incident.begun)
    begun[due.colour] |= due.forgivable
    return dataclasses.replace(
        incident,
        layout=incident.layout.with_piece(index, place),
        dues=tuple(rest),
        laid=(*incident.laid, Laid(index, due.seat, place, breach)),
        laid_owed=incident.laid_owed + due.owed,
        laid_fallen=incident.laid_fallen + (not due.owed),
        begun=(begun[0], begun[1]),
    )


def _claim(table: Table, points: int) -> None:
    """Rule again with so many extra points claimed, and finish."""
    incident = _open_incident(table)
    facts = dataclasses.replace(incident.facts, claims=np.int32(points))
    match, ruling = rule_jit(table.position.match, facts, format=table.setting.format)
    table.incident = dataclasses.replace(incident, facts=facts, match=match, ruling=ruling)
    _conclude(table)


def _conclude(table: Table) -> None:
    """Book the stroke, and set up what comes next."""
    incident, before = _open_incident(table), table.position
    facts, match, ruling = incident.facts, incident.match, incident.ruling
    if incident.without_room or any(incident.waived):
        facts = dataclasses.replace(facts, waive=np.array(incident.waived))
        if incident.without_room:
            facts = dataclasses.replace(
                facts,
                room_returned=np.int32(incident.laid_fallen),
                room_due=np.int32(incident.laid_owed + incident.forgiven),
            )
        match, ruling = rule_jit(before.match, facts, format=table.setting.format)
    attempt = incident.attempt
    stroke = Stroke(
        seat=incident.seat,
        strike=attempt.strike if attempt else None,
        before=before,
        after=Position(incident.layout, match),
        motion=attempt.motion if attempt else None,
        facts=facts,
        ruling=ruling,
        laid=incident.laid,
        failure=attempt.failure if attempt else None,
        meant=attempt.meant if attempt else None,
    )
    table.played.append(stroke)
    if table.setting.record:
        table.history.append(stroke)
    table.earn(stroke_terms(table.setting, stroke))
    table.position, table.incident = stroke.after, None
    breaches = [(laid.seat, laid.breach) for laid in incident.laid]
    table.breaches += tuple((s, law) for s, law in breaches if s is not None and law is not None)
    if ruling.board_over or ruling.board_replayed:
        table.breaches = ()
    if table.breaches:
        (seat, law), *rest = table.breaches
        table.breaches = tuple(rest)
        event = foul_by(seat, match, table.setting.format)
        tell(table, seat, StrokeFacts.without_stroke(event, breach=law))
        return
    _go_on(table, stroke)


def _go_on(table: Table, stroke: Stroke) -> None:
    """End the episode, or set up the next stroke on this board or a new one."""
    setting, ruling = table.setting, stroke.ruling
    if setting.task.unit is Unit.STROKE and ruling.board_replayed:
        table.truncated, table.decision = True, None
        return
    if last_stroke(setting, stroke):
        table.terminated, table.decision = True, None
        table.result = result_of(setting, table.position.match, ruling)
        if setting.reward == "result":
            table.earn({"result": OUTCOME_REWARD[table.result["winner"]]})
        return
    if ruling.board_over or ruling.board_replayed:
        start = table.streams.start
        toss = int(start.integers(2))
        match = next_board_jit(table.position.match, format=setting.format, toss=toss)
        table.position = racked_position(table, match)
    elif setting.task.solo and table.position.seat != AGENT_SEAT:
        layout, match = table.position.layout, table.position.match
        table.position = Position(layout, returned_to(AGENT_SEAT, match))
    if table.strokes >= setting.max_strokes:
        table.truncated, table.decision = True, None
    elif int(stroke.facts.event) == Event.NO_STROKE:
        table.used_s += setting.clock.slip_s
    else:
        ask_for_strike(table)


def ask_for_strike(table: Table) -> None:
    """Put the decision to the player with the turn; replay a board he cannot strike on."""
    seat = table.position.seat
    table.ask(Decision(Kind.STRIKE, seat))
    if not table.view.can_strike:
        tell(table, seat, StrokeFacts.without_stroke(Event.NO_STRIKER_SPACE))


def racked_position(table: Table, match: MatchState) -> Position:
    """A new board of ``match``."""
    setting = table.setting
    start = table.streams.start
    return racked(match, setting.board, start, setting.packing, setting.orientation)
