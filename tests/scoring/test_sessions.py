"""Sessions from files to scores: the official scorer's numbers first, then the rules and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import metameter as mm
from metameter import MetameterError
from metameter.cli.program import run
from metameter.notices import MetameterWarning
from metameter.scoring.sessions import session_table

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "trec_dd_jig.json").read_text())
CUTOFFS = (1, 2, 3, 5, 7, 10)
TRUTH = {"mars": {"water": {"d1": 2, "d2": 1}, "life": {"d3": 1}}, "venus": {"heat": {"d7": 3}}}
RUNS = {
    "a": {"mars": [["d1", "d9"], ["d3", "d2"]], "venus": [["d7", "d8"]]},
    "b": {"mars": [["d9", "d2"], ["d3"]]},
}


def xml(truth):
    """The truth as TREC Dynamic Domain publishes it."""
    passages = "<passage id='{passage_id}'><docno>{docno}</docno><rating>{rating}</rating><type>{type}</type></passage>"
    topics = "".join(
        f"<topic id='{topic}'>"
        + "".join(
            f"<subtopic id='{name}'>{''.join(passages.format(**each) for each in listed)}</subtopic>"
            for name, listed in subtopics.items()
        )
        + "</topic>"
        for topic, subtopics in truth.items()
    )
    return f"<trec_dd><domain id='1'>{topics}</domain></trec_dd>"


@pytest.fixture
def official(tmp_path):
    """The files of the official scorer: truth, run and lengths."""
    (tmp_path / "truth.xml").write_text(xml(GOLDEN["input"]["truth"]))
    rows = next(value for key, value in GOLDEN["input"].items() if key.startswith("run_rows"))
    lines = ("\t".join(map(str, row)) + "\t0\t\n" for row in rows)
    (tmp_path / "ours").write_text("".join(lines))
    (tmp_path / "lengths.json").write_text(json.dumps(GOLDEN["input"]["doc_len"]))
    return tmp_path


@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_files_of_the_official_scorer_reproduce_its_numbers(official):
    names = ["CT", "ACT", "nCT", "sDCG", "nsDCG", "EU", "nEU"]
    scores = mm.session(
        official / "truth.xml",
        official / "ours",
        names,
        lengths=official / "lengths.json",
        iterations=CUTOFFS,
    )
    assert scores.systems == ("ours",)
    assert scores.iterations == CUTOFFS
    for name, values in zip(names, scores.values[:, 0], strict=True):
        for row, topic in enumerate(scores.topics):
            expected = [GOLDEN["expected"][f"cutoff={k}"][topic][name.lower()] for k in CUTOFFS]
            np.testing.assert_allclose(values[row], expected, rtol=0, atol=1e-9, err_msg=f"{name} {topic}")


def test_the_command_prints_the_columns_of_the_paper(official, capsys):
    files = [str(official / name) for name in ("truth.xml", "ours")]
    assert run(["session", *files, "--lengths", str(official / "lengths.json"), "--format", "csv"]) == 0
    printed = capsys.readouterr()
    header, *rows = printed.out.splitlines()
    metrics = "ACT,nCT,nEU,nsDCG,alpha-nDCG,nERR-IA,RBU,prec,st-rec,tot-time,r-it,neg-it"
    assert header == f"system,iteration,topic,{metrics}"
    assert len(rows) == 4 * 10, "ten iterations of four topics"
    assert "shown before in the session: 1 document" in printed.err


@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_written_scores_are_read_back_unchanged(official, tmp_path):
    files = [str(official / name) for name in ("truth.xml", "ours")]
    assert run(["session", *files, "--out", str(tmp_path / "out")]) == 0
    scores = mm.session(*files)
    read = mm.read_scores(tmp_path / "out" / "session.csv", iteration="all")
    assert read.iterations == scores.iterations
    np.testing.assert_array_equal(read.values, scores.values)
    assert {"session.csv", "session.tex", "manifest.json"} <= {each.name for each in (tmp_path / "out").iterdir()}


def test_without_lengths_cost_based_metrics_are_left_out():
    with pytest.warns(MetameterWarning, match="without lengths of documents, nEU and tot-time are left out"):
        scores = mm.session(TRUTH, RUNS)
    complex_ones = ("ACT", "nCT", "nsDCG", "alpha_nDCG", "nERR_IA", "RBU(p=0.99,e=0.05)")
    assert scores.metrics == (*complex_ones, "prec", "st_rec", "r_it", "neg_it")
    for metric in ("nEU", "EU", "tot_time"):
        with pytest.raises(MetameterError, match=rf"{metric} needs the lengths of documents.*--lengths"):
            mm.session(TRUTH, RUNS, metric)


def test_a_log_keeps_its_own_number_of_iterations():
    scores = mm.session(TRUTH, RUNS, ["prec", "neg_it"])
    assert scores.iterations == (1, 2)
    assert mm.session(TRUTH, RUNS, "prec", iterations="1,3").iterations == (1, 3)
    np.testing.assert_array_equal(scores["neg_it"], [[[-1, -2], [-1, -1]], [[-1, -2], [np.nan, np.nan]]])


def test_a_missing_topic_is_skipped_or_empty():
    skipped = mm.session(TRUTH, RUNS, ["prec", "alpha_nDCG"])
    assert np.isnan(skipped.values[:, 1, 1]).all()
    empty = mm.session(TRUTH, RUNS, ["prec", "alpha_nDCG", "nCT", "r_it"], missing="empty")
    assert (empty.values[:, 1, 1] == 0).all()
    means = session_table(skipped, mean=True).table
    assert means.filter(system="b", iteration=1)["prec"].to_list() == [0.5], "the mean over the topics that it has"


def test_list_metrics_concatenate_all_iterations():
    """After n iterations that show two documents each: the first 2n documents."""
    scores = mm.session(TRUTH, RUNS, ["nDCG", "alpha_nDCG", "P@3"])
    flat = {"a": {"mars": {"d1": 4.0, "d9": 3.0, "d3": 2.0, "d2": 1.0}}}
    qrels = {"mars": {"d1": 2, "d2": 1, "d3": 1}}
    for metric, at in (("nDCG", (2, 4)), ("P@3", (2, 3))):
        name = metric.partition("@")[0]
        expected = [mm.score(qrels, flat, f"{name}@{k}").values[0, 0, 0] for k in at]
        np.testing.assert_allclose(scores[metric][0, 0], expected)


def test_the_corrected_form_does_not_look_ahead():
    """The second list has one document: officially the first four documents of a TREC run include the third's."""
    log = mm.read_session_run({"mars": [["d9", "d2"], ["d8"], ["d3", "d1"]]}, name="b")
    trec = replace(log, page=2)
    metrics = ["st_rec", "StRecall"]
    official, corrected = (mm.session(TRUTH, trec, metrics, form=form) for form in ("official", "corrected"))
    ours = mm.session(TRUTH, log, metrics)
    for number in range(2):
        assert official.values[number, 0, 0, :3].tolist() == [0.5, 1.0, 1.0]
        assert corrected.values[number, 0, 0, :3].tolist() == [0.5, 0.5, 1.0]
        assert ours.values[number, 0, 0].tolist() == [0.5, 0.5, 1.0], "a log has no page that a track rules"
    assert corrected.metrics == ("st_rec(form=corrected)", "StRecall")
    assert session_table(corrected).table.columns[-2:] == ["st-rec", "StRecall"]


def test_topics_without_any_judgment_are_left_out():
    truth = {**TRUTH, "pluto": {"ice": {}}}
    with pytest.warns(MetameterWarning, match="1 topic of the truth without any judgment, such as 'pluto', left out"):
        scores = mm.session(truth, RUNS, ["prec", "nCT"])
    np.testing.assert_array_equal(scores.values, mm.session(TRUTH, RUNS, ["prec", "nCT"]).values)


def test_more_documents_than_a_page_holds_give_a_notice():
    run = replace(mm.read_session_run({"mars": [["d1", "d2", "d3"]]}, name="b"), page=2)
    with pytest.warns(MetameterWarning, match="shows 3 documents; the official scorer counts on 2"):
        mm.session(TRUTH, run, "nsDCG", iterations=1)
    assert mm.session(TRUTH, run, "nsDCG", iterations=1, form="corrected").values.tolist() == [[[[1.0]]]]


@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_jobs_and_workers_change_nothing(pickling_workers):
    one, many = mm.session(TRUTH, RUNS, jobs=1), mm.session(TRUTH, RUNS, jobs=pickling_workers)
    np.testing.assert_array_equal(one.values, many.values)
    assert one.manifest == many.manifest


def test_missing_lengths_and_unknown_topics_give_notices():
    runs = {**RUNS, "c": {"pluto": [["d1"]], "mars": [["d1"]]}}
    with pytest.warns(MetameterWarning) as told:
        mm.session(TRUTH, runs, "tot_time", lengths={"d1": 10, "d2": 5})
    texts = [str(each.message) for each in told]
    assert "4 documents of 6 shown have no length, and count as empty" in texts
    assert any("1 topic of the runs without judgments, such as 'pluto', left out" in text for text in texts)


def test_the_page_size_is_that_of_the_log_or_given():
    whole = mm.session(TRUTH, RUNS, "nsDCG")
    assert whole.manifest["options"]["page"] == 2
    assert mm.session(TRUTH, RUNS, "nsDCG", page=5).manifest["options"]["page"] == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "offical"}, "unknown value of form"),
        ({"missing": "zero"}, "unknown value of missing"),
        ({"page": 0}, "page is out of range"),
        ({"iterations": "0-3"}, "iterations is out of range"),
        ({"iterations": "3-1"}, "a range that falls"),
        ({"metrics": "nCT(form=odd)"}, "form is out of range"),
        ({"metrics": "nonsense"}, "unknown metric"),
        ({"runs": {"x": {"pluto": [["d1"]]}}}, "no topic in common with the truth"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(MetameterError, match=message):
        mm.session(**{"truth": TRUTH, "runs": RUNS, "metrics": "prec", **options})


def test_diversity_of_plain_runs_is_scored_with_score(tmp_path, capsys):
    """The second column of the qrels is the subtopic."""
    (tmp_path / "qrels").write_text("1 a d1 1\n1 b d2 1\n1 b d3 0\n2 a d1 1\n")
    (tmp_path / "run").write_text("1 Q0 d3 1 3 t\n1 Q0 d1 2 2 t\n2 Q0 d9 1 1 t\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert run(["score", *files, "-m", "StRecall@2", "-m", "P@2", "-m", "alpha-nDCG@2", "--format", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert rows[:4] == ["StRecall@2,run,1,0.5", "StRecall@2,run,2,0.0", "P@2,run,1,0.5", "P@2,run,2,0.0"]
    scores = mm.score(*files, "alpha_nDCG(judged_only=True)@2")
    assert scores.values[0, 0].tolist() == mm.score(*files, "alpha_nDCG@2", unjudged="condense").values[0, 0].tolist()


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("nCT", {}, "score it with session"),
        ("alpha_nDCG", {"residual": True}, "no residuals of metrics that see subtopics"),
        ("alpha_nDCG", {"ties": "mean"}, "no mean over ties of metrics that see subtopics"),
        ("alpha_nDCG", {"pool_depth": 3}, "pool_depth does not apply to judgments by subtopic"),
        ("alpha_nDCG", {"qrels_duplicates": "max"}, "qrels_duplicates does not apply"),
    ],
)
def test_score_refuses_unsupported_subtopic_options(metric, options, message):
    runs = {"a": {"mars": {"d1": 2.0, "d9": 1.0}}}
    with pytest.raises(MetameterError, match=message):
        mm.score(TRUTH, runs, metric, **options)


def test_a_terminal_shows_means_of_many_topics():
    truth = {str(topic): {"a": {"d1": 1}} for topic in range(40)}
    runs = {"x": {topic: [["d1"], ["d2"]] for topic in truth}}
    made = session_table(mm.session(truth, runs, ["prec", "neg_it"]))
    assert made.table.height == 80
    assert made.glance().rows() == [("x", 2, 0.5, -2.0)]
    assert "--format csv all 80 rows" in made.remark
    few = session_table(mm.session(TRUTH, RUNS, "prec"))
    assert few.glance().height == few.table.height
    assert not few.remark
