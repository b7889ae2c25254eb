"""What a result was made from: versions, options and the contents of the inputs."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["fingerprint", "manifest_of"]


def manifest_of(**options: Any) -> dict[str, Any]:
    """Versions of what computed, and the options it was given.

    Examples
    --------
    >>> sorted(manifest_of(ties="input"))
    ['metameter', 'options', 'versions']
    """
    versions = {name: version(name) for name in ("numpy", "polars", "scipy")}
    return {
        "metameter": version("metameter"),
        "versions": {"python": platform.python_version(), **versions},
        "options": options,
    }


def fingerprint(paths: Iterable[str | Path]) -> list[dict[str, Any]]:
    """Name, size and SHA-256 of each file."""
    return [_fingerprint(Path(path)) for path in paths]


def _fingerprint(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
