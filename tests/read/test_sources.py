"""Files, folders and globs: which runs they stand for."""

from __future__ import annotations

import os
import threading

import pytest

from metameter.errors import MetameterError
from metameter.read.runs import as_runs

LINE = "1 Q0 d 1 1 tag\n"


@pytest.fixture
def folder(tmp_path):
    for name in ("run10.gz", "run9", "run1.txt", ".hidden", "B.zst", "a"):
        (tmp_path / name).write_text(LINE)
    (tmp_path / "deeper").mkdir()
    return tmp_path


def names(*arguments):
    return [run.name for run in as_runs(arguments)]


def test_a_folder_lists_its_visible_files_in_natural_order(folder):
    assert names(folder) == ["B", "a", "run1", "run9", "run10"]


def test_a_glob_lists_matching_files_in_natural_order(folder):
    assert names(f"{folder}/run*") == ["run1", "run9", "run10"]
    assert names(f"{folder}/run1*") == ["run1", "run10"]


def test_arguments_keep_their_order(folder):
    assert names(folder / "run9", folder / "a", "-") == ["run9", "a", "stdin"]


def test_a_file_name_can_look_like_a_glob(tmp_path):
    (tmp_path / "run[1]").write_text(LINE)
    assert names(tmp_path / "run[1]") == ["run[1]"]


@pytest.mark.parametrize("argument", ["none", "none*", "deeper"])
def test_an_argument_without_files_is_refused(folder, argument):
    with pytest.raises(MetameterError, match=argument.rstrip("*")):
        names(folder / argument)


def test_no_argument_is_refused():
    with pytest.raises(MetameterError, match="no run is given"):
        names()


def test_two_runs_of_one_name_are_refused(folder):
    (folder / "deeper" / "a.gz").write_text(LINE)
    with pytest.raises(MetameterError, match=r"'a': .*/a and .*/deeper/a.gz\. Rename"):
        names(folder / "a", folder / "deeper")
    with pytest.raises(MetameterError, match="given twice"):
        names(folder, folder / "a")


def test_sources_are_read_on_request(folder):
    first = as_runs([folder / "a"])[0].read()
    assert (first.name, first.table.rows()) == ("a", [("1", "d", 1.0)])
    assert as_runs([folder / "a"], name_by="tag")[0].read().name == "tag"
    assert "rank" in as_runs([folder / "a"], need_rank=True)[0].read().table.columns


def test_only_pipes_that_are_named_are_read(folder):
    os.mkfifo(folder / "pipe")
    every = ["B", "a", "run1", "run9", "run10"]
    notice = r"left out 1 entry \(.*pipe\): pipes, sockets, devices and links to folders are read only where .* named"
    for argument in (folder, f"{folder}/*"):
        with pytest.warns(match=notice):
            assert names(argument) == every
    writer = threading.Thread(target=(folder / "pipe").write_text, args=(LINE,))
    writer.start()
    assert [run.read().table.rows() for run in as_runs(folder / "pipe")] == [[("1", "d", 1.0)]]
    writer.join()


def test_globs_do_not_follow_links_to_folders(folder):
    (folder / "deeper" / "x").write_text(LINE)
    (folder / ".hidden_too").mkdir()
    (folder / ".hidden_too" / "x").write_text(LINE)
    for number in range(3):  # each leads back: 3 ** 40 ways to one file
        (folder / "deeper" / f"back{number}").symlink_to(folder, target_is_directory=True)
    with pytest.warns(match=r"left out 3 entries \(.*deeper/back0, \.\.\.\)"):
        assert names(f"{folder}/**/x") == ["x"]
    with pytest.warns(match="left out 3 entries"):
        assert names(f"{folder}/**/**/run*") == ["run1", "run9", "run10"]


def test_a_recursive_glob_searches_all_folders(folder, monkeypatch):
    (folder / "deeper" / "most").mkdir()
    (folder / "deeper" / "most" / "x").write_text(LINE)
    monkeypatch.chdir(folder)
    assert [run.source for run in as_runs("**/x")] == ["deeper/most/x"]
    assert [run.source for run in as_runs("deeper/**")] == ["deeper/most/x"]
