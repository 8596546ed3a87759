"""Weights & Biases: offline by default, and never in the way.

Offline nothing leaves the machine, and nothing needs a network. Online a run that cannot begin
in time goes on offline, and one that cannot be sent in time at its end is left on the disk: both
can be sent later with ``wandb sync``.
"""

from __future__ import annotations

import functools
import os
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from carrom.errors import ConfigError
from carrom_agents.config import WandbMode
from carrom_agents.logging.background import InBackground
from carrom_agents.logging.protocol import GLOBAL_STEP, MetricsLogger

_TIMEOUTS = {"WANDB_INIT_TIMEOUT": 20.0, "WANDB_FINISH_TIMEOUT": 30.0}
"""s for an online run to begin, and for the rest to be sent at its end, unless the environment
variables of these names, which are wandb's own, say otherwise."""
_SYNC = "wandb sync --no-skip-online"
"""Sends runs later that were online, and not everything was sent; offline ones, too."""
_SPARE = 15.0
"""s for what needs no network."""
_ID_FILE = "wandb_id.txt"
"""Keeps the id of a run that is online: resumed, it goes on."""


def check_wandb(mode: WandbMode) -> None:
    """Find out, without a network, whether wandb can be used.

    Raises:
        ConfigError: it is to be online and has no API key, or a timeout is no number.
    """
    for name in _TIMEOUTS:
        _timeout(name)
    given = any(os.environ.get(name) for name in ("WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE"))
    # What the environment holds needs no asking: where there is no network, that takes seconds.
    if mode == "online" and not given and not _wandb().login(prompt=False, verify=False):
        raise ConfigError(
            "wandb = 'online' without an API key: set WANDB_API_KEY, run `wandb login`, or "
            "choose --wandb offline"
        )


def open_wandb(
    mode: WandbMode,
    project: str,
    folder: Path,
    config: Mapping[str, Any],
    warn: Callable[[str], None],
) -> MetricsLogger:
    """A run of Weights & Biases that nobody has to wait for.

    Args:
        mode: online or offline.
        project: that it belongs to.
        folder: into which it writes; its name is the run's.
        config: shown with the run.
        warn: is given a sentence when the run cannot be online.
    """
    return InBackground(
        functools.partial(WandbLogger, mode, project, folder, config, warn),
        patience=sum(map(_timeout, _TIMEOUTS)) + _SPARE,
        advice=f"; to send it later: {_SYNC} {folder}/wandb/*run-*",
    )


class WandbLogger(MetricsLogger):
    """A run of Weights & Biases; arguments as for ``open_wandb``."""

    def __init__(
        self,
        mode: WandbMode,
        project: str,
        folder: Path,
        config: Mapping[str, Any],
        warn: Callable[[str], None],
    ) -> None:
        self._folder = folder
        begin = functools.partial(
            _wandb().init,
            project=project,
            name=folder.name,
            group=folder.name,  # what was resumed offline is several runs
            dir=str(folder),
            config=dict(config),
        )
        if mode == "online":
            try:
                self._run = _online(begin, folder / _ID_FILE)
            except Exception as error:  # a network fails in many ways
                reason = " ".join(str(error).split())
                warn(
                    f"wandb cannot be online ({reason}): goes on offline; to send it later: "
                    f"wandb sync {folder}/wandb/offline-run-*"
                )
                mode = "offline"
        if mode == "offline":
            self._run = begin(mode=mode, settings=_settings())
        self._run.define_metric(GLOBAL_STEP)
        self._run.define_metric("*", step_metric=GLOBAL_STEP)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Log against the global step: wandb drops what goes back on its own counter."""
        self._run.log({GLOBAL_STEP: step, **metrics})

    def log_artifacts(self, name: str, files: Sequence[Path]) -> None:
        """Keep the files as an artifact; show films, pictures and pages with the run, too."""
        wandb = _wandb()
        title = re.sub(r"[^\w.-]", "-", f"{self._folder.name}-{name}")
        artifact = wandb.Artifact(title, type=name)
        for file in files:
            # The file stays where it is: copied, it would lie outside the run folder.
            artifact.add_file(str(file), policy="immutable")
        self._run.log_artifact(artifact)
        shown = {
            ".mp4": lambda path: wandb.Video(path, format="mp4"),
            ".png": wandb.Image,
            ".html": lambda path: wandb.Html(path, inject=False),
        }
        media = {
            # A point in a name would part it.
            f"{name}/{file.name.replace('.', '_')}": shown[file.suffix](str(file))
            for file in files
            if file.suffix in shown
        }
        if media:
            self._run.log(media)

    def close(self) -> None:
        """Finish the run.

        Raises:
            TimeoutError: not everything could be sent in time.
        """
        try:
            self._run.finish()
        except Exception as error:
            raise TimeoutError(
                f"not everything was sent ({type(error).__name__}); to send it later: {_SYNC} "
                f"{self._folder}/wandb/run-*"
            ) from error


def _wandb() -> Any:
    """The package, imported only where it is used: it takes half a second."""
    # Its own failures are reported to nobody; without this they would be, even offline.
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    import wandb

    return wandb


def _settings() -> Any:
    return _wandb().Settings(
        silent=True,
        console="off",
        init_timeout=_timeout("WANDB_INIT_TIMEOUT"),
        finish_timeout=_timeout("WANDB_FINISH_TIMEOUT"),
        finish_timeout_raises=True,
        reinit="create_new",  # several seeds at once are as many runs
        # The run folder has the revision; the address of a repository may hold a password.
        disable_git=True,
        save_code=False,
    )


def _timeout(name: str) -> float:
    text = os.environ.get(name, str(_TIMEOUTS[name]))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ConfigError(f"{name} = {text!r}: expected seconds above 0")
    return seconds


def _online(begin: Callable[..., Any], id_file: Path) -> Any:
    """The run online; one that was online before goes on."""
    # A sweep of the service says which run this is. Else chance from outside decides: runs of
    # the same seed are different runs to the service.
    known = os.environ.get("WANDB_RUN_ID") or uuid.uuid4().hex[:12]
    if id_file.is_file():
        known = id_file.read_text(encoding="utf-8")
    run = begin(mode="online", id=known, resume="allow", settings=_settings())
    id_file.write_text(known, encoding="utf-8")
    return run
