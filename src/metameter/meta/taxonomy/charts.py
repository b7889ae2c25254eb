"""The taxonomy as a chart: one square per combination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.view.charts.channels import data_of, in_order, tooltips
from metameter.view.charts.specification import finished
from metameter.view.charts.theme import INK, LETTERS, PAPER

if TYPE_CHECKING:
    import polars as pl


# Light fills under dark text; none is the colour of a verdict.
_FILLS = {"named": "#B7C3CF", "metric": "#EDF0F3", "order-insensitive": "#E6DFC4", "constant": "#D9D9D9"}
_MEANINGS = {
    "named": "a metric with a name",
    "metric": "a metric without a name",
    "order-insensitive": "XX: the order does not matter",
    "constant": "X: a constant",
}
_WIDTH, _HEIGHT = 88, 26
_AXIS = {"title": None, "labelAngle": 0, "ticks": False, "domain": False}
_TITLE = "What browsing models and aggregations make together"


def squares(frame: pl.DataFrame) -> Any:
    """One square per row of the taxonomy, with its ``label``; hovering over it shows the whole row."""
    import polars as pl

    kind = pl.when(pl.col("name").is_not_null()).then(pl.lit("named")).otherwise(pl.col("class"))
    labelled = frame.with_columns(what=kind.replace_strict(_MEANINGS), user_of=pl.format("{} ({})", "browse", "user"))
    across, down = in_order(labelled, "aggregate"), in_order(labelled, "user_of")
    position = {
        "x": {"field": "aggregate", "type": "nominal", "sort": across, "axis": {**_AXIS, "orient": "top"}},
        "y": {"field": "user_of", "type": "nominal", "sort": down, "axis": _AXIS},
        "tooltip": tooltips(labelled, [column for column in frame.columns if column != "label"]),
    }
    text = {"text": {"field": "label", "type": "nominal"}}
    data = data_of(labelled)
    layers = [
        {"data": data, "mark": {"type": "rect", "stroke": PAPER}, "encoding": {**position, "color": _fill(labelled)}},
        {"data": data, "mark": {"type": "text", "fontSize": LETTERS, "color": INK}, "encoding": {**position, **text}},
    ]
    sized = {"width": _WIDTH * len(across), "height": _HEIGHT * len(down)}
    return finished({"layer": layers, **sized}, _TITLE)


def _fill(labelled: pl.DataFrame) -> dict[str, Any]:
    present = [kind for kind in _FILLS if _MEANINGS[kind] in set(labelled["what"])]
    scale = {"domain": [_MEANINGS[each] for each in present], "range": [_FILLS[each] for each in present]}
    return {
        "field": "what",
        "type": "nominal",
        "scale": scale,
        "legend": {"orient": "bottom", "title": None, "columns": 2},
    }
