"""What must hold of every input: it is accepted, or refused with a `MetameterError` of one line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError

__all__ = ["Refused", "outcome", "place"]


class Refused(str):
    """The one line with which an input was refused."""


def outcome(read: Callable[[], Any]) -> Any:
    """What was read, or the line with which it was refused; anything else that is raised is a failure."""
    try:
        return read()
    except MetameterError as problem:
        line = str(problem)
        assert line.strip(), "an empty message"
        assert len(line.splitlines()) == 1, f"a message of several lines: {line!r}"
        assert len(line) < 6000, f"a message of {len(line)} characters: {line[:200]!r}..."
        return Refused(line)


@cache
def folder() -> Path:
    """A folder of this process."""
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def place(data: bytes, name: str = "input") -> Path:
    """A file with these bytes."""
    path = folder() / name
    path.write_bytes(data)
    return path
