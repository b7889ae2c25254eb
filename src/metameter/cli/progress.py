"""Progress on a terminal: a line per stage, with a bar for the one at work and the time that finished ones took.

Nothing is drawn for work that takes less than a second, or where standard error is not a terminal. Rich is imported
only where something is drawn, since the import is slow.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metameter.view.escape import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live
    from rich.spinner import Spinner

#: Seconds before the display begins.
_PATIENCE = 1.0
#: The most finished stages that are listed, and the widths of the columns in a terminal of 80.
_ENDED, _TEXT, _BAR, _COUNT, _TIME = 10, 36, 18, 11, 9


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
    stages = Stages(what)
    display = live(stages)
    # By the clock, not by the first report: a long stage may have nothing to report.
    begin = threading.Timer(_PATIENCE, _start, [display])
    begin.daemon = True
    begin.start()
    try:
        yield stages
    finally:
        begin.cancel()
        begin.join()
        display.stop()


def _start(display: Live) -> None:
    with suppress(OSError, ValueError):  # the terminal was closed
        display.start()


@dataclass
class Line:
    """One line of the display: a stage, its step at work, how far that is, and how long the stage has taken.

    Attributes
    ----------
    stage : str
    text : str
        The stage, or its step at work.
    done, of : int
        Of the step; 0 of 0 where the size of the step is unknown.
    begun, ended : float
        When the stage began and, once it has, ended.
    since : float
        When the step began.
    """

    stage: str
    text: str = ""
    done: int = 0
    of: int = 0
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    since: float = field(default_factory=time.monotonic)

    def update(self, text: str, done: int, of: int) -> None:
        """Show a step. A finished one is not shown: what comes next is not known yet."""
        if text != self.text:
            self.since = time.monotonic()
        self.text, self.done, self.of = (text, done, of) if done < of else (self.stage, 0, 0)

    @property
    def seconds(self) -> float:
        """The seconds that the stage has taken."""
        return (time.monotonic() if self.ended is None else self.ended) - self.begun

    @property
    def left(self) -> float | None:
        """The seconds that the step is expected to take still; None where nothing is done yet."""
        return (time.monotonic() - self.since) * (self.of - self.done) / self.done if self.done else None


class Stages:
    """The stages reported so far: those that have finished, and the one at work.

    A stage reports 0 of 1 when it begins and 1 of 1 when it ends; a step of it reports as ``stage: step``. A report
    from outside any stage begins a stage of its own.

    Examples
    --------
    >>> stages = Stages("power")
    >>> for report in [(0, 1, "scoring"), (1, 2, "scoring: runs"), (2, 2, "scoring: runs"), (1, 1, "scoring")]:
    ...     stages(*report)
    ...     print(stages.at_work.text, stages.at_work.done, stages.at_work.of)
    scoring 0 0
    scoring: runs 1 2
    scoring 0 0
    power 0 0
    >>> [line.stage for line in stages.ended]
    ['scoring']
    """

    def __init__(self, otherwise: str) -> None:
        self._otherwise = otherwise
        self._current: Line | None = None
        self._between = Line(otherwise, otherwise)
        self.ended: list[Line] = []

    @property
    def at_work(self) -> Line:
        """The stage at work, or the line for the time between stages."""
        return self._current or self._between

    def __call__(self, done: int, of: int, what: str = "runs") -> None:
        """Take a report of progress."""
        line = self._current
        if line is None or not (what == line.stage or what.startswith(f"{line.stage}: ")):
            self._end()
            line = self._current = Line(what, what)
        # Work that is done in one piece reports only that it has begun.
        line.update(what, done, of if (done, of) != (0, 1) else 0)
        if what == line.stage and done >= of:
            self._end()

    def _end(self) -> None:
        if self._current is not None:
            self._current.ended = time.monotonic()
            self.ended.append(self._current)
            self._current, self._between = None, Line(self._otherwise, self._otherwise)


def live(stages: Stages) -> Live:
    """A display that draws the stages on standard error several times a second and removes them when it stops."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner

    console = Console(stderr=True)
    spinner = Spinner("dots" if _in_unicode(console) else "line")
    return Live(
        get_renderable=lambda: rendered(stages, spinner, console),
        console=console,
        transient=True,
        # Answers go to standard output, when no bar is there any more.
        redirect_stdout=False,
        refresh_per_second=8,
    )


def rendered(stages: Stages, spinner: Spinner, console: Console) -> RenderableType:
    """The last stages that have finished, and the one at work."""
    from rich.console import Group
    from rich.table import Column, Table
    from rich.text import Text

    room = max(console.width - (_BAR + _COUNT + _TIME + 6), 8)
    names = Column(no_wrap=True, overflow="ellipsis", width=min(_TEXT, room))
    columns = [Column(width=1), names, *(Column(width=width, no_wrap=True) for width in (_BAR, _COUNT, _TIME))]
    table = Table.grid(*columns, padding=(0, 1, 0, 0))
    mark = "✓" if _in_unicode(console) else "+"
    # Read together: the stage may end while it is drawn.
    at_work, fitting = stages.at_work, max(min(_ENDED, console.height - 3), 0)
    for line in stages.ended[-fitting:] if fitting else ():
        table.add_row(Text(mark, "green"), Text(visible(line.stage)), "", "", Text(_clock(line.seconds), "dim"))
    table.add_row(spinner, Text(visible(at_work.text)), *_progress(at_work))
    return Group(table)


def _progress(line: Line) -> tuple[RenderableType, RenderableType, RenderableType]:
    """The bar, the count and the time left of a step; of one whose size is unknown, a moving bar and the time taken."""
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    if not line.of:
        return ProgressBar(total=None, width=_BAR, pulse=True), "", Text(_clock(line.seconds), "cyan")
    count = f"{line.done}/{line.of}" if line.of < 100_000 else f"{line.done / line.of:.0%}"
    left = "" if line.left is None else f"-{_clock(line.left)}"
    return ProgressBar(total=line.of, completed=line.done, width=_BAR), Text(count, "green"), Text(left, "cyan")


def _clock(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any.

    Examples
    --------
    >>> _clock(7.4), _clock(75), _clock(3675)
    ('0:07', '1:15', '1:01:15')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _in_unicode(console: Console) -> bool:
    return console.encoding.lower().startswith("utf")
