"""Agreement with preferences: against plain counts and scipy, as the paper suppresses what says nothing of a pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import metameter as mm
from metameter.metric.compose import parse_metric

RNG = np.random.default_rng(21)
A, B = RNG.integers(0, 4, (2, 300, 4))
FELT = (B @ [4, 2, 1, 1]) - (A @ [4, 2, 1, 1]) + RNG.normal(0, 4, 300)
PREFERRED = np.where(np.abs(FELT) < 2, 0, np.sign(FELT)).astype(int)
PAIRS = [
    {"grades_a": a.tolist(), "grades_b": b.tolist(), "preference": int(p)}
    for a, b, p in zip(A, B, PREFERRED, strict=True)
]
METRICS = ["RBP(p=0.5)*ERG", "RBP(p=0.5)*max", "RBP(p=0.5)*ERR", "AP2*ETG", "AP2*avg", "Prec@3"]


@pytest.fixture(scope="module")
def found():
    return mm.preference(PAIRS, METRICS, max_grade=3, resamples=300)


def differences(name: str) -> np.ndarray[Any, Any]:
    metric = parse_metric(name)
    return np.round([metric((b / 3).tolist()) - metric((a / 3).tolist()) for a, b in zip(A, B, strict=True)], 9)


def test_tau_agreement_and_ties_match_plain_counts(found):
    preferred = PREFERRED != 0
    for made in found.table.iter_rows(named=True):
        apart = differences(made["metric"])
        assert made["agreement"] == pytest.approx((np.sign(apart) == PREFERRED)[preferred].mean())
        assert made["ties"] == pytest.approx((apart == 0)[preferred].mean())
        if made["class"] == "metric":
            assert made["tau_b"] == pytest.approx(kendalltau(apart, PREFERRED).statistic, abs=1e-12)


def test_constant_and_order_insensitive_metrics_are_suppressed(found):
    silent = found.table.filter(pl.col("class") != "metric")
    assert silent["metric"].to_list() == ["RBP(p=0.5)*ERR", "AP2*ETG"]
    for column in ("tau_b", "low", "high", "p", "p_vs_canonical", "difference", "beats"):
        assert silent[column].is_null().all()
    assert not silent["better"].any()
    assert found.glance()["tau_b"].to_list()[2:4] == ["X", "XX"]


def test_swapping_the_two_pages_changes_nothing(found):
    swapped = [
        {"grades_a": pair["grades_b"], "grades_b": pair["grades_a"], "preference": -pair["preference"]}
        for pair in PAIRS
    ]
    other = mm.preference(swapped, METRICS, max_grade=3, resamples=0).table
    for column in ("tau_b", "agreement", "ties"):
        assert other[column].drop_nulls().to_list() == pytest.approx(found.table[column].drop_nulls().to_list())


def test_scores_that_differ_only_by_rounding_tie():
    # The same gains in another order: three times a third is one, whatever is added first.
    orders = [([1, 2, 3, 0], [3, 2, 1, 0]), ([2, 2, 1, 3], [3, 1, 2, 2]), ([1, 1, 3, 0], [0, 3, 1, 1])]
    pairs = [{"grades_a": a, "grades_b": b, "preference": sign} for a, b in orders for sign in (-1, 0, 1)]
    with pytest.warns(mm.MetameterWarning, match="gives every pair the same difference of scores here"):
        table = mm.preference(pairs, ["Prec@4*ERG"], max_grade=3, resamples=0).table
    assert table.row(0, named=True)["ties"] == 1.0
    assert table["tau_b"].to_list() == [None]


def test_shares_along_the_difference_match_plain_counts(found):
    shares = found.tables["preference_shares"]
    assert set(shares["metric"]) == set(found.table.filter(pl.col("class") == "metric")["metric"])
    for (name,), part in shares.group_by("metric"):
        assert part["pairs"].sum() == len(PAIRS)
        total = part["prefer_a"] + part["neither"] + part["prefer_b"]
        assert total.to_list() == pytest.approx([1.0] * part.height)
        apart = differences(str(name))
        for bin_ in part.iter_rows(named=True):
            last = bin_["high"] >= np.abs(apart).max() - 1e-8
            within = (apart >= bin_["low"] - 1e-8) & ((apart < bin_["high"] - 1e-8) | last)
            assert bin_["pairs"] == within.sum()
            assert bin_["prefer_b"] == pytest.approx((PREFERRED[within] == 1).mean())
        middle = part.filter(pl.col("difference").abs() < 1e-9)
        assert middle.height <= 1


def test_several_judgments_of_a_pair_count_as_one():
    rows = [{"id": 1, "grades_a": [1, 0], "grades_b": [0, 1], "preference": each} for each in (-0.9, 0.2, 0.1)]
    rows += [{"id": 2, "grades_a": [0, 0], "grades_b": [1, 1], "preference": each} for each in (1, -0.5)]
    made = mm.preference(rows, ["Prec@1"], max_grade=1, resamples=0)
    assert made.manifest["labels"]["size"] == 2
    assert made.table.row(0, named=True)["agreement"] == 0.5 * 2


def test_the_default_is_the_papers_preset():
    table = mm.preference(PAIRS, max_grade=3, resamples=0).table
    assert table["metric"].to_list() == [str(parse_metric(name)) for name in mm.preset("moffat-2022-preference")]
    printed = table.filter(pl.col("class") != "metric")["metric"].to_list()
    assert printed == ["Prec@3*ERR", "RBP(p=0.5)*ERR", "DCG@3*ERR", "AP2*ETG", "AP2*fin"]


def test_identical_preferences_are_refused():
    with pytest.raises(mm.MetameterError, match="every preference is the same"):
        mm.preference([{**pair, "preference": 1} for pair in PAIRS], METRICS, max_grade=3)
