"""Columns that are stored as numbers and are none; marks and comments, by the fast and by the patient reader."""

import datetime
from decimal import Decimal
from itertools import product

import numpy as np
import polars as pl
import pytest

import metameter as mm
from metameter.read.trec.parse import QRELS, parse, read_line_by_line

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
