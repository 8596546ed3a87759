"""Films of an environment, by Gymnasium's wrapper, with every moment of every stroke.

env = gymnasium.make("CarromBoard-v0", opponent="aimer", render_mode="rgb_array_list")
env = RecordVideo(env, "films")
"""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym

from carrom.errors import ConfigError


class RecordVideo(gym.wrappers.RecordVideo[Any, Any]):
    """As ``gymnasium.wrappers.RecordVideo``, which takes only the last picture of a step.

    A step of carrom is a whole stroke and the answers to it. In render mode "rgb_array_list"
    the environment gives all their pictures, 30 to a second or as ``film_rate`` says, and all of
    them are recorded. Arguments are those of Gymnasium's; a ``video_length`` counts pictures.

    Raises:
        ConfigError: another render mode.
        gymnasium.error.DependencyNotInstalled: MoviePy is missing (the extra ``video``).
    """

    def __init__(self, env: gym.Env[Any, Any], video_folder: str, **options: Any) -> None:
        if env.render_mode != "rgb_array_list":
            raise ConfigError(f"render_mode = {env.render_mode!r}: expected 'rgb_array_list'")
        super().__init__(env, video_folder, **options)

    def _capture_frame(self) -> None:
        # Gymnasium's own would keep the last of these only; what it does besides, to give them
        # to whoever calls render() as well, is done here as it does it.
        frames: Any = self.env.render()
        self.render_history += frames
        room = self.video_length + 1 - len(self.recorded_frames)
        self.recorded_frames += frames[: int(min(room, len(frames)))]

    def stop_recording(self) -> None:
        """Write the film; Gymnasium's ends it only when it has a picture too many."""
        if self.video_length != math.inf:
            self.recorded_frames = self.recorded_frames[: self.video_length]
        super().stop_recording()
