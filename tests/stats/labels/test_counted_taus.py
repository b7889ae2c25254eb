"""tau_b on counts is that on rows: scipy's numbers first, then resamples, workers and limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from metameter.stats.labels.counted_taus import Concordance, CountBlocks, counted_taus, resampled_taus
from metameter.stats.labels.counts import LabelCounts, label_resamples
from metameter.stats.ties import tied_codes


@st.composite
def labelled_rows(draw):
    """Items shown in rows, labels of the rows, and two metrics of the items: ties, constants, few and many levels."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # scipy's asymptotic p begins with three rows.
    items, rows = draw(st.integers(1, 60)), draw(st.integers(3, 200))
    scores, levels = draw(st.sampled_from([1, 2, 5, 1000])), draw(st.sampled_from([1, 2, 5, 90]))
    item = rng.integers(0, items, rows)
    metrics = rng.integers(-scores, scores, (2, items)) / scores
    noise = rng.integers(0, levels, rows)
    label = np.where(rng.random(rows) < 0.5, noise, (metrics[0][item] * levels).astype(int))
    return item, np.unique(label, return_inverse=True)[1], metrics


def of_rows(item, label):
    return LabelCounts(item, label, np.ones(len(item), dtype=np.int64))


def theirs(scores, label):
    if len(np.unique(scores)) < 2 or len(np.unique(label)) < 2:
        return np.nan, np.nan
    return kendalltau(scores, label, method="asymptotic")


@given(labelled_rows())
def test_tau_b_and_p_match_scipy(rows):
    item, label, metrics = rows
    found = counted_taus(tied_codes(metrics), of_rows(item, label))
    expected = np.array([theirs(scores[item], label) for scores in metrics])
    np.testing.assert_allclose(found.statistic, expected[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.pvalue, expected[:, 1], rtol=1e-9, atol=0)


@given(labelled_rows(), st.integers(0, 2**32))
def test_a_bootstrap_on_counts_equals_one_on_rows(rows, seed):
    item, label, metrics = rows
    counts = of_rows(item, label)
    cell = np.searchsorted(counts.cells @ [counts.levels, 1], item * counts.levels + label)
    drawn = np.random.default_rng(seed).integers(0, len(item), (3, len(item)))
    resamples = np.array([np.bincount(cell[index], minlength=len(counts.cells)) for index in drawn])
    found = resampled_taus(tied_codes(metrics), counts, [resamples], jobs=1)
    expected = [[theirs(scores[item[index]], label[index])[0] for scores in metrics] for index in drawn]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def many(items=700, rows=3000, levels=5, seed=5):
    """More cells than one chunk holds, some of them often, and metrics with few and with many scores."""
    rng = np.random.default_rng(seed)
    scores = np.stack([rng.random(items), rng.random(items).round(1), rng.random(items).round(2), np.ones(items)])
    item = rng.integers(0, items, rows)
    label = np.clip((scores[0][item] * levels + rng.normal(0, levels / 4, rows)).astype(int), 0, levels - 1)
    return item, label, scores


@pytest.mark.parametrize("levels", [2, 5, 300])
def test_many_cells_and_levels_match_scipy(levels):
    item, label, scores = many(levels=levels)
    found = counted_taus(tied_codes(scores), of_rows(item, label))
    expected = np.array([theirs(each[item], label) for each in scores])
    np.testing.assert_allclose(found.statistic, expected[:, 0], rtol=0, atol=1e-12)
    assert np.isnan(found.statistic).tolist() == [False, False, False, True]


def test_resampled_users_repeat_their_rows():
    item, label, scores = many(items=40, rows=300)
    user = np.arange(300) % 11
    counts = LabelCounts(item, label, np.ones(300, dtype=np.int64), user)
    copies = np.random.default_rng(2).multinomial(11, np.full(11, 1 / 11), size=4)
    found = resampled_taus(tied_codes(scores[:3]), counts, [(counts.by_user @ copies.T).T], jobs=1)
    for row, times in zip(found, copies, strict=True):
        again = np.repeat(np.arange(300), times[user])
        expected = [theirs(each[item[again]], label[again])[0] for each in scores[:3]]
        np.testing.assert_allclose(row, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("users", [None, np.arange(3000) % 50])
def test_any_workers_give_the_same_bits(users, pickling_workers, monkeypatch):
    item, label, scores = many()
    counts, codes = LabelCounts(item, label, np.ones(3000, dtype=np.int64), users), tied_codes(scores)
    one = resampled_taus(codes, counts, label_resamples(counts, 150, 3), jobs=1)
    assert one.shape == (150, 4)
    for jobs in (2, 3, pickling_workers):
        more = resampled_taus(codes, counts, label_resamples(counts, 150, 3), jobs=jobs)
        np.testing.assert_array_equal(more, one)
    # However many are in memory at a time, and however they are handed over.
    monkeypatch.setattr("metameter.stats.labels.counted_taus._CHUNK", 1000)
    again = resampled_taus(codes, counts, label_resamples(counts, 150, 3), jobs=1)
    np.testing.assert_array_equal(again, one)
    whole = np.concatenate(list(label_resamples(counts, 150, 3)))
    np.testing.assert_array_equal(resampled_taus(codes, counts, [whole[:7], whole[7:]], jobs=1), one)


@pytest.mark.parametrize("width", [1, 7, 5000])
def test_chunks_of_any_width_give_the_same_bits(width, monkeypatch):
    item, label, scores = many()
    counts, codes = of_rows(item, label), tied_codes(scores)
    usual = resampled_taus(codes, counts, label_resamples(counts, 70), jobs=1)
    monkeypatch.setattr("metameter.stats.labels.counted_taus._WIDTH", width)
    np.testing.assert_array_equal(resampled_taus(codes, counts, label_resamples(counts, 70), jobs=1), usual)


@pytest.mark.parametrize(
    ("times", "kind"),
    [(1, "float32"), (10_000, "float64"), (500_000, "int64"), (10_000_000, "float64")],
)
def test_more_rows_use_wider_integers(times, kind):
    item, label, scores = many(rows=1000)
    counts = of_rows(item, label)
    level = counts.cells[:, 1]
    drawn = CountBlocks.of([counts.by_cell[None] * times], level)
    assert drawn.blocks[0].dtype == kind
    code = tied_codes(scores[0])[counts.cells[:, 0]]
    few, _ = Concordance.of(code, level, np.int64).sums(counts.by_cell[:, None])
    difference, squares = Concordance.of(code, level, drawn.blocks[0].dtype).sums(drawn.blocks[0])
    by_score = np.bincount(code, weights=counts.by_cell).astype(int).tolist()
    if times < 10_000_000:
        # Python's integers have no limit.
        assert int(difference[0]) == int(few[0]) * times**2
        assert int(squares[0]) == sum(count**2 for count in by_score) * times**2
    assert difference[0] == pytest.approx(float(few[0]) * times**2, rel=1e-12)


def test_opposite_orders_are_exactly_minus_one():
    counts = of_rows(np.arange(9), np.arange(9))
    found = counted_taus(np.stack([np.arange(9), np.arange(9)[::-1]]), counts)
    assert found.statistic.tolist() == [1.0, -1.0]


def test_fewer_than_two_rows_have_no_correlation():
    one = of_rows(np.array([0, 0]), np.array([0, 0]))
    assert np.isnan(counted_taus(np.array([[0]]), one).statistic).all()
    assert np.isnan(counted_taus(np.array([[0]]), one).pvalue).all()
    assert np.isnan(resampled_taus(np.array([[0]]), one, label_resamples(one, 3), jobs=1)).all()
    assert resampled_taus(np.array([[0]]), one, [], jobs=1).shape == (0, 1)
