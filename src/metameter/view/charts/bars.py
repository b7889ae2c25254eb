"""Bars and steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.axes import padded, spaced
from metameter.view.charts.channels import data_of, field_name, number, panels, rule, span, tooltips, value
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import ACROSS, INK, LETTERS, LEVELS, MUTED, PAPER, level_colours
from metameter.view.tables.cells import plain

if TYPE_CHECKING:
    import polars as pl


_SHARES_WIDTH, _SHARES_HEIGHT = 340, 300
# From sand over grey to slate, none the colour of a verdict; they are the same on a dark page.
_SHARE_COLOURS = ("#C9A25C", "#D9D9D9", "#4A627B")
# Below the shares: the gap, and the length of the bar of the highest count, both in units of the shares.
_GAP, _COUNT_DEPTH = 0.06, 0.24
# The least width of a bin, such as one of a single value, as a share of the axis.
_LEAST_BIN = 0.012
# The axis has numbers for shares only; a tooltip says how many cases a bin has.
_SHARE_AXIS = {"values": [0, 0.25, 0.5, 0.75, 1], "format": "%", "grid": False}


def share_bars(
    frame: pl.DataFrame,
    ends: tuple[str, str],
    shares: Sequence[tuple[str, str]],
    count: str,
    facet: str,
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """A stack per bin: the first share at the bottom; hanging below it a grey bar for the number of cases.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per bin.
    ends : pair of str
        The columns with the ends of the bin.
    shares : three pairs of str
        The columns with the shares, and what they are called in the legend.
    count, facet : str
        The columns with the number of cases, and of the panes; bars of counts are to be compared within a pane.
    title : str
    below : sequence of str
        Sentences below the title.
    titles : pair of str
        The titles of the axes.

    Returns
    -------
    altair.ConcatChart
    """

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        return {
            **_stack_layers(part, ends, shares, count, titles),
            "width": _SHARES_WIDTH,
            "height": _SHARES_HEIGHT,
            "title": {
                "text": str(part[facet][0]),
                "subtitle": f"{max(part[count].to_list()):,} {count} at most in a bar",
            },
        }

    chart = panels(frame, facet, panel, wide=_SHARES_WIDTH + 70)
    return finished({**chart, "usermeta": {"legend": 2, "least": 180}}, title, below)


def _stack_layers(
    part: pl.DataFrame,
    ends: tuple[str, str],
    shares: Sequence[tuple[str, str]],
    count: str,
    titles: tuple[str, str],
) -> dict[str, Any]:
    """The stacks, and the bars of counts that hang below them."""
    names = [name for _, name in shares]
    edges = padded(span(part, *ends), 0.02)
    rows = _stack_rows(part, ends, shares, count, edges)
    across = number("from", title=titles[0], scale={"domain": list(edges), "nice": False, "zero": False})
    scale = {"domain": [-_GAP - _COUNT_DEPTH, 1], "nice": False}
    up = number("bottom", title=titles[1], scale=scale, axis=_SHARE_AXIS)
    bin_: dict[str, Any] = {"x": across, "x2": {"field": "to"}}
    hover: dict[str, Any] = {"tooltip": tooltips(rows, (*ends, "answer", "share", count))}
    stacks = {**bin_, "y": up, "y2": {"field": "top"}, "color": _stack_colour(names), **hover}
    counts = {**bin_, "y": {**up, "field": "hung"}, "y2": {"datum": -_GAP}, **hover}
    # One bar per bin, not one per answer.
    one_per_bin = [{"filter": f"datum.answer === {json.dumps(names[0])}"}]
    layers = [
        {"mark": {"type": "rect", "stroke": PAPER, "strokeWidth": 0.4}, "encoding": stacks},
        {"mark": {"type": "rect", "fill": MUTED}, "encoding": counts, "transform": one_per_bin},
    ]
    return {"data": data_of(rows), "layer": layers}


def _stack_colour(names: list[str]) -> dict[str, Any]:
    scale = {"domain": names, "range": list(_SHARE_COLOURS)}
    legend = {"orient": "top", "direction": "horizontal", "title": None, "columns": 3, "symbolStrokeWidth": 0}
    return {"field": "answer", "type": "nominal", "sort": names, "scale": scale, "legend": legend}


def _stack_rows(
    part: pl.DataFrame, ends: tuple[str, str], shares: Sequence[tuple[str, str]], count: str, edges: tuple[float, float]
) -> pl.DataFrame:
    """A row for each bin and answer, with the ends of its bar."""
    import polars as pl

    least = _LEAST_BIN * (edges[1] - edges[0]) / 2
    most = max([*part[count].to_list(), 1])
    rows: list[dict[str, Any]] = []
    for bin_ in part.sort(*ends).iter_rows(named=True):
        low, high = (bin_[end] for end in ends)
        middle, half = (low + high) / 2, max((high - low) / 2, least)
        bottom = 0.0
        shared = {ends[0]: low, ends[1]: high, count: bin_[count], "from": middle - half, "to": middle + half}
        for column, name in shares:
            share = bin_[column] or 0.0
            hung = -_GAP - _COUNT_DEPTH * bin_[count] / most
            rows.append(
                {**shared, "answer": name, "share": share, "bottom": bottom, "top": bottom + share, "hung": hung}
            )
            bottom += share
    floats = dict.fromkeys((*ends, "from", "to", "share", "bottom", "top", "hung"), pl.Float64)
    # More digits than can be seen would only make pages larger.
    return pl.DataFrame(rows, schema_overrides=floats).with_columns(pl.col(pl.Float64).round(5))


_STEPS_WIDTH, _STEPS_HEIGHT = 340, 270


def level_steps(
    frame: pl.DataFrame,
    x: str,
    share: str,
    level: str,
    facet: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str, str] = ("", "", ""),
) -> Any:
    """One step line per level, which rises from 0 to 1; the order of the levels is that of their colours.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per step: from `x` on the share holds, until the next step.
    x, share, level, facet : str
        Its columns; a pane per value of `facet`, each with a horizontal scale of its own.
    tooltip : sequence of str
        Further columns shown when pointing at a line.
    title : str
    below : sequence of str
        Sentences below the title.
    titles : three of str
        The titles of the axes and of the legend.

    Returns
    -------
    altair.ConcatChart
    """
    levels = sorted(frame[level].unique().to_list())
    some_levels = spaced(levels, len(LEVELS))
    rows = frame.filter(frame[level].is_in(some_levels)).sort(facet, level, x, maintain_order=True)
    # Panes stand in the order in which the frame names them.
    order = {name: rank for rank, name in enumerate(frame[facet].unique(maintain_order=True).to_list())}
    rows = rows.sort(rows[facet].replace_strict(order), maintain_order=True)
    names = [_level_name(each) for each in some_levels]
    scale = {"domain": names, "range": level_colours(len(names))}
    legend = {"symbolType": "stroke", "symbolSize": 300, "orient": "top", "direction": "horizontal", "columns": 9}
    colour = {"field": "level shown", "type": "nominal", "sort": names, "scale": scale, "title": titles[2]}
    upright = number(share, title=titles[1], scale={"domain": [0, 1]}, axis={"format": "%", "tickCount": 5})

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        ends = padded(span(part, x), 0.04)
        steps = _full_width_steps(part, x, share, level, ends)
        encoding = {
            "x": number(x, title=titles[0], scale={"domain": list(ends), "nice": False, "zero": False}),
            "y": upright,
            "color": {**colour, "legend": legend},
            "tooltip": tooltips(steps, (level, x, share, *tooltip)),
        }
        mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2.2}
        return {
            "data": data_of(steps.drop(facet)),
            "mark": mark,
            "encoding": encoding,
            "width": _STEPS_WIDTH,
            "height": _STEPS_HEIGHT,
        }

    chart = panels(rows, facet, panel, wide=_STEPS_WIDTH + 70)
    notes = [
        *below,
        *([f"Drawn: {len(some_levels)} of {len(levels)} levels."] if len(some_levels) < len(levels) else []),
    ]
    return finished({**chart, "usermeta": {"legend": 3, "least": 180}}, title, [" ".join(notes)] if notes else [])


def _full_width_steps(part: pl.DataFrame, x: str, share: str, level: str, ends: tuple[float, float]) -> pl.DataFrame:
    """The steps with a first point at 0 and a last one, so that every line is as wide as the pane."""
    import polars as pl

    steps_of_levels = []
    for one in part.partition_by(level, maintain_order=True):
        first = one.head(1).with_columns(pl.lit(ends[0]).alias(x), pl.lit(0.0).alias(share))
        last = one.tail(1).with_columns(pl.lit(ends[1]).alias(x))
        steps_of_levels += [
            first,
            one.with_columns(pl.col(x, share).cast(pl.Float64)),
            last.with_columns(pl.col(share).cast(pl.Float64)),
        ]
    # More digits than can be seen would only make pages larger.
    steps = pl.concat(steps_of_levels).with_columns(pl.col(x, share).round(5))
    names = [_level_name(each) for each in steps[level].to_list()]
    return steps.with_columns(pl.Series("level shown", names, dtype=pl.String))


def _level_name(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


_SIGNED_HEIGHT, _SIGNED_LEAST_WIDTH = 260, 200
# The width of a bar with its name, and the most bars that have names.
_BAR_STEP, _MOST_NAMED = 16, 60
# Above and below zero, distinguishable with any colour vision; neither is the colour of a verdict.
_ABOVE, _BELOW = "#4A627B", "#C9A25C"


def signed_bars(
    frame: pl.DataFrame,
    label: str,
    value: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] = ("", ""),
) -> Any:
    """One bar per row, the largest value first, and a line at their mean; names below them where there is room.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per bar; no label twice.
    label, value : str
        Its columns.
    tooltip : sequence of str
        Further columns shown when pointing at a bar.
    title : str
    below : sequence of str
        Sentences below the title.
    titles : pair of str
        The titles of the axes.

    Returns
    -------
    altair.LayerChart
    """
    order = frame.sort(value, descending=True, nulls_last=True, maintain_order=True)
    named = frame.height <= _MOST_NAMED
    # In a chart narrower than its default width, names that would overlap are left out.
    axis = {"labelAngle": -90, "labelOverlap": True, "ticks": False, "labels": named, "labelLimit": 120}
    x = {
        "field": field_name(label),
        "type": "nominal",
        "sort": order[label].to_list(),
        "title": titles[0],
        "axis": axis,
        # Many bars leave no room between them.
        "scale": {"paddingInner": 0.2 if named else 0},
    }
    y = number(value, title=titles[1], scale={"zero": True}, axis={"tickCount": 7})
    bars = {"x": x, "y": y, "color": _sign_colour(value), "tooltip": tooltips(frame, (label, value, *tooltip))}
    layers = [
        {"data": data_of(order), "mark": {"type": "bar"}, "encoding": bars},
        rule({"y": {"datum": 0.0, "type": "quantitative"}}, color=MUTED),
        *_mean_layers(order, value),
    ]
    wide = max(_SIGNED_LEAST_WIDTH, _BAR_STEP * frame.height) if named else ACROSS
    return finished(
        {"layer": layers, "width": wide, "height": _SIGNED_HEIGHT, "usermeta": {"least": _SIGNED_LEAST_WIDTH}},
        title,
        below,
    )


def _sign_colour(column: str) -> dict[str, Any]:
    return {"condition": {"test": {"field": field_name(column), "gt": 0}, **value(_ABOVE)}, **value(_BELOW)}


def _mean_layers(frame: pl.DataFrame, column: str) -> list[dict[str, Any]]:
    """A line at the mean with its number, at the end where the bars leave room: they fall from left to right."""
    known = [each for each in map(plain, frame[column].to_list()) if each is not None]
    if not known:
        return []
    mean = sum(known) / len(known)
    aligned = (
        {"align": "left", "baseline": "top", "dy": 4}
        if mean < 0
        else {"align": "right", "baseline": "bottom", "dy": -3}
    )
    x = {"value": 2 if mean < 0 else "width"}
    y = {"datum": mean, "type": "quantitative"}
    at = {"y": y, "x": x, "text": value(f"mean {mean:+.4f}")}
    return [
        rule({"y": y}, color=INK, strokeDash=[4, 3]),
        {
            "data": {"values": [{}]},
            "mark": {"type": "text", "fontSize": LETTERS, "color": INK, **aligned},
            "encoding": at,
        },
    ]
