"""What metrics of diversity promise: on ideal lists, on lists with little to measure, on one topic or many."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.metric.compose import parse_metric
from metameter.metric.diversity.base import ideal_list
from metameter.metric.examples import example
from metameter.registry import get, names

NAMES = [name for name in names("metric") if get("metric", name).evidence is Faceted]
NORMALISED = ["alpha_nDCG", "nERR_IA", "nNRBP"]
DOCS = [f"d{number}" for number in range(7)]
JUDGED = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(DOCS)), st.integers(0, 3), min_size=1, max_size=20
)


def judged(rows, topic="1"):
    return [(topic, subtopic, doc, doc, grade) for (subtopic, doc), grade in sorted(rows.items())]


def test_every_diversity_metric_is_registered():
    assert set(NAMES) >= {"alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "MAP_IA", "P_IA", "StRecall"}
    assert "RBU" in NAMES


@settings(deadline=None, max_examples=40)
@given(rows=JUDGED, alpha=st.sampled_from([0.25, 0.5, 0.9]))
def test_the_ideal_list_scores_one_at_every_depth(evidence, rows, alpha):
    truth = evidence.truth_of(judged(rows))
    docs = evidence.document_qrels(truth).table["doc"].to_list()
    empty = evidence.faceted_of(truth, [("1", "x", 0.0)])
    covers = empty.facets.passages.covers("official")
    chosen = ideal_list(covers, 0, int(empty.facets.listed[0]), 9, alpha)[0]
    ideal = evidence.faceted_of(truth, evidence.in_order({"1": [docs[place] for place in chosen] or ["x"]}))
    wanted = 1.0 if chosen.size else 0.0
    for name in NORMALISED:
        curve = parse_metric(f"{name}(alpha={alpha})").curve(ideal, range(1, 10))
        np.testing.assert_allclose(curve, wanted, rtol=1e-12, err_msg=name)
    assert parse_metric("StRecall").score(ideal)[0] == wanted


@settings(deadline=None, max_examples=15)
@given(rows=JUDGED, k=st.integers(1, 3))
def test_the_greedy_ideal_is_best_at_rank_one(evidence, rows, k):
    """Greedy is best at rank 1; deeper it need not be, but no list gets beyond 1 / (1 - 1/e) of it."""
    truth = evidence.truth_of(judged(rows))
    some = sorted({doc for _, doc in rows})
    lists = [list(each) for each in itertools.permutations(some, min(k, len(some)))][:60]
    scores = [
        parse_metric(f"alpha_nDCG@{len(docs)}").score(evidence.faceted_of(truth, evidence.in_order({"1": docs})))[0]
        for docs in lists
    ]
    assert max(scores) <= (1 + 1e-12 if k == 1 else 1 / (1 - np.exp(-1)))
    assert min(scores) >= 0


@settings(deadline=None, max_examples=25)
@given(
    many=st.lists(JUDGED, min_size=2, max_size=3), lists=st.lists(st.permutations([*DOCS, "x"]), min_size=3, max_size=3)
)
def test_a_batch_of_topics_scores_as_single_topics(evidence, many, lists):
    rows = [judged(each, str(topic)) for topic, each in enumerate(many)]
    docs = {str(topic): order[: 3 + topic] for topic, order in enumerate(lists[: len(many)])}
    together = evidence.faceted_of(evidence.truth_of([*itertools.chain(*rows)]), evidence.in_order(docs))
    for topic, each in enumerate(rows):
        alone = evidence.faceted_of(evidence.truth_of(each), evidence.in_order({str(topic): docs[str(topic)]}))
        for name in NAMES:
            metric = example("metric", name)
            assert metric.score(together)[topic] == metric.score(alone)[0], name


@settings(deadline=None, max_examples=25)
@given(rows=JUDGED, docs=st.permutations([*DOCS, "x", "y"]), place=st.integers(0, 9))
def test_an_irrelevant_document_never_helps(evidence, rows, docs, place):
    truth = evidence.truth_of(judged(rows))
    longer = [*docs[:place], "irrelevant", *docs[place:]]
    before, after = (evidence.faceted_of(truth, evidence.in_order({"1": each})) for each in (docs, longer))
    for name in NAMES:
        metric = example("metric", name)
        assert metric.score(after)[0] <= metric.score(before)[0] + 1e-12, name


@pytest.mark.parametrize("name", NAMES)
def test_topics_without_relevant_results_score_zero_or_effort(name, evidence):
    truth = evidence.truth_of([("1", "a", "d", "d", 1), ("2", "a", "d", "d", 0), ("3", "a", "d", "d", 2)])
    faceted = evidence.faceted_of(truth, [("1", "x", 1.0), ("2", "d", 1.0)])
    scores = example("metric", name).score(faceted)
    effort = -0.99 * 0.05 if name == "RBU" else 0.0  # of the one document that was read in vain
    assert scores.tolist() == pytest.approx([effort, effort, 0.0])  # the third is missing from the run


@pytest.mark.parametrize("name", NAMES)
def test_contributions_add_up_to_the_score(name, evidence):
    truth = evidence.truth_of([("1", "a", "d", "d", 1), ("1", "b", "d", "d", 2), ("1", "b", "e", "e", 2)])
    faceted = evidence.faceted_of(truth, evidence.in_order({"1": ["x", "d", "e", "y"]}))
    for metric in (example("metric", name), example("metric", name).at(3), example("metric", name).condensed()):
        table = metric.explain(faceted)
        assert list(table) == ["rank", "grade", "gain", "discount", "contribution"]
        np.testing.assert_allclose(table["contribution"].sum(axis=1), metric.score(faceted), atol=1e-12)
        np.testing.assert_allclose(table["gain"] * table["discount"], table["contribution"])


def test_the_corrected_form_divides_by_subtopics_at_rank_1(evidence):
    """At k = 1 two subtopics covered are 2 in ndeval, and 2 of 2 in the corrected form."""
    truth = evidence.truth_of([("1", "a", "d", "d", 1), ("1", "b", "d", "d", 1)])
    faceted = evidence.faceted_of(truth, [("1", "d", 1.0)])
    for name in ("alpha_DCG", "ERR_IA"):
        assert parse_metric(f"{name}@1").score(faceted)[0] == 2
        assert parse_metric(f"{name}(form=corrected)@1").score(faceted)[0] == 1
        for k in (2, 5):
            assert parse_metric(f"{name}(form=corrected)@{k}").score(faceted) == parse_metric(f"{name}@{k}").score(
                faceted
            )


@pytest.mark.parametrize(
    "name",
    [
        "alpha_DCG",
        "ERR_IA(alpha=2)@5",
        "alpha_nDCG(alpha=-0.1)",
        "NRBP(beta=1)",
        "P_IA",
        "RBU(p=1)",
        "RBU(form=python)",
        "StRecall(rel=0)",
    ],
)
def test_impossible_parameters_are_refused(name):
    with pytest.raises(MetameterError):
        parse_metric(name)
