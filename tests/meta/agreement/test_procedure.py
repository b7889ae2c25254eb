"""Do both rank the metrics alike? Table 4 from the printed Tables 2 and 3, scipy, and the edges."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

import metameter
from metameter.meta.agreement.tables import agreement_rows
from metameter.stats.rank_agreement import exact_rho_p, rank_correlations, rho_p

# Tables 2 and 3 of Albahem et al. (2019): a row a metric; iterations 1, 3, 10, All of Rel, Div, Eff, Rel and Div.
TABLE_2 = """4 5 1 3 4 5 4 4 4 4 3 4 5 4 3 5
3 3 1 2 2 3 6 3 2 3 2 2 2 3 5 4
6 6 6 7 6 7 5 5 1 1 3 3 6 5 4 6
1 1 2 1 5 4 2 2 6 6 6 7 5 2 1 2
1 2 3 4 1 1 1 1 5 6 5 6 1 1 1 1
5 4 5 6 3 2 3 2 3 5 4 5 4 3 2 3
2 3 4 5 2 6 7 6 2 2 1 1 3 4 6 7"""
TABLE_3 = """5 5 2 4 5 3 5 5 2 3 4 4 6 5 2 5
1 1 1 1 1 1 6 3 1 2 2 2 1 1 1 1
6 4 5 7 7 5 4 6 1 1 3 3 7 4 4 6
4 2 4 2 6 4 2 4 4 5 7 7 5 2 3 3
2 3 3 3 2 1 1 1 3 5 6 6 2 2 1 2
3 4 4 5 4 2 3 2 2 4 5 5 3 3 3 4
5 4 6 6 3 5 7 7 1 2 1 1 4 4 5 7"""
TABLE_4 = """0.44 0.71 0.80* 0.89* 0.94* 0.89* 0.96* 0.94* 0.96* 0.99* 0.99* 1.00* 0.92* 0.75 0.39 0.79*"""


def test_table_4_from_the_printed_ranks():
    first, second = (np.array([row.split() for row in text.splitlines()], dtype=int).T for text in (TABLE_2, TABLE_3))
    rho = rank_correlations(-first, -second)
    stars = np.where(rho_p(rho, 7) < 0.05, "*", "")
    printed = [f"{value:.2f}{star}" for value, star in zip(rho, stars, strict=True)]
    assert printed == TABLE_4.split()


def test_scipy_gives_the_same_rho_and_p():
    rng = np.random.default_rng(5)
    for n in (3, 7, 18):
        first, second = rng.integers(0, 6, (2, 40, n))
        rho = rank_correlations(first, second)
        p = rho_p(rho, n)
        for one, other, mine, of_mine in zip(first, second, rho, p, strict=True):
            if len(set(one)) == 1 or len(set(other)) == 1:
                assert np.isnan(mine)
                continue
            wanted = spearmanr(one, other)
            assert mine == pytest.approx(wanted.statistic, abs=1e-12)
            assert of_mine == pytest.approx(wanted.pvalue, abs=1e-7)


def test_the_exact_p_tries_all_orders():
    rng = np.random.default_rng(6)
    for _ in range(5):
        one, other = rng.integers(0, 4, (2, 5))
        if len(set(one)) > 1 and len(set(other)) > 1:
            seen = abs(spearmanr(one, other).statistic)
            every = [abs(spearmanr(one, np.array(order)).statistic) for order in permutations(other)]
            assert exact_rho_p(one, other) == pytest.approx(np.mean(np.array(every) >= seen - 1e-9))
    assert np.isnan(exact_rho_p(np.arange(9), np.arange(9)))


def test_the_two_rankings_are_compared_row_by_row(sessions):
    scores = {"one": sessions(1), "two": sessions(2)}
    options = {"simple": ["prec", "st_rec"], "resamples": 40}
    made = metameter.agreement(scores, wins="any", **options)
    assert made.table.columns[:6] == ["collection", "iteration", "simple", "rho", "p", "n"]
    tested = metameter.intuitiveness(scores, wins="any", trials=2, **options).tables["intuitiveness_ranking"]
    unanimous = metameter.unanimity(scores, **options).tables["unanimity_ranking"]
    assert made.table.height == 3 * 4 * 2
    for row in made.table.iter_rows(named=True):
        same = [pl.col(name) == row[name] for name in ("collection", "iteration", "simple")]
        one, other = (frame.filter(*same)["wins"].to_numpy() for frame in (tested, unanimous))
        if len(set(one)) > 1 and len(set(other)) > 1:
            assert row["rho"] == pytest.approx(spearmanr(one, other).statistic)
            assert -1 <= row["low"] <= row["high"] <= 1
        else:
            assert row["rho"] is row["p"] is row["low"] is row["p_exact"] is None


def test_a_metric_that_follows_a_dimension_leads_both(sessions):
    made = metameter.agreement(sessions(topics=40, systems=8), simple="prec", resamples=50)
    assert made.table.select("rho", "n", "low", "high", "p_exact").unique().rows() == [(1.0, 3, 1.0, 1.0, 1 / 3)]
    assert made.answer() == ["Intuitiveness and unanimity rank the 3 metrics with a rank correlation of: prec 1.00."]


def test_two_metrics_have_no_correlation_and_it_is_said(sessions):
    made = metameter.agreement(sessions(), complex="a,b", resamples=20)
    assert made.table["rho"].null_count() == made.table.height
    assert set(made.table["n"]) == {2}
    assert "Fewer than three metrics (2)" in made.notes[0]
    assert "cannot be compared here" in made.answer()[0]
    assert made._repr_html_()
    assert made.to_latex()


def test_rankings_without_resamples_have_no_ranges():
    labels = {"iteration": ["1"] * 3, "simple": ["p"] * 3, "metric": list("abc")}
    one = pl.DataFrame({**labels, "wins": [2, 1, 0]})
    row = agreement_rows(one, one).row(0, named=True)
    assert (row["rho"], row["low"], row["high"]) == (1.0, None, None)
