"""The other way to every point of a curve: `metameter.score`, one depth at a time."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import metameter
from metameter.meta.volatility.families import family_name
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.notices import MetameterWarning

PRODUCTS = (
    *("AP1*ERG", "AP1*max", "AP2*avg", "AP2*ERR", "AP2*fin", "RRbin*fin", "INST(T=2.25)*avg", "RBP(p=0.8)*ETG"),
    *("Prec@5*PE(beta=0.5)", "DCG@5*fgt(delta=0.8)", "RBP(p=0.8)*max"),
)
ALL = (*preset("lu-2016"), *preset("everyday"), *PRODUCTS)


def one_by_one(
    qrels: Any, runs: Any, metrics: Sequence[str], depths: Sequence[int], **options: Any
) -> dict[tuple[str, bool, str, int], float]:
    """(metric, condensed, system, depth) -> mean score, by calls of `score` that know of one depth only."""
    points = {}
    for depth in depths:
        for unjudged in ("zero", "condense"):
            measures = [parse_metric(name).at(depth) for name in metrics]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MetameterWarning)
                means = metameter.score(qrels, runs, measures, unjudged=unjudged, **options).means
            for name, column in zip(metrics, means.columns[1:], strict=True):
                for system, mean in zip(means["system"], means[column], strict=True):
                    points[family_name(parse_metric(name)), unjudged == "condense", system, depth] = mean
    return points


def points_of(table: pl.DataFrame) -> dict[tuple[str, bool, str, int], float]:
    rows = table.select("metric", "condensed", "system", "depth", "score").iter_rows()
    return {(metric, condensed, system, depth): score for metric, condensed, system, depth, score in rows}


def families_once(metrics: Sequence[str]) -> list[str]:
    """Of several depths of a metric the first."""
    return list({family_name(parse_metric(name)): name for name in reversed(metrics)}.values())[::-1]


@pytest.fixture(scope="session")
def all_metrics() -> list[str]:
    """The metrics of lu-2016 and everyday, each at any depth once; products of moffat-2022, clairvoyant ones too."""
    return families_once(ALL)


@pytest.fixture(scope="session")
def simulated() -> tuple[dict[str, Any], dict[str, Any]]:
    """Graded judgments of pools of depth 8; runs with lists of several lengths, one of them without a topic."""
    made = metameter.simulate(topics=6, systems=6, depth=20, grades=4, pool_depth=8, seed=3)
    qrels = _nested(made.qrels.table, "grade")
    runs = {run.name: _nested(run.table, "score") for run in made.runs}
    del runs["S002"][next(iter(qrels))]
    for place, listed in enumerate(runs["S003"].values()):
        for doc in list(listed)[place * 3 + 1 :]:
            del listed[doc]
    return qrels, runs


def _nested(table: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for topic, doc, number in table.select("topic", "doc", value).iter_rows():
        nested.setdefault(topic, {})[doc] = number
    return nested


@pytest.fixture(scope="session")
def trec_8(data: Path) -> Any:
    """All depths of the paper's metrics, on the 62 runs that are judged to depth 100."""
    folder = data / "trec8-adhoc"
    given = folder / "trec8.qrels.gz", folder / "runs"
    return metameter.volatility(*given, judged_to="data", ties="rank", resamples=0, max_grade=1)


@pytest.fixture(scope="session")
def by_score() -> Any:
    return one_by_one


@pytest.fixture(scope="session")
def points() -> Any:
    return points_of
