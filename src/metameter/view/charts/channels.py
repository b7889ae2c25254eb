"""Parts that all chart builders use: rows, channels, tooltips, panels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.view.charts.theme import ACROSS, LETTERS
from metameter.view.tables.cells import plain

if TYPE_CHECKING:
    import polars as pl


#: Given the names of series, their colours; None if they have none.
Colours = Callable[[Sequence[str]], list[str] | None]


def data_of(frame: pl.DataFrame) -> dict[str, Any]:
    """The rows of a table as Vega-Lite data; what is not finite is null, since JSON has no NaN.

    Examples
    --------
    >>> import polars as pl
    >>> data_of(pl.DataFrame({"x": [0.5, float("nan")], "n": [1, None]}))
    {'values': [{'x': 0.5, 'n': 1}, {'x': None, 'n': None}]}
    """
    columns = {column.name: _plain_values(column) for column in frame}
    return {"values": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}


def _plain_values(column: pl.Series) -> list[Any]:
    import polars as pl

    values, kind = column.to_list(), column.dtype
    plain_already = (
        kind.is_integer() or kind in (pl.String, pl.Boolean) or (kind.is_float() and column.is_finite().all())
    )
    return values if plain_already else list(map(plain, values))


def field_name(column: str) -> str:
    r"""A column's name as a Vega-Lite field, with dots and brackets escaped: unescaped they are paths into objects.

    Examples
    --------
    >>> print(field_name("RBP(p=0.8)"))
    RBP(p=0\.8)
    """
    return re.sub(r"([\\.\[\]'\"])", r"\\\1", column)


def number(column: str, **properties: Any) -> dict[str, Any]:
    """The channel of a numeric column, with properties such as title and scale as Vega-Lite spells them."""
    return {"field": field_name(column), "type": "quantitative", **properties}


@dataclass(frozen=True)
class NumberAxis:
    """What several numeric columns on one axis share: title, scale and axis as Vega-Lite spells them."""

    title: str
    scale: dict[str, Any]
    axis: dict[str, Any]

    def of(self, column: str) -> dict[str, Any]:
        """Return the channel of a column on this axis."""
        return number(column, title=self.title, scale=self.scale, axis=self.axis)

    def at(self, position: float) -> dict[str, Any]:
        """Return the channel of a fixed position on this axis."""
        return {
            "datum": position,
            "type": "quantitative",
            "title": self.title,
            "scale": self.scale,
            "axis": self.axis,
        }


def value(constant: Any) -> dict[str, Any]:
    """A channel that is the same for all rows."""
    return {"value": constant}


def in_order(frame: pl.DataFrame, column: str) -> list[Any]:
    """The values of a column, in the order in which they first occur."""
    return list(dict.fromkeys(frame[column].to_list()))


def named_rows(label: str, order: list[Any]) -> dict[str, Any]:
    """The upright channel of a chart with a row for each label in this order, all of them written."""
    axis = {"labelFontSize": LETTERS, "labelOverlap": False, "grid": True, "ticks": False, "domain": False}
    return {"field": field_name(label), "type": "nominal", "sort": order, "title": None, "axis": axis}


def rule(encoding: dict[str, Any], **style: Any) -> dict[str, Any]:
    """The layer of one straight line, at a position that does not depend on the rows."""
    return {"data": {"values": [{}]}, "mark": {"type": "rule", **style}, "encoding": encoding}


def tooltips(frame: pl.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The tooltip channel of some columns; floats have four decimals."""
    channels: list[dict[str, Any]] = []
    for column in dict.fromkeys(columns):
        form = {"type": "quantitative", "format": ".4f"} if frame.schema[column].is_float() else {"type": "nominal"}
        channels.append({"field": field_name(column), "title": column, **form})
    return channels


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


def panels(
    frame: pl.DataFrame, facet: str | None, panel: Callable[[pl.DataFrame], dict[str, Any]], wide: int = 450
) -> dict[str, Any]:
    """One panel, or one per value of the column `facet`: as many side by side as fit the page.

    Parameters
    ----------
    frame : polars.DataFrame
    facet : str or None
    panel : callable
        The panel of a part of the frame.
    wide : int
        How wide a panel is with its axis and legend, in pixels.
    """
    if facet is None:
        return panel(frame)
    charts = [{"title": str(part[facet][0]), **panel(part)} for part in frame.partition_by(facet, maintain_order=True)]
    return {"concat": charts, "columns": max(1, min(len(charts), ACROSS // wide))}
