"""Rank-biased overlap: the printed example, bounds by brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.stats.rank_correlation.rank_biased_overlap import rank_biased_overlap


def infinite(first, second, p, depth=400):
    d = np.arange(1, depth + 1)
    common = np.array([len(set(first[:k]) & set(second[:k])) for k in d])
    return float(((1 - p) * p ** (d - 1) * common / d).sum())


lists = st.integers(1, 6).flatmap(lambda n: st.permutations("abcdefgh").map(lambda items: items[:n]))


@given(lists, lists, st.sampled_from([0.3, 0.8, 0.9]))
def test_disjoint_continuations_give_the_minimum(first, second, p):
    found = rank_biased_overlap(first, second, p)
    longer = [[*part, *(f"{name}{i}" for i in range(400))] for name, part in (("x", first), ("y", second))]
    assert found.minimum == pytest.approx(infinite(*longer, p), abs=1e-9)
    assert -1e-12 <= found.residual <= 1 - found.minimum + 1e-12
    assert found.minimum - 1e-12 <= found.extrapolated <= found.minimum + found.residual + 1e-12
    assert rank_biased_overlap(second, first, p) == found


@given(lists, lists)
def test_matching_continuations_give_the_maximum(first, second):
    p, depth = 0.7, 100
    short, long = sorted((list(first), list(second)), key=len)
    # Each list goes on with what the other has shown and it has not, then both with the same new items.
    for own, other in ((short, long), (long, short)):
        missing = [item for item in other if item not in own]
        own.extend(missing)
    tail = [f"new{i}" for i in range(depth)]
    found = rank_biased_overlap(first, second, p)
    assert infinite(short + tail, long + tail, p, depth) <= found.minimum + found.residual + 1e-9
    if len(first) == len(second):
        assert infinite(short + tail, long + tail, p, depth) == pytest.approx(found.minimum + found.residual, abs=1e-9)


def test_printed_example_and_edges_are_reproduced():
    found = rank_biased_overlap("abcde", "bxacy", 0.9)
    assert (found.minimum, found.residual, found.extrapolated) == pytest.approx(
        (0.3505284, 0.4231611, 0.547335), abs=1e-7
    )
    assert found.statistic == found.extrapolated
    assert rank_biased_overlap([], []).statistic == 1
    assert rank_biased_overlap("ab", []).statistic == 0
    for p, length in itertools.product((0.5, 0.95), (1, 5)):
        assert rank_biased_overlap(range(length), range(length), p).extrapolated == pytest.approx(1)


@pytest.mark.parametrize(("first", "p"), [("aa", 0.9), ("ab", 1.0), ("ab", 0.0)])
def test_wrong_input_is_refused(first, p):
    with pytest.raises(MetameterError):
        rank_biased_overlap(first, "ab", p)
