"""The paper's Table 1, golden counts, the metrics that simple metrics side with, known truths, and the edges."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

import metameter
from metameter.meta.intuitiveness.procedure import intuitiveness
from metameter.notices import MetameterWarning
from metameter.types import Scores

# The published scores, and the golden ones, lack some cells: a notice says so.
pytestmark = pytest.mark.filterwarnings("ignore:.*without some score")
COMPLEX = ("act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050")
QUICK = {"trials": 40, "resamples": 20}
GOLDEN = Path(__file__).parents[2] / "golden"
CONTRACT = [
    *("collection", "iteration", "simple", "metric_a", "metric_b", "cases", "disagreements", "correct_a", "correct_b"),
    *("intuitiveness_a", "intuitiveness_b", "p"),
]
RANKING = ["collection", "iteration", "simple", "metric", "wins", "rank"]


# --- other people's numbers -----------------------------------------------------------------------------------------


@pytest.mark.realdata
def test_table_1_of_the_paper_is_reproduced(published, data):
    found = metameter.intuitiveness(
        published, complex=COMPLEX, simple="strec+p+ttime", iterations="1,10", resamples=0, trials=2
    ).table
    rows = {(row["iteration"], row["metric_a"], row["metric_b"]): row for row in found.iter_rows(named=True)}
    with (data / "trec-dd" / "expected" / "table1_2016.tsv").open() as file:
        printed = list(csv.DictReader(file, delimiter="\t"))
    assert len(printed) == len(rows) == 42
    for cell in printed:
        row = rows[int(cell["iteration"]), cell["left"], cell["right"]]
        assert f"{row['intuitiveness_a']:.4f}" == cell["left_score"]
        assert f"{row['intuitiveness_b']:.4f}" == cell["right_score"]
        assert f"{100 * row['disagreement_share']:.2f}" == cell["disagree_pct"]
        counts = [row[name] for name in ("cases", "disagreements", "correct_a", "correct_b")]
        assert counts == [int(cell[name]) for name in ("total", "disagreements", "left_correct", "right_correct")]
        marks = [
            row["p"] < 0.05 and row[one] > row[other]
            for one, other in (("correct_a", "correct_b"), ("correct_b", "correct_a"))
        ]
        assert marks == [cell["left_sig"] == "1", cell["right_sig"] == "1"]


@pytest.mark.realdata
def test_all_counts_of_the_published_scores_match(published, data):
    wanted = json.loads((GOLDEN / "paper002_scores.json").read_text())["intuitiveness"]
    sets = list(dict.fromkeys(key.split("|")[0] for key in wanted))
    found = metameter.intuitiveness(
        published, complex=COMPLEX, simple=sets, iterations="1,3,10", resamples=0, trials=2
    ).table
    rows = {
        "|".join(map(str, row[:4])): row[4:]
        for row in found.select(
            "simple", "iteration", "metric_a", "metric_b", "disagreements", "correct_a", "correct_b", "cases", "p"
        ).iter_rows()
    }
    assert len(rows) == len(wanted) == 315
    for key, cell in wanted.items():
        *counts, p = rows[key]
        assert counts == [cell[name] for name in ("disagreements", "correct1", "correct2", "total")]
        assert p == pytest.approx(cell["p"], rel=1e-9)


@pytest.mark.realdata
def test_the_papers_conclusions_on_2016_hold_for_sure_wins(published, data):
    ranking = (
        metameter.intuitiveness(published, complex=COMPLEX, trials=500, resamples=100)
        .tables["intuitiveness_ranking"]
        .filter(pl.col("iteration") == "All")
    )
    best = {label: part.sort("sure_wins")["metric"][-1] for (label,), part in ranking.group_by("simple")}
    assert best == {
        "Rel": "nsDCG",
        "Div": "alpha-nDCG",
        "Eff": "rbu_0.990_0.050",
        "Rel+Div": "alpha-nDCG",
        "Rel+Div+Eff": "nct",
    }
    assert (ranking["sure_wins"] <= ranking["wins"]).all()


def golden_scores():
    given = json.loads((GOLDEN / "intuitiveness_unanimity.json").read_text())["input"]
    names = (*given["complex"], *given["simple"])
    missing = dict.fromkeys(names, np.nan)
    scores = given["scores[run][topic][metric]"]
    cells = [
        [[scores[run].get(topic, missing)[name] for topic in given["topics"]] for run in given["runs"]]
        for name in names
    ]
    return Scores(names, tuple(given["runs"]), tuple(given["topics"]), np.array(cells))


def test_counts_match_the_golden_file():
    wanted = json.loads((GOLDEN / "intuitiveness_unanimity.json").read_text())["expected"]["intuitiveness"]
    sets = list(dict.fromkeys(key.split("|")[0] for key in wanted))
    found = metameter.intuitiveness(golden_scores(), complex="C1,C2,C3,C4", simple=sets, trials=2, resamples=0).table
    assert found.height == len(wanted) == 30
    for row in found.iter_rows(named=True):
        cell = wanted[f"{row['simple']}|{row['metric_a']}|{row['metric_b']}"]
        assert [row[name] for name in CONTRACT[5:9]] == [
            cell[name] for name in ("total", "disagreements", "correct1", "correct2")
        ]
        assert row["intuitiveness_a"] == pytest.approx(cell["intuitiveness1"])
        assert row["intuitiveness_b"] == pytest.approx(cell["intuitiveness2"])
        assert row["p"] == pytest.approx(cell["sign_test_p_two_sided"])


def test_p_matches_scipy_without_agreeing_ties():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 3, (4, 6, 9)).astype(float)
    scores = Scores(("a", "b", "c", "s"), tuple("uvwxyz"), tuple("123456789"), values)
    for ties in ("strict", "agree"):
        table = metameter.intuitiveness(scores, simple="s", ties=ties, trials=2, resamples=0).table
        strict = metameter.intuitiveness(scores, simple="s", trials=2, resamples=0).table
        for row, plain in zip(table.iter_rows(named=True), strict.iter_rows(named=True), strict=True):
            # A single simple metric supports one, the other, or both: its ties are all that the counts have more.
            both = row["correct_a"] - plain["correct_a"]
            assert both == row["correct_b"] - plain["correct_b"] >= 0
            one, other = plain["correct_a"], plain["correct_b"]
            assert row["p"] == pytest.approx(binomtest(max(one, other), one + other).pvalue)
        assert (table["correct_a"] > strict["correct_a"]).any() == (ties == "agree")


# --- what is true ---------------------------------------------------------------------------------------------------


def test_the_answer_names_the_metric_that_follows_a_dimension(sessions):
    made = metameter.intuitiveness(sessions(topics=40, systems=8), simple=["prec", "st_rec"], resamples=50)
    sure = made.table.filter(pl.col("p_table") < 0.05)
    assert set(sure["simple"]) == {"prec"}
    overall = (pl.col("collection") == "All") & (pl.col("iteration") == "All")
    ranking = made.tables["intuitiveness_ranking"].filter(pl.col("simple") == "prec", overall)
    assert ranking.select("metric", "rank", "rank_low", "rank_high").rows() == [
        ("a", 1, 1, 1),
        ("b", 2, 2, 2),
        ("c", 3, 3, 3),
    ]
    assert ranking["sure_wins"].to_list() == [6, 3, 0]
    first, second = made.answer()
    assert first == (
        "Which metric follows prec most, where metrics disagree: a. It wins 6 of its 6 comparisons for other topics "
        "(p_table < 0.05) and loses none."
    )
    assert "none is shown to do so for other topics" in second


def test_swapping_the_metrics_only_swaps_the_columns(sessions):
    one = metameter.intuitiveness(sessions(), complex="a,b", **QUICK).table
    other = metameter.intuitiveness(sessions(), complex="b,a", **QUICK).table
    swapped = {"correct_a": "correct_b", "correct_b": "correct_a", "metric_a": "metric_b", "metric_b": "metric_a"}
    swapped |= {"intuitiveness_a": "intuitiveness_b", "intuitiveness_b": "intuitiveness_a"}
    assert other.rename(swapped).select(one.columns).equals(one)


def test_scaling_a_metric_changes_nothing(sessions):
    scores = sessions()
    scaled = Scores(
        scores.metrics, scores.systems, scores.topics, scores.values * 7.3 + 2, iterations=scores.iterations
    )
    one, other = (metameter.intuitiveness(each, **QUICK) for each in (scores, scaled))
    assert all(one.tables[name].equals(other.tables[name]) for name in one.tables)


def test_wins_any_counts_larger_scores(sessions):
    made = metameter.intuitiveness(sessions(), wins="any", **QUICK)
    ranking = made.tables["intuitiveness_ranking"]
    for iteration, label in {(row["iteration"], row["simple"]) for row in made.table.iter_rows(named=True)}:
        some = made.table.filter(pl.col("iteration") == iteration, pl.col("simple") == label)
        won = [
            row["metric_a"] if row["correct_a"] > row["correct_b"] else row["metric_b"]
            for row in some.iter_rows(named=True)
            if row["correct_a"] != row["correct_b"]
        ]
        ranked = ranking.filter(
            pl.col("collection") == "All", pl.col("iteration") == str(iteration), pl.col("simple") == label
        )
        assert dict(ranked.select("metric", "wins").iter_rows()) == {name: won.count(name) for name in "abc"}


def test_the_ranking_sums_iterations_and_uses_dense_ranks(sessions):
    ranking = metameter.intuitiveness(sessions(), wins="any", **QUICK).tables["intuitiveness_ranking"]
    everything, ranking = (ranking.filter((pl.col("collection") == "All") == whole) for whole in (True, False))
    assert everything.drop("collection").equals(ranking.drop("collection"))
    single = (
        ranking.filter(pl.col("iteration") != "All")
        .group_by("simple", "metric", maintain_order=True)
        .agg(pl.col("wins").sum())
    )
    assert ranking.filter(pl.col("iteration") == "All").select("simple", "metric", "wins").equals(single)
    for _, part in ranking.group_by("iteration", "simple"):
        order = sorted(set(part["wins"]), reverse=True)
        assert part["rank"].to_list() == [1 + order.index(wins) for wins in part["wins"]]
        assert (part["rank_low"] <= part["rank_high"]).all()


# --- weights --------------------------------------------------------------------------------------------------------


def test_the_weighted_share_of_one_metric_equals_the_plain_share(sessions):
    table = metameter.intuitiveness(sessions(), weights="rel=.5,div=.3,eff=.2", **QUICK).table
    single = table.filter(~pl.col("simple").str.contains("+", literal=True))
    assert single["weighted_a"].to_list() == pytest.approx(single["intuitiveness_a"].to_list())
    assert single["weighted_b"].to_list() == pytest.approx(single["intuitiveness_b"].to_list())
    assert single["weighted_p"].to_list() == pytest.approx(single["p"].to_list())
    several = table.filter(pl.col("simple") == "Rel+Div+Eff")
    parts = [table.filter(pl.col("simple") == kind)["intuitiveness_a"].to_numpy() for kind in ("Rel", "Div", "Eff")]
    assert several["weighted_a"].to_numpy() == pytest.approx(0.5 * parts[0] + 0.3 * parts[1] + 0.2 * parts[2])
    # No ties here: the vote of the three always falls, so each disagreement is won by one.
    assert (several["weighted_a"] + several["weighted_b"]).to_numpy() == pytest.approx(1)
    assert table.columns[-3:] == ["weighted_a", "weighted_b", "weighted_p"]


def test_full_weight_on_one_metric_equals_that_metric(sessions):
    table = metameter.intuitiveness(
        sessions(), simple=["prec", "prec+st_rec"], weights={"prec": 2, "st_rec": 0}, **QUICK
    ).table
    alone, both = (table.filter(pl.col("simple") == label) for label in ("prec", "prec+st_rec"))
    for name in ("weighted_a", "weighted_b", "weighted_p"):
        assert both[name].to_list() == pytest.approx(alone[name].to_list())


# --- the form of what comes out -------------------------------------------------------------------------------------


def test_columns_start_as_documented(sessions):
    made = metameter.intuitiveness(sessions(), **QUICK)
    assert made.table.columns[: len(CONTRACT)] == CONTRACT
    assert made.tables["intuitiveness_ranking"].columns[: len(RANKING)] == RANKING
    assert made.table.schema["iteration"] == pl.Int64
    assert made.tables["intuitiveness_ranking"].schema["iteration"] == pl.String
    assert made.table["simple"].unique(maintain_order=True).to_list() == ["Rel", "Div", "Eff", "Rel+Div", "Rel+Div+Eff"]


def test_several_collections_have_rows_and_a_sum(sessions):
    given = {"one": sessions(1), "two": sessions(2, iterations=2)}
    made = metameter.intuitiveness(given, simple="prec", **QUICK)
    ranking = made.tables["intuitiveness_ranking"]
    assert ranking.select("collection", "iteration").unique(maintain_order=True).rows() == [
        *(("one", each) for each in ("1", "2", "3", "All")),
        *(("two", each) for each in ("1", "2", "All")),
        *(("All", each) for each in ("1", "2", "All")),
    ]
    # Sums over collections are of the iterations that both have.
    both = ranking.filter(pl.col("iteration").is_in(["1", "2"]))
    by_iteration = both.filter(pl.col("collection") != "All").group_by("iteration", "metric").agg(pl.col("wins").sum())
    joined = both.filter(pl.col("collection") == "All").join(
        by_iteration, on=["iteration", "metric"], maintain_order="left"
    )
    assert joined.height == 6
    assert (joined["wins"] == joined["wins_right"]).all()
    whole = joined.group_by("metric", maintain_order=True).agg(pl.col("wins").sum())["wins"]
    assert ranking.filter(pl.col("collection") == "All", pl.col("iteration") == "All")["wins"].equals(whole)
    alone = metameter.intuitiveness(given["one"], simple="prec", **QUICK)
    mine = made.table.filter(pl.col("collection") == "one").drop("collection", "p_table", "p_table_se")
    assert mine.equals(alone.table.drop("collection", "p_table", "p_table_se"))
    # More rows to be wrong about.
    assert (made.table.filter(pl.col("collection") == "one")["p_table"] >= alone.table["p_table"] - 0.3).all()


def test_trivial_sums_are_in_the_table_but_not_shown(sessions):
    made = metameter.intuitiveness(sessions().at(3), simple="prec", **QUICK)
    ranking = made.tables["intuitiveness_ranking"]
    assert ranking.select("collection", "iteration").unique(maintain_order=True).rows() == [
        *(("scores", "1"), ("scores", "All"), ("All", "1"), ("All", "All")),
    ]
    assert made.glance("intuitiveness_ranking")["iteration"].to_list() == ["1"] * 3


def test_iterations_can_be_chosen(sessions):
    table = metameter.intuitiveness(sessions(), iterations="2-3", **QUICK).table
    assert set(table["iteration"]) == {2, 3}
    whole = metameter.intuitiveness(sessions(), **QUICK).table.filter(pl.col("iteration") > 1)
    assert table.select(CONTRACT).equals(whole.select(CONTRACT))


def test_ad_hoc_metrics_can_be_compared(tmp_path):
    made = metameter.simulate(topics=10, systems=5, depth=20, documents=60, seed=1)
    scores = metameter.score(made.qrels, made.runs, ["RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "P@10"], max_grade=3)
    table = metameter.intuitiveness(scores, simple="P@10", **QUICK).table
    assert table.select("iteration", "simple", "metric_a", "metric_b").rows() == [
        (1, "P@10", "RBP(p=0.8)*max", "RBP(p=0.8)*ERG")
    ]
    assert table["cases"].item() == 10 * 10


# --- edges ----------------------------------------------------------------------------------------------------------


def test_missing_scores_are_skipped(sessions):
    scores = sessions()
    values = scores.values.copy()
    values[0, 0, 0, 0] = np.nan  # metric a, system r0, topic t0, iteration 1
    told = "scores: 1 list without some score, such as that of system 'r0' on topic 't0', iteration 1: cases"
    with pytest.warns(MetameterWarning, match=told):
        table = metameter.intuitiveness(
            Scores(scores.metrics, scores.systems, scores.topics, values, iterations=scores.iterations),
            simple="prec",
            **QUICK,
        ).table
    cases = table.filter(pl.col("iteration") == 1).select("metric_a", "metric_b", "cases").rows()
    assert cases == [("a", "b", 76), ("a", "c", 76), ("b", "c", 80)]


def test_a_constant_metric_has_no_disagreements(sessions):
    scores = sessions()
    values = scores.values.copy()
    values[2] = 1.0
    table = metameter.intuitiveness(
        Scores(scores.metrics, scores.systems, scores.topics, values, iterations=scores.iterations),
        simple="prec",
        **QUICK,
    ).table.filter(pl.col("metric_b") == "c")
    assert set(table["disagreements"]) == {0}
    assert set(table["intuitiveness_a"]) == {0.0}
    assert set(table["p"]) == set(table["p_topics"]) == set(table["p_table"]) == {1.0}


def test_few_topics_give_no_rank_intervals(sessions):
    made = metameter.intuitiveness(sessions(topics=4), simple="prec", **QUICK)
    assert made.tables["intuitiveness_ranking"]["rank_low"].null_count() == made.tables["intuitiveness_ranking"].height
    assert "No intervals for other topics: they need 5 topics or more, not 4." in made.notes


@pytest.mark.filterwarnings("default::metameter.MetameterWarning")
def test_a_simple_metric_under_test_gives_a_warning(sessions, recwarn):
    table = metameter.intuitiveness(sessions(), complex="a,prec", simple="prec", **QUICK).table
    assert "prec: compared with itself" in str(recwarn[0].message)
    assert set(table["correct_a"]) == {0}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"simple": "AP"}, r"no such metric was scored \(given 'AP'\)"),
        ({"complex": "nope"}, r"no such metric was scored \(given 'nope'\)"),
        ({"complex": "a"}, r"too few metrics to compare with the simple ones \(given 'a', allowed: at least 2\)"),
        ({"iterations": "4"}, r"there is no such iteration \(given 4, allowed: 1, 2, 3\)"),
        ({"iterations": "x"}, "iterations is not a list of iterations"),
        ({"ties": "maybe"}, "unknown value of ties"),
        ({"wins": None}, "unknown value of wins"),
        ({"alpha": 2}, "alpha is not a probability"),
        ({"trials": 0}, "too few trials"),
        ({"resamples": 1}, "too few resamples"),
        ({"seed": -1}, "the seed is negative"),
        ({"weights": "rel=1"}, r"a simple metric has no weight \(given 'st_rec'\). Add st_rec=0"),
        ({"weights": "rel=-1,div=1,eff=1"}, "a weight is not a number from 0 on"),
        ({"weights": {"rel": 0, "div": 0, "eff": 0}}, "all weights of a set are zero"),
        ({"weights": "a=1"}, "a weight is for no simple metric in use"),
        ({"simple": "prec", "weights": "st_rec=1"}, "a weight is for no simple metric in use"),
        ({"weights": 3}, "weights are neither a mapping nor a text"),
    ],
)
def test_wrong_options_give_a_one_line_error(sessions, options, says):
    with pytest.raises(metameter.MetameterError, match=says) as error:
        metameter.intuitiveness(sessions(), **options)
    assert "\n" not in str(error.value)


def test_one_system_is_refused(sessions):
    with pytest.raises(metameter.MetameterError, match=r"scores: too few systems \(given 1, allowed: at least 2\)"):
        metameter.intuitiveness(sessions(systems=1))


def test_a_table_without_simple_metrics_asks_for_their_names():
    scores = Scores(("AP", "RR"), ("x", "y"), ("1",), np.zeros((2, 2, 1)))
    with pytest.raises(metameter.MetameterError, match="there is no simple metric") as error:
        metameter.intuitiveness(scores)
    assert error.value.fix == "Set simple (--simple) to one or more of these metrics: AP, RR."


def test_a_collection_that_lacks_a_metric_is_named(sessions):
    with pytest.raises(metameter.MetameterError, match=r"two: no such metric was scored \(given 'a'\)"):
        metameter.intuitiveness({"one": sessions(), "two": sessions(names="xbc")}, complex="a,b")


@pytest.mark.filterwarnings("default::metameter.MetameterWarning")
def test_metrics_missing_from_some_collections_are_left_out(sessions, recwarn):
    given = {"one": sessions(), "two": sessions(names="xbc")}
    table = metameter.intuitiveness(given, simple="prec", **QUICK).table
    assert set(table["metric_a"]) == {"b"}
    assert "not in all collections, so left out: a" in str(recwarn[0].message)


def test_close_calls_could_change_with_another_seed(sessions):
    made = metameter.intuitiveness(sessions(), simple="prec", trials=200, resamples=0)
    near = (pl.col("p_table") - 0.05).abs() <= 2 * pl.col("p_table_se")
    assert made.table["close_call"].equals(made.table.select(near).to_series().alias("close_call"))
    count = f"{made.table['close_call'].sum()} of {made.table.height} rows"
    assert any(f"another seed could change: {count}" in note for note in made.notes)


def test_collections_of_a_study_share_the_level(sessions):
    alone = intuitiveness(sessions(), simple="prec", trials=200, resamples=0)
    shared = intuitiveness(sessions(), simple="prec", trials=200, resamples=0, collections=4)
    assert (alone.level, shared.level, shared.alpha) == (0.05, 0.0125, 0.05)
    assert shared.table["p_table"].equals(alone.table["p_table"])
    sure = [each.tables["intuitiveness_ranking"]["sure_wins"] for each in (shared, alone)]
    assert (sure[0] <= sure[1]).all()
    assert "p_table must be below 0.0125" in " ".join(shared.notes)
    assert "share the level" not in " ".join(alone.notes)
