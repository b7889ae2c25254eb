"""How metrics are named on the command line, in Python and in study files."""

import polars as pl
import pytest

import metameter as mm
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.studies.plan import Plan
from metameter.studies.study_file import plan_of_toml

QRELS = {"1": {"a": 2, "b": 0}, "2": {"a": 1}}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 1.0}}}
TYPED = "recall@20, nDCG@10,Q(beta=1),RBP(p=0.8)*max@10"
METRICS = ["R@20", "nDCG@10", "Q(beta=1)", "RBP(p=0.8)*max@10"]


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    judged = ((topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items())
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in judged))
    for name, topics in RUNS.items():
        listed = ((topic, doc, score) for topic, docs in topics.items() for doc, score in docs.items())
        lines = (f"{topic} Q0 {doc} {rank} {score} t\n" for rank, (topic, doc, score) in enumerate(listed, start=1))
        (tmp_path / name).write_text("".join(lines))
    return tmp_path


def metrics_of(capsys, *words):
    assert run([*words, "--format", "csv"]) == 0
    return pl.read_csv(capsys.readouterr().out.encode())["metric"].unique(maintain_order=True).to_list()


def test_commas_separate_metrics_on_the_command_line(collection, capsys):
    assert metrics_of(capsys, "score", "qrels", "x", "-m", TYPED, "-m", "AP") == [*METRICS, "AP"]
    quick = ["--trials", "9", "--resamples", "2"]
    assert metrics_of(capsys, "compare", "qrels", "x", "y", "-m", "AP,RR", *quick) == ["AP", "RR"]


@pytest.mark.parametrize("typed", ["RBU(p=0.99,e=0.05)", "Empirical(continuation=[0.5,0.2,0])*ERG", "BPM(T=1, K=10)"])
def test_commas_within_a_metric_do_not_separate(typed):
    assert len(mm.parse_metric(typed).name.split("*")) <= 2
    assert Plan.of((), f"AP,{typed}", None, {}).metrics == ("AP", typed)


def test_commas_separate_metrics_in_python():
    typed = TYPED.replace("recall", "R")
    assert (
        mm.score(QRELS, RUNS, typed, max_grade=2).metrics
        == mm.score(QRELS, RUNS, [typed], max_grade=2).metrics
        == tuple(METRICS)
    )
    assert mm.Evaluator(QRELS, "AP,RR").metrics == ("AP", "RR")


def test_commas_separate_metrics_in_a_study_file(collection):
    (collection / "study.toml").write_text(f'metrics = "{TYPED}"\n[[collection]]\nqrels = "qrels"\nruns = "x"\n')
    assert plan_of_toml(collection / "study.toml", {}).metrics == tuple(TYPED.replace(" ", "").split(","))
    listed = (collection / "study.toml").read_text().replace(f'"{TYPED}"', f'["{TYPED}", "AP"]')
    (collection / "study.toml").write_text(listed)
    assert plan_of_toml(collection / "study.toml", {}).metrics[-1] == "AP"


@pytest.mark.parametrize("typed", ["AP,,RR", "AP,", ","])
def test_an_empty_name_between_commas_is_refused(typed):
    with pytest.raises(MetameterError, match=r"^cannot read the metric name \(given ''\)"):
        mm.score(QRELS, RUNS, typed)


def test_where_one_metric_is_taken_several_are_refused(collection, capsys):
    assert run(["check", "qrels", "x", "-m", "AP,RR"]) == 2
    assert capsys.readouterr().err.startswith("several metrics are given (given 'AP,RR', allowed: one metric)")


SAID = "notice: no metric is named: nDCG@10 is used; name others in metrics (-m)"


@pytest.mark.parametrize("words", [["score", "--mean"], ["compare", "--trials", "9", "--resamples", "2"]])
def test_score_and_compare_use_ndcg_where_no_metric_is_named(words, collection, capsys):
    command, *options = words
    assert run([command, "qrels", "x", "y", *options, "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert set(pl.read_csv(printed.out.encode())["metric"]) == {"nDCG@10"}
    assert printed.err.splitlines().count(SAID) == 1


def test_compare_reads_tables_of_scores_without_a_metric(collection, capsys):
    assert run(["score", "qrels", "x", "y", "-m", "AP", "--out", "scores.csv"]) == 0
    capsys.readouterr()
    assert run(["compare", "scores.csv", "--trials", "9", "--resamples", "2", "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert set(pl.read_csv(printed.out.encode())["metric"]) == {"AP"}
    assert "no metric is named" not in printed.err


def test_score_in_python_uses_ndcg_where_no_metric_is_named():
    with pytest.warns(mm.MetameterWarning, match="^no metric is named: nDCG@10 is used"):
        assert mm.score(QRELS, RUNS, max_grade=2).metrics == ("nDCG@10",)
    assert mm.score(QRELS, RUNS, preset="lu-2016", max_grade=2).metrics[0] == "AP(norm=min)"


def test_other_procedures_still_ask_for_a_metric(collection, capsys):
    assert run(["power", "qrels", "x", "y"]) == 2
    assert "To score runs first, add -m METRIC or --preset NAME." in capsys.readouterr().err


def test_the_list_of_metrics_begins_with_the_best_known(capsys):
    assert run(["metrics", "--format", "csv"]) == 0
    names = pl.read_csv(capsys.readouterr().out.encode())["name"].to_list()
    assert names[:7] == ["nDCG", "AP", "RR", "P", "R", "RBP", "ERR"]
    assert names.count("nDCG") == 1
    assert run(["metrics", "--kind", "browse", "--format", "csv"]) == 0
    assert pl.read_csv(capsys.readouterr().out.encode())["name"].to_list()[:2] == ["RBP", "ERR"]


def test_explain_without_a_list_shows_an_example(capsys):
    assert run(["explain", "RBP", "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert pl.read_csv(printed.out.encode())["gain"].to_list() == [0.7, 0.4, 0.0, 1.0, 0.5, 0.3]
    said = "notice: no list is given: the gains 0.7 0.4 0 1 0.5 0.3 are an example; give your own as gains (--gains)"
    assert printed.err.splitlines().count(said) == 1
    with pytest.warns(mm.MetameterWarning, match="are an example"):
        assert mm.explain("RBP").score == pytest.approx(mm.explain("RBP", [0.7, 0.4, 0, 1, 0.5, 0.3]).score, abs=0)


def test_explain_with_half_a_list_is_refused(capsys):
    assert run(["explain", "RBP", "--topic", "1"]) == 2
    assert capsys.readouterr().err.startswith("give exactly one list")
