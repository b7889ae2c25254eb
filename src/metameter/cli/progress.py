"""A progress bar on standard error for work that takes longer than a second; nothing where that is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metameter.view.escape import visible

__all__ = ["progress_bar"]

_PATIENCE = 1.0


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[..., None] | None]:
    """Give a function that is called with ``(done, of, what)`` and draws a bar; None if stderr is not a terminal.

    Examples
    --------
    >>> with progress_bar(False) as progress:
    ...     print(progress)
    None
    """
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, object] = {}
    begun = time.monotonic()

    def progress(done: int, of: int, what: str = "") -> None:
        if not tasks and time.monotonic() - begun < _PATIENCE:
            return
        if not tasks:
            bars.start()
        task = tasks.setdefault(what, None) or bars.add_task(visible(what), total=of)
        tasks[what] = task
        bars.update(task, completed=done, total=of)  # type: ignore[arg-type]

    try:
        yield progress
    finally:
        bars.stop()
