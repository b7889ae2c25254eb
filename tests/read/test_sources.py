"""Files, folders and globs: which runs they stand for."""

from __future__ import annotations

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


def test_a_folder_stands_for_its_visible_files_in_natural_order(folder):
    assert names(folder) == ["B", "a", "run1.txt", "run9", "run10"]


def test_a_glob(folder):
    assert names(f"{folder}/run*") == ["run1.txt", "run9", "run10"]
    assert names(f"{folder}/run1*") == ["run1.txt", "run10"]


def test_arguments_keep_their_order(folder):
    assert names(folder / "run9", folder / "a", "-") == ["run9", "a", "stdin"]


def test_a_file_whose_name_looks_like_a_glob(tmp_path):
    (tmp_path / "run[1]").write_text(LINE)
    assert names(tmp_path / "run[1]") == ["run[1]"]


@pytest.mark.parametrize("argument", ["none", "none*", "deeper"])
def test_nothing_found(folder, argument):
    with pytest.raises(MetameterError, match=argument.rstrip("*")):
        names(folder / argument)


def test_no_argument():
    with pytest.raises(MetameterError, match="no run is given"):
        names()


def test_two_runs_of_one_name(folder):
    (folder / "deeper" / "a.gz").write_text(LINE)
    with pytest.raises(MetameterError, match=r"'a': .*/a and .*/deeper/a.gz\. Rename"):
        names(folder / "a", folder / "deeper")
    with pytest.raises(MetameterError, match="given twice"):
        names(folder, folder / "a")


def test_reading(folder):
    first = as_runs([folder / "a"])[0].read()
    assert (first.name, first.table.rows()) == ("a", [("1", "d", 1.0)])
    assert as_runs([folder / "a"], name_by="tag")[0].read().name == "tag"
    assert "rank" in as_runs([folder / "a"], need_rank=True)[0].read().table.columns
