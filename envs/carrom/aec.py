"""Carrom for PettingZoo: every seat an agent of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo.utils import AECEnv

from carrom.decision import Answer
from carrom.drawing import RENDER_MODES, Drawing, film_rate_of
from carrom.errors import ActionError, ConfigError
from carrom.info import CHOICES, told
from carrom.laws import (
    Event,
    MatchFormat,
    MatchState,
    StrokeFacts,
    concession_by,
    out_of_turn_by,
)
from carrom.layout import Layout
from carrom.options import Options
from carrom.play import advance, begin, check_nothing_else_asked, report
from carrom.replay.recording import replay_of
from carrom.replay.replay import Replay
from carrom.table import Stroke, StrokeReward, Table
from carrom.tasks import Position
from carrom.view import View

_OF_ONE_AGENT = ("opponent", "partner", "first", "max_strokes")
"""Options of ``CarromEnv`` that have no meaning here."""
_SIDES = {"own": "opponent", "opponent": "own", None: None}


class CarromAECEnv(AECEnv[str, NDArray[np.float32], Any]):
    """Carrom in which every seat is an agent: two in singles, four in doubles.

    Agents act one at a time, whoever has to decide next: usually the player with the turn, who
    keeps it while he pockets. There is no parallel version (``is_parallelizable`` is False):
    nobody ever acts at the same time as another.

    ``player_0``, ``player_1``, ... sit counter-clockwise; in doubles ``player_0`` and
    ``player_2`` are partners. Observation and actions are those of ``carrom.CarromEnv``, the
    observation always with the request (``Box((91,), float32)``), seen from the agent's seat.
    All agents see the same table, as the laws have it; there is no channel between partners
    (131).

    With ``due_placing="agent"``, ``claims="agent"`` or ``toss="agent"``, the agents also lay
    the dues that are theirs to lay (78.b), claim extra points and choose after the toss. The
    action space is then a ``Dict``, and ``info["action_mask"]`` is what
    ``action_space(agent).sample(mask)`` takes.

    Rewards are the own side's, and the other side's negative, at every moment. With
    ``reward="result"`` (the default) the rewards that an agent gets from ``last()`` sum to 1
    for a match won, -1 for one lost.

    Args:
        doubles: four agents in two pairs.
        task: "match", "game" or "board".
        reward: "result", "points" or "aicf"; or a callable, as in ``carrom.CarromEnv``, which
            says what a stroke earns the side of ``player_0``.
        max_cycles: strokes of all agents after which the episode is truncated; by task if
            not given.
        render_mode: as in ``carrom.CarromEnv``.
        width: of a picture, pixels.
        height: of a picture, pixels.
        camera: as in ``carrom.CarromEnv``.
        shadows: as in ``carrom.CarromEnv``.
        **options: as in ``carrom.CarromEnv``; there is no opponent, partner or first.

    Raises:
        ConfigError: an unknown name or a value out of range.

    Version history:
        v0: initial version.
    """

    def __init__(
        self,
        *,
        doubles: bool,
        task: str = "match",
        reward: str | StrokeReward = "result",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        camera: str = "top",
        shadows: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        for name in _OF_ONE_AGENT:
            if name in options:
                raise ConfigError(f"option {name!r}: expected none where every seat is an agent")
        if task not in ("match", "game", "board"):
            raise ConfigError(f"task = {task!r}: expected 'match', 'game' or 'board'")
        options["film_rate"] = film_rate_of(render_mode, options)
        options |= {"doubles": doubles, "reward": reward, "max_strokes": max_cycles}
        chosen = Options.of(task, options)
        self.setting = chosen.setting(outside=frozenset(range(4)))
        self.coding = chosen.coding()
        self._physics = chosen.new_physics()
        self.render_mode = render_mode
        self._drawing = Drawing(
            self.setting.board,
            render_mode,
            width=width,
            height=height,
            camera=camera,
            shadows=shadows,
            film_rate=chosen.film_rate,
        )
        self.metadata = {
            "name": "carrom_doubles_v0" if doubles else "carrom_singles_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": self._drawing.fps,
            "is_parallelizable": False,
        }
        self._seats = {f"player_{i}": seat for i, seat in enumerate(self.setting.format.seats)}
        self._names = {seat: name for name, seat in self._seats.items()}
        self.possible_agents = list(self._seats)
        self.agents = []
        # One space each: they are seeded one by one.
        self.observation_spaces = {
            agent: self.setting.observation_space() for agent in self.possible_agents
        }
        self.action_spaces = {agent: self.coding.space() for agent in self.possible_agents}
        self.last_strokes: tuple[Stroke, ...] = ()
        self._rng: np.random.Generator | None = None
        self._table: Table | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; the infos say who won the toss, and what he chose.

        ``options`` are ignored, as PettingZoo's own tests demand.
        """
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        (self._table,) = begin(self.setting, self._physics, [self._rng])
        self._drawing.begin()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._book()
        toss = self._table.toss
        if toss is not None:
            choice = CHOICES[toss.takes_break]
            for info in self.infos.values():
                info["toss"] = {"winner": self._names[toss.winner], "choice": choice}

    def observe(self, agent: str) -> NDArray[np.float32]:
        """What ``agent`` sees now, float32 (91,)."""
        return self.setting.observe(self._table_in_play().view_from(self._seats[agent]))

    def step(self, action: Any) -> None:
        """Take the decision of ``agent_selection``."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.answer(self.coding.decode(action, self.view()))

    def answer(self, answer: Answer) -> None:
        """As ``step``, for a strike, or another decision, that is not coded as an action.

        Raises:
            ActionError: an answer to another question than was asked, or the episode is over.
        """
        table = self._table_in_play()
        if table.over:
            raise ActionError(f"answer = {answer!r}: expected none, the episode is over")
        self._cumulative_rewards[self.agent_selection] = 0.0
        advance(self._physics, [table], [answer])
        self._book()

    def step_as(self, agent: str, action: Any) -> None:
        """Let any agent strike, whether it is his turn or not.

        Who strikes out of turn loses the board (51). For whose turn it is, this is ``step``.
        Here as in ``concede`` the agent that was to act has not acted: its ``last()`` goes on
        giving all that it earned since its own last ``step``, also what was read before.

        Args:
            agent: who strikes.
            action: as in ``step``; out of turn, what it would have been does not matter.

        Raises:
            ActionError: no such agent is playing, or, out of turn, the player whose decision
                it is has something else to decide than a strike.
        """
        if agent == self.agent_selection:
            self.step(action)
            return
        self.coding.check(action)
        self._tell(agent, out_of_turn_by)

    def concede(self, agent: str, *, match: bool = False) -> None:
        """Let any agent give up the game, or the match, for his side (139).

        Raises:
            ActionError: no such agent is playing, or something else than a strike is to be
                decided first.
        """
        self._tell(agent, lambda *who: concession_by(*who, match=match))

    def _tell(self, agent: str, event_of: Callable[[int, MatchState, MatchFormat], Event]) -> None:
        """Let the umpire know what ``agent`` does when nobody has asked him."""
        if agent not in self.agents:
            raise ActionError(f"agent = {agent!r}: expected one of {self.agents}")
        table, seat = self._table_in_play(), self._seats[agent]
        check_nothing_else_asked(table)
        event = event_of(seat, table.position.match, self.setting.format)
        report(self._physics, table, seat, StrokeFacts.without_stroke(event))
        self._book()

    def view(self) -> View:
        """What the agent sees that has to decide."""
        return self._table_in_play().view

    def position(self) -> Position:
        """Discs and match as they stand."""
        return self._table_in_play().standing

    def layout(self) -> Layout:
        """Where the carrommen lie, in the board's frame."""
        return self._table_in_play().standing.layout

    def render(self) -> Any:
        """The position as it stands; see ``carrom.CarromEnv.render``."""
        return self._drawing.render(self.layout(), self._table_in_play().nets)

    def replay(self, names: Mapping[int, str] | None = None) -> Replay:
        """The replay of this episode so far; see ``carrom.replay.recording.replay_of``."""
        return replay_of(self._table_in_play(), self._physics, names or self._names)

    def close(self) -> None:
        """Close windows and free what drawing holds."""
        self._drawing.close()

    def _table_in_play(self) -> Table:
        assert self._table is not None, "reset() comes first"
        return self._table

    def _book(self) -> None:
        """Give out what was earned and said, and select whoever decides next."""
        table = self._table_in_play()
        self.last_strokes = tuple(table.played)
        terms, strokes = table.take_step()
        own_info = told(table, self.coding, strokes) | {"reward_terms": terms}
        reward, infos = float(sum(terms.values())), (own_info, _turned_round(own_info))
        for agent in self.agents:
            side = self.setting.side_of(self._seats[agent])
            self.rewards[agent] = -reward if side else reward
            self.terminations[agent] = table.terminated
            self.truncations[agent] = table.truncated
            self.infos[agent] = infos[side]
        self._accumulate_rewards()
        if table.decision is None:
            self._deads_step_first()
        else:
            self.agent_selection = self._names[table.decision.seat]
        self._drawing.show(self.last_strokes, self.layout(), table.nets)
        # Nobody's time runs while a film is shown.
        table.start_thinking()


def _turned_round(info: dict[str, Any]) -> dict[str, Any]:
    """The report as the other side gets it."""
    turned = info | {"reward_terms": {name: -x for name, x in info["reward_terms"].items()}}
    if "result" in info:
        own, opponent = info["result"]["points"]
        winner = _SIDES[info["result"]["winner"]]
        turned["result"] = {"winner": winner, "points": (opponent, own)}
    return turned
