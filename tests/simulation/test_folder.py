"""Simulated collections as files: whole or not at all."""

import gzip

import pytest

from metameter.errors import MetameterError
from metameter.simulation import folder, simulate, write


@pytest.fixture(scope="module")
def small():
    return simulate(topics=2, systems=3, depth=5, documents=40, pool_sample=0.3, sample_below=1)


def test_files_are_in_trec_format(small, tmp_path):
    where = write(small, tmp_path / "new" / "demo")
    lines = (where / "runs" / "S002").read_text().splitlines()
    doc, score = small.runs[1].table.row(0)[1:]
    assert lines[0] == f"1 Q0 {doc} 1 {score:.6f} S002"
    assert [line.split()[3] for line in lines] == ["1", "2", "3", "4", "5"] * 2
    assert {line.split()[3] for line in (where / "qrels.txt").read_text().splitlines()} >= {"-1"}
    assert (where / "truth.csv").read_text().startswith("system,quality,family\nS001,")


def test_compressed_bytes_are_the_same_every_time(small, tmp_path):
    one, two = write(small, tmp_path / "one", compress=True), write(small, tmp_path / "two", compress=True)
    packed = [(where / "runs" / "S001.gz").read_bytes() for where in (one, two)]
    assert packed[0] == packed[1]
    assert gzip.decompress(packed[0]).startswith(b"1 Q0 ")


def test_an_empty_folder_is_accepted_and_a_full_one_refused(small, tmp_path):
    (tmp_path / "demo").mkdir()
    write(small, tmp_path / "demo")
    with pytest.raises(MetameterError, match="not empty"):
        write(small, tmp_path / "demo")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_leaves_no_files(small, tmp_path, monkeypatch, kind):
    def stop(*_):
        raise kind

    monkeypatch.setattr(folder, "_run_lines", stop)
    with pytest.raises(kind):
        write(small, tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_gives_a_one_line_error(small, tmp_path):
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path / "file", tmp_path / "file" / "demo"):
        with pytest.raises(MetameterError, match="cannot write the collection"):
            write(small, target)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
