"""The table of a paper: one row a system, one column a metric, marks of significance."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from metameter.meta.compare.latex import paper_table
from metameter.meta.compare.procedure import compare
from metameter.types import Scores


def apart(systems: int = 3, metrics: int = 1, gap: float = 5.0) -> Scores:
    """Systems s0, s1, ..., each better than the one before; by the last of several metrics each is worse."""
    noise = np.random.default_rng(0).random((metrics, systems, 12))
    steps = gap * np.arange(systems)[:, None]
    values = noise + np.stack([steps[::-1] if metrics > 1 and m == metrics - 1 else steps for m in range(metrics)])
    names = tuple(f"m{number}" for number in range(metrics))
    return Scores(names, tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(12))), values)


def body(latex: str) -> list[str]:
    """The rows of a table."""
    return latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()


def test_a_row_is_a_system_and_a_column_a_metric():
    latex = compare(apart(metrics=2), test="t").to_latex()
    assert latex.count(r"\begin{tabular}") == 1
    assert [line.split()[0] for line in body(latex)] == ["s2", "s1", "s0"]
    assert r"system & m0 & m1 \\" in latex
    assert [line.count(r"\textbf") for line in body(latex)] == [1, 0, 1]
    assert r"\label{tab:compare}" in latex


def test_letters_name_the_systems_that_a_row_beats():
    rows = body(compare(apart(), test="t").to_latex())
    assert re.fullmatch(r"s2 \(a\) & \\textbf\{[\d.]+\}\$\^\{\\mathrm\{bc\}\}\$ \\\\", rows[0])
    assert re.fullmatch(r"s1 \(b\) & [\d.]+\$\^\{\\mathrm\{c\}\}\$ \\\\", rows[1])
    assert re.fullmatch(r"s0 \(c\) & [\d.]+ \\\\", rows[2])


def test_systems_that_do_not_differ_have_no_letters():
    assert "mathrm" not in compare(apart(gap=0.0), trials=200).to_latex()


def test_marks_name_the_baselines_beaten_and_those_that_win():
    rows = body(compare(apart(), baseline=["s1", "s0"], test="t").to_latex())
    assert re.fullmatch(r"s2 & \\textbf\{[\d.]+\}\$\^\{\\dagger,\\ddagger\}\$ \\\\", rows[0])
    assert re.fullmatch(r"s1 \(\$\\dagger\$\) & [\d.]+\$\^\{\\ddagger\}\$ \\\\", rows[1])
    assert re.fullmatch(r"s0 \(\$\\ddagger\$\) & [\d.]+\$_\{\\dagger\}\$ \\\\", rows[2])


def test_many_systems_have_numbers_and_underlines():
    scores = apart(systems=12, gap=0.15)
    result = compare(scores, test="t", correction="bonferroni")
    verdicts = result.tables["compare_pairs"].filter(pl.col("p") < 0.05)
    better = pl.concat(
        [verdicts.select(winner=pl.when(pl.col("difference") > 0).then("system_a").otherwise("system_b"))]
    )["winner"].value_counts()
    expected = dict(better.iter_rows())
    best = result.tables["compare"]["system"][0]
    like = {
        a if b == best else b
        for a, b, p in result.tables["compare_pairs"]["system_a", "system_b", "p"].rows()
        if best in (a, b) and p >= 0.05
    }
    for line in body(result.to_latex()):
        system = line.split()[0]
        number = re.search(r"\^\{(\d+)\}", line)
        assert (int(number[1]) if number else 0) == expected.get(system, 0)
        assert (r"\underline" in line) == (system in like)
    assert 0 < len(like) < 11


@pytest.mark.parametrize(("test", "correction", "words"), [
    ("t", "fdr_bh", "Paired t test, Benjamini-Hochberg-corrected, alpha = 0.01, 12 topics"),
    ("max-t", "none", "Bootstrap max-t test, alpha = 0.01, 12 topics, 200 trials"),
])  # fmt: skip
def test_the_caption_names_test_correction_level_and_topics(test, correction, words):
    result = compare(apart(), test=test, correction=correction, alpha=0.01, trials=200)
    caption = re.search(r"\\caption\{(.*)\}", result.to_latex())[1]
    assert words in caption


def test_latex_is_the_table_of_means_unless_another_is_named():
    for result in (compare(apart(systems=2), test="t"), compare(apart(), baseline=["s1"], test="t")):
        assert next(iter(result.tables)) == "compare_baseline"
        assert result.to_latex() == result.text(format="latex") == result.latex()["compare"]
        assert "difference" in result.text("compare_pairs", "latex")
        assert "difference" in result.to_latex("compare_baseline")


def test_many_metrics_span_both_columns_of_a_page():
    latex = compare(apart(systems=4, metrics=7), test="t").to_latex()
    assert latex.startswith(r"\begin{table*}")
    assert latex.count(r"\begin{tabular}") == 1


def test_groups_of_one_letter_with_two_characters_are_read_right():
    means = pl.DataFrame({
        "metric": "m", "system": [f"s{n}" for n in range(28)], "mean": np.arange(28, 0, -1) / 28,
        "group": [*"abcdefghijklmnopqrstuvwxyz", "aa", "ab"],
    })  # fmt: skip
    rows = body(paper_table(means, None, (), 0.05, "Test."))
    assert "$^{27}$" in rows[0]
    assert "^" not in rows[-1]
