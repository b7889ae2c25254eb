"""Every format of judgments and runs: the same data give the same scores, and what is wrong is said in one line."""

from __future__ import annotations

import gzip
import io
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter as mm
from metameter.cli.program import run as program
from metameter.errors import MetameterError
from metameter.read.document_tables import read_costs
from metameter.read.formats import format_of
from metameter.read.formats import json_text as json_format
from metameter.read.scores import read_table

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 3}}
RUN = {"1": {"a": 3.0, "x": 2.5, "c": 1.0}, "2": {"d": 0.5, "a": 0.25}}
METRICS = ["AP", "nDCG@3", "RBP(p=0.8)"]


def rows(lists):
    return [(topic, doc, number) for topic, docs in lists.items() for doc, number in docs.items()]


def separated(names, between):
    def written(lists, value):
        cells = [dict(zip(names, ("topic", "doc", value), strict=True)).keys(), *rows(lists)]
        header = between.join(value if name == "VALUE" else name for name in names)
        return "\n".join([header, *(between.join(map(str, row)) for row in cells[1:])]).encode()

    return written


def parquet(lists, value):
    file = io.BytesIO()
    pl.DataFrame(rows(lists), schema=["topic", "doc", value], orient="row").write_parquet(file)
    return file.getvalue()


def json_rows(lists, value):
    return [{"query": topic, "document": doc, value: number} for topic, doc, number in rows(lists)]


FORMATS = {
    "trec": lambda lists, value: "".join(
        f"{t} 0 {d} {n!r}\n" if value == "grade" else f"{t} Q0 {d} 1 {n!r} t\n" for t, d, n in rows(lists)
    ).encode(),
    "csv": separated(("qid", "docid", "VALUE"), ","),
    "tsv": separated(("query_id", "document", "VALUE"), "\t"),
    "semicolons": separated(("topic", "docno", "VALUE"), ";"),
    "parquet": parquet,
    "json lines": lambda lists, value: "\n".join(map(json.dumps, json_rows(lists, value))).encode(),
    "json array": lambda lists, value: json.dumps(json_rows(lists, value), indent=1).encode(),
    "json object": lambda lists, value: json.dumps(lists).encode(),
    "json objects": lambda lists, value: "\n".join(json.dumps({t: d}) for t, d in lists.items()).encode(),
    "mteb": lambda lists, value: json.dumps(
        lists if value == "grade" else {"mteb_model_meta": {"model_name": "m"}, "default": {"test": lists}}
    ).encode(),
}


def placed(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def scored(qrels, run, **options):
    return mm.score(qrels, {"s": run}, METRICS, max_grade=3, jobs=1, **options).values.tolist()


names = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=4)
lists = st.dictionaries(
    names, st.dictionaries(names, st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=4
)


@settings(deadline=None, max_examples=25)  # the first call pays for imports
@given(lists, st.floats(-1e9, 1e9), st.data())
def test_every_format_gives_the_same_scores_bit_for_bit(tmp_path_factory, judged, shift, data):
    found = {topic: {doc: data.draw(st.floats(-9, 9)) + shift for doc in docs} for topic, docs in judged.items()}
    folder = tmp_path_factory.mktemp("formats")
    expected = scored(judged, found)
    for name, written in FORMATS.items():
        qrels = placed(folder, f"{name} qrels", written(judged, "grade"))
        run = placed(folder, f"{name} run", gzip.compress(written(found, "score")))
        assert scored(qrels, run) == expected, name


@settings(deadline=None, max_examples=25)
@given(lists)
def test_the_fast_json_lines_reader_agrees_with_the_general_one(judged):
    data = FORMATS["json lines"](judged, "grade")
    fast = json_format.FORMAT.table(data, "q")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_format, "_regular_rows", lambda data: None)
        patient = json_format.FORMAT.table(data, "q")
    assert fast.cells.rows() == patient.cells.rows()
    assert list(fast.numbered) == list(patient.numbered)


@pytest.mark.parametrize(
    "line",
    [
        '{"qid": "2", "docid": "d", "grade": 1, "docid": "e"}',
        '{"qid": "2", "docid": "\\ud800", "grade": 1}',
        '{"qid": 2.0, "docid": "d", "grade": 1}',
        '{"qid": "2", "docid": ["d"], "grade": 1}',
        '{"qid": "2", "docid": "d", "grade": true}',
        '{"qid": "2", "docid": "d", "grade": NaN}',
        '{"qid": "2", "docid": "d"}',
        '{"qid": "2", "docid": "d", "grade": 1, "more": {"x": [1]}}',
        ' {"qid": "2", "docid": "d", "grade": "1"} ',
        "",
    ],
)
def test_odd_rows_are_read_by_the_general_reader(line):
    data = f'{{"qid": "1", "docid": "d", "grade": 0}}\n{line}\n{{"qid": "3", "docid": "d", "grade": 0}}'.encode()

    def read():
        try:
            return mm.read_qrels(json_format.FORMAT.table(data, "q").cells).table.rows()
        except MetameterError as problem:
            return str(problem)

    first = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_format, "_regular_rows", lambda data: None)
        assert read() == first


@pytest.mark.parametrize("word", ["grade", "relevance", "label", "rel", "rating", "gain", "judgment"])
def test_grades_can_have_several_column_names(tmp_path, word):
    cells = pl.DataFrame(rows(QRELS), schema=["query", "document", word], orient="row")
    cells.write_csv(tmp_path / "qrels.csv", separator=";")
    (tmp_path / "qrels.jsonl").write_text("\n".join(map(json.dumps, cells.to_dicts())))
    for qrels in (cells, tmp_path / "qrels.csv", tmp_path / "qrels.jsonl"):
        assert scored(qrels, RUN) == scored(QRELS, RUN)
        assert mm.check(qrels, RUN).problems.height == 0


ORDERED = {"1": ["a", "x", "c"], "2": ["d", "a"]}
RANKS = [{"qid": t, "docid": d, "rank": rank} for t, docs in ORDERED.items() for rank, d in enumerate(docs)]


@pytest.mark.parametrize("ties", ["docid-desc", "rank", "input", "mean"])
def test_runs_can_be_ordered_lists_or_ranks(tmp_path, ties):
    frame = pl.DataFrame(RANKS)
    frame.write_csv(tmp_path / "ranks.csv")
    frame.write_parquet(tmp_path / "ranks.parquet")
    placed(tmp_path, "lists.json", json.dumps(ORDERED))
    placed(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, RANKS)))
    expected = scored(QRELS, RUN)
    for run in (ORDERED, {t: tuple(d) for t, d in ORDERED.items()}, RANKS, frame, *tmp_path.iterdir()):
        assert scored(QRELS, run, ties=ties) == expected
    assert mm.score(QRELS, ORDERED, "AP").systems == ("run",)
    assert mm.score(QRELS, {"x": ORDERED, "y": {"1": ["a"]}}, "AP").systems == ("x", "y")
    assert mm.check(QRELS, [tmp_path / "lists.json", tmp_path / "ranks.csv"]).problems.height == 0


MALFORMED = {
    '{"1": {"a": 1}, "2": {"b": x}}': r"run:1: this is not JSON",
    '{"1": {"a": 1},\n "2": {"b": "x"}}': r"run:2: the score is missing or not a finite number \(given 'x'\)",
    '{"1": {"a": 1},\n "2": {"b":\n NaN}}': r"run:2: the score is missing or not a finite number",
    '{"1": {"a": 1, "b": {"c": 1}}}': r"run:1: topic '1' has a document without a name, or with several numbers",
    '{"1": {"a": 1},\n "2": ["b"]}': r"run:2: some documents have numbers, others have not \(given '\"2\"'",
    '{"1": ["a", "b",\n null]}': r"run:2: topic '1' has a document without a name",
    '{"1": ["a", "b",\n "a"]}': r"run:2: document 'a' of topic '1' is listed twice, first at .*run:1",
    '{"1": {"a": 1,\n "a": 2}}': r"run:2: document 'a' of topic '1' is listed twice, first at .*run:1",
    '{"1": {"a": 1}}\n{"1": {"a": 2}}': r"run:2: document 'a' of topic '1' is listed twice, first at .*run:1",
    '{"qid": "1", "doc": "a", "score": 1}\n{"qid": "1", "doc": "b"}': r"run:2: the score is missing",
    '{"qid": "1", "doc": "a", "score": 1}\n7': r"run:2: this is not a row \(given '7', allowed: an object a row",
    '{"qid": "1", "doc": "a", "score": 1}\n{"qid": "1", "doc"': r"run:2: this is not JSON",
    '[{"qid": "1", "doc": "a", "score": 1},\n{"qid": "1", "doc": "b", "score": "2020-01-01"}]': r"run:2: the score is",
    '{"qid": "1", "doc": "a", "score": 1, "score": 2}': r"run:1: the row names 'score' twice",
    '{"qid": "1", "docno": ["a"], "score": 1}': r"run: the column doc has the wrong type",
    "{}": r"run: the (table is empty|column topic is missing)",
    "[]": r"run: the (table is empty|column topic is missing)",
    "[[1]]": r"run:1: this is not a row",
    '{"1": {}}': r"run: the table is empty",
    '{"qid": "1", "doc": "\x00", "score": 1}': r"run:1: the text holds a null byte",
    '{"1": {"a": ' + "1" * 5000 + "}}": r"run:1: a number is too long, or brackets are too deep",
    '{"1": ' + "[" * 100_000: r"run:1: (a number is too long, or brackets are too deep|this is not JSON)",
    "qid;doc;score\n1;a;0,5\n": r"run:2: the score is .* the comma is a decimal comma, write a point \(given '0,5'\)",
    "qid;doc;rank\n1;a;1\n1;b;x\n": r"run:3: the rank is missing or not a finite number \(given 'x'\)",
    '{"mteb_model_meta": {}, "a": {"test": {"1": {"x": 1}}}, "b": {"test": {"1": {"x": 1}}}}': r"'1' is in several",
    '{"mteb_model_meta": {}, "a": [1]}': r"these predictions are not \{subset",
    '{"mteb_model_meta": {}, "a": {"test": [0.5, 1]}}': r"this is not \{topic: \{doc: number\}\}",
}


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_wrong_files_give_a_one_line_error_with_place(tmp_path, text):
    path = placed(tmp_path, "run", text.encode())
    with pytest.raises(MetameterError, match=MALFORMED[text]) as refused:
        mm.read_run(path)
    assert len(str(refused.value).splitlines()) == 1
    assert mm.check({"1": {"a": 1}}, path).problems["what"][0].partition(" (")[0] == refused.value.what


@pytest.mark.parametrize("name", FORMATS)
def test_swapped_judgments_and_runs_are_refused(tmp_path, name, capsys):
    qrels = placed(tmp_path, "qrels", FORMATS[name](QRELS, "grade"))
    run = placed(tmp_path, "run", FORMATS[name](RUN, "score"))
    assert program(["score", str(qrels), str(run), "-m", "AP"]) == 0
    assert program(["score", str(run), str(qrels), "-m", "AP"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    with pytest.raises(MetameterError):
        mm.read_qrels(run)
    if name not in ("json object", "json objects", "mteb"):  # whose numbers have no name
        with pytest.raises(MetameterError):
            mm.read_run(qrels)


@pytest.mark.parametrize("given", [ORDERED, json.dumps(ORDERED)])
def test_lists_are_refused_as_judgments(tmp_path, given):
    source = given if isinstance(given, dict) else placed(tmp_path, "lists.json", given)
    with pytest.raises(MetameterError):
        mm.read_qrels(source)


def test_names_can_hold_any_bytes(tmp_path):
    odd = {'q"1': {"a,b": 1.5, "ü\u2028": 1.25, "d\t\\": 1.0, "\ud83d": 0.5}, "\U0001f600": {"{": 1.0}}
    path = placed(tmp_path, "odd.json", json.dumps(odd))
    read = mm.read_run(path).table
    assert read["topic"].unique().sort().to_list() == ['q"1', "\U0001f600"]
    assert read["doc"].to_list() == ["a,b", "ü\u2028", "d\t\\", "\\ud83d", "{"]
    assert placed(tmp_path, "plain.json", json.dumps(odd, ensure_ascii=False).encode("utf-8", "surrogatepass")).exists()


def test_a_file_above_the_unpack_limit_is_refused(tmp_path):
    path = placed(tmp_path, "run.json.gz", gzip.compress(json.dumps({"1": {"a" * 5000: 1}}).encode()))
    with mm.unpacking(1000), pytest.raises(MetameterError, match="unpacks to too much"):
        mm.read_run(path)


def predictions(model, **tasks):
    return json.dumps({"mteb_model_meta": {"model_name": model, "revision": "r"}, "default": {"test": tasks}})


def test_a_folder_of_predictions_gives_one_run_per_model(tmp_path):
    for model in ("org/a", "org/b"):
        folder = tmp_path / model
        folder.mkdir(parents=True)
        placed(folder, "NFCorpus_predictions.json", predictions(model, **{"1": RUN["1"]}))
        placed(folder, "SciFact_predictions.json.gz", gzip.compress(predictions(model, **{"2": RUN["2"]}).encode()))
    scores = mm.score(QRELS, [tmp_path / "org" / "a", tmp_path / "org" / "b"], METRICS, max_grade=3)
    assert scores.systems == ("org/a", "org/b")
    assert scores.values[:, :1].tolist() == scored(QRELS, RUN)
    assert mm.check(QRELS, tmp_path / "org" / "a").problems.height == 0
    one = json.loads((tmp_path / "org" / "a" / "NFCorpus_predictions.json").read_text())
    assert mm.score(QRELS, one, "AP").systems == ("org/a",)
    glob = mm.score(QRELS, str(tmp_path / "org" / "*" / "NFCorpus*"), "AP")
    assert glob.systems == ("org/a", "org/b")
    placed(tmp_path / "org" / "a", "Other_predictions.json", predictions("org/a", **{"1": RUN["1"]}))
    with pytest.raises(
        MetameterError, match=r"topic '1' is in .*NFCorpus_predictions.json, too\. Name the file of one"
    ):
        mm.score(QRELS, tmp_path / "org" / "a", "AP")


TREC_EVAL = (
    "runid                 \tall\tokapi\nmap\t1\t0.5\nnDCG  \t1\t0.25\nmap\t2\t1.0\nnDCG\t2\t.5\nmap\tall\t0.75\n"
)


def test_output_of_trec_eval_is_a_table_of_scores(tmp_path, capsys):
    placed(tmp_path, "bm25.txt", TREC_EVAL)
    placed(tmp_path, "ql.eval", TREC_EVAL.replace("0.5", "0.25"))
    with pytest.warns(match="rows of the pseudo-topic 'all'"):
        scores = mm.read_scores([tmp_path / "bm25.txt", tmp_path / "ql.eval"])
    assert (scores.metrics, scores.systems, scores.topics) == (("map", "nDCG"), ("bm25", "ql.eval"), ("1", "2"))
    assert scores.values.tolist() == [[[0.5, 1.0], [0.25, 1.0]], [[0.25, 0.5], [0.25, 0.5]]]
    assert program(["compare", str(tmp_path / "bm25.txt"), str(tmp_path / "ql.eval")]) == 0
    assert program(["study", str(tmp_path / "bm25.txt"), "--out", str(tmp_path / "study")]) in (0, 2)
    assert "QRELS" not in capsys.readouterr().err
    placed(tmp_path, "bad.txt", TREC_EVAL + "map 3\n")
    with pytest.raises(MetameterError, match=r"bad.txt:7: the line has 2 columns .* allowed: 3 columns: metric topic"):
        read_table(tmp_path / "bad.txt")
    placed(tmp_path, "large.txt", TREC_EVAL + "map 3 1e101\n")
    with pytest.raises(MetameterError, match=r"large.txt:7: score is too large"):
        mm.read_scores(tmp_path / "large.txt")


def test_json_lines_can_hold_every_kind_of_input(tmp_path):
    costs = placed(tmp_path, "costs.jsonl", '{"qid": "1", "doc": "a", "cost": 2}\n{"qid": 1, "doc": "x", "cost": 3}')
    table = placed(tmp_path, "costs.csv", "topic,doc,cost\n1,a,2\n1,x,3\n")
    plain = placed(tmp_path, "costs", "1 a 2\n1 x 3\n")
    read = [read_costs(path).table.rows() for path in (costs, table, plain)]
    assert read == [[("1", "a", 2.0), ("1", "x", 3.0)]] * 3
    truth = placed(tmp_path, "truth.jsonl", '{"topic": 1, "subtopic": 2, "doc": "a", "rating": 1}')
    assert mm.read_truth(truth).table.rows() == [("1", "2", "a", "1", 1.0)]


def test_a_format_is_recognised_by_its_first_bytes():
    beginnings = {b"PAR1": "Parquet", b" PAR1 0 d 1": "Trec", b"{1} 0 d1 1": "Trec", b"[x] Q0 d 1 1 t": "Trec"}
    beginnings |= {b'\xef\xbb\xbf\n{ "1" : 2}': "Json", b"qid;docno": "Delimited", b"qid docno grade": "Trec"}
    assert {data: type(format_of(data)).__name__ for data in beginnings} == beginnings
