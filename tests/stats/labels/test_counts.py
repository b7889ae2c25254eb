"""Counts of labels and their resamples: what multinomial draws must look like."""

import pickle

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.stats.labels.counts import LabelCounts, label_resamples
from metameter.stats.resampling.replicates import Stream

ITEM, LEVEL = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 0, 2])
COUNT, USER = np.array([5, 1, 7, 2, 3, 2]), np.array([0, 1, 1, 0, 2, 2])


def test_cells_sum_their_entries():
    counts = LabelCounts(ITEM, LEVEL, COUNT, USER)
    assert counts.cells.tolist() == [[0, 0], [0, 1], [1, 1], [2, 0], [2, 2]]
    assert counts.by_cell.tolist() == [5, 1, 7, 5, 2]
    assert counts.by_user.toarray().tolist() == [[5, 0, 0], [0, 1, 0], [0, 7, 0], [2, 0, 3], [0, 0, 2]]
    assert (counts.total, counts.units, counts.levels) == (20, 3, 3)
    assert LabelCounts(ITEM, LEVEL, COUNT).units == 20


def test_rows_are_resampled_with_the_total_kept():
    drawn = np.concatenate(list(label_resamples(LabelCounts(ITEM, LEVEL, COUNT), 4000, 1)))
    assert set(drawn.sum(axis=1)) == {20}
    share = np.array([5, 1, 7, 5, 2]) / 20
    error = np.sqrt(20 * share * (1 - share) / 4000)
    assert (np.abs(drawn.mean(axis=0) - 20 * share) < 4 * error).all()
    np.testing.assert_allclose(drawn.var(axis=0), 20 * share * (1 - share), rtol=0.15)


def test_users_are_resampled_with_all_their_rows():
    counts = LabelCounts(ITEM, LEVEL, COUNT, USER)
    drawn = np.concatenate(list(label_resamples(counts, 500, 1)))
    # Which users were drawn shows in cells that only one of them has.
    copies = np.stack([drawn[:, 0] // 5, drawn[:, 1], drawn[:, 4] // 2], axis=1)
    assert set(copies.sum(axis=1)) == {3}
    np.testing.assert_array_equal(drawn, copies @ counts.by_user.toarray().T)


@pytest.mark.parametrize(("user", "stream"), [(None, Stream.LABELLED_ROWS), (USER, Stream.LABELLING_USERS)])
def test_fewer_replicates_are_a_prefix_and_can_be_pickled(user, stream):
    resamples = label_resamples(LabelCounts(ITEM, LEVEL, COUNT, user), 70, 4)
    assert resamples.stream is stream
    again = pickle.loads(pickle.dumps(resamples))
    assert all((one == other).all() for one, other in zip(again, resamples, strict=True))
    longer = label_resamples(LabelCounts(ITEM, LEVEL, COUNT, user), 200, 4)
    np.testing.assert_array_equal(np.concatenate(list(longer))[:70], np.concatenate(list(resamples)))


def test_one_unit_cannot_be_resampled():
    with pytest.raises(MetameterError, match="nothing to resample"):
        label_resamples(LabelCounts(ITEM[:1], LEVEL[:1], np.array([1])))
    with pytest.raises(MetameterError, match="more users"):
        label_resamples(LabelCounts(ITEM, LEVEL, COUNT, np.zeros(6, dtype=np.int64)))
    with pytest.raises(MetameterError, match="who gave the labels"):
        LabelCounts(ITEM, LEVEL, COUNT).by_user  # noqa: B018
