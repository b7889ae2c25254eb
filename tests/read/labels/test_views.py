"""Pages with the rank viewed last are read as labelled pages are; bad rows are named."""

from __future__ import annotations

import json
import warnings

import polars as pl
import pytest

import metameter as mm
from metameter.types import Views


@pytest.fixture
def rows(monkeypatch):
    """Four hundred pages, of which few are distinct."""
    monkeypatch.setattr("metameter.read.files.content._PIECE", 300)
    number = pl.int_range(400, eager=True)
    return pl.DataFrame(
        {"grades": [[n % 3, n % 2, 0] for n in number], "last": number % 3 + 1, "user": (number % 5).cast(pl.String)}
    )


@pytest.fixture
def folder(rows, tmp_path):
    (tmp_path / "pages").mkdir()
    for part in range(4):
        rows[part::4].write_parquet(tmp_path / "pages" / f"part-{part}.parquet")
    return tmp_path / "pages"


def clicked(rows):
    """The same with clicks in place of the rank: the one that was viewed last."""
    return rows.select("grades", "user", clicks=pl.concat_list("last"))


@pytest.mark.parametrize("jobs", [1, 3])
def test_number_of_parts_and_pieces_changes_nothing(rows, folder, jobs):
    read = mm.read_views(folder, jobs=jobs)
    assert read.table.equals(mm.read_views(rows).table)
    assert read.table.equals(Views.of(rows).table)
    assert [each.name for each in read.fingerprints] == [f"part-{number}.parquet" for number in range(4)]


def test_only_distinct_rows_are_stored(rows, folder):
    tally = mm.read_views(folder).tally
    assert tally.count.size == rows.n_unique()
    assert list(tally.values) == ["grades", "last", "user"]


def test_fit_reports_the_progress_of_reading(folder):
    told = []
    mm.fit(folder, empirical=True, max_grade=2, resamples=0, jobs=1, progress=lambda *step: told.append(step[2]))
    assert "MB of pages" in told


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("last", [0, 4, 1.5])
def test_a_rank_beyond_the_page_is_named_in_any_part(folder, jobs, last):
    for number, row in ((2, 77), (3, 5)):
        part = pl.read_parquet(folder / f"part-{number}.parquet").with_columns(pl.col("last").cast(pl.Float64))
        part[row, "last"] = last
        part.write_parquet(folder / f"part-{number}.parquet")
    place = rf"part-2\.parquet: row 78: the rank viewed last is none of the page \(given {last:.1f}, allowed: 1 to 3\)"
    with pytest.raises(mm.MetameterError, match=place):
        mm.read_views(folder, jobs=jobs)


def test_a_rank_beyond_the_page_names_its_line(rows, tmp_path):
    lines = [json.dumps(row) for row in rows.iter_rows(named=True)]
    lines[222] = '{"grades": [1, 0, 2], "last": 9}'
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    with pytest.raises(mm.MetameterError, match=r"log\.jsonl:223: the rank viewed last"):
        mm.read_views(tmp_path / "log.jsonl")


def test_rows_without_grades_are_left_out_whatever_their_rank():
    rows = [{"grades": [1, 0], "last": 1}, {"grades": None, "last": 0}, {"grades": [0, 1], "last": None}]
    with pytest.warns(mm.MetameterWarning, match=r"1 row without (grades|a rank viewed last) is left out"):
        assert mm.read_views(rows).size == 1


def test_the_notice_on_clicks_appears_once_for_all_parts(folder):
    for number in (1, 2):
        part = folder / f"part-{number}.parquet"
        clicked(pl.read_parquet(part)).write_parquet(part)
    with warnings.catch_warnings(record=True, action="always") as told:
        mm.read_views(folder)
    said = (
        f"{folder}: the deepest click is used as the last rank viewed; users who looked further without clicking "
        "are undercounted"
    )
    assert [str(each.message) for each in told] == [said]


def test_clicked_ranks_equal_viewed_ranks(rows):
    with pytest.warns(mm.MetameterWarning, match="the deepest click"):
        assert mm.read_views(clicked(rows)).table.equals(mm.read_views(rows).table)
