"""The chart of `agreement`: a panel per set, significant dots filled, one iteration as rows."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl
import vl_convert

from metameter.meta.agreement.procedure import agreement_chart
from metameter.view.charts import spec_json

ITERATIONS = ["1", "2", "10", "All"]


def table(iterations: list[str] = ITERATIONS, **further: Any) -> pl.DataFrame:
    rows = [
        (it, simple, rho, p, 7, rho - 0.3, 1.0)
        for simple, rho, p in (("Rel", 0.9, 0.005), ("Div", 0.44, 0.32), ("st_rec+P@10", -0.1, 0.9))
        for it in iterations
    ]
    frame = pl.DataFrame(rows, schema=["iteration", "simple", "rho", "p", "n", "low", "high"], orient="row")
    return frame.with_columns(**{name: pl.lit(value) for name, value in further.items()})


def spec(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    chart = agreement_chart(frame, **options)
    # Altair checks its own against the schema of Vega-Lite.
    assert chart.to_dict()
    made = dict(json.loads(spec_json(chart)))
    drawn = vl_convert.vegalite_to_svg(json.dumps(made), allowed_base_urls=[])
    assert re.search(r"\bnull\b(?! (mean|high))", drawn) is None
    return made


def test_each_set_has_a_panel_with_one_line() -> None:
    chart = spec(table())
    assert [panel["title"] for panel in chart["concat"]] == ["Rel", "Div", "st_rec+P@10"]
    whiskers, line, dots = chart["concat"][0]["layer"]
    assert [each["mark"]["type"] for each in (whiskers, line, dots)] == ["rule", "line", "point"]
    assert dots["encoding"]["x"]["sort"] == ["1", "2", "10", " ", "All"]
    assert line["transform"] == [{"filter": "datum.iteration !== 'All'"}]
    # One scale for all, from the lowest end of an interval.
    assert {panel["layer"][2]["encoding"]["y"]["scale"]["domain"][0] for panel in chart["concat"]} == {-0.4}
    rows = chart["datasets"][chart["concat"][1]["data"]["name"]]
    assert [(row["iteration"], row["rho"]) for row in rows] == [(it, 0.44) for it in ITERATIONS]


def test_significant_correlations_are_filled() -> None:
    def filled(chart: dict[str, Any]) -> list[set[bool]]:
        return [{row["significant"] for row in chart["datasets"][panel["data"]["name"]]} for panel in chart["concat"]]

    chart = spec(table())
    assert filled(chart) == [{True}, {False}, {False}]
    fill = chart["concat"][0]["layer"][2]["encoding"]["fill"]
    assert fill["condition"] == {"test": "datum.significant", "value": "#222222"}
    assert "Filled dots: p < 0.05. Grey: the middle 95%" in " ".join(chart["title"]["subtitle"])
    assert filled(spec(table(), alpha=0.4)) == [{True}, {True}, {False}]


def test_one_iteration_has_a_row_per_set() -> None:
    chart = spec(table(["1"]))
    assert [layer["mark"]["type"] for layer in chart["layer"]] == ["rule", "point"]
    assert chart["layer"][1]["encoding"]["y"]["sort"] == ["Rel", "Div", "st_rec+P@10"]
    assert chart["layer"][1]["encoding"]["x"]["field"] == "rho"


def test_unknown_correlations_are_left_out_and_intervals_are_optional() -> None:
    gap = table().with_columns(pl.when(pl.col("iteration") != "2").then(name).alias(name) for name in ("rho", "p"))
    chart = spec(gap)
    rows = chart["datasets"][chart["concat"][0]["data"]["name"]]
    assert [row["rho"] for row in rows] == [0.9, None, 0.9, 0.9]
    assert [row["significant"] for row in rows] == [True, False, True, True]
    assert (rows[1]["low"], rows[1]["high"]) == (None, None)
    bare = spec(table().drop("low", "high"))
    assert "Grey" not in " ".join(bare["title"]["subtitle"])
    assert all(row["low"] == row["rho"] for row in bare["datasets"][bare["concat"][0]["data"]["name"]])


def test_rows_over_all_collections_are_shown_if_present() -> None:
    a, b = (table(collection=name) for name in ("dd-16", "dd-17"))
    assert "Shown: dd-16, the first of 2 collections." in " ".join(spec(pl.concat([a, b]))["title"]["subtitle"])
    every = pl.concat([a, b, table(collection="All").with_columns(rho=pl.lit(0.25))])
    chart = spec(every)
    assert "Shown: all 2 collections together." in " ".join(chart["title"]["subtitle"])
    assert {row["rho"] for rows in chart["datasets"].values() for row in rows} == {0.25}


def test_iterations_can_be_numbers() -> None:
    frame = table(["1", "2", "10"]).with_columns(pl.col("iteration").cast(pl.Int64))
    assert spec(frame)["concat"][0]["layer"][2]["encoding"]["x"]["sort"] == ["1", "2", "10"]


def test_a_dash_marks_the_95_percent_point_of_permuted_metrics() -> None:
    chart = spec(table(null_mean=0.5, null_high=0.8))
    layers = chart["concat"][0]["layer"]
    assert [each["mark"]["type"] for each in layers] == ["rule", "line", "tick", "point"]
    assert layers[2]["encoding"]["y"]["field"] == "null_high"
    assert "Dashes: the 95% point of rho with the metrics permuted" in " ".join(chart["title"]["subtitle"])
    one = spec(table(["1"], null_mean=0.5, null_high=0.8))
    assert [each["mark"]["type"] for each in one["layer"]] == ["rule", "tick", "point"]
