"""A run that names several systems is refused, never merged; one system that it names is its tag."""

import pandas as pd
import polars as pl
import pytest

import metameter as mm

JUDGED = {"1": {"a": 1, "b": 0}}
TWO = pd.DataFrame({"qid": [1, 1, 1], "docno": ["a", "b", "a"], "score": [2.5, 1.5, 0.5], "Name": ["x", "x", "y"]})


def written(folder, frame, suffix):
    path = folder / f"r.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(frame.to_dict("list")).write_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("names", [{}, {"qid": "topic", "docno": "doc"}])
@pytest.mark.parametrize("how", [{}, {"on_duplicate": "first"}, {"name_by": "tag"}])
def test_a_file_of_several_systems_names_the_column(tmp_path, suffix, names, how):
    path = written(tmp_path, TWO.rename(columns=names), suffix)
    with pytest.raises(mm.MetameterError, match=r"2 systems are in the column Name \(given 'x, y'") as refused:
        mm.score(JUDGED, path, "AP", **how)
    assert "on_duplicate" not in str(refused.value)


@pytest.mark.parametrize("on_duplicate", ["error", "first"])
def test_a_dictionary_value_of_several_systems_is_refused(on_duplicate):
    assert mm.score(JUDGED, TWO, "AP").systems == ("x", "y")
    with pytest.raises(mm.MetameterError, match="2 systems are in the column Name"):
        mm.score(JUDGED, {"mine": TWO}, "AP", on_duplicate=on_duplicate)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_one_system_in_the_column_is_the_tag(tmp_path, suffix):
    path = written(tmp_path, TWO[:2], suffix)
    assert mm.score(JUDGED, path, "AP", name_by="tag").systems == ("x",)
    assert mm.score(JUDGED, path, "AP").systems[0].startswith("r")
    assert mm.check(JUDGED, path, name_by="tag").coverage["system"].to_list() == ["x"]
    assert mm.check(JUDGED, path).coverage["system"].to_list() == ["r"]


def test_check_reports_the_systems_and_not_the_documents(tmp_path):
    problems = mm.check(JUDGED, written(tmp_path, TWO, "csv")).problems
    assert [what[:34] for what in problems["what"]] == ["2 systems are in the column Name ("]


def test_without_a_system_column_there_is_no_tag(tmp_path):
    path = written(tmp_path, TWO[:2].drop(columns="Name"), "csv")
    with pytest.raises(mm.MetameterError, match="no column that names its system"):
        mm.score(JUDGED, path, "AP", name_by="tag")
    assert "no column that names" in mm.check(JUDGED, path, name_by="tag").problems["what"][0]
