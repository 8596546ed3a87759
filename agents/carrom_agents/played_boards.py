"""Boards that a player plays, and what each comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from carrom.decision import Answer
from carrom.env import CarromEnv
from carrom.opponents import Player, answer_of
from carrom.physics.strike import Strike
from carrom.tasks import AGENT_SEAT
from carrom.view import View
from carrom_agents.episode import episode
from carrom_agents.practice import practice_env
from carrom_agents.shot_kinds import FILM_RATE
from carrom_agents.shot_rates import CalledShot, called


@dataclass(frozen=True)
class PlayedBoard:
    """What one board came to, from the player's side.

    Attributes:
        won: he won it, or his pair did; a board that was cut off is not won.
        lost: he lost it.
        points: won less lost.
        strokes: of both players.
        dues: dues and penalties charged to him.
        opponent_dues: the same of the opponent.
        queen: he covered the queen.
        broke: the first stroke was his.
        slam: a white slam of his (27.a).
        shots: his strokes, not his partner's, if that was looked at.
    """

    won: bool
    lost: bool
    points: int
    strokes: int
    dues: int
    opponent_dues: int
    queen: bool
    broke: bool
    slam: bool
    shots: tuple[CalledShot, ...]


@dataclass(eq=False)
class _Remembering:
    """The player, whose last strike is remembered as he meant it."""

    player: Player

    def __call__(self, view: View, rng: np.random.Generator, /) -> Strike:
        self.meant = self.player(view, rng)
        return self.meant

    def decide(self, view: View, rng: np.random.Generator, /) -> Answer:
        return answer_of(self.player, view, rng)


def shots_of(boards: Iterable[PlayedBoard]) -> list[CalledShot]:
    """The player's strokes on all the boards."""
    return [shot for board in boards for shot in board.shots]


def played_boards(
    task: str, player: Player, starts: range, shot_kinds: bool, **options: Any
) -> Iterator[PlayedBoard]:
    """Play boards.

    Args:
        task: id of an environment whose episodes are boards.
        player: plays as the agent.
        starts: seeds.
        shot_kinds: film the player's strokes, and see what each was meant to be.
        **options: of the environment.

    Yields:
        What the board of each start comes to.

    Raises:
        ConfigError: a bad option.
    """
    aside = None
    if shot_kinds:
        options["film_rate"] = FILM_RATE
        aside = practice_env(**_of_practice(options))
    env = gym.make(task, disable_env_checker=True, **options).unwrapped
    assert isinstance(env, CarromEnv)
    for start in starts:
        remembering = _Remembering(player)
        steps, shots = [], []
        for played, info in episode(env, remembering, start):
            steps.append((played, info))
            own = [s for s in played if s.seat == AGENT_SEAT and s.motion is not None]
            shots += [
                called(aside, stroke, remembering.meant) for stroke in own if aside is not None
            ]
        strokes = [stroke for played, _ in steps for stroke in played]
        result = steps[-1][1].get("result", {"winner": None, "points": (0, 0)})
        yield PlayedBoard(
            won=result["winner"] == "own",
            lost=result["winner"] == "opponent",
            points=result["points"][0] - result["points"][1],
            strokes=len(strokes),
            dues=sum(stroke.charged for stroke in strokes if stroke.own),
            opponent_dues=sum(stroke.charged for stroke in strokes if not stroke.own),
            queen=any(stroke.covers_queen for stroke in strokes if stroke.own),
            broke=strokes[0].own,
            slam=any(bool(stroke.ruling.white_slam) for stroke in strokes if stroke.own),
            shots=tuple(shots),
        )
    env.close()


def _of_practice(options: dict[str, Any]) -> dict[str, Any]:
    """The options that strokes played once more, as they were meant, have in common."""
    return {
        name: options[name]
        for name in ("film_rate", "physics", "ground", "board", "material", "striker_placing")
        if name in options
    }
