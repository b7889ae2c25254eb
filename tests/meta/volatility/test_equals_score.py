"""A curve at depth k is `metameter.score` at that depth, exactly: every metric, plain and condensed, by any options."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import metameter
from metameter.notices import MetameterWarning

DOCS = [f"d{number}" for number in range(12)]
# A run lists some documents for some topics; with few scores, so that documents are tied.
LISTS = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0]), min_size=1)
RUNS = st.lists(st.fixed_dictionaries({"1": LISTS}, optional={"2": LISTS, "3": LISTS}), min_size=1, max_size=4)
# Below 0: in the pool, not judged.
JUDGED = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 1, 1, 2]), min_size=2)
QRELS = st.fixed_dictionaries({"1": JUDGED, "2": JUDGED}, optional={"3": JUDGED})
OPTIONS = st.fixed_dictionaries(
    {"max_grade": st.sampled_from([2, 4])},
    optional={
        "pool_depth": st.integers(1, 3),
        "contributing": st.just(["s0"]),
        "topics": st.just("common"),
        "ties": st.sampled_from(["docid-asc", "docid-desc", "input"]),
        "costs": st.just({"d0": 3.0, "d1": 0.5, "d7": 2.0}),
    },
)
DEPTHS = [1, 2, 3, 5, 8, 30]
REFUSED = ("no run has a judged document", "deeper than the contributing runs")


def followed(given: tuple[Any, Any], metrics: list[str], depths: list[int], **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetameterWarning)
        return metameter.volatility(*given, metrics, depths=depths, resamples=0, include_others=True, jobs=1, **options)


def agree(found: dict[Any, float], wanted: dict[Any, float]) -> None:
    assert found.keys() == wanted.keys()
    assert {key: (found[key], wanted[key]) for key in wanted if found[key] != wanted[key]} == {}


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(QRELS, RUNS, st.sets(st.sampled_from(DEPTHS), min_size=1, max_size=2).map(sorted), OPTIONS)
def test_curves_equal_score_on_any_collection(all_metrics, by_score, points, qrels, runs, depths, options):
    given = qrels, {f"s{number}": lists for number, lists in enumerate(runs)}
    try:
        curves = followed(given, all_metrics, depths, **options)
    except metameter.MetameterError as error:
        if not any(words in str(error) for words in REFUSED):
            raise
        reject()
    agree(points(curves.table), by_score(*given, all_metrics, depths, jobs=1, **options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pool_depth": 4},
        {"pool_depth": 4, "contributing": ["S002", "S004"]},
        {"contributing": ["S001", "S003"]},
        {"topics": "common"},
        {"max_grade": 7},
        {"costs": {"D0001": 3.0, "D0002": 0.25}, "precision": "single"},
    ],
    ids=str,
)
def test_curves_equal_score_on_a_simulated_collection(options, simulated, all_metrics, by_score, points):
    """Some lists end early, one topic is missing in a run; depths beyond all lists too."""
    depths = [1, 2, 4, 7, 19, 20, 21, 100]
    options = {"max_grade": 3, **options}
    agree(
        points(followed(simulated, all_metrics, depths, **options).table),
        by_score(*simulated, all_metrics, depths, jobs=1, **options),
    )


def test_documents_are_condensed_only_once(simulated, by_score, points):
    metrics = ["AP(norm=pool)", "nDCG"]
    found = points(followed(simulated, metrics, [2, 9], unjudged="condense", max_grade=3).table)
    wanted = by_score(*simulated, metrics, [2, 9], max_grade=3)
    agree(found, {key: mean for key, mean in wanted.items() if key[1]})


@pytest.mark.realdata
@pytest.mark.parametrize(
    "options", [{}, {"pool_depth": 20, "contributing": ["input.att99atc", "input.CL99XT"]}], ids=str
)
def test_curves_equal_score_on_trec_8(options, data, all_metrics, by_score, points):
    folder = data / "trec8-adhoc"
    names = ("CL99XT", "att99atc", "mds08a5", "pir9At0", "READWARE2")
    given = folder / "trec8.qrels.gz", [folder / "runs" / f"input.{name}.gz" for name in names]
    depths = [1, 3, 10, 99, 100, 1000]
    agree(
        points(followed(given, all_metrics, depths, **options).table), by_score(*given, all_metrics, depths, **options)
    )


@pytest.mark.realdata
@pytest.mark.parametrize("options", [{"max_grade": 2}, {"max_grade": 2, "pool_depth": 5, "topics": "common"}], ids=str)
def test_curves_equal_score_on_graded_trec_covid(options, data, all_metrics, by_score, points):
    folder = data / "trec-covid" / "round1"
    given = folder / "qrels.covid-round1.txt", sorted((folder / "runs_depth100").iterdir())[::25]
    depths = [1, 5, 7, 20, 100, 150]
    agree(
        points(followed(given, all_metrics, depths, **options).table), by_score(*given, all_metrics, depths, **options)
    )
