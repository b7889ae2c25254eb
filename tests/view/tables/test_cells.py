"""A p-value that rounds to zero is printed as below the last digit: in text, LaTeX and the report."""

from __future__ import annotations

import polars as pl

from metameter.reporting.tables import shown_columns
from metameter.view.tables.cells import rounded_rows
from metameter.view.tables.latex import to_latex

FRAME = pl.DataFrame({"metric": ["AP", "RR"], "p": [1e-30, 0.25], "p_vs_canonical": [0.0, None], "p_se": [0.0, 0.1]})


def test_text_never_prints_a_p_value_as_zero() -> None:
    assert rounded_rows(FRAME) == [["AP", "<0.0001", "<0.0001", "0.0000"], ["RR", "0.2500", "", "0.1000"]]


def test_latex_prints_the_sign_in_math_mode() -> None:
    assert r"AP & $<$0.0001 & $<$0.0001 & 0.0000 \\" in to_latex(FRAME)


def test_the_report_prints_p_alike_and_sorts_by_number() -> None:
    found = {each.name: each.cells for each in shown_columns(FRAME, FRAME, FRAME.columns)}
    assert found["p"] == [("<0.0001", "1e-30"), ("0.2500", "0.25")]
    assert found["p_vs_canonical"] == [("<0.0001", "0.0"), ("", "")]
