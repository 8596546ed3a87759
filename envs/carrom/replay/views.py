"""What players of a replay saw."""

from __future__ import annotations

from carrom.decision import STRIKE_NOW
from carrom.errors import ConfigError
from carrom.options import Options
from carrom.replay.replay import Replay
from carrom.table import view_of
from carrom.view import View


def view_before(replay: Replay, number: int) -> View:
    """The position before stroke ``number`` as its player saw it, to strike in time.

    Args:
        replay: that holds it.
        number: of the stroke, from 1.

    Raises:
        ConfigError: there is no such stroke.
    """
    count = len(replay.strokes)
    if not 1 <= number <= count:
        raise ConfigError(f"stroke = {number!r}: expected 1 to {count}")
    stroke = replay.strokes[number - 1]
    setting = Options.of("match", {"board": replay.board, "doubles": replay.format.doubles})
    return view_of(setting.setting(), stroke.before, stroke.seat, STRIKE_NOW)
