"""The answer of `compare` says what missing topics, which count as 0, do to the differences and verdicts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.reporting.report import CollectionPart, report_of
from metameter.types import Scores

TOPICS = tuple(str(number) for number in range(1, 41))


def scores(systems, lacks, means, seed=1):
    """Scores whose systems differ by as much as their means, and are 0 where a system lacks the topic."""
    noise = np.random.default_rng(seed).normal(0, 0.02, (len(systems), len(TOPICS)))
    values = np.asarray(means)[:, None] + noise
    for system, topics in lacks.items():
        values[systems.index(system), [TOPICS.index(topic) for topic in topics]] = 0
    return Scores(("AP",), tuple(systems), TOPICS, values[None], {"missing_topics": lacks})


def missing(result):
    return [sentence for sentence in result.answer() if "count as 0" in sentence]


def test_missing_topics_can_feign_a_difference_between_two_systems():
    compared = scores(["B", "A30"], {"A30": list(TOPICS[:10])}, [0.5, 0.5])
    result = metameter.compare(compared, test="t")
    (sentence,) = missing(result)
    first, then = (compared.values[0][1] - compared.values[0][0], (compared.values[0][1] - compared.values[0][0])[10:])
    assert sentence == (
        f"A30 lacks 10 of 40 topics, which count as 0: by AP A30 minus B is {first.mean():.4f}, but {then.mean():.4f} "
        "on the 30 topics that both have, where no difference is shown."
    )
    assert "B beats A30" in result.answer()[0]


@pytest.mark.parametrize(
    ("means", "end"),
    [([0.5, 0.3], "where B beats A30 too."), ([0.5, 0.6], "where A30 beats B.")],
)
def test_the_answer_tells_stable_from_reversed_verdicts(means, end):
    result = metameter.compare(scores(["B", "A30"], {"A30": list(TOPICS[:10])}, means), test="t")
    assert missing(result)[0].endswith(end)


def test_verdicts_changed_by_missing_topics_are_counted():
    compared = scores(["a", "b", "c"], {"b": list(TOPICS[:10]), "c": list(TOPICS[:2])}, [0.5, 0.5, 0.7])
    (sentence,) = missing(metameter.compare(compared, test="t"))
    assert sentence.startswith(
        "b lacks 10 and c lacks 2 of 40 topics, which count as 0. On the 30 topics that all systems have, 1 of 3 "
        "verdicts on pairs with such a system change (fewer topics also show fewer differences). The largest change: "
    )
    (sentence,) = missing(metameter.compare(compared, baseline=["c"], test="t"))
    assert "no verdict on a pair with such a system changes (2 pairs)" in sentence


def test_systems_without_common_topics_cannot_be_compared():
    lacks = {"a": list(TOPICS[:20]), "b": list(TOPICS[20:])}
    (sentence,) = missing(metameter.compare(scores(["a", "b"], lacks, [0.5, 0.5]), test="t"))
    assert sentence == (
        "a lacks 20 and b lacks 20 of 40 topics, which count as 0, and no topic is in all runs: compare systems that "
        "have the same topics."
    )


def test_complete_runs_give_no_sentence_on_missing_topics():
    assert missing(metameter.compare(scores(["a", "b"], {}, [0.5, 0.6]), test="t")) == []


def test_a_report_names_systems_with_missing_topics():
    coverage = pl.DataFrame({"system": ["a", "b"], "topics": [200, 150], "missing": [0, 50]})
    told = (
        "b lacks 50 of 200 topics, which count as 0: this changes the consistency and the power of every metric, and "
        "may turn a verdict. Set topics to common (--topics common) to leave these topics out."
    )
    assert report_of("", [CollectionPart("web", {"topics": 200}, coverage, {})], {}).answer == (told,)
    assert report_of("", [CollectionPart("web", {"topics": 150}, coverage, {})], {}).answer == ()
    assert report_of("", [CollectionPart("web", {"topics": 9}, coverage.select("system").clear(), {})], {}).answer == ()
