"""How large collections of labelled pages are read where a call does not say so itself: by whom, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.parallel import Progress, Workers
from metameter.read.serps_kept_place import refuse_among_pages

__all__ = ["Reading", "reading_parts", "reading_with"]

#: Bytes from which on it is worth a file to have read them.
LARGE = 1 << 26


@dataclass(frozen=True)
class Reading:
    """By whom parts are reduced, who is told, and where their counts are kept.

    Attributes
    ----------
    jobs : int or Workers, optional
    progress : callable, optional
    keep : Path, optional
    least : int
        Parts that are smaller altogether, in bytes, are not kept.
    """

    jobs: int | Workers | None = None
    progress: Progress | None = None
    keep: Path | None = None
    least: int = 0


_reading: ContextVar[Reading | None] = ContextVar("reading of parts", default=None)


def reading_with(
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
    keep: str | Path | None = None,
    source: Any = None,
) -> Reading:
    """What a call asks for that reads a source; what it leaves open is as the block around it says."""
    around = _reading.get() or Reading()
    asked = replace(around, jobs=around.jobs if jobs is None else jobs, progress=progress or around.progress)
    if keep is None:
        return asked
    if not isinstance(keep, str | Path) or not str(keep).strip() or "\0" in str(keep):
        raise MetameterError("keep is not a path", given=keep, fix="Name a folder for the counts of the parts.")
    refuse_among_pages(Path(keep), source)
    return replace(asked, keep=Path(keep), least=0)


@contextmanager
def reading_parts(jobs: int | Workers | None, progress: Progress | None, keep: Path) -> Iterator[None]:
    """Read pages in the block with these workers, and keep the counts of the parts of large collections.

    Examples
    --------
    >>> with reading_parts(3, None, Path("kept")):
    ...     reading_with().jobs
    3
    """
    before = _reading.set(Reading(jobs, progress, keep, LARGE))
    try:
        yield
    finally:
        _reading.reset(before)
