"""Whether a chosen cell does on resampled topics: against the same test on the resampled scores themselves."""

import itertools
from functools import cache

import numpy as np
import pytest
import scipy.stats

from metameter.errors import MetameterError
from metameter.stats.depth.changed_verdicts import stable_share
from metameter.stats.resampling.samples import bootstrap_indices


def cells(noise=0.1, topics=20, systems=6):
    rng = np.random.default_rng(5)
    final = np.linspace(0, 1, systems) + rng.normal(0, 0.5, (2, topics, systems))
    return final + rng.normal(0, noise, final.shape), final


@cache
def quantile(alpha, systems):
    return scipy.stats.studentized_range.ppf(1 - alpha, systems, 10**6)


def verdicts(scores, alpha=0.05):
    """Of every pair, from the specification: |difference| > q sqrt(s^2 / n)."""
    topics, systems = scores.shape
    squares = ((scores - scores.mean(axis=1, keepdims=True)) ** 2).sum()
    required = quantile(alpha, systems) * np.sqrt(squares / ((systems - 1) * topics) / topics)
    means = scores.mean(axis=0)
    pairs = itertools.combinations(means, 2)
    return [int(np.sign(a - b)) if abs(a - b) > required else 0 for a, b in pairs]


@pytest.mark.parametrize("noise", [0.1, 0.5])
@pytest.mark.parametrize("at_least", [0.6, 0.95, 1.0])
def test_the_stable_share_matches_testing_every_resample(noise, at_least):
    chosen, final = cells(noise)
    found = stable_share(chosen, final, at_least=at_least, resamples=70, seed=2)
    indices = np.concatenate(list(bootstrap_indices(20, 70, 2)))
    for here, end, share in zip(chosen, final, found, strict=True):
        does = []
        for drawn in indices:
            both = list(zip(verdicts(here[drawn]), verdicts(end[drawn]), strict=True))
            told = [(a, b) for a, b in both if b]
            kept = sum(a == b for a, b in told) / len(told)
            does.append(kept >= at_least and not any(a * b < 0 for a, b in both))
        assert share == pytest.approx(np.mean(does))


def test_the_final_cell_is_always_stable():
    _, final = cells()
    assert stable_share(final, final, resamples=70).tolist() == [1.0, 1.0]


def test_without_verdicts_the_stable_share_is_unknown():
    _, final = cells()
    assert np.isnan(stable_share(final, np.zeros_like(final), resamples=70)).all()


def test_cells_that_do_not_fit_are_refused():
    chosen, final = cells()
    with pytest.raises(MetameterError, match="do not fit"):
        stable_share(chosen[:1], final)
    with pytest.raises(MetameterError, match="do not fit"):
        stable_share(chosen[0], final[0])
    with pytest.raises(MetameterError, match="at_least"):
        stable_share(chosen, final, at_least=2.0)
