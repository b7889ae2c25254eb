"""Where results are written: a path, before anything is computed for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError


def place_for(out: Any) -> Path:
    """The path that is meant; what is no path, or empty, is refused.

    Examples
    --------
    >>> place_for("results").name
    'results'
    >>> place_for(" ")
    Traceback (most recent call last):
    metameter.errors.MetameterError: out is not a path (given ' '). Name a file or a folder to write.
    """
    if isinstance(out, str | os.PathLike):
        name = os.fspath(out)
        if isinstance(name, str) and name.strip() and "\0" not in name:
            return Path(name)
    raise MetameterError("out is not a path", given="None" if out is None else out, fix=_FIX)


_FIX = "Name a file or a folder to write."
