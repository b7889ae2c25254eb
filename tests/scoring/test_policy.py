"""One set of options: every function that reads runs shows all of it, and refuses what is none of it."""

import inspect
import pydoc

import numpy as np
import pytest

import metameter
from metameter.docstrings import parameters
from metameter.scoring.policy import POLICY_OPTIONS, Policy

FUNCTIONS = [metameter.score, metameter.check, metameter.explain, metameter.volatility]
QRELS = {"1": {"a": 2, "b": 0}, "2": {"a": 1}}
RUN = {"1": {"b": 2.0, "a": 1.0, "x": 0.5}, "2": {"a": 1.0}}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_signature_and_help_show_every_option(function):
    shown = inspect.signature(function).parameters
    declared = inspect.signature(Policy, eval_str=True).parameters
    for option in POLICY_OPTIONS:
        assert shown[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert shown[option].default == declared[option].default
        assert shown[option].annotation == declared[option].annotation
        assert parameters(function)[option] == parameters(Policy)[option] != ""
    assert "policy" not in shown
    assert set(parameters(function)) >= set(shown) - {"progress", "jobs"}
    text = pydoc.plain(pydoc.render_doc(function))
    assert "qrels_duplicates: Literal['error', 'first', 'last', 'max'] = 'error'" in text


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_unknown_option_is_refused(function):
    with pytest.raises(metameter.MetameterError, match=r"no such option \(given 'max_grad'\)\. Did you mean max_grade"):
        function("qrels", max_grad=3)


@pytest.mark.parametrize("gains", ["1 0 ? 0.5", [1, 0, None, 0.5], (1, 0, "?", 0.5), np.array([1, 0, np.nan, 0.5])])
def test_gains_can_be_text_or_a_list(gains):
    shown = metameter.explain("RBP(p=0.5)", gains=gains)
    assert shown.ranks["gain"].to_list() == [1, 0, 0, 0.5]
    assert (shown.low, shown.score) == (0.53125, 0.53125)
    assert shown.high == pytest.approx(0.53125 + 0.125 + 0.0625)


@pytest.mark.parametrize("gains", [[], "", [1, 2], [1, "x"], [1, [0]], "1 nan", [-0.1], np.array([1.5])])
def test_malformed_gains_are_refused(gains):
    with pytest.raises(metameter.MetameterError):
        metameter.explain("RBP(p=0.5)", gains=gains)


def test_explain_accepts_objects():
    shown = metameter.explain("P@2", qrels=QRELS, run=RUN, topic="1")
    assert shown.score == metameter.score(QRELS, {"s": RUN}, "P@2").values[0, 0, 0] == 0.5
    condensed = metameter.explain("P@1", qrels=metameter.read_qrels(QRELS), run=RUN, topic="1", unjudged="condense")
    assert condensed.metric == "P(judged_only=True)@1"
    with pytest.raises(metameter.MetameterError, match="mean over ties"):
        metameter.explain("P@2", qrels=QRELS, run=RUN, topic="1", ties="mean")
    with pytest.raises(metameter.MetameterError, match="does not apply to gains"):
        metameter.explain("P@2", gains=[1], max_grade=2)
    for topic in ("3", "77"):
        with pytest.raises(metameter.MetameterError, match="topic"):
            metameter.explain("AP(norm=pool)@2", qrels=QRELS | {"3": {"a": 1}}, run=RUN, topic=topic)


def test_check_accepts_objects():
    checked = metameter.check(QRELS, {"good": RUN, "bad": {"1": {"a": float("nan")}}})
    assert checked.coverage["system"].to_list() == ["good"]
    assert checked.problems["file"].to_list() == ["bad"]
    assert metameter.check({"1": {"a": "x"}}, {"good": RUN}).problems.height == 1
    assert checked.manifest["options"]["metric"] == "nDCG@10"


def test_check_reads_judgments_in_several_files(tmp_path):
    for name, text in {"1": "1 0 a 1\n1 0 b\n", "2": "# again\n1 0 a 0\n2 0 a 1\n"}.items():
        (tmp_path / name).write_text(text)
    problems = metameter.check(tmp_path, {"good": RUN}).problems
    assert [(file[-1], line) for file, line in problems.select("file", "line").rows()] == [("1", 2), ("2", 2)]
    assert metameter.check(tmp_path, {"good": RUN}, qrels_duplicates="last").problems.height == 1


def test_check_reports_conflicting_tags(tmp_path):
    (tmp_path / "one").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 0 u\n")
    (tmp_path / "two").write_text("1 Q0 a 1 1 t\n")
    problems = metameter.check(QRELS, tmp_path, name_by="tag").problems["what"].to_list()
    assert "two runs have the name 't'" in problems[0]
    assert "several tags" in problems[1]


def test_gains_can_be_the_second_argument():
    assert metameter.explain("AP", [1, 0, 1]).score == metameter.explain("AP", gains=[1, 0, 1]).score
    assert metameter.explain(metameter.nDCG @ 2, "1 0").metric == "nDCG@2"


@pytest.mark.parametrize("gains", [0.5, {0.5}, frozenset([1]), {1: 0.5}, np.array(0.5)])
def test_unordered_gains_are_refused(gains):
    with pytest.raises(metameter.MetameterError, match="the gains are not a list"):
        metameter.explain("AP", gains)


@pytest.mark.parametrize("function", [metameter.check, metameter.explain])
def test_several_metrics_are_refused_where_one_is_expected(function):
    given = {metameter.check: (QRELS, {"s": RUN}), metameter.explain: ()}[function]
    with pytest.raises(metameter.MetameterError, match="several metrics are given"):
        function(*given, metric=["AP", "RR"])


def test_a_wrong_call_shows_the_signature():
    with pytest.raises(metameter.MetameterError, match=r"^explain: too many positional arguments\. Call it as "):
        metameter.explain("AP", [1, 0], QRELS)
    with pytest.raises(
        metameter.MetameterError, match=r"^score: missing a required argument: 'runs'\. Call it as score"
    ):
        metameter.score(QRELS)
    with pytest.raises(
        metameter.MetameterError, match=r"^score: multiple values for argument 'runs'\. Call it as score"
    ):
        metameter.score(QRELS, RUN, runs=RUN)


def test_metrics_can_be_objects():
    checked = metameter.check(QRELS, {"s": RUN}, metric=metameter.nDCG @ 2)
    assert checked.coverage["metric"].to_list() == [checked.manifest["options"]["metric"]] == ["nDCG@2"]
