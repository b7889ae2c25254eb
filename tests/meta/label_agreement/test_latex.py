"""LaTeX of agreement with users: laid out as the paper's Tables 4 and 5, with its marks."""

from __future__ import annotations

from functools import partial

import polars as pl
import pytest

from metameter.meta.label_agreement.latex import agreement_latex, label_latex
from metameter.meta.label_agreement.text import ReferenceTest

satisfaction_latex = partial(label_latex, "satisfaction")
preference_latex = partial(label_latex, "preference")

# Table 4 of Moffat et al. (2022), the rows of Prec@k and RR, with the marks that it prints.
PRINTED = {
    "Prec@5": "0.328 0.328a X 0.328 0.418b -0.024 0.285 0.393b",
    "RR": "0.439b 0.381b 0.268a 0.381b 0.439b 0.439b 0.439b 0.439b",
}
PARTS = ("ETG", "ERG", "ERR", "avg", "max", "fin", "fgt(delta=0.8)", "PE(beta=0.5)")


@pytest.fixture
def table() -> pl.DataFrame:
    rows = []
    for model, line in PRINTED.items():
        cells = line.split()
        canonical = next(f"{model}*{part}" for part, cell in zip(PARTS, cells, strict=True) if cell.endswith("a"))
        for part, cell in zip(PARTS, cells, strict=True):
            tau = None if cell == "X" else float(cell.rstrip("ab"))
            marks = {"canonical": canonical, "better": cell.endswith("b"), "better_row": cell.endswith("b")}
            kind = {"class": "X" if tau is None else "metric", "tau_b": tau, "low": None, "high": None}
            rows.append({"metric": f"{model}*{part}", "browse": model, "aggregate": part, **kind, **marks})
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(("low", "high"), pl.Float64), infer_schema_length=None)
    return frame.with_columns(concordance=(1 + pl.col("tau_b")) / 2)


def body(tex: str) -> list[str]:
    return [line for line in tex.splitlines() if line.endswith(r"\\")]


def test_the_table_has_the_printed_rows(table):
    tex = satisfaction_latex(table, "k = 5")
    head, *rows = body(tex)
    assert head == " & " + " & ".join(PARTS) + r" \\"
    for line, (model, printed) in zip(rows, PRINTED.items(), strict=True):
        found = line.removesuffix(r" \\").split(" & ")
        assert found[0] == model
        plain = [cell.replace("$", "").replace(r"\mathbf{", "").replace(r"\textsuperscript{", "") for cell in found[1:]]
        assert [cell.replace("}", "") for cell in plain] == printed.split()


def test_the_largest_values_of_each_row_are_bold(table):
    _, first, second = body(satisfaction_latex(table))
    assert first.count(r"\mathbf{") == 1
    assert r"$\mathbf{0.418}$\textsuperscript{b}" in first
    assert second.count(r"\mathbf{0.439}") == second.count(r"\mathbf{") == 5


def test_the_caption_explains_the_parameters_and_marks_present(table):
    tex = satisfaction_latex(table, "100% of 7_479 pages")
    [caption] = [line for line in tex.splitlines() if line.startswith(r"\caption")]
    assert r"100\% of 7\_479 pages. \textsuperscript{a}: the canonical" in caption
    assert "X: a constant" in caption
    assert "XX" not in caption
    assert "(b)" not in caption
    assert r"\label{tab:satisfaction}" in tex


def test_row_wise_improvements_have_a_lighter_mark(table):
    tex = preference_latex(table.with_columns(better=pl.lit(False)))
    assert r"\textsuperscript{(b)}: $\tau_b$ significantly higher within the row only" in tex
    assert tex.count(r"$\textsuperscript{(b)}") == 9
    assert r"$\textsuperscript{b}" not in tex


def test_order_insensitive_metrics_are_suppressed_as_in_table_five(table):
    some = pl.col("metric") == "RR*fin"
    none = table.with_columns(
        pl.when(some).then(None).otherwise("tau_b").alias("tau_b"),
        pl.when(some).then(pl.lit("XX")).otherwise("class").alias("class"),
        pl.when(some).then(False).otherwise("better").alias("better"),
        pl.when(some).then(False).otherwise("better_row").alias("better_row"),
    )
    tex = preference_latex(none)
    assert " & XX & " in body(tex)[2]
    assert "XX: the order of the results does not matter" in tex


def test_other_metrics_are_listed_below_the_table(table):
    more = {
        "metric": "n_DCG",
        "browse": "",
        "aggregate": "",
        "class": "metric",
        "concordance": 0.64,
        "tau_b": 0.277,
        "low": 0.258,
    }
    classic = pl.DataFrame([{**more, "high": 0.298, "canonical": None, "better": False, "better_row": False}])
    both = pl.concat([table, classic.select(pl.col(name).cast(kind) for name, kind in table.schema.items())])
    tex = satisfaction_latex(both)
    assert tex.count(r"\begin{tabular}") == 2
    assert r"n\_DCG & $0.640$ & $0.277$ & $[0.258, 0.298]$ \\" in tex
    assert r"\label{tab:satisfaction-others}" in tex
    alone = satisfaction_latex(both.filter(both["browse"] == ""))
    assert alone.count(r"\begin{tabular}") == 1
    assert r"metric & concordance & $\tau_b$ & 95\% interval \\" in alone


def test_the_caption_names_the_reference(table):
    tex = satisfaction_latex(table.with_columns(canonical=pl.lit("RR*max")), "", ReferenceTest("RR*max"))
    [caption] = [line for line in tex.splitlines() if line.startswith(r"\caption")]
    assert r"\textsuperscript{a}: the reference RR*max; \textsuperscript{b}: $\tau_b$ shown to be higher" in caption
    assert "canonical" not in caption
    assert "".join(body(tex)).count(r"\textsuperscript{a}") == 1


def compared(canonical: str, **held: str) -> str:
    """The caption of a list of two metrics without a square each."""
    row = {
        "browse": None,
        "aggregate": None,
        "class": "metric",
        "concordance": 0.65,
        "tau_b": 0.3,
        "low": 0.2,
        "high": 0.4,
    }
    marks = {"canonical": canonical, "better": None, "better_row": None, "difference": 0.01, "p_vs_canonical": 0.2}
    frame = pl.DataFrame([{"metric": name, **row, **marks} for name in ("AP", "n_DCG")])
    tex = preference_latex(frame, "", ReferenceTest(**held))
    return next(line for line in tex.splitlines() if line.startswith(r"\caption"))


def test_the_caption_of_a_list_names_comparison_and_test():
    said = compared("n_DCG", reference="n_DCG")
    assert r"difference: $\tau_b$ less that of n\_DCG; $p$: of no difference from it, by the paired bootstrap" in said
    assert "(adjusted: holm)." in said
    said = compared("n_DCG", reference="n_DCG", test="steiger", correction="none")
    assert "by Steiger's Z." in said
    assert "less that of the canonical metric of its browsing model; $p$" in compared("AP")


def test_a_canonical_metric_shares_the_row_of_its_comparisons(table):
    some = table.filter(table["browse"] == "RR").with_columns(
        browse=pl.when(pl.col("metric") == "RR*ERR").then(pl.lit("RR")).otherwise(pl.lit("RR@10"))
    )
    _, *rows = body(satisfaction_latex(some))
    assert len(rows) == 1
    assert rows[0].startswith("RR@10 & ")
    assert r"$0.268$\textsuperscript{a}" in rows[0]


def test_metrics_without_a_comparison_are_not_marked(table):
    unknown = [pl.lit(None, dtype=pl.Boolean).alias(name) for name in ("better", "better_row")]
    tex = satisfaction_latex(table.with_columns(unknown))
    assert r"\textsuperscript{b}" not in tex
    assert tex.count(r"$\textsuperscript{a}") == 2


def test_names_are_escaped(table):
    evil = r"\input{x}_%&"
    odd = table.with_columns(pl.col("browse").replace({"RR": evil}), pl.col("aggregate").replace({"max": evil}))
    tex = agreement_latex(odd, "C.", "tab:x")
    assert r"\input{" not in tex
    assert tex.count(r"\textbackslash{}input\{x\}\_\%\&") == 2


def test_many_aggregations_are_printed_in_bands(table):
    rows = [{**table.row(0, named=True), "metric": f"Prec@5*a{i}", "aggregate": f"a{i}"} for i in range(23)]
    tex = agreement_latex(pl.DataFrame(rows, schema=table.schema), "C.", "tab:x")
    assert [line.count("&") for line in body(tex)] == [10, 10, 10, 10, 3, 3]
