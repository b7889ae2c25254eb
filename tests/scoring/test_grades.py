"""Grades that a metric has no gain for are refused, with the document and the line that have one."""

import warnings

import numpy as np
import polars as pl
import pytest

import metameter as mm
from metameter.cli.program import run
from metameter.judge.ranked import Ranked
from metameter.metric.classic.ndcg import NDCG
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example
from metameter.registry import get, names

QRELS = "1 0 a 1\n# judged late\n1 0 b {grade}\n2 0 a 0\n"
RUN = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 a 1 1 x\n"
EXPONENTIAL = ["ERR@10", "nERR@10", "nDCG(gain=exp)@10", "RBP(p=0.8,gain=exp)*max", "Q(beta=1,gain=exp)"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


def judged(folder, grade):
    (folder / "qrels").write_text(QRELS.format(grade=grade))


@pytest.mark.parametrize("metric", EXPONENTIAL)
@pytest.mark.parametrize("command", ["score", "volatility", "check", "explain"])
def test_grades_too_high_for_exponential_gain_are_refused(command, metric, folder, capsys):
    judged(folder, 1024)
    words = {
        "score": ["score", "qrels", "run", "-m", metric],
        "volatility": ["volatility", "qrels", "run", "-m", metric],
        "check": ["check", "qrels", "run", "--metric", metric],
        "explain": ["explain", metric, "--qrels", "qrels", "--run", "run", "--topic", "1"],
    }[command]
    assert run(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("qrels:3: document 'b' of topic '1' has a grade that") or command == "check"
    assert "given 1024.0, allowed: grades up to 1000 with exponential gain" in said.err


def test_a_scale_too_long_for_exponential_gain_is_refused(folder):
    judged(folder, 2)
    with pytest.raises(mm.MetameterError, match=r"the top of the scale is one that .* no gain for \(given 5000.0"):
        mm.score("qrels", "run", "ERR@10", max_grade=5000)
    assert np.isfinite(mm.score("qrels", "run", "nDCG@10", max_grade=5000).values).all()


@pytest.mark.parametrize("kind", ["browse", "metric"])
def test_every_metric_is_finite_at_the_highest_exponential_grade(kind, folder):
    """At a grade of 1000 every score is a number, without a word from NumPy."""
    judged(folder, 1000)
    models = [get(kind, name) for name in names(kind)]
    depth = {model: {"k": 5} if model.needs_depth() else {} for model in models}
    made = [
        model(**{**model.example, **depth[model], "gain": "exp"}) for model in models if "gain" in model.parameters()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        scores = mm.score("qrels", "run", [parse_metric(each) for each in made], max_grade=1000)
    assert np.isfinite(scores.values).all(), scores.metrics


def test_pages_with_too_high_grades_are_refused():
    pages = pl.DataFrame({"grades": [[2000, 1], [1, 0]], "satisfaction": [1, 2]})
    with pytest.raises(mm.MetameterError, match=r"ERR\*ERR@10 has no gain for \(given 2000.0"):
        mm.satisfaction(pages, ["ERR@10"], max_grade=2000)


def test_a_missing_grade_in_a_gain_table_names_the_document(folder):
    judged(folder, 3)
    with pytest.raises(mm.MetameterError, match=r"^qrels:3: document 'b' of topic '1' .* \(given 3.0, allowed: 0, 1\)"):
        mm.score("qrels", "run", "RBP(p=0.8,gain={0:0,1:1})")


def test_a_grade_above_the_scale_names_its_line(folder):
    judged(folder, 3)
    with pytest.raises(mm.MetameterError, match=r"^qrels:3: document 'b' of topic '1' has a grade above the top"):
        mm.score("qrels", "run", "nDCG", max_grade=2)
    pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1, 3]}).write_parquet("qrels.parquet")
    with pytest.raises(mm.MetameterError, match=r"^qrels.parquet: row 2: document 'b'"):
        mm.score("qrels.parquet", "run", "nDCG", max_grade=2)


@pytest.mark.parametrize("metric", ["nDCG@10", "nDCG", "Q", "G", "AP", "RBP(p=0.8)*max", "Compat"])
def test_grades_too_high_for_any_gain_are_refused(metric, folder, capsys):
    judged(folder, "1e308")
    assert run(["score", "qrels", "run", "-m", metric]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("qrels:3: document 'b' of topic '1' has a grade that") or "notice: the top" in said.err
    assert "given 1e+308, allowed: grades up to 1e+100" in said.err


def test_every_metric_is_finite_at_the_highest_linear_grade(folder):
    judged(folder, "1e100")
    made = [parse_metric(example(kind, name)) for kind in ("browse", "metric") for name in names(kind)]
    made = [each for each in made if each.evidence is Ranked and not each.needs and each.knows(np.array([1e100])).all()]
    scores = mm.score("qrels", "run", made, max_grade=1e100)
    assert np.isfinite(scores.values).all(), scores.metrics
    assert len(made) > 40


@pytest.mark.parametrize(
    "metric",
    [
        "nDCG(gain={0:0,1:1e308,2:1e308,3:1e308})",
        "Q(beta=1e308)",
        "Rprec(multiple=1e308)",
        "Utility(relevant=1e308)",
        "Utility(other=-1e308)",
        "RBU(e=1e308)",
        "SET(beta=1e-320)@5*avg",
    ],
)
def test_parameters_beyond_their_bounds_are_refused(metric):
    with pytest.raises(mm.MetameterError, match=r"is out of range \(given .*1e\+100|1e-09"):
        parse_metric(metric)


def test_an_overflowing_score_refuses_the_metric(folder, monkeypatch):
    judged(folder, 3)
    monkeypatch.setattr(NDCG, "gain_of", lambda self, grades: np.asarray(grades) * np.float64(1e308))
    with pytest.raises(mm.MetameterError, match=r"^nDCG\(gain=exp\)@10: there is no number for its score: overflow"):
        mm.score("qrels", "run", ["AP", "nDCG(gain=exp)@10"], max_grade=3)
