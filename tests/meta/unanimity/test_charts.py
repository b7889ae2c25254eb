"""The chart of `unanimity`: Table 3 of Albahem et al. (2019) as lines."""

from __future__ import annotations

import json

import polars as pl

from metameter.meta.dimension_tests.rankings import ranking_chart
from metameter.view.charts import spec_json, specifications

# The column Rel of Table 3: iterations 1, 3, 10 and All.
PRINTED = {
    "ACT": "5 5 2 4",
    "nCT": "1 1 1 1",
    "nEU": "6 4 5 7",
    "nsDCG": "4 2 4 2",
    "alpha_nDCG": "2 3 3 3",
    "nERR_IA": "3 4 4 5",
    "RBU(p=0.99,e=0.05)": "5 4 6 6",
}


def test_lines_follow_the_printed_ranks() -> None:
    rows = [
        (it, "Rel", metric, 0, int(rank))
        for metric, ranks in PRINTED.items()
        for it, rank in zip(("1", "3", "10", "All"), ranks.split(), strict=True)
    ]
    frame = pl.DataFrame(rows, schema=["iteration", "simple", "metric", "wins", "rank"], orient="row")
    with specifications():
        chart = json.loads(spec_json(ranking_chart(frame, "Unanimity")))
    assert chart["title"]["text"] == "Unanimity"
    tied, *_, named = chart["concat"][0]["layer"]
    placed = {(row["iteration"], row["metric"]): row for row in chart["datasets"][named["data"]["name"]]}
    assert [placed["All", metric]["place"] for metric in PRINTED] == [4, 1, 7, 2, 3, 5, 6]
    # Two metrics share rank 5 at iteration 1, three rank 4 at iteration 3, two rank 4 at iteration 10.
    joined = {
        (row["iteration"], row["rank"]): row["to"] - row["from"] + 1 for row in chart["datasets"][tied["data"]["name"]]
    }
    assert joined == {("1", 5): 2, ("3", 4): 3, ("10", 4): 2}
