"""Trees of arrays as files of named arrays: nothing in them is executed when they are read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any, TypeVar

import jax
import numpy as np

from carrom.errors import CheckpointError
from carrom_agents.run_folder import write_bytes

Tree = TypeVar("Tree")


def write_arrays(path: Path, tree: Any) -> None:
    """Write the leaves of a tree, by the names of their places in it.

    Raises:
        ConfigError: the file cannot be written.
    """
    content = io.BytesIO()
    np.savez_compressed(content, **_named(tree))
    write_bytes(path, content.getvalue())


def read_arrays(path: Path, blank: Tree) -> Tree:
    """The tree that ``write_arrays`` wrote.

    Args:
        path: of the file.
        blank: a tree with the same places, shapes and types.

    Raises:
        CheckpointError: it is missing, damaged, or of another tree.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{path}: cannot be read: {error}") from None
    for name, expected in (wanted := _named(blank)).items():
        array = found.get(name)
        if array is None or (array.shape, array.dtype) != (expected.shape, expected.dtype):
            what = "nothing" if array is None else f"{array.dtype} {list(array.shape)}"
            raise CheckpointError(
                f"{path}: {name} is {what}: expected {expected.dtype} {list(expected.shape)}"
            )
    if unknown := sorted(found.keys() - wanted):
        raise CheckpointError(f"{path}: {unknown[0]} is not expected there")
    return jax.tree.unflatten(jax.tree.structure(blank), [found[name] for name in wanted])


def _named(tree: Any) -> dict[str, Any]:
    """The leaves by the names of their places, in the tree's order."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}
