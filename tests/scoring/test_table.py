"""One figure of all topics is the metric's own affair, wherever it is shown: a mean, a geometric mean, a sum."""

import math

import polars as pl
import pytest

import metameter
from metameter.cli.run import run
from metameter.scoring.table import score_table

QRELS = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "c": 0}}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 2.0, "a": 1.0, "z": 0.5}}}
# AP is 1 and 1/2: their geometric mean is sqrt(1/2). Relevant documents: 2 + 1.
EXPECTED = {"gm_map": math.sqrt(0.5), "NumRel": 3.0, "AP": 0.75}


@pytest.fixture
def scores():
    return metameter.score(QRELS, RUNS, list(EXPECTED), residual=True)


def test_the_means_of_scores(scores):
    assert scores.means.row(0, named=True) == {"system": "x", **{k: pytest.approx(v) for k, v in EXPECTED.items()}}


def test_the_table_of_means(scores):
    table = score_table(scores, mean=True).table
    assert dict(table["metric", "score"].iter_rows()) == {k: pytest.approx(v) for k, v in EXPECTED.items()}


def test_the_page_of_a_notebook(scores):
    shown = scores._repr_html_()
    assert all(f"{value:.4f}" in shown for value in EXPECTED.values())


def test_a_figure_lies_between_its_bounds(scores):
    for row in score_table(scores, mean=True).table.iter_rows(named=True):
        assert row["low"] - 1e-12 <= row["score"] <= row["high"] + 1e-12


def test_the_command_shows_the_same(tmp_path, capsys):
    qrels = "".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    lists = "".join(f"{t} Q0 {d} 1 {s} x\n" for t, docs in RUNS["x"].items() for d, s in docs.items())
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "x").write_text(lists)
    metrics = [word for name in EXPECTED for word in ("-m", name)]
    assert run(["score", str(tmp_path / "qrels"), str(tmp_path / "x"), *metrics, "--mean", "--format", "csv"]) == 0
    table = pl.read_csv(capsys.readouterr().out.encode())
    assert dict(table["metric", "score"].iter_rows()) == {k: pytest.approx(v) for k, v in EXPECTED.items()}
