"""The ranking by unanimity as LaTeX is laid out as that by intuitiveness."""

from __future__ import annotations

import polars as pl

from metameter.meta.dimension_tests.rankings import ranking_latex


def test_a_row_of_table_3_is_reproduced() -> None:
    iterations = ["1", "3", "10", "All"]
    frame = pl.DataFrame({"iteration": iterations, "simple": "Rel", "metric": "nEU", "rank": [6, 4, 5, 7]})
    text = ranking_latex(frame, "Ranks.", "tab:unanimity")
    assert r"nEU & 6 & 4 & 5 & 7 \\" in text
    assert r"Metric/Iteration & 1 & 3 & 10 & All \\" in text
