"""The paired bootstrap test, against a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.errors import MetameterError
from metameter.stats.checks import system_pairs
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.significance.paired_bootstrap import paired_bootstrap

RNG = np.random.default_rng(0)
INDICES = np.concatenate(list(bootstrap_indices(7, 90)))
grid = st.integers(0, 4).map(lambda number: number / 4)


def plain_test(z, indices, alpha=0.05):
    n, w = len(z), z - z.mean()

    def student(sample):
        mean, deviation = sample.mean(), sample.std(ddof=1)
        if np.ptp(sample) <= 1e-12:
            return 0.0 if abs(mean) <= 1e-12 else np.inf
        return abs(mean) / (deviation / np.sqrt(n))

    t = np.array([student(w[drawn]) for drawn in indices])
    return (t >= student(z) * (1 - 1e-12)).mean() if np.abs(z).max() > 0 else 1.0, np.sort(t)[::-1]


@given(arrays(float, (7, 3), elements=grid))
@settings(max_examples=60)
def test_paired_bootstrap_matches_a_plain_loop(matrix):
    found = paired_bootstrap(matrix, indices=INDICES, smooth=False)
    for place, (i, j) in enumerate(zip(*system_pairs(3), strict=True)):
        wanted, _ = plain_test(matrix[:, i] - matrix[:, j], INDICES)
        assert found.pvalue[place] == pytest.approx(wanted, abs=1e-12)


def test_metrics_jobs_and_chunks_give_the_same_bootstrap():
    scores = RNG.random((3, 7, 5))
    together = paired_bootstrap(scores, trials=300, jobs=3)
    assert together.pvalue.shape == (3, 10)
    for alone, wanted in zip(scores, together.pvalue, strict=True):
        assert (paired_bootstrap(alone, trials=300).pvalue == wanted).all()
    assert together.required_difference().shape == together.power().shape == (3,)
    assert (together.pvalue_error <= 0.5 / np.sqrt(300)).all()


def test_blocks_of_pairs_give_the_same_bootstrap(monkeypatch):
    from metameter.stats.resampling import studentised as resampled_pairs

    scores, told = RNG.random((2, 7, 6)), []
    wanted = paired_bootstrap(scores, trials=300)
    monkeypatch.setattr(resampled_pairs, "_CELLS", 1)
    found = paired_bootstrap(scores, trials=300, jobs=2, progress=lambda *step: told.append(step))
    for name in ("statistic", "pvalue", "mean_difference", "differences_required"):
        assert (getattr(found, name) == getattr(wanted, name)).all()
    assert told == [(done, 8, "resampling") for done in range(1, 9)]  # 15 pairs, 4 at a time, of two metrics


def test_the_bootstrap_weighs_resamples_once(monkeypatch):
    from metameter.stats.resampling import studentised as resampled_pairs

    weighed, sparse = [], resampled_pairs.sparse_weights
    monkeypatch.setattr(resampled_pairs, "sparse_weights", lambda block: weighed.append(len(block)) or sparse(block))
    paired_bootstrap(RNG.random((2, 5, 12)), trials=20_000)
    assert sum(weighed) == 20_000  # however many parts the pairs came in: time is linear in the trials


def test_paired_bootstrap_is_invariant_to_units_and_order():
    matrix = RNG.random((7, 4))
    wanted = paired_bootstrap(matrix, indices=INDICES).pvalue
    shifted = matrix * 2.5 + np.linspace(0, 3, 7)[:, None]
    assert paired_bootstrap(shifted, indices=INDICES).pvalue == pytest.approx(wanted)
    topics = RNG.permutation(7)
    place = np.argsort(topics)
    assert paired_bootstrap(matrix[topics], indices=place[INDICES]).pvalue == pytest.approx(wanted)


def test_constant_differences_have_exact_bootstrap_p():
    same = paired_bootstrap(np.ones((4, 2)), trials=70)
    assert (same.statistic[0], same.pvalue[0]) == (0, 1)
    constant = paired_bootstrap(np.array([[0.1, 0.4], [0.3, 0.6], [0.5, 0.8]]), trials=70)
    assert (constant.statistic[0], constant.pvalue[0]) == (-np.inf, 1 / 71)
    for bad in ([[1.0, 2.0]], [[1.0], [2.0]]):
        with pytest.raises(MetameterError):
            paired_bootstrap(bad)
    with pytest.raises(MetameterError):
        paired_bootstrap(np.ones((2, 2)), indices=[[0, 2]])
