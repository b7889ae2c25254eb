"""Tables in every format: precision, quoting, escaping, alignment."""

import csv
import io
import json
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import rounded, rounded_rows
from metameter.view.tables.csv import csv_bytes
from metameter.view.tables.formats import FORMATS, render
from metameter.view.tables.latex import row, to_latex
from metameter.view.tables.terminal import to_terminal

NASTY = ['a,"b"', "tab\there", "line\nend", "[bold red]x[/]", "x</script>", "\x1b[31m", " space ", "", "é|*_{}%"]
FRAME = pl.DataFrame(
    {
        "system": NASTY,
        "score": [0.1 + 0.2, 1e-300, 1 / 3, float("nan"), None, -0.00001, 1e22, 5e-05, 2.0],
        "wins": [1, -2, None, 4, 5, 6, 7, 8, 9],
        "good": [True, False, None, True, True, True, True, True, True],
    }
)
TABLES = {"scores": FRAME, "other": pl.DataFrame({"a": [1]})}


@pytest.mark.parametrize(("format", "separator"), [("csv", ","), ("tsv", "\t")])
def test_csv_round_trips_names_and_numbers(format, separator):  # noqa: A002
    text = render(TABLES, "scores", format)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    assert rows[0] == FRAME.columns
    assert [row[0] for row in rows[1:]] == NASTY
    assert [row[1] for row in rows[1:]] == [
        "0.30000000000000004", "1e-300", repr(1 / 3), "", "", "-1e-05", "1e+22", "5e-05", "2.0",
    ]  # fmt: skip
    assert [row[2] for row in rows[1:]] == ["1", "-2", "", "4", "5", "6", "7", "8", "9"]
    assert [row[3] for row in rows[1:4]] == ["true", "false", ""]


def test_polars_reads_the_csv():
    back = pl.read_csv(io.StringIO(render(TABLES, "scores", "csv")))
    assert back["system"].fill_null("").to_list() == NASTY
    assert back["score"].equals(FRAME["score"].fill_nan(None))


def test_json_has_the_chosen_table_under_its_name():
    assert list(json.loads(render(TABLES, "other", "json"))) == ["other"]
    data = json.loads(render(TABLES, "scores", "json"))
    assert list(data) == ["scores"]
    assert data["scores"][0] == {"system": 'a,"b"', "score": 0.1 + 0.2, "wins": 1, "good": True}
    assert data["scores"][3]["score"] is None
    assert data["scores"][4]["score"] is None


def test_infinity_is_null_in_json_and_lists_stay_lists():
    frame = pl.DataFrame({"x": [float("inf")], "names": [["a", "b"]]})
    assert json.loads(render({"t": frame}, "t", "json")) == {"t": [{"x": None, "names": ["a", "b"]}]}
    assert '"[""a"", ""b""]"' in render({"t": frame}, "t", "csv")


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_tables_for_people_have_four_decimals(format):  # noqa: A002
    text = render({"t": pl.DataFrame({"m": ["AP"], "x": [2 / 3], "n": [12], "p": ["< 1/2000"]})}, "t", format)
    assert "0.6667" in text
    assert "0.66667" not in text
    assert " 12 " in text + " "
    assert "1/2000" in text


def test_markup_and_escape_sequences_do_not_reach_the_terminal():
    text = to_terminal(TABLES["scores"], width=100)
    assert "[bold red]x[/]" in text
    assert "\x1b" not in text
    assert r"\x1b[31m" in text
    assert r"line\nend" in text


def test_numbers_are_right_aligned():
    lines = to_terminal(pl.DataFrame({"m": ["a", "b"], "x": [1.0, 100.0]}), width=60).splitlines()
    assert lines[-1].endswith("100.0000")
    assert lines[-2].endswith("  1.0000")
    assert len(lines[-1]) == len(lines[-2])


def test_empty_tables_have_headings():
    empty = pl.DataFrame(schema={"metric": pl.String, "p": pl.Float64})
    for format in FORMATS:  # noqa: A001
        text = render({"t": empty}, "t", format)
        assert text == '{"t": []}' if format == "json" else "metric" in text


def test_unknown_names_are_refused():
    with pytest.raises(MetameterError, match="Did you mean scores"):
        render(TABLES, "score", "csv")
    with pytest.raises(MetameterError, match="Did you mean markdown"):
        render(TABLES, "scores", "markdwn")


def test_latex_rows_cannot_become_options():
    text = to_latex(pl.DataFrame({"m": ["[2cm]", "*x", "(a)"]}))
    assert "{}[2cm] \\\\" in text
    assert "{}*x \\\\" in text


def test_latex_has_caption_label_and_columns():
    text = to_latex(FRAME, caption="50% of_all", label="tab:a}b", columns={"wins": "# wins"})
    assert r"\caption{50\% of\_all}" in text
    assert r"\label{tab:ab}" in text
    assert r"\begin{tabular}{r}" in text
    assert r"\# wins \\" in text
    with pytest.raises(MetameterError, match="no such column"):
        to_latex(FRAME, columns=["win"])


numbers = st.one_of(st.none(), st.floats(), st.floats(-1e-3, 1e-3), st.integers(-(10**6), 10**6).map(lambda n: n / 7))


@given(st.lists(numbers, min_size=1, max_size=20), st.sampled_from([pl.Float64, pl.Float32]))
def test_numbers_are_formatted_as_by_python(values, dtype):
    column = pl.Series("x", values, dtype=dtype, strict=False)
    before = column.clone()
    written = csv_bytes(pl.DataFrame({"x": column, "name": ["a"] * len(values)}))
    assert written.endswith(b"\n")
    cells = [line.split(",")[0] for line in written.decode().splitlines()[1:]]
    if dtype == pl.Float64:
        assert cells == ["" if v is None or math.isnan(v) else repr(v) for v in column.to_list()]
    back = pl.Series("x", [float(cell) if cell else None for cell in cells], dtype=dtype)
    known = [None if v is None or math.isnan(v) else v for v in column.to_list()]
    assert back.to_list() == known
    assert column.equals(before)


@given(
    st.lists(st.tuples(st.text(max_size=8), numbers, st.booleans()), max_size=12),
    st.sets(st.integers(-2, 14)),
    st.integers(0, 5),
)
def test_latex_cells_are_rounded_escaped_and_marked(rows, marked, digits):
    schema = {"name": pl.String, "x": pl.Float64, "found": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    lines = to_latex(frame, marks={"x": marked}, digits=digits).split("\n")[4:-2]
    assert len(lines) == len(rows)
    for number, (line, values) in enumerate(zip(lines, frame.iter_rows(), strict=True)):
        name, x, found = (escape_latex(rounded(value, digits)) for value in values)
        assert line == row([name, rf"\textbf{{{x}}}" if number in marked else x, found])
    assert rounded_rows(frame, digits) == [[rounded(value, digits) for value in each] for each in frame.iter_rows()]
