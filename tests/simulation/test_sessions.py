"""Simulated sessions: what is known of them is what is measured; perfect sessions reach 1, empty ones 0."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import polars as pl
import pytest

from metameter.cli.program import run as program
from metameter.errors import MetameterError
from metameter.read.document_tables import read_lengths
from metameter.read.sessions.runs import as_session_runs
from metameter.read.sessions.truth import read_truth
from metameter.scoring.sessions import session
from metameter.simulation import empty_session, perfect_session, simulate_sessions, write_sessions
from metameter.simulation.sessions import DIMENSIONS
from metameter.types import SessionRun

SMALL = {"topics": 6, "systems": 4, "iterations": 4, "page": 3, "relevant": 12, "documents": 40}
# Metrics that say what their best session is, and whose best is 1.
NORMALISED = ("nCT", "nsDCG", "alpha_nDCG", "nERR_IA", "nNRBP")


@pytest.fixture(scope="module")
def small():
    return simulate_sessions(**SMALL)


def scores_of(truth, runs, metrics, **options):
    return session(truth, runs, metrics, form="corrected", **options).values


# The best session


@pytest.mark.parametrize("metric", NORMALISED)
@pytest.mark.parametrize("iterations", [1, 3, 10])
def test_a_perfect_session_scores_1(metric, iterations):
    made = simulate_sessions(topics=12, systems=1, seed=3)
    best = perfect_session(
        made.truth, f"{metric}(form=corrected)" if metric == "nCT" else metric, iterations=iterations
    )
    values = scores_of(made.truth, best, [metric], iterations=[iterations], page=5)
    np.testing.assert_allclose(values, 1, atol=1e-12, rtol=0)


def test_no_enumerated_session_beats_the_perfect_one():
    truth = read_truth({"t": {"a": {"d1": 3, "d2": 1, "d3": 2}, "b": {"d3": 1, "d4": 4}}})
    for metric in ("sDCG", "CT(form=corrected)", "NRBP"):
        best = perfect_session(truth, metric, iterations=2, page=2)
        orders = permutations(["d1", "d2", "d3", "d4"])
        others = {"".join(each): {"t": [list(each[:2]), list(each[2:])]} for each in orders}
        tried = session(truth, others, [metric], iterations=[2]).values
        assert session(truth, best, [metric], iterations=[2]).values.max() == pytest.approx(tried.max(), abs=1e-12)
        assert len(others) == 24


def test_a_perfect_session_shows_only_relevant_and_covering_documents(small):
    for metric in ("prec", "st_rec", "StRecall"):
        best = perfect_session(small.truth, metric, iterations=10, page=5)
        assert scores_of(small.truth, best, [metric], iterations=[10], page=5).min() == 1


def test_a_perfect_session_ends_when_documents_run_out(small):
    truth = read_truth({"few": {"a": {"d1": 1, "d2": 1}}, "none": {"a": {"d3": 0}}})
    best = perfect_session(truth, "alpha_nDCG", iterations=4, page=1)
    assert best.table.rows() == [("few", 1, "d2"), ("few", 2, "d1"), ("none", 1, None)]
    with pytest.raises(MetameterError, match=r"no best session is defined for tot_time.*Name one of these"):
        perfect_session(truth, "tot_time")
    with pytest.raises(MetameterError, match="page is out of range"):
        perfect_session(truth, "nCT", page=0)


def test_empty_sessions_and_missing_topics_score_0(small):
    metrics = [*NORMALISED, "CT", "ACT", "sDCG", "prec", "st_rec"]
    nothing = empty_session(small.truth)
    assert not scores_of(small.truth, nothing, metrics, iterations="1-4", page=3).any()
    first = replace(nothing, table=nothing.table[:1])
    assert not scores_of(small.truth, first, metrics, iterations="1-4", page=3, missing="empty").any()
    skipped = scores_of(small.truth, first, metrics, iterations="1-4", page=3)
    assert np.isnan(skipped[:, :, 1:]).all()
    assert not np.isnan(skipped[:, :, 0]).any()
    # Utility is what is learnt less what it costs: who reads nothing has no costs, so 0 is not the floor.
    utility = scores_of(small.truth, nothing, ["EU", "nEU"], lengths=small.lengths, iterations=[4], page=3)
    assert not utility[0].any()
    assert (utility[1] > 0).all()


@pytest.mark.slow
@pytest.mark.realdata
def test_perfect_and_empty_sessions_score_1_and_0_on_2016(data):
    with pytest.warns(UserWarning, match="nugget of its own"):
        truth = read_truth(data / "trec-dd" / "trec-dd-2016-qrels.txt.gz")
    assert (len(truth.topics), truth.table.height) == (53, 27_566)
    for iterations in (1, 10):
        for metric in NORMALISED:
            named = "nCT(form=corrected)" if metric == "nCT" else metric
            best = perfect_session(truth, named, iterations=iterations)
            values = scores_of(truth, best, [metric], iterations=[iterations], page=5)
            np.testing.assert_allclose(values, 1, atol=1e-9, rtol=0, err_msg=metric)
    assert not scores_of(truth, empty_session(truth), NORMALISED, iterations="1-10", page=5).any()
    made = simulate_sessions(truth=truth, systems=2)
    values = scores_of(truth, made.runs, ["nsDCG", "nCT", "prec"], iterations="1-10", page=5)
    assert ((values >= 0) & (values <= 1 + 1e-9)).all()


# What is known is what is measured


def test_each_quality_raises_the_metric_of_its_dimension():
    plain = (0.0, 0.0, 0.0)
    good = {dimension: tuple(2.0 * (other == dimension) for other in DIMENSIONS) for dimension in DIMENSIONS}
    made = simulate_sessions(topics=60, qualities={"plain": plain} | good, seed=1)
    values = session(made.truth, made.runs, ["prec", "st_rec", "tot_time", "neg_it"], lengths=made.lengths).values
    system = {run.name: number for number, run in enumerate(made.runs)}
    after = {"prec": values[0, ..., 0], "st_rec": values[1, ..., 0], "time": values[2, ..., -1]}
    for metric, dimension in (("prec", "relevance"), ("st_rec", "diversity"), ("time", "effort")):
        gains = after[metric][system[dimension]] - after[metric][system["plain"]]
        assert gains.mean() > 3 * gains.std(ddof=1) / np.sqrt(gains.size), dimension
    assert values[3, system["effort"], :, -1].mean() > values[3, system["plain"], :, -1].mean() + 1


def test_a_quality_changes_no_other_dimension():
    def scores(quality):
        made = simulate_sessions(topics=20, qualities={"only": quality})
        metrics = ["prec", "st_rec", "neg_it"]
        return session(made.truth, made.runs, metrics, iterations="1-10").values[:, 0]

    plain, diverse, brief = scores((0, 0, 0)), scores((0, 2, 0)), scores((0, 0, 2))
    np.testing.assert_array_equal(diverse[[0, 2]], plain[[0, 2]])
    assert (diverse[1] != plain[1]).any()
    # In which iteration of which topic both still go on.
    both = (np.diff(brief[2], axis=1, prepend=0) < 0) & (np.diff(plain[2], axis=1, prepend=0) < 0)
    assert both[:, 0].all()
    assert not both.all()
    np.testing.assert_array_equal(brief[0][both], plain[0][both])


def test_drawn_qualities_correlate_with_the_scores():
    made = simulate_sessions(topics=40, systems=30, seed=2)
    scores = session(made.truth, made.runs, ["prec", "st_rec", "tot_time"], lengths=made.lengths, iterations=[1])
    means = scores.values[..., 0].mean(axis=2)
    known = made.qualities.select(DIMENSIONS).to_numpy().T
    correlation = np.corrcoef(np.concatenate([known, means]))[:3, 3:]
    assert (np.diag(correlation) > [0.9, 0.4, 0.9]).all(), "subtopic recall needs relevance, too"
    assert np.abs(correlation[[0, 1, 1, 2], [2, 0, 2, 0]]).max() < 0.5


def test_null_systems_are_exchangeable():
    made = [simulate_sessions(**SMALL, null=True, seed=seed) for seed in range(40)]
    assert not any(each.qualities.select(DIMENSIONS).to_numpy().any() for each in made)
    means = np.array([session(each.truth, each.runs, ["prec"]).values[0, ..., -1].mean(axis=1) for each in made])
    # Each system is the best about as often: chi-squared with 3 degrees of freedom is above 16.3 once in 1,000.
    best = np.bincount(means.argmax(axis=1), minlength=4)
    assert ((best - 10.0) ** 2 / 10.0).sum() < 16.3


# What is drawn


def test_same_arguments_give_same_bits_and_more_topics_extend_them(small):
    again, larger = simulate_sessions(**SMALL), simulate_sessions(**SMALL | {"systems": 6, "topics": 9})
    assert again.truth.table.equals(small.truth.table)
    topics = list(small.truth.topics)
    assert larger.truth.table.filter(pl.col("topic").is_in(topics)).equals(small.truth.table)
    for one, same, other in zip(small.runs, again.runs, larger.runs, strict=False):
        assert one.table.equals(same.table)
        assert other.table.filter(pl.col("topic").is_in(topics)).equals(one.table)
    assert larger.qualities[:4].equals(small.qualities)
    assert not simulate_sessions(**SMALL, seed=1).truth.table.equals(small.truth.table)


def test_sessions_show_full_pages_of_new_documents(small):
    for run in small.runs:
        lists = run.table.group_by("topic", "iteration").len()
        assert set(lists["len"]) == {3}
        assert lists["iteration"].max() <= 4
        assert run.table.select("topic", "doc").is_unique().all()
        assert set(run.table["topic"]) == set(small.truth.topics)
    assert len({run.table["iteration"].len() for run in small.runs}) > 1, "sessions end at different times"


def test_the_truth_resembles_real_ones():
    truth = simulate_sessions(systems=1).truth
    relevant = truth.table.filter(pl.col("rating") > 0)
    assert set(truth.table["rating"]) == {0, 1, 2, 3, 4}
    empty = truth.subtopics.join(relevant, on=["topic", "subtopic"], how="anti").height
    assert 0.02 < empty / truth.subtopics.height < 0.25
    on = relevant.group_by("topic", "doc").agg(pl.col("subtopic").n_unique())["subtopic"]
    assert 0.1 < (on > 1).mean() < 0.6
    shared = relevant.group_by("topic", "nugget").agg(pl.col("doc").n_unique(), pl.col("rating").n_unique())
    assert (shared["doc"] > 1).mean() > 0.5
    assert (shared["rating"] == 1).all()
    assert relevant["topic"].n_unique() == 50


def test_a_given_truth_and_its_lengths_are_used():
    truth = read_truth({"mars": {"water": {"d1": 2, "d2": 1}, "air": {}}, "moon": {"dust": {"d1": 1, "mars-00000": 0}}})
    made = simulate_sessions(truth=truth, systems=2, lengths={"d1": 70}, documents=50, relevant=10, iterations=2)
    assert made.truth is truth
    assert made.lengths.row(0) == ("d1", 70.0)
    assert made.lengths["doc"].is_unique().all()
    assert {"d2", "mars-00001", "moon-00000"} <= set(made.lengths["doc"])
    assert all(set(run.table["topic"]) == {"mars", "moon"} for run in made.runs)
    scores = session(truth, made.runs, lengths=made.lengths)
    assert not np.isnan(scores.values).any()


def test_wrong_numbers_are_refused_with_the_fix():
    for wrong, message in (
        ({"topics": 0}, "topics is out of range"),
        ({"seed": -1}, "seed is out of range"),
        ({"documents": 49}, r"documents are too few \(given 49, allowed: 80 or more"),
        ({"qualities": {"a": (1, 2)}}, "the qualities of 'a' are invalid"),
        ({"qualities": {"a": (1, 2, float("nan"))}}, "three numbers: relevance, diversity, effort"),
        ({"qualities": {"a": (1, 0, 0)}, "null": True}, "null systems must be equally good"),
    ):
        with pytest.raises(MetameterError, match=message):
            simulate_sessions(**wrong)


# Files


def test_written_sessions_are_read_back(small, tmp_path):
    folder = write_sessions(small, tmp_path / "new" / "demo")
    truth, runs = read_truth(folder / "truth.csv"), as_session_runs(folder / "log.csv")
    assert truth.table.equals(small.truth.table)
    assert truth.subtopics.equals(small.truth.subtopics)
    assert [run.name for run in runs] == [run.name for run in small.runs]
    assert all(one.table.equals(other.table) for one, other in zip(runs, small.runs, strict=True))
    assert read_lengths(folder / "lengths.csv").table.equals(small.lengths)
    assert pl.read_csv(folder / "qualities.csv").equals(small.qualities)
    with pytest.raises(MetameterError, match="not empty"):
        write_sessions(small, folder)


def test_every_rating_counts_is_kept_in_the_files(tmp_path):
    table = {"topic": ["1", "1"], "subtopic": ["1.1", "1.1"], "doc": ["a", "b"], "nugget": ["x", "y"]}
    truth = replace(read_truth(pl.DataFrame(table | {"rating": [0.0, 2.0]})), every_rating_counts=True)
    made = simulate_sessions(truth=truth, systems=1, iterations=1, relevant=5, documents=10)
    written = read_truth(write_sessions(made, tmp_path / "demo") / "truth.csv")
    values = [session(each, made.runs, ["prec", "nCT"]).values for each in (truth, written)]
    np.testing.assert_array_equal(*values)


def test_written_sessions_can_be_scored_by_the_command(tmp_path, capsys):
    folder = tmp_path / "demo"
    assert program(["simulate", str(folder), "--sessions", "--topics", "3", "--systems", "2", "--iterations", "2"]) == 0
    assert f"{folder}: 3 topics, 2 systems" in capsys.readouterr().err
    files = [str(folder / name) for name in ("truth.csv", "log.csv")]
    assert program(["session", *files, "--lengths", str(folder / "lengths.csv"), "--mean", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("system,iteration,ACT,nCT,nEU,nsDCG")
    assert [line.split(",")[:2] for line in lines[1:]] == [["S001", "1"], ["S001", "2"], ["S002", "1"], ["S002", "2"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--sessions", "--depth", "3"],
            "depth is for lists, not for sessions (given 3). Leave out depth, or sessions.",
        ),
        (["--sessions", "--compress"], "compress is for lists, not for sessions"),
        (["--page", "3"], "page is for sessions (given 3). Leave out page, or give sessions, too."),
    ],
)
def test_options_of_another_mode_are_refused(tmp_path, capsys, options, message):
    assert program(["simulate", str(tmp_path / "demo"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()


def test_a_notebook_shows_the_qualities_of_systems(small):
    shown = small._repr_html_()
    assert "4 systems, 6 topics" in shown
    assert "diversity" in shown
    assert isinstance(small.runs[0], SessionRun)
