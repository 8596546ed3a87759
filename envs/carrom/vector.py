"""The vector environment: many boards, played together on the cores there are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from carrom.env import CarromEnv, discs_of
from carrom.errors import ConfigError
from carrom.info import reset_info, step_info
from carrom.observation import SIZE, encode, observation_space
from carrom.options import Options
from carrom.physics.strike import Strike
from carrom.play import advance, begin
from carrom.render.picture import BoardRenderer
from carrom.table import Stroke, Table
from carrom.view import View

Observations = NDArray[np.float32]
Flags = NDArray[np.bool_]
Step = tuple[Observations, NDArray[np.float64], Flags, Flags, dict[str, Any]]


class CarromVectorEnv(gym.vector.VectorEnv[Observations, Any, NDArray[Any]]):
    """``num_envs`` independent boards; each behaves as a ``CarromEnv`` of its own would.

    Board i of a reset with seed s is, to the last bit, the ``CarromEnv`` reset with seed
    s + i, whatever the number of boards and threads, over any number of autoresets.

    Args:
        num_envs: number of boards, N.
        task: as in ``CarromEnv``; given by the id.
        autoreset_mode: what happens on a board whose episode is over: "NextStep" (the next
            step ignores its action and resets it), "SameStep" (it is reset at once; the
            last observation and info are in ``infos["final_obs"]`` and ``["final_info"]``)
            or "Disabled" (reset it with ``options={"reset_mask": mask}``).
        threads: strokes computed at once; None takes the cores this process may use.
        render_mode: None, or "rgb_array": one picture per board.
        width: of a picture, pixels.
        height: of a picture, pixels.
        camera: as in ``CarromEnv``.
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
        threads: int | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        camera: str = "top",
        **options: Any,
    ) -> None:
        for name, value in (("num_envs", num_envs), ("threads", threads)):
            if value is not None and not (isinstance(value, int) and value > 0):
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
        self._picture = {"width": width, "height": height, "camera": camera}
        chosen = Options.of(task, options)
        self.setting = chosen.setting()
        self.coding = chosen.coding()
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        self._physics = chosen.physics(min(threads or cores, num_envs))
        self.single_observation_space = observation_space(self.setting.board)
        self.single_action_space = self.coding.space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self._seeds: list[int] = [-1] * num_envs
        self._tables: list[Table] = []
        self.last_strokes: list[tuple[Stroke, ...]] = [()] * num_envs
        self._renderer: BoardRenderer | None = None

    # Gymnasium's own vector environments also give one generator and one seed per board,
    # although their base class is typed for a single one.
    @property
    def np_random(self) -> Any:
        """The generator of each board, a tuple."""
        return tuple(self._generator(index, None) for index in range(self.num_envs))

    @np_random.setter
    def np_random(self, value: Any) -> None:
        self._generators = list(value)

    @property
    def np_random_seed(self) -> Any:
        """The seed of each board, a tuple; -1 for a board that has not been reset."""
        return tuple(self._seeds)

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
            Observations (N, 74) of all boards, and infos of those that were reset.

        Raises:
            ConfigError: wrong number of seeds, or a bad mask.
        """
        seeds = self._checked_seeds(seed)
        mask = self._checked_mask((options or {}).get("reset_mask"))
        if not self._tables and not mask.all():
            raise ResetNeeded("There are no episodes yet: reset all boards first.")
        chosen = np.flatnonzero(mask).tolist()
        begun = begin(self.setting, self._physics, [self._generator(i, seeds[i]) for i in chosen])
        if not self._tables:
            self._tables = begun
        infos: dict[str, Any] = {}
        for index, table in zip(chosen, begun, strict=True):
            self._tables[index] = table
            infos = self._add_info(infos, reset_info(table), index)
        return self._observations(), infos

    def step(self, actions: Any) -> Step:
        """Play one decision on each board; see ``CarromEnv.step``.

        Args:
            actions: a batch of the action space.

        Raises:
            ActionError: an action outside the action space, except on a board that this step
                resets and whose action is therefore ignored.
        """
        batch = list(iterate(self.action_space, actions))
        if len(batch) != self.num_envs:
            raise ConfigError(f"{len(batch)} actions: expected {self.num_envs}, one per board")
        tables = self._in_play()
        return self._step(
            [
                None if self._to_be_reset(table) else self.coding.decode(action, table.view)
                for action, table in zip(batch, tables, strict=True)
            ]
        )

    def strike(self, strikes: Sequence[Strike]) -> Step:
        """As ``step``, for strikes that are not coded as actions, one per board."""
        if len(strikes) != self.num_envs:
            raise ConfigError(f"{len(strikes)} strikes: expected {self.num_envs}, one per board")
        tables = self._in_play()
        return self._step(
            [
                None if self._to_be_reset(table) else strike
                for strike, table in zip(strikes, tables, strict=True)
            ]
        )

    def views(self) -> list[View]:
        """The position of each board as its agent sees it."""
        return [table.view for table in self._in_play()]

    def _step(self, strikes: Sequence[Strike | None]) -> Step:
        """Play where there is a strike, reset where there is none."""
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), bool)
        infos: dict[str, Any] = {}
        played = [i for i, strike in enumerate(strikes) if strike is not None]
        if self._autoreset is AutoresetMode.DISABLED:
            over = [i for i in played if self._tables[i].reported]
            if over:
                raise ResetNeeded(f"The episodes of boards {over} are over: reset them first.")
        advance(
            self._physics,
            [self._tables[i] for i in played],
            [strike for strike in strikes if strike is not None],
        )
        self.last_strokes = [
            () if strike is None else tuple(table.played)
            for strike, table in zip(strikes, self._tables, strict=True)
        ]
        final: dict[int, dict[str, Any]] = {}
        for index in played:
            table = self._tables[index]
            info, rewards[index] = step_info(table)
            terminated[index], truncated[index] = table.terminated, table.truncated
            if table.over and self._autoreset is AutoresetMode.SAME_STEP:
                final[index] = {"final_obs": encode(table.view), "final_info": info}
            else:
                infos = self._add_info(infos, info, index)
        renewed = sorted({*range(self.num_envs)} - {*played} | {*final})
        begun = begin(self.setting, self._physics, [self._generator(i, None) for i in renewed])
        for index, table in zip(renewed, begun, strict=True):
            self._tables[index] = table
            infos = self._add_info(infos, final.get(index, {}) | reset_info(table), index)
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each board, uint8 (height, width, 3)."""
        if self.render_mode is None:
            gym.logger.warn("render() without a render mode: pass render_mode to make_vec().")
            return None
        if self._renderer is None:
            self._renderer = BoardRenderer(self.setting.board, **self._picture)
        layouts = [table.position.layout for table in self._in_play()]
        return tuple(self._renderer.render(*discs_of(layout)) for layout in layouts)

    def close_extras(self, **kwargs: Any) -> None:
        """Free what drawing holds."""
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = None

    def _observations(self) -> Observations:
        observations = np.empty((self.num_envs, SIZE), np.float32)
        for index, table in enumerate(self._tables):
            observations[index] = encode(table.view)
        return observations

    def _in_play(self) -> list[Table]:
        if not self._tables:
            raise ResetNeeded("There are no episodes yet: call reset() first.")
        return self._tables

    def _to_be_reset(self, table: Table) -> bool:
        return table.reported and self._autoreset is AutoresetMode.NEXT_STEP

    def _generator(self, index: int, seed: int | None) -> np.random.Generator:
        """The generator of a board: a new one if a seed is given or it has none yet."""
        generator = self._generators[index]
        if seed is not None or generator is None:
            generator, self._seeds[index] = seeding.np_random(seed)
            self._generators[index] = generator
        return generator

    def _checked_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + index for index in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ConfigError(f"{len(seed)} seeds: expected {self.num_envs}, one per board")
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
