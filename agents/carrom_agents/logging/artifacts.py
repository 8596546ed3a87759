"""What came of something that is no training, to those who look on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from carrom_agents.config import WandbMode
from carrom_agents.logging.weights_and_biases import open_wandb


def log_artifacts(
    mode: WandbMode,
    folder: Path,
    name: str,
    files: Sequence[Path],
    warn: Callable[[str], None],
    *,
    config: Mapping[str, Any],
    metrics: Mapping[str, float],
    project: str = "carrom-rl",
) -> None:
    """Show files and numbers on Weights & Biases, as a run of its own; a failure is told of.

    Args:
        mode: of Weights & Biases; disabled does nothing.
        folder: into which it writes; its name is the run's.
        name: of what the files are together.
        files: that exist.
        warn: is given a sentence about what has failed.
        config: shown with the run.
        metrics: by name.
        project: that the run belongs to.
    """
    if mode == "disabled":
        return
    try:
        logger = open_wandb(mode, project, folder, config, warn)
        logger.log(0, metrics)
        logger.log_artifacts(name, files)
        logger.close()
    except Exception as error:  # what is shown has been made all the same
        warn(f"wandb: {' '.join(str(error).split()) or type(error).__name__}")
