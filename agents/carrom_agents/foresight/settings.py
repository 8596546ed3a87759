"""Everything that defines a training by expert iteration."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from carrom.errors import ConfigError, one_of
from carrom.physics.noise import NOISE_LEVELS
from carrom_agents import strict_yaml
from carrom_agents.config import Checked, LeagueConfig, LoggingConfig, bounded

ITERATION_FILE = "iteration.yaml"
"""Name of the file, in a run folder, with the resolved configuration."""
_GREATEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class ForesightConfig(Checked):
    """Size of the network."""

    width: int = bounded(96, 2)
    """Features of a position and of a strike."""
    pair_width: int = bounded(32, 1)
    """Features of a carromman as a strike passes it."""


@dataclass(frozen=True)
class LessonsConfig(Checked):
    """How boards are played, and strikes rehearsed."""

    boards: int = bounded(64, 1)
    """Boards played side by side."""
    strokes: int = bounded(40, 1)
    """Strokes of each of them between two rounds of learning."""
    candidates: int = bounded(64, 2)
    """Strikes rehearsed in each position."""
    rehearsals: int = bounded(4, 1)
    """How often each is played, with errors of the hand."""
    expert_share: float = bounded(0.4, 0.0, 1.0)
    """Share of the sides that would be the network's and play what rehearsed best instead."""
    exploration: float = bounded(0.1, 0.0, 1.0)
    """Share of those sides' strokes that are drawn from the better ones instead."""
    due_placing: Literal["scripted", "agent"] = "scripted"
    """Whether dues are laid where they hurt most, or by what whoever lays them thinks that the
    position is then worth; the aimer leaves it to the script."""
    temperature: float = bounded(0.3, 1e-3)
    """Points by which a strike drawn so is worse, roughly."""


@dataclass(frozen=True)
class StudyConfig(Checked):
    """How the network learns from lessons."""

    memory: int = bounded(150_000, 1)
    """Positions that are kept: the newest."""
    minibatch: int = bounded(32, 1)
    """Positions of a gradient step, with all their strikes."""
    passes: float = bounded(12.0, 1e-3)
    """Gradient steps of a round, in passes over as many positions as the round brought; at least
    one step."""
    learning_rate: float = bounded(2e-3, 0.0, 1.0)
    """Adam's step size at the start."""
    final_learning_rate: float = bounded(2e-5, 0.0, 1.0)
    """Step size at the end; half a cosine in between."""
    max_gradient_norm: float = bounded(1.0, 1e-6)
    """Longer gradients are shortened to this."""


@dataclass(frozen=True)
class MatchConfig(Checked):
    """Whom the trained player meets at the end, on MuJoCo."""

    boards: int = bounded(100, 0)
    """Boards against each, half of them with the other side breaking; 0 for none."""
    opponents: tuple[str, ...] = ("aimer", "banker")
    """Names of players, or run folders."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.opponents)) < len(self.opponents):
            raise ConfigError(f"opponents = {list(self.opponents)}: expected none twice")
        if self.boards % 2:
            raise ConfigError(
                f"evaluation.boards = {self.boards}: expected an even number, as every start is "
                "played twice with the break swapped"
            )


@dataclass(frozen=True)
class IterationConfig(Checked):
    """A training by expert iteration."""

    name: str = "league"
    """Start of the run folder's name."""
    seed: int = bounded(0, 0, _GREATEST_SEED)
    """The one source of all randomness."""
    rounds: int = bounded(60, 1)
    """Rounds of lessons, each followed by learning."""
    static_rounds: int = bounded(6, 0)
    """First rounds in which the planner's static worth says what a stroke leaves; from then on
    the network's own value does."""
    noise: str = "expert"
    """Execution noise: how exactly strikes are carried out."""
    workers: int = bounded(2, 1)
    """Processes that name candidates; the results do not depend on it."""
    network: ForesightConfig = ForesightConfig()
    lessons: LessonsConfig = LessonsConfig()
    study: StudyConfig = StudyConfig()
    league: LeagueConfig = field(
        default_factory=lambda: LeagueConfig(
            snapshots=4, snapshot_every_updates=5, self_share=0.6, aimer_share=0.05
        )
    )
    """Who is met, self and former selves; updates are rounds here."""
    evaluation: MatchConfig = MatchConfig()
    logging: LoggingConfig = field(default_factory=LoggingConfig)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("noise", self.noise, NOISE_LEVELS)
        if not re.fullmatch(r"[\w.+-]+", self.name):
            raise ConfigError(f"name = {self.name!r}: expected letters, digits and . _ + -")


def load_iteration(path: Path) -> IterationConfig:
    """The training that a YAML file describes.

    Raises:
        ConfigError: missing file, unknown key, wrong type or bad value: says which and where.
    """
    return strict_yaml.load(IterationConfig, path)
