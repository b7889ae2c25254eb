"""Agreement as LaTeX: Table 4 as it is printed, stars, what is missing."""

from __future__ import annotations

import polars as pl

from metameter.meta.agreement.tables import agreement_latex

SETS = ["Rel", "Div", "Eff", "Rel+Div", "Rel+Div+Eff"]
# Table 4 of Albahem et al. (2019).
PRINTED = {
    "1": "0.44 0.94* 0.96* 0.92* 0.82*",
    "3": "0.71 0.89* 0.99* 0.75 0.71",
    "10": "0.80* 0.96* 0.99* 0.39 0.65",
    "All": "0.89* 0.94* 1.00* 0.79* 0.61",
}


def table() -> pl.DataFrame:
    rows = [
        (it, simple, float(cell.rstrip("*")), 0.01 if cell.endswith("*") else 0.2, 7)
        for it, cells in PRINTED.items()
        for simple, cell in zip(SETS, cells.split(), strict=True)
    ]
    return pl.DataFrame(rows, schema=["iteration", "simple", "rho", "p", "n"], orient="row")


def body(text: str) -> list[str]:
    return text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()


def test_table_4_has_the_printed_cells() -> None:
    text = agreement_latex(table().sample(fraction=1.0, shuffle=True, seed=1).sort("simple").reverse())
    columns = text.split(r"\toprule")[1].strip().splitlines()[0].removesuffix(r" \\").split(" & ")
    assert sorted(columns[1:]) == sorted(SETS)
    text = agreement_latex(table())
    assert body(text) == [f"{it} & {' & '.join(cells.split())} \\\\" for it, cells in PRINTED.items()]
    assert rf"Iteration & {' & '.join(SETS)} \\" in text
    assert "$p < 0.05$" in text
    assert text.startswith("\\begin{table}\n")


def test_iterations_keep_their_order_and_alpha_sets_the_stars() -> None:
    text = agreement_latex(table().reverse(), alpha=0.001)
    assert [line.split(" & ")[0] for line in body(text)] == list(PRINTED)
    assert "*" not in "".join(body(text))


def test_negative_unknown_and_missing_rho_are_printed() -> None:
    rows = [("1", "a_b", -0.5, 0.01, 7), ("1", "c", -0.001, 0.9, 7), ("2", "a_b", None, None, 7)]
    frame = pl.DataFrame(rows, schema=["iteration", "simple", "rho", "p", "n"], orient="row")
    text = agreement_latex(frame)
    assert body(text) == [r"1 & $-$0.50* & 0.00 \\", r"2 & -- &  \\"]
    assert r"Iteration & a\_b & c \\" in text
    nan = frame.with_columns(rho=pl.lit(float("nan")))
    assert body(agreement_latex(nan))[0] == r"1 & -- & -- \\"


def test_the_caption_names_the_collection_shown() -> None:
    two = pl.concat([table().with_columns(collection=pl.lit(name)) for name in ("dd_16", "dd_17")])
    assert r"Shown: dd\_16, the first of 2 collections." in agreement_latex(two)
    every = table().with_columns(rho=-pl.col("rho"), collection=pl.lit("All"))
    text = agreement_latex(pl.concat([two, every]))
    assert "Shown: all 2 collections together." in text
    assert body(text)[0].startswith("1 & $-$0.44 &")
    assert "Shown" not in agreement_latex(two[:20])


def test_many_sets_span_both_columns_of_a_paper() -> None:
    rows = [("1", f"s{i}", 0.5, 0.1, 7) for i in range(9)]
    frame = pl.DataFrame(rows, schema=["iteration", "simple", "rho", "p", "n"], orient="row")
    assert agreement_latex(frame).startswith(r"\begin{table*}")


def test_the_mean_rho_of_permuted_metrics_follows_in_parentheses() -> None:
    text = agreement_latex(table().with_columns(null_mean=pl.lit(-0.25)))
    assert body(text)[0].startswith("1 & 0.44 ($-$0.25) & 0.94* ($-$0.25) &")
    assert "In parentheses: its mean with the metrics permuted at random within topics" in text
    assert "In parentheses" not in agreement_latex(table())
