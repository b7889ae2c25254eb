"""A cache of scores: one file per run, under a key of everything that the numbers depend on."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import re
import secrets
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.metric.base import Measure
from metameter.metric.product import Product
from metameter.view.atomic_files import Draft
from metameter.view.paths import bytes_of_file, is_in_the_way, set_aside

_SEAL = hashlib.sha256().digest_size

#: Arrays by name.
Arrays: TypeAlias = "dict[str, NDArray[Any]]"


def digest(*parts: Any) -> str:
    """Return a key for plain values: the same for the same values, on any machine.

    Examples
    --------
    >>> digest("AP", 1) == digest("AP", 1), digest("AP", 1) == digest("AP", 2), len(digest("AP"))
    (True, False, 32)
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def key_of_measure(measure: Measure) -> str:
    """Return a key for a metric, from its name and the source of its classes."""
    parts = (measure.model, measure.aggregation) if isinstance(measure, Product) else (measure,)
    classes: list[Any] = [type(part) for part in parts]
    return digest(measure.name, [source_of(each) for each in classes])


def source_of(code: Any) -> str:
    """Return a key for the source of a function, or of a class with its bases: a change of the source changes the key.

    Examples
    --------
    >>> source_of(Product) == source_of(Product), source_of(Product) == source_of(Measure)
    (True, False)
    """
    return "\n".join(map(_source, code.__mro__[:-1] if isinstance(code, type) else (code,)))


@lru_cache(maxsize=1024)
def _source(code: Any) -> str:
    module, name = getattr(code, "__module__", "__main__"), getattr(code, "__qualname__", "<locals>")
    if module != "__main__" and "<locals>" not in name:
        # The whole file: to find the lines of a class Python would have to parse it.
        text = _file(module)
        if re.search(rf"\b(class|def) {re.escape(name.rpartition('.')[2])}\b".encode(), text):
            return f"{module} {name} {hashlib.sha256(text).hexdigest()}"
    try:
        return inspect.getsource(code)
    except (OSError, TypeError):
        # Code that was typed at a prompt has no file to hash: its key is valid in this process only.
        return secrets.token_hex(8)


@lru_cache(maxsize=1024)
def _file(module: str) -> bytes:
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return Path(file).read_bytes() if file.endswith(".py") and os.path.isfile(file) else b""


@dataclass(frozen=True)
class ScoreCache:
    """A folder with one file per run, which holds arrays by key.

    A run is identified by its content, not by its name: files may be renamed, and two systems may have returned the
    same lists.

    Attributes
    ----------
    folder : Path
    policy : str
        A key for everything but the run and the array: judgments, options, version.
    keys : dict of str
        Name of an array -> a key for how it is made.
    """

    folder: Path
    policy: str
    keys: dict[str, str]

    def read(self, run: str) -> Arrays:
        """Return the arrays, by name, that are stored for the run with this SHA-256."""
        stored = _read(self._path(run))
        return {name: stored[key] for name, key in self.keys.items() if key in stored}

    def write(self, run: str, arrays: Arrays) -> None:
        """Store arrays, by name, beside those stored for the run already."""
        path = self._path(run)
        _write(path, _read(path) | {self.keys[name]: array for name, array in arrays.items()})

    def _path(self, run: str) -> Path:
        return self.folder / f"{digest(self.policy, run)}.scores"


def _read(path: Path) -> Arrays:
    try:
        data = bytes_of_file(path)
        if data[:_SEAL] != _seal(path, data[_SEAL:]):
            raise ValueError("the file was changed after it was written, or is another run's")
        with np.load(io.BytesIO(data[_SEAL:]), allow_pickle=False) as file:
            blocks = [(file[f"keys{i}"].tolist(), file[f"values{i}"]) for i in range(int(file["blocks"]))]
            return {key: array for keys, values in blocks for key, array in zip(keys, values, strict=True)}
    except Exception:
        # The file is missing, damaged or of another version: then its arrays are computed again.
        return {}


def _write(path: Path, arrays: Arrays) -> None:
    """Write the file atomically: other processes see all of it or nothing."""
    alike: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for key, array in arrays.items():
        alike.setdefault((array.dtype.str, array.shape), []).append(key)
    content: Arrays = {"blocks": np.array(len(alike))}
    for i, keys in enumerate(alike.values()):
        # Hundreds of small arrays of one kind are read much faster as one.
        content |= {f"keys{i}": np.array(keys), f"values{i}": np.stack([arrays[key] for key in keys])}
    buffer = io.BytesIO()
    np.savez(buffer, **content)  # type: ignore[arg-type]
    if is_in_the_way(path):
        set_aside(path)
    draft = Draft.beside(path)
    try:
        draft.path.write_bytes(_seal(path, buffer.getvalue()) + buffer.getvalue())
        draft.put(path)
    finally:
        draft.discard()


def _seal(path: Path, content: bytes) -> bytes:
    """Return a checksum of the content and the file's name, which identifies the run."""
    return hashlib.sha256(path.name.encode() + content).digest()
