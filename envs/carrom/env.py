"""The Gymnasium environment: one agent; whoever else plays belongs to the environment."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from carrom.decision import Answer
from carrom.drawing import POSITION_RATE, RENDER_MODES, Drawing, film_rate_of
from carrom.errors import ConfigError, FactsError
from carrom.info import reset_info, step_info
from carrom.laws import Event, StrokeFacts, check
from carrom.layout import Layout
from carrom.options import Options
from carrom.play import advance, begin, report
from carrom.render.diagram import Diagram, diagram
from carrom.replay.recording import replay_of
from carrom.replay.replay import Replay
from carrom.table import Stroke, Table
from carrom.tasks import AGENT_SEAT
from carrom.view import View

Step = tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class EnvState:
    """Everything that decides how an environment goes on; see ``CarromEnv.get_state``."""

    table: Table | None
    rng: np.random.Generator


class CarromEnv(gym.Env[NDArray[np.float32], Any]):
    """Carrom by the AICF laws on MuJoCo physics.

    ## Description

    Two players, or two pairs with ``doubles=True``, strike in turns from the sides of a
    regulation board. The umpire rules on every stroke by the laws of carrom: dues and
    penalties, queen and cover, the endings of a board, games of 25 points, matches of three
    games. A step is one decision of the agent, nearly always a stroke, together with all
    that the others do until the agent has to decide again; a player who keeps the turn
    strikes again. The agent sits on seat 0; in doubles its partner is opposite.

    | id | episode |
    |---|---|
    | ``CarromShot-v0`` | one stroke from a random mid-game position |
    | ``CarromSolo-v0`` | one board alone, in as few strokes as possible: a lost turn returns |
    | ``CarromBoard-v0`` | one board against an opponent |
    | ``Carrom-v0`` | one game: 25 points, or the lead after eight boards |
    | ``CarromMatch-v0`` | best of three games |

    ## Action space

    ``action_coding="direct"``: ``Box(-1, 1, (3,), float32)``.

    | index | meaning | -1 | 0 | 1 |
    |---|---|---|---|---|
    | 0 | place of the striker on the base line | left end, -0.235 m | middle | right end |
    | 1 | direction, counter-clockwise | straight back | straight ahead | straight back |
    | 2 | speed | 0.25 m/s | half way | full force, 5 m/s |

    ``action_coding="target"``: ``Dict(shot=Discrete(40), residual=Box(-1, 1, (3,)))``:
    carromman and pocket ``4 * carromman + pocket`` (carrommen 0 to 8 own, 9 the queen;
    pockets counter-clockwise from the near right one), and what to change about the direct
    shot that pockets it: place (by half the base line), direction (by 10 degrees), speed
    (by a factor of 2). ``carrom.action.shot_mask(observation)`` tells which carrommen are
    there.

    With ``striker_placing="snap"`` a place where the striker may not stand means the nearest
    where it may. With ``"strict"`` it is played and ruled upon: an improper stroke (130), or
    a foul if a carromman is in the way (134). The action (or the residual) then has a fourth
    number: how far the striker stands off the middle between the base lines, from 5 cm
    back (-1) to 5 cm towards the board's centre (1); and speed -1 is none at all: a slip that
    leaves no line is no stroke, and the clock runs on (127.b).

    By the options ``due_placing``, ``claims`` and ``toss`` more than strikes can be decided.
    An action is then a ``Dict`` with a part for each kind of decision, of which the one that
    ``info["decision"]`` names counts:

    | part | space | meaning |
    |---|---|---|
    | ``strike`` | as above | a strike |
    | ``place`` | ``Box(-1, 1, (2,))`` | where a due is laid: x, y in my frame, in 0.1 m |
    | ``waive`` | ``Discrete(2)`` | 1: dues and penalties are forgiven, all or none (87.a) |
    | ``claim`` | ``Discrete(3)`` | extra points that are claimed (87.b) |
    | ``toss`` | ``Discrete(2)`` | 1: takes the break, 0: the side (39) |

    What is laid where it must not lie (85, 86, 89.b, 114) is laid as near as it may, and a
    foul charged. With ``illegal_placing="masked"`` ``place`` is ``Discrete(n + 2)`` instead, and
    ``waive`` is not there: n places of a grid (``carrom.answering.place_grid``), then "as the
    scripted player would", then "waive"; ``info["action_mask"]`` says which are legal, and
    ``action_space.sample(info["action_mask"])`` samples a legal action.

    ## Observation space

    ``Box((74,), float32)``, seen from the agent's seat: its base line is at negative y.

    | index | meaning | unit | low | high |
    |---|---|---|---|---|
    | 3 i, 3 i + 1 | x, y of carromman i; 0 if off the board | m | -0.3683 | 0.3683 |
    | 3 i + 2 | carromman i is on the board | - | 0 | 1 |
    | 57 - 60 | queen: on the board, awaiting my cover, mine, theirs (one-hot) | - | 0 | 1 |
    | 61 | I may pocket and cover the queen (92, 95) | - | 0 | 1 |
    | 62, 63 | dues and penalties owed by me, by them | carrommen | 0 | 9 |
    | 64, 65 | my score, theirs, in this game | points | 0 | 36 |
    | 66, 67 | games won by me, by them | games | 0 | 2 |
    | 68 | board number in this game | - | 0 | 49 |
    | 69 | I play white | - | 0 | 1 |
    | 70 | the break is still to be made (44) | - | 0 | 1 |
    | 71 | attempts at the break I have failed (45) | - | 0 | 3 |
    | 72 | consecutive turns without a touch (137) | turns | 0 | 12 |
    | 73 | I have already struck in this turn | - | 0 | 1 |

    Carromman i is own for i = 0 to 8, the opponent's for 9 to 17, the queen for 18. In
    doubles "I" is the pair wherever something belongs to the pair.

    ``Box((91,), float32)`` where more than strikes is decided, or there is a time limit: what
    is asked (74 - 77: strike, place, claim, toss), whom (78 - 81: me, on my right, opposite,
    on my left), who has the turn (82 - 85), whether the carromman to be laid is of my colour
    (86), how many there are (87), whether they may be forgiven (88), how many extra points
    can be claimed (89), and the share of the time that is used up (90).

    ## Rewards

    ``reward="aicf"`` is dense and in points; over a board its terms sum to points won minus
    points lost, whatever happened on the way.

    | term | paid for | points |
    |---|---|---|
    | ``pocketed`` | each carromman pocketed: own, opponent's | +1, -1 |
    | ``returned`` | each wrongly pocketed carromman that comes out: own, opponent's | -1, +1 |
    | ``due`` | each due charged: to me, to the opponent | -1, +1 |
    | ``penalty`` | each penalty charged: to me, to the opponent | -1, +1 |
    | ``waived`` | each due or penalty forgiven: to me, to the opponent | +1, -1 |
    | ``queen`` | the queen pocketed, lost again (opponent: reversed) | +1.5, -1.5 |
    | ``cover`` | the queen covered (opponent: reversed) | +1.5 |
    | ``board`` | a board ends: its points less what was paid so far | |
    | ``stroke`` | ``CarromSolo-v0`` only: each stroke | -1 |

    ``"points"`` pays a board's points when it ends, ``"result"`` +1 or -1 when the episode
    is won or lost. A callable ``(stroke) -> {term: value}`` pays what it says for every stroke,
    a ``carrom.Stroke``, of all players: ``stroke.own`` are the agent's.
    ``info["reward_terms"]`` itemises every reward.

    ## Starting state

    ``CarromShot-v0``: one to nine carrommen of either colour at random, with or without the
    queen, the agent to strike. Otherwise the rack (41.a), jittered from the episode's seed.
    The winner of the toss chooses to break, or the side, so that the others break (39), by
    the option ``toss``; ``first`` settles it without a toss. If others break, ``reset`` plays
    until the agent's turn. ``start``, a callable ``(board, rng) -> carrom.Position``, begins
    anywhere else (``carrom.position_from`` makes one of a ``Layout``); nobody tosses then.

    ## Episode end

    Terminated when the stroke, board, game or match is over by the laws; truncated after
    ``max_strokes`` strokes of all players, since turns can loop for ever. A board that is
    void (137, 140, 142) is replayed within the episode; 140 also covers a stroke whose physics
    diverged, which ends a ``CarromShot-v0`` truncated and without reward. A callable ``ends``,
    ``(stroke) -> bool``, terminates it after any stroke besides. Should the opponent
    finish before the agent has had a turn, the agent's first step, whatever its action,
    reports it.

    ## Info

    | key | meaning |
    |---|---|
    | ``ruling`` | the umpire's sentences, stroke by stroke |
    | ``facts`` | what the agent's stroke did, see below |
    | ``reward_terms`` | the reward, itemised |
    | ``strokes`` | how many strokes were played since the last step |
    | ``failures`` | how many of them diverged; ``Stroke.failure.dump`` replays each |
    | ``result`` | at the end: ``winner`` and ``points``, see below |
    | ``toss`` | from ``reset``, if there was one: ``winner`` and ``choice`` |
    | ``decision``, ``action_mask`` | where more than strikes is decided, see above |

    ``env.unwrapped.last_strokes`` gives those strokes in full, as ``carrom.table.Stroke``:
    whose, strike, positions, motion, facts, ruling, and what was laid back where.

    ``facts`` holds ``pocketed_own`` and ``pocketed_opponent`` (counts), ``pocketed_queen``,
    ``pocketed_striker``, ``touched`` and ``proper``. ``result["winner"]`` is "own",
    "opponent" or None; ``result["points"]``, own and the opponent's, are the points of the
    board, the score of the game, or the games won.

    ## Arguments

    | name | default | meaning |
    |---|---|---|
    | ``opponent`` | "random" | name of a player, or a callable ``(view, rng) -> Strike`` |
    | ``doubles`` | False | four players; ``opponent`` plays both opponents |
    | ``partner`` | "random" | in doubles, as ``opponent`` |
    | ``action_coding`` | "direct" | or "target" |
    | ``striker_placing`` | "snap" | or "strict" |
    | ``noise`` | "none" | execution noise of all players: none, master, expert, club, beginner |
    | ``reward`` | "aicf" | or "points", "result", a callable ``(stroke) -> {term: value}`` |
    | ``first`` | "random" | who breaks first: random (by toss), agent, opponent |
    | ``toss`` | "break" | what its winner takes: break, side, or "agent": he decides (39) |
    | ``due_placing`` | "scripted" | dues are laid where they hurt most, or by the "agent" |
    | ``illegal_placing`` | "charged" | or "masked", see above |
    | ``claims`` | "always" | extra points are claimed: always, never, or by the "agent" |
    | ``time_limit_s`` | None | seconds for a decision; the laws say 15 (46, 50, 88.a) |
    | ``clock`` | "wall" | or "step": a second for each slip of the striker, nothing else |
    | ``board_limit`` | 8 | boards of a game (56.a), or None as in late rounds (A11) |
    | ``rack`` | "tight" | or "loose" |
    | ``rack_orientation`` | 0 | turn of the rack, rad (the laws leave it free) |
    | ``max_strokes`` | by task | strokes after which the episode is truncated |
    | ``physics`` | "mujoco" | or "planar": the same model on the fast engine |
    | ``ground`` | "coulomb" | or "contact": ground friction by MuJoCo's own contacts, slow |
    | ``film_rate`` | None | frames per second of ``Stroke.motion.trajectory`` |
    | ``start`` | None | or a callable ``(board, rng) -> Position``, where episodes begin |
    | ``ends`` | None | or a callable ``(stroke) -> bool``, what else ends them |
    | ``record`` | False | keep every stroke, for ``replay()`` |
    | ``board``, ``material`` | regulation, nominal | ``carrom.Board``, ``carrom.Material`` |
    | ``render_mode`` | None | "rgb_array", "rgb_array_list", "depth_array", "human" or "ansi" |
    | ``width``, ``height`` | 480 | size of pictures, pixels |
    | ``camera`` | "top" | or "perspective", "player", "broadcast" |
    | ``shadows`` | True | without them a small picture takes a tenth of the time |

    In mode "rgb_array_list" strokes are filmed, 30 pictures to a second or as ``film_rate`` says,
    and ``render`` gives all pictures since its last call or the ``reset``
    (``carrom.record_video.RecordVideo`` makes a film of them).

    What is late is a foul if it is a stroke (63, 64), otherwise the right is lost (87.a). A
    player with a method ``decide(view, rng) -> Answer`` is asked like the agent; others are
    scripted. What no stroke shows (conceding, fouls of the body) is told by ``report``.

    Raises:
        ConfigError: an unknown name or a value out of range.
        ActionError: from ``step``, an action outside the action space, or a masked one.
        RenderError: from ``render``, no OpenGL back end works, or no display for "human".

    ## Version history

    * v0: initial version
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- as Gymnasium declares it
        "render_modes": list(RENDER_MODES),
        "render_fps": POSITION_RATE,
    }

    def __init__(
        self,
        task: str,
        *,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        camera: str = "top",
        shadows: bool = True,
        **options: Any,
    ) -> None:
        self.render_mode = render_mode
        options["film_rate"] = film_rate_of(render_mode, options)
        chosen = Options.of(task, options)
        self.setting = chosen.setting()
        self.coding = chosen.coding()
        self._physics = chosen.new_physics()
        self.observation_space = self.setting.observation_space()
        self.action_space = self.coding.space()
        self.last_strokes: tuple[Stroke, ...] = ()
        self._table: Table | None = None
        self._drawing = Drawing(
            self.setting.board,
            render_mode,
            width=width,
            height=height,
            camera=camera,
            shadows=shadows,
            film_rate=chosen.film_rate,
        )
        self.metadata = self.metadata | {"render_fps": self._drawing.fps}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; see the class. There are no ``options``."""
        if options:
            raise ConfigError(f"reset options = {options!r}: expected none")
        super().reset(seed=seed)
        (self._table,) = begin(self.setting, self._physics, [self.np_random])
        self.last_strokes = tuple(self._table.played)
        info = reset_info(self._table, self.coding)
        self._drawing.begin()
        self._show()
        return self.setting.observe(self._table.view), info

    def step(self, action: Any) -> Step:
        """Play the stroke that ``action`` codes, and the opponent's answer."""
        return self.answer(self.coding.decode(action, self.view()))

    def answer(self, answer: Answer) -> Step:
        """As ``step``, for a strike, or another decision, that is not coded as an action."""
        table = self._table_to_step()
        advance(self._physics, [table], [answer])
        return self._stepped(table)

    def report(self, facts: StrokeFacts | Event) -> Step:
        """Tell the umpire of something that no stroke shows, when it is the agent's to strike.

        This is how everything comes about that the simulated striker cannot do: conceding
        (139), fouls of the body (122, 126), an early break (47), pieces that jump (65).

        Args:
            facts: what happened, or an event without a stroke. Carrommen that they say were
                pocketed or jumped are those of the lowest indices.

        Returns:
            As ``step``.

        Raises:
            FactsError: they contradict the position, or are none.
            ActionError: another decision has to be taken first.
        """
        table = self._table_to_step()
        if isinstance(facts, Event):
            facts = StrokeFacts.without_stroke(facts)
        if not isinstance(facts, StrokeFacts):
            raise FactsError(f"facts = {facts!r}: expected StrokeFacts or an Event")
        if table.over:
            raise FactsError("facts after the end of the episode: call step() or reset()")
        check(table.position.match, facts, format=self.setting.format)
        report(self._physics, table, AGENT_SEAT, facts)
        return self._stepped(table)

    def _table_to_step(self) -> Table:
        table = self._table_in_play()
        if table.reported:
            raise ResetNeeded("The episode is over: call reset() before the next step.")
        return table

    def _stepped(self, table: Table) -> Step:
        self.last_strokes = tuple(table.played)
        info, reward = step_info(table, self.coding)
        self._show()
        observation = self.setting.observe(table.view)
        return observation, reward, table.terminated, table.truncated, info

    def view(self) -> View:
        """The position as the agent sees it."""
        return self._table_in_play().view

    def layout(self) -> Layout:
        """Where the carrommen lie, in the board's frame."""
        return self._table_in_play().standing.layout

    def get_state(self) -> EnvState:
        """A snapshot: after ``set_state`` the environment goes on exactly as from here.

        It holds the position, the match, the random streams and the counters, and can be
        pickled. It does not hold the options: restore it into an environment made alike.
        """
        table = self._table.snapshot() if self._table else None
        return EnvState(table, copy.deepcopy(self.np_random))

    def set_state(self, state: EnvState) -> None:
        """Go on from a snapshot taken by ``get_state``; the snapshot can be used again.

        Raises:
            ConfigError: it is no snapshot, or one of another task or of other decisions.
        """
        if not isinstance(state, EnvState):
            raise ConfigError(f"state = {state!r}: expected what get_state() returns")
        if state.table is not None and not self.setting.goes_on_from(state.table.setting):
            raise ConfigError(
                "state: expected one of the same task, of singles or doubles alike, and with the "
                "same decisions"
            )
        self.last_strokes = ()
        self._table = state.table.snapshot() if state.table else None
        self.np_random = copy.deepcopy(state.rng)

    def render(self) -> Any:
        """The position as it stands: a picture, text, or nothing in mode "human".

        Returns:
            uint8 (height, width, 3) in mode "rgb_array"; a list of them, all since the last call
            or the reset, in "rgb_array_list"; float32 (height, width), distances from the camera
            along its axis in m, in "depth_array"; a string in "ansi".
        """
        return self._drawing.render(self.layout(), self._table_in_play().nets)

    def diagram(self, **options: Any) -> Diagram:
        """The position as it stands, drawn without OpenGL; see ``carrom.render.diagram``."""
        return diagram(self, **options)

    def replay(self, names: Mapping[int, str] | None = None) -> Replay:
        """The replay of this episode so far; see ``carrom.replay.recording.replay_of``."""
        return replay_of(self._table_in_play(), self._physics, names)

    def close(self) -> None:
        """Close windows and free what drawing holds."""
        self._drawing.close()

    def _table_in_play(self) -> Table:
        if self._table is None:
            raise ResetNeeded("There is no episode yet: call reset() first.")
        return self._table

    def _show(self) -> None:
        table = self._table_in_play()
        self._drawing.show(self.last_strokes, self.layout(), table.nets)
        # Nobody's time runs while a film is shown.
        table.start_thinking()
