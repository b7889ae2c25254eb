"""The charts of `recommend`: all metrics, gains over a reference, thirds of the topics, several collections."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from metameter.meta.framework.verdicts import VERDICT_STYLES
from metameter.meta.recommend.across_collections import MOST_ROWS, forest_chart
from metameter.meta.recommend.charts import metrics_chart
from metameter.meta.recommend.gains_chart import MOST_PANELS, gains_chart
from metameter.meta.recommend.terciles import tercile_chart
from metameter.metric.presets import preset

WHAT = ("consistency", "power")


def compared(rows: list[tuple[str, str, str, float, float]], **more: Any) -> pl.DataFrame:
    """A table of recommendations: metric, reference, verdict and both differences."""
    metrics, references, verdicts, *differences = zip(*rows, strict=True)
    numbers = {
        f"{what}_{end}": [value + shift for value in values]
        for what, values in zip(WHAT, differences, strict=True)
        for end, shift in (("difference", 0.0), ("low", -0.02), ("high", 0.02))
    }
    names = {"metric": metrics, "canonical": references, "verdict": verdicts}
    tau = {"tau_to_canonical": [0.9] * len(rows), "group": ["RBP(p=0.8)"] * len(rows)}
    return pl.DataFrame({**names, **numbers, **tau, **more})


def rows_of(chart: Any) -> list[dict[str, Any]]:
    return [row for rows in chart.to_dict()["datasets"].values() for row in rows]


def texts(chart: Any) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.dumps(chart.to_dict()), allowed_base_urls=[]))


RBP = [
    ("RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "worse", -0.03, -0.05),
    ("RBP(p=0.8)*fin", "RBP(p=0.8)*ERG", "mixed", 0.02, -0.03),
    ("RBP(p=0.8)*PE(beta=0.5)", "RBP(p=0.8)*ERG", "no-evidence", 0.01, 0.0),
    ("RBP(p=0.8)*avg", "RBP(p=0.8)*ERG", "better-and-similar", 0.03, 0.04),
    ("RBP(p=0.8)*ETG", "RBP(p=0.8)*ERG", "identical", 0.0, 0.0),
]


def test_gains_have_the_colours_and_shapes_of_their_verdicts() -> None:
    chart = gains_chart(compared(RBP[:4], close_call=[True, False, False, False])).to_dict()
    [panel] = chart["concat"]
    assert panel["title"] == "RBP(p=0.8)*ERG"
    [dots, hollow] = [layer for layer in panel["layer"] if layer["mark"]["type"] == "point"]
    scale = dots["encoding"]["color"]["scale"]
    assert scale["domain"] == ["better-and-similar", "worse", "mixed", "no-evidence", "reference"]
    assert scale["range"] == [VERDICT_STYLES[name].colour for name in scale["domain"]]
    assert dots["encoding"]["shape"]["scale"]["range"] == [VERDICT_STYLES[name].shape for name in scale["domain"]]
    assert [row["label"] for row in chart["datasets"][hollow["data"]["name"]]] == ["max"]
    assert any("close call" in line for line in chart["title"]["subtitle"])
    without = gains_chart(compared(RBP[:4])).to_dict()
    assert not any("close call" in line for line in without["title"]["subtitle"])


def test_metrics_with_the_same_numbers_share_a_dot() -> None:
    table = compared(RBP).with_columns(
        pl.when(pl.col("verdict") == "identical").then(0.0).otherwise(pl.col(f"{what}_{end}")).alias(f"{what}_{end}")
        for what in WHAT
        for end in ("low", "high")
    )
    assert "ERG* = ETG" in texts(gains_chart(table))


def test_an_outlying_metric_does_not_compress_the_panel() -> None:
    far = [*RBP[:4], ("RBP(p=0.8)*ETG", "RBP(p=0.8)*ERG", "worse", -0.4, -0.04)]
    chart = gains_chart(compared(far)).to_dict()
    scale = next(layer for layer in chart["concat"][0]["layer"] if "y" in layer["encoding"])["encoding"]["y"]["scale"]
    across = [
        layer["encoding"]["x"]["scale"]["domain"] for layer in chart["concat"][0]["layer"] if "x" in layer["encoding"]
    ]
    assert all(-0.1 < low < 0.0 < high < 0.1 for low, high in across)
    assert scale["domain"][0] > -0.1
    [row] = [
        row
        for rows in chart["datasets"].values()
        for row in rows
        if row.get("metric") == "RBP(p=0.8)*ETG" and "dx" in row
    ][:1]
    assert row["label"] == "ETG ← −.400"
    assert row["x"] == across[0][0]
    assert row["consistency_difference"] == -0.4
    assert any("beyond the frame" in line for line in chart["title"]["subtitle"])


def test_references_can_be_any_metrics() -> None:
    rows = [("AP", "nDCG@10", "same", 0.001, 0.002), ("RBP(p=0.8)*ERG", "nDCG@10", "worse", -0.03, 0.0)]
    drawn = texts(gains_chart(compared(rows)))
    # Metrics of different models are called by their whole names.
    assert "RBP(p=0.8)*ERG" in drawn
    assert "nDCG@10*" in drawn


def test_the_first_of_many_references_are_drawn() -> None:
    rows = [("AP", f"P@{k}", "worse", -0.01 * k, 0.0) for k in range(1, 16)]
    chart = gains_chart(compared(rows)).to_dict()
    assert len(chart["concat"]) == MOST_PANELS
    assert "The first 12 of 15 references; the table has all." in chart["title"]["subtitle"]


def every(names: list[str], **more: Any) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    consistency, power = rng.uniform(0.6, 0.8, len(names)), rng.uniform(0.2, 0.4, len(names))
    beaten = (consistency[:, None] < consistency) & (power[:, None] < power)
    columns = {"metric": names, "consistency": consistency, "power": power, "front": ~beaten.any(axis=1), **more}
    return pl.DataFrame(columns)


def test_front_and_named_metrics_of_49_are_labelled() -> None:
    names = [*preset("chen-sakai-2023"), *(f"P@{k}" for k in range(1, 11))]
    table = every(names)
    labels = [row["label"] for row in rows_of(metrics_chart(table)) if "canonical" in row]
    front = set(table.filter("front")["metric"])
    shown = {label for label in labels if label}
    assert front | {f"P@{k}" for k in range(1, 11)} == shown
    assert len(names) == 49
    # Asked for by the table, too.
    few = every(names, named=[name == "P@3" for name in names])
    assert {row["label"] for row in rows_of(metrics_chart(few)) if row.get("label")} == front | {"P@3"}


def test_names_of_all_metrics_do_not_overlap() -> None:
    table = every([f"P@{k}" for k in range(1, 21)])
    rows = {row["metric"]: row for row in rows_of(metrics_chart(table)) if row.get("label")}
    from metameter.view.charts.label_positions import LETTER, LINE, Box, Panel

    chart = metrics_chart(table).to_dict()
    encoding = chart["layer"][2]["encoding"]
    panel = Panel(*(tuple(encoding[side]["scale"]["domain"]) for side in ("x", "y")), chart["width"], chart["height"])
    boxes = []
    for row in rows.values():
        x, y = panel.pixels(row["x"], row["y"])
        half = LETTER * len(row["label"]) / 2
        middle = x + row["dx"], y + row["dy"]
        boxes.append(Box(middle[0] - half, middle[1] - LINE / 2, middle[0] + half, middle[1] + LINE / 2))
    overlaps = [a.shared(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]]
    assert len(boxes) == 20
    assert max(overlaps) < 0.2 * LINE * LETTER * 3


def test_metrics_with_equal_figures_form_one_dot() -> None:
    table = pl.DataFrame({"metric": ["AP", "RR", "P@5"], "consistency": [0.7, 0.7, 0.5], "power": [0.3, 0.3, 0.4]})
    rows = [row for row in rows_of(metrics_chart(table.with_columns(front=pl.lit(True)))) if "metrics" in row]
    assert {row["metrics"] for row in rows} == {"AP = RR", "P@5"}
    assert "AP and 1 alike" in {row["label"] for row in rows}


def thirds(**more: list[float]) -> pl.DataFrame:
    names = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"]
    rows = [(name, third) for name in names for third in ("hard", "medium", "easy")]
    about = {"topics": [5] * 6, "group": ["RBP(p=0.8)"] * 6, "canonical": names[:1] * 6}
    numbers = {"mean_tau": [0.5, 0.6, 0.7, 0.4, 0.5, 0.6], "power": [0.1, 0.2, 0.3, 0.2, 0.3, 0.4], **more}
    metric, tercile = zip(*rows, strict=True)
    canonical = {"is_canonical": [name == names[0] for name in metric]}
    return pl.DataFrame({"metric": metric, "tercile": tercile, **about, **numbers, **canonical})


def test_terciles_show_their_errors_if_known() -> None:
    def bars(table: pl.DataFrame) -> list[bool]:
        panels = tercile_chart(table).to_dict()["concat"]
        return [any(layer["mark"]["type"] == "rule" for layer in panel["layer"]) for panel in panels]

    error = [0.01] * 6
    assert bars(thirds()) == [False, False]
    assert bars(thirds(mean_tau_se=error)) == [True, False]
    assert bars(thirds(mean_tau_se=error, power_se=error)) == [True, True]
    assert bars(thirds(power_error=error)) == [False, True]
    chart = tercile_chart(thirds(mean_tau_se=error)).to_dict()
    first = chart["datasets"]["data-1"][0]
    assert (first["low"], first["value"], first["high"]) == pytest.approx((0.5 - 0.0196, 0.5, 0.5 + 0.0196))
    assert chart["title"]["subtitle"] == ["Bars: Monte-Carlo error, 95%."]


def test_a_forest_orders_verdicts_and_numbers_collections() -> None:
    one = compared(RBP)
    two = one.with_columns(
        pl.Series("verdict", ["no-evidence", "no-evidence", "same", "better-and-similar", "identical"])
    )
    chart = forest_chart({"TREC-8": one, "robust": two}).to_dict()
    assert [panel["layer"][1]["encoding"]["x"]["title"] for panel in chart["concat"]] == [
        "difference in consistency",
        "difference in power",
    ]
    rows = chart["concat"][0]["layer"][1]["encoding"]["y"]["sort"]
    # Identical metrics differ in nothing.
    assert [row.partition("\n")[0].partition("*")[2] for row in rows] == ["avg", "max", "fin", "PE(beta=0.5)"]
    assert rows[0] == "RBP(p=0.8)*avg\nvs RBP(p=0.8)*ERG"
    assert chart["title"]["subtitle"][0] == "Numbers tell the collections: 1 TREC-8, 2 robust."


def test_a_forest_has_at_most_twenty_rows() -> None:
    many = compared([(f"P@{k}", "AP", "no-evidence", 0.001 * k, 0.0) for k in range(1, 30)])
    chart = forest_chart({"a": many, "b": many.head(5)}).to_dict()
    assert len(chart["concat"][0]["layer"][1]["encoding"]["y"]["sort"]) == MOST_ROWS == 20
    assert chart["title"]["text"].endswith("; 9 more comparisons are in the table")


def test_a_forest_needs_two_collections_and_a_verdict() -> None:
    table = compared(RBP)
    assert forest_chart({"a": table}) is None
    assert forest_chart({"a": table, "b": table.clear()}) is None
    assert forest_chart({"a": table.tail(1), "b": table.tail(1)}) is None
    nothing = table.with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in table.columns if name.endswith(("low", "high"))
    )
    assert forest_chart({"a": nothing, "b": nothing}).to_dict()["concat"]


def test_no_whisker_runs_along_the_frame() -> None:
    far = [*RBP[:4], ("RBP(p=0.8)*ETG", "RBP(p=0.8)*ERG", "worse", -0.4, -0.5)]
    rows = [row for row in rows_of(gains_chart(compared(far))) if row.get("label", "").startswith("ETG")]
    assert rows[0]["label"] == "ETG ← −.400 ↓ −.500"
    assert {row[end] for row in rows for end in ("left", "right", "bottom", "top")} == {None}
