"""The colours, shapes and dashes that distinguish marks and lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.channels import data_of, field_name, value
from metameter.view.charts.theme import PAPER, SERIES

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn


def mark_channels(column: MarkedColumn, labels: Collection[str]) -> dict[str, Any]:
    """The channels of colour and shape, with one legend for both; none if some label has no mark.

    Parameters
    ----------
    column : MarkedColumn
    labels : collection of str
        Those that the legend shows.

    Examples
    --------
    >>> from metameter.view.mark_styles import SHAPES, MarkedColumn, MarkStyle
    >>> styles = {"pass": MarkStyle("pass", "it passed", "#009E73", "#3CC79A", SHAPES["up"])}
    >>> column = MarkedColumn("outcome", styles, hollow="close", hollow_text="close", hollow_note="Hollow: close.")
    >>> mark_channels(column, ["pass"])["color"]["scale"]
    {'domain': ['pass'], 'range': ['#009E73']}
    >>> mark_channels(column, ["AP"])
    {}
    """
    names, styles = column.in_order(labels), column.styles
    if not names or not set(names) <= set(styles):
        return {}
    legend = {"orient": "top", "direction": "horizontal", "title": None, "columns": 4, "symbolSize": 90}
    # Labels have hyphens in tables and spaces in a legend.
    legend |= {"labelExpr": "replace(datum.label, /-/g, ' ')", "symbolStrokeWidth": 0}
    shared = {"field": field_name(column.name), "type": "nominal", "title": None, "legend": legend}
    scales = {"color": [styles[name].colour for name in names], "shape": [styles[name].shape for name in names]}
    return {channel: {**shared, "scale": {"domain": names, "range": each}} for channel, each in scales.items()}


def mark_layers(
    frame: pl.DataFrame, position: dict[str, Any], channels: dict[str, Any], hollow: str, size: int = 95
) -> list[dict[str, Any]]:
    """A mark for each row, solid or hollow.

    Parameters
    ----------
    frame : polars.DataFrame
    position : dict
        The channels that say where a mark stands, and its tooltip.
    channels : dict
        As `mark_channels` returns them.
    hollow : str
        The boolean column that is true for rows with hollow marks.
    size : int
        In square pixels.
    """
    solid = {"type": "point", "size": size, "opacity": 1, "stroke": PAPER, "strokeWidth": 0.7}
    layers = [{"data": data_of(frame), "mark": solid, "encoding": {**position, **channels}}]
    hollow_rows = frame.filter(frame[hollow])
    if hollow_rows.height:
        outline = {
            "type": "point",
            "filled": False,
            "fill": PAPER,
            "size": size * 0.85,
            "strokeWidth": 1.8,
            "opacity": 1,
        }
        layers.append({"data": data_of(hollow_rows), "mark": outline, "encoding": {**position, **channels}})
    return layers


def dashed_where(column: str) -> dict[str, Any]:
    """The channel that dashes the lines of the rows for which a column is true."""
    return {"condition": {"test": f"datum['{column}']", **value([3, 2])}, **value([1, 0])}


DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 4], [4, 2, 1, 2])


def line_styles(
    series: str,
    names: Sequence[Any],
    colours: Sequence[str] | None,
    *,
    legend: bool = True,
    position: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The channels of colour and dash, with one legend for both.

    Parameters
    ----------
    series : str
        The column.
    names : sequence
        Its values.
    colours : sequence of str or None
        Their colours; without any, ink and greys.
    legend : bool
        Whether there is one.
    position : dict, optional
        Where the legend stands, as Vega-Lite spells it.

    Examples
    --------
    >>> styles = line_styles("metric", ["AP", "RR", "P@5", "P@10"], None)
    >>> styles["color"]["scale"]["range"], styles["strokeDash"]["scale"]["range"][3]
    (['#222222', '#6B6B6B', '#A3A3A3', '#222222'], [6, 3])
    """
    shades = list(colours) if colours else [SERIES[i % len(SERIES)] for i in range(len(names))]
    # A line with the colour of an earlier one has another dash.
    rounds = [shades[:i].count(shade) for i, shade in enumerate(shades)]
    dashes = [DASHES[turn % len(DASHES)] for turn in rounds]
    key = {"symbolType": "stroke", "symbolSize": 300, "symbolLimit": 0, "labelLimit": 190, **(position or {})}
    shared: dict[str, Any] = {"field": field_name(series), "type": "nominal", "title": None, "sort": list(names)}
    shared["legend"] = key if legend else None
    return {
        "color": {**shared, "scale": {"domain": list(names), "range": shades}},
        "strokeDash": {**shared, "scale": {"domain": list(names), "range": dashes}},
    }
