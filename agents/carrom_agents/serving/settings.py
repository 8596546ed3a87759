"""What a game is opened with."""

from __future__ import annotations

from dataclasses import dataclass

from carrom.errors import ConfigError, one_of
from carrom.physics.noise import execution_noise

TASKS = ("board", "game", "match")
BREAKERS = ("first", "second", "toss")
LARGEST_SEED = 2**31
_LONGEST_NAME = 30


@dataclass(frozen=True)
class GameSettings:
    """A game of singles between two sides.

    Attributes:
        players: names of the computing players of the first side and the second; None where a
            person plays.
        names: what the sides are called.
        task: of ``TASKS``.
        noise: level of execution noise of both, also of a person.
        breaks: who breaks first; by the toss (39), or one of the sides, who then sits where the
            winner of the toss does.
        seed: of rack, toss, errors of the hand, and players.
        max_strokes: after which the game is cut off; None for the task's own.

    Raises:
        ConfigError: an unknown task, level or breaker, a seed out of range, or a name that
            cannot be shown.
    """

    players: tuple[str | None, str | None]
    names: tuple[str, str]
    task: str = "board"
    noise: str = "expert"
    breaks: str = "first"
    seed: int = 0
    max_strokes: int | None = None

    def __post_init__(self) -> None:
        one_of("task", self.task, TASKS)
        one_of("breaks", self.breaks, BREAKERS)
        execution_noise(self.noise)
        if not 0 <= self.seed < LARGEST_SEED:
            raise ConfigError(f"seed = {self.seed!r}: expected 0 to {LARGEST_SEED - 1}")
        for name in self.names:
            # What is not printable also turns text round, or cannot be encoded.
            if not (name.strip() and name.isprintable() and len(name) <= _LONGEST_NAME):
                raise ConfigError(
                    f"name {name!r:.60}: expected 1 to {_LONGEST_NAME} printable characters"
                )
