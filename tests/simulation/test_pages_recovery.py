"""How simulated users browse and react is found again by rank correlation; and where it is not, why.

Which users are found was measured first, for all 53 that tell pages apart (benchmarks/recovery_pages.py); those below
are taken from every browsing model and aggregation.
"""

from __future__ import annotations

import numpy as np
import pytest

from metameter import simulate_pages
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores
from metameter.stats.labels.counted_taus import counted_taus
from metameter.stats.labels.counts import LabelCounts
from metameter.stats.ties import tied_codes

MEASURES = measures_of((), "moffat-2022")
NAMES = [measure.name for measure in MEASURES]


def correlations(pages):
    """tau_b of all metrics, the share of pairs of pages that each does not tie, and their codes."""
    codes = tied_codes(item_scores(pages, MEASURES, 3.0))
    level = np.searchsorted(pages.levels, pages.table["satisfaction"].to_numpy())
    count = pages.table["count"].to_numpy()
    shares = np.bincount(pages.item, weights=count) / count.sum()
    untied = np.array([1 - (np.bincount(each, weights=shares) ** 2).sum() for each in codes])
    return counted_taus(codes, LabelCounts(pages.item, level, count)).statistic, untied.clip(0), codes


@pytest.mark.parametrize(
    "metric",
    [
        "Prec@5*fin",
        "RBP(p=0.8)*ERG",
        "RBP(p=0.8)*max",
        "DCG@5*fgt(delta=0.8)",
        "AP1*ERG",
        "RRbin*ERR",
        "INST(T=2.25)*PE(beta=0.5)",
        "INST(T=2.25)*avg",
        "AP2*ETG",
    ],
)
def test_the_users_metric_has_the_highest_tau_b_of_56(metric):
    tau_b, _, codes = correlations(simulate_pages(2000, metric=metric, pairs=0, seed=11).pages)
    alike = (codes == codes[NAMES.index(metric)]).all(axis=1)
    assert alike[np.nanargmax(tau_b)], NAMES[np.nanargmax(tau_b)]


def test_nearly_equal_metrics_are_ordered_by_chance():
    tau_b, _, codes = correlations(simulate_pages(2000, metric="INST(T=2.25)*ETG", pairs=0, seed=11).pages)
    own, twin = NAMES.index("INST(T=2.25)*ETG"), NAMES.index("INST(T=2.25)*ERG")
    assert not (codes[own] == codes[twin]).all()
    assert abs(tau_b[own] - tau_b[twin]) < 0.0005
    assert max(tau_b[own], tau_b[twin]) == np.nanmax(tau_b)


@pytest.mark.parametrize(
    ("metric", "winner", "options"),
    [
        ("INST(T=2.25)*avg", "DCG@5*avg", {"levels": 5}),
        ("RBP(p=0.8)*PE(beta=0.5)", "RBP(p=0.8)*max", {"noise": 0.5, "steepness": 2.2}),
        ("RBP(p=0.8)*max", "Prec@5*max", {"noise": 0.2, "steepness": 2.2, "reaction": "walk"}),
    ],
)
def test_tau_b_can_prefer_a_metric_with_more_ties(metric, winner, options):
    made = simulate_pages(4000, metric=metric, user_spread=0, pairs=0, seed=11, **options)
    tau_b, untied, _ = correlations(made.pages)
    own, other = NAMES.index(metric), NAMES.index(winner)
    assert tau_b[other] > tau_b[own]
    assert untied[other] < untied[own]
    # Without the correction for its ties the other one loses: it has found fewer of the users' differences.
    assert tau_b[other] * np.sqrt(untied[other]) < tau_b[own] * np.sqrt(untied[own])
