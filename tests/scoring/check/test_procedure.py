"""What `check` says of a run is what `score` makes of it."""

import random

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.judge.ties import TIES


def collection(seed=3):
    """Runs with many ties, of which only some documents are judged; one topic is not retrieved."""
    draw = random.Random(seed)
    documents = [f"d{i:02}" for i in range(40)]
    qrels = {str(topic): {doc: draw.randint(0, 2) for doc in draw.sample(documents, 15)} for topic in range(1, 6)}
    rows = [
        (system, str(topic), doc, float(draw.randint(1, 4)), float(30 - rank))
        for system in ("a", "b")
        for topic in range(1, 5)
        for rank, doc in enumerate(draw.sample(documents, 30))
    ]
    columns = ("system", "topic", "doc", "score", "rank")
    return qrels, {name: [row[i] for row in rows] for i, name in enumerate(columns)}


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("as_files", [False, True])
def test_coverage_equals_judged_at_10_in_the_chosen_tie_order(ties, as_files, tmp_path):
    qrels, columns = collection()
    runs = pl.DataFrame(columns)
    if as_files:
        for (system, *_), part in runs.group_by("system", maintain_order=True):
            lines = [f"{topic} Q0 {doc} {rank} {value} t" for _, topic, doc, value, rank in part.iter_rows()]
            (tmp_path / system).write_text("\n".join(lines))
        runs = tmp_path
    scores = metameter.score(qrels, runs, "Judged@10", ties=ties)
    coverage = metameter.check(qrels, runs, ties=ties).coverage
    assert coverage["system"].to_list() == list(scores.systems)
    np.testing.assert_allclose(coverage["judged_at_10"], scores["Judged@10"][:, :4].mean(axis=1), rtol=1e-12)
    assert coverage["missing"].to_list() == [1, 1]


def test_the_range_over_ties_ignores_the_chosen_order():
    qrels, columns = collection()
    ranges = {ties: metameter.check(qrels, pl.DataFrame(columns), ties=ties).coverage for ties in TIES}
    for coverage in ranges.values():
        assert coverage.drop("judged_at_10").equals(ranges["mean"].drop("judged_at_10"))
    assert len({tuple(coverage["judged_at_10"]) for coverage in ranges.values()}) == len(TIES)


def test_a_run_without_a_judged_document_is_a_problem():
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"good": {"1": {"a": 2.0, "x": 1.0}, "2": {"y": 1.0}}, "bad": {"1": {"x": 2.0, "y": 1.0}, "2": {"z": 1.0}}}
    problems = metameter.check(qrels, runs).problems
    assert problems.select("file", "what", "fix").rows() == [
        (
            "bad",
            "0 of 3 retrieved documents are judged",
            "Check that the run and the qrels name documents alike; without judged documents all scores are 0.",
        )
    ]


def test_grades_that_binary_metrics_do_not_count_get_a_notice():
    qrels = {"1": {"a": 0.25, "b": 0.5, "c": 1.0, "d": 0.0}}
    run = {"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    with pytest.warns(metameter.MetameterWarning) as notices:
        metameter.check(qrels, run)
    [sentence] = [str(each.message) for each in notices if "grades above 0 are below 1" in str(each.message)]
    assert sentence.startswith("qrels: 2 of 3 grades above 0 are below 1 (0.25, 0.5), and AP, P@10, RR, ")
    assert sentence.endswith(" count only grades of 1 and above as relevant; set rel to count lower ones: AP(rel=0.5)")
