"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import polars as pl
import pytest

from metameter.errors import MetameterError
from metameter.view.atomic_files import all_or_nothing, write_whole
from metameter.view.result import Result


@pytest.mark.parametrize("kind", [KeyboardInterrupt, OSError])
def test_the_old_file_survives_an_interrupted_write(tmp_path, monkeypatch, kind):
    path = write_whole(tmp_path / "a.txt", "old")

    def stop(_):
        raise kind(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(MetameterError if kind is OSError else KeyboardInterrupt):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_and_line_ends_are_kept(tmp_path):
    assert write_whole(tmp_path / "a", b"\x00\r\n").read_bytes() == b"\x00\r\n"
    assert write_whole(tmp_path / "b", "é\n").read_bytes() == b"\xc3\xa9\n"


def test_the_umask_sets_the_permissions(tmp_path):
    before = os.umask(0o022)
    try:
        mode = write_whole(tmp_path / "a", "x").stat().st_mode
    finally:
        os.umask(before)
    assert stat.S_IMODE(mode) == 0o644


def test_links_are_written_through(tmp_path):
    target = write_whole(tmp_path / "target", "old")
    (tmp_path / "link").symlink_to(target)
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_text() == "new"


def test_devices_can_be_written(capfd):
    write_whole("/dev/null", "gone")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("path", ["file/below.txt", "folder"])
def test_a_failed_write_gives_a_one_line_error(tmp_path, path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    with pytest.raises(MetameterError, match="cannot write") as caught:
        write_whole(tmp_path / path, "x")
    assert "\n" not in str(caught.value)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(MetameterError, match="Permission"):
        write_whole(tmp_path / "a", "x")


def test_a_result_writes_its_tables_as_csv_and_latex(tmp_path):
    Result({"power": pl.DataFrame({"metric": ["a_b"], "power": [1 / 3]})}).write(tmp_path / "out")
    assert (tmp_path / "out" / "power.csv").read_text() == f"metric,power\na_b,{1 / 3!r}\n"
    assert r"a\_b & 0.3333" in (tmp_path / "out" / "power.tex").read_text()


def test_several_files_are_written_together_or_not_at_all(tmp_path):
    write_whole(tmp_path / "a", "old")
    (tmp_path / "folder").mkdir()

    def write_both():
        with all_or_nothing():
            write_whole(tmp_path / "a", "new")
            write_whole(tmp_path / "folder", "not a file")

    with pytest.raises(MetameterError, match="cannot write"):
        write_both()
    assert (tmp_path / "a").read_text() == "old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "folder"]
