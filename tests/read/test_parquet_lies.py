"""A Parquet file that lies about what it holds is refused before it fills the memory or ends the process."""

import io
import resource
import subprocess
import sys
from itertools import product

import polars as pl
import pytest
from backports import zstd

from metameter.errors import MetameterError
from metameter.read.files.limits import unpacking
from metameter.read.formats.parquet import chosen_columns, footer_of
from metameter.read.labels.pages import read_labels
from tests.read.parquet_lies import (
    CHUNKS,
    FIRST,
    GROUPS,
    META,
    OF_DICTIONARY,
    OF_VALUES,
    SCHEMA,
    UNPACKED,
    VALUES,
    Lies,
    written,
)

ROWS = 1000
DAMAGED = r"run: the Parquet file is damaged or cut short\. Fetch or write the file again\."


def honest(rows=ROWS):
    file = io.BytesIO()
    columns = {"topic": ["1"] * rows, "doc": [f"d{row}" for row in range(rows)], "score": [1.0 / 3] * rows}
    pl.DataFrame(columns).write_parquet(file, row_group_size=rows)
    return file.getvalue()


def refused(data, match=DAMAGED):
    """Every way to read it says no, and never hands it to Polars."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pl.LazyFrame, "collect", None)
        with pytest.raises(MetameterError, match=match):
            chosen_columns(data, "run")


def test_a_disassembled_file_can_be_reassembled():
    assert chosen_columns(Lies(honest()).file(), "run").equals(chosen_columns(honest(), "run"))


@pytest.mark.parametrize(
    ("rows", "values"), [(10, None), (2**31, None), (2**40, None), (-5, None), (ROWS, 2**31), (ROWS, -5), (2**31, ROWS)]
)
def test_a_wrong_row_count_in_the_footer_is_refused(rows, values):
    lies = Lies(honest())
    lies.say_rows(rows, values)
    refused(lies.file())


@pytest.mark.parametrize(("column", "values"), list(product(range(3), [-5, 2**31 - 1, 2**32 + ROWS, 5])))
def test_a_wrong_value_count_in_a_page_is_refused(column, values):
    lies = Lies(honest())
    lies.chunks[column][-1][0][OF_VALUES][1][VALUES][1] = values
    refused(lies.file())


@pytest.mark.parametrize("entries", [-5, 2**31 - 1])
def test_a_dictionary_with_more_entries_than_bytes_is_refused(entries):
    lies = Lies(honest())
    lies.chunks[0][0][0][OF_DICTIONARY][1][VALUES][1] = entries
    refused(lies.file())


@pytest.mark.parametrize("size", [-5, -(2**33) + 2**31 - 1, 2**31])
def test_an_impossible_page_size_is_refused(size):
    lies = Lies(honest())
    lies.chunks[2][-1][0][UNPACKED][1] = size
    refused(lies.file())


def test_a_page_larger_than_the_footer_says_is_refused():
    lies, size = Lies(honest()), 60_000_000
    header, body = lies.chunks[2][-1]
    content = zstd.decompress(body)
    packed = zstd.compress(content + bytes(size - len(content)))
    header[UNPACKED][1], header[3][1] = size, len(packed)
    lies.chunks[2][-1][1] = packed
    data = lies.file()
    assert len(data) < 12_000
    assert footer_of(data).size() >= size
    with unpacking("50MB"):
        refused(data, r"run: the Parquet file unpacks to 60 MB \(allowed: at most 50 MB\)")


@pytest.mark.parametrize(
    ("which", "size"), list(product(["elements", "groups", "chunks", "encodings", "names"], [2**31 - 1, 50_000_000]))
)
def test_a_list_longer_than_the_file_is_refused(which, size, monkeypatch):
    lies = Lies(honest())
    meta = lies.groups()[0][CHUNKS][1][1][0][META][1]
    lists = {"elements": lies.end[SCHEMA], "groups": lies.end[GROUPS], "chunks": lies.groups()[0][CHUNKS]}
    lists |= {"encodings": meta[2], "names": meta[3]}
    lists[which][1][2] = size
    monkeypatch.setattr(pl, "scan_parquet", None)  # which ends the process when it looks at the columns
    refused(lies.file())


def test_a_column_stored_under_another_name_is_measured():
    lies = Lies(honest(200_000))
    lies.groups()[0][CHUNKS][1][1][2][META][1][3][1][1] = [b"other"]
    assert footer_of(lies.file()).size(["score"]) >= 8 * 200_000


def test_a_dictionary_after_its_values_is_refused():
    lies = Lies(honest())
    whole = lies.file()
    meta = lies.groups()[0][CHUNKS][1][1][0][META][1]
    assert meta[11][1] < meta[FIRST][1]
    end = whole[-8 - int.from_bytes(whole[-8:-4], "little") :]
    meta[11][1], meta[FIRST][1] = meta[FIRST][1], meta[11][1]
    swapped = written(12, lies.end)
    refused(whole[: -len(end)] + swapped + len(swapped).to_bytes(4, "little") + b"PAR1")


def test_deeply_nested_structures_are_refused():
    for opening in (b"\x1c", b"\x19\x19"):  # of structures, of lists
        end = b"\x2c" + opening * 100_000
        refused(b"PAR1" + end + len(end).to_bytes(4, "little") + b"PAR1")


def test_one_long_text_for_many_rows_is_refused_early(tmp_path):
    rows, path = 100_000, tmp_path / "run.parquet"
    docs = pl.repeat("x" * 100_000, rows, eager=True)
    topics = pl.int_range(rows, eager=True).cast(pl.String)
    pl.DataFrame({"topic": topics, "doc": docs, "score": pl.repeat(1.0, rows, eager=True)}).write_parquet(path)
    assert path.stat().st_size < 2_000_000
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (8_000_000_000, {resource.RLIM_INFINITY}))
from metameter.cli import main
main()
"""
    command = [sys.executable, "-c", code, "score", "qrels", "run.parquet", "-m", "AP"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("run.parquet: the Parquet file unpacks to 10 GB (allowed: at most 4 GB).")


def test_labels_look_up_columns_without_polars(tmp_path, monkeypatch):
    file = io.BytesIO()
    pl.DataFrame({"grades": [[1, 0]], "satisfaction": [1.0]}).write_parquet(file)
    lies = Lies(file.getvalue())
    lies.end[SCHEMA][1][2] = 2**31 - 1
    (tmp_path / "run").write_bytes(lies.file())
    monkeypatch.setattr(pl, "read_parquet_schema", None)  # it would end the process
    with pytest.raises(MetameterError, match="the Parquet file is damaged or cut short"):
        read_labels(tmp_path / "run")
