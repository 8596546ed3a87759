"""Performance profiles: what share of the runs comes to more than a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from carrom.errors import ConfigError
from carrom_agents.plots.style import BAND_OPACITY, colour, dress, new_figure, save
from carrom_agents.statistics import Estimate


def draw_profiles(
    profiles: Mapping[str, Sequence[Estimate]],
    thresholds: Sequence[float],
    target: Path,
    *,
    quantity: str,
) -> Path:
    """Draw performance profiles (Agarwal et al. 2021, https://arxiv.org/abs/2108.13264).

    Args:
        profiles: by label, the share of scores above each of the ``thresholds``.
        thresholds: growing.
        target: the picture to write, .png.
        quantity: what the scores are; the label of the axis.

    Raises:
        ConfigError: no profiles, one that has not as many shares as there are thresholds, or
            a file that cannot be written.
    """
    if not profiles:
        raise ConfigError("no profiles: expected at least one")
    figure = new_figure(6, 4)
    axes = dress(figure.subplots())
    for index, (label, shares) in enumerate(profiles.items()):
        if len(shares) != len(thresholds):
            raise ConfigError(
                f"profile {label!r}: {len(shares)} shares: expected one for each of "
                f"{len(thresholds)} thresholds"
            )
        low, high = ([getattr(share, end) for share in shares] for end in ("low", "high"))
        axes.fill_between(
            thresholds, low, high, color=colour(index), alpha=BAND_OPACITY, step="post", linewidth=0
        )
        axes.step(
            thresholds,
            [share.value for share in shares],
            where="post",
            color=colour(index),
            label=label,
        )
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlabel(quantity)
    axes.set_ylabel("share of runs above")
    axes.legend(title="95 % interval", frameon=False)
    return save(figure, target)
