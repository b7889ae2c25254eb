"""What unpacks to more than is allowed is refused by name, before it fills the memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import resource
import subprocess
import sys
from decimal import Decimal

import polars as pl
import pytest
from backports import zstd

import metameter as mm
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.read.files.content import read_bytes
from metameter.read.files.decompress import unpacked
from metameter.read.files.limits import as_size, unpacking
from metameter.read.formats.parquet import chosen_columns, footer_of
from metameter.read.runs import read_run
from metameter.read.scores import read_scores

PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: zstd.compress(content),
}
LINE = b"401 Q0 d1 1 9.5 tag\n"


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("members", [1, 3])
def test_a_file_above_the_unpack_limit_is_refused_by_name(tmp_path, suffix, members):
    path = tmp_path / ("run" + suffix)
    path.write_bytes(PACKERS[suffix](LINE * 5000) * members)
    size = len(LINE) * 5000 * members
    with unpacking(size):
        assert read_bytes(path) == LINE * 5000 * members
    with unpacking(size - 1), pytest.raises(MetameterError, match=rf"run\{suffix}: .*--unpack-limit"):
        read_bytes(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_highly_compressed_files_are_measured_first(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr("metameter.read.files.decompress._LITTLE", 1000)
    content = bytes(2_000_000)
    (tmp_path / "run").write_bytes(PACKERS[suffix](content))
    with unpacking(2_000_000):
        assert read_bytes(tmp_path / "run") == content
    with unpacking(1_999_999), pytest.raises(MetameterError, match="unpacks to too much"):
        read_bytes(tmp_path / "run")


def test_a_wrong_gzip_size_is_refused_as_damage(tmp_path):
    packed = gzip.compress(LINE * 1000)
    for size in (0, 1, 2**32 - 1):
        (tmp_path / "run").write_bytes(packed[:-4] + size.to_bytes(4, "little"))
        for limit in ("4GB", len(LINE) * 1000):  # in one piece, and piece by piece
            with unpacking(limit), pytest.raises(MetameterError, match="damaged"):
                read_bytes(tmp_path / "run")


@pytest.mark.parametrize("suffix", PACKERS)
def test_zeros_between_and_after_archives_are_padding(tmp_path, suffix):
    packed = PACKERS[suffix](LINE)
    (tmp_path / "run").write_bytes(packed + bytes(40_000) + packed + bytes(8))
    with unpacking(10_000_000):
        assert read_bytes(tmp_path / "run") == LINE + LINE


@pytest.mark.parametrize("suffix", [".bz2", ".xz", ".zst"])
def test_trailing_garbage_after_an_archive_is_damage(tmp_path, suffix):
    (tmp_path / "run").write_bytes(PACKERS[suffix](LINE) + b"garbage that is no archive")
    with pytest.raises(MetameterError, match="damaged"):
        read_bytes(tmp_path / "run")


def test_the_memory_of_an_archive_is_limited(tmp_path):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 28}]
    (tmp_path / "run.xz").write_bytes(lzma.compress(LINE, filters=filters))
    assert read_bytes(tmp_path / "run.xz") == LINE
    with unpacking("100MB"), pytest.raises(MetameterError, match=r"run\.xz: .*too much memory.*at most 134 MB"):
        read_bytes(tmp_path / "run.xz")


@pytest.mark.parametrize("given", ["4XB", "", "-1GB", "GB", "1e9", "0", 0, -1, None, True, 1.5, "9" * 400])
def test_a_malformed_size_is_refused(given):
    with pytest.raises(MetameterError, match="unpack_limit is no size"):
        as_size(given)


def repeated(rows: int) -> bytes:
    file = io.BytesIO()
    columns = {"topic": pl.repeat("1", rows, eager=True), "score": pl.repeat(1.0, rows, eager=True)}
    pl.DataFrame(columns).with_columns(doc=pl.int_range(rows).cast(pl.String)).write_parquet(file, compression="zstd")
    return file.getvalue()


def test_parquet_is_measured_before_it_is_read():
    data = repeated(100_000)
    assert footer_of(data).size(["topic"]) >= 16 * 100_000
    assert footer_of(data).size() > footer_of(data).size(["topic", "score"]) > footer_of(data).size(["score"])
    with unpacking("2MB"):
        assert chosen_columns(data, "run", lambda names: ["score"]).height == 100_000
        with pytest.raises(MetameterError, match=r"run\.parquet: the Parquet file unpacks to .* at most 2 MB"):
            chosen_columns(data, "run.parquet")


def test_the_parquet_size_counts_page_headers_too():
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    for version, compression in (("1.0", "snappy"), ("2.0", "gzip")):
        file = io.BytesIO()
        lists = pa.table({"grades": [[1] * 1000] * 300, "satisfaction": [1] * 300})
        pq.write_table(lists, file, data_page_version=version, compression=compression, row_group_size=100)
        assert footer_of(file.getvalue()).size(["grades"]) >= 8 * 300_000
        assert chosen_columns(file.getvalue(), "serps").shape == (300, 2)


def test_damaged_parquet_gives_a_one_line_error():
    base, rng = repeated(200), random.Random(5)
    messages = []
    for _ in range(300):
        data = bytearray(base)
        for _ in range(rng.choice([1, 2, 5])):
            data[rng.randrange(4, len(data))] = rng.choice([0, 127, 128, 255, rng.randrange(256)])
        try:
            chosen_columns(bytes(data), "run.parquet")
        except MetameterError as error:
            messages.append(str(error))
    assert len(messages) > 50
    assert all(message.startswith("run.parquet: ") and "\n" not in message for message in messages)


def test_standard_error_is_not_redirected_while_parquet_is_read(capfd, monkeypatch):
    before, during, scan = os.fstat(2), [], pl.scan_parquet

    def watched(*given, **options):
        during.append(os.fstat(2))
        return scan(*given, **options)

    monkeypatch.setattr(pl, "scan_parquet", watched)
    chosen_columns(repeated(3), "run")
    assert during
    assert {(each.st_dev, each.st_ino) for each in during} == {(before.st_dev, before.st_ino)}


def test_highly_compressed_scores_are_refused_before_reading(tmp_path):
    path = tmp_path / "scores.parquet"
    cells = {"metric": "AP", "system": "a", "topic": "1", "score": 0.5}
    columns = [pl.repeat(cell, 1_000_000, eager=True).alias(name) for name, cell in cells.items()]
    pl.DataFrame(columns).write_parquet(path)
    assert path.stat().st_size < 20_000
    with (
        unpacking("200MB"),  # it unpacks to a quarter of that; what is made of it takes more
        pytest.raises(MetameterError, match=r"scores\.parquet: reading the Parquet file, of .* takes about 320 MB"),
    ):
        read_scores(path)


def test_scores_that_cross_to_too_many_cells_are_refused(tmp_path):
    rows = "".join(f"m{number},s{number},t{number},0.5\n" for number in range(900))
    path = tmp_path / "scores.csv"
    path.write_text("metric,system,topic,score\n" + rows)
    with pytest.raises(MetameterError, match=r"900 metrics, 900 systems and 900 topics take 5\.83 GB .*at most 4 GB"):
        read_scores(path)


def test_decimals_of_256_bits_are_refused_by_type():
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"topic": ["1"], "doc": ["a"], "score": pa.array([Decimal("1.5")], type=pa.decimal256(76, 1))})
    file = io.BytesIO()
    pq.write_table(table, file)
    line = "the column score holds decimals of 76 digits (allowed: at most 38 digits). Write the column as float64."
    with pytest.raises(MetameterError) as caught:
        chosen_columns(file.getvalue(), "run.parquet")
    assert str(caught.value) == f"run.parquet: {line}"
    assert chosen_columns(file.getvalue(), "run.parquet", lambda names: ["topic"]).rows() == [("1",)]
    assert read_run(table).table.rows() == [("1", "a", 1.5)]


def test_parquet_beyond_memory_gives_a_one_line_error(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    rows = 12_000_000
    columns = {name: pl.repeat("1", rows, eager=True) for name in ("topic", "doc")}
    pl.DataFrame(columns).with_columns(score=pl.lit(1.0)).write_parquet(tmp_path / "run.parquet")
    capped = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({2_400_000_000}, {resource.RLIM_INFINITY}));"
    code = f"{capped} from metameter.cli import main; main()"
    command = [sys.executable, "-c", code, "score", "qrels", "run.parquet", "-m", "AP"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("run.parquet: there is not enough memory")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def bombs(tmp_path, monkeypatch):
    """Every kind of file that is read, with more in it than 1 kB."""
    many = range(200)
    texts = {
        "qrels": "".join(f"1 0 d{i} 1\n" for i in many),
        "run": "".join(f"1 Q0 d{i} {i} {200 - i} t\n" for i in many),
        "scores": "metric,system,topic,score\n" + "".join(f"AP,s{i},1,0.5\n" for i in many),
        "serps": "grades,satisfaction\n" + "".join("1 0 1,2\n" for _ in many),
        "pairs": "grades_a,grades_b,preference\n" + "".join("1 0 1,0 1 0,1\n" for _ in many),
        "truth": "topic,subtopic,doc,rating\n" + "".join(f"1,a,d{i},1\n" for i in many),
        "log": "system,topic,turn,rank,doc\n" + "".join(f"s,1,1,{i + 1},d{i}\n" for i in many),
        "lengths": "doc,words\n" + "".join(f"d{i},100\n" for i in many),
        "costs": "".join(f"d{i} 2\n" for i in many),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


CALLS = {
    "qrels.gz": ["score", "qrels.gz", "run", "-m", "AP"],
    "run.gz": ["score", "qrels", "run.gz", "-m", "AP"],
    "costs.gz": ["score", "qrels", "run", "-m", "TBG(h=2)*ETG", "--costs", "costs.gz"],
    "scores.gz": ["similarity", "scores.gz"],
    "serps.gz": ["satisfaction", "serps.gz", "-m", "AP"],
    "pairs.gz": ["preference", "pairs.gz", "-m", "AP"],
    "truth.gz": ["session", "truth.gz", "log"],
    "log.gz": ["session", "truth", "log.gz"],
    "lengths.gz": ["session", "truth", "log", "--lengths", "lengths.gz"],
}


@pytest.mark.parametrize("file", CALLS)
def test_every_command_applies_the_limit_to_every_file(bombs, file, capsys):
    assert run([*CALLS[file], "--unpack-limit", "1kB"]) == 2
    assert capsys.readouterr().err.startswith(f"{file}: the file unpacks to too much (allowed: at most 1 kB)")


def test_every_run_is_read_with_the_limit(bombs):
    for call in (mm.check, mm.score):
        options = {} if call is mm.check else {"metrics": ["AP"]}
        with mm.unpacking("1kB"):
            runs = ["run.gz", "costs.gz"]
            if call is mm.check:
                found = call("qrels", runs, jobs=2).tables["problems"]["what"].to_list()
                assert sum("unpacks to too much" in what for what in found) == 2
                continue
            with pytest.raises(MetameterError, match="unpacks to too much"):
                call("qrels", runs, jobs=2, **options)


def test_a_malformed_limit_gives_a_one_line_error(bombs, capsys):
    assert run(["score", "qrels", "run", "-m", "AP", "--unpack-limit", "many"]) == 2
    assert capsys.readouterr().err.startswith("unpack_limit is no size (given 'many'")


@pytest.mark.parametrize("suffix", PACKERS)
def test_refused_pages_leave_no_temporary_files(tmp_path, monkeypatch, suffix):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    text = b"grades,satisfaction\n" + b"1 0,1\n0 1,2\n" * 1000
    path = tmp_path / f"pages{suffix}"
    path.write_bytes(PACKERS[suffix](text))
    with unpacking(len(text)):
        assert mm.read_serps(path).size == 2000
    with unpacking(len(text) - 1), pytest.raises(MetameterError, match=r"pages\S+: the file unpacks to too much"):
        mm.read_serps(path)
    assert not list((tmp_path / "temporary").iterdir())


def test_parquet_pages_above_the_limit_are_refused(tmp_path):
    path = tmp_path / "pages.parquet"
    rows = pl.DataFrame({"grades": [[1, 0]], "satisfaction": [1]})
    rows.select(pl.all().repeat_by(100_000).explode()).write_parquet(path)
    assert path.stat().st_size < 20_000
    with (
        unpacking("2MB"),
        pytest.raises(MetameterError, match=r"^\S+: the Parquet file unpacks to 4\.03 MB \(allowed: at"),
    ):
        mm.read_serps(path)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_an_archive_can_have_very_many_members(pack):
    assert unpacked(pack(b"") * 50_000 + pack(b"401 Q0 d1"), "run", 1 << 30) == b"401 Q0 d1"
