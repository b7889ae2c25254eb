"""Large collections of pages are read in pieces, part by part; an interrupted reading goes on where it was."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import warnings

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from metameter.read.serps_cells import grade_column, label_column, user_column
from metameter.read.serps_json import sheet_of_json
from metameter.read.serps_json_plain import plain_cells
from metameter.read.serps_values import grades_in

import metameter as mm
from metameter.read import serps_batches, serps_counts
from metameter.read.labels.kind import read_labels
from metameter.read.labels.views import read_views
from metameter.types.tally import Tally


@pytest.fixture
def rows():
    return mm.simulate_pages(600, pairs=1, users=7, depth=3, seed=2).rows


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(serps_batches, "ROWS", 50)
    monkeypatch.setattr(serps_batches, "BYTES", 1000)
    monkeypatch.setattr("metameter.read.archives._PIECE", 300)


def as_parquet(rows):
    file = io.BytesIO()
    rows.write_parquet(file)
    return file.getvalue()


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows.iter_rows(named=True)).encode()


PACKED = {
    "parquet": as_parquet,
    "jsonl": as_lines,
    "jsonl.gz": lambda rows: gzip.compress(as_lines(rows), mtime=0),
    "jsonl.xz": lambda rows: lzma.compress(as_lines(rows)),
    "jsonl.zst": lambda rows: zstandard.compress(as_lines(rows)),
}


def folder_of(rows, folder, suffix, parts=3):
    folder.mkdir()
    for number, part in enumerate(rows[number::parts] for number in range(parts)):
        (folder / f"part-{number}.{suffix}").write_bytes(PACKED[suffix](part))
    return folder


@pytest.mark.parametrize("suffix", PACKED)
def test_pieces_and_parts_change_nothing(rows, suffix, tmp_path, small_pieces):
    whole = mm.read_serps(rows)
    for jobs in (1, 2):
        read = mm.read_serps(folder_of(rows, tmp_path / f"{jobs}", suffix), jobs=jobs)
        assert read.table.equals(whole.table)
        assert len(read.fingerprints) == 3


@pytest.mark.parametrize("suffix", PACKED)
def test_the_row_that_is_wrong_is_named_in_any_piece(rows, suffix, tmp_path, small_pieces):
    wrong = rows.with_columns(satisfaction=pl.when(pl.col("id") == rows["id"][444]).then(float("nan")).otherwise(1.0))
    place = f"part.{suffix}: row 445" if suffix == "parquet" else f"part.{suffix}:445"
    (tmp_path / f"part.{suffix}").write_bytes(PACKED[suffix](wrong).replace(b"NaN", b'"good"'))
    with pytest.raises(mm.MetameterError, match=rf"{place}: the satisfaction is not a number"):
        mm.read_serps(tmp_path / f"part.{suffix}")


def test_labels_of_rows_that_are_left_out_do_not_count(tmp_path):
    rows = [{"grades": [1], "satisfaction": 4}, {"grades": None, "satisfaction": 2}, {"grades": [0], "satisfaction": 4}]
    with (
        pytest.warns(mm.MetameterWarning, match="left out"),
        pytest.raises(mm.MetameterError, match="every satisfaction is the same"),
    ):
        mm.read_serps(rows)


def test_an_interrupted_reading_goes_on_with_the_parts_that_are_left(rows, tmp_path, monkeypatch):
    folder, keep = folder_of(rows, tmp_path / "pages", "parquet", parts=4), tmp_path / "kept"
    broken, whole = folder / "part-2.parquet", (folder / "part-2.parquet").read_bytes()
    broken.write_bytes(whole[:-20])
    with pytest.raises(mm.MetameterError, match=r"part-2\.parquet: the Parquet file is damaged or cut short"):
        mm.read_serps(folder, keep=keep, jobs=1)
    noted = map(json.loads, filter(None, (keep / "parts.jsonl").read_text().split("\n")))
    assert [note["source"][-14:] for note in noted] == ["part-0.parquet", "part-1.parquet"]
    broken.write_bytes(whole)
    manifest = (keep / "parts.jsonl").read_text()
    (keep / "parts.jsonl").write_text(manifest + '{"key": "cut sho')  # as an interrupted line would be
    here, asked = mm.read_serps(rows), watched(monkeypatch)
    assert mm.read_serps(folder, keep=keep, jobs=1).table.equals(here.table)
    assert asked == ["part-2.parquet", "part-3.parquet"]
    asked.clear()
    mm.read_serps(folder, keep=keep)
    assert asked == []


def watched(monkeypatch):
    asked, before = [], serps_counts.reduced

    def noted(part, **given):
        asked.append(part.source.rpartition("/")[2])
        return before(part, **given)

    monkeypatch.setattr(serps_counts, "reduced", noted)
    return asked


def test_parts_that_changed_and_counts_that_are_damaged_are_reduced_again(rows, tmp_path, monkeypatch):
    folder, keep = folder_of(rows, tmp_path / "pages", "jsonl.gz"), tmp_path / "kept"
    (folder / "part-3.jsonl").write_text('{"grades": null, "satisfaction": 3, "user": "u"}\n')
    with pytest.warns(mm.MetameterWarning, match=r"1 row without grades is left out \(the first: \S*part-3"):
        mm.read_serps(folder, keep=keep)
    (folder / "part-1.jsonl.gz").write_bytes(PACKED["jsonl.gz"](rows.head(10)))
    notes = map(json.loads, filter(None, (keep / "parts.jsonl").read_text().splitlines()))
    kept = {note["source"].rpartition("/")[2]: note for note in notes}
    damaged = keep / f"{kept['part-2.jsonl.gz']['key']}.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    asked = watched(monkeypatch)
    with pytest.warns(mm.MetameterWarning, match=r"1 row without grades is left out \(the first: \S*part-3"):
        again = mm.read_serps(folder, keep=keep, jobs=1)
    assert asked == ["part-1.jsonl.gz", "part-2.jsonl.gz"]
    with pytest.warns(mm.MetameterWarning):
        assert again.table.equals(mm.read_serps(folder).table)
    asked.clear()
    with pytest.warns(mm.MetameterWarning):
        mm.read_serps(folder, keep=keep, max_grade=3)  # another question: nothing is known of it
    assert len(asked) == 4


def test_progress_is_told_in_megabytes(rows, tmp_path):
    told = []
    mm.read_serps(folder_of(rows, tmp_path / "pages", "parquet"), progress=lambda *said: told.append(said), jobs=1)
    assert told == [(1, 1, "MB of pages")] * 3


def test_a_tally_keeps_values_once_and_counts():
    table = pl.DataFrame({"grades": [[1.0, None], [0.5], [1.0, None], []], "label": [1.0, 2.0, 1.0, 1.0]})
    tally = Tally.of(table, ["grades", "label"])
    assert [len(each) for each in tally.values.values()] == [3, 2]
    twice = Tally.merged([tally, tally]).table()
    assert twice.rows() == [([], 1.0, 2), ([0.5], 2.0, 2), ([1.0, None], 1.0, 4)]
    assert Tally.of(twice, ["grades", "label"]).table().equals(twice)


numbers = st.one_of(
    st.integers(-3, 12), st.sampled_from([0.5, 2.0, -0.0, 1e-7, 1e300, 10**20, True, None, float("nan")])
)
cells = st.one_of(
    st.lists(numbers, max_size=4),
    numbers,
    st.sampled_from(["1 0", "u", "", "null", 'a"b', "é\n", "[1]", "grades", ":", "7"]),
)
names = st.sampled_from(["grades", "satisfaction", "user", "Grades", "id", "count", "a b"])


@given(st.lists(st.dictionaries(names, cells, max_size=4), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_plain_lines_are_read_as_all_others_are(rows, tight, escaped):
    given = {"separators": (",", ":") if tight else None, "ensure_ascii": escaped}
    data = "".join(json.dumps(row, **given) + "\n" for row in rows).encode()
    wanted = ("grades", "satisfaction", "user")
    plain = plain_cells(data, wanted[:2], wanted[2:])
    if plain is None:
        return
    slow = sheet_of_json(data, "log.jsonl", wanted).cells
    assert [name for name in plain.columns if name in wanted] == [name for name in slow.columns if name in wanted]
    assert ("count" in plain.columns) == ("count" in slow.columns)
    for name, read in (
        ("grades", grade_column),
        ("satisfaction", label_column),
        ("user", lambda each: [user_column(each)]),
    ):
        if name in plain.columns:
            for one, other in zip(read(plain[name]), read(slow[name]), strict=True):
                assert one.to_list() == other.to_list()


def test_most_lines_are_plain():
    rows = mm.simulate_pages(50, pairs=1, users=7, depth=3, seed=2).rows
    for data in (as_lines(rows), rows.write_ndjson().encode()):
        assert plain_cells(data, ("grades",), ("satisfaction", "user")).height == 50


def test_a_piece_without_a_label_is_left_out_and_not_refused(small_pieces, tmp_path):
    rows = [{"grades": [1], "satisfaction": n % 2} for n in range(60)] + [{"grades": [n % 3]} for n in range(200)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.warns(mm.MetameterWarning, match=r"200 rows without a satisfaction are left out \(the first: \S*:61\)"):
        assert mm.read_serps(tmp_path / "log.jsonl").size == 60
    (tmp_path / "none.jsonl").write_text('{"grades": [1]}\n' * 200)
    with pytest.raises(mm.MetameterError, match=r"none\.jsonl: the column satisfaction is missing \(given 'grades'"):
        mm.read_serps(tmp_path / "none.jsonl")


def test_a_study_keeps_the_parts_of_large_collections(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("metameter.read.serps_reading.LARGE", 1)
    made = mm.simulate(topics=6, systems=4, depth=10, seed=5)
    given = {
        "metrics": ["RBP(p=0.8)@3*ERG", "RBP(p=0.8)@3*max"],
        "splits": 20,
        "trials": 20,
        "resamples": 20,
        "max_grade": 3,
    }
    given["pages_max_grade"] = 3
    given |= {"serps": str(folder_of(rows, tmp_path / "pages", "parquet")), "out": tmp_path / "study"}
    mm.study(made.qrels, made.runs, **given)
    asked = watched(monkeypatch)
    mm.study(made.qrels, made.runs, **given)
    assert asked == []


@given(st.lists(st.lists(st.one_of(st.integers(-9, 10**17), st.floats(-9, 9), st.none()), max_size=5), min_size=1))
def test_plain_lists_are_read_as_all_others_are(lists):
    texts = pl.Series([json.dumps(each) for each in lists])
    assert grade_column(texts)[0].to_list() == [grades_in(text)[0] for text in texts.to_list()]


def clicked(rows):
    return rows.select("grades", clicks=pl.col("grades").list.eval((pl.element() > 1).cast(pl.Int64)))


@pytest.mark.filterwarnings("ignore:.*the last click")
def test_clicks_of_every_piece_are_looked_at(rows, small_pieces, tmp_path):
    pages = clicked(rows).filter(pl.col("clicks").list.max() > 0)
    (tmp_path / "log.jsonl").write_bytes(as_lines(pages))
    with warnings.catch_warnings(record=True, action="always") as told:
        views = read_views(tmp_path / "log.jsonl")
    assert views.size == pages.height
    assert views.table.equals(read_views(pages).table)
    assert not [each for each in told if "left out" in str(each.message)]


@pytest.mark.filterwarnings("ignore")
def test_a_piece_without_a_click_is_like_any_other(rows, small_pieces, tmp_path):
    pages = clicked(rows).filter(pl.col("clicks").list.max() > 0)
    lines = as_lines(pages) + b'{"grades": [1, 0, 0]}\n' * 100
    (tmp_path / "log.jsonl").write_bytes(lines)
    assert read_views(tmp_path / "log.jsonl").size == pages.height


@pytest.mark.filterwarnings("ignore")
def test_ranks_and_clicks_in_one_file(rows, small_pieces, tmp_path):
    lines, ranks = as_lines(clicked(rows)), b'{"grades": [1, 0, 0], "last": 2}\n' * 100
    (tmp_path / "clicks.jsonl").write_bytes(lines + ranks)
    with pytest.raises(mm.MetameterError, match="lines have last here, and only clicks before"):
        read_views(tmp_path / "clicks.jsonl")
    (tmp_path / "ranks.jsonl").write_bytes(ranks + lines)
    assert read_views(tmp_path / "ranks.jsonl").size == 100


def test_empty_parquet_among_others_is_refused(rows, tmp_path):
    folder = folder_of(rows, tmp_path / "log", "parquet")
    for bytes_of in (b"", b"PA"):
        (folder / "part-7.parquet").write_bytes(bytes_of)
        for read in (mm.read_serps, read_labels):
            with pytest.raises(mm.MetameterError, match=r"part-7.parquet: the Parquet file is empty or cut short"):
                read(folder)
    (folder / "part-7.parquet").unlink()
    (folder / "part-8.jsonl").write_bytes(b"")
    assert mm.read_serps(folder).size == rows.height


def test_fit_keeps_what_it_has_read(rows, tmp_path, monkeypatch):
    folder = folder_of(rows, tmp_path / "log", "jsonl")
    told = []
    first = mm.fit(
        folder, max_grade=3, resamples=0, keep=str(tmp_path / "kept"), progress=lambda *step: told.append(step[2])
    )
    assert "MB of pages" in told
    monkeypatch.setattr(serps_counts, "reduced", None)
    assert mm.fit(folder, max_grade=3, resamples=0, keep=str(tmp_path / "kept")).table.equals(first.table)
