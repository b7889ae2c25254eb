"""Nothing in a CSV that was asked to be safe is run by a spreadsheet; all else stays as it was."""

import csv
import io
import pickle
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metameter
from metameter.cli.program import run
from metameter.scoring.table import score_table
from metameter.types import Scores
from metameter.view.result import Result
from metameter.view.tables.csv import crossed_csv, csv_bytes, safe_csv, to_csv
from metameter.view.tables.lazy_tables import LazyTables

RUN = ["=1+1", "+1-1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\u200b=1", "\ufeff=1", "＝1",
       "＋x", "－x", "＠x", "−x", "\x00=1", "-", "=cmd|' /C calc'!A0"]  # fmt: skip
HARMLESS = ["bm25", "a=b", "RBP(p=0.8)*ERG", "-0.5", "+3", "-1e-05", "-.5", "", "'=1", "1-2", "é"]


def cells(text: str, separator: str = ",") -> list[str]:
    return [row[0] for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)][1:]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_formulas_for_spreadsheets_get_an_apostrophe(separator):
    frame = pl.DataFrame({"system": RUN + HARMLESS, "x": [-0.5] * (len(RUN) + len(HARMLESS))})
    with safe_csv():
        text = to_csv(frame, separator)
    assert cells(text, separator) == [f"'{name}" for name in RUN] + HARMLESS
    assert [row[1] for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)][1] == "-0.5"
    assert cells(to_csv(frame, separator), separator) == RUN + HARMLESS


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_numbers_are_unchanged_and_names_gain_at_most_an_apostrophe(names):
    frame = pl.DataFrame({"name": names, "x": [-1e-9] * len(names), "n": [None] * len(names)})
    with safe_csv():
        text = csv_bytes(frame).decode()
    for name, (shown, x, n) in zip(names, list(csv.reader(io.StringIO(text, newline="")))[1:], strict=True):
        assert shown in (name, f"'{name}")
        assert (x, n) == ("-1e-09", "")


def test_headings_are_escaped_and_stay_distinct():
    with safe_csv():
        first = to_csv(pl.DataFrame({"=a": [1], "'=a": [2], "b": [3]})).splitlines()[0]
    assert next(csv.reader([first])) == ["''=a", "'=a", "b"]


def test_results_are_written_safely_in_python(tmp_path):
    result = Result({"t": pl.DataFrame({"system": pl.Series(["=1"], dtype=pl.Categorical)})})
    with metameter.safe_csv():
        result.write(tmp_path / "safe")
        assert "'=1" in result.text(format="csv")
    result.write(tmp_path / "plain")
    assert cells((tmp_path / "safe" / "t.csv").read_text()) == ["'=1"]
    assert cells((tmp_path / "plain" / "t.csv").read_text()) == ["=1"]


def test_the_option_applies_to_output_and_files(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "=1+1").write_text("1 Q0 a 1 1 t\n")
    score = ["score", str(tmp_path / "qrels"), str(tmp_path / "=1+1"), "-m", "RR", "--mean"]
    assert run([*score, "--safe-csv", "--out", str(tmp_path / "s.tsv")]) == 0
    assert '"\'=1+1"' in capsys.readouterr().out
    assert "'=1+1" in (tmp_path / "s.tsv").read_text()
    assert run([*score, "--out", str(tmp_path / "s.tsv")]) == 0
    assert "'" not in capsys.readouterr().out + (tmp_path / "s.tsv").read_text()


def test_a_rebuilt_report_is_as_safe_as_its_study(tmp_path):
    rows = [f"{m},{s},{t},0.{len(m) + t}" for m in ("AP", "nDCG") for s in ("=1+1", *"bcde") for t in (1, 2, 3)]
    (tmp_path / "scores.csv").write_text("\n".join(["metric,system,topic,score", *rows]))
    out = tmp_path / "study"
    few = ["--trials", "50", "--splits", "20", "--resamples", "50"]
    assert run(["study", str(tmp_path / "scores.csv"), *few, "--safe-csv", "--out", str(out)]) == 0
    before = (out / "power_pairs.csv").read_text()
    assert "'=1+1" in before
    assert run(["report", str(out)]) == 0
    assert (out / "power_pairs.csv").read_text() == before


labels = st.lists(st.text('ab =@-é(),"\t\n\r', max_size=5), min_size=1, max_size=3, unique=True).map(tuple)
scores = st.floats(-1e100, 1e100) | st.just(float("nan"))


@given(labels, labels, labels, st.data())
def test_crossed_csv_equals_the_long_table(metrics, systems, topics, data):
    shape = len(metrics), len(systems), len(topics)
    cells = data.draw(st.lists(scores, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    axes, values = {"metric": metrics, "system": systems, "topic": topics}, np.array(cells).reshape(shape)
    table = Scores(metrics, systems, topics, values).table
    for separator in ",\t":
        text = crossed_csv(axes, "score", values, separator)
        assert text is None or text == to_csv(table, separator)
        simple = all(label and not set(label) & set(',"\t\n\r') for each in axes.values() for label in each)
        assert (text is not None) == simple


def test_formulas_for_spreadsheets_are_escaped():
    scores = Scores(("AP",), ("=1+1",), ("1",), np.array([[[0.5]]]))
    assert "=1+1,1,0.5" in score_table(scores).text(format="csv")
    with safe_csv():
        assert '"\'=1+1","1",0.5' in score_table(scores).text(format="csv")


def make(count):
    return pl.DataFrame({"n": range(count)})


def test_tables_are_built_once_and_can_be_pickled():
    asked = []
    tables = LazyTables({"one": lambda: asked.append(1) or make(1), "two": partial(make, 2)})
    assert (list(tables), len(tables), "one" in tables, "three" in tables) == (["one", "two"], 2, True, False)
    assert asked == []
    assert tables["one"] is tables["one"]
    assert asked == [1]
    assert pickle.loads(pickle.dumps(LazyTables({"two": partial(make, 2)})))["two"].height == 2
