"""What all chart builders share: data, fields, tooltips, panels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from metameter.view.cells import plain

if TYPE_CHECKING:
    import polars as pl

__all__ = ["chart_of", "field_name", "in_order", "panels", "span", "titled", "tooltips"]


def chart_of(frame: pl.DataFrame) -> Any:
    """A chart of all rows; what is not finite is null, since JSON has no NaN."""
    rows = [{column: plain(value) for column, value in row.items()} for row in frame.iter_rows(named=True)]
    # Inline values, because altair refuses frames of more than 5,000 rows.
    chart, data = _light()
    return chart(data(values=rows))


@cache
def _light() -> tuple[Any, Any]:
    """Charts and data that are cheap to combine.

    Altair copies all of a chart, rows included, whenever it is layered, set beside another or given a title. Nothing
    here changes a chart once it is made, so all but the lists that altair itself extends can be shared.
    """
    import altair as alt

    class LightData(alt.InlineData):
        _class_is_valid_at_instantiation = False

        def __deepcopy__(self, memo: Any) -> LightData:
            return self

    class LightChart(alt.Chart):
        def copy(self, deep: Any = True, ignore: list[str] | None = None) -> Any:
            return super().copy(deep=["transform", "params"], ignore=ignore)

        def __deepcopy__(self, memo: Any) -> Any:
            return self.copy()

    return LightChart, LightData


def field_name(column: str) -> str:
    r"""A column's name as Vega-Lite wants it: it takes dots and brackets for paths into objects.

    Examples
    --------
    >>> print(field_name("RBP(p=0.8)"))
    RBP(p=0\.8)
    """
    return re.sub(r"([\\.\[\]'\"])", r"\\\1", column)


def in_order(frame: pl.DataFrame, column: str) -> list[Any]:
    """The values of a column, in the order in which they first occur."""
    return frame[column].unique(maintain_order=True).to_list()


def tooltips(frame: pl.DataFrame, columns: Sequence[str]) -> list[Any]:
    """What shows when hovering over a mark; floats to four decimals."""
    import altair as alt

    shown = []
    for column in dict.fromkeys(columns):
        number = frame.schema[column].is_float()
        form: dict[str, Any] = {"type": "quantitative", "format": ".4f"} if number else {"type": "nominal"}
        shown.append(alt.Tooltip(field=field_name(column), title=column, **form))
    return shown


def span(frame: pl.DataFrame, *columns: str) -> tuple[float, float]:
    """The least and the largest finite value of some columns; 0 and 1 if there is none.

    Examples
    --------
    >>> import polars as pl
    >>> span(pl.DataFrame({"a": [0.2, None], "b": [float("nan"), 3.0]}), "a", "b")
    (0.2, 3.0)
    """
    values = [v for c in columns for v in map(plain, frame[c].to_list()) if v is not None]
    return (float(min(values)), float(max(values))) if values else (0.0, 1.0)


def panels(frame: pl.DataFrame, facet: str | None, panel: Callable[[pl.DataFrame], Any], columns: int = 2) -> Any:
    """One panel, or one per value of the column `facet`, side by side."""
    import altair as alt
    import polars as pl

    if facet is None:
        return panel(frame)
    parts = [(value, frame.filter(pl.col(facet).eq_missing(pl.lit(value)))) for value in in_order(frame, facet)]
    return alt.concat(*(titled(panel(part), str(value)) for value, part in parts), columns=columns)


def titled(chart: Any, title: str) -> Any:
    """The chart under a title, if there is one."""
    return chart.properties(title=title) if title else chart
