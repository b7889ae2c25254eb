"""Estimates with their intervals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.axes import beyond, clipped, padded, robust_span
from metameter.view.charts.channels import (
    Colours,
    NumberAxis,
    data_of,
    field_name,
    in_order,
    named_rows,
    number,
    panels,
    rule,
    span,
    tooltips,
    value,
)
from metameter.view.charts.specification import finished
from metameter.view.charts.styles import dashed_where, mark_channels, mark_layers
from metameter.view.charts.theme import FAINT, GRID, INK, LETTERS, MUTED
from metameter.view.mark_styles import STAR

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn


# Columns that are added; no table has columns of these names.
_LOW, _VALUE, _HIGH, _BEYOND = "low shown", "value shown", "high shown", "beyond"
_BAND_LOW, _BAND_HIGH = "band low shown", "band high shown"


def ordered_intervals(
    frame: pl.DataFrame,
    label: str,
    value: str,
    low: str,
    high: str,
    *,
    highlight: Collection[str] = (),
    title: str = "",
    series: str | None = None,
    colours: Colours = lambda names: None,
    reference: Collection[str] = (),
    within: Sequence[float] = (),
    band: tuple[str, str] | None = None,
    hover: Sequence[str] = (),
    below: Sequence[str] = (),
) -> Any:
    """One dot and whisker per row, the largest value at the top; legible with 129 rows.

    A row far from all others does not compress the scale: it stands at the edge, with an arrow and its value as text.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per dot; no label twice.
    label, value, low, high : str
        Its columns.
    highlight : collection of str
        The labels that stand out in ink; the others are grey.
    title : str
    series : str, optional
        The column that the rows are coloured by, if `colours` knows the colours of its values.
    colours : callable
        Given the values of `series`, their colours; None if they have none.
    reference : collection of str
        The labels of the rows that others are compared with: their dots are stars.
    within : sequence of float
        Values that the axis always contains, each marked by a line, such as 0 for differences.
    band : pair of str, optional
        The columns with the ends of a broad light bar behind each dot, such as from the lowest to the highest mean
        that is not shown to differ.
    hover : sequence of str
        Further columns shown when pointing at a row.
    below : sequence of str
        Sentences below the title.

    Returns
    -------
    altair.LayerChart
    """
    import polars as pl

    step = 17 if frame.height <= 50 else 14
    ends = padded(robust_span(frame.select(value, low, high).iter_rows(), within))
    shown = {_VALUE: value, _LOW: low, _HIGH: high}
    if band is not None:
        shown |= dict(zip((_BAND_LOW, _BAND_HIGH), band, strict=True))
    # The texts of values beyond the axis.
    far = pl.Series([beyond(each, ends) for each in frame[value].to_list()], dtype=pl.String)
    rows = frame.with_columns(**_clipped_columns(frame, shown, ends), **{_BEYOND: far})
    data = data_of(rows)
    columns = (label, value, low, high, *(each for each in (series, *hover) if each))
    order = frame.sort(value, descending=True, nulls_last=True)[label].to_list()
    base = {"y": named_rows(label, order), "tooltip": tooltips(frame, columns)}
    colour = _dot_colour(frame, label, series, colours, highlight)
    scale = {"domain": list(ends), "nice": False, "zero": False}
    across = NumberAxis(value, scale, {"tickCount": 6, "labelOverlap": True})
    whisker = {**base, "x": across.of(_LOW), "x2": {"field": _HIGH}, "color": colour}
    dot = {**base, "x": across.of(_VALUE), "color": colour, "shape": _dot_shape(label, reference)}
    layers = [
        *([_band_layer(data, base, across, step)] if band is not None else []),
        *(rule({"x": across.at(each)}, color=INK) for each in within),
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": whisker},
        {"data": data, "mark": {"type": "point", "size": 3.4 * step, "opacity": 1}, "encoding": dot},
        *_text_layers(rows, base, across),
    ]
    return finished({"layer": layers, "width": 420, "height": step * frame.height}, title, below)


def _band_layer(data: dict[str, Any], base: dict[str, Any], across: NumberAxis, step: int) -> dict[str, Any]:
    mark = {"type": "rule", "strokeWidth": round(0.6 * step), "color": FAINT, "strokeCap": "butt"}
    return {"data": data, "mark": mark, "encoding": {**base, "x": across.of(_BAND_LOW), "x2": {"field": _BAND_HIGH}}}


def _clipped_columns(frame: pl.DataFrame, names: Mapping[str, str], ends: tuple[float, float]) -> dict[str, pl.Series]:
    """Columns clipped to the axis, under new names (name -> column)."""
    import polars as pl

    return {
        name: pl.Series([clipped(each, ends) for each in frame[column].to_list()], dtype=pl.Float64)
        for name, column in names.items()
    }


def _text_layers(rows: pl.DataFrame, base: dict[str, Any], across: NumberAxis) -> list[dict[str, Any]]:
    """The texts of values beyond the axis."""
    text = {"type": "text", "fontSize": LETTERS, "color": INK}
    layers: list[dict[str, Any]] = []
    for arrow, align, dx in (("←", "left", 9), ("→", "right", -9)):
        some = rows.filter(rows[_BEYOND].str.starts_with(arrow))
        if some.height:
            where = {**base, "x": across.of(_VALUE), "text": {"field": _BEYOND, "type": "nominal"}}
            layers.append({"data": data_of(some), "mark": {**text, "align": align, "dx": dx}, "encoding": where})
    return layers


def _dot_shape(label: str, reference: Collection[str]) -> dict[str, Any]:
    if not reference:
        return value("circle")
    chosen = {"field": field_name(label), "oneOf": sorted(reference)}
    return {"condition": {"test": chosen, **value(STAR)}, **value("circle")}


def _dot_colour(
    frame: pl.DataFrame, label: str, series: str | None, colours: Colours, highlight: Collection[str]
) -> dict[str, Any]:
    if highlight:
        chosen = {"field": field_name(label), "oneOf": sorted(highlight)}
        return {"condition": {"test": chosen, **value(INK)}, **value(MUTED)}
    names = in_order(frame, series) if series is not None else []
    known = colours(names) if names else None
    if series is None or not known:
        return value(INK)
    scale = {"domain": names, "range": known}
    return {"field": field_name(series), "type": "nominal", "title": series, "scale": scale}


# A line of a collection, the least height of a row (its name has two lines), and the width of a panel, in pixels.
_FOREST_LINE, _FOREST_LEAST_HEIGHT, _FOREST_WIDTH = 16, 38, 270
# Columns that are added; no table has columns of these names.
_NUMBER, _DOT_TEXT = "number", "said"
Sides = Mapping[str, tuple[str, str, str]]


def forest(
    frame: pl.DataFrame,
    row: str,
    collection: str,
    sides: Sides,
    marks: MarkedColumn,
    *,
    title: str = "",
) -> Any:
    """A dot and an interval for every row and collection, a panel for each kind of difference.

    The number beside a dot says which collection it is.

    Parameters
    ----------
    frame : polars.DataFrame
        One line for each row and collection. Rows stand in the order in which they occur.
    row, collection : str
        Its columns. A line end in the name of a row begins its second line.
    sides : mapping
        What a panel shows -> its three columns: the difference and the ends of its interval.
    marks : MarkedColumn
        The column, such as that of verdicts, that gives the dots their colours and shapes.
    title : str

    Returns
    -------
    altair.ConcatChart
    """
    import polars as pl

    names = in_order(frame, collection)
    numbers = {name: i + 1 for i, name in enumerate(names)}
    numbered = frame.with_columns(pl.col(collection).replace_strict(numbers, return_dtype=pl.Int64).alias(_NUMBER))
    chart = {"concat": [_forest_panel(numbered, row, collection, what, sides[what], marks) for what in sides]}
    key = "Numbers tell the collections: " + ", ".join(f"{numbers[name]} {name}" for name in names) + "."
    below = [key, *([marks.hollow_note] if frame[marks.hollow].any() else [])]
    # The legend begins where the panels do: beside long names there is room for one column on a narrow page.
    laid = {"columns": len(sides), "resolve": {"scale": {"x": "independent"}}, "usermeta": {"legend": 1}}
    return finished({**chart, **laid}, title, below)


def _forest_panel(
    frame: pl.DataFrame, row: str, collection: str, what: str, side: tuple[str, str, str], marks: MarkedColumn
) -> dict[str, Any]:
    dots, ends = _forest_rows(frame, side)
    rows, collections = in_order(frame, row), in_order(frame, _NUMBER)
    across = NumberAxis(what, {"domain": list(ends), "nice": False}, {"tickCount": 5})
    offset = {"field": _NUMBER, "type": "ordinal", "sort": sorted(collections), "scale": {"paddingOuter": 0.4}}
    y = {"field": field_name(row), "type": "nominal", "sort": rows, "title": None, "axis": _row_axis()}
    hover = tooltips(frame, (row, collection, marks.name, marks.hollow, *side))
    line = {"y": y, "yOffset": offset, "tooltip": hover}
    keys = mark_channels(marks, in_order(frame, marks.name))
    whisker = {
        **line,
        "x": across.of(_LOW),
        "x2": {"field": _HIGH},
        "strokeDash": dashed_where(marks.hollow),
    }
    colour = {"color": keys["color"]} if keys else {}
    data = data_of(dots)
    layers = [
        rule({"x": {"datum": 0, "type": "quantitative", "scale": across.scale}}, color=MUTED),
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.4}, "encoding": {**whisker, **colour}},
        *mark_layers(dots, {**line, "x": across.of(_VALUE)}, keys, marks.hollow),
        _collection_numbers(data, line, across),
    ]
    height = max(_FOREST_LEAST_HEIGHT, _FOREST_LINE * len(collections) + 8) * len(rows)
    return {"layer": layers, "width": _FOREST_WIDTH, "height": height}


def _row_axis() -> dict[str, Any]:
    # A line of light grey between the rows.
    ruled = {"grid": True, "bandPosition": 0, "tickBand": "extent", "ticks": False, "domain": False}
    # Without the offset, the first of two lines of text would be centred.
    lines = {"labelExpr": r"split(datum.label, '\n')", "labelOffset": -LETTERS / 2, "labelPadding": 10}
    return {**ruled, **lines, "labelOverlap": False}


def _forest_rows(frame: pl.DataFrame, side: tuple[str, str, str]) -> tuple[pl.DataFrame, tuple[float, float]]:
    import polars as pl

    middle, low, high = side
    ends = padded(robust_span(frame.select(side).iter_rows(), within=(0.0,)), 0.12)
    texts = [
        " ".join(filter(None, [str(number), beyond(each, ends)]))
        for number, each in frame.select(_NUMBER, middle).iter_rows()
    ]
    right = pl.max_horizontal(_HIGH, _VALUE).fill_null(pl.col(_VALUE))
    clipped_to_axis = _clipped_columns(frame, {_VALUE: middle, _LOW: low, _HIGH: high}, ends)
    dots = frame.with_columns(**clipped_to_axis, **{_DOT_TEXT: pl.Series(texts)})
    return dots.with_columns(right.alias("right")), ends


def _collection_numbers(data: dict[str, Any], line: dict[str, Any], across: NumberAxis) -> dict[str, Any]:
    mark = {"type": "text", "align": "left", "dx": 6, "fontSize": LETTERS, "color": INK}
    text = {"x": across.of("right"), "text": {"field": _DOT_TEXT, "type": "nominal"}}
    return {"data": data, "mark": mark, "encoding": {**line, **text}}


_MEANS_WIDTH, _MEANS_HEIGHT = 340, 270


def binned_means(
    frame: pl.DataFrame,
    x: str,
    y: str,
    ends: tuple[str, str],
    facet: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """A dot per bin with its interval, joined by a line; all panes have one upright scale.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per bin.
    x, y : str
        Its columns.
    ends : pair of str
        The columns with the ends of the interval.
    facet : str
        A pane per value, each with a horizontal scale of its own.
    tooltip : sequence of str
        Further columns shown when pointing at a dot.
    title : str
    below : sequence of str
        Sentences below the title.
    titles : pair of str
        The titles of the axes.

    Returns
    -------
    altair.ConcatChart
    """
    high_and_low = list(padded(span(frame, y, *ends), 0.05))

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        across = number(x, title=titles[0], scale={"domain": list(padded(span(part, x), 0.04)), "nice": False})
        up = number(y, title=titles[1], scale={"domain": high_and_low, "zero": False})
        position = {"x": across, "y": up}
        bars = {"x": across, "y": {**up, "field": ends[0]}, "y2": {"field": ends[1]}}
        dots = {**position, "tooltip": tooltips(part, (x, y, *ends, *tooltip))}
        layers: list[dict[str, Any]] = [
            {"mark": {"type": "line", "stroke": MUTED, "strokeWidth": 1.2}, "encoding": position},
            {"mark": {"type": "rule", "stroke": INK, "strokeWidth": 1.4}, "encoding": bars},
            {"mark": {"type": "point", "fill": INK, "size": 40, "opacity": 1}, "encoding": dots},
        ]
        return {
            "data": data_of(part.drop(facet)),
            "layer": layers,
            "width": _MEANS_WIDTH,
            "height": _MEANS_HEIGHT,
        }

    chart = panels(frame, facet, panel, wide=_MEANS_WIDTH + 70)
    return finished({**chart, "usermeta": {"legend": 0, "least": 180}}, title, [" ".join(below)] if below else [])


_PROFILES_WIDTH, _PROFILES_HEIGHT = 360, 250
#: From this ratio of the ends of an axis on, its scale is logarithmic.
_LOGARITHMIC_FROM = 50.0


def profiles(
    frame: pl.DataFrame,
    x: str,
    y: str,
    facet: str,
    marks: Mapping[str, Mapping[str, float | None]],
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """A pane per value of `facet`: the curve, a grey band for the interval, a line at the top, a dashed one beside it.

    Parameters
    ----------
    frame : polars.DataFrame
        The points of the curves.
    x, y, facet : str
        Its columns.
    marks : mapping
        Per pane ``estimate``, ``low``, ``high``, ``beside``; None for what there is not.
    title : str
    below : sequence of str
        Sentences below the title.
    titles : pair of str
        What is said at the axes; the first stands after the name of the pane.

    Returns
    -------
    altair.ConcatChart
    """

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        name = str(part[facet][0])
        rows = part.select(x, y).sort(x).drop_nulls()
        low, high = span(rows, x)
        logarithmic = low > 0 and high / low > _LOGARITHMIC_FROM
        scale: dict[str, Any] = {"domain": [low, high], "nice": False, "zero": False}
        scale |= {"type": "log"} if logarithmic else {}
        across = number(x, title=f"{name}{titles[0]}", scale=scale)
        up = number(y, title=titles[1], scale={"domain": list(padded(span(rows, y), 0.06)), "zero": False})
        position = {"x": across, "y": up}
        hover = {**position, "tooltip": tooltips(rows, (x, y))}
        layers: list[dict[str, Any]] = [
            *_interval_band(across, marks[name], (low, high)),
            {"mark": {"type": "line", "stroke": INK, "strokeWidth": 1.8}, "encoding": position},
            {"mark": {"type": "point", "fill": INK, "size": 9, "opacity": 1}, "encoding": hover},
            *_vertical_rule(across, marks[name].get("beside"), MUTED, [5, 4]),
            *_vertical_rule(across, marks[name].get("estimate"), INK, [1, 0]),
        ]
        return {"data": data_of(rows), "layer": layers, "width": _PROFILES_WIDTH, "height": _PROFILES_HEIGHT}

    chart = panels(frame, facet, panel, wide=_PROFILES_WIDTH + 70)
    return finished({**chart, "usermeta": {"legend": 0, "least": 180}}, title, [" ".join(below)] if below else [])


def _interval_band(
    across: dict[str, Any], ends: Mapping[str, float | None], axis: tuple[float, float]
) -> list[dict[str, Any]]:
    low, high = ends.get("low"), ends.get("high")
    if low is None or high is None:
        return []
    # An interval of one value is still to be seen.
    thin = 0.004 * (axis[1] - axis[0]) * (low == high)
    values = [{"from": max(low - thin, axis[0]), "to": min(high + thin, axis[1])}]
    encoding = {"x": {**across, "field": "from"}, "x2": {"field": "to"}}
    return [{"data": {"values": values}, "mark": {"type": "rect", "fill": GRID}, "encoding": encoding}]


def _vertical_rule(across: dict[str, Any], at: float | None, colour: str, dashes: list[int]) -> list[dict[str, Any]]:
    if at is None:
        return []
    mark = {"type": "rule", "stroke": colour, "strokeDash": dashes, "strokeWidth": 1.4}
    return [{"data": {"values": [{"at": at}]}, "mark": mark, "encoding": {"x": {**across, "field": "at"}}}]
