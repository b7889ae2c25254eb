"""Pages and pairs reduce to counts of what is distinct; parts add up."""

import numpy as np
import polars as pl
import pytest

from metameter.types.labelled_pages import GradeLists, Pages, Pairs
from metameter.types.provenance import Fingerprint
from metameter.types.tally import encode_column

LISTS = [[1.0, None, 2.0], [], [0.0], [None], [1.0, None, 2.0, 0.0]]


def rows(number, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "grades": pl.Series([LISTS[at] for at in rng.integers(0, len(LISTS), number)], dtype=pl.List(pl.Float64)),
            "satisfaction": rng.integers(0, 3, number).astype(float),
            "user": rng.integers(0, 4, number).astype(str),
        }
    )


def test_every_row_is_counted_once():
    frame = rows(200)
    pages = Pages.of(frame)
    assert pages.size == 200
    assert pages.users == ("0", "1", "2", "3")
    assert pages.levels.tolist() == [0, 1, 2]
    expected = frame.group_by(frame.columns).len().sort(frame.columns)
    assert pages.table["count"].to_list() == expected["len"].to_list()
    assert pages.table.drop("count").equals(expected.drop("len"))


def test_each_row_of_the_table_has_its_page():
    pages = Pages.of(rows(200))
    lists, shown = pages.lists
    again = [lists.grades[at, : lists.length[at]] for at in shown[pages.item, 0]]
    for given, found in zip(pages.table["grades"].to_list(), again, strict=True):
        np.testing.assert_array_equal(np.array(given, dtype=float), found)
    # An unjudged result is not the end of a list, nor a list without results one with an unjudged result.
    assert len(lists.length) == len(LISTS) == pages.items.height
    assert pages.highest == 2


def test_parts_merge_to_the_whole_in_any_order():
    parts = [Pages.of(rows(60, seed), fingerprints=(Fingerprint(str(seed), 1, ""),)) for seed in range(3)]
    whole = Pages.of(pl.concat([rows(60, seed) for seed in range(3)]))
    one, other = parts[0].merge(parts[1:]), parts[2].merge(parts[:2])
    assert one.table.equals(whole.table)
    assert other.table.equals(whole.table)
    assert [each.name for each in one.fingerprints] == ["0", "1", "2"]


def test_order_and_number_types_do_not_matter():
    frame = rows(100)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    assert Pages.of(shuffled).table.equals(Pages.of(frame).table)
    integers = pl.DataFrame({"grades": [[2, 0], [1]], "satisfaction": [1, 0]})
    assert Pages.of(integers).table.schema["grades"] == pl.List(pl.Float64)
    assert Pages.of(integers).users is None


def test_given_counts_are_added():
    frame = pl.DataFrame({"grades": [[1], [1], [0]], "satisfaction": [1, 1, 0], "count": [3, 4, 5]})
    assert Pages.of(frame).table["count"].to_list() == [5, 7]


def test_both_sides_of_pairs_share_their_lists():
    pairs = Pairs.of(pl.DataFrame({"grades_a": [[1, 0], [0]], "grades_b": [[0], [1, None]], "preference": [-1, 1]}))
    lists, shown = pairs.lists
    assert len(lists.length) == 3
    assert shown[0, 0] == shown[1, 1] or shown[0, 1] == shown[1, 0]
    assert (pairs.size, pairs.items.height) == (2, 2)


@pytest.mark.parametrize("given", [[[]], [[], []], [[None]]])
def test_lists_without_a_grade_are_kept(given):
    lists = GradeLists.of(pl.Series(given, dtype=pl.List(pl.Float64)))
    assert np.isnan(lists.grades).all()
    assert lists.length.tolist() == [len(each) for each in given]
    pages = Pages.of(pl.DataFrame({"grades": pl.Series(given, dtype=pl.List(pl.Float64)), "satisfaction": 1.0}))
    assert pages.highest == 0


@pytest.mark.parametrize("numbers", [[np.nan], [np.nan, 1.0, np.nan], [None, np.nan]], ids=str)
def test_missing_numbers_have_a_code(numbers):
    values, codes = encode_column(pl.Series(numbers, dtype=pl.Float64))
    assert [values[int(code)] for code in codes] == pytest.approx(numbers, nan_ok=True)
