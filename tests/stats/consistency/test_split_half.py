"""Split-half consistency, against plain loops."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metameter.errors import MetameterError
from metameter.stats.consistency.split_half import split_half_tau
from metameter.stats.resampling.samples import topic_splits

RNG = np.random.default_rng(0)
SPLITS = np.concatenate(list(topic_splits(7, 90)))
grid = st.integers(0, 3).map(lambda number: number / 10)


@given(arrays(float, (7, 4), elements=grid))
@settings(max_examples=40)
def test_split_half_matches_a_plain_loop(matrix):
    found = split_half_tau(matrix, splits=SPLITS[:20])
    # Whole tenths, summed exactly: ties are what they are on paper.
    tenths = np.rint(matrix * 10)
    wanted = [scipy.stats.kendalltau(tenths[s].sum(axis=0), tenths[~s].sum(axis=0)).statistic for s in SPLITS[:20]]
    assert found == pytest.approx(wanted, nan_ok=True)


def test_split_half_keeps_shape_jobs_and_prefix():
    scores = RNG.random((3, 7, 5))
    found = split_half_tau(scores, trials=200)
    assert found.shape == (200, 3)
    assert (found == split_half_tau(scores, trials=200, jobs=4)).all()
    assert (found == split_half_tau(scores, trials=300)[:200]).all()
    assert (found[:, 1] == split_half_tau(scores[1], trials=200)).all()
    wanted = split_half_tau(scores, splits=SPLITS)
    scaled = scores * 7.3 + np.arange(7)[:, None]
    assert (split_half_tau(scaled, splits=SPLITS) == wanted).all()
    systems = RNG.permutation(5)
    assert (split_half_tau(scores[..., systems], splits=SPLITS) == wanted).all()


def test_constant_scores_have_no_tau():
    assert np.isnan(split_half_tau(np.ones((4, 3)), trials=3)).all()


@pytest.mark.parametrize("splits", [[[True] * 3], [[True, False]], [[0.5, 0.5, 1.0]], []])
def test_wrong_splits_are_refused(splits):
    with pytest.raises(MetameterError):
        split_half_tau(np.ones((3, 2)), splits=splits)
