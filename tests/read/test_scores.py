"""Tables of scores in their three shapes."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest

from metameter.errors import MetameterError
from metameter.meta.collections import Collections, collections_of
from metameter.notices import MetameterWarning
from metameter.read import scores as scores_module
from metameter.read.scores import read_collections, read_scores
from metameter.studies.score_tables import is_score_table
from metameter.types import Scores

SCORES = Scores(
    ("AP", "P@5"), ("a", "b,c"), ("9", "10"), np.array([[[0.5, 0.7], [0.4, 0.2]], [[0.1, 1.0], [0.0, 0.6]]])
)
WIDE = 'run,topic,AP,P@5\na,9,.5,.1\na,10,.7,1\n"b,c",9,.4,0\n"b,c",10,.2,.6\n'


def same(one, other):
    assert (one.metrics, one.systems, one.topics) == (other.metrics, other.systems, other.topics)
    np.testing.assert_array_equal(one.values, other.values)


def write(folder, content, name="scores.csv"):
    (folder / name).write_text(content)
    return folder / name


def test_long_tables_round_trip(tmp_path):
    for suffix in ("csv", "tsv", "parquet"):
        path = tmp_path / f"scores.{suffix}"
        table = SCORES.table.with_columns(low=pl.lit(0.1), bounds=pl.lit("exact"))
        if suffix == "parquet":
            table.write_parquet(path)
        else:
            table.write_csv(path, separator="\t" if suffix == "tsv" else ",")
        same(read_scores(path), SCORES)


@pytest.mark.parametrize(
    "content",
    [
        WIDE,
        WIDE.replace("run", "system", 1),
        WIDE.replace("\n", "\r\n"),
        "\ufeff" + WIDE,
        WIDE + "\n",
        ',run,topic,,AP,P@5\n0,a,9,x,.5,.1\n1,a,10,x,.7,1\n2,"b,c",9,x,.4,0\n3,"b,c",10,x,.2,.6\n',
    ],
)
def test_wide_tables_are_read(tmp_path, content):
    same(read_scores(write(tmp_path, content)), SCORES)


def test_tables_of_one_collection_are_joined(tmp_path):
    write(tmp_path, "system,topic,AP\na,9,.5\na,10,.7\n", "1.csv")
    write(tmp_path, "metric,system,topic,score\nAP,b,9,.4\nAP,b,10,.2\n", "2.csv")
    scores = read_scores(tmp_path)
    assert (scores.systems, scores["AP"].tolist()) == (("a", "b"), [[0.5, 0.7], [0.4, 0.2]])
    assert list(read_collections(tmp_path, collection_from="file")) == ["1", "2"]


def test_matrices_are_read(tmp_path):
    write(tmp_path, "x,y\n1,2\n3,4\n", "web_ap.csv")
    (tmp_path / "web_rr.csv.gz").write_bytes(gzip.compress(b"x,y\n5,6\n7,8\n"))
    scores = read_scores(tmp_path)
    assert (scores.metrics, scores.systems, scores.topics) == (("web_ap", "web_rr"), ("x", "y"), ("1", "2"))
    assert scores.values.tolist() == [[[1, 3], [2, 4]], [[5, 7], [6, 8]]]
    write(tmp_path, "x,y\n1,2\n", "adhoc.csv")
    assert list(read_collections(tmp_path)) == ["adhoc", "web"]
    assert list(read_collections(tmp_path, collection_from="file")) == ["adhoc", "web_ap", "web_rr"]
    with pytest.raises(MetameterError, match="2 collections: adhoc, web"):
        read_scores(tmp_path)


def test_means_are_left_out_with_a_notice(tmp_path):
    path = write(tmp_path, WIDE + "a,all,.6,.55\n")
    with pytest.warns(MetameterWarning, match="'all'"):
        same(read_scores(path), SCORES)
    with pytest.warns(MetameterWarning), pytest.raises(MetameterError, match="no scores by topic"):
        read_scores(write(tmp_path, "run,topic,AP\na,all,1\n"))


def test_missing_cells_are_refused_or_filled(tmp_path):
    path = write(tmp_path, WIDE.replace(".2,", "NA,").replace("10,.7,", "10,,"))
    scores = read_scores(path)
    assert scores.missing.sum() == 2
    assert read_scores(path, missing="zero")["AP"].tolist() == [[0.5, 0], [0.4, 0]]
    assert read_scores(path, missing="drop-topic").topics == ("9",)
    with pytest.raises(MetameterError, match="unknown value of missing"):
        read_scores(path, missing="mean")
    with pytest.raises(MetameterError, match="every topic"):
        read_scores(write(tmp_path, "run,topic,AP\na,1,1\nb,2,1\n"), missing="drop-topic")


def test_iterations_are_selected(tmp_path):
    path = write(tmp_path, "run,iteration,topic,AP\na,1,1,.1\na,2,1,.2\na,10,1,.3\n")
    assert read_scores(path)["AP"].item() == 0.3
    assert read_scores(path, iteration=2)["AP"].item() == 0.2
    every = read_scores(path, iteration="all")
    assert every.iterations == (1, 2, 10)
    assert every["AP"].tolist() == [[[0.1, 0.2, 0.3]]]
    assert every.at(2).values.item() == 0.2
    assert read_scores(every)["AP"].item() == 0.3
    assert read_scores(every, iteration=1)["AP"].item() == 0.1
    assert read_scores(every, iteration="all") is every
    with pytest.raises(MetameterError, match=r"no such iteration \(given 3, allowed: 1, 2, 10\)"):
        read_scores(path, iteration=3)


def test_missing_cells_of_iterations_are_filled_or_dropped(tmp_path):
    path = write(tmp_path, "run,iteration,topic,AP\na,1,1,.1\na,2,1,.2\na,1,2,.3\n")
    scores = read_scores(path, iteration="all", missing="drop-topic")
    assert (scores.topics, scores.iterations) == (("1",), (1, 2))
    assert read_scores(path, iteration="all", missing="zero")["AP"].tolist() == [[[0.1, 0.2], [0.3, 0.0]]]


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("", r"scores.csv:3: the iteration is empty \(allowed: whole numbers\)\. Write which iteration"),
        ("NA", "scores.csv:3: the iteration is empty"),
        ("1.5", r"scores.csv:3: the iteration is not a whole number \(given 1.5, allowed: whole numbers\)"),
        ("-1", "scores.csv:3: the iteration is not a whole number"),
        ("1e300", "scores.csv:3: the iteration is not a whole number"),
        ("x", "scores.csv:3: iteration is not a number"),
    ],
)
@pytest.mark.parametrize("iteration", ["all", None, 1])
def test_an_unclear_iteration_is_refused(tmp_path, cell, says, iteration):
    long = f"metric,system,topic,iteration,score\nAP,a,1,1,.1\nAP,a,1,{cell},.2\nAP,a,1,{cell},.2\n"
    for text in (f"run,iteration,topic,AP\na,1,1,.1\na,{cell},1,.2\n", long):
        with pytest.raises(MetameterError, match=says):
            read_scores(write(tmp_path, text), iteration=iteration)


def test_the_iteration_of_a_mean_row_is_ignored(tmp_path):
    path = write(tmp_path, "run,iteration,topic,AP\na,1,1,.1\na,,all,.2\n")
    with pytest.warns(MetameterWarning, match="'all'"):
        assert read_scores(path, iteration="all").iterations == (1,)


def test_tables_with_and_without_iterations_are_not_joined(tmp_path):
    write(tmp_path, "run,iteration,topic,AP\na,1,1,.1\na,2,1,.2\n", "1.csv")
    write(tmp_path, "run,topic,RR\na,1,.1\n", "2.csv")
    for iteration in ("all", None):
        with pytest.raises(MetameterError, match=r"2\.csv: the scores have no iterations, those of the other tables"):
            read_scores(tmp_path, iteration=iteration)
    assert read_collections(tmp_path, collection_from="file", iteration="all")["2"].iterations == (1,)


def test_a_duplicate_score_names_its_iteration(tmp_path):
    with pytest.raises(MetameterError, match=r"scores.csv:3: metric 'AP', system 'a', topic '1', iteration 2 has a"):
        read_scores(write(tmp_path, "run,iteration,topic,AP\na,2,1,.1\na,2,1,.2\n"))


SESSIONS = "run,iteration,topic,AP\na,1,1,.1\na,3,1,.3\nb,1,1,.4\n"


def test_collections_by_name_have_iterations_and_gaps(tmp_path):
    path = write(tmp_path, SESSIONS, "web.csv")
    frame = pl.read_csv(path)
    for given, name in (
        (path, "web"),
        ([str(path)], "web"),
        (read_scores(path, iteration="all"), "web"),
        (frame, "scores"),
        (frame.to_pandas(), "scores"),
        ({"mine": path}, "mine"),
        ({"mine": frame}, "mine"),
        ({"mine": read_scores(path, iteration="all")}, "mine"),
    ):
        found = collections_of(given)
        assert list(found) == [name]
        assert found[name].iterations == (1, 3)
        np.testing.assert_array_equal(found[name]["AP"], [[[0.1, 0.3]], [[0.4, np.nan]]])


def test_collections_without_iterations_get_one(tmp_path):
    plain = Scores(("AP",), ("a",), ("1",), np.ones((1, 1, 1)), low=np.zeros((1, 1, 1)), high=np.ones((1, 1, 1)))
    found = collections_of({"x": plain, "y": write(tmp_path, WIDE)})
    assert [(name, each.iterations, each.values.shape) for name, each in found.items()] == [
        ("x", (1,), (1, 1, 1, 1)),
        ("y", (1,), (2, 2, 2, 1)),
    ]
    assert found["x"].low.shape == found["x"].high.shape == (1, 1, 1, 1)
    assert found["x"].at(1).values.tolist() == plain.values.tolist()


def test_a_collection_is_named_by_its_files_common_prefix(tmp_path):
    for name in ("ap", "rr"):
        write(tmp_path, "x,y\n1,2\n", f"web_{name}.csv")
    assert list(collections_of(tmp_path)) == list(collections_of(read_scores(tmp_path))) == ["web"]


def test_invalid_collections_are_refused(tmp_path):
    for given, says in (
        ({}, "there is no collection"),
        ({"web": {"1": {"d": 1}}}, "web: a collection is not scores"),
        ({"web": 7}, "cannot be read as scores"),
        ([SCORES, SCORES], "several collections need names"),
        (7, "cannot be read as scores"),
    ):
        with pytest.raises(MetameterError, match=says):
            collections_of(given)
    (tmp_path / "other").mkdir()
    files = [write(tmp_path, WIDE), write(tmp_path / "other", WIDE)]
    with pytest.raises(MetameterError, match="two collections have the name 'scores'"):
        read_collections(files, collection_from="file")


def test_the_collections_annotation_can_be_compared():
    from collections.abc import Mapping

    assert Collections == Scores | Mapping[str, Scores]
    assert Collections != Scores


def test_data_frames_are_read():
    long = {"metric": ["AP", "AP"], "system": ["a", "b"], "topic": ["1", "1"], "score": [0.5, 0.25]}
    wide = {"system": ["a", "b"], "topic": [1, 1], "AP": [0.5, 0.25]}
    for frame in (pl.DataFrame(long), pd.DataFrame(long), pl.DataFrame(wide), pd.DataFrame(wide)):
        scores = read_scores(frame)
        assert (scores.metrics, scores.systems, scores["AP"].tolist()) == (("AP",), ("a", "b"), [[0.5], [0.25]])
    with pytest.raises(MetameterError, match="data frame"):
        read_scores(7)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (WIDE + "d,9,x,1\n", "scores.csv:6: AP is not a number"),
        (WIDE + "d,9,inf,1\n", "scores.csv:6: AP is not a number"),
        (WIDE + "d,9,1\n", "scores.csv:6: the row has 3 cells"),
        (WIDE + "a,9,1,1\n", "scores.csv:6: metric 'AP', system 'a', topic '9' has a second score"),
        (WIDE + ",9,1,1\n", "scores.csv:6: the run is empty"),
        (WIDE.replace("P@5", "AP"), "names 'AP' twice"),
        ("metric,system,score\nAP,a,1\n", "no column for the topic"),
        ("topic,AP\n1,1\n", "no column for the system"),
        ("run,topic\na,1\n", "no column with scores"),
        ("x,y\n1,z\n", "scores.csv:2: y is not a number"),
        ("x,y\n", "empty"),
        ("", "empty"),
    ],
)
def test_malformed_tables_are_refused(tmp_path, content, what):
    with pytest.raises(MetameterError, match=what):
        read_scores(write(tmp_path, content))


def test_bytes_that_are_no_utf8_are_refused(tmp_path):
    (tmp_path / "scores.csv").write_bytes(b"run,topic,AP\na,1,1\n\xff,1,1\n")
    with pytest.raises(MetameterError, match=r"scores.csv:3: the text is not UTF-8"):
        read_scores(tmp_path)


@pytest.mark.realdata
def test_real_matrices_are_read(data):
    found = read_collections(str(data / "score-matrices" / "*.csv"))
    assert {name: scores.values.shape for name, scores in found.items()} == {
        "adhoc5": (3, 61, 50),
        "adhoc6": (3, 74, 50),
        "web2010": (2, 88, 48),
        "web2011": (2, 62, 50),
    }
    assert len(read_collections(str(data / "score-matrices" / "*.csv"), collection_from="file")) == 10


@pytest.mark.realdata
def test_real_sessions_are_read(data):
    with pytest.warns(MetameterWarning):
        every = read_scores(data / "trec-dd" / "2016" / "trec-all-2016-evals.csv", iteration="all")
    assert every.iterations == tuple(range(1, 11))
    last = every.at(10)
    assert (len(last.systems), len(last.topics)) == (21, 53)
    assert {"act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050", "p", "strec"} <= set(last.metrics)


@pytest.mark.parametrize("text", ["1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n"])
def test_judgments_and_runs_are_refused_as_scores(tmp_path, text):
    (tmp_path / "file").write_text(text)
    with pytest.raises(MetameterError, match=r"file: this is not a table of scores \(given .*metric, system, topic"):
        read_scores(tmp_path / "file")


@pytest.mark.parametrize(
    ("line", "header", "expected"),
    [
        ("{n} 0 d{n} 1\n", "", False),
        ("{n},d{n},1\n", "topic,doc,grade\n", False),
        ("AP,s{n},1,0.5\n", "metric,system,topic,score\n", True),
        ('{{"metric": "AP", "system": "s{n}", "topic": "1", "score": 0.5}}\n', "", True),
    ],
    ids=["qrels", "csv of judgments", "csv of scores", "json of scores"],
)
def test_the_head_of_a_large_file_identifies_scores(line, header, expected, tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text(header + "".join(line.format(n=n) for n in range(300_000)))
    monkeypatch.setattr(scores_module, "read_bytes", lambda source: pytest.fail("the whole file was read"))
    assert is_score_table(str(path), certainly_a_table=False) is expected


def test_large_parquet_tables_are_recognised_as_scores(tmp_path):
    count = 300_000
    systems = [f"system {n * 7919 % count}" for n in range(count)]
    pl.DataFrame({"metric": "AP", "system": systems, "topic": "1", "score": 0.5}).write_parquet(tmp_path / "scores")
    assert is_score_table(str(tmp_path / "scores"), certainly_a_table=False)
