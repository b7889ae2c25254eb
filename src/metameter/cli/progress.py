"""Bars on standard error, one per stage, for work that takes longer than a second; none where that is no terminal."""

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
    """Within the block: a function that takes ``(done, of, what)`` and draws bars; None if stderr cannot show them.

    Parameters
    ----------
    what : str
        What the display shows between stages.

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
    from metameter.cli.bars import Stages, live

    stages = Stages(what)
    shown = live(stages)
    # By the clock, not by the first report: a long stage may have nothing to report.
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
    with suppress(OSError, ValueError):  # the terminal was closed
        shown.start()
