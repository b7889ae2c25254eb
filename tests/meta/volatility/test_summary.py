"""What is said of orderings, each number by another way: scipy, plain Python, `score` and `power`."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import metameter
from metameter.meta.volatility.families import family_name
from metameter.metric.compose import parse_metric
from metameter.stats.resampling.samples import bootstrap_indices

METRICS = ["nDCG", "AP", "P@10"]
# The previous depth of 4 is 1, not 3; the pool depth, 8, is not in the list.
DEPTHS = [1, 4, 7, 10, 20]
CONTRIBUTING = ["S001", "S002", "S004", "S005", "S007"]


@pytest.fixture(scope="module")
def made():
    return metameter.simulate(topics=10, systems=9, depth=20, grades=3, pool_depth=8, seed=11)


@pytest.fixture(scope="module")
def apart():
    """Topics enough to tell some systems apart."""
    return metameter.simulate(topics=40, systems=9, depth=20, grades=3, pool_depth=8, seed=11)


@pytest.fixture(scope="module")
def result(made):
    return metameter.volatility(made.qrels, made.runs, METRICS, depths=DEPTHS, resamples=0, max_grade=2)


def curves(result):
    """(metric, condensed) -> scores, (depths, systems)."""
    parts = result.table.partition_by("metric", "condensed", as_dict=True, maintain_order=True)
    return {
        key: part.pivot("system", index="depth", values="score").drop("depth").to_numpy() for key, part in parts.items()
    }


def rows(result, metric, condensed):
    return result.tables["volatility_summary"].filter(metric=metric, condensed=condensed)


def turned(before, after):
    pairs = itertools.combinations(range(len(before)), 2)
    return sum((before[a] - before[b]) * (after[a] - after[b]) < 0 for a, b in pairs)


def test_orderings_are_compared_with_previous_and_final_depth(result):
    for (metric, condensed), means in curves(result).items():
        summary = rows(result, metric, condensed)
        means = means.round(12)
        assert summary["depth"].to_list() == DEPTHS
        assert summary["tau_to_final"][-1] == summary["tau_ap_to_final"][-1] == 1
        to_final = [kendalltau(row, means[-1]).statistic for row in means]
        np.testing.assert_allclose(summary["tau_to_final"], to_final, atol=1e-12)
        assert summary["tau_to_previous"][0] is None
        steps = list(itertools.pairwise(means))
        to_previous = [kendalltau(*step).statistic for step in steps]
        np.testing.assert_allclose(summary["tau_to_previous"][1:], to_previous, atol=1e-12)
        assert summary["crossings"].to_list() == [0, *(turned(*step) for step in steps)]
        assert summary["falls"].to_list() == [0, *(int((after < before).sum()) for before, after in steps)]
        np.testing.assert_allclose(summary["range"], np.ptp(means, axis=1), atol=1e-12)
    assert result.tables["volatility_summary"]["crossings"].sum() > 20
    assert result.tables["volatility_summary"]["falls"].sum() > 20


def test_fewer_depths_change_the_previous_depth(made, result):
    fewer = metameter.volatility(made.qrels, made.runs, METRICS, depths="1,20", resamples=0, max_grade=2)
    own = fewer.tables["volatility_summary"].filter(depth=20)
    assert (
        own["tau_to_previous"].to_list() == fewer.tables["volatility_summary"].filter(depth=1)["tau_to_final"].to_list()
    )
    assert own["crossings"].to_list() != result.tables["volatility_summary"].filter(depth=20)["crossings"].to_list()


def test_marked_systems_are_quartiles_of_the_final_order(result):
    for (metric, condensed), means in curves(result).items():
        systems = result.table["system"].unique(maintain_order=True).to_list()
        final = sorted(systems, key=lambda system: -means[-1, systems.index(system)])
        marked = result.tables["marked"].filter(metric=metric, condensed=condensed)
        places = {"best": 0, "quartile1": 2, "median": 4, "quartile3": 6, "worst": 8}  # round(8 q)
        assert dict(marked.select("mark", "system").iter_rows()) == {mark: final[at] for mark, at in places.items()}


def test_drift_starts_below_the_pool_depth(made, result):
    assert result.pool_depth == 8
    for (metric, condensed), means in curves(result).items():
        at_pool = metameter.score(
            made.qrels, made.runs, [parse_metric(_named(metric)).at(8)], unjudged=_unjudged(condensed), max_grade=2
        ).means.to_numpy()[:, 1]
        drift = rows(result, metric, condensed)["drift"]
        assert drift[:3].to_list() == [None] * 3
        wanted = np.abs(means[3:] - at_pool.astype(float)).mean(axis=1)
        np.testing.assert_allclose(drift[3:], wanted, atol=1e-15)


@pytest.mark.filterwarnings("ignore:unjudged documents could turn")
def test_residuals_match_score(made, result):
    for metric in METRICS:
        for depth in DEPTHS:
            measure = parse_metric(metric).at(depth)
            scores = metameter.score(made.qrels, made.runs, [measure], residual=True, max_grade=2)
            wanted = (scores.high - scores.low).mean()
            found = rows(result, family_name(measure), False).filter(depth=depth)["residual"].item()
            assert found == pytest.approx(wanted, abs=1e-14)
            condensed = metameter.score(
                made.qrels, made.runs, [measure], residual=True, unjudged="condense", max_grade=2
            )
            found = rows(result, family_name(measure), True).filter(depth=depth)["residual"].item()
            assert found == pytest.approx((condensed.high - condensed.low).mean(), abs=1e-14)
    assert result.tables["volatility_summary"].filter(depth=20)["residual"].min() > 0.01
    assert result.tables["volatility_summary"].filter(pl.col("depth") <= 8)["residual"].max() == 0


@pytest.mark.parametrize("contributing", [None, CONTRIBUTING], ids=["all", "named"])
def test_verdicts_of_a_cell_match_power(apart, contributing):
    """The other way to the same number: shallower judgments by `score`, then `power`."""
    options = {"trials": 300, "seed": 4}
    given = {} if contributing is None else {"contributing": contributing}
    found = metameter.volatility(
        apart.qrels,
        apart.runs,
        METRICS,
        depths=[3, 20],
        grid=True,
        pools=[2, 5],
        resamples=0,
        max_grade=2,
        **options,
        **given,
    )
    summary = found.tables["volatility_summary"]
    assert summary["pool_depth"].unique().to_list() == [2, 5, found.pool_depth]
    runs = [run for run in apart.runs if contributing is None or run.name in contributing]
    for metric, condensed, pool, depth, count, pairs in summary.select(
        "metric", "condensed", "pool_depth", "depth", "discriminated", "pairs"
    ).iter_rows():
        measure = parse_metric(_named(metric)).at(depth)
        shallow = {} if pool == found.pool_depth else {"pool_depth": pool, **given}
        scores = metameter.score(apart.qrels, runs, [measure], unjudged=_unjudged(condensed), max_grade=2, **shallow)
        power = metameter.power(scores, resamples=0, **options).table
        assert (count, pairs) == (power["significant"].item(), power["pairs"].item())
    assert summary["discriminated"].max() > 0


def test_shallower_pools_use_the_summary_of_the_metric(apart):
    """A geometric mean and a sum over topics are no means."""
    names = ["gm_map", "NumRelRet", "nDCG"]
    options = {"depths": [3, 20], "grid": True, "pools": [2], "trials": 20, "condensed": "no", "max_grade": 2}
    summary = metameter.volatility(apart.qrels, apart.runs, names, resamples=0, **options).tables["volatility_summary"]
    for metric in names:
        for depth in (3, 20):
            measure = parse_metric(metric).at(depth)
            means = metameter.score(apart.qrels, apart.runs, [measure], pool_depth=2, max_grade=2).means[:, 1]
            wanted = means.max() - means.min()
            found = summary.filter(metric=metric, pool_depth=2, depth=depth)["range"].item()
            assert found == pytest.approx(wanted, abs=1e-12)


def test_the_final_cell_keeps_every_verdict(apart):
    found = metameter.volatility(
        apart.qrels, apart.runs, METRICS, depths=[3, 20], grid=True, pools=[2, 5], trials=300, resamples=20, max_grade=2
    )
    summary = found.tables["volatility_summary"]
    final = summary.filter(pool_depth=found.pool_depth, depth=20)
    assert final["lost"].to_list() == final["reversed"].to_list() == [0] * 6
    assert final["kept"].to_list() == [1.0] * 6
    verdicts = dict(zip(zip(final["metric"], final["condensed"], strict=True), final["discriminated"], strict=True))
    for row in summary.iter_rows(named=True):
        same = row["kept"] * verdicts[row["metric"], row["condensed"]]
        assert same == pytest.approx(row["discriminated"] - row["lost"] - row["reversed"])
        assert row["power"] == row["discriminated"] / 36
    assert summary["kept"].min() < 1
    plan = found.tables["volatility_planning"]
    for row in plan.iter_rows(named=True):
        assert row["verdicts"] == verdicts[row["metric"], row["condensed"]]
        depth = found.pool_depth if row["pool_depth"] is None else row["pool_depth"]  # none: all judgments
        cell = summary.filter(metric=row["metric"], condensed=row["condensed"], pool_depth=depth, depth=row["depth"])
        assert (cell["kept"].item(), cell["reversed"].item()) == (row["kept"], row["reversed"])
        assert row["kept"] >= 0.95
        assert row["reversed"] == 0
        pool = found.tables["volatility_pools"].filter(topic="all")["judged"].item()
        assert row["share"] == row["judgments"] / pool
        # What is sure needs no fewer judgments than what does on these topics.
        assert row["sure_share"] >= row["share"]
        near = row["holds"] is not None and abs(row["holds"] - 0.95) < 2 * (0.95 * 0.05 / 20) ** 0.5
        assert row["close_call"] >= near  # the shallowest cell is the first that is tried
        assert (row["holds"] is not None and row["holds"] >= 0.95) == (
            (row["sure_pool_depth"], row["sure_depth"]) == (row["pool_depth"], row["depth"])
            and row["holds"] is not None
        )
        shallower = summary.filter((pl.col("pool_depth") < depth) & (pl.col("kept") >= 0.95))
        shallower = shallower.filter(metric=row["metric"], condensed=row["condensed"], reversed=0)
        assert shallower.is_empty()


def _named(metric):
    return metric.replace("@k", "@10")


def _unjudged(condensed):
    return "condense" if condensed else "zero"


def test_the_interval_of_a_settled_depth_matches_a_plain_loop():
    made, depths = metameter.simulate(topics=12, systems=8, depth=12, seed=2), range(1, 13)
    options = {"condensed": "no", "settled": 0.7, "resamples": 50, "seed": 3, "max_grade": 3}
    table = metameter.volatility(made.qrels, made.runs, ["nDCG", "AP"], **options).tables["volatility_settled"]
    draws = np.concatenate(list(bootstrap_indices(12, 50, 3)))
    for row in table.iter_rows(named=True):
        names = [f"{row['metric']}@{depth}" for depth in depths]
        scores = metameter.score(made.qrels, made.runs, names, max_grade=3).matrix
        found = []
        for topics in (np.arange(12), *draws):
            means = scores[:, topics].mean(axis=1)
            taus = [kendalltau(each, means[-1]).statistic for each in means]
            found.append(max([0, *(depth for depth, tau in zip(depths, taus, strict=True) if not tau >= 0.7)]) + 1)
        # Of 50 resamples and two rows, the ends are the extremes.
        assert (row["depth"], row["low"], row["high"]) == (found[0], min(found), max(found))
        assert row["depth"] < row["high"] < 12
