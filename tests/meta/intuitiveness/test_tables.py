"""The tables of `intuitiveness` as LaTeX: cells as Table 1 prints them, many metrics over several tables."""

from __future__ import annotations

import csv
import re
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from metameter.meta.dimension_tests.rankings import ranking_latex
from metameter.meta.intuitiveness.tables import MOST_COLUMNS, matrix_latex

NAMES = ["iteration", "simple", "metric_a", "metric_b", "cases", "disagreements", "correct_a", "correct_b"]
NAMES += ["intuitiveness_a", "intuitiveness_b", "p"]
PLUS = r"\textsuperscript{+}"


def table(counts: list[tuple[int, str, str, int, int, int, float]], simple: str = "Rel+Div+Eff") -> pl.DataFrame:
    rows = [(it, simple, a, b, 11090, n, ca, cb, ca / n, cb / n, p) for it, a, b, n, ca, cb, p in counts]
    return pl.DataFrame(rows, schema=NAMES, orient="row")


# As Table 1 of Albahem et al. (2019) prints them; the counts are those of TREC DD 2016.
COUNTS = [
    (1, "ACT", "nCT", 474, 4, 39, 3.1e-8),
    (1, "ACT", "nEU", 1625, 35, 22, 0.1112),
    (1, "nCT", "nEU", 1759, 54, 5, 3e-11),
    (5, "ACT", "nCT", 1000, 1, 1, 1.0),
    (5, "ACT", "nEU", 1000, 1, 1, 1.0),
    (5, "nCT", "nEU", 1000, 1, 1, 1.0),
    (10, "ACT", "nCT", 1605, 3, 65, 1e-15),
    (10, "ACT", "nEU", 4092, 129, 96, 0.0327),
    (10, "nCT", "nEU", 4037, 141, 46, 1e-12),
]


def bodies(text: str) -> list[list[str]]:
    found = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, flags=re.DOTALL)
    return [[line for line in body.strip().splitlines() if line != r"\midrule"] for body in found]


def balanced(text: str) -> bool:
    begun, ended = (re.findall(rf"\\{word}{{(\w+\*?)}}", text) for word in ("begin", "end"))
    plain = re.sub(r"\\[{}]", "", text)
    return sorted(begun) == sorted(ended) and plain.count("{") == plain.count("}")


def whole(text: str) -> bool:
    """Whether every line of every tabular has as many cells as its alignment has columns."""
    for alignment, inner in re.findall(r"\\begin{tabular}{([^\n]*)}\n(.*?)\\end{tabular}", text, flags=re.DOTALL):
        columns = len(re.sub(r"p{[^}]*}", "p", alignment))
        for line in inner.splitlines():
            if line.rstrip().endswith(r"\\"):
                spans = [int(wide) - 1 for wide in re.findall(r"\\multicolumn{(\d+)}", line)]
                if len(re.findall(r"(?<!\\)&", line)) + 1 + sum(spans) != columns:
                    return False
    return balanced(text)


def test_the_matrix_has_the_printed_cells() -> None:
    text = matrix_latex(table(COUNTS))
    assert bodies(text) == [
        [
            rf"1 & ACT & 0.0084/0.0823{PLUS} (4.27\%) & 0.0215/0.0135 (14.65\%) \\",
            rf" & nCT & -- & 0.0307{PLUS}/0.0028 (15.86\%) \\",
            rf"10 & ACT & 0.0019/0.0405{PLUS} (14.47\%) & 0.0315{PLUS}/0.0235 (36.90\%) \\",
            rf" & nCT & -- & 0.0349{PLUS}/0.0114 (36.40\%) \\",
        ]
    ]
    assert r"it &  & nCT & nEU \\" in text
    assert r"\multicolumn{2}{c}{Rel+Div+Eff} \\ \cmidrule(l){3-4}" in text
    assert text.startswith("\\begin{table*}\n\\centering\n\\caption{Intuitiveness with respect to Rel+Div+Eff: ")
    assert r"\label{tab:intuitiveness}" in text
    assert whole(text)


def test_alpha_and_iterations_can_be_chosen() -> None:
    text = matrix_latex(table(COUNTS), alpha=0.01, iterations=[5, 10])
    [rows] = bodies(text)
    assert rows[0].startswith("5 & ACT & ")
    assert rows[2] == rf"10 & ACT & 0.0019/0.0405{PLUS} (14.47\%) & 0.0315/0.0235 (36.90\%) \\"
    assert "$p < 0.01$" in text


def test_each_set_and_collection_has_a_table() -> None:
    parts = [table(COUNTS, simple) for simple in ("P@10", "st_rec & P")]
    text = matrix_latex(pl.concat(parts))
    assert text.count(r"\begin{table*}") == 2
    assert re.findall(r"\\label{(.*)}", text) == ["tab:intuitiveness-1", "tab:intuitiveness-2"]
    assert r"Intuitiveness with respect to st\_rec \& P: " in text
    named = pl.concat(part.with_columns(collection=pl.lit(name)) for part in parts for name in ("dd_16", "dd_17"))
    text = matrix_latex(named)
    assert text.count(r"\begin{table*}") == 4
    assert r"with respect to P@10, dd\_17: " in text
    assert whole(text)


def test_one_iteration_needs_no_iteration_column() -> None:
    text = matrix_latex(table(COUNTS[:3]))
    assert bodies(text)[0][1] == rf"nCT & -- & 0.0307{PLUS}/0.0028 (15.86\%) \\"
    assert whole(text)


@pytest.mark.parametrize(("metrics", "tables"), [(2, 1), (5, 1), (8, 1), (9, 4), (18, 6)])
def test_wide_tables_are_split(metrics: int, tables: int) -> None:
    names = [f"RBU(p=0.{i},e_{i})" for i in range(metrics)]
    counts = [(it, a, b, 100, 10, 3, 0.01) for it in (1, 2, 3) for a, b in combinations(names, 2)]
    text = matrix_latex(table(counts))
    assert text.count(r"\begin{tabular}") == tables
    assert whole(text)
    # Every pair once an iteration, whatever table it stands in.
    assert text.count(rf"0.1000{PLUS}/0.0300 (0.90\%)") == 2 * metrics * (metrics - 1) // 2
    widths = [[float(wide) for wide in re.findall(r"p{([\d.]+)\\", line)] for line in text.splitlines()]
    assert all(sum(each) < 0.8 and len(each) <= MOST_COLUMNS for each in widths)
    # A long heading may be broken.
    assert r"RBU(\allowbreak{}p=0.1,\allowbreak{}e\_1)" in text


def test_names_are_escaped() -> None:
    text = matrix_latex(table([(1, "[a]_{x}", "50%&", 10, 5, 1, 0.2)]))
    assert bodies(text) == [[r"{}[a]\_\{x\} & 0.5000/0.1000 (0.09\%) \\"]]
    assert r" & 50\%\& \\" in text
    assert whole(text)


def test_metrics_that_never_disagree_show_dashes() -> None:
    frame = table([(1, "a", "b", 1, 0, 0, 1.0)]).with_columns(disagreements=0, cases=0, p=pl.lit(None, pl.Float64))
    assert bodies(matrix_latex(frame)) == [[r"a & 0.0000/0.0000 (0.00\%) \\"]]


@pytest.mark.realdata
def test_all_cells_of_table_1_match(data: Path) -> None:
    from scipy.stats import binomtest

    with open(data / "trec-dd" / "expected" / "table1_2016.tsv", encoding="utf-8") as file:
        printed = list(csv.DictReader(file, delimiter="\t"))
    assert len(printed) == 42
    counts, cells = [], []
    for cell in printed:
        n, a, b = (int(cell[name]) for name in ("disagreements", "left_correct", "right_correct"))
        p = binomtest(max(a, b), a + b).pvalue if a + b else 1.0
        counts.append((int(cell["iteration"]), cell["left"], cell["right"], n, a, b, float(p)))
        marks = [PLUS * int(cell[f"{side}_sig"]) for side in ("left", "right")]
        cells.append(
            rf"{cell['left_score']}{marks[0]}/{cell['right_score']}{marks[1]} ({float(cell['disagree_pct']):.2f}\%)"
        )
    lines = [line.removesuffix(r" \\") for line in bodies(matrix_latex(table(counts)))[0]]
    found = [cell for line in lines for cell in line.split(" & ")[2:] if cell != "--"]
    assert found == cells


# Table 3 of Albahem et al. (2019), the first two groups of columns.
TABLE_3 = {"ACT": "5 5 2 4 5 3 5 5", "nCT": "1 1 1 1 1 1 6 3", r"alpha_nDCG": "2 3 3 3 2 1 1 1"}


def printed_ranking() -> pl.DataFrame:
    steps = [(simple, it) for simple in ("Rel", "Div") for it in ("1", "3", "10", "All")]
    rows = [
        (simple, it, metric, int(rank))
        for metric, ranks in TABLE_3.items()
        for (simple, it), rank in zip(steps, ranks.split(), strict=True)
    ]
    # Iterations that are not printed; they stand in the middle.
    more = [(simple, it, metric, 7) for simple in ("Rel", "Div") for metric in TABLE_3 for it in ("2", "4", "9")]
    return pl.DataFrame(rows + more, schema=["simple", "iteration", "metric", "rank"], orient="row")


def test_rankings_have_the_layout_of_table_3() -> None:
    text = ranking_latex(printed_ranking(), r"Ranks, $n = 7$.", "tab:unanimity_ranking")
    assert bodies(text) == [
        [
            r"ACT & 5 & 5 & 2 & 4 & 5 & 3 & 5 & 5 \\",
            r"nCT & 1 & 1 & 1 & 1 & 1 & 1 & 6 & 3 \\",
            r"alpha\_nDCG & 2 & 3 & 3 & 3 & 2 & 1 & 1 & 1 \\",
        ]
    ]
    assert r" & \multicolumn{4}{c}{Rel} & \multicolumn{4}{c}{Div} \\" in text
    assert r"\cmidrule(lr){2-5} \cmidrule(lr){6-9}" in text
    assert r"Metric/Iteration & 1 & 3 & 10 & All & 1 & 3 & 10 & All \\" in text
    assert r"\caption{Ranks, $n = 7$.}" in text
    assert whole(text)


def test_rankings_are_over_all_collections_or_the_first() -> None:
    frame = printed_ranking()
    worse = frame.with_columns(rank=pl.lit(9, dtype=pl.Int64))
    named = [
        frame.with_columns(collection=pl.lit("All")),
        *(worse.with_columns(collection=pl.lit(name)) for name in "ba"),
    ]
    assert ranking_latex(pl.concat(named[::-1]), "", "") == ranking_latex(frame, "", "")
    assert "& 9" in ranking_latex(pl.concat([named[1], named[1].with_columns(collection=pl.lit("b"))]), "", "")


def test_many_sets_are_printed_in_bands() -> None:
    rows = [(f"set_{i}", it, m, i) for i in range(7) for it in ("1", "2", "3", "4", "All") for m in ("a", "b")]
    frame = pl.DataFrame(rows, schema=["simple", "iteration", "metric", "rank"], orient="row")
    text = ranking_latex(frame, "c", "l")
    assert text.count(r"\begin{tabular}") == 2
    assert text.startswith(r"\begin{table*}")
    assert whole(text)
    one = ranking_latex(frame.filter(pl.col("iteration") == "1"), "c", "l")
    assert r"Metric & set\_0 & set\_1" in one
    assert bodies(one)[0] == [rf"{m} & 0 & 1 & 2 & 3 & 4 & 5 & 6 \\" for m in "ab"]
    assert one.startswith("\\begin{table}\n")


def test_a_missing_rank_is_an_empty_cell() -> None:
    frame = printed_ranking().filter(pl.col("metric") != "nCT")
    gone = frame.with_columns(rank=pl.when(pl.col("iteration") != "3").then("rank"))
    text = ranking_latex(gone.filter((pl.col("metric") != "ACT") | (pl.col("iteration") != "All")), "c", "l")
    assert bodies(text)[0][0] == r"ACT & 5 &  & 2 &  & 5 &  & 5 &  \\"
