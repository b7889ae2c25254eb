"""RBU against its authors' program, the form of the paper on dynamic search, and plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.metric.compose import parse_metric
from metameter.metric.diversity.rbu import RBU


@pytest.fixture(scope="module")
def known(evidence):
    return evidence.golden("rbu")


@pytest.fixture(scope="module")
def faceted(known, evidence):
    gold, ranked = known["input"].values()
    truth = evidence.truth_of([(topic, aspect, doc, doc, grade) for topic, doc, grade, aspect, _ in gold], every=True)
    assert {(topic, weight * len({row[3] for row in gold if row[0] == topic})) for topic, *_, weight in gold} == {
        (topic, 1.0) for topic in truth.topics
    }, "aspects weigh the same"
    return evidence.faceted_of(truth, [(topic, doc, -float(place)) for place, (topic, doc) in enumerate(ranked)])


@pytest.mark.parametrize("form", ["java", "paper002"])
@pytest.mark.parametrize("parameters", ["p=0.8,e=0.03", "p=0.99,e=0.05", "p=0.9,e=0.5"])
def test_both_forms_match_the_golden_file(form, parameters, known, faceted):
    expected = known[f"expected_{form}"][parameters]
    scores = dict(
        zip(faceted.judgments.topics, parse_metric(f"RBU({parameters},form={form})").score(faceted), strict=True)
    )
    assert scores == pytest.approx(expected, abs=known[f"tolerance_{form}"])


@pytest.mark.parametrize(("p", "penalty"), [(0.8, -0.00398488842725), (0.99, -0.0219956854195)])
def test_without_relevant_documents_only_the_effort_counts(p, penalty, evidence):
    truth = evidence.truth_of([("1", "a", "d", "d", 1)])
    listed = evidence.faceted_of(truth, evidence.in_order({"1": [f"x{rank}" for rank in range(25)]}))
    assert RBU(p=p, e=0.001).score(listed)[0] == pytest.approx(penalty, abs=1e-13)
    assert RBU(p=p, e=0.001).score(listed)[0] == pytest.approx(-0.001 * sum(p**i for i in range(1, 26)), abs=1e-15)


def test_both_forms_order_lists_alike_for_one_grade():
    """One relevant document: weights differ by a factor, and so do what the grades say."""
    paper, java = RBU(p=0.8, e=0), RBU(p=0.8, e=0, form="java")
    lists = np.eye(6)
    ratio = [java(gains) / paper(gains) for gains in lists.tolist()]
    assert ratio == pytest.approx([0.2 / 0.8 * (2**1 - 1) / 2**1] * 6)


def plain(truth, subtopics, docs, p, e, form):
    """Straight from the definition."""
    rating = {}
    for subtopic, doc, grade in truth:
        rating[doc, subtopic] = rating.get((doc, subtopic), 0) + grade
    best = {s: max([0, *(r for (_, t), r in rating.items() if t == s)]) for s in subtopics}
    top = max(best.values())
    left, total = dict.fromkeys(subtopics, 1.0), 0.0
    for rank, doc in enumerate(docs, start=1):
        gain = 0.0
        for s in subtopics:
            grade = max(rating.get((doc, s), 0), 0)
            linear = grade / top if top else 0.0
            satisfied = (2**grade - 1) / 2 ** best[s] if form == "java" else linear
            gain += satisfied * left[s] / len(subtopics)
            left[s] *= 1 - satisfied
        total += (p**rank if form == "paper002" else (1 - p) * p ** (rank - 1)) * (gain - e)
    return total


PASSAGES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz"), st.integers(-1, 4)), min_size=1, max_size=15
)


@settings(deadline=None, max_examples=40)
@given(
    passages=PASSAGES,
    docs=st.permutations("uvwxyzno").flatmap(lambda order: st.integers(1, 8).map(lambda n: list(order[:n]))),
    p=st.sampled_from([0.5, 0.8, 0.99]),
    e=st.sampled_from([0, 0.05, 0.5]),
    form=st.sampled_from(["paper002", "java"]),
)
def test_both_forms_match_plain_loops(evidence, passages, docs, p, e, form):
    rows = [("1", subtopic, doc, str(place), rating) for place, (subtopic, doc, rating) in enumerate(passages)]
    truth = evidence.truth_of(rows, every=True, listed=[("1", subtopic) for subtopic in "abcd"])
    found = RBU(p=p, e=e, form=form).score(evidence.faceted_of(truth, evidence.in_order({"1": docs})))[0]
    assert found == pytest.approx(plain(passages, "abcd", docs, p, e, form), abs=1e-12)
