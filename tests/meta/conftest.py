"""Every procedure, run once on small scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metameter
from metameter.checks.procedure import sample_pairs, sample_serps
from metameter.meta.base import Procedure
from metameter.meta.framework.declarations import declaration
from metameter.registry import names
from metameter.types import Scores
from metameter.view.result import Result

METRICS = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*fin")
FEW: dict[str, Any] = {"splits": 20, "trials": 20, "resamples": 20}
FEW_DRAWS: dict[str, Any] = {"resamples": 20, "trials": 20}
AGAINST: dict[str, Any] = {"simple": [METRICS[2]], "resamples": 20}
GROUPS: dict[str, Any] = {"contributing": list("abcde"), "groups": {"a": "us", "b": "us"}}
# Options enough to make every table and every column; a procedure that is not here is called with its defaults.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("similarity", {}),
    ("similarity", {"interval": "bootstrap", "resamples": 20}),
    ("consistency", FEW),
    ("consistency", {**FEW, "paper_marks": True}),
    ("power", {"trials": 20}),
    ("power", {"trials": 20, "test": "bootstrap"}),
    ("power", {"test": "t", "correction": "holm"}),
    ("compare", {"trials": 20, "resamples": 20}),
    ("compare", {"test": "t", "correction": "holm", "resamples": 20, "baseline": ["a"]}),
    ("recommend", FEW),
    ("taxonomy", {}),
    ("intuitiveness", {**AGAINST, "trials": 20, "weights": {METRICS[2]: 1}}),
    ("unanimity", AGAINST),
    ("agreement", AGAINST),
    ("satisfaction", {"resamples": 20, "max_grade": 3}),
    ("satisfaction", {"metrics": ["RR", "nDCG@5"], "test": "williams", "resamples": 20, "max_grade": 3}),
    ("preference", {"resamples": 20, "max_grade": 3}),
    ("fit", {"model": "RBP*max", "empirical": True, "resamples": 20, "max_grade": 3}),
    ("fit", {"serps": sample_pairs(), "model": "RBP*max", "resamples": 20, "max_grade": 3}),
    ("tradeoff", {**FEW, "serps": sample_serps(), "pairs": sample_pairs(), "pages_max_grade": 3}),
    ("volatility", {**FEW_DRAWS, "grid": True, "pools": [1], "include_others": True, "max_grade": 2, **GROUPS}),
    ("volatility", {"contributing": ["a", "b"], "max_grade": 2}),
]
TRIED = {name for name, _ in CASES}


@pytest.fixture(scope="session")
def small_scores() -> Scores:
    values = np.linspace(0, 1, 6)[:, None] + np.random.default_rng(0).normal(0, 0.3, (3, 6, 12))
    return Scores(METRICS, tuple("abcdef"), tuple(map(str, range(12))), values)


def _sessions(seed: int = 0, *, systems: int = 5, topics: int = 8, iterations: int = 3, names: str = "abc") -> Scores:
    rng = np.random.default_rng(seed)
    shape = (systems, topics, iterations)
    prec, st_rec, tot_time = rng.normal(size=(3, *shape))
    metrics = [prec + noise * rng.normal(size=shape) for noise in (0.2, 1.0, 5.0)]
    values = np.stack([*metrics, prec, st_rec, tot_time])
    labels = (tuple(f"r{n}" for n in range(systems)), tuple(f"t{n}" for n in range(topics)))
    return Scores((*names, "prec", "st_rec", "tot_time"), *labels, values, iterations=tuple(range(1, iterations + 1)))


@pytest.fixture(scope="session")
def sessions() -> Callable[..., Scores]:
    """Makes metrics a, b and c that follow prec less and less, and have nothing to do with st_rec and tot_time."""
    return _sessions


@pytest.fixture(scope="session")
def published(data: Path) -> Scores:
    """The published scores of TREC Dynamic Domain 2016; the pseudo-topic ``all`` is left out with a notice."""
    with warnings.catch_warnings(action="ignore", category=metameter.MetameterWarning):
        return metameter.read_scores(data / "trec-dd" / "2016" / "trec-all-2016-evals.csv", iteration="all")


@pytest.fixture(scope="session")
def small_runs() -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments of the first two ranks of a to e, and the runs of a to f: the pool depth is 2."""
    rng = np.random.default_rng(0)
    topics = [str(topic) for topic in range(8)]
    docs = [f"d{number}" for number in range(9)]
    lists = {system: {topic: rng.permutation(docs).tolist() for topic in topics} for system in "abcdef"}
    runs = {
        system: {topic: {doc: -float(rank) for rank, doc in enumerate(listed)} for topic, listed in by_topic.items()}
        for system, by_topic in lists.items()
    }
    qrels = {
        topic: {doc: int(rng.integers(0, 3)) for system in "abcde" for doc in lists[system][topic][:2]}
        for topic in topics
    }
    return qrels, runs


@pytest.fixture(scope="session")
def results(small_scores: Scores, small_runs: tuple[dict[str, Any], dict[str, Any]]) -> list[tuple[Procedure, Result]]:
    made = []
    for name, options in [*CASES, *((name, {}) for name in names("meta") if name not in TRIED)]:
        declared = declaration(name)
        takes = declared.signature.parameters
        first = {"scores": (small_scores,), "qrels": small_runs, "serps": (sample_serps(),), "pairs": (sample_pairs(),)}
        own = next(iter(takes), "")
        given: tuple[Any, ...] = () if own in options else first.get(own, ())
        made.append((declared, declared.function(*given, **options)))
    return made
