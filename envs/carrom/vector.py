"""The vector environment: many boards, played together on the cores there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from carrom.boards import Boards
from carrom.decision import ANSWERS, Answer
from carrom.drawing import discs_of
from carrom.env import CarromEnv
from carrom.errors import ActionError, ConfigError
from carrom.options import Options
from carrom.render.picture import BoardRenderer
from carrom.replay.replay import Replay
from carrom.table import Stroke
from carrom.view import View
from carrom.workers import BoardWorker, BoardWorkers, NewBoards, SharedBoards, in_processes

__all__ = ["BoardWorker", "BoardWorkers", "CarromVectorEnv", "NewBoards"]

Observations = NDArray[np.float32]
Flags = NDArray[np.bool_]
Step = tuple[Observations, NDArray[np.float64], Flags, Flags, dict[str, Any]]


class CarromVectorEnv(gym.vector.VectorEnv[Observations, Any, NDArray[Any]]):
    """``num_envs`` independent boards; each behaves as a ``CarromEnv`` of its own would.

    Board i of a reset with seed s is, to the last bit, the ``CarromEnv`` reset with seed
    s + i, whatever the number of boards and workers, over any number of autoresets.

    Args:
        num_envs: number of boards, N.
        task: as in ``CarromEnv``; given by the id.
        autoreset_mode: what happens on a board whose episode is over: "NextStep" (the next
            step ignores its action and resets it), "SameStep" (it is reset at once; the
            last observation and info are in ``infos["final_obs"]`` and ``["final_info"]``)
            or "Disabled" (reset it with ``options={"reset_mask": mask}``).
        workers: processes among which the boards are shared out; 1 plays them here. More
            gain nearly a core each, but take some seconds to start and need a main module
            that can be imported (``if __name__ == "__main__":``). This replaces Gymnasium's
            ``vectorization_mode="async"``, which needs ``vector_kwargs={"context": "spawn"}``
            here, as in every program in which JAX has started.
        board_workers: makes the workers, where they are to be something else than processes
            of this machine; see ``BoardWorkers``.
        render_mode: None, or "rgb_array": one picture per board.
        width: of a picture, pixels.
        height: of a picture, pixels.
        camera: as in ``CarromEnv``.
        shadows: as in ``CarromEnv``.
        **options: as in ``CarromEnv``.

    Raises:
        ConfigError: an unknown name or a value out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- as Gymnasium declares it
        "render_modes": ["rgb_array"],
        "render_fps": CarromEnv.metadata["render_fps"],
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        task: str,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        workers: int = 1,
        board_workers: BoardWorkers | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        camera: str = "top",
        shadows: bool = True,
        **options: Any,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("workers", workers)):
            if not (isinstance(value, int) and value > 0):
                raise ConfigError(f"{name} = {value!r}: expected a positive whole number")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f"render_mode = {render_mode!r}: expected None or 'rgb_array'")
        try:
            self._autoreset = AutoresetMode(autoreset_mode)
        except ValueError:
            raise ConfigError(
                f"autoreset_mode = {autoreset_mode!r}: expected one of "
                f"{[mode.value for mode in AutoresetMode]}"
            ) from None
        self.metadata = self.metadata | {"autoreset_mode": self._autoreset}
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._picture = {"width": width, "height": height, "camera": camera, "shadows": shadows}
        chosen = Options.of(task, options)
        self.setting = chosen.setting()
        self.coding = chosen.coding()
        self.single_observation_space = self.setting.observation_space()
        self.single_action_space = self.coding.space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        if workers == 1 and board_workers is None:
            self._boards = Boards(chosen, num_envs)
        else:
            self._boards = SharedBoards(
                NewBoards(chosen), num_envs, min(workers, num_envs), board_workers or in_processes
            )
        # None before the first reset; afterwards, which episodes have been reported over.
        self._over: Flags | None = None
        size = self.setting.observation_size
        self._observations = np.zeros((num_envs, size), np.float32)
        # Made now so that a bad size or camera is refused now; it draws nothing yet.
        self._renderer: BoardRenderer | None = BoardRenderer(self.setting.board, **self._picture)

    # Gymnasium's own vector environments also give one generator and one seed per board,
    # although their base class is typed for a single one.
    @property
    def np_random(self) -> Any:
        """The generator of each board, a tuple."""
        return tuple(self._boards.generators())

    @np_random.setter
    def np_random(self, value: Any) -> None:
        raise ConfigError("np_random of a vector environment: expected reset(seed=...) instead")

    @property
    def np_random_seed(self) -> Any:
        """The seed of each board, a tuple; -1 for a board that has not been reset."""
        return tuple(self._boards.seeds())

    @property
    def last_strokes(self) -> list[tuple[Stroke, ...]]:
        """The strokes of the last step, or reset, on each board."""
        return self._boards.last_strokes()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: an integer s seeds board i with s + i; a sequence seeds each board; None
                lets the boards go on with their generators.
            options: ``{"reset_mask": mask}``, bool (N,), resets only the boards it names.

        Returns:
            Observations (N, D) of all boards, and infos of those that were reset.

        Raises:
            ConfigError: wrong number of seeds, or a bad mask.
        """
        unknown = set(options or {}) - {"reset_mask"}
        if unknown:
            raise ConfigError(f"reset options {sorted(unknown)}: expected only 'reset_mask'")
        seeds = self._checked_seeds(seed)
        mask = self._checked_mask((options or {}).get("reset_mask"))
        if self._over is None and not mask.all():
            raise ResetNeeded("There are no episodes yet: reset all boards first.")
        which = np.flatnonzero(mask).tolist()
        infos = self._restart(which, [seeds[index] for index in which], {})
        return self._observations.copy(), infos

    def step(self, actions: Any) -> Step:
        """Play one decision on each board; see ``CarromEnv.step``.

        Args:
            actions: a batch of the action space.

        Raises:
            ActionError: an action outside the action space, except on a board that this step
                resets and whose action is therefore ignored. Nothing is played then.
        """
        try:
            batch = list(iterate(self.action_space, actions))
        except (TypeError, ValueError, KeyError, AttributeError):
            batch = []
        if len(batch) != self.num_envs:
            raise ActionError(
                f"actions = {actions!r}: expected a batch of {self.num_envs} actions, one per board"
            )
        return self._step(batch)

    def answer(self, answers: Sequence[Answer]) -> Step:
        """As ``step``, for decisions that are not coded as actions, one per board."""
        if len(answers) != self.num_envs:
            raise ActionError(f"{len(answers)} answers: expected {self.num_envs}, one per board")
        return self._step(answers)

    def views(self) -> list[View]:
        """The position of each board as its agent sees it."""
        self._reported_over()
        return self._boards.views()

    def _step(self, decisions: Sequence[Any]) -> Step:
        """Play, and reset what the autoreset mode says."""
        over = self._reported_over()
        if self._autoreset is AutoresetMode.DISABLED and over.any():
            boards = np.flatnonzero(over).tolist()
            raise ResetNeeded(f"The episodes of boards {boards} are over: reset them first.")
        which = np.flatnonzero(~over).tolist()
        uncoded = [isinstance(decisions[index], ANSWERS) for index in which]
        for index, is_answer in zip(which, uncoded, strict=True):
            if not is_answer:
                self.coding.check(decisions[index])
        if self.coding.can_refuse or any(uncoded):
            self._boards.check([decisions[index] for index in which], which)
        at_once = self._autoreset is AutoresetMode.SAME_STEP
        steps = self._boards.step([decisions[index] for index in which], which, at_once)
        infos = self._restart(np.flatnonzero(over).tolist(), [None] * int(over.sum()), {})
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        for index, step in zip(which, steps, strict=True):
            rewards[index] = step.reward
            terminated[index], truncated[index] = step.terminated, step.truncated
            observation, info = step.observation, step.info
            if step.next_start is not None:
                final = {"final_obs": step.observation, "final_info": step.info}
                observation, info = step.next_start
                info = final | info
            self._observations[index] = observation
            infos = self._add_info(infos, info, index)
        self._over = (terminated | truncated) & (not at_once)
        return self._observations.copy(), rewards, terminated, truncated, infos

    def _restart(
        self, which: Sequence[int], seeds: Sequence[int | None], infos: dict[str, Any]
    ) -> dict[str, Any]:
        """Begin new episodes on the boards ``which``; the infos with theirs added."""
        over = np.zeros(self.num_envs, bool) if self._over is None else self._over
        for index, (observation, info) in zip(which, self._boards.reset(seeds, which), strict=True):
            self._observations[index] = observation
            infos = self._add_info(infos, info, index)
            over[index] = False
        self._over = over
        return infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each board, uint8 (height, width, 3)."""
        if self.render_mode is None:
            gym.logger.warn("render() without a render mode: pass render_mode to make_vec().")
            return None
        self._reported_over()
        if self._renderer is None:
            self._renderer = BoardRenderer(self.setting.board, **self._picture)
        shown = zip(self._boards.layouts(), self._boards.nets(), strict=True)
        return tuple(self._renderer.render(*discs_of(layout), nets) for layout, nets in shown)

    def replays(self, names: Mapping[int, str] | None = None) -> list[Replay]:
        """The replay of each board's episode in which its last step, or reset, was.

        So after a step that ended an episode it is that of the whole episode, also where the
        next has begun at once. See ``carrom.replay.recording.replay_of``.
        """
        self._reported_over()
        return self._boards.replays(names)

    def close_extras(self, **kwargs: Any) -> None:
        """End the workers and free what drawing holds."""
        self._boards.close()
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = None

    def _reported_over(self) -> Flags:
        if self._over is None:
            raise ResetNeeded("There are no episodes yet: call reset() first.")
        return self._over

    def _checked_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + index for index in range(self.num_envs)]
        if not isinstance(seed, Sequence) or len(seed) != self.num_envs:
            raise ConfigError(
                f"seed = {seed!r}: expected an integer or {self.num_envs} seeds, one per board"
            )
        return list(seed)

    def _checked_mask(self, mask: Any) -> Flags:
        if mask is None:
            return np.ones(self.num_envs, bool)
        good = isinstance(mask, np.ndarray) and mask.dtype == bool
        if not (good and mask.shape == (self.num_envs,) and mask.any()):
            raise ConfigError(
                f"reset_mask = {mask!r}: expected a bool array of shape ({self.num_envs},) "
                "with at least one True"
            )
        return mask
