"""The charts of `intuitiveness` on its tables: what the squares say, what is framed, which collection is shown."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
import vl_convert

from metameter.meta.dimension_tests.rankings import ranking_chart
from metameter.meta.framework.table_rows import few_iterations, iterations_of, one_collection
from metameter.meta.intuitiveness.charts import COLUMN, FRAMED, ROW, VALUE, matrix_cells, matrix_chart
from metameter.view.charts import spec_json, specifications
from metameter.view.charts.theme import PALETTE

# Counts of TREC DD 2016 behind Table 1 of Albahem et al. (2019): iteration, pair, disagreements, correct.
COUNTS = [
    (1, "ACT", "nCT", 474, 4, 39, 3.1e-8),
    (1, "ACT", "nEU", 1625, 35, 22, 0.1112),
    (1, "nCT", "nEU", 1759, 54, 5, 3e-11),
    (2, "ACT", "nCT", 1209, 12, 103, 1e-18),
    (2, "ACT", "nEU", 2000, 30, 30, 1.0),
    (2, "nCT", "nEU", 2000, 30, 31, 1.0),
    (10, "ACT", "nCT", 1605, 3, 65, 1e-15),
    (10, "ACT", "nEU", 4092, 129, 96, 0.0327),
    (10, "nCT", "nEU", 4037, 141, 46, 1e-12),
]


def table(simple: tuple[str, ...] = ("Rel+Div+Eff",), **further: Any) -> pl.DataFrame:
    rows = [
        (it, name, a, b, 11090, n, ca, cb, ca / n, cb / n, p) for name in simple for it, a, b, n, ca, cb, p in COUNTS
    ]
    names = ["iteration", "simple", "metric_a", "metric_b", "cases", "disagreements", "correct_a", "correct_b"]
    frame = pl.DataFrame(rows, schema=[*names, "intuitiveness_a", "intuitiveness_b", "p"], orient="row")
    return frame.with_columns(**{name: pl.lit(value) for name, value in further.items()})


def ranking(metrics: list[str], iterations: list[str], collections: tuple[str, ...] = ()) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        (place, iteration, simple, name, int(rng.integers(1, len(metrics) + 1)))
        for place in (collections or ("",))
        for simple in ("Rel", "Div")
        for iteration in iterations
        for name in metrics
    ]
    frame = pl.DataFrame(rows, schema=["collection", "iteration", "simple", "metric", "rank"], orient="row")
    frame = frame.with_columns(wins=7 - pl.col("rank"), rank_low=pl.col("rank"), rank_high=pl.col("rank") + 1)
    return frame if collections else frame.drop("collection")


def spec(chart: Any) -> dict[str, Any]:
    made = dict(json.loads(spec_json(chart)))
    assert "<svg" in vl_convert.vegalite_to_svg(json.dumps(made), allowed_base_urls=[])
    return made


def panels(chart: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {panel["title"]: chart["datasets"][panel["data"]["name"]] for panel in chart["concat"]}


def below(chart: dict[str, Any]) -> str:
    return " ".join(chart["title"]["subtitle"])


def test_squares_show_the_printed_scores_of_both_orders() -> None:
    chart = spec(matrix_chart(table()))
    found = panels(chart)
    assert list(found) == ["Rel+Div+Eff, iteration 1", "Rel+Div+Eff, iteration 10"]
    first = {(row[ROW], row[COLUMN]): row for row in found["Rel+Div+Eff, iteration 1"]}
    # Both orders, and nothing for a metric with itself.
    assert len(first) == 6
    assert first["ACT", "nCT"][VALUE] == pytest.approx(4 / 474 - 39 / 474, abs=5e-5)
    assert first["nCT", "ACT"][VALUE] == -first["ACT", "nCT"][VALUE]
    assert first["ACT", "nCT"]["scores"] == "0.0084 / 0.0823"
    assert first["nCT", "ACT"]["scores"] == "0.0823 / 0.0084"
    assert first["nCT", "ACT"]["sided with"] == "39 / 4"
    assert first["ACT", "nCT"]["disagreements"] == "474 of 11,090 (4.27%)"
    assert [first["ACT", other]["p"] for other in ("nCT", "nEU")] == ["< 0.0001", "0.1112"]
    order = ["ACT", "nCT", "nEU"]
    assert all(chart["concat"][0]["encoding"][side]["sort"] == order for side in "xy")


def test_frames_mark_significance_for_the_whole_table_if_known() -> None:
    def framed(frame: pl.DataFrame, alpha: float = 0.05) -> set[tuple[str, str]]:
        rows = panels(spec(matrix_chart(frame, alpha)))["Rel+Div+Eff, iteration 10"]
        return {(row[ROW], row[COLUMN]) for row in rows if row[FRAMED]}

    both = {("ACT", "nCT"), ("nCT", "nEU"), ("ACT", "nEU")}
    assert framed(table()) == both | {(b, a) for a, b in both}
    assert framed(table(), 0.01) == {pair for pair in framed(table()) if set(pair) != {"ACT", "nEU"}}
    assert framed(table(p_topics=0.5, p_table=0.5)) == set()
    assert framed(table(p_table=0.01)) == framed(table())
    unknown = table(p_table=float("nan"))
    assert framed(unknown) == framed(table())
    assert framed(unknown.with_columns(p_table=pl.lit(None, dtype=pl.Float64))) == framed(table())
    assert "p < 0.05 by the sign test" in below(spec(matrix_chart(table())))
    assert "p < 0.01 for the whole table at once" in below(spec(matrix_chart(table(p_table=0.5), 0.01)))


def test_only_available_p_values_are_shown() -> None:
    told = panels(spec(matrix_chart(table())))["Rel+Div+Eff, iteration 1"][0]
    assert not {"p_topics", "p_table"} & set(told)
    assert {"p", "p_topics", "p_table"} <= set(
        panels(spec(matrix_chart(table(p_topics=0.2, p_table=0.3))))["Rel+Div+Eff, iteration 1"][0]
    )


def test_first_and_last_iteration_are_side_by_side_per_set() -> None:
    chart = spec(matrix_chart(table(("Rel", "Div"))))
    assert list(panels(chart)) == [f"{name}, iteration {it}" for name in ("Rel", "Div") for it in (1, 10)]
    assert chart["columns"] == 2
    one = spec(matrix_chart(table(("Rel", "Div")).filter(pl.col("iteration") == 10)))
    assert list(panels(one)) == ["Rel", "Div"]


def test_colours_are_symmetric_about_zero() -> None:
    scale = spec(matrix_chart(table()))["concat"][0]["layer"][0]["encoding"]["color"]["scale"]
    low, *_, high = scale["domain"]
    assert low == -high == pytest.approx(-(39 - 4) / 474, abs=5e-5)
    assert scale["domain"][2] == 0
    # Metrics that never disagree have squares, all of them pale.
    never = table().with_columns(disagreements=0, correct_a=0, correct_b=0, intuitiveness_a=0.0, intuitiveness_b=0.0)
    rows = panels(spec(matrix_chart(never)))["Rel+Div+Eff, iteration 1"]
    assert {row[VALUE] for row in rows} == {0.0}


def test_the_first_of_several_collections_is_shown_and_named() -> None:
    two = pl.concat([table(collection="dd-2016"), table(collection="dd-2017").with_columns(pl.col("cases") // 2)])
    chart = spec(matrix_chart(two))
    assert "Shown: dd-2016, the first of 2 collections." in below(chart)
    assert panels(chart) == panels(spec(matrix_chart(table())))
    assert "Shown" not in below(spec(matrix_chart(table(collection="dd-2016"))))


def test_eighteen_metrics_have_dots_in_side_by_side_panels() -> None:
    names = [f"RBU(p=0.9,e={i})" for i in range(18)]
    pairs = [(it, "Rel", a, b, 100, 50, 30, 10, 0.6, 0.2, 0.002) for it in (1, 2) for a, b in combinations(names, 2)]
    frame = pl.DataFrame(pairs, schema=table().columns, orient="row")
    chart = spec(matrix_chart(frame))
    assert chart["columns"] == 2
    assert "Dotted: p < 0.05" in below(chart)
    kinds = [layer["mark"]["type"] for layer in chart["concat"][0]["layer"]]
    assert kinds == ["rect", "point"]
    assert len(panels(chart)["Rel, iteration 1"]) == 18 * 17
    few = spec(matrix_chart(table()))
    assert [layer["mark"]["type"] for layer in few["concat"][0]["layer"]] == ["rect", "rect", "text"]


def test_an_empty_table_has_no_squares() -> None:
    assert matrix_cells(table().clear(), 0.05).height == 0


def test_ranks_follow_the_order_of_iterations() -> None:
    metrics = ["ACT", "nCT", "alpha_nDCG"]
    chart = spec(ranking_chart(ranking(metrics, ["All", "10", "9", "1"]), "Ranks"))
    assert chart["concat"][0]["layer"][1]["encoding"]["x"]["sort"] == ["1", "9", "10", " ", "All"]
    assert [panel["title"] for panel in chart["concat"]] == ["Rel", "Div"]
    told = [each["title"] for each in chart["concat"][0]["layer"][1]["encoding"]["tooltip"]]
    assert told == ["metric", "iteration", "rank", "wins", "rank_low", "rank_high"]
    bare = spec(ranking_chart(ranking(metrics, ["1", "2"]).drop("rank_low", "rank_high"), "Ranks"))
    assert "rank_low" not in json.dumps(bare)


def test_ranks_of_one_iteration_are_dots_with_ranges() -> None:
    chart = spec(ranking_chart(ranking(["ACT", "nCT"], ["1"]), "Ranks"))
    assert [layer["mark"]["type"] for layer in chart["concat"][0]["layer"]] == ["rule", "point"]
    assert "95%" in below(chart)
    bare = spec(ranking_chart(ranking(["ACT", "nCT"], ["1"]).drop("rank_low", "rank_high"), "Ranks"))
    assert [layer["mark"]["type"] for layer in bare["concat"][0]["layer"]] == ["point"]
    assert "95%" not in below(bare)


def test_the_ranking_over_all_collections_is_shown() -> None:
    frame = ranking(["ACT", "nCT"], ["1", "2", "All"], ("a", "b", "All"))
    chart = spec(ranking_chart(frame, "Ranks"))
    assert "Shown: all 2 collections together." in below(chart)
    alone = ranking_chart(frame.filter(pl.col("collection") == "All").drop("collection"), "Ranks")
    assert chart["datasets"] == spec(alone)["datasets"]


def test_products_keep_the_colours_of_their_aggregations() -> None:
    with specifications():
        chart = ranking_chart(ranking(["RBP(p=0.8)*max", "RBP(p=0.8)*ERG@10"], ["1", "2"]), "Ranks")
        others = ranking_chart(ranking(["RBP(p=0.8)*max", "INST(T=2)*max"], ["1", "2"]), "Ranks")
    scale = chart["concat"][0]["layer"][1]["encoding"]["stroke"]["scale"]
    assert scale["range"] == ["#B8B80A", "#430F67"]
    # Two with one aggregation would have one colour.
    assert others["concat"][0]["layer"][1]["encoding"]["stroke"]["scale"]["range"] == list(PALETTE[:2])


def test_iterations_and_collections_shown_are_chosen() -> None:
    assert iterations_of(pl.DataFrame({"iteration": [10, 2, 1, 2]})) == [1, 2, 10]
    assert few_iterations([1]) == [1]
    assert few_iterations(["1", "2", "3", "4", "All"], third=True) == ["1", "3", "4", "All"]
    assert few_iterations(["1", "3", "10"], third=True) == ["1", "3", "10"]
    assert few_iterations(["1", "3", "10"]) == ["1", "10"]
    bare = pl.DataFrame({"rank": [1]})
    assert one_collection(bare) == (bare, "")
