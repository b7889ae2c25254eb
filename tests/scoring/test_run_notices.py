"""What is said of runs that lack topics, of scores in single precision, and of grades that do not count."""

from __future__ import annotations

import gzip
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import metameter
from metameter.cli.program import run
from metameter.notices import MetameterWarning

TOPICS = [str(number) for number in range(1, 21)]
LACKS = "B lacks 5 of 20 topics; they count as 0 (--topics common leaves them out)"
SINGLE = (
    "single precision would order documents of A differently on 2 of 20 topics; "
    "--precision single gives the numbers of trec_eval 9"
)


@pytest.fixture
def collection(tmp_path, monkeypatch):
    """A has all topics, two of them with scores that single precision merges; B lacks five, and is better elsewhere."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in TOPICS))
    Path("runs").mkdir()
    scores = dict.fromkeys(TOPICS, (0.5, 0.4)) | {"6": (0.5000000001, 0.5), "7": (0.5000000001, 0.5)}
    lists = [f"{topic} Q0 a 1 {high} t\n{topic} Q0 b 2 {low} t\n" for topic, (high, low) in scores.items()]
    Path("runs/A").write_text("".join(lists))
    Path("runs/B").write_text("".join(f"{topic} Q0 a 1 2 t\n{topic} Q0 b 2 1 t\n" for topic in TOPICS[5:]))
    return tmp_path


def notices(capsys, *words):
    assert run([*words]) in (0, 2)
    lines = capsys.readouterr().err.splitlines()
    return [line.removeprefix("notice: ") for line in lines if line.startswith("notice: ")]


@pytest.mark.parametrize(
    "words",
    [
        ("score", "qrels", "runs", "-m", "RR"),
        ("compare", "qrels", "runs", "-m", "RR", "--trials", "100"),
        ("power", "qrels", "runs", "-m", "RR", "--trials", "100"),
        ("similarity", "qrels", "runs", "-m", "RR", "-m", "AP"),
        ("volatility", "qrels", "runs", "-m", "AP", "--resamples", "0"),
        ("study", "qrels", "runs", "-m", "RR", "-m", "AP", "--out", "study", "--resamples", "5", "--trials", "100"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_that_reads_runs_gives_each_notice_once(collection, capsys, words):
    said = notices(capsys, *words)
    assert said.count(LACKS) == said.count(SINGLE) == 1
    assert not [
        line for line in notices(capsys, *words, "--topics", "common", "--precision", "float32") if "topics" in line
    ]


def test_complete_runs_with_clear_scores_give_no_notice(collection, capsys):
    assert notices(capsys, "score", "qrels", "runs/A", "-m", "RR", "--precision", "single") == []
    Path("whole").write_text("".join(f"{topic} Q0 a 1 2 t\n" for topic in TOPICS))
    assert notices(capsys, "score", "qrels", "whole", "-m", "RR") == []


def test_notices_in_python_name_arguments(collection):
    with pytest.warns(MetameterWarning) as caught:
        metameter.score("qrels", "runs", "RR")
    assert [str(each.message) for each in caught] == [
        LACKS.replace("--topics common", 'topics="common"'),
        SINGLE.replace("--precision single", 'precision="single"'),
    ]


def test_explaining_one_topic_notes_its_tied_order(collection, capsys):
    words = ("explain", "RR", "--qrels", "qrels", "--run", "runs/A", "--topic")
    assert notices(capsys, *words, "6") == [SINGLE.replace("2 of 20", "1 of 1")]
    assert notices(capsys, *words, "8") == []


def test_only_ranks_above_the_cutoff_count(collection):
    lists = {"1": {"x": 3.0, "a": 2.0000000001, "b": 2.0}}
    with warnings.catch_warnings(action="error"):
        metameter.score({"1": {"a": 1, "b": 0}}, {"s": lists}, "P@1")
    with pytest.warns(
        MetameterWarning, match="single precision would order documents of s differently on 1 of 1 topics"
    ):
        metameter.score({"1": {"a": 1, "b": 0}}, {"s": lists}, "RR")


def test_many_systems_are_grouped_in_a_notice():
    qrels = {topic: {"a": 1} for topic in TOPICS}
    runs = {f"s{n:02}": {topic: {"a": 1.0} for topic in TOPICS[n:]} for n in range(12)}
    with pytest.warns(MetameterWarning) as caught:
        scores = metameter.score(qrels, runs, "RR")
    assert [str(each.message) for each in caught] == [
        "11 of 12 systems lack topics, up to 11 of 20 (s11 11, s10 10, s09 9, ...); they count as 0 "
        '(topics="common" leaves them out)'
    ]
    assert scores.missing_topics["s02"] == ["1", "2"]
    assert "s00" not in scores.missing_topics
    assert metameter.score(qrels, runs, "RR", topics="common").missing_topics == {}


def test_scores_written_by_score_keep_their_missing_topics(collection, capsys):
    run(["score", "qrels", "runs", "-m", "RR", "--out", "scores.csv"])
    assert json.loads(Path("scores.csv.manifest.json").read_text())["missing_topics"] == {"B": TOPICS[:5]}
    assert metameter.read_scores("scores.csv").missing_topics == {"B": TOPICS[:5]}
    # Cells that are not 0 any more are another table's, and a manifest that is none says nothing.
    text = Path("scores.csv").read_text()
    Path("scores.csv").write_text(text.replace("RR,B,1,0.0", "RR,B,1,0.5"))
    assert metameter.read_scores("scores.csv").missing_topics == {"B": TOPICS[1:5]}
    for manifest in ("", "[]", "{", '{"missing_topics": 3}', '{"missing_topics": {"B": 3}}', "[" * 100_000):
        Path("scores.csv.manifest.json").write_text(manifest)
        assert metameter.read_scores("scores.csv").missing_topics == {}


def test_check_reports_missing_topics(collection, capsys):
    assert run(["check", "qrels", "runs", "--format", "json"]) == 2
    said = capsys.readouterr()
    (problem,) = json.loads(said.out)["problems"]
    assert problem == {
        "file": "runs/B",
        "line": None,
        "what": "the run lacks 5 of 20 topics, which count as 0: 1, 2, 3, 4, 5",
        "fix": "Add lists for these topics, or set topics to common (--topics common) to leave them out.",
    }
    first, *_ = said.err.splitlines()
    assert first == "notice: " + SINGLE.replace("of A ", "of A within the first 10 ranks ")
    assert run(["check", "qrels", "runs", "--topics", "common"]) == 0


def test_check_reports_ties_that_decide_the_score(collection, capsys):
    tied = "".join(f"{topic} Q0 {doc} 1 1 t\n" for topic in TOPICS for doc in "ab")
    Path("tied").write_text(tied)
    problems = metameter.check("qrels", "tied", metric="RR").problems
    assert problems["what"].to_list() == [
        "40 of 40 documents are tied, and their order decides the score: RR is between 0.5000 and 1.0000"
    ]
    assert problems["fix"][0] == "Give every document its own score, or set ties to mean (--ties mean), rank or input."
    for ties in ("mean", "rank", "input"):
        assert metameter.check("qrels", "tied", metric="RR", ties=ties).problems.height == 0
    # Ties among documents that count alike, or that change the mean by less than .01, are none.
    Path("alike").write_text(tied.replace(" b ", " c ").replace(" a ", " d "))
    problems = metameter.check("qrels", "alike", metric="RR").problems
    assert problems["what"].to_list() == ["0 of 40 retrieved documents are judged"]


@pytest.mark.parametrize(("share", "count"), [(51, 0), (49, 1)])
def test_ties_matter_from_one_percent_of_the_mean(share, count):
    # One list of so many may score 1/2 or 1.
    topics = [str(number) for number in range(share)]
    qrels = {topic: {"a": 1, "b": 0} for topic in topics}
    lists = {topic: {"a": 2.0, "b": 2.0 if topic == "0" else 1.0} for topic in topics}
    assert metameter.check(qrels, {"s": lists}, metric="RR").problems.height == count


FRACTIONS = {"1": {"a": 0.5, "b": 0.25, "c": 1, "d": 0.5, "e": 0}}


def test_grades_below_rel_give_one_notice(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"1 0 {doc} {grade}\n" for doc, grade in FRACTIONS["1"].items()))
    Path("run").write_text("1 Q0 a 1 2 t\n1 Q0 c 2 1 t\n")
    told = (
        "qrels: 3 of 4 grades above 0 are below 1 (0.25, 0.5), and AP, RR, P@10, R@10 count only grades of 1 and above "
        "as relevant; set rel to count lower ones: AP(rel=0.5)"
    )
    metrics = [word for name in ("AP", "RR", "P@10", "R@10", "nDCG@10", "AP(rel=0.5)") for word in ("-m", name)]
    assert notices(capsys, "score", "qrels", "run", *metrics) == [told]
    assert notices(capsys, "volatility", "qrels", "run", *metrics[:8], "--resamples", "0") == [told]
    alone = told.replace("AP, RR, P@10, R@10 count", "AP counts")
    assert notices(capsys, "explain", "AP", "--qrels", "qrels", "--run", "run", "--topic", "1") == [alone]
    everyday = told.replace("AP, RR, P@10, R@10 count", "AP, P@10, RR, R@100, Bpref, Q(beta=1) count")
    assert notices(capsys, "check", "qrels", "run", "-m", "AP") == [everyday]
    assert notices(capsys, "score", "qrels", "run", "-m", "AP(rel=0.5)", "-m", "nDCG@10") == []


def test_many_fractional_grades_are_noted_as_a_range():
    qrels = {"1": {f"d{number}": number / 100 for number in range(100)}}
    with pytest.warns(MetameterWarning, match=r"99 of 99 grades above 0 are below 1 \(0\.01 to 0\.99\), and AP counts"):
        metameter.score(qrels, {"s": {"1": {"d1": 1.0}}}, "AP")
    with warnings.catch_warnings(action="error"):
        metameter.score({"1": {"a": 1.5, "b": 2}}, {"s": {"1": {"a": 1.0}}}, ["AP", "P@10"])


def test_float64_and_float32_are_aliases_of_precisions(collection, capsys):
    for word, name in (("float64", "double"), ("float32", "single")):
        scores = metameter.score("qrels", "runs/B", "RR", precision=word)
        assert scores.manifest["options"]["precision"] == name
        assert run(["score", "qrels", "runs/B", "-m", "RR", "--precision", word]) == 0


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("qrels", "runs", "cells"),
    [
        ("trec-dl21-judges/qrels/nist.txt.gz", "trec-dl21-judges/runs", 19),
        ("trec-covid/round1/qrels.covid-round1.txt", "trec-covid/round1/runs_depth100", 1),
    ],
    ids=["dl21", "covid1"],
)
def test_noted_lists_are_those_that_differ_from_trec_eval(data, qrels, runs, cells):
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def lines(path):
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
            return [line.split() for line in file]

    judged = {}
    for topic, _, doc, grade in lines(data / qrels):
        judged.setdefault(topic, {})[doc] = int(grade)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"})
    with pytest.warns(MetameterWarning, match="single precision would order") as caught:
        double = metameter.score(data / qrels, data / runs, "nDCG@10")
    with warnings.catch_warnings(action="error"):
        single = metameter.score(data / qrels, data / runs, "nDCG@10", precision="single")
    theirs = np.zeros(double.values.shape[1:])
    for row, system in enumerate(double.systems):
        lists = {}
        for topic, _, doc, _, score, _ in lines(data / runs / f"{system}.gz"):
            lists.setdefault(topic, {})[doc] = float(score)
        scored = evaluator.evaluate(lists)
        theirs[row] = [scored[topic]["ndcg_cut_10"] if topic in scored else 0.0 for topic in double.topics]
    differs = np.abs(double.values[0] - theirs) > 1e-9
    assert differs.sum() == cells
    assert "within the first 10 ranks" in str(caught[0].message)
    assert f"n {cells} of " in str(caught[0].message)
    np.testing.assert_allclose(single.values[0], theirs, atol=1e-9)
