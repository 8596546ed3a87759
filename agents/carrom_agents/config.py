"""Everything that defines an experiment, as frozen dataclasses.

Files in ``configs/`` and the command line fill them in; a run folder keeps the resolved
one. The texts under the fields are the command line's help.
"""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from carrom.errors import ConfigError
from carrom_agents import strict_yaml

SELF = "self"
"""Name of the opponent that plays with the parameters being trained, as it explores."""
LEAGUE = "league"
"""Name of the opponents of a league: oneself, the aimer, and former selves."""

WandbMode = Literal["online", "offline", "disabled"]


def bounded(default: Any, low: float, high: float = math.inf) -> Any:
    """A field whose value, or each of whose values, lies between ``low`` and ``high``."""
    return dataclasses.field(default=default, metadata={"range": (low, high)})


@dataclass(frozen=True)
class Checked:
    """Refuses values outside the range that a field declares."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if "range" not in field.metadata:
                continue
            low, high = field.metadata["range"]
            value = getattr(self, field.name)
            for number in value if isinstance(value, tuple) else (value,):
                if number is None or (low <= number <= high and number != math.inf):
                    continue
                wanted = f"{low:g} to {high:g}"
                if math.isinf(high):
                    finite = "a finite number, " if number == high else ""
                    wanted = f"{finite}at least {low:g}"
                raise ConfigError(f"{field.name} = {value!r}: expected {wanted}")


@dataclass(frozen=True)
class EnvConfig(Checked):
    """Which environment is played, and how many copies of it at once."""

    id: str = "CarromShot-v0"
    """Gymnasium id."""
    physics: Literal["mujoco", "planar"] = "mujoco"
    """The engine; with planar the rollouts are compiled, too, and stay on the device."""
    num_envs: int = bounded(256, 2)
    """Environments played side by side."""
    workers: int = bounded(1, 1)
    """Processes that share the environments of mujoco; the results do not depend on it."""
    action_coding: Literal["target", "direct"] = "target"
    """A carromman and a pocket with residuals, or three plain numbers."""
    noise: str = "expert"
    """Execution noise: how exactly strikes are carried out."""
    opponent: str = "random"
    """Who sits opposite, where there is one; planar: also self, league, or a run folder."""
    doubles: bool = False
    """Two pairs; what learns plays both seats of one with the same parameters (planar only)."""
    reward: str = "aicf"
    """Reward preset."""
    max_strokes: int | None = bounded(None, 1)
    """Strokes after which an episode is truncated; the environment's own limit if unset."""

    def options(self) -> dict[str, Any]:
        """The keywords by which ``gymnasium.make`` makes this environment."""
        return {
            "action_coding": self.action_coding,
            "noise": self.noise,
            "opponent": self.opponent,
            "doubles": self.doubles,
            "reward": self.reward,
            "max_strokes": self.max_strokes,
        }


@dataclass(frozen=True)
class NetworkConfig(Checked):
    """Size of the actor-critic, and how widely it explores at first."""

    width: int = bounded(64, 1)
    """Features of a carromman, of a shot and of the position."""
    place_width: int = bounded(16, 1)
    """Features of a shot from one place."""
    initial_std: tuple[float, float, float] = bounded((0.05, 0.03, 0.15), 1e-4, 1.0)
    """Standard deviations of the three action numbers at the start."""


@dataclass(frozen=True)
class PpoConfig(Checked):
    """Proximal policy optimisation (Schulman et al. 2017, https://arxiv.org/abs/1707.06347)."""

    rollout_length: int = bounded(8, 1)
    """Steps of each environment between updates."""
    epochs: int = bounded(4, 1)
    """Passes over each rollout."""
    minibatches: int = bounded(8, 1)
    """Parts that a rollout is cut into in each pass."""
    learning_rate: float = bounded(1e-3, 0.0, 1.0)
    """Adam's step size at the start."""
    final_learning_rate: float = bounded(1e-4, 0.0, 1.0)
    """Step size at the end; linear in between."""
    discount: float = bounded(0.99, 0.0, 1.0)
    """gamma."""
    trace: float = bounded(0.95, 0.0, 1.0)
    """lambda of generalised advantage estimation."""
    clip: float = bounded(0.2, 1e-3, 1.0)
    """How far the probability ratio may usefully move from one."""
    value_coefficient: float = bounded(0.5, 0.0)
    """Weight of the value loss."""
    entropy_coefficient: float = bounded(0.003, 0.0)
    """Weight of the entropy at the start."""
    final_entropy_coefficient: float = bounded(0.0, 0.0)
    """Weight of the entropy at the end; linear in between."""
    max_gradient_norm: float = bounded(0.5, 1e-6)
    """Longer gradients are shortened to this."""
    target_kl: float | None = bounded(0.05, 1e-6)
    """A pass that finds the policy farther than this from the old one ends the update."""


@dataclass(frozen=True)
class LeagueConfig(Checked):
    """Who is met in a league (``env.opponent: league``), and how often."""

    snapshots: int = bounded(8, 1)
    """Former selves that are kept; of more, the easiest one goes."""
    snapshot_every_updates: int = bounded(20, 1)
    """Updates between snapshots."""
    self_share: float = bounded(0.4, 0.0, 1.0)
    """Share of the episodes against oneself; without snapshots, theirs, too."""
    aimer_share: float = bounded(0.2, 0.0, 1.0)
    """Share against the aimer, to whom the ratings refer."""
    priority: float = bounded(1.0, 0.0)
    """A snapshot is met in proportion to this power of the share it wins."""
    memory: float = bounded(0.95, 0.0, 1.0)
    """Weight of earlier results, per update."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.self_share + self.aimer_share > 1:
            raise ConfigError(
                f"league.self_share = {self.self_share}, league.aimer_share = "
                f"{self.aimer_share}: expected at most 1 together"
            )


@dataclass(frozen=True)
class EvaluationConfig(Checked):
    """What is measured while training and at the end."""

    every_updates: int = bounded(20, 1)
    """Updates between evaluations of the most probable action."""
    positions: int = bounded(256, 2)
    """Positions of each evaluation while training."""
    final_positions: int = bounded(1000, 2)
    """Positions in which trained, untrained and random players are compared at the end."""
    boards: int = bounded(0, 0)
    """Boards the trained player plays against the opponent at the end; an even number."""
    video_strokes: int = bounded(8, 0)
    """Strokes of the trained agent to film; 0 for no film, and no page of a board it plays."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.boards % 2:
            raise ConfigError(
                f"boards = {self.boards}: expected an even number, as every start is played "
                "twice with the break swapped"
            )


@dataclass(frozen=True)
class LoggingConfig(Checked):
    """Where the run is kept and who is told about it; but see ``checkpoint_every_updates``."""

    directory: str = "runs"
    """Folder of the run folders."""
    progress: bool = True
    """Show a progress bar."""
    wandb: Annotated[WandbMode, tyro.conf.arg(prefix_name=False)] = "offline"
    """Weights & Biases: offline writes only to the run folder, online needs an API key."""
    wandb_project: str = "carrom-rl"
    """Weights & Biases project."""
    tensorboard: bool = False
    """Also write TensorBoard events (needs the extra `tensorboard`)."""
    checkpoint_every_updates: int = bounded(50, 1)
    """Updates between checkpoints; one is always written at the end. It changes what is learnt:
    environments are reset wherever a checkpoint is due."""


@dataclass(frozen=True)
class ExperimentConfig(Checked):
    """A training run."""

    name: str = "experiment"
    """Start of the run folder's name."""
    seed: int = bounded(0, 0)
    """The one source of all randomness."""
    seeds: int = bounded(1, 1)
    """Runs, of this seed and those after it, trained at once in one program (planar only)."""
    devices: int = bounded(1, 1)
    """Devices that share the boards of a run (planar only)."""
    total_strokes: int = bounded(500_000, 1)
    """Own strokes to train on; rounded up to whole rollouts."""
    start_from: str | None = None
    """Run folder, or checkpoint in one, with whose network and observation statistics the
    training begins."""
    env: EnvConfig = EnvConfig()
    network: NetworkConfig = NetworkConfig()
    ppo: PpoConfig = PpoConfig()
    league: LeagueConfig = LeagueConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    logging: LoggingConfig = LoggingConfig()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(r"[\w.+-]+", self.name):
            raise ConfigError(f"name = {self.name!r}: expected letters, digits and . _ + -")
        planar = self.env.physics == "planar"
        for name, value, only in (
            ("seeds", self.seeds, not planar),
            ("devices", self.devices, not planar),
            ("env.workers", self.env.workers, planar),
        ):
            if only and value != 1:
                raise ConfigError(
                    f"{name} = {value}: expected 1 with env.physics = {self.env.physics!r}"
                )
        if self.env.doubles and not planar:
            raise ConfigError(
                f"env.doubles = True: expected False with env.physics = {self.env.physics!r}"
            )
        if self.rollout_strokes % self.ppo.minibatches:
            raise ConfigError(
                f"ppo.minibatches = {self.ppo.minibatches}: expected a divisor of env.num_envs * "
                f"ppo.rollout_length = {self.rollout_strokes}"
            )
        for name, shared in (
            ("env.num_envs", self.env.num_envs),
            ("the strokes of a minibatch", self.rollout_strokes // self.ppo.minibatches),
        ):
            if shared % self.devices:
                raise ConfigError(
                    f"devices = {self.devices}: expected a divisor of {name} = {shared}"
                )

    @property
    def rollout_strokes(self) -> int:
        """Strokes between two updates."""
        return self.env.num_envs * self.ppo.rollout_length

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return -(-self.total_strokes // self.rollout_strokes)


def load_config(path: Path) -> ExperimentConfig:
    """The experiment that a YAML file describes.

    Raises:
        ConfigError: missing file, unknown key, wrong type or bad value: says which and where.
    """
    return strict_yaml.load(ExperimentConfig, path)


def dump_config(config: ExperimentConfig) -> str:
    """The YAML of ``config``: ``load_config`` of it gives an equal one."""
    return strict_yaml.dump(config)
