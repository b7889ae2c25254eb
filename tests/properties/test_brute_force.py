"""Scores against the plainest possible sums over very many ranks, straight from the definitions."""

import numpy as np
import pytest

from metameter.browse.page import Page
from metameter.metric.compose import parse_metric

AGGREGATIONS = {
    "ETG": lambda r, i, viewed: np.cumsum(r),
    "ERG": lambda r, i, viewed: np.cumsum(r) / viewed,
    "ERR": lambda r, i, viewed: 1 / i,
    "avg": lambda r, i, viewed: np.cumsum(r) / i,
    "max": lambda r, i, viewed: np.maximum.accumulate(r),
    "fin": lambda r, i, viewed: r,
    "PE(beta=0.3)": lambda r, i, viewed: 0.3 * np.maximum.accumulate(r) + 0.7 * r,
    "fgt(delta=0.6)": lambda r, i, viewed: np.array(
        [(r[: j + 1] * 0.6 ** np.arange(j, -1, -1)).sum() for j in range(len(r))]
    ),
}
CONTINUATIONS = {
    "RBP(p=0.7)": (lambda r, i: np.full(len(r), 0.7), 400, 1e-12),
    "RBP(p=0.5)@6": (lambda r, i: np.where(i < 6, 0.5, 0), 6, 1e-12),
    "Prec@4": (lambda r, i: (i < 4) * 1.0, 4, 1e-12),
    "DCG@5": (lambda r, i: np.where(i < 5, np.log2(i + 1) / np.log2(i + 2), 0), 5, 1e-12),
    "ERR(gain=linear)@8": (lambda r, i: np.where(i < 8, 1 - r, 0), 8, 1e-12),
    "RRbin": (lambda r, i: (np.cumsum(r) == 0) * 1.0, 50, 1e-12),
    # INST fades like 1/i^2: the plain sum over so many ranks still misses about this much.
    "INST(T=1)": (lambda r, i: ((i + 2 - np.cumsum(r) - 1) / (i + 2 - np.cumsum(r))) ** 2, 200_000, 3e-5),
}
LISTS = [[0.7, 0.4, 0, 1, 0.5, 0.3], [1], [0, 0, 1], [0.5] * 9, [0, 1, 0, 0, 1, 1, 0]]


@pytest.mark.parametrize("gains", LISTS, ids=str)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("model", CONTINUATIONS)
def test_scores_match_plain_sums(model, aggregation, gains):
    continuation, ranks, tolerance = CONTINUATIONS[model]
    if aggregation.startswith("fgt") and ranks > 1000:
        ranks = 1000  # what is forgotten by then does not count
    r = np.zeros(max(ranks, 1))
    r[: len(gains)] = gains[: len(r)]
    i = np.arange(1, len(r) + 1)
    C = continuation(r, i)
    V = np.concatenate([[1], np.cumprod(C)[:-1]])
    L = V * (1 - C)
    expected = (L * AGGREGATIONS[aggregation](r, i, V.sum())).sum()
    assert parse_metric(f"{model}*{aggregation}")(gains) == pytest.approx(expected, abs=tolerance)


def test_weight_last_and_continuation_define_the_same_model():
    from dataclasses import dataclass

    from metameter.browse.base import Browsing

    @dataclass(frozen=True, repr=False)
    class ByWeight(Browsing):
        def weight(self, page):
            return np.broadcast_to(0.3 * 0.7 ** (page.ranks - 1), page.gains.shape)

    @dataclass(frozen=True, repr=False)
    class ByLast(Browsing):
        def last(self, page):
            return np.broadcast_to(0.3 * 0.7 ** (page.ranks - 1), page.gains.shape)

    page = Page([0.5, 0, 1])
    wanted = parse_metric("RBP(p=0.7)").model.browsing_state(page)
    for model in (ByWeight(), ByLast()):
        state = model.browsing_state(page)
        np.testing.assert_allclose(state.view, wanted.view, atol=1e-14)
        assert state.viewed == pytest.approx(float(wanted.viewed), abs=1e-9)
        assert state.tail.last_per_rank == pytest.approx(float(wanted.tail.last_per_rank), abs=1e-10)
        assert 0 <= state.tail.error <= 1e-12
