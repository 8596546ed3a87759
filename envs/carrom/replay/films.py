"""A replay's strokes with their films, by simulating them again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from carrom.errors import CarromError, ConfigError, PhysicsError
from carrom.physics.motion import Motion
from carrom.replay.replay import Engine, Replay
from carrom.table import Stroke


def filmed(replay: Replay, rate: float = 60.0) -> Iterator[Stroke]:
    """Every stroke and incident in order, those that moved anything with a film.

    Args:
        replay: to be shown.
        rate: frames per second.

    Raises:
        ConfigError: as ``film_of``.
    """
    engine = replay.new_engine()
    for number in range(1, len(replay.strokes) + 1):
        yield film_of(replay, number, rate, engine)


def film_of(
    replay: Replay, number: int, rate: float = 60.0, engine: Engine | None = None
) -> Stroke:
    """One stroke with its film; without one if nothing moved.

    Other versions of the engine may differ in the last bits, which a film does not show. What
    fell has to be the same, or the film would not be of what the umpire ruled on.

    Args:
        replay: that holds it.
        number: of the stroke, from 1.
        rate: frames per second.
        engine: to play on; a new one of the replay's kind if not given.

    Raises:
        ConfigError: there is no such stroke, or here other discs fall than in the replay.
    """
    if not 1 <= number <= len(replay.strokes):
        raise ConfigError(f"stroke {number}: expected 1 to {len(replay.strokes)}")
    stroke = replay.strokes[number - 1]
    if stroke.motion is None or stroke.strike is None:
        return stroke
    engine = replay.new_engine() if engine is None else engine
    before = stroke.before
    side = before.side_of_board(stroke.seat)
    try:
        here = engine.play(before.layout, stroke.strike, side, trajectory_rate=rate)
    except PhysicsError as error:
        # Its message speaks of a dump that only whoever caught it could save.
        raise ConfigError(f"stroke {number} cannot be played here: its physics diverged") from error
    except CarromError as error:
        raise ConfigError(f"stroke {number} cannot be played here: {error}") from error
    if _fallen(here) != _fallen(stroke.motion):
        raise ConfigError(
            f"stroke {number}: here {_fallen(here)} fall (disc, pocket), in the replay "
            f"{_fallen(stroke.motion)}; verify it to see where the two part"
        )
    motion = dataclasses.replace(stroke.motion, trajectory=here.trajectory)
    return dataclasses.replace(stroke, motion=motion)


def _fallen(motion: Motion) -> list[tuple[int, int]]:
    return [(fall.index, fall.pocket) for fall in motion.pocketed]
