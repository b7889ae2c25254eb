"""What is found of a Parquet file before it is read is what its writers claim of it, whoever wrote it, and how."""

import io
from itertools import product

import polars as pl
import pytest

from metameter.read.formats.parquet import chosen_columns, footer_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 3000
COLUMNS = {
    "topic": [str(401 + row // 1000) for row in range(ROWS)],
    "doc": [f"FBIS4-{row * 7919 % ROWS}" for row in range(ROWS)],
    "score": [row * 7919 % 1009 / 8 for row in range(ROWS)],
    "rank": list(range(ROWS)),
}
WIDTHS = {"topic": 16, "doc": 16, "score": 8, "rank": 8}
# No header of a page of these columns is longer.
HEADER = 80


def of_polars(**options):
    file = io.BytesIO()
    pl.DataFrame(COLUMNS).write_parquet(file, **options)
    return file.getvalue()


def of_arrow(**options):
    file = io.BytesIO()
    pq.write_table(pa.table(COLUMNS), file, **options)
    return file.getvalue()


def claims(data, name):
    """The bytes that the pages of a column unpack to, their headers included, and how many values they hold."""
    notes = pq.read_metadata(io.BytesIO(data))
    place = list(COLUMNS).index(name)
    chunks = [notes.row_group(group).column(place) for group in range(notes.num_row_groups)]
    return sum(chunk.total_uncompressed_size for chunk in chunks), sum(chunk.num_values for chunk in chunks)


def check(data, page_rows=ROWS):
    for name, width in WIDTHS.items():
        unpacked, values = claims(data, name)
        groups = pq.read_metadata(io.BytesIO(data)).num_row_groups
        pages = 2 * groups + values // page_rows
        found = footer_of(data).size([name])
        assert values == ROWS
        assert unpacked + values * width - HEADER * pages <= found < unpacked + values * width
    assert footer_of(data).size() == sum(footer_of(data).size([name]) for name in WIDTHS)
    assert chosen_columns(data, "run", lambda names: names[1:3]).to_dict(as_series=False) == {
        "doc": COLUMNS["doc"],
        "score": COLUMNS["score"],
    }


COMPRESSIONS = ["zstd", "snappy", "gzip", "brotli", "lz4", "uncompressed"]


@pytest.mark.parametrize(
    ("compression", "statistics", "groups"), list(product(COMPRESSIONS, [True, False, "full"], [None, 700]))
)
def test_sizes_of_polars_files_are_nearly_exact(compression, statistics, groups):
    check(of_polars(compression=compression, statistics=statistics, row_group_size=groups))


@pytest.mark.parametrize("compression", ["zstd", "uncompressed"])
def test_sizes_of_polars_files_with_many_pages_are_nearly_exact(compression):
    check(of_polars(compression=compression, data_page_size=1000), page_rows=50)


@pytest.mark.parametrize(
    ("compression", "statistics", "version"),
    list(product([*COMPRESSIONS[:-1], "none"], [True, False], ["1.0", "2.0"])),
)
def test_sizes_of_arrow_files_are_nearly_exact(compression, statistics, version):
    written = {"compression": compression, "write_statistics": statistics, "data_page_version": version}
    check(of_arrow(**written))
    check(of_arrow(**written, row_group_size=700, use_dictionary=False, write_page_index=True))
    check(of_arrow(**written, data_page_size=1000, write_batch_size=100, write_page_checksum=True), page_rows=50)
