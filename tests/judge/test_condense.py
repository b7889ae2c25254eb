"""Copies of evidence keep what they must, and share what was derived with nobody."""

from dataclasses import replace

import numpy as np
import pytest

from metameter.judge.condense import condense
from metameter.judge.gain import GainMap, gain_map, gains_of, ideal_gains
from metameter.judge.pool import shallow
from metameter.judge.ranked import Judgments, Ranked
from metameter.metric.compose import parse_metric


@pytest.fixture
def ranked():
    judgments = Judgments(("1",), np.array([[2.0, 1.0, 0.0]]), 2, np.array([[1, 20, 2]]))
    grade, status = np.array([[1.0, 2.0, 0.0, 0.0]]), np.array([[2, 2, 2, 0]], np.int8)
    ranks = np.array([[20, 1, 2, 50]])
    tied, costs = np.array([[0, 0, 2, 3]]), np.array([[3.0, 5.0, 2.0, 7.0]])
    length = np.array([4])
    return Ranked("s", judgments, grade, status, length, ranks, tied=tied, costs=costs, tied_documents=2)


@pytest.mark.parametrize("change", [lambda r: shallow(r, 10), condense, lambda r: r.cut(3), replace])
def test_costs_and_counts_are_kept(change, ranked):
    changed = change(ranked)
    assert changed.system == "s"
    assert changed.tied_documents == 2
    assert changed.costs[0, :3].tolist() == [3.0, 5.0, 2.0]
    assert changed.pool_rank[0, :3].tolist() == [20, 1, 2]


def test_a_shallow_pool_is_scored_at_its_costs(ranked):
    """The user of TBG pays 3 for the first document, which is no longer judged, before the second."""
    scored = parse_metric("TBG(h=3)*ETG").score(shallow(ranked, 10))
    np.testing.assert_allclose(scored, [2.0 ** (-3 / 3)])


def test_memos_are_no_arguments_and_are_not_copied(ranked):
    assert ranked.once("key", lambda: 7) == ranked.once("key", lambda: 8) == 7
    assert replace(ranked).memo == {}
    assert ranked.judgments.once("key", lambda: 7) == 7
    assert replace(ranked.judgments).memo == {}
    with pytest.raises(TypeError):
        Ranked("s", ranked.judgments, ranked.grade, ranked.status, ranked.length, memo={})
    with pytest.raises(TypeError):
        Judgments(("1",), np.zeros((1, 1)), 1, memo={})


def test_cutting_a_list_drops_its_ties(ranked):
    assert ranked.cut(1).tied is None


@pytest.mark.parametrize("level", [1, 2, 1.5, 1234567, 1234568, 1234567.5, 10**17])
def test_a_gain_map_round_trips_exactly(level):
    assert gain_map(str(GainMap("binary", level))) == GainMap("binary", level)
    assert str(gain_map(f"binary({level})")) == f"binary({level})"


def test_gain_maps_that_differ_in_one_digit_stay_separate():
    judgments = Judgments(("1",), np.array([[1234568.0, 1234567.0]]), 1234568)
    listed = Ranked("s", judgments, np.array([[1234567.0, 1234568.0]]), np.full((1, 2), 2, np.int8), np.array([2]))
    assert [gains_of(listed, f"binary({level})")[0].tolist() for level in (1234567, 1234568)] == [[1, 1], [0, 1]]
    assert [ideal_gains(judgments, f"binary({level})")[0].tolist() for level in (1234567, 1234568)] == [[1, 1], [1, 0]]
