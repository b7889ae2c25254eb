"""Verdicts of shallow cells beside those of the final one: by counting pairs one after the other."""

import itertools
from functools import cache

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.stats.depth.changed_verdicts import Cell, changed_verdicts, shallowest_cell, stable_share, verdict_signs
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.significance.tukey import randomised_tukey


@st.composite
def grids(draw):
    rows, pools, depths, pairs = (draw(st.integers(1, most)) for most in (3, 3, 3, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.integers(-1, 2, (rows, pools, depths, pairs)).astype(np.int8)


@given(grids())
def test_changed_verdicts_match_a_plain_count(verdicts):
    final = verdicts[:, -1, -1]
    found = changed_verdicts(verdicts, final)
    for row, pool, depth in np.ndindex(verdicts.shape[:-1]):
        pairs = list(zip(verdicts[row, pool, depth].tolist(), final[row].tolist(), strict=True))
        place = row, pool, depth
        assert found.discriminated[place] == sum(here != 0 for here, _ in pairs)
        assert found.lost[place] == sum(here != 0 and end == 0 for here, end in pairs)
        assert found.reversed[place] == sum((here, end) in {(1, -1), (-1, 1)} for here, end in pairs)
        last = [(here, end) for here, end in pairs if end != 0]
        kept = sum(here == end for here, end in last) / len(last) if last else np.nan
        assert found.kept[place] == pytest.approx(kept, nan_ok=True)


@given(grids())
def test_the_final_cell_changes_nothing(verdicts):
    found = changed_verdicts(verdicts, verdicts[:, -1, -1])
    assert not found.lost[:, -1, -1].any()
    assert not found.reversed[:, -1, -1].any()
    assert set(found.kept[:, -1, -1][found.discriminated[:, -1, -1] > 0]) <= {1.0}


@given(grids(), st.floats(0.1, 0.99))
def test_the_shallowest_cell_matches_a_search_of_every_cell(verdicts, share):
    found = changed_verdicts(verdicts, verdicts[:, -1, -1])
    pools, depths = verdicts.shape[1:3]
    for kept, reverses in zip(found.kept, found.reversed, strict=True):
        wanted = None
        for cell in np.ndindex(pools, depths):
            if cell != (pools - 1, depths - 1) and kept[cell] >= share and reverses[cell] == 0:
                wanted = cell
                break
        assert shallowest_cell(kept, reverses, share) == wanted


def test_a_deeper_pool_costs_more_than_a_deeper_evaluation():
    kept = np.array([[0.1, 0.2, 0.96], [0.99, 0.99, 1.0]])
    none = np.zeros((2, 3), dtype=int)
    assert shallowest_cell(kept, none) == Cell(pool=0, depth=2)
    reverses = none.copy()
    reverses[0, 2] = 1
    assert shallowest_cell(kept, reverses) == Cell(pool=1, depth=0)
    assert shallowest_cell(np.array([[0.1, 1.0]]), none[:1, :2]) is None, "only the final cell"
    assert shallowest_cell(np.full((2, 3), np.nan), none) is None, "no final verdicts"
    assert kept[-1, -1] == 1.0


def test_verdict_signs_follow_the_randomised_test():
    # The third system is best at both depths; the first two change places, clearly, between them.
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.01, (2, 30, 3))
    scores = np.array([[[0.3, 0.2, 0.9]], [[0.2, 0.3, 0.9]]]) + noise
    tested = randomised_tukey(scores, trials=500)
    verdicts = verdict_signs(tested.statistic, tested.pvalue < 0.05)
    assert verdicts[:, 1:].tolist() == [[-1, -1], [-1, -1]]
    required = tested.required_difference(0.05)
    wanted = np.abs(tested.statistic) > required[:, None]
    assert (np.abs(verdicts) == wanted).all()
    found = changed_verdicts(verdicts, verdicts[-1])
    assert found.kept[1] == 1.0
    assert found.discriminated.tolist() == wanted.sum(axis=1).tolist()


def test_a_final_cell_of_other_pairs_is_refused():
    with pytest.raises(MetameterError, match="do not fit the grid"):
        changed_verdicts(np.zeros((2, 3, 4), dtype=np.int8), np.zeros((2, 5), dtype=np.int8))
    with pytest.raises(MetameterError, match="at_least"):
        shallowest_cell(np.ones((1, 2)), np.zeros((1, 2), dtype=int), 1.5)


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
