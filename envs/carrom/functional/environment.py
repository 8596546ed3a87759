"""The game as pure functions: one board to be written down, many to be computed."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp

from carrom.action import ACTION_CODINGS
from carrom.board import Board
from carrom.errors import ConfigError, one_of
from carrom.functional import codings, starts
from carrom.functional.codings import Action
from carrom.functional.lines import Lines
from carrom.functional.motion import Play, player_on, streams_for
from carrom.functional.opponents import Player, random_player
from carrom.functional.select import select
from carrom.functional.sight import Sight, sight_of
from carrom.functional.state import Booked, Outcome, State, Strike, Transition
from carrom.functional.umpiring import Umpire
from carrom.laws.state import side_of
from carrom.observation import encode_position
from carrom.options import Options
from carrom.physics.material import Material, randomisation_range
from carrom.physics.planar.lanes import Parameters
from carrom.pieces import N_CARROMMEN
from carrom.reward import REWARDS
from carrom.table import Setting
from carrom.tasks import AGENT_SEAT, Unit

OVERLAPS = ("springs", "impulses")
Step = Callable[[State, Action, jax.Array], tuple[State, Transition]]


@dataclass(frozen=True)
class Functional:
    """Carrom on the planar engine as pure functions, for training that stays on the device.

    The same game as ``carrom.CarromEnv``: the same laws, codings, rewards and observations. The
    same strike comes to the same with ``physics="planar"`` there, to rounding, which impacts
    magnify: of strokes in the drill 5 to 15 in 100 end more than a millimetre apart.
    All functions are written for one board; ``jax.vmap`` them for many: strokes, placings and
    searches then go through programs made for batches. Instances are hashable and static.

    ```python
    env = Functional("board")
    reset, step = jax.jit(jax.vmap(env.reset)), jax.jit(jax.vmap(env.step))
    state, observation = reset(jax.random.split(key, 256))
    state, transition = step(state, actions, jax.random.split(key, 256))
    ```

    A step is ``decode``, ``make`` (noise), ``play`` (physics) and ``settle`` (umpire, placing,
    what comes next), then the strokes of the others until the agent has to strike again. The
    parts are public: a rollout that lets a policy strike for whoever has the turn, or that
    refills lanes at rest, is made of them.

    Placing is scripted, extra points are claimed, and the striker snaps to the nearest free
    place. Contacts that overlap in time are springs, as in the planar engine itself, unless
    ``overlaps`` says otherwise; in the drill, which has no break, they always are impulses. NaN
    in an action spoils the physics of that stroke, and its board is void (140).

    Attributes:
        task: "shot", "solo", "board", "game" or "match".
        doubles: four players instead of two.
        opponent: plays for the other side, ``(sight, key) -> Strike``; the scripted aimer, for
            instance, is ``carrom_agents.device.aimer.aimer``.
        partner: in doubles, plays opposite the agent.
        action_coding: "direct" or "target".
        noise: execution noise of all players.
        reward: "aicf", "points" or "result".
        first: who breaks first: "random", "agent" or "opponent".
        board_limit: boards of a game (56.a), or None.
        rack: "tight" or "loose".
        rack_orientation: turn of the rack, rad.
        max_strokes: strokes after which an episode is truncated; None for the task's own.
        overlaps: what contacts are that overlap in time: "springs", or, one after the other,
            "impulses". Then no program with springs is compiled, which saves 7 of 32 s, and
            512 whole boards of random strokes make 12,900 instead of 5,500 strokes a second on
            a core; but a break of a tight rack, straight and at full force, pockets 0.13
            carrommen instead of 0.48.
        board: dimensions.
        material: friction, restitution, capture.
        randomised_material: whether each episode draws the physics from the materials' ranges;
            aiming and full speed stay those of ``material``.

    Raises:
        ConfigError: an unknown name or a value out of range.
    """

    task: str
    doubles: bool = False
    opponent: Player = random_player
    partner: Player = random_player
    action_coding: str = "direct"
    noise: str = "none"
    reward: str = "aicf"
    first: str = "random"
    board_limit: int | None = 8
    rack: str = "tight"
    rack_orientation: float = 0.0
    max_strokes: int | None = None
    overlaps: str = "springs"
    board: Board = field(default_factory=Board)
    material: Material = field(default_factory=Material)
    randomised_material: bool = False

    def __post_init__(self) -> None:
        one_of("action_coding", self.action_coding, ACTION_CODINGS)
        one_of("overlaps", self.overlaps, OVERLAPS)
        one_of("reward", self.reward, REWARDS)
        if not isinstance(self.randomised_material, bool):
            raise ConfigError(
                f"randomised_material = {self.randomised_material!r}: expected True or False"
            )
        for name in ("opponent", "partner"):
            if not callable(getattr(self, name)):
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r}: expected a callable (sight, key) -> Strike"
                )
        self._setting  # noqa: B018 -- raises the errors of the options

    @functools.cached_property
    def _setting(self) -> Setting:
        named = ("doubles", "noise", "reward", "first", "board_limit", "rack", "rack_orientation")
        more = ("max_strokes", "board", "material")
        options = {name: getattr(self, name) for name in (*named, *more)}
        return Options.of(self.task, options).setting()

    @functools.cached_property
    def _lines(self) -> Lines:
        return Lines.of(self.board)

    @functools.cached_property
    def _umpire(self) -> Umpire:
        return Umpire(self._setting, self._lines)

    @functools.cached_property
    def _play(self) -> Play:
        springs = self._setting.task.unit is not Unit.STROKE and self.overlaps == "springs"
        return player_on(self.board, streams_for(springs=springs))

    # ---- whole steps -----------------------------------------------------------------

    def reset(self, key: jax.Array) -> tuple[State, jax.Array]:
        """Begin an episode, up to the agent's first decision.

        Returns:
            The state and the agent's observation, float32 (74,). Should the others have ended
            the episode, the first step, whatever its action, reports it.
        """
        start, others = jax.random.split(key)
        state = self.others(self.start(start), others)
        return state, self.observe(state)

    def step(self, state: State, action: Action, key: jax.Array) -> tuple[State, Transition]:
        """Play the stroke that ``action`` codes, and the others' until the agent's next.

        Once the episode is over nothing changes any more; there is no autoreset (see
        ``autoreset``).

        Args:
            state: in which it is the agent's turn, or which is over.
            action: of the coding, see ``carrom.functional.codings``.
            key: of everything random: noise, the others, new boards.
        """
        before = state.strokes
        strike = self.decode(state, action)
        if self.alone:
            state, booked = self.stroke(state, strike, key, ~state.over)
        else:
            state, booked = self._round(state, strike, ~state.over, key)
        terms = state.earned
        transition = Transition(
            observation=self.observe(state),
            reward=jnp.sum(jnp.stack(list(terms.values()))),
            terminated=state.terminated,
            truncated=state.truncated,
            terms=terms,
            winner=state.winner,
            strokes=state.strokes - before,
            booked=booked,
        )
        return dataclasses.replace(state, earned=jax.tree.map(jnp.zeros_like, terms)), transition

    def others(self, state: State, key: jax.Array) -> State:
        """The strokes of the others, until the agent has to strike or the episode is over."""
        if self.alone:
            return state
        nothing = Strike(*(jnp.float32(0) for _ in Strike._fields))
        return self._round(state, nothing, jnp.bool_(False), key)[0]

    @property
    def alone(self) -> bool:
        """Whether nobody but the agent ever strikes."""
        return self._setting.task.solo or self._setting.task.unit is Unit.STROKE

    def _round(
        self, state: State, strike: Strike, strikes: jax.Array, key: jax.Array
    ) -> tuple[State, Booked]:
        """The agent's ``strike``, if it ``strikes``, and those of the others until its turn.

        It is one loop, so that a stroke is compiled once.
        """

        def goes_on(carry: _Round) -> jax.Array:
            state, agents, *_ = carry
            return ~state.over & (agents | (state.match.board.seat != AGENT_SEAT))

        def stroke(carry: _Round) -> _Round:
            state, agents, booked, key = carry
            key, decide, play = jax.random.split(key, 3)
            next_strike = select(agents, strike, self._decision(state, decide))
            state, new = self.stroke(state, next_strike, play, goes_on(carry))
            return state, jnp.zeros_like(agents), select(agents, new, booked), key

        start = (state, strikes, self._umpire.nothing_booked(state.match), key)
        state, _, booked, _ = jax.lax.while_loop(goes_on, stroke, start)
        return state, booked

    def _decision(self, state: State, key: jax.Array) -> Strike:
        """What the one of the others decides who has the turn."""
        seat = state.match.board.seat
        sight = self.sight(state, seat)
        strike = self.opponent(sight, key)
        if not self.doubles:
            return strike
        by_partner = self.partner(sight, key)
        partners = seat == (AGENT_SEAT + 2) % 4
        return select(partners, by_partner, strike)

    # ---- their parts -----------------------------------------------------------------

    def start(self, key: jax.Array) -> State:
        """A new episode before its first stroke, whoever has the turn."""
        setting = self._setting
        material, deal, toss = jax.random.split(key, 3)
        if setting.task.unit is Unit.STROKE:
            match, positions, on_board = starts.drill(deal, self.board, self._lines)
        else:
            if setting.task.solo or setting.breaker_side is not None:
                side = AGENT_SEAT if setting.task.solo else setting.breaker_side
                breaker = jnp.int32(setting.format.seats[side or 0])
            else:
                seats = jnp.asarray(setting.format.seats, jnp.int32)
                breaker = jax.random.choice(toss, seats)
            match = starts.match_from(breaker, setting.format)
            positions, on_board = self._umpire.racked(deal, breaker), jnp.ones(N_CARROMMEN, bool)
        no = jnp.bool_(False)
        return State(
            match=match,
            positions=positions,
            on_board=on_board,
            line=jnp.int32(0),
            parameters=self._parameters(material),
            strokes=jnp.int32(0),
            earned={name: jnp.float32(0) for name in self._umpire.term_names()},
            winner=jnp.int32(-1),
            terminated=no,
            truncated=no,
        )

    def sight(self, state: State, seat: jax.Array | int) -> Sight:
        """What the player of ``seat`` sees."""
        return sight_of(state, seat, self._lines, self._setting.format)

    def observe(self, state: State, seat: jax.Array | int = AGENT_SEAT) -> jax.Array:
        """The observation of the player of ``seat``, float32 (74,); see ``carrom.observation``."""
        return encode_position(self.sight(state, seat))

    def side_of(self, seat: jax.Array | int) -> jax.Array:
        """The side, 0 or 1, int32 (), to which ``seat`` belongs."""
        return side_of(jnp.asarray(seat, jnp.int32), doubles=self.doubles)

    def broke(self, state: State, seat: int = AGENT_SEAT) -> jax.Array:
        """Whether the side of ``seat`` broke on this board, bool ()."""
        return self.side_of(state.match.board.breaker_seat) == self.side_of(seat)

    def decode(self, state: State, action: Action) -> Strike:
        """The strike that ``action`` of the player with the turn means.

        Raises:
            ActionError: the action has not the shape or type that the coding asks for.
        """
        sight = self.sight(state, state.match.board.seat)
        return codings.CODINGS[self.action_coding](action, sight, self.board, self.material)

    def stroke(
        self,
        state: State,
        strike: Strike,
        key: jax.Array,
        active: jax.Array | bool = True,
    ) -> tuple[State, Booked]:
        """One stroke by the player with the turn, and what comes of it.

        Args:
            state: in which the episode is not over.
            strike: as he means it.
            key: of noise and new boards.
            active: whether there is a stroke at all; if not, the state stays as it is and
                what is booked means nothing.
        """
        active = jnp.asarray(active)
        noise, settle = jax.random.split(key)
        made = self.make(state, strike, noise)
        return self.settle(state, made, self.play(state, made, active), settle, active)

    def make(self, state: State, strike: Strike, key: jax.Array) -> Strike:
        """The strike as it is made: with execution noise, from the nearest free place."""
        noise = self._setting.noise
        place, direction, speed = jax.random.normal(key, (3,))
        places = self.sight(state, state.match.board.seat).places
        return Strike(
            place=places.nearest(strike.place + noise.place * place),
            direction=strike.direction + noise.direction * direction,
            speed=jnp.maximum(strike.speed * (1 + noise.speed * speed), 0),
            forward=jnp.asarray(self._lines.forward, jnp.float32)[state.line],
        )

    def play(self, state: State, made: Strike, active: jax.Array | bool = True) -> Outcome:
        """What the discs do; means nothing where ``active`` is not set."""
        return self._play(jnp.asarray(active), state, made)

    def settle(
        self,
        state: State,
        made: Strike,
        outcome: Outcome,
        key: jax.Array,
        active: jax.Array | bool = True,
    ) -> tuple[State, Booked]:
        """The umpire's ruling, what goes back, and the position in which it goes on.

        Args:
            state: before the stroke.
            made: the strike as made.
            outcome: of it.
            key: of new boards.
            active: as in ``stroke``.
        """
        return self._umpire.settle(state, made, outcome, key, jnp.asarray(active))

    # ---- small parts -----------------------------------------------------------------

    def _parameters(self, key: jax.Array) -> Parameters:
        """The physics of an episode."""
        names = Parameters._fields
        if not self.randomised_material:
            return Parameters(*(jnp.float32(getattr(self.material, name)) for name in names))
        low, high = jnp.asarray([randomisation_range(name) for name in names]).T
        return Parameters(*jax.random.uniform(key, (len(names),), minval=low, maxval=high))


_Round = tuple[State, jax.Array, Booked, jax.Array]


def autoreset(env: Functional) -> Step:
    """``env.step`` with which an episode that is over is followed by the next at once.

    The transition is the last of its episode; the state is the first of the next one, and
    ``env.observe(state)`` what to act on.
    """

    def step(state: State, action: Action, key: jax.Array) -> tuple[State, Transition]:
        play, begin, others = jax.random.split(key, 3)
        state, transition = env.step(state, action, play)
        state = select(state.over, env.start(begin), state)
        return env.others(state, others), transition

    return step
