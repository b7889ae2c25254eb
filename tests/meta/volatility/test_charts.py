"""The charts of `volatility` on its tables: which there are, in which order, and what they say."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from metameter.meta.volatility.charts import charts_of
from metameter.view.charts import spec_json, specifications

METRICS = ["AP(norm=pool)", "AP", "AP(norm=min)", "nDCG"]
DEPTHS, POOLS = [5, 10, 100], [10, 100]
Tables = dict[str, pl.DataFrame]


def tables(metrics: list[str] = METRICS, kinds: tuple[bool, ...] = (False, True), grid: bool = True) -> Tables:
    rng = np.random.default_rng(0)
    panes = [(metric, kind) for metric in metrics for kind in kinds]
    points = [(*pane, f"s{i}", depth, rng.uniform()) for pane in panes for i in range(6) for depth in DEPTHS]
    cells = [(*pane, pool, depth) for pane in panes for pool in POOLS for depth in DEPTHS]
    tau = {"tau_to_final": [0.5, 0.8, 1.0] * (len(cells) // 3), "low": 0.4, "high": 1.0}
    empty = pl.lit(None, dtype=pl.Int64)
    counts = {"discriminated": [4, 6, 8] * (len(cells) // 3), "lost": [2, 1, 0] * (len(cells) // 3)}
    reverse = [1, 0, 0] * (len(cells) // 3)
    shares = {"kept": [0.125, 0.625, 1.0] * (len(cells) // 3), "power": [4 / 15, 0.4, 8 / 15] * (len(cells) // 3)}
    summary = pl.DataFrame(cells, schema=["metric", "condensed", "pool_depth", "depth"], orient="row").with_columns(
        **{name: pl.Series(given) if isinstance(given, list) else pl.lit(given) for name, given in tau.items()},
        **{name: pl.Series(given) if grid else empty for name, given in {**counts, "reversed": reverse}.items()},
        pairs=pl.lit(15),
        **{name: pl.Series(given) if grid else empty for name, given in shares.items()},
    )
    settled = pl.DataFrame(panes, schema=["metric", "condensed"], orient="row").with_columns(
        threshold=pl.lit(0.9), depth=pl.lit(10), low=pl.lit(5), high=pl.lit(100), tau_at_pool_depth=pl.lit(0.95)
    )
    chosen = settled.select("metric", "condensed", pool_depth=pl.lit(100), depth="depth")
    planning = chosen.with_columns(
        judgments=pl.lit(900),
        share=pl.lit(0.5),
        kept=pl.lit(0.96),
        reversed=pl.lit(0),
        holds=pl.lit(0.8),
        verdicts=pl.lit(8),
        sure_share=pl.lit(0.5),
        sure_pool_depth=pl.lit(100),
        sure_depth=pl.lit(10),
    )
    made = {
        "volatility": pl.DataFrame(points, schema=["metric", "condensed", "system", "depth", "score"], orient="row"),
        "volatility_summary": summary,
        "volatility_settled": settled,
        "marked": pl.DataFrame(
            [(*pane, "s0", "best") for pane in panes], schema=["metric", "condensed", "system", "mark"], orient="row"
        ),
    }
    return made | ({"volatility_planning": planning} if grid else {})


def drawn(given: Tables, pool_depth: int | None = 10) -> dict[str, Any]:
    with specifications():
        return {
            name: json.loads(spec_json(chart)) for name, chart in charts_of(given, pool_depth, threshold=0.9).items()
        }


def squares(chart: dict[str, Any], pane: int = 0) -> list[dict[str, Any]]:
    return list(chart["datasets"][chart["concat"][pane]["data"]["name"]])


def test_charts_are_ordered_by_importance() -> None:
    assert list(drawn(tables())) == [
        "volatility",
        "volatility_settled",
        "volatility_tau",
        "volatility_ap",
        "volatility_power",
        "volatility_kept",
        "volatility_reversed",
    ]
    assert list(drawn(tables(grid=False)))[-1] == "volatility_ap"
    assert "volatility_ap" not in drawn(tables(["AP", "nDCG"]))


def test_the_normalisations_of_average_precision_share_one_scale() -> None:
    chart = drawn(tables())["volatility_ap"]
    assert [pane["title"] for pane in chart["concat"]] == ["AP(norm=min)", "AP", "AP(norm=pool)"]
    assert chart["columns"] == 3
    scales = {json.dumps(pane["layer"][0]["encoding"]["y"]["scale"]) for pane in chart["concat"]}
    assert len(scales) == 1
    assert "AP(norm=min) by min(k, R), AP by R" in " ".join(chart["title"]["subtitle"])
    two = drawn(tables(METRICS[:2]))["volatility_ap"]
    assert [pane["title"] for pane in two["concat"]] == ["AP", "AP(norm=pool)"]
    assert "min(k, R)" not in " ".join(two["title"]["subtitle"])


def test_tau_uses_all_judgments() -> None:
    chart = drawn(tables())["volatility_tau"]
    line = next(layer for layer in chart["concat"][0]["layer"] if "strokeDash" in layer["encoding"])
    assert len(chart["datasets"][line["data"]["name"]]) == 2 * len(DEPTHS)
    without = tables()
    deepest = pl.when(pl.col("pool_depth") == 10).then("pool_depth").alias("pool_depth")
    without["volatility_summary"] = without["volatility_summary"].with_columns(deepest)
    again = drawn(without)["volatility_tau"]
    assert again["datasets"] == chart["datasets"]


def test_grids_outline_the_chosen_cell() -> None:
    charts = drawn(tables())
    kept = charts["volatility_kept"]
    assert [pane["title"] for pane in kept["concat"]][:2] == ["AP(norm=pool)", "AP(norm=pool), condensed"]
    # The deepest pool, that of all judgments, at the top, as on an axis.
    assert kept["concat"][0]["encoding"]["y"]["sort"] == ["all", "10"]
    assert kept["concat"][0]["encoding"]["x"]["sort"] == DEPTHS
    cells = {(row["pool depth"], row["evaluation depth"]): row for row in squares(kept)}
    assert [cells["all", depth]["kept"] for depth in DEPTHS] == [1 / 8, 5 / 8, 1.0]
    assert [key for key, row in cells.items() if row["chosen"]] == [("all", 10)]
    assert any("Framed" in line for line in kept["title"]["subtitle"])
    power = {(row["pool depth"], row["evaluation depth"]): row for row in squares(charts["volatility_power"])}
    assert power["10", 10]["power"] == pytest.approx(6 / 15)
    assert {row["reversed"] for row in squares(charts["volatility_reversed"])} == {0, 1}


def test_impossible_cells_are_empty() -> None:
    given = tables()
    impossible = (pl.col("pool_depth") == 100) & (pl.col("depth") == 5)
    given["volatility_summary"] = given["volatility_summary"].with_columns(
        pl.when(~impossible).then(name).alias(name) for name in ("discriminated", "lost", "reversed", "kept")
    )
    kept = drawn(given)["volatility_kept"]
    assert len(squares(kept)) == len(POOLS) * len(DEPTHS) - 1
    assert kept["concat"][0]["encoding"]["x"]["scale"]["domain"] == DEPTHS


def test_without_reversed_verdicts_their_chart_is_absent() -> None:
    given = tables()
    given["volatility_summary"] = given["volatility_summary"].with_columns(reversed=pl.lit(0))
    assert "volatility_reversed" not in drawn(given)
    assert "volatility_kept" in drawn(given)


def test_charts_prefer_the_numbers_of_the_table() -> None:
    given = tables()
    given["volatility_summary"] = given["volatility_summary"].with_columns(kept=pl.lit(0.25), power=pl.lit(0.75))
    charts = drawn(given)
    assert {row["kept"] for row in squares(charts["volatility_kept"])} == {0.25}
    assert {row["power"] for row in squares(charts["volatility_power"])} == {0.75}


def test_a_pool_depth_beyond_all_depths_is_stated() -> None:
    below = drawn(tables(), pool_depth=200)["volatility"]["title"]["subtitle"]
    assert "All depths are within the pool depth, 200." in " ".join(below)
    assert "pool depth" not in " ".join(drawn(tables(), pool_depth=None)["volatility"]["title"]["subtitle"])


def test_empty_tables_give_no_charts() -> None:
    assert drawn({}) == {}
    assert drawn({name: frame.clear() for name, frame in tables().items()}) == {}
    assert list(drawn({"volatility": tables(["nDCG"])["volatility"]})) == ["volatility"]


@pytest.mark.parametrize("kinds", [(False,), (True,)])
def test_plain_or_condensed_scores_alone_are_sufficient(kinds: tuple[bool, ...]) -> None:
    charts = drawn(tables(["a.[b]", 'c"d<e>'], kinds))
    titles = [pane["title"] for pane in charts["volatility"]["concat"]]
    assert titles == [f"{name}{', condensed' if kinds[0] else ''}" for name in ("a.[b]", 'c"d<e>')]
    import vl_convert

    for chart in charts.values():
        assert "null" not in vl_convert.vegalite_to_svg(json.dumps(chart), allowed_base_urls=[])
