"""A curve over depths is, at every depth, the score of the metric with that depth."""

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.judge.judgments import Judgments
from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Ranked
from metameter.metric.base import require_evidence
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example, product
from metameter.metric.product import Product
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


@pytest.mark.parametrize("condensed", [False, True], ids=["plain", "judged_only"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_curve_is_the_score_at_each_depth(measure, condensed, ranked):
    measure = measure.condensed() if condensed else measure
    curve = measure.curve(ranked, DEPTHS)
    alone = np.stack([measure.at(k).score(ranked) for k in DEPTHS], axis=1)
    # A sum down to rank k is the same sum in another order.
    np.testing.assert_allclose(curve, alone, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_the_metric_at_a_depth_is_that_of_the_notation(measure):
    cut = measure.at(3)
    assert parse_metric(repr(cut)) == cut
    assert repr(cut).endswith("@3") or "@3*" in repr(cut)
    assert cut.at(4) == measure.at(4)


def test_any_depths_in_any_order_or_none(ranked):
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


class Sessions:
    """Some other kind of evidence."""


def test_metrics_of_other_evidence_are_refused():
    class OfSessions(Product):
        evidence = Sessions

    plain = parse_metric("RBP(p=0.8)")
    other = OfSessions(plain.model, plain.aggregation)
    require_evidence([plain], Ranked)
    require_evidence([other], Sessions)
    with pytest.raises(MetameterError, match=r"RBP.*another kind of evidence \(given 'Ranked', allowed: Sessions\)"):
        require_evidence([plain, other], Ranked)
