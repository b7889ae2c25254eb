"""Frames, rows and objects of other tools: accepted by the names that those give their columns, or refused by name."""

from __future__ import annotations

import io
from collections import namedtuple
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import metameter as mm
from metameter.errors import MetameterError
from metameter.read.columns import SPELLINGS, spellings

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 3}}
RUN = {"1": {"a": 3.0, "x": 2.5, "c": 1.0}, "2": {"d": 0.5, "a": 0.25}}
JUDGED = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
RANKED = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
EXPECTED = mm.score(QRELS, RUN, ["nDCG", "AP"], max_grade=3).values.tolist()
NAMES = {
    "ours": ("topic", "doc", "grade", "score"),
    "PyTerrier": ("qid", "docno", "label", "score"),
    "ir_measures": ("query_id", "doc_id", "relevance", "score"),
    "ranx": ("q_id", "doc_id", "rel", "score"),
    "BEIR": ("query-id", "corpus-id", "score", "score"),
    "another case": ("QID", "DocNo", "Label", "SIM"),
}
FRAMES = {
    "pandas": lambda cells: pd.DataFrame(cells),
    "polars": lambda cells: pl.DataFrame(cells),
    "pyarrow": lambda cells: pa.table(cells),
    "rows": lambda cells: [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)],
    "generator": lambda cells: (dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)),
}


def columns(names, rows):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def scored(qrels, runs, **options):
    return mm.score(qrels, runs, ["nDCG", "AP"], max_grade=3, **options)


@pytest.mark.parametrize("tool", NAMES)
@pytest.mark.parametrize("make", FRAMES)
def test_column_names_of_other_tools_are_read(make, tool):
    topic, doc, grade, score = NAMES[tool]
    qrels = FRAMES[make](columns((topic, doc, grade), JUDGED))
    run = FRAMES[make](columns((topic, doc, score), RANKED))
    assert scored(qrels, run).values.tolist() == EXPECTED


@pytest.mark.parametrize("name", SPELLINGS)
def test_each_spelling_names_one_column(name):
    words = spellings(name)
    assert words[0] == name
    assert len(set(words)) == len(words)
    assert all(word == word.casefold() for word in words)
    others = {word for other in SPELLINGS if other != name for word in spellings(other)}
    assert set(words) & others <= {"score"}  # grades of BEIR


def test_extra_columns_of_pyterrier_are_accepted():
    frame = pd.DataFrame(RANKED, columns=["qid", "docno", "score"])
    frame = frame.assign(docid=range(len(frame)), rank=[0, 1, 2, 0, 1], query="what was asked", text="what was found")
    assert scored(QRELS, frame).values.tolist() == EXPECTED
    assert mm.read_run(frame, need_rank=True).table["rank"].to_list() == [0, 1, 2, 0, 1]
    assert scored(QRELS, frame, ties="rank").values.tolist() == EXPECTED


def test_named_tuples_of_other_tools_are_read():
    class TrecQrel(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        iteration: str

    qrels = [ir_measures.Qrel(*each) for each in JUDGED]
    run = [ir_measures.ScoredDoc(*each) for each in RANKED]
    assert scored(qrels, run).values.tolist() == EXPECTED
    assert scored(iter(qrels), {"BM25": iter(run)}).systems == ("BM25",)
    assert scored((TrecQrel(*each, "0") for each in JUDGED), iter(run)).values.tolist() == EXPECTED


def test_an_iterator_of_rows_also_serves_as_the_pool():
    run = (ir_measures.ScoredDoc(*each) for each in RANKED)
    assert mm.score(QRELS, {"s": run}, "AP", pool_depth=2).values.shape == (1, 1, 2)


class OfRanx:
    """What the Qrels and the Run of ranx 0.3 have."""

    def __init__(self, cells, name=None):
        self.cells, self.name = cells, name

    def to_dict(self):
        return self.cells

    def to_typed_list(self):
        raise AssertionError("used internally, says ranx")

    def __getitem__(self, topic):
        return self.cells[topic]

    def __len__(self):
        return len(self.cells)


def test_objects_of_ranx_are_read():
    scores = scored(OfRanx(QRELS), [OfRanx(RUN, "bm25"), OfRanx(RUN, "ql")])
    assert scores.systems == ("bm25", "ql")
    assert scores.values[:, :1].tolist() == EXPECTED
    assert scored(OfRanx(QRELS), {"mine": OfRanx(RUN, "bm25")}).systems == ("mine",)
    assert mm.read_run(OfRanx(RUN, "bm25")).name == "bm25"
    assert mm.read_run(OfRanx(RUN)).name == "run"


@pytest.mark.parametrize("column", ["system", "run", "run_id", "tag", "name"])
def test_frames_of_several_systems_are_read(column):
    frame = pd.DataFrame([*RANKED, *RANKED], columns=["qid", "docno", "score"])
    frame[column] = ["a"] * len(RANKED) + ["b"] * len(RANKED)
    scores = scored(QRELS, frame)
    assert scores.systems == ("a", "b")
    assert scores.values[:, 1:].tolist() == EXPECTED
    assert scored(QRELS, frame.to_dict("records")).systems == ("a", "b")
    with pytest.raises(MetameterError, match=f"runs: row 2: the {column} is missing"):
        scored(QRELS, frame.assign(**{column: ["a", None, *"aaabbbbb"]}))


INTEGERS = {
    "int": lambda: pd.Series([1, 1, 2]),
    "float": lambda: pd.Series([1.0, 1.0, 2.0]),
    "nullable": lambda: pd.Series([1, 1, 2], dtype="Int64"),
    "category": lambda: pd.Series(["1", "1", "2"], dtype="category"),
    "arrow": lambda: pd.Series(["1", "1", "2"], dtype="string[pyarrow]"),
    "objects": lambda: pd.Series([np.int64(1), 1, "2"], dtype=object),
}


@pytest.mark.parametrize("kind", INTEGERS)
def test_identifiers_can_be_numbers(kind):
    frame = pd.DataFrame({"qid": INTEGERS[kind](), "docno": [10, 11, 10], "score": np.float32([2, 1, 1])})
    assert mm.read_run(frame).table.rows() == [("1", "10", 2.0), ("1", "11", 1.0), ("2", "10", 1.0)]


def test_missing_identifiers_are_refused():
    frame = pd.DataFrame({"qid": [1, None, 2], "docno": ["a", "b", "a"], "label": [1, 0, 1]})
    with pytest.raises(MetameterError, match="qrels: row 2: the topic is missing"):
        mm.read_qrels(frame)
    with pytest.raises(MetameterError, match="a topic has no name"):
        mm.read_qrels({None: {"a": 1}})
    with pytest.raises(MetameterError, match="a document has no name"):
        mm.read_qrels({"1": {float("nan"): 1}})
    assert mm.read_qrels({1.0: {np.int64(7): np.int8(1)}}).table.rows() == [("1", "7", 1.0)]


def test_a_named_index_is_a_column():
    frame = pd.DataFrame(RANKED, columns=["qid", "docno", "score"])
    assert scored(QRELS, frame.set_index("qid")).values.tolist() == EXPECTED
    assert scored(QRELS, frame.set_index(["qid", "docno"])).values.tolist() == EXPECTED
    with pytest.raises(
        MetameterError, match=r"the column topic is missing \(given 'docno, score'.* topic \(or query_id"
    ):
        scored(QRELS, frame.set_index("qid").rename_axis(None))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"qid": ["1"], "query_id": ["1"], "doc": ["a"], "grade": [1]}, "two columns may be the topic .*qid, query_id"),
        ({"qid": ["1"], "docno": ["a"], "doc_id": ["a"], "grade": [1]}, "two columns may be the doc .*call it doc"),
        (
            {"q": ["1"], "docno": ["a"], "grade": [1]},
            r"column topic is missing.*'q, docno, grade'.*doc \(or doc_id, docno",
        ),
        (
            {"qid": ["1"], "docno": ["a"], "score": [9.5]},
            "column grade is missing.*scores that are not whole, or have .* make a run",
        ),
        (
            {"qid": ["1"], "docno": ["a"], "score": [9], "rank": [1]},
            "grade is missing.*with a column rank this is a run",
        ),
    ],
)
def test_the_error_names_the_columns_needed(given, message):
    for make in FRAMES.values():
        with pytest.raises(MetameterError, match=message):
            mm.read_qrels(make(given))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"qid": "1", "docno": "a", "label": 1}, {"qid": "1", "docno": "b"}],
            "rows: row 2: .* allowed: qid, docno, label",
        ),
        ([{"qid": "1", "docno": "a", "label": 1}, ("1", "b", 0)], "rows: row 2: this is not a row"),
        ([("1", "a", 1)], r"this cannot be read \(given 'a list of tuple'\).* rows with topic, doc, grade"),
        ([], "an empty list"),
        (iter(()), "an empty tuple_iterator"),
        ([namedtuple("Row", "a b")(1, 2)], "the column topic is missing"),
        ([{"qid": "1", "label": 1}, namedtuple("Row", "qid label")("1", 1)], "row 2: the row has other columns"),
        ([{1: 2, "1": 3}], "the rows name '1' twice"),
    ],
)
def test_wrong_rows_are_refused(rows, message):
    with pytest.raises(MetameterError, match=message):
        mm.read_qrels(rows)


@pytest.mark.parametrize("tool", NAMES)
@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_files_with_a_header_are_read(tmp_path, form, tool):
    topic, doc, grade, score = NAMES[tool]
    for name, cells in (("qrels", columns((topic, doc, grade), JUDGED)), ("run", columns((topic, doc, score), RANKED))):
        table, file = pl.DataFrame(cells).with_columns(text=pl.lit("a, b")), io.BytesIO()
        if form == "parquet":
            table.write_parquet(file)
        else:
            table.write_csv(file, separator="," if form == "csv" else "\t")
        (tmp_path / f"{name}.{form}").write_bytes(file.getvalue())
    qrels, run = tmp_path / f"qrels.{form}", tmp_path / f"run.{form}"
    assert scored(qrels, run).values.tolist() == EXPECTED
    assert mm.check(qrels, run).problems.height == 0


def test_errors_in_a_file_with_a_header_name_the_line(tmp_path):
    (tmp_path / "qrels.csv").write_text("qid,docno,label\n1,a,1\n\n1,b,x\n")
    with pytest.raises(MetameterError, match=r"qrels.csv:4: the grade is missing or not a finite number \(given 'x'"):
        mm.read_qrels(tmp_path / "qrels.csv")
    (tmp_path / "qrels.csv").write_text("qid,docno,label\n1,a,1\n\n1,a,2\n")
    with pytest.raises(MetameterError, match=r"qrels.csv:4"):
        mm.read_qrels(tmp_path / "qrels.csv")
    (tmp_path / "twice.csv").write_text("qid,docno,docno,label\n1,a,b,1\n")
    with pytest.raises(MetameterError, match="names 'docno' twice"):
        mm.read_qrels(tmp_path / "twice.csv")


def test_scores_of_other_tools_are_read():
    long = pd.DataFrame(
        [
            (s, t, m, v + (s == "a") / 8)
            for m in ("map", "P_5")
            for s in "ab"
            for t, v in (("1", 0.5), ("2", 0.25), ("3", 0.1))
        ],
        columns=["name", "qid", "measure", "value"],
    )
    scores = mm.read_scores(long)
    assert (scores.metrics, scores.systems, scores.topics) == (("map", "P_5"), ("a", "b"), ("1", "2", "3"))
    assert mm.read_scores(long.to_dict("records")).values.tolist() == scores.values.tolist()
    matrix = long[long["measure"] == "map"].pivot(index="qid", columns="name", values="value")
    assert mm.read_scores(matrix).systems == ("a", "b")  # rows are topics, whatever the index is called
    wide = long.pivot(index=["name", "qid"], columns="measure", values="value").reset_index()
    assert mm.read_scores(wide).metrics == ("P_5", "map")
    assert mm.similarity(long.to_dict("records")).tables["similarity"].height


def test_scores_of_ir_measures_are_read():
    measures = [ir_measures.AP, ir_measures.nDCG @ 2]
    rows = [{"system": "a", **each._asdict()} for each in ir_measures.iter_calc(measures, QRELS, RUN)]
    read = mm.read_scores(pd.DataFrame(rows).astype({"measure": str}))
    assert read.values[:, 0].tolist() == pytest.approx(mm.score(QRELS, RUN, ["AP", "nDCG@2"], max_grade=3).values[:, 0])


def test_judgments_by_subtopic_of_ir_measures_are_read():
    qrels = [ir_measures.Qrel("1", "a", 1, "x"), ir_measures.Qrel("1", "b", 1, "y"), ir_measures.Qrel("1", "c", 0, "y")]
    run = [ir_measures.ScoredDoc("1", doc, score) for doc, score in (("a", 3), ("c", 2), ("b", 1))]
    expected = [each.value for each in ir_measures.iter_calc([ir_measures.alpha_nDCG @ 3], qrels, run)]
    assert mm.score(qrels, run, "alpha_nDCG@3").values.ravel().tolist() == pytest.approx(expected, abs=1e-6)


def test_every_function_accepts_the_inputs_of_score():
    judged = pd.DataFrame(JUDGED, columns=["qid", "docno", "label"])
    runs = {
        name: [ir_measures.ScoredDoc(t, d, s + shift) for t, d, s in RANKED] for name, shift in (("a", 0), ("b", 1))
    }
    assert mm.check(judged, runs).coverage.height == 2
    assert mm.explain("AP", qrels=judged, run=runs["a"], topic="1")
    assert mm.volatility(judged, runs, "nDCG", depths=[1, 2], max_grade=3)


@pytest.mark.parametrize("score", ["score", "Score", " SCORE "])
@pytest.mark.parametrize("rank", [None, "Rank"])
@pytest.mark.parametrize("door", ["csv", "tsv", "parquet", "pandas", "polars", "pyarrow", "rows"])
def test_a_run_is_refused_as_judgments_in_any_case(door, rank, score, tmp_path):
    cells = {"QID": ["1", "1"], "DocNo": ["a", "b"], score: [2.0, 1.0] if rank else [2.5, 1.5]}
    cells |= {rank: [1, 2]} if rank else {}
    seems = "with a column rank this is a run" if rank else "scores that are not whole"
    with pytest.raises(MetameterError, match=f"the column grade is missing .*{seems}"):
        mm.read_qrels(given_through(door, cells, tmp_path))
    assert mm.read_run(given_through(door, cells, tmp_path)).table["score"].to_list() == cells[score]


def given_through(door, cells, folder):
    if door in FRAMES:
        return FRAMES[door](cells)
    path = folder / f"table.{door}"
    frame = pl.DataFrame(cells)
    frame.write_parquet(path) if door == "parquet" else frame.write_csv(path, separator="," if door == "csv" else "\t")
    return path


@pytest.mark.parametrize("door", ["csv", "parquet", "pandas"])
def test_tables_of_scores_accept_column_names_in_any_case(door, tmp_path):
    cells = {
        "Metric": ["AP", "AP"],
        "System": ["a", "b"],
        "Topic": ["1", "1"],
        "Score": [0.5, 0.25],
        "Iteration": [1, 1],
    }
    scores = mm.read_scores(given_through(door, cells, tmp_path))
    assert (scores.metrics, scores.systems, scores.values.tolist()) == (("AP",), ("a", "b"), [[[0.5], [0.25]]])


@pytest.mark.parametrize("nothing", [float("nan"), None])
@pytest.mark.parametrize("door", ["csv", "parquet", "pandas", "polars", "pyarrow", "rows"])
def test_a_missing_rank_matters_only_with_ties_rank(door, nothing, tmp_path):
    def run():
        cells = {"topic": ["1", "1"], "doc": ["a", "b"], "score": [2.0, 2.0], "rank": [1.0, nothing]}
        return given_through(door, cells, tmp_path)

    plain = mm.score({"1": {"a": 1}}, run(), "AP")
    assert plain.values.tolist() == [[[0.5]]]  # b before a
    with pytest.raises(MetameterError, match="rank is missing or not a finite number"):
        mm.score({"1": {"a": 1}}, run(), "AP", ties="rank")
    with pytest.raises(MetameterError, match="rank is missing or not a finite number"):
        mm.score({"1": {"a": 1}}, mm.read_run(run(), need_rank=True), "AP", ties="rank")


def test_ranks_of_a_frame_are_read_only_on_request():
    frame = pd.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [2.0, 2.0], "rank": [1, 2]})
    with pytest.raises(MetameterError, match="Read it with need_rank=True"):
        mm.score({"1": {"a": 1}}, mm.read_run(frame), "AP", ties="rank")
