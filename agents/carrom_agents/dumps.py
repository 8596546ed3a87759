"""What a training keeps of what was not finite, to be looked at by ``scripts/replay_dump.py``.

Minibatches are dumped as arrays (.npz, read without unpickling anything), strokes as the
environment dumps them (.json).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from carrom.errors import ConfigError, Dump
from carrom_agents import durable, ppo, strict_yaml

DUMPS = "dumps"
"""Folder of the dumps in a run folder."""
MOST_DUMPS = 16
"""Dumps that a run folder keeps: the first ones, which show the cause."""
MOST_SAMPLES = 512
"""Samples that a dump keeps, first of all those in which something is not finite."""
_FORMAT = "carrom minibatch 1"
_ABOUT = "about"
_NUMBERS = "biuf"
"""Kinds of arrays that a dump holds, as numpy calls them: all of numbers."""


@dataclass(frozen=True)
class Amounts:
    """What an array holds, in short.

    Attributes:
        size: numbers in it.
        not_finite: how many of them are not finite.
        largest: greatest magnitude of the others.
    """

    size: int
    not_finite: int
    largest: float

    @classmethod
    def of(cls, array: Any) -> Amounts:
        """The amounts of an array of any type."""
        numbers = np.asarray(array, np.float64)
        finite = np.isfinite(numbers)
        largest = float(np.abs(numbers[finite]).max(initial=0.0))
        return cls(numbers.size, int((~finite).sum()), largest)


@dataclass(frozen=True, eq=False)
class Circumstances:
    """In which a minibatch's loss or gradient was not finite.

    Attributes:
        update: number of the update it was a part of, from 1.
        seed: of the run.
        key: uint32, of the update's minibatches.
        epoch: of which pass over the samples it was a part, from 0.
        minibatch: which part, from 0.
        loss: of it.
        gradient_norm: likewise.
        rates: learning rate and entropy coefficient.
        params: amounts of each of the network's arrays before the update, by name.
        samples: how many there were in the minibatch.
    """

    update: int
    seed: int
    key: tuple[int, ...]
    epoch: int
    minibatch: int
    loss: float
    gradient_norm: float
    rates: dict[str, float]
    params: dict[str, Amounts]
    samples: int


@dataclass(frozen=True, eq=False)
class UpdateDump(Circumstances):
    """A minibatch whose loss or gradient was not finite; it has changed nothing.

    Attributes:
        arrays: by name, [n, ...], of the samples that are kept: inputs, action, log_prob,
            advantage, target, valid.
    """

    arrays: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        skipped: ppo.Skipped,
        params: ppo.Parameters,
        key: jax.Array,
        rates: Mapping[str, Any],
        *,
        update: int,
        seed: int,
    ) -> UpdateDump:
        """The dump of a minibatch that was passed over.

        Args:
            skipped: found by ``ppo.update``.
            params: before the update.
            key: that the update was given.
            rates: likewise.
            update: its number, from 1.
            seed: of the run.
        """
        skipped = jax.device_get(skipped)
        arrays = _named(skipped.batch)
        return cls(
            update=update,
            seed=seed,
            key=tuple(np.asarray(jax.random.key_data(key)).reshape(-1).tolist()),
            epoch=int(skipped.epoch),
            minibatch=int(skipped.minibatch),
            loss=float(skipped.loss),
            gradient_norm=float(skipped.gradient_norm),
            rates={name: float(rate) for name, rate in rates.items()},
            params={name: Amounts.of(leaf) for name, leaf in _named(params).items()},
            samples=len(skipped.batch.valid),
            arrays=_worst(arrays),
        )

    def save(self, path: str | Path) -> None:
        """Write it as a file of arrays."""
        about: dict[str, Any] = {"format": _FORMAT} | {
            field.name: getattr(self, field.name) for field in dataclasses.fields(Circumstances)
        }
        about["params"] = {name: dataclasses.asdict(some) for name, some in self.params.items()}
        text = np.array(json.dumps(about))
        arrays: dict[str, Any] = {_ABOUT: text, **self.arrays}
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> UpdateDump:
        """Read a saved dump; nothing in it is executed.

        Raises:
            ConfigError: the file is not one.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = json.loads(str(arrays.pop(_ABOUT)))
            if about.pop("format") != _FORMAT:
                raise ValueError("another format")
            circumstances = strict_yaml.build(Circumstances, about, _ABOUT)
            _check(arrays)
        except Exception as e:  # what unpacks a damaged file raises many types, all meaning this
            said = f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
            raise ConfigError(f"{path}: expected a saved minibatch ({_FORMAT!r}): {said}") from None
        return cls(**vars(circumstances), arrays=arrays)

    def told(self) -> Iterator[str]:
        """What happened, line by line."""
        key = " ".join(map(str, self.key))
        yield (
            f"update {self.update} of the run with seed {self.seed}, key [{key}]: minibatch "
            f"{self.minibatch} of pass {self.epoch} was passed over"
        )
        yield f"loss {self.loss}, length of the gradient {self.gradient_norm}"
        yield ", ".join(f"{name} {rate:.6g}" for name, rate in self.rates.items())
        amounts = self.amounts()
        valid = self.arrays[".valid"]
        yield (
            f"kept {len(valid)} of {self.samples} samples, {int(valid.sum())} of them valid; of "
            "these:"
        )
        yield from _rows(amounts)
        finite = all(not some.not_finite for some in amounts.values())
        if finite:
            yield "all of them are finite: the network made what is not"
        else:
            yield "first valid samples with something not finite:"
            yield from self._first_rows(amounts)
        spoilt = {name: some for name, some in self.params.items() if some.not_finite}
        yield "the network's parameters before the update" + (":" if spoilt else ": all finite")
        yield from _rows(spoilt or _largest(self.params))

    def _first_rows(self, amounts: Mapping[str, Amounts]) -> Iterator[str]:
        """The first three samples of each array that are not finite, with their places."""
        for name, some in amounts.items():
            if some.not_finite:
                array = self.arrays[name]
                rows = ~np.isfinite(array.reshape(len(array), -1)).all(axis=1)
                for row in np.flatnonzero(rows & self.arrays[".valid"])[:3].tolist():
                    places = np.argwhere(~np.isfinite(np.atleast_1d(array[row])))
                    yield f"  sample {row}: {name} at {places[:5].tolist()}"

    def amounts(self) -> dict[str, Amounts]:
        """The amounts of each array of the samples that are kept and count, by name."""
        valid = self.arrays[".valid"]
        return {name: Amounts.of(array[valid]) for name, array in self.arrays.items()}


def write_dumps(run: Path, dumps: Mapping[str, Dump]) -> None:
    """Write dumps into the run folder ``run`` under their names, as long as there are few.

    A resumed run, which comes to the same ones again, writes them again.
    """
    folder = run / DUMPS
    for name, dump in dumps.items():
        folder.mkdir(exist_ok=True)
        if (folder / name).exists() or _kept(folder) < MOST_DUMPS:
            # It is there completely or not at all, whatever happens.
            unfinished = folder / f".{name}"
            dump.save(unfinished)
            durable.replace(unfinished, folder / name)


def _kept(folder: Path) -> int:
    """Dumps in a folder, but for what an interrupted one has left."""
    return sum(not path.name.startswith(".") for path in folder.iterdir())


def update_name(update: int) -> str:
    """The name of the dump of an update's minibatch."""
    return f"update_{update:08d}.npz"


def stroke_name(update: int, number: int) -> str:
    """The name of the dump of a stroke, the ``number``-th to fail before that update."""
    return f"stroke_{update:08d}_{number}.json"


def _named(tree: Any) -> dict[str, NDArray[Any]]:
    """The leaves of a tree by their places in it."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def _check(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse what are not arrays of numbers of the same samples.

    Raises:
        ValueError: says which array is not, and what it is.
    """
    valid = arrays[".valid"]
    if valid.dtype != bool or valid.ndim != 1:
        raise ValueError(f".valid is {valid.dtype} {valid.shape}: expected bool (n,)")
    for name, array in arrays.items():
        if array.dtype.kind not in _NUMBERS or array.shape[:1] != valid.shape:
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}: expected numbers ({len(valid)}, ...)"
            )


def _rows(amounts: Mapping[str, Amounts]) -> Iterator[str]:
    for name, some in amounts.items():
        yield f"  {some.not_finite} of {some.size} not finite, largest {some.largest:.4g}: {name}"


def _largest(amounts: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """The three with the greatest numbers."""
    order = sorted(amounts, key=lambda name: -amounts[name].largest)
    return {name: amounts[name] for name in order[:3]}


def _worst(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """At most ``MOST_SAMPLES`` of the samples, those that are not finite before the others."""
    finite = np.ones(len(arrays[".valid"]), bool)
    for array in arrays.values():
        finite &= np.isfinite(array.reshape(len(array), -1)).all(axis=1)
    chosen = np.argsort(finite, kind="stable")[:MOST_SAMPLES]
    return {name: array[np.sort(chosen)] for name, array in arrays.items()}
