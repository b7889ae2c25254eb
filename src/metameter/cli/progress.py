"""Bars on standard error for work that takes longer than a second, one a stage; nothing where that is no terminal."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.live import Live


_PATIENCE = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None] | None]:
    """Give a function that is called with ``(done, of, what)`` and draws bars; None if stderr is no terminal for them.

    Parameters
    ----------
    what : str
        What is going on while no stage is told: there is always something that moves.

    Examples
    --------
    >>> with progress_bar("power") as progress:
    ...     print(progress)
    None
    """
    # A terminal that cannot move its cursor would show every step of a bar.
    if not sys.stderr.isatty() or os.environ.get("TERM") in ("dumb", "unknown"):
        yield None
        return
    from metameter.cli.bars import live
    from metameter.cli.stages import Stages

    stages = Stages(what)
    shown = live(stages)
    # By the clock, and not when progress is told: a long stage may have nothing to tell.
    begin = threading.Timer(_PATIENCE, _start, [shown])
    begin.daemon = True
    begin.start()
    try:
        yield stages
    finally:
        begin.cancel()
        begin.join()
        shown.stop()


def _start(shown: Live) -> None:
    with suppress(OSError, ValueError):  # whoever closed the terminal wants to see no bars
        shown.start()
