"""Residuals along the ranks are, at each depth, the bounds of the metric with that depth."""

from __future__ import annotations

import numpy as np
import pytest

from metameter.judge.ranked import ABSENT, BEYOND, JUDGED, POOLED, Judgments, Ranked
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example, product
from metameter.metric.presets import preset
from metameter.metric.residual import bounds, bounds_at
from metameter.registry import names

MEASURES = [
    *map(
        parse_metric,
        [*preset("lu-2016"), *preset("everyday"), "Prec@5*ERG@3", "RBP(p=0.8)@7*max", "DCG(closure=drop)@5"],
    ),
    *(product(model, aggregation) for model in names("browse") for aggregation in ("ERG", "max", "ERR")),
    *(example("metric", name) for name in names("metric")),
]
FORMS = [*MEASURES, *(measure.condensed() for measure in MEASURES if measure.condensable)]
DEPTHS = [1, 2, 3, 5, 9, 12, 14]


@pytest.fixture(scope="module")
def ranked():
    """Lists of several lengths, one of them empty; judged, pooled and absent documents; a pool."""
    rng = np.random.default_rng(4)
    length = np.array([0, 1, 4, 9, 12, 12])
    status = rng.choice([ABSENT, POOLED, JUDGED, JUDGED], size=(6, 12)).astype(np.int8)
    status[np.arange(12) >= length[:, None]] = BEYOND
    grade = np.where(status == JUDGED, rng.choice([0.0, 0.0, 1.0, 2.0], size=status.shape), 0.0)
    ideal = np.concatenate([np.where(status == JUDGED, grade, -1.0), rng.choice([-1.0, 1.0, 2.0], size=(6, 3))], axis=1)
    order = np.argsort(-ideal, axis=1, kind="stable")
    ranks = np.take_along_axis(rng.integers(1, 30, size=ideal.shape), order, axis=1)
    judgments = Judgments(tuple("123456"), np.take_along_axis(ideal, order, axis=1), 2.0, ranks)
    return Ranked("run", judgments, grade, status, length)


@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_bounds_along_depth_equal_those_at_each_depth(measure, ranked):
    along = bounds_at(measure, ranked, DEPTHS)
    for place, depth in enumerate(DEPTHS):
        alone = bounds(measure.at(depth), ranked)
        np.testing.assert_allclose(along.low[:, place], alone.low, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(along.high[:, place], alone.high, rtol=1e-12, atol=1e-14)
        assert along.kind == alone.kind
    np.testing.assert_array_equal(along.residual, along.high - along.low)


def test_bounds_of_precision_match_a_hand_calculation():
    """Unknown at rank 2: P@k could be 1 of 2, then 1 of 3, higher."""
    along = bounds_at(parse_metric("P@1"), Ranked.of_gains([1, None, 0]), [1, 2, 3])
    assert along.low.tolist() == [[1.0, 0.5, 1 / 3]]
    assert along.high.tolist() == [[1.0, 1.0, 2 / 3]]
    assert along.kind == "exact"
