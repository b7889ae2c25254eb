"""What curves must and must not do: the printed numbers, what never falls, what the pool depth ends."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ap_variants_001.json").read_text())
NAMES = {"AP(norm=min)": "AP_min(k,R)", "AP": "AP'_R", "AP(norm=pool)": "AP''_Rk"}
UTILITY = ["AP", "RBP(p=0.8)", "ERR"]
FAMILIES = ["AP", "RBP(p=0.8)*ERG", "ERR*ERR"]
DOCS = [f"d{number}" for number in range(10)]
ORDERS = st.lists(st.fixed_dictionaries({topic: st.permutations(DOCS) for topic in "12"}), min_size=2, max_size=5)
JUDGED = st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=4)


def ranked(order):
    return {doc: float(-rank) for rank, doc in enumerate(order)}


def by_depth(table):
    """(families, systems, depths) of scores, as the rows stand."""
    systems, depths = table["system"].n_unique(), table["depth"].n_unique()
    return table["score"].to_numpy().reshape(-1, systems, depths)


def test_the_papers_three_normalisations_are_reproduced():
    """Golden numbers by its equations 1 to 3: four contributing runs, judged to depth 6."""
    runs = {name: {"1": ranked(order)} for name, order in GOLDEN["input"]["runs"].items()}
    wanted = GOLDEN["expected"]
    depths = sorted({int(key.rpartition("=")[2]) for key in wanted})
    options = {
        "depths": depths,
        "pool_depth": GOLDEN["input"]["pool_depth"],
        "contributing": list(runs),
        "max_grade": 2,
    }
    table = metameter.volatility({"1": GOLDEN["input"]["qrels"]}, runs, list(NAMES), **options).table
    assert table.height == len(wanted) * len(NAMES)
    for metric, condensed, system, depth, score in table.iter_rows():
        printed = wanted[f"{system}|{'condensed' if condensed else 'plain'}|k={depth}"]
        assert score == pytest.approx(printed[NAMES[metric]], abs=GOLDEN["tolerance"])


@settings(deadline=None, max_examples=25)
@given(st.fixed_dictionaries({"1": JUDGED, "2": JUDGED}), ORDERS)
def test_utility_never_falls(qrels, orders):
    runs = {f"s{n}": {topic: ranked(order) for topic, order in one.items()} for n, one in enumerate(orders)}
    result = metameter.volatility(qrels, runs, UTILITY, resamples=0, max_grade=3, jobs=1)
    assert result.tables["volatility_summary"]["falls"].to_list() == [0] * 10 * 6
    # A mean over topics that is made of the same terms may be rounded otherwise.
    assert np.diff(by_depth(result.table)).min() > -1e-15


@pytest.mark.realdata
def test_some_normalisations_fall_with_depth_on_trec_8(trec_8):
    summary = trec_8.tables["volatility_summary"]
    falls = dict(summary.group_by("metric").agg(pl.col("falls").sum()).iter_rows())
    assert {falls.pop(metric) for metric in FAMILIES} == {0}
    # Relative to opportunity: what could have been found grows with the depth.
    assert all(count > 1000 for count in falls.values())
    assert falls.keys() == {"AP(norm=min)", "AP(norm=pool)", "nDCG", "Q(beta=1)"}
    utility = trec_8.table.filter(pl.col("metric").is_in(FAMILIES))
    assert np.diff(by_depth(utility)).min() > -1e-15


@pytest.mark.realdata
def test_the_pool_ends_at_the_given_pool_depth(data):
    folder = data / "trec8-adhoc"
    runs = sorted((folder / "runs").glob("*.gz"))[::16]
    options = {"pool_depth": 20, "resamples": 0, "ties": "rank", "depths": "1-30,100,1000"}
    table = metameter.volatility(folder / "trec8.qrels.gz", runs, ["AP", "AP(norm=pool)"], **options).table
    mean, of_pool = (table.filter(metric=metric).drop("metric") for metric in ("AP", "AP(norm=pool)"))
    past = pl.col("depth") >= 20
    assert of_pool.filter(past).equals(mean.filter(past))
    above = of_pool.filter(~past)["score"] - mean.filter(~past)["score"]
    assert above.min() >= 0
    assert above.max() > 0.01


@pytest.mark.realdata
@pytest.mark.parametrize(("ties", "contributing"), [("rank", 62), ("docid-desc", 72)])
def test_the_pool_depth_of_trec_8_is_found(ties, contributing, data, trec_8):
    folder = data / "trec8-adhoc"
    listed = pl.read_csv(folder / "pool-contribution.tsv", separator="\t")
    sure = {f"input.{run}" for run in listed.filter(pl.col("unjudged_in_top100") == 0)["run"]}
    options = {"judged_to": "data", "ties": ties, "resamples": 0, "depths": [10], "condensed": "no"}
    result = (
        trec_8
        if ties == "rank"
        else metameter.volatility(folder / "trec8.qrels.gz", folder / "runs", ["AP"], **options)
    )
    systems = set(result.table["system"])
    assert result.pool_depth == 100
    assert result.tables["volatility_pools"].row(-1)[:2] == ("all", 100)
    assert result.tables["volatility_pools"]["pool_depth"].min() == 100
    assert len(systems) == contributing
    assert ties != "rank" or systems == sure
    assert set(result.manifest["options"]["contributing"]) == systems


@pytest.mark.realdata
def test_the_pool_depth_of_trec_covid_is_found(data):
    folder = data / "trec-covid" / "round1"
    given = folder / "qrels.covid-round1.txt", folder / "runs_depth100"
    result = metameter.volatility(*given, ["AP"], judged_to="data", depths=[10], resamples=0, max_grade=2)
    assert result.pool_depth == 7
    assert "first 7 (the depth at which more runs have their first gap than at any other)" in "\n".join(result.notes)


def test_other_runs_can_be_included_without_changing_the_orderings(simulated):
    options = {"contributing": ["S004", "S001"], "depths": "1-20", "resamples": 0, "max_grade": 3}
    few = metameter.volatility(*simulated, ["nDCG"], **options)
    every = metameter.volatility(*simulated, ["nDCG"], include_others=True, **options)
    assert few.table["system"].unique(maintain_order=True).to_list() == ["S001", "S004"]
    own = every.table.filter("contributing").drop("contributing")
    assert own.equals(few.table)
    assert set(every.table.filter(~pl.col("contributing"))["system"]) == {"S002", "S003", "S005", "S006"}
    for name in ("volatility_summary", "marked", "volatility_difference", "volatility_pools"):
        # What is said of orderings is said of the contributing systems.
        assert every.tables[name].equals(few.tables[name]), name


def test_one_system_or_one_topic_gives_curves_only(simulated):
    qrels, runs = simulated
    topic = list(qrels)[1]
    one = {"S001": runs["S001"]}
    single = {topic: qrels[topic]}
    for collection, ordered in (((qrels, one), False), ((single, runs), True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", metameter.MetameterWarning)
            result = metameter.volatility(*collection, ["nDCG", "P@5"], depths=[1, 5, 10], max_grade=3)
        summary = result.tables["volatility_summary"]
        assert result.table["score"].null_count() == 0
        assert summary["low"].null_count() == summary["high"].null_count() == summary.height
        assert summary["tau_to_final"].is_null().all() != ordered
        assert ("volatility_settled" in result.tables) == ordered
        assert result.answer()
