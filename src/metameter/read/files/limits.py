"""Limits on memory: how much a file may unpack to, since a few bytes can expand without bound, and what is left."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from typing import Any

from metameter.errors import MetameterError

DEFAULT = "4GB"
_THOUSANDS = ("", "k", "M", "G", "T")
_UNITS = {f"{prefix}B".lower(): 1000**power for power, prefix in enumerate(_THOUSANDS)}
_UNITS |= {f"{prefix}iB".lower(): 1024**power for power, prefix in enumerate(_THOUSANDS) if prefix}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?([a-z]*)", re.ASCII)
_FIX = "Give a number of bytes with a unit, such as 500MB or 8GB."


def as_size(value: Any) -> int:
    """The number of bytes in a whole number, or in a text with a unit (kB, MB, GB, TB, KiB, MiB, GiB, TiB).

    Examples
    --------
    >>> as_size("4GB"), as_size("1.5 kB"), as_size("1 MiB"), as_size(10)
    (4000000000, 1500, 1048576, 10)
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        size, is_known = int(value), True
    else:
        match = _SIZE.fullmatch(value.strip().lower()) if isinstance(value, str) else None
        is_known = match is not None and (match[2] or "b") in _UNITS
        size = int(float(match[1]) * _UNITS[match[2] or "b"]) if match is not None and is_known else 0
    if not is_known or size < 1:
        raise MetameterError("unpack_limit is no size", given=value, allowed="1 byte or more", fix=_FIX)
    return size


_BYTES = as_size(DEFAULT)
_limit: ContextVar[int] = ContextVar("unpack_limit", default=_BYTES)


def unpack_limit() -> int:
    """How many bytes a file may unpack to in the current context."""
    return _limit.get()


@contextmanager
def unpacking(unpack_limit: int | str = DEFAULT) -> Iterator[None]:
    """Read files in the block with another limit on what each may unpack to.

    A file whose content would be larger is refused before it fills the memory. The limit applies to compressed files,
    Parquet included, and to pipes, whose length is unknown, not to plain files.

    Parameters
    ----------
    unpack_limit : int or str
        The largest size of one unpacked file, such as 500MB or 8GB.

    Examples
    --------
    >>> with unpacking("8GB"):
    ...     unpack_limit()
    8000000000
    """
    before = _limit.set(as_size(unpack_limit))
    try:
        yield
    finally:
        _limit.reset(before)


def size_in_words(size: float) -> str:
    """A number of bytes with a unit, such as 436 kB."""
    power = 0
    while size >= 999.5 and power < len(_THOUSANDS) - 1:
        size, power = size / 1000, power + 1
    return f"{size:.3g} {_THOUSANDS[power]}B" if size < 1000 else f"{size:.0f} {_THOUSANDS[power]}B"


def too_large(where: str, limit: int, what: str = "the file unpacks to too much") -> MetameterError:
    """The error for a file that unpacks to more than is allowed."""
    fix = "If you trust it, allow more with --unpack-limit (in Python: metameter.unpacking)."
    return MetameterError(what, where=where, allowed=f"at most {size_in_words(limit)}", fix=fix)


def memory_left() -> float:
    """How many bytes this process may still take where it has a limit (``ulimit -v``); else infinity."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return math.inf
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return math.inf
    return max(most - taken, 0)
