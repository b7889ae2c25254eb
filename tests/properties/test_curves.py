"""A curve over depths is, at every depth, the score of the metric with that depth: to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.judge.faceted import Faceted
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Judgments, Ranked
from metameter.judge.sessions import Sessions
from metameter.metric.base import require_evidence
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example, product
from metameter.metric.product import Product
from metameter.metric.residual import bounds, bounds_at
from metameter.registry import names

MEASURES = [
    *(product(model, aggregation) for model in names("browse") for aggregation in names("aggregate")),
    *(example("metric", name) for name in names("metric")),
    *map(
        parse_metric,
        [
            "AP(norm=min)",
            "AP(norm=pool)",
            "nDCG(gain=exp)",
            "nDCG(gain={1:2,2:1})",
            "nDCG(discount=jk)",
            "Q(norm=R)",
            "RBP(p=0.8)@7*max",
            "INST(T=2.25)@7*avg",
            "Prec@5*ERG@3",
            "AP1(no_relevant=zero)",
            "AP1(recall_base=collection)",
            "AP2(recall_base=collection)",
            "TBG(h=7)*ETG",
            "DCG(closure=drop)@5",
            "Empirical(continuation=[0.9,0.8],tail=repeat)*max",
        ],
    ),
]
# Each metric, and its form for condensed lists where it has one.
FORMS = [*MEASURES, *(measure.condensed() for measure in MEASURES if measure.condensable)]
DEPTHS = [*range(1, 17), 20, 40]
TOPICS, LONGEST = 8, 15


@pytest.fixture(scope="module", params=["", "costs"])
def ranked(request):
    """Lists of several lengths, one of them empty; judged, pooled and absent documents; a pool."""
    rng = np.random.default_rng(8)
    length = np.array([0, 1, 3, 8, 12, 15, 15, 15])
    status = rng.choice([ABSENT, POOLED, JUDGED, JUDGED, JUDGED], size=(TOPICS, LONGEST)).astype(np.int8)
    status[np.arange(LONGEST) >= length[:, None]] = BEYOND
    grade = np.where(status == JUDGED, rng.choice([0.0, 0.0, 1.0, 2.0], size=status.shape), 0.0)
    grade[6] = 0  # nothing of worth
    missed = rng.choice([-1.0, 1.0, 2.0], size=(TOPICS, 3))
    ideal = np.concatenate([np.where(status == JUDGED, grade, -1.0), missed], axis=1)
    order = np.argsort(-ideal, axis=1, kind="stable")
    pool_rank = np.take_along_axis(rng.integers(1, 30, size=ideal.shape), order, axis=1)
    topics = tuple(map(str, range(TOPICS)))
    judgments = Judgments(topics, np.take_along_axis(ideal, order, axis=1), 2.0, pool_rank)
    costs = rng.choice([0.5, 1.0, 3.0], size=status.shape) if request.param else None
    return Ranked("run", judgments, grade, status, length, costs=costs)


def same_to_the_bit(measure, ranked, depths):
    curve = measure.curve(ranked, depths)
    alone = np.stack([measure.at(int(k)).score(ranked) for k in depths], axis=1)
    assert np.array_equal(curve, alone, equal_nan=True), f"{measure}: {np.abs(curve - alone).max()}"


@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_a_curve_equals_the_score_at_each_depth(measure, ranked):
    same_to_the_bit(measure, ranked, DEPTHS)


def test_only_metrics_of_sessions_have_no_condensed_form():
    without = [measure for measure in MEASURES if not measure.condensable]
    assert without == [measure for measure in MEASURES if measure.evidence is Sessions]
    assert len(without) >= 12
    for measure in without:
        with pytest.raises(MetameterError, match=f"^{measure} has no form for condensed lists"):
            measure.condensed()


def drawn(rng, topics, longest, grades, pool_depth=None):
    """Lists with unjudged documents and equal grades; a topic may be missing, or have no relevant document."""
    length = rng.integers(0, longest + 1, size=topics)
    length[rng.random(topics) < 0.5] = longest
    status = rng.choice([ABSENT, POOLED, JUDGED, JUDGED], size=(topics, longest)).astype(np.int8)
    status[np.arange(longest) >= length[:, None]] = BEYOND
    grade = np.where(status == JUDGED, rng.choice(grades, size=status.shape), 0.0)
    grade[rng.random(topics) < 0.1] = 0.0
    ideal = np.concatenate([np.where(status == JUDGED, grade, -1.0), rng.choice([-1.0, *grades], (topics, 5))], axis=1)
    order = np.argsort(-ideal, axis=1, kind="stable")
    pool_rank = rng.integers(1, longest + 5, size=ideal.shape)
    judgments = Judgments(
        tuple(map(str, range(topics))), np.take_along_axis(ideal, order, axis=1), max(grades), pool_rank, pool_depth
    )
    return Ranked("run", judgments, grade, status, length)


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(
    seed=st.integers(0, 2**32 - 1),
    topics=st.integers(1, 4),
    longest=st.integers(0, 12),
    grades=st.sampled_from([[0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 3.0]]),
    pool_depth=st.none() | st.integers(1, 12),
    depths=st.lists(st.integers(1, 20), min_size=1, max_size=6),
)
def test_curves_of_all_metrics_match_scores_on_any_lists(seed, topics, longest, grades, pool_depth, depths):
    ranked = drawn(np.random.default_rng(seed), topics, longest, grades, pool_depth)
    for measure in FORMS:
        if not (isinstance(measure, Product) and "{" in repr(measure)):
            same_to_the_bit(measure, ranked, depths)


# Large enough for the ways of summing that are meant for many ranks; only a few relevant documents, or many.
@pytest.mark.parametrize("topics", [1, 2, 9])
@pytest.mark.parametrize("relevant", ["few", "many"])
def test_curves_of_long_lists_match_scores(topics, relevant):
    grades = [0.0] * (40 if relevant == "few" else 1) + [1.0, 2.0, 3.0]
    ranked = drawn(np.random.default_rng(topics), topics, 5000 // topics, grades, pool_depth=100)
    depths = [1, 2, 7, 8, 9, 100, 127, 129, 500, 555, 1000, 6000]
    for measure in FORMS:
        if not isinstance(measure, Product) or measure.model.user == "static" or measure.canonical:
            same_to_the_bit(measure, ranked, depths)


@pytest.mark.parametrize(
    "name", ["AP", "AP(norm=min)", "AP(norm=pool)", "nDCG", "Q(beta=1)", "RBP(p=0.8)", "ERR", "P@1", "INST(T=2.25)"]
)
def test_curves_match_scores_at_a_thousand_depths(name):
    ranked = drawn(np.random.default_rng(7), 5, 1000, [0.0] * 9 + [1.0, 2.0], pool_depth=100)
    for measure in (parse_metric(name), parse_metric(name).condensed()):
        same_to_the_bit(measure, ranked, range(1, 1001))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 60))
def test_monotone_metrics_never_fall_with_depth(seed, topics, longest):
    ranked = drawn(np.random.default_rng(seed), topics, longest, [0.0, 0.0, 1.0, 2.0])
    for name in ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "INSQ", "NPV", "ERR", "R@1", "RR", "Bpref"):
        for measure in (parse_metric(name), parse_metric(name).condensed()):
            rises = np.diff(measure.curve(ranked, range(1, longest + 3)), axis=1)
            assert (rises >= 0).all(), measure


def test_average_precision_pools_hold_all_relevant_documents_from_pool_depth():
    ranked = drawn(np.random.default_rng(3), 6, 40, [0.0, 1.0, 2.0], pool_depth=12)
    pool, whole = (parse_metric(name).curve(ranked, range(1, 41)) for name in ("AP(norm=pool)", "AP"))
    np.testing.assert_array_equal(pool[:, 11:], whole[:, 11:])
    assert (pool[:, :11] != whole[:, :11]).any()


def test_relevant_documents_are_counted_in_pools_of_any_depth():
    judgments = drawn(np.random.default_rng(4), 5, 30, [0.0, 1.0, 2.0], pool_depth=25).judgments
    depths = np.array([30, 1, 7, 7, 24, 25])
    for rel in (1, 2):
        among = judgments.relevant_in_pools(depths, rel)
        plain = [((judgments.ideal >= rel) & (judgments.pool_rank <= k)).sum(axis=1) for k in depths]
        plain[0] = plain[-1] = (judgments.ideal >= rel).sum(axis=1)  # all, from the pool depth on
        np.testing.assert_array_equal(among, np.stack(plain, axis=1))
        np.testing.assert_array_equal(judgments.relevant_in_pools(np.array([7]), rel)[:, 0], among[:, 2])


def test_shallower_pools_need_contributing_runs():
    judgments = Judgments(("1",), np.array([[1.0, 0.0]]), 1.0, pool_depth=5)
    assert judgments.relevant_in_pools(np.array([5, 9])).tolist() == [[1, 1]]
    with pytest.raises(MetameterError, match="R_k depends"):
        judgments.relevant_in_pools(np.array([4, 5]))


@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_residuals_at_many_depths_match_those_at_each(measure, ranked):
    depths = [9, 1, 2, 15, 16, 20]
    together = bounds_at(measure, ranked, depths)
    alone = [bounds(measure.at(k), ranked) for k in depths]
    for part in ("low", "high", "residual"):
        each = np.stack([getattr(one, part) for one in alone], axis=1)
        np.testing.assert_array_equal(getattr(together, part), each)
    assert {one.kind for one in alone} == {together.kind}
    assert bounds_at(measure, ranked, []).low.shape == (TOPICS, 0)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_metric_at_a_depth_follows_the_notation(measure):
    cut = measure.at(3)
    assert parse_metric(repr(cut)) == cut
    assert repr(cut).endswith("@3") or "@3*" in repr(cut)
    assert cut.at(4) == measure.at(4)


def test_depths_can_be_in_any_order(ranked):
    for name in ("nDCG", "RBP(p=0.8)*max", "Prec@5", "AP1", "Compat"):
        measure = parse_metric(name)
        curve = measure.curve(ranked, [7, 2, 7])
        np.testing.assert_array_equal(curve, measure.curve(ranked, np.array([2, 7]))[:, [1, 0, 1]])
        for wrong in (0, 2.5, True, "3"):
            with pytest.raises(MetameterError, match="@"):
                measure.curve(ranked, [3, wrong])


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_curve_without_depths_is_empty(measure, ranked):
    assert measure.curve(ranked, []).shape == (TOPICS, 0)


def test_metrics_for_other_evidence_are_refused():
    plain, by_subtopic, of_sessions = map(parse_metric, ("RBP(p=0.8)", "alpha_nDCG@20", "ACT"))
    require_evidence([plain], Ranked)
    require_evidence([plain, by_subtopic], Faceted)
    require_evidence([plain, by_subtopic, of_sessions], Sessions)
    for other, given_kind, needed in ((of_sessions, Ranked, "Sessions"), (of_sessions, Faceted, "Sessions")):
        told = f"ACT.*another kind of evidence \\(given '{given_kind.__name__}', allowed: {needed}\\)"
        with pytest.raises(MetameterError, match=told):
            require_evidence([plain, other], given_kind)
    with pytest.raises(MetameterError, match=r"alpha_nDCG@20 .*\(given 'Ranked', allowed: Faceted\)"):
        require_evidence([plain, by_subtopic], Ranked)
