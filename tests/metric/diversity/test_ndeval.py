"""The metrics of diversity against ndeval: its numbers, and pyndeval on whatever hypothesis thinks of."""

import math

import numpy as np
import pyndeval
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.metric.compose import parse_metric

OURS = {"strec": "StRecall"}
WITH_ALPHA = {"ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "NRBP", "nNRBP"}
MEASURES = [f"{name}@{{}}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")]
WHOLE = ["NRBP", "nNRBP", "MAP-IA"]


def ours(theirs, alpha=0.5, beta=0.5, rel=1):
    """Our metric of ndeval's name."""
    name, _, k = theirs.partition("@")
    options = [f"rel={rel}", *([f"alpha={alpha}"] if name in WITH_ALPHA else [])]
    options += [f"beta={beta}"] if name.endswith("NRBP") else []
    spelled = OURS.get(name, name.replace("-", "_"))
    return parse_metric(f"{spelled}({','.join(options)})" + (f"@{k}" if k else ""))


@pytest.fixture(scope="module")
def known(evidence):
    return evidence.golden("ndeval")


@pytest.fixture(scope="module")
def faceted(known, evidence):
    qrels, run = known["input"]["qrels"], known["input"]["run"]
    truth = evidence.truth_of([(topic, subtopic, doc, doc, grade) for topic, subtopic, doc, grade in qrels])
    return evidence.faceted_of(truth, run)


@pytest.mark.parametrize("parameters", ["alpha=0.5,beta=0.5", "alpha=0.8,beta=0.9", "alpha=0.0,beta=0.5"])
def test_every_number_of_ndeval_matches(parameters, known, faceted):
    alpha, beta = (float(part.partition("=")[2]) for part in parameters.split(","))
    expected = known["expected"][parameters]
    compared = 0
    for name in next(iter(expected.values())):
        scores = dict(zip(faceted.judgments.topics, ours(name, alpha, beta).score(faceted), strict=True))
        for topic, values in expected.items():
            # ndeval divides 0 by 0 where nothing is relevant; ours is 0.
            wanted = 0.0 if values[name] is None else values[name]
            assert scores[topic] == pytest.approx(wanted, abs=known["tolerance"]), (topic, name)
            compared += 1
    assert compared == 6 * 33
    assert sum(value is None for value in expected["8"].values()) > 0


def test_a_curve_equals_the_scores_at_each_depth(known, faceted):
    expected = known["expected"]["alpha=0.5,beta=0.5"]
    depths = [1, 3, 5, 10, 20]
    for template in MEASURES:
        curve = ours(template.format(1)).curve(faceted, depths)
        for row, topic in enumerate(faceted.judgments.topics):
            if topic in expected:
                wanted = [expected[topic][template.format(k)] or 0.0 for k in depths]
                assert curve[row] == pytest.approx(wanted, abs=known["tolerance"])


@pytest.mark.parametrize("over", ["default", "-c"])
def test_the_means_of_ndeval_match(over, known, faceted):
    """Over the topics of the run that are judged, or over all that are judged."""
    kept = faceted.length > 0 if over == "default" else np.ones(len(faceted.length), np.bool_)
    means = {name: mean for name, mean in known["ndeval_c_amean"][over].items() if mean is not None}
    assert len(means) >= 18  # the others are not numbers, since one topic's is none
    for name, mean in means.items():
        assert ours(name).score(faceted)[kept].mean() == pytest.approx(mean, abs=1e-6), name


GRADES = st.sampled_from([0, 0, 1, 1, 2, 3])
DOCS = [f"d{number}" for number in range(14)]
JUDGED = st.dictionaries(st.tuples(st.integers(1, 5), st.sampled_from(DOCS)), GRADES, min_size=1, max_size=40)
LISTS = st.dictionaries(st.sampled_from([*DOCS, "x0", "x1", "x2", "x3"]), st.integers(0, 6), min_size=1)


@settings(deadline=None, max_examples=40)
@given(
    judged=st.lists(JUDGED, min_size=1, max_size=3),
    lists=st.lists(LISTS, min_size=3, max_size=3),
    k=st.integers(1, 20),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]),
    beta=st.sampled_from([0.25, 0.5, 0.9]),
    rel=st.sampled_from([1, 1, 2, 3]),
)
def test_scores_match_pyndeval(evidence, judged, lists, k, alpha, beta, rel):
    qrels = [
        (str(topic), f"{topic}.{subtopic}", doc, grade)
        for topic, rows in enumerate(judged)
        for (subtopic, doc), grade in sorted(rows.items())
    ]
    run = [(str(topic), doc, float(score)) for topic, docs in enumerate(lists) for doc, score in docs.items()]
    names = [*(template.format(k) for template in MEASURES), *WHOLE]
    tool = pyndeval.RelevanceEvaluator(qrels, names, relevance_level=rel, alpha=alpha, beta=beta)
    theirs = tool.evaluate(run)
    truth = evidence.truth_of([(topic, subtopic, doc, doc, grade) for topic, subtopic, doc, grade in qrels])
    # Equal scores: pyndeval takes the documents by name, rising.
    faceted = evidence.faceted_of(truth, run, ties="docid-asc")
    for name in names:
        scores = ours(name, alpha, beta, rel).score(faceted)
        for topic, value in zip(faceted.judgments.topics, scores, strict=True):
            wanted = theirs[topic][name]
            assert value == pytest.approx(0.0 if math.isnan(wanted) else wanted, abs=1e-9), (topic, name)
