"""Plug-ins in files: a Python file that registers models, aggregations, metrics or procedures when it is imported."""

from __future__ import annotations

import hashlib
import re
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from metameter.errors import MetameterError, in_utf8
from metameter.registry import KINDS, refuse_names_of_ours, registered_by

__all__ = ["load_plugin_file", "loaded_plugin_files", "plugin_modules"]

_PREFIX = "metameter_plugin_"
#: Module of a plug-in file that was loaded -> the name of the file and the SHA-256 of its content.
_loaded: dict[str, tuple[str, str]] = {}


def load_plugin_file(file: str | Path) -> None:
    """Import a Python file, which runs its code; refuse a file that fails or registers nothing.

    The name of its module holds a checksum of its content: stored scores of a plug-in's metric are valid for that
    content only. A file that is loaded already is not run again.

    Examples
    --------
    >>> load_plugin_file("nowhere.py")
    Traceback (most recent call last):
    metameter.errors.MetameterError: nowhere.py: cannot read the plug-in: no such file or directory. Give the path of a
    Python file.
    """
    path = Path(file)
    content = _content(path)
    digest = hashlib.sha256(content).hexdigest()
    name = f"{_PREFIX}{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{digest[:12]}"
    if name in _loaded:
        return
    spec = spec_from_file_location(name, path)
    if spec is None:
        fix = "Give a file whose name ends in .py."
        raise MetameterError("a plug-in is a Python file", given=in_utf8(str(path)), fix=fix)
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look a module up by its name
    try:
        # Not by the loader, which takes compiled code of the folder, and leaves some there.
        exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102
        _check_registered(module)
    except MetameterError as error:
        raise _failure(path, error, error.statement, error.fix) from error
    except (Exception, SystemExit) as error:  # the file may raise anything
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise _failure(path, error, reason, "Correct the file.") from error
    _loaded[name] = (in_utf8(path.name), digest)


def plugin_modules() -> list[str]:
    """The names of the modules of all plug-in files that were loaded.

    Examples
    --------
    >>> plugin_modules()
    []
    """
    return list(_loaded)


def loaded_plugin_files() -> dict[str, str]:
    """The name of each plug-in file that was loaded -> the SHA-256 of its content.

    Examples
    --------
    >>> loaded_plugin_files()
    {}
    """
    return dict(sorted(_loaded.values()))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"cannot read the plug-in: {(error.strerror or str(error)).lower()}"
        raise MetameterError(what, where=in_utf8(str(path)), fix="Give the path of a Python file.") from None


def _check_registered(module: ModuleType) -> None:
    registered = {kind: registered_by(kind, module.__name__) for kind in KINDS}
    if not any(registered.values()):
        what = "it registers no browsing model, aggregation, metric or procedure"
        raise MetameterError(what, fix='Write @register("metric"), say, above a class.')
    for kind, names in registered.items():
        refuse_names_of_ours(kind, names)


def _failure(path: Path, error: BaseException, reason: str, fix: str) -> MetameterError:
    """The error of a file that cannot be loaded, with the line of the file that raised it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines.append(error.lineno)
    where = f"{path}:{lines[-1]}" if lines else str(path)
    return MetameterError(f"the plug-in cannot be loaded: {reason}", where=in_utf8(where), fix=fix)
