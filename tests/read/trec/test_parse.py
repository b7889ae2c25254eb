"""Qrels and runs: every accepted layout gives the same table, every fault names its line."""

from __future__ import annotations

import datetime
import io
import sys
from contextlib import suppress
from decimal import Decimal
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import metameter as mm
from metameter.errors import MetameterError
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.read.sources import system_name
from metameter.read.trec.parse import QRELS, Layout, parse, read_line_by_line

RUN = "401 Q0 d1 1 9.5 tag\n401 Q0 d2 2 9.1 tag\n402 Q0 d1 1 -3 tag\n"
ROWS = [("401", "d1", 9.5), ("401", "d2", 9.1), ("402", "d1", -3.0)]
LAYOUT = Layout(("topic", "Q0", "doc", "rank", "score", "tag"), ("topic", "doc"), ("score",))


def write(folder, content, name="input"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.rstrip("\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  "),
        RUN.replace(" d", "\t d"),
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n", " \r\n"),
        RUN.replace("\n", "\n\n"),
        "\n" + RUN + "\n \n",
        "# a comment\n" + RUN,
        "# 1 2 3 4 5\n" + RUN,
        RUN.replace("402", "  # x\n402"),
        "#\n" + RUN + "# the end",
        "\ufeff" + RUN,
        "\ufeff# first\n" + RUN,
        " " + RUN,
        RUN.replace("9.5", "+9.5"),
        RUN.replace("9.5", "95e-1"),
        RUN.replace(" ", "\v"),
        RUN.replace(" 1 ", " - "),
    ],
)
def test_every_layout_of_a_run_gives_the_same_table(tmp_path, content):
    run = read_run(write(tmp_path, content, "bm25.txt"))
    assert run.table.rows() == ROWS
    assert run.table.schema == {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    assert run.name == "bm25"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (RUN + "402 Q0 d2 2 x tag", 4, "score is not a number"),
        (RUN + "402 Q0 d2 2 nan tag", 4, "score is not a number"),
        (RUN + "402 Q0 d2 2 -inf tag", 4, "score is not a number"),
        (RUN + "402 Q0 d2 2 1e999 tag", 4, "score is not a number"),
        (RUN + "402 Q0 d2 2 1_0 tag", 4, "score is not a number"),
        (RUN + "402 Q0 d2 2 5", 4, "5 columns"),
        ("402 Q0 d2 2 5\n" + RUN, 1, "5 columns"),
        (RUN + "402 Q0 d2 2 5 t x\n402 Q0 d3 2 5\n", 4, "7 columns"),
        (RUN + "402 Q0 d2 2 5\n402 Q0 d3 2 5 t x\n", 4, "5 columns"),
        (RUN.replace(" ", "\t") + "402\t\td2\t2\t5\tt\n", 4, "5 columns"),
        (RUN.replace(" ", "\t") + "402\tQ0\td2\t2\t5\tt u\n", 4, "7 columns"),
        ("# x\n\n" + RUN + "x\n", 6, "1 column"),
        (RUN.encode() + b"402 Q0 \xff 2 5 t\n", 4, "not UTF-8"),
        (RUN.encode() + b"402 Q0 d2 2 5 \xff\n", 4, "not UTF-8"),
        (RUN + "402 Q0 d1 2 5 tag\n", 4, "twice"),
        ("# x\n" + RUN.replace(" ", "  ") + "402 Q0 d1 2 5 tag\n", 5, "twice"),
        ("\x00\x01", 1, "1 column"),
    ],
)
def test_an_error_names_its_line(tmp_path, content, line, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_run(path)
    assert caught.value.where == f"{path}:{line}"


def test_a_duplicate_names_both_lines(tmp_path):
    path = write(tmp_path, "# x\n" + RUN + RUN)
    with pytest.raises(MetameterError, match=rf"'d1' of topic '401' .* first at {path}:2") as caught:
        read_run(path)
    assert caught.value.where == f"{path}:5"


@pytest.mark.parametrize("content", ["", "\n \n", "# only a comment\n", "\ufeff"])
def test_an_empty_file_is_refused(tmp_path, content):
    for read in (read_run, read_qrels):
        with pytest.raises(MetameterError, match="empty"):
            read(write(tmp_path, content))


def test_quotes_and_hashes_in_names_are_plain_text(tmp_path):
    content = '"1 Q0 "d 1 2 t\n"1 Q0 n" 2 1 \'t\n"1 Q0 a#b 3 0 #t\n'
    expected = [('"1', '"d', 2.0), ('"1', 'n"', 1.0), ('"1', "a#b", 0.0)]
    assert read_run(write(tmp_path, content)).table.rows() == expected


def test_the_best_ranked_duplicate_is_kept_on_request(tmp_path):
    content = "1 Q0 a 3 1 t\n1 Q0 b 2 2 t\n1 Q0 a 1 3 t\n"
    run = read_run(write(tmp_path, content), on_duplicate="first", need_rank=True)
    assert run.table.rows() == [("1", "b", 2.0, 2.0), ("1", "a", 3.0, 1.0)]


@pytest.mark.parametrize(("policy", "grade"), [("first", 1.0), ("last", 0.0), ("max", 2.0)])
def test_a_document_judged_twice_is_refused_or_resolved(tmp_path, policy, grade):
    path = write(tmp_path, "1 0 a 1\n1 0 b -1\n1 0 a 2\n1 0 a 0\n")
    table = read_qrels(path, on_duplicate=policy).table
    assert dict(table.select("doc", "grade").rows()) == {"a": grade, "b": -1.0}
    with pytest.raises(MetameterError, match="twice"):
        read_qrels(path)
    with pytest.raises(MetameterError, match="no such way"):
        read_qrels(path, on_duplicate="mean")


def test_grades_can_be_negative_or_fractional(tmp_path):
    qrels = read_qrels(write(tmp_path, "1 0 a -2\n1 0 b 0.5\n10 0 a 3\n9 0 a 0"))
    assert qrels.table["grade"].to_list() == [-2, 0.5, 3, 0]
    assert qrels.topics == ("1", "9", "10")
    assert qrels.max_grade == 3


@pytest.mark.parametrize("grade", ["nan", "inf", "x", "1,5", "0x1"])
def test_a_grade_must_be_a_number(tmp_path, grade):
    with pytest.raises(MetameterError, match="grade is not a number") as caught:
        read_qrels(write(tmp_path, f"1 0 a 1\n1 0 b {grade}\n"))
    assert caught.value.where.endswith(":2")


def test_systems_are_named_by_tag_on_request(tmp_path):
    assert read_run(write(tmp_path, RUN), name_by="tag").name == "tag"
    assert read_run(write(tmp_path, RUN), name_by="tag", name="mine").name == "mine"
    with pytest.raises(MetameterError, match="several tags"):
        read_run(write(tmp_path, RUN + "403 Q0 d 1 1 other\n"), name_by="tag")
    with pytest.raises(MetameterError, match="no such way to name"):
        read_run(write(tmp_path, RUN), name_by="folder")


def test_the_rank_column_is_read_only_on_request(tmp_path):
    path = write(tmp_path, RUN.replace(" 2 ", " second "))
    assert "rank" not in read_run(path).table.columns
    with pytest.raises(MetameterError, match="rank is not a number"):
        read_run(path, need_rank=True)
    assert read_run(write(tmp_path, RUN), need_rank=True).table["rank"].to_list() == [1, 2, 1]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    run = read_run("-")
    assert run.table.rows() == ROWS
    assert run.name == "stdin"


def test_parquet_is_read(tmp_path):
    path = tmp_path / "bm25.parquet"
    pl.DataFrame({"topic": [401], "doc": ["d1"], "score": [1], "rank": [4], "more": [0]}).write_parquet(path)
    assert read_run(path).table.rows() == [("401", "d1", 1.0)]
    assert read_run(path, need_rank=True).table.rows() == [("401", "d1", 1.0, 4.0)]
    assert read_run(path).name == "bm25"
    with pytest.raises(MetameterError, match="column grade is missing"):
        read_qrels(path)
    with pytest.raises(MetameterError, match="no column that names its system"):
        read_run(path, name_by="tag")
    pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"], "grade": [1, 2]}).write_parquet(path)
    assert read_qrels(path, on_duplicate="max").table.rows() == [("1", "a", 2.0)]
    with pytest.raises(MetameterError, match=r"row 2: .* first at .* row 1"):
        read_qrels(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(MetameterError, match="damaged"):
        read_qrels(path)


@pytest.mark.parametrize("bad", [None, float("nan"), float("inf"), "x"])
def test_parquet_with_a_missing_grade_is_refused(tmp_path, bad):
    path = tmp_path / "qrels.parquet"
    grades = pl.Series(["1", bad] if bad == "x" else [1.0, bad])
    pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": grades}).write_parquet(path)
    with pytest.raises(MetameterError, match="row 2"):
        read_qrels(path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("a/b.gz", "b"), ("b.run.zst", "b.run"), ("b.parquet", "b"), ("input.x", "input.x"), (".gz", ".gz")),
        *(
            ("b.csv", "b"),
            ("b.tsv.gz", "b"),
            ("b.txt", "b"),
            ("b.json", "b"),
            ("b.x.jsonl.xz", "b.x"),
            (".txt", ".txt"),
        ),
    ],
)
def test_a_system_is_named_by_its_file(path, name):
    assert system_name(path) == name


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(MetameterError, match="no such file"):
        read_run(tmp_path / "none")
    with pytest.raises(MetameterError, match="a folder"):
        read_run(tmp_path)


# Names of any visible characters; a topic must not start as a comment does, nor the file as a mark of byte order.
names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=14)
topics = names.filter(lambda name: not name.startswith("#"))
scores = st.one_of(st.integers(-5, 5).map(str), st.floats(allow_nan=False, allow_infinity=False).map(repr))
blanks = st.text(" \t", min_size=1, max_size=3)
lines = st.lists(st.tuples(topics, names, scores), min_size=1, max_size=12)


@settings(deadline=None)  # the first call pays for imports
@given(lines, st.data())
def test_regular_and_irregular_layouts_agree(rows, data):
    fields = [(topic, "Q0", doc, "1", score, "t") for topic, doc, score in rows]
    irregular = "".join(
        data.draw(st.sampled_from(["", " ", "# x\n", "\n"]))
        + "".join(field + data.draw(blanks) for field in line)
        + data.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
        for line in fields
    )
    expected = [(topic, doc, float(score)) for topic, doc, score in rows]
    tables = [
        parse("\n".join(map(" ".join, fields)).encode(), LAYOUT, "run"),
        parse("\n".join(map("\t".join, fields)).encode() + b"\n", LAYOUT, "run"),
        parse(irregular.encode(), LAYOUT, "run"),
        read_line_by_line(irregular.encode(), LAYOUT, "run"),
    ]
    assert all(table.rows() == expected for table in tables)


@settings(deadline=None)  # the first call pays for imports
@given(st.binary(max_size=60))
def test_no_bytes_crash_the_reader(data):
    with suppress(MetameterError):
        assert parse(data, LAYOUT, "run").height


@pytest.mark.realdata
def test_fast_and_general_parser_agree_on_real_runs(data):
    from metameter.read.files.content import read_bytes

    for path in sorted((data / "trec8-adhoc" / "runs").glob("*.gz"))[::25]:
        content = read_bytes(path)
        patient = read_line_by_line(content, LAYOUT, str(path))
        assert parse(content, LAYOUT, str(path)).equals(patient)


@pytest.mark.realdata
def test_real_qrels_are_read(data):
    qrels = read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    assert (qrels.table.height, len(qrels.topics), qrels.max_grade) == (86830, 50, 1)


NO_NUMBERS = {
    "date": [datetime.date(2020, 1, 1), None],
    "datetime": [datetime.datetime(2020, 1, 1), None],
    "time": [datetime.time(1), None],
    "duration": [datetime.timedelta(1), None],
    "bytes": [b"1", b"2"],
    "list": [[1], [2]],
    "struct": [{"a": 1}, {"a": 2}],
    "object": pl.Series([object(), "a"], dtype=pl.Object),
}
READ = {
    "qrels": lambda cells: mm.read_qrels(pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "grade": cells})),
    "run": lambda cells: mm.read_run(pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "score": cells})),
    "long": lambda cells: mm.read_scores(
        pl.DataFrame({"metric": ["AP"] * 2, "system": ["a", "b"], "topic": ["1"] * 2, "score": cells})
    ),
    "wide": lambda cells: mm.read_scores(pl.DataFrame({"system": ["a", "b"], "topic": ["1"] * 2, "score": cells})),
    "matrix": lambda cells: mm.read_scores(pl.DataFrame({"bm25": cells, "b": [0.5, 0.25]})),
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize("table", READ)
def test_cells_that_are_no_number_name_the_column(table, kind):
    with pytest.raises(mm.MetameterError, match=r"(grade|score|bm25) (is not a number|has the wrong type)"):
        READ[table](NO_NUMBERS[kind])


@pytest.mark.parametrize("kind", ["date", "duration"])
def test_dates_in_parquet_are_refused(kind, tmp_path):
    pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "a"], "grade": NO_NUMBERS[kind]}).write_parquet(tmp_path / "q")
    with pytest.raises(mm.MetameterError, match="q: the column grade has the wrong type"):
        mm.read_qrels(tmp_path / "q")


@pytest.mark.parametrize("cells", [[Decimal("1.5"), Decimal(2)], ["1.5", "2"], [1.5, 2]])
def test_decimals_and_numeric_text_are_numbers(cells):
    assert READ["run"](cells).table["score"].to_list() == [1.5, 2.0]
    assert READ["long"](cells).values.tolist() == [[[1.5], [2.0]]]


def test_a_matrix_has_no_iterations(tmp_path):
    (tmp_path / "AP.csv").write_text("iteration,a,b\n1,.5,.2\n,.6,.2\n")
    with pytest.raises(mm.MetameterError, match="no column for the system"):
        mm.read_scores(tmp_path / "AP.csv")


def read(how, data):
    try:
        return how(data).rows()
    except mm.MetameterError as error:
        return str(error)


def test_both_readers_treat_marks_and_comments_alike():
    """A byte-order mark may stand at the beginning of a line, and nowhere else: both readers say so."""
    parts = [b"\xef\xbb\xbf", b"# by us\n", b"1 0 a 1\n", b" ", b"\n", b"2\t0 b 2\r\n", b"#"]
    for count in range(1, 5):
        for chosen in product(parts, repeat=count):
            data = b"".join(chosen)
            fast = read(lambda text: parse(text, QRELS, "qrels"), data)
            patient = read(lambda text: read_line_by_line(text, QRELS, "qrels"), data)
            assert fast == patient, data
    assert read(lambda text: parse(text, QRELS, "q"), b"# by us\n\xef\xbb\xbf1 0 a 1\n") == [("1", "a", 1.0)]


def test_topics_of_thousands_of_digits_are_ordered():
    long = "1" + "0" * 5000
    assert mm.read_qrels({long: {"a": 1}, "9": {"a": 1}, "10": {"a": 1}}).topics == ("9", "10", long)


def test_a_column_of_mixed_objects_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"topic": [1, "a"], "doc": ["x", 2], "grade": [1, "much"]})
    with pytest.raises(mm.MetameterError, match="row 2: the grade is missing or not a finite number"):
        mm.read_qrels(frame)


TIMES = {
    "date": datetime.date(2020, 1, 1),
    "datetime": datetime.datetime(2020, 1, 1),
    "time": datetime.time(1),
    "timedelta": datetime.timedelta(1),
    "np.datetime64": np.datetime64("2020-01-01"),
    "np.datetime64 in ns": np.datetime64(5, "ns"),
    "np.timedelta64": np.timedelta64(1, "D"),
    "np.timedelta64 in ns": np.timedelta64(1, "ns"),
    "np.timedelta64 without a unit": np.timedelta64(1),
    "pd.Timestamp": "Timestamp",
    "pd.Timedelta": "Timedelta",
}


def of_objects(pandas, cells):
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return pandas.Series(column)


@pytest.mark.parametrize("door", ["dictionary", "pandas", "polars", "rows"])
@pytest.mark.parametrize("column", ["grade", "score", "rank"])
@pytest.mark.parametrize("kind", TIMES)
def test_times_among_numbers_are_refused(kind, column, door):
    pandas = pytest.importorskip("pandas")
    time = TIMES[kind] if kind[:3] != "pd." else getattr(pandas, TIMES[kind])(1, unit="D")

    def read(cells):
        frame = {"topic": ["1", "1"], "doc": ["a", "b"], "score": [2.0, 1.0], column: cells}
        if column == "grade":
            del frame["score"]
        if door == "dictionary":
            frame = {"1": dict(zip("ab", cells, strict=True))}
        elif door == "pandas":
            frame = pandas.DataFrame({**frame, column: of_objects(pandas, cells)})
        elif door == "polars":
            frame = pl.DataFrame({**frame, column: pl.Series(cells, dtype=pl.Object)})
        else:
            frame = [dict(zip(frame, row, strict=True)) for row in zip(*frame.values(), strict=True)]
        return mm.read_qrels(frame) if column == "grade" else mm.read_run(frame, need_rank=column == "rank")

    if column == "rank" and door == "dictionary":
        pytest.skip("a dictionary has no ranks")
    assert read([2, 1]).table[column].to_list() == [2.0, 1.0]
    # A dictionary whose values are neither texts nor numbers is no row.
    what = r"this cannot be read \(given 'a list of dict'\)|" if door == "rows" else ""
    refusal = rf"{what}{column}.*(is not a number|not a finite number|wrong type)"
    for cells in ([1, time], [time, 1], [0.5, time], [None, time], [time, time]):
        with pytest.raises(mm.MetameterError, match=refusal):
            read(cells)
