"""`Scores`, `Qrels` and `Run` as Python objects: how they print, what they hold, how they reach pandas."""

import numpy as np
import pytest

import metameter
from metameter.cli.program import run as run_program
from metameter.errors import MetameterError, did_you_mean
from metameter.types import Scores

VALUES = np.array([[[0.5, 0.7], [0.4, 0.2]], [[1.0, 0.5], [0.0, 0.5]]])
SCORES = Scores(("RBP(p=0.8)*ERG", "somebody's metric"), ("a", "b"), ("1", "2"), VALUES)


def test_scores_accept_any_spelling_of_a_metric():
    for metric in ("RBP(p=0.8)*ERG", "RBP(p=0.80)", metameter.RBP(p=0.8), "somebody's metric"):
        assert metric in SCORES
    for metric in ("RBP(p=0.5)", "nothing of the kind", "(", 3, None):
        assert metric not in SCORES
    assert list(SCORES) == list(SCORES.metrics)
    assert {metric: SCORES[metric].shape for metric in SCORES} == dict.fromkeys(SCORES.metrics, (2, 2))


def test_scores_print_as_the_table_of_means(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n")
    assert run_program(["score", "qrels", "run", "-m", "P@1", "-m", "RR", "--mean", "--format", "table"]) == 0
    scores = metameter.score("qrels", "run", ["P@1", "RR"])
    head, blank, *table = str(scores).split("\n")
    assert (head, blank) == ("Scores of 2 metrics, 1 system, 2 topics. Over all topics:", "")
    assert "\n".join(table) == capsys.readouterr().out.rstrip("\n")
    assert repr(scores) == "<Scores of 2 metrics, 1 system, 2 topics>"


def test_scores_of_sessions_print_too():
    sessions = Scores(("CT",), ("a",), ("1",), np.array([[[[0.2, 0.3]]]]), iterations=(1, 2))
    assert "CT [2]" in str(sessions)


def test_judgments_and_runs_print_in_one_line():
    assert repr(metameter.read_qrels({"1": {"a": 1, "b": 0}})) == "<Qrels of 2 documents, 1 topic>"
    assert (
        repr(metameter.read_run({"1": {"a": 1.0}, "2": {"a": 2.0}}, name="bm25")) == "<Run bm25: 2 documents, 2 topics>"
    )


@pytest.mark.parametrize(("table", "rows"), [("long", 8), ("wide", 4), ("means", 2)])
def test_every_table_converts_to_pandas(table, rows):
    frame = SCORES.to_pandas(table)
    polars = {"long": SCORES.table, "wide": SCORES.wide(), "means": SCORES.means}[table]
    assert list(frame.columns) == polars.columns
    assert frame.to_dict("records") == polars.to_dicts()
    assert len(frame) == rows
    with pytest.raises(MetameterError, match="Did you mean means"):
        SCORES.to_pandas("mean")


def test_suggestions_are_close_to_the_misspelling():
    assert did_you_mean("foo", ["O", "fog"]) == "Did you mean fog? Known: fog, O."
    assert did_you_mean("foo", ["O"]) == "Known: O."
