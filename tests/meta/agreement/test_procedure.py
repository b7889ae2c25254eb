"""Do both rank the metrics alike? Table 4 from the printed Tables 2 and 3, scipy, and the edges."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

import metameter
from metameter.meta.agreement.tables import agreement_rows
from metameter.meta.agreement.text import answer_of
from metameter.stats.rank_correlation.spearman import exact_rho_pvalue, rank_correlations, rho_pvalue
from metameter.stats.resampling.samples import row_permutations
from metameter.types import Scores

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


def test_table_4_follows_from_the_printed_ranks():
    first, second = (np.array([row.split() for row in text.splitlines()], dtype=int).T for text in (TABLE_2, TABLE_3))
    rho = rank_correlations(-first, -second)
    stars = np.where(rho_pvalue(rho, 7) < 0.05, "*", "")
    printed = [f"{value:.2f}{star}" for value, star in zip(rho, stars, strict=True)]
    assert printed == TABLE_4.split()


def test_rho_and_p_match_scipy():
    rng = np.random.default_rng(5)
    for n in (3, 7, 18):
        first, second = rng.integers(0, 6, (2, 40, n))
        rho = rank_correlations(first, second)
        p = rho_pvalue(rho, n)
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
            assert exact_rho_pvalue(one, other) == pytest.approx(np.mean(np.array(every) >= seen - 1e-9))
    assert np.isnan(exact_rho_pvalue(np.arange(9), np.arange(9)))


def test_the_two_rankings_are_compared_row_by_row(sessions):
    scores = {"one": sessions(1), "two": sessions(2)}
    options = {"simple": ["prec", "st_rec"], "resamples": 40}
    made = metameter.agreement(scores, wins="any", **options)
    assert {"null_mean", "null_high", "p_rank", "p_exact"} < set(made.table.columns)
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


CHANCE = (
    "Chance and its 95% point are the mean of rho, and what it exceeds once in twenty times, with the metrics swapped "
    "at random within topics: both rankings count the same cases, and so share their noise."
)


def test_a_terminal_shows_the_null_distribution(sessions):
    shown = metameter.agreement(sessions(topics=40, systems=8), simple="prec", resamples=50).text(width=80)
    assert "null high" in " ".join(shown.split()) or "null" in shown.splitlines()[0]
    assert "null_high" not in shown


def test_a_metric_that_follows_a_dimension_leads_both_rankings(sessions):
    made = metameter.agreement(sessions(topics=40, systems=8), simple="prec", resamples=50)
    assert made.table.select("rho", "n", "low", "high", "p_exact").unique().rows() == [(1.0, 3, 1.0, 1.0, 1 / 3)]
    assert made.answer() == [
        "Intuitiveness and unanimity rank the 3 metrics with a rank correlation of: prec 1.00 (chance 0.85, 95% point "
        "1.00, p 0.42).",
        f"{CHANCE} That the two agree more than by chance is not shown for prec.",
    ]


def test_two_metrics_have_no_correlation_and_the_answer_says_so(sessions):
    made = metameter.agreement(sessions(), complex="a,b", resamples=20)
    assert made.table["rho"].null_count() == made.table.height
    assert set(made.table["n"]) == {2}
    assert "Fewer than three metrics (2)" in made.notes[0]
    assert "cannot be compared here" in made.answer()[0]
    assert made._repr_html_()
    assert made.to_latex()


def test_rankings_without_resamples_have_no_intervals():
    labels = {"iteration": ["1"] * 3, "simple": ["p"] * 3, "metric": list("abc")}
    one = pl.DataFrame({**labels, "wins": [2, 1, 0]})
    row = agreement_rows(one, one).row(0, named=True)
    assert (row["rho"], row["low"], row["high"]) == (1.0, None, None)


def permuted(scores, orders):
    """The scores with metric m of topic t replaced by metric orders[t, m]."""
    values = scores.values.copy()
    metrics = orders.shape[1]
    for topic, order in enumerate(orders):
        values[:metrics, :, topic] = scores.values[order, :, topic]
    return replace(scores, values=values)


@pytest.mark.parametrize("wins", ["any", "significant"])
def test_permuted_wins_equal_those_of_permuted_scores(sessions, wins):
    scores = sessions(3)
    assert scores.metrics[:3] == ("a", "b", "c")
    made = metameter.agreement(scores, simple=["prec", "prec+st_rec"], wins=wins, trials=5, resamples=0)
    for trial, orders in enumerate(row_permutations(len(scores.topics), 3, 5, 0).block(0)):
        own = metameter.agreement(permuted(scores, orders), simple=["prec", "prec+st_rec"], wins=wins, trials=2)
        assert np.array_equal(made.swapped[:, trial], own.wins)


def test_p_is_the_share_of_permutations_that_agree_as_well(sessions):
    made = metameter.agreement(sessions(5, topics=20), simple=["prec", "st_rec"], wins="any", trials=99, resamples=0)
    null = rank_correlations(*made.swapped)
    for row, rhos in zip(made.table.iter_rows(named=True), null.T, strict=True):
        known = rhos[~np.isnan(rhos)]
        if row["rho"] is not None:
            assert row["p"] == pytest.approx((1 + (known >= row["rho"] - 1e-9).sum()) / (1 + len(known)))
            assert row["null_mean"] == pytest.approx(known.mean())
            assert row["null_high"] == pytest.approx(np.quantile(known, 0.95))
            assert row["p_rank"] == pytest.approx(rho_pvalue(np.array(row["rho"]), 3))
    assert made.table["p"].min() > 0
    again = metameter.agreement(sessions(5, topics=20), simple=["prec", "st_rec"], wins="any", trials=99, jobs=2)
    assert made.table["p"].equals(again.table["p"])


@pytest.mark.slow
def test_equivalent_metrics_agree_only_by_chance():
    rng = np.random.default_rng(1)
    below, rhos = [], []
    for seed in range(60):
        quality = rng.normal(size=(8, 20))
        values = np.stack([quality + rng.normal(size=(8, 20)) for _ in range(6)])
        scores = Scores((*"abcde", "prec"), tuple(map(str, range(8))), tuple(map(str, range(20))), values)
        row = metameter.agreement(scores, simple="prec", wins="any", trials=99, resamples=0, seed=seed).table.row(
            0, named=True
        )
        below.append(row["p"] < 0.05)
        rhos.append(row["p_rank"] < 0.05)
    # The t approximation takes the noise that both rankings share for agreement.
    assert sum(below) <= 8
    assert sum(rhos) > 20


def test_the_answer_names_the_sets_with_more_agreement_than_chance():
    labels = {"iteration": ["All"] * 3, "simple": ["Rel", "Div", "Eff"], "rho": [0.92, 0.99, None], "n": [7] * 3}
    table = pl.DataFrame(
        {**labels, "p": [0.21, 1 / 2001, None], "null_mean": [0.85, 0.6, None], "null_high": [0.97, 0.9, None]}
    )
    assert answer_of(table) == [
        "Intuitiveness and unanimity rank the 7 metrics with a rank correlation of: Rel 0.92 (chance 0.85, 95% "
        "point 0.97, p 0.21), Div 0.99 (chance 0.60, 95% point 0.90, p 0.0005).",
        f"{CHANCE} The two agree more than by chance (p < 0.05) for Div; not shown for Rel.",
    ]
