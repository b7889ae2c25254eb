"""The title and the width that a user sets for charts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from metameter.errors import MetameterError

_NARROWEST, _WIDEST, _LONGEST = 200, 4000, 300


@dataclass(frozen=True)
class Style:
    """Title and width of charts.

    Attributes
    ----------
    title : str, optional
        Stands above the chart's own title; ``none`` leaves both out, for a figure with a caption.
    width : int, optional
        In pixels, axes and legends included.

    Examples
    --------
    >>> Style(width=20)
    Traceback (most recent call last):
    metameter.errors.MetameterError: width is out of range (given 20, allowed: 200 to 4000). Give the width of a chart
    in pixels.
    """

    title: str | None = None
    width: int | None = None

    def __post_init__(self) -> None:
        width, allowed = self.width, f"{_NARROWEST} to {_WIDEST}"
        if width is not None and (type(width) is not int or not _NARROWEST <= width <= _WIDEST):
            fix = "Give the width of a chart in pixels."
            raise MetameterError("width is out of range", given=width, allowed=allowed, fix=fix)
        if self.title is not None and (not isinstance(self.title, str) or len(self.title) > _LONGEST):
            title = f"{len(self.title):,} characters" if isinstance(self.title, str) else self.title
            fix = "Give a shorter text, or none for charts without titles."
            raise MetameterError("not a title", given=title, allowed=f"up to {_LONGEST} characters", fix=fix)


_style: ContextVar[Style | None] = ContextVar("style", default=None)


@contextmanager
def chart_style(*, title: str | None = None, width: int | None = None) -> Iterator[None]:
    """Set the title and the width of the charts that results write within this context.

    Parameters
    ----------
    title : str, optional
        Stands above the chart's own title; ``none`` leaves both out, for a figure with a caption.
    width : int, optional
        In pixels, axes and legends included.

    Examples
    --------
    >>> from metameter.view.charts.sizing import styled
    >>> with chart_style(title="none"):
    ...     styled({"mark": "point", "title": "Means"})
    {'mark': 'point'}
    """
    outer = _style.set(Style(title, width))
    try:
        yield
    finally:
        _style.reset(outer)


def current_style() -> Style:
    """The style set by the innermost `chart_style`; the default outside of any."""
    return _style.get() or Style()
