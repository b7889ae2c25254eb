"""The source of a plug-in's procedure: a change in any file of the plug-in makes its stages anew."""

from __future__ import annotations

import hashlib
import secrets
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metameter.meta.base import Procedure

__all__ = ["source_of_plugin"]

_CODE = (".py", ".so", ".pyd")


def source_of_plugin(stage: Procedure) -> str:
    """A key for the code behind a stage; empty for ours, whose version stands for it."""
    modules = {stage.function.__module__, stage.stage.__module__}
    packages = sorted({str(module).partition(".")[0] for module in modules} - {"metameter"})
    return ",".join(map(_source, packages))


@lru_cache(maxsize=64)
def _source(package: str) -> str:
    """A digest of all code files of a package or module; what was defined at a prompt has a key for this session only.

    Examples
    --------
    >>> _source("json") == _source("json"), len(_source("no such module"))
    (True, 64)
    """
    files = _files(package)
    if not files:
        return secrets.token_hex(32)
    parts = [f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for name, path in sorted(files.items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _files(package: str) -> dict[str, Path]:
    """Name within the package -> code file."""
    module = sys.modules.get(package)
    folders = [Path(folder) for folder in getattr(module, "__path__", [])]
    if not folders:
        file = Path(getattr(module, "__file__", None) or "")
        return {file.name: file} if file.is_file() else {}
    return {
        file.relative_to(folder).as_posix(): file
        for folder in folders
        for file in folder.rglob("*")
        if file.suffix in _CODE and file.is_file()
    }
