"""One figure of all topics is the metric's own affair, wherever it is shown: a mean, a geometric mean, a sum."""

import json
import math

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.cli.program import run
from metameter.scoring.table import score_table
from metameter.types import Scores

QRELS = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "c": 0}}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 2.0, "a": 1.0, "z": 0.5}}}
# AP is 1 and 1/2: their geometric mean is sqrt(1/2). Relevant documents: 2 + 1.
EXPECTED = {"gm_map": math.sqrt(0.5), "NumRel": 3.0, "AP": 0.75}


@pytest.fixture
def scores():
    return metameter.score(QRELS, RUNS, list(EXPECTED), residual=True)


def test_means_match_the_known_values(scores):
    assert scores.means.row(0, named=True) == {"system": "x", **{k: pytest.approx(v) for k, v in EXPECTED.items()}}


def test_the_table_of_means_matches_the_known_values(scores):
    table = score_table(scores, mean=True).table
    assert dict(table["metric", "score"].iter_rows()) == {k: pytest.approx(v) for k, v in EXPECTED.items()}


def test_the_notebook_shows_the_means(scores):
    shown = scores._repr_html_()
    assert all(f"{value:.4f}" in shown for value in EXPECTED.values())


def test_a_score_lies_between_its_bounds(scores):
    for row in score_table(scores, mean=True).table.iter_rows(named=True):
        assert row["low"] - 1e-12 <= row["score"] <= row["high"] + 1e-12


def test_the_command_prints_the_same_means(tmp_path, capsys):
    qrels = "".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    lists = "".join(f"{t} Q0 {d} 1 {s} x\n" for t, docs in RUNS["x"].items() for d, s in docs.items())
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "x").write_text(lists)
    metrics = [word for name in EXPECTED for word in ("-m", name)]
    assert run(["score", str(tmp_path / "qrels"), str(tmp_path / "x"), *metrics, "--mean", "--format", "csv"]) == 0
    table = pl.read_csv(capsys.readouterr().out.encode())
    assert dict(table["metric", "score"].iter_rows()) == {k: pytest.approx(v) for k, v in EXPECTED.items()}


def many(metrics, systems=("a_1", "b|*")):
    values = np.random.default_rng(0).random((len(metrics), len(systems), 2))
    return Scores(tuple(metrics), tuple(systems), ("1", "2"), values)


def test_means_are_wide_for_people_and_long_for_programs():
    table = score_table(many(["nDCG@10", "RBP(p=0.8)*max"]), mean=True)
    assert [line.split()[0] for line in table.text(format="table").splitlines()[2:]] == ["a_1", "b|*"]
    # Names in headings are other people's text, too.
    assert table.text(format="markdown").startswith("| system | nDCG@10 | RBP(p=0.8)\\*max |")
    assert r"system & nDCG@10 & RBP(p=0.8)*max \\" in table.text(format="latex")
    assert r"a\_1 & " in table.text(format="latex")
    assert table.text(format="csv").startswith("metric,system,score\n")
    assert table.text(format="tsv").startswith("metric\tsystem\tscore\n")
    assert table.text(format="json").startswith('{"scores": [{"metric": "nDCG@10", "system": "a_1", "score": ')


def test_systems_and_metrics_keep_the_given_order():
    table = score_table(many(["RR", "AP"], ("z", "a", "m")), mean=True).readable()
    assert (table.columns, table["system"].to_list()) == (["system", "RR", "AP"], ["z", "a", "m"])


def test_latex_means_are_split_after_six_metrics():
    names = [f"P@{k}" for k in range(1, 15)]
    text = score_table(many(names), mean=True).text(format="latex")
    heads = [line for line in text.splitlines() if line.startswith("system & ")]
    assert [head.count("&") for head in heads] == [6, 6, 2]
    assert all(f"P@{k} " in text for k in range(1, 15))


def test_wide_means_are_wide_in_every_format():
    table = score_table(many(["AP", "RR"]), mean=True, wide=True)
    assert table.text(format="csv").startswith("system,AP,RR\n")
    assert table.text(format="json").startswith('{"scores": [{"system": "a_1", "AP": ')


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_wide_tables_are_read_back(suffix, residual, tmp_path):
    scores = metameter.score(QRELS, RUNS, list(EXPECTED), residual=residual)
    path = tmp_path / f"scores.{suffix}"
    score_table(scores, wide=True).write(path)
    again = metameter.read_scores(path)
    assert (again.metrics, again.systems, again.topics) == (scores.metrics, scores.systems, scores.topics)
    assert np.array_equal(again.values, scores.values)


def test_bounds_follow_their_metric(scores):
    table = score_table(scores, mean=True)
    eye = table.readable()
    assert eye.columns[:4] == ["system", "gm_map", "gm_map low", "gm_map high"]
    for name, score, low, high in score_table(scores, mean=True).table.select("metric", "score", "low", "high").rows():
        assert eye.select(name, f"{name} low", f"{name} high").row(0) == (score, low, high)
    heuristic = [name for name, kind in zip(scores.metrics, scores.bounds, strict=True) if kind == "heuristic"]
    assert table.notes == (f"Warning: low and high of {', '.join(heuristic)} are heuristic, not exact.",)


def test_low_and_high_without_their_metric_are_metrics(tmp_path):
    (tmp_path / "s.csv").write_text("system,topic,AP,AP low,RR low,RR high\na,1,0.1,0.2,0.3,0.4\n")
    assert metameter.read_scores(tmp_path / "s.csv").metrics == ("AP", "AP low", "RR low", "RR high")


def test_the_command_prints_wide_tables_for_people_or_on_request(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "x_1").write_text("1 Q0 a 1 2 t\n")
    words = ["score", str(tmp_path / "qrels"), str(tmp_path / "x_1"), "-m", "P@1", "-m", "RR"]
    shown = {}
    for form, more in (("latex", ["--mean"]), ("csv", ["--mean", "--wide"]), ("tsv", ["--wide"]), ("json", ["--mean"])):
        assert run([*words, "--format", form, *more]) == 0
        shown[form] = capsys.readouterr().out.splitlines()
    assert shown["latex"][2:5] == [r"system & P@1 & RR \\", r"\midrule", r"x\_1 & 1.0000 & 1.0000 \\"]
    assert run([*words, "--mean", "--format", "latex", "--digits", "2"]) == 0
    assert r"x\_1 & 1.00 & 1.00 \\" in capsys.readouterr().out
    assert shown["csv"] == ["system,P@1,RR", "x_1,1.0,1.0"]
    assert shown["tsv"] == ["system\ttopic\tP@1\tRR", "x_1\t1\t1.0\t1.0"]
    assert shown["json"][0].startswith('{"scores": [{"metric": "P@1", "system": "x_1", "score": 1.0}')
    assert run([*words, "--mean", "--wide", "--out", str(tmp_path / "means.csv")]) == 0
    assert (tmp_path / "means.csv").read_text() == "system,P@1,RR\nx_1,1.0,1.0\n"


def test_hints_omit_options_already_given():
    metrics = tuple(f"RBP(p=0.{number})" for number in range(1, 10))
    scores = Scores(metrics, ("a",), ("1", "2"), np.zeros((9, 1, 2)))
    assert score_table(scores, mean=True).text(width=60).endswith(" more columns: --format csv")
    assert score_table(scores, wide=True).text(width=60).endswith(" more columns: --mean, --format csv or --out FILE")


def test_metrics_that_count_judgments_have_no_bounds():
    scores = metameter.score(QRELS, RUNS, ["Judged@3", "AP"], residual=True)
    for table in (scores.table, score_table(scores, mean=True).table):
        ends = table.filter(metric="Judged@3").select("low", "high", "bounds")
        assert set(ends.rows()) == {(None, None, "none")}
    wide = score_table(scores, mean=True, wide=True).table
    assert wide.select("Judged@3 low", "Judged@3 high").rows() == [(None, None)]
    explained = metameter.explain("Judged@3", qrels=QRELS, run=RUNS["x"], topic="2")
    assert explained.remark.startswith("Judged@3 = 0.666667")
    assert "bounds" not in explained.remark
    assert json.loads(explained.to_json())["low"] is None
