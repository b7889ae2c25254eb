"""The tables of `volatility` as LaTeX: names escaped, plain and condensed side by side, long tables cut."""

from __future__ import annotations

import re

import polars as pl

from metameter.meta.volatility.latex import MOST_ROWS, latex_of, planning_table, settled_table

SETTLED = pl.DataFrame(
    {
        "metric": ["AP_x & y", "AP_x & y", "ERR"],
        "condensed": [False, True, False],
        "threshold": [0.9] * 3,
        "depth": [1200, None, 8],
        "low": [60, None, 5],
        "high": [None, None, 15],
        "tau_at_pool_depth": [0.891, 0.5, None],
        "final": [2000] * 3,
        "judging_depth": [2000] * 3,
    }
)
PLANNING = pl.DataFrame(
    {
        "metric": ["AP", "AP", "ERR"],
        "condensed": [False, True, False],
        "pool_depth": [50, None, 10],
        "depth": [100, 1000, 20],
        "judgments": [49870, 86830, 13761],
        "share": [0.574, 1.0, 0.158],
        "kept": [0.957, 1.0, 0.99],
        "reversed": [0, 0, 0],
        "holds": [0.84, None, 0.5],
        "sure_pool_depth": [80, None, None],
        "sure_depth": [200, 1000, None],
        "sure_share": [0.75, 1.0, None],
    }
)


def body(text: str) -> list[str]:
    return text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()


def columns(text: str) -> int:
    [alignment] = re.findall(r"\\begin\{tabular\}\{(\w+)\}", text)
    return len(alignment)


def test_settled_depths_have_one_row_per_metric() -> None:
    text = settled_table(SETTLED, 0.9, 100)
    assert body(text) == [
        r"AP\_x \& y & 1,200 & [60, --] & 0.89 & -- & -- & 0.50 \\",
        r"ERR & 8 & [5, 15] &  &  &  &  \\",
    ]
    assert r" & \multicolumn{3}{c}{Plain} & \multicolumn{3}{c}{Condensed} \\" in text
    assert r"\cmidrule(lr){2-4} \cmidrule(lr){5-7}" in text
    assert r"at least 0.9 " in text
    assert "the pool depth, 100." in text
    assert text.startswith(r"\begin{table*}")
    assert all(line.count(" &") == columns(text) - 1 for line in [line.replace(r"\&", "") for line in body(text)])


def test_settled_depths_work_without_pool_depth_or_condensed_scores() -> None:
    plain = SETTLED.filter(~pl.col("condensed"))
    text = settled_table(plain.with_columns(tau_at_pool_depth=pl.lit(None, dtype=pl.Float64)), 0.8)
    assert body(text)[1] == r"ERR & 8 & [5, 15] \\"
    assert "pool depth" not in text
    assert r"\multicolumn" not in text
    assert text.startswith("\\begin{table}\n")
    # Scores that are all condensed say so.
    assert r"\multicolumn{3}{c}{Condensed}" in settled_table(SETTLED[1:2], 0.9)


def test_the_plan_prints_both_forms_side_by_side() -> None:
    text = planning_table(PLANNING)
    assert body(text) == [
        r"AP & 50 & 100 & 0.84 & 80 & 200 & 75\% & all & 1,000 &  & all & 1,000 & 100\% \\",
        r"ERR & 10 & 20 & 0.50 &  &  &  &  &  &  &  &  &  \\",
    ]
    assert columns(text) == 13
    assert r"\cmidrule(lr){2-7} \cmidrule(lr){8-13}" in text
    assert "0.5" not in body(planning_table(PLANNING.with_columns(holds=pl.lit(True))))[1]
    assert "& yes " in body(planning_table(PLANNING.with_columns(holds=pl.lit(True))))[1]


def curves(systems: int, depths: int) -> pl.DataFrame:
    names = pl.DataFrame({"system": [f"s_{i}" for i in range(systems)]})
    depth = pl.DataFrame({"depth": range(1, depths + 1)})
    return (
        pl.DataFrame({"metric": ["AP"], "condensed": [False]})
        .join(names, how="cross")
        .join(depth, how="cross")
        .with_columns(score=pl.lit(0.25))
    )


def test_long_curves_print_marked_systems_at_round_depths() -> None:
    frame = curves(20, 1000)
    marked = pl.DataFrame({"metric": "AP", "condensed": False, "system": ["s_3", "s_7"], "mark": ["best", "worst"]})
    text = latex_of({"volatility": frame, "marked": marked}, 100, 0.9)["volatility"]
    rows = [line.split(" & ") for line in body(text)]
    assert {row[2] for row in rows} == {r"s\_3", r"s\_7"}
    assert [row[3] for row in rows][:9] == ["1", "2", "5", "10", "20", "50", "100", "200", "1000"]
    assert text.endswith("% and 19,982 more rows: the CSV file has all of them")
    assert len(body(latex_of({"volatility": frame}, 100, 0.9)["volatility"])) == 20 * 9


def test_no_table_has_more_than_a_thousand_rows() -> None:
    short = latex_of({"volatility": curves(3, 4)}, None, 0.9)["volatility"]
    assert len(body(short)) == 12
    assert "more rows" not in short
    pools = pl.DataFrame({"topic": [f"t{i}" for i in range(1500)], "judged": range(1500)})
    text = latex_of({"volatility_pools": pools}, None, 0.9)["volatility_pools"]
    assert len(body(text)) == MOST_ROWS == 1000
    assert text.endswith("% and 500 more rows: the CSV file has all of them")
    long = latex_of({"volatility": curves(200, 1000)}, None, 0.9)["volatility"]
    assert len(body(long)) == MOST_ROWS


def test_long_summaries_print_the_depths_with_intervals() -> None:
    frame = (
        curves(1, 1500)
        .drop("system", "score")
        .with_columns(
            pool_depth=pl.lit(100),
            tau_to_final=pl.lit(0.5),
            low=pl.when(pl.col("depth") % 500 == 0).then(0.25),
            high=pl.when(pl.col("depth") % 500 == 0).then(0.75),
            lost=pl.lit(None, dtype=pl.Int64),
        )
    )
    shallow = frame.head(100).with_columns(pool_depth=pl.lit(10), low=pl.lit(0.0), high=pl.lit(1.0))
    text = latex_of({"volatility_summary": pl.concat([shallow, frame])}, 100, 0.9)["volatility_summary"]
    assert body(text) == [rf"AP & false & {depth} & 100 & 0.5000 & 0.2500 & 0.7500 \\" for depth in (500, 1000, 1500)]
    assert "lost" not in text
    assert "1,597 more rows" in text


def test_empty_tables_stay_valid_tables() -> None:
    given = {"volatility_settled": SETTLED.clear(), "volatility_planning": PLANNING.clear(), "volatility": curves(0, 0)}
    for text in latex_of(given, None, 0.9).values():
        assert r"\begin{tabular}" in text
        assert body(text) == []
