"""From where the discs came to rest to the position in which the game goes on, as arrays.

The counterpart of the second half of ``carrom.striking``, and of ``carrom.umpiring``.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import NamedTuple, cast

import jax
import jax.numpy as jnp

from carrom.baseline import line_band
from carrom.functional import laying, scores, starts
from carrom.functional.laying import Ruled
from carrom.functional.lines import Lines
from carrom.functional.seldom import seldom
from carrom.functional.select import select
from carrom.functional.sight import in_frame_of, side_of_board
from carrom.functional.state import Booked, Outcome, State, Strike
from carrom.laws import Event, MatchState, StrokeFacts, next_board, rule
from carrom.pieces import QUEEN, SLICES, STRIKER
from carrom.scoring import ends_episode
from carrom.table import Setting
from carrom.tasks import AGENT_SEAT, Unit, returned_to


@dataclass(frozen=True, eq=False)
class Umpire:
    """Rules on strokes, has laid what goes back, and sets up what follows.

    Attributes:
        setting: what stays the same from episode to episode.
        lines: on which the striker may stand.
    """

    setting: Setting
    lines: Lines

    def settle(
        self, state: State, made: Strike, outcome: Outcome, key: jax.Array, active: jax.Array
    ) -> tuple[State, Booked]:
        """See ``Functional.settle``."""
        facts = self._facts(state, made, outcome)
        fell = jnp.where(outcome.failed, False, ~outcome.on_board[:STRIKER])
        on_board = state.on_board & ~fell
        positions = jnp.where(outcome.failed, state.positions, outcome.positions[:STRIKER])
        moved = dataclasses.replace(
            state, positions=jnp.where(on_board[:, None], positions, 0), on_board=on_board
        )
        after, booked = self._incidents(moved, facts, outcome.failed, key, active)
        return select(active, after, state), booked

    def _facts(self, state: State, made: Strike, outcome: Outcome) -> StrokeFacts:
        """What the umpire is told about a stroke."""
        fell = state.on_board & ~outcome.on_board[:STRIKER]
        side = side_of_board(state, state.match.board.seat)
        rest = in_frame_of(side, outcome.positions[STRIKER:])[0, 1] - self.setting.board.base_line_y
        low, high = line_band(self.setting.board)
        # What meets nothing goes straight: it has left the band if it ends outside (127.b).
        stays = ~outcome.collided & (low <= rest) & (rest <= high)
        slipped = stays & outcome.on_board[STRIKER]
        event = jnp.where(slipped, Event.NO_STROKE, Event.SHOT)
        happened = ~outcome.failed
        return dataclasses.replace(
            jax.tree.map(jnp.asarray, StrokeFacts.shot()),
            event=jnp.where(happened, event, Event.VOID).astype(jnp.int32),
            touched=outcome.touched & happened,
            pocketed=jnp.stack([jnp.sum(fell[part]) for part in SLICES]) * happened,
            pocketed_queen=fell[QUEEN] & happened,
            pocketed_striker=~outcome.on_board[STRIKER] & happened,
        )

    def _incidents(
        self,
        state: State,
        facts: StrokeFacts,
        failed: jax.Array,
        key: jax.Array,
        active: jax.Array,
    ) -> tuple[State, Booked]:
        """Conclude a stroke, and that the next player can set his striker nowhere (142).

        It is one loop, so that the umpire is compiled once. It goes round again, hardly ever,
        for that, and where what goes back finds no room (79.a).
        """

        def conclude(carry: _Open) -> _Open:
            key, board = jax.random.split(carry.key)
            ruled = self._ruled(carry)
            after, new = self._concluded(carry.state, ruled, failed, board)
            free = jnp.bool_(True)
            if self.setting.task.unit is not Unit.STROKE:
                slipped = carry.facts.event == Event.NO_STROKE
                after, free = self._asked(after, carry.open & ~(ruled.short | after.over | slipped))
            first = carry.facts.event != Event.NO_STRIKER_SPACE
            blocked = jax.tree.map(jnp.asarray, StrokeFacts.without_stroke(Event.NO_STRIKER_SPACE))
            as_laid = dataclasses.replace(
                carry.state, positions=ruled.positions, on_board=ruled.on_board
            )
            return _Open(
                open=ruled.short | ~free,
                state=select(ruled.short, as_laid, after),
                facts=select(ruled.short, ruled.facts, blocked),
                laid=ruled.short,
                booked=select(first, new, carry.booked),
                key=key,
            )

        nothing = self.nothing_booked(state.match)
        start = _Open(active, state, facts, jnp.bool_(False), nothing, key)
        concluded = jax.lax.while_loop(lambda carry: carry.open, conclude, start)
        return concluded.state, concluded.booked

    def _ruled(self, carry: _Open) -> Ruled:
        """Rule, and lay what goes back, unless that is done."""
        before, board, format = carry.state.match, self.setting.board, self.setting.format
        match, ruling = rule(before, carry.facts, format=format)
        ruled = Ruled(
            *(before, carry.facts, match, ruling),
            *(carry.state.positions, carry.state.on_board, jnp.bool_(False)),
        )
        lay = functools.partial(laying.lay, board=board, format=format)
        return seldom(lay)(carry.open & ~carry.laid & laying.goes_back(ruling), ruled)

    def _concluded(
        self, state: State, ruled: Ruled, failed: jax.Array, key: jax.Array
    ) -> tuple[State, Booked]:
        """Book what was ruled, and set up the next board if one follows."""
        setting, before = self.setting, ruled.before
        booked = Booked(before.board.seat, ruled.facts, ruled.ruling, ruled.match)
        terms = scores.stroke_terms(before, booked, self._reward, setting.task, setting.format)
        state = dataclasses.replace(
            state,
            match=ruled.match,
            positions=ruled.positions,
            on_board=ruled.on_board,
            strokes=state.strokes + 1,
        )
        if setting.task.unit is Unit.STROKE:
            void = ruled.ruling.board_replayed
            terms = jax.tree.map(lambda value: jnp.where(failed, 0, value), terms)
            state = dataclasses.replace(state, terminated=~void, truncated=void)
        else:
            ended = jnp.asarray(ends_episode(setting.task.unit, ruled.ruling))
            state = dataclasses.replace(
                self._continued(state, ruled, ended, key),
                terminated=ended,
                truncated=~ended & (state.strokes >= setting.max_strokes),
            )
        winner = scores.winner_of(booked, setting.task.unit, setting.format)
        winner = jnp.where(state.terminated, winner, -1).astype(jnp.int32)
        if setting.reward == "result":
            terms = {"result": terms["result"] + scores.outcome_reward(winner)}
        earned = {name: state.earned[name] + value for name, value in terms.items()}
        return dataclasses.replace(state, earned=earned, winner=winner), booked

    def _continued(self, state: State, ruled: Ruled, ended: jax.Array, key: jax.Array) -> State:
        """The next board, or, alone, the agent's next turn, unless the episode has ``ended``."""
        setting = self.setting
        toss, deal = jax.random.split(key)
        coin = jax.random.randint(toss, (), 0, 2)
        again = ~ended & (ruled.ruling.board_over | ruled.ruling.board_replayed)
        match = select(
            again, next_board(state.match, format=setting.format, toss=coin), state.match
        )
        if setting.task.solo:
            passed = ~ended & ~again & (match.board.seat != AGENT_SEAT)
            match = select(passed, returned_to(AGENT_SEAT, match), match)
        side = (match.board.seat + match.rotation) % 4
        return dataclasses.replace(
            state,
            match=match,
            positions=jnp.where(again, self.racked(deal, side), state.positions),
            on_board=again | state.on_board,
        )

    def _asked(self, state: State, wanted: jax.Array) -> tuple[State, jax.Array]:
        """Ask for the next strike, if it is ``wanted``: find its line.

        Returns:
            The state with it, and whether there is one, bool (); true if none is wanted.
        """
        side = side_of_board(state, state.match.board.seat)
        seen = in_frame_of(side, state.positions)
        free = self.lines.on(jnp.int32(0), seen, state.on_board).any()

        def search(found: _Found) -> _Found:
            line, free = self.lines.first_free(found[2], found[3])
            return line, free, *found[2:]

        middle = (jnp.zeros_like(state.line), free, seen, state.on_board)
        line, free, *_ = seldom(search)(wanted & ~free, middle)
        return dataclasses.replace(state, line=jnp.where(wanted, line, state.line)), free | ~wanted

    def racked(self, key: jax.Array, side: jax.Array) -> jax.Array:
        """A new board facing a ``side`` of the board, float32 (19, 2), board frame."""
        setting = self.setting
        return starts.rack(key, side, setting.board, setting.packing, setting.orientation)

    @property
    def _reward(self) -> str:
        return cast(str, self.setting.reward)  # ``Functional`` refuses functions

    def term_names(self) -> tuple[str, ...]:
        """The names of the reward terms."""
        format, task = self.setting.format, self.setting.task

        def terms() -> scores.Terms:
            match = starts.match_from(jnp.int32(0), format)
            booked = self.nothing_booked(match)
            return scores.stroke_terms(match, booked, self._reward, task, format)

        return tuple(jax.eval_shape(terms))

    def nothing_booked(self, match: MatchState) -> Booked:
        """What is booked before the first stroke: it means nothing."""
        facts = jax.tree.map(jnp.asarray, StrokeFacts.shot())
        told = functools.partial(rule, format=self.setting.format)
        _, ruling = jax.eval_shape(told, match, facts)
        nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), ruling)
        return Booked(match.board.seat, facts, nothing, match)


class _Open(NamedTuple):
    """A stroke or incident that is being ruled on.

    Attributes:
        open: bool (), whether there is something to rule on at all.
        state: before the ruling, with the discs where they came to rest.
        facts: what the umpire is told.
        laid: bool (), what goes back has been laid, as far as there was room.
        booked: the stroke, if it is not this one.
        key: of new boards.
    """

    open: jax.Array
    state: State
    facts: StrokeFacts
    laid: jax.Array
    booked: Booked
    key: jax.Array


_Found = tuple[jax.Array, jax.Array, jax.Array, jax.Array]
