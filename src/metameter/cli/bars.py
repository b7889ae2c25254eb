"""How stages look on a terminal: a line each, with a bar where work goes on, and how long it took where it ended."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Column, Table
from rich.text import Text

from metameter.cli.stages import Line, Stages
from metameter.view.escape import visible

#: How many stages that have ended stand above the one at work; and how wide the columns are, of 80.
_ENDED, _TEXT, _BAR, _COUNT, _TIME = 10, 36, 18, 11, 9


def live(stages: Stages) -> Live:
    """Draws the stages on standard error several times a second while it is started, and leaves nothing behind."""
    console = Console(stderr=True)
    spinner = Spinner("dots" if _in_unicode(console) else "line")
    return Live(
        get_renderable=lambda: drawn(stages, spinner, console),
        console=console,
        transient=True,
        # Answers go to standard output, when no bar is there any more.
        redirect_stdout=False,
        refresh_per_second=8,
    )


def drawn(stages: Stages, spinner: Spinner, console: Console) -> RenderableType:
    """The last stages that ended, and the one at work."""
    room = max(console.width - (_BAR + _COUNT + _TIME + 6), 8)
    names = Column(no_wrap=True, overflow="ellipsis", width=min(_TEXT, room))
    columns = [Column(width=1), names, *(Column(width=width, no_wrap=True) for width in (_BAR, _COUNT, _TIME))]
    table = Table.grid(*columns, padding=(0, 1, 0, 0))
    mark = "✓" if _in_unicode(console) else "+"
    # In one breath: the stage may end while it is drawn.
    at_work, fitting = stages.at_work, max(min(_ENDED, console.height - 3), 0)
    for line in stages.ended[-fitting:] if fitting else ():
        table.add_row(Text(mark, "green"), Text(visible(line.stage)), "", "", Text(_clock(line.seconds), "dim"))
    table.add_row(spinner, Text(visible(at_work.text)), *_far(at_work))
    return Group(table)


def _far(line: Line) -> tuple[RenderableType, RenderableType, RenderableType]:
    """How far a step is, and how long it will take; or that it goes on, and how long it has."""
    if not line.of:
        return ProgressBar(total=None, width=_BAR, pulse=True), "", Text(_clock(line.seconds), "cyan")
    count = f"{line.done}/{line.of}" if line.of < 100_000 else f"{line.done / line.of:.0%}"
    left = "" if line.left is None else f"-{_clock(line.left)}"
    return ProgressBar(total=line.of, completed=line.done, width=_BAR), Text(count, "green"), Text(left, "cyan")


def _clock(seconds: float) -> str:
    """Minutes and seconds, and hours if there are any.

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
