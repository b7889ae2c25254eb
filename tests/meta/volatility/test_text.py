"""What `volatility` answers, as sentences: shallow judgments, few systems, missing topics, short lists."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

import metameter
from metameter.meta.volatility.text import _evaluation_sentences
from metameter.reporting.tables import shown_tables
from metameter.view.metric_names import in_table

METRICS = ["nDCG", "AP", "RBP(p=0.8)"]
SETTLED = "How deep to evaluate: tau"
PLAN = "How deep to judge and evaluate"


def made(systems, *, pool_depth=10, seed=0, topics=30, **options):
    return metameter.simulate(topics=topics, systems=systems, depth=60, pool_depth=pool_depth, seed=seed, **options)


def answer(collection, runs=None, metrics=METRICS, **options):
    given = {"condensed": "no", "max_grade": 3, "resamples": 40, "trials": 60, **options}
    return metameter.volatility(collection.qrels, runs or collection.runs, metrics, **given)


def shortened(run, length):
    rank = pl.col("score").rank("ordinal", descending=True).over("topic")
    return metameter.Run(run.name, run.table.filter(rank <= length))


@pytest.mark.parametrize("seed", range(4))
def test_judgments_to_depth_10_are_described(seed):
    result = answer(made(20, seed=seed), grid=True)
    reach, *others = result.answer()
    share = result.tables["volatility_summary"].filter(depth=60)["judged_share"].drop_nulls()[0]
    assert reach == (
        "The judgments reach depth 10: of the systems' first 10 documents 100% are judged, "
        f"of their first 60 {share:.0%}."
    )
    assert result.judging_depth == 10
    # No depth beyond 10 is called settled, nor the end of an interval.
    settled = result.tables["volatility_settled"]
    for row in in_table(settled, result.names).iter_rows(named=True):
        told = [sentence for sentence in others if row["metric"] in sentence and sentence.startswith(SETTLED)]
        if row["depth"] is None or row["depth"] > 10:
            assert not told
            [without] = [each for each in others if row["metric"] in each and "the judged depths, 1 to 10" in each]
            cannot = without.startswith("How deep to evaluate cannot be said: tau ")
            assert cannot or re.search(r"^[^:]+ (does|do) not settle within the judged depths, 1 to 10\.$", without)
        elif row["high"] is None or row["high"] > 10:
            assert f"{row['metric']} {row['depth']} ({row['low']} to beyond 10)" in told[0]
        else:
            assert f"{row['metric']} {row['depth']} ({row['low']} to {row['high']})" in told[0]
    assert all(
        f"depth 60, where {1 - share:.0%} of the documents are unjudged, " in each for each in others if "tau" in each
    )
    # All judgments are no plan.
    assert "all judgments, depth" not in " ".join(others)
    for row in in_table(result.tables["volatility_planning"], result.names).iter_rows(named=True):
        dear = [each for each in others if each.startswith("No cheaper plan than all judgments is sure")]
        assert any(row["metric"] in each for each in dear) == (row["sure_share"] == 1 and row["verdicts"] > 0)


def test_a_metric_with_a_cutoff_settles_within_judgments():
    sentences = answer(made(20), metrics=["RBP(p=0.8)@10*ERG", "nDCG"]).answer()
    [own] = [each for each in sentences if "RBP(p=0.8)@10*ERG" in each]
    assert "that at depth 10 stays at least 0.9" in own
    assert "unjudged" not in own


def test_plans_leave_out_pools_deeper_than_the_judgments():
    summary = answer(made(20), grid=True).tables["volatility_summary"]
    assert summary["pool_depth"].unique().sort().to_list() == [5, 10]


@pytest.mark.parametrize("systems", [7, 20])
def test_complete_judgments_are_described(systems):
    result = answer(made(systems, pool_depth=60), depths="1-40")
    reach, *others = result.answer()
    assert (
        reach
        == "The judgments reach all depths that are evaluated: of the systems' first 40 documents 100% are judged."
    )
    few = "Warning: 7 systems are few, so a verdict on a metric may change with other systems; 10 or more are better."
    assert (few in others) == (systems == 7)
    assert "unjudged" not in " ".join(others)


@pytest.mark.parametrize("seed", range(3))
def test_two_systems_give_curves_and_differences_only(seed):
    result = answer(made(2, pool_depth=60, seed=seed), metrics=["nDCG"])
    reach, few, told = result.answer()
    assert reach.startswith("The judgments reach all depths")
    assert (
        few
        == "2 systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more."
    )
    table = result.tables["volatility_difference"]
    assert table.columns == ["metric", "condensed", "depth", "system_a", "system_b", "difference", "low", "high"]
    rows = {row["depth"]: row for row in table.iter_rows(named=True)}
    turn = 1 if rows[60]["difference"] > 0 else -1
    best, worst = ("S001", "S002")[::turn]
    numbers = []
    for depth in (10, 60):
        low, high = sorted(turn * rows[depth][end] for end in ("low", "high"))
        numbers.append(f"{turn * rows[depth]['difference']:.4f} ({low:.4f} to {high:.4f}) at depth {depth}")
    means = {
        name: part["score"].to_numpy() for (name,), part in result.table.partition_by("system", as_dict=True).items()
    }
    above = (means[best] > means[worst]).tolist()
    start = 60 - above[::-1].index(False) + 1 if False in above else 1
    span = "at every depth from 1 to 60" if start == 1 else f"from depth {start} to 60"
    assert told == (
        "On these topics (in brackets: 95% intervals over topics, each alone): "
        f"nDCG: {best} above {worst} {span}, {best} minus {worst} is {' and '.join(numbers)}."
    )
    assert "volatility_settled" not in result.tables
    assert result.tables["volatility_summary"]["low"].is_null().all()
    assert set(result.charts()) == {"volatility", "volatility_difference"}


def test_two_systems_are_not_compared_at_unjudged_depths():
    told = answer(made(2), metrics=["nDCG"]).answer()[-1]
    assert " 10, " in told
    assert told.count("at depth") == 1
    assert told.endswith("at depth 10.")


def test_three_systems_are_described_in_order():
    *_, told, table = answer(made(3, pool_depth=60), metrics=["nDCG"]).answer()
    assert told.startswith("On these topics: nDCG: S00")
    assert told.count(" above ") == 2
    assert table == "volatility_difference has the difference of every two systems by depth."


def test_identical_systems_have_no_orderings():
    collection = made(20)
    first = collection.runs[0]
    for count in (2, 6):
        runs = [metameter.Run(f"s{number}", first.table) for number in range(count)]
        *_, last = answer(collection, runs, ["nDCG"]).answer()
        if count == 2:
            assert (
                "nDCG: s0 level with s1 at every depth from 1 to 10, s0 minus s1 is 0.0000 (0.0000 to 0.0000)" in last
            )
        else:
            assert last == (
                "There are no orderings to compare: that takes two depths, and two systems with different scores."
            )


def test_missing_topics_do_not_change_the_judging_depth():
    collection = made(20)
    topic = collection.qrels.table["topic"].unique().sort()[:9]
    lacking = metameter.Run("lacking", collection.runs[0].table.filter(~pl.col("topic").is_in(topic.implode())))
    runs = [lacking, shortened(collection.runs[1], 8), *collection.runs[2:]]
    result = answer(collection, runs)
    assert result.answer()[0].startswith("The judgments reach depth 10: of the systems' first 10 documents 100% are")
    assert (
        f"Lists shorter than 60 for every topic: 1 of 20 systems ({runs[1].name}); the shortest have 8 documents."
        in result.notes
    )


def test_lists_shorter_than_the_judgments_are_fully_judged():
    collection = made(20)
    reach, *others = answer(collection, [shortened(run, 6) for run in collection.runs]).answer()
    assert (
        reach == "The judgments reach all depths that are evaluated: of the systems' first 6 documents 100% are judged."
    )
    assert "unjudged" not in " ".join(others)


def test_systems_that_did_not_contribute_are_named():
    """Half of the lists are judged only where others have the same documents."""
    reach, *_ = answer(made(40, contributing=20)).answer()
    assert reach.startswith("The judgments reach depth 10 in the runs that were pooled: of the systems' first 10 ")


def test_unclear_gaps_compare_all_runs():
    collection = made(17, contributing=7)
    result = answer(collection, judged_to="data", include_others=True)
    assert "contributing" not in result.table.columns
    assert result.table["system"].n_unique() == 17
    assert "first unjudged document at the same rank, fewer than 10, so the runs do not show which" in result.notes[0]
    shown = answer(made(40, contributing=20), judged_to="data", include_others=True)
    assert shown.table.filter("contributing")["system"].n_unique() == 20


@pytest.mark.parametrize("systems", [2, 4, 6])
def test_shares_and_differences_stay_within_their_range(systems):
    tables = answer(made(systems, topics=5), grid=systems > 4, pools=[2, 5] if systems > 4 else None).tables
    shares = {"kept", "power", "share", "holds", "sure_share", "judged_share"}
    for table in tables.values():
        for column in shares & {*table.columns}:
            assert table[column].drop_nulls().is_between(0, 1).all()
    signed = {"tau_to_final", "tau_to_previous", "tau_ap_to_final", "tau_ap_low", "tau_ap_high"} | {"low", "high"}
    for name in {"volatility_summary", "volatility_difference"} & {*tables}:
        for column in signed & {*tables[name].columns}:
            assert tables[name][column].drop_nulls().is_between(-1, 1).all()


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("qrels", "runs", "says"),
    [
        (
            "trec-covid/round1/qrels.covid-round1.txt",
            "trec-covid/round1/runs_depth100",
            "7 in the runs that were pooled",
        ),
        (
            "trec-covid/round2/qrels.covid-round2.txt",
            "trec-covid/round2/runs_depth100",
            "7 in the runs that were pooled",
        ),
        ("trec-dl21-judges/qrels/nist.txt.gz", "trec-dl21-judges/runs", "10"),
    ],
)
def test_the_judging_depth_of_real_judgments_is_stated(data, qrels, runs, says):
    options = {"depths": "1-10,20,50,100", "condensed": "no", "resamples": 0, "max_grade": 3}
    reach, *_ = metameter.volatility(data / qrels, data / runs, ["nDCG"], **options).answer()
    assert reach.startswith(f"The judgments reach depth {says}: ")


def test_the_contributing_rule_is_stated_once():
    found = answer(made(40, contributing=20), judged_to="data", include_others=True)
    pool = next(each for each in found.notes if each.startswith("Pool: "))
    assert pool.count("unjudged document in the first") == 1
    assert "; the pool depth is " in pool


def test_metrics_that_do_not_settle_are_named_in_a_sentence():
    rows = [{"metric": name, "name": name, "condensed": False, "depth": depth} for name, depth in DEPTHS.items()]
    about = {"low": None, "high": None, "final": 100, "judging_depth": 10, "judged_share": 0.5}
    *_, several = _evaluation_sentences([{**row, **about} for row in rows], 0.9)
    assert several == "AP, nDCG and P@k do not settle within the judged depths, 1 to 10."
    *_, one = _evaluation_sentences([{**row, **about} for row in rows[:2]], 0.9)
    assert one == "AP does not settle within the judged depths, 1 to 10."
    *_, end = _evaluation_sentences(
        [{**row, **about, "judging_depth": None} for row in rows if row["depth"] != 20], 0.9
    )
    assert end == "P@k does not settle before the end."


DEPTHS = {"RR": 5, "AP": 78, "nDCG": 20, "P@k": None}


def test_tables_for_people_have_no_settled_depth_beyond_the_judgments():
    result = answer(made(20))
    settled = result.tables["volatility_settled"]
    assert settled.filter(pl.col("depth") > 10).height
    assert settled["judging_depth"].unique().to_list() == [10]
    for shown in (result.readable("volatility_settled"), result.glance("volatility_settled")):
        for row, exact in zip(shown.iter_rows(named=True), settled.iter_rows(named=True), strict=True):
            if exact["depth"] is None or exact["depth"] > 10:
                assert [row[name] for name in ("depth", "low", "high")] == ["beyond 10", None, None]
            else:
                assert (row["depth"], row["low"]) == (str(exact["depth"]), str(exact["low"]))
                beyond = exact["high"] is None or exact["high"] > 10
                assert row["high"] == ("beyond 10" if beyond else str(exact["high"]))
    assert "beyond 10" in result.latex()["volatility_settled"]
    [reported] = [table for table in shown_tables(result) if table.name == "volatility_settled"]
    [depths] = [[text for text, _ in column.cells] for column in reported.columns if column.name == "depth"]
    assert depths == result.readable("volatility_settled")["depth"].to_list()
    complete = answer(made(20, pool_depth=60), depths="1-40")
    shown, exact = (frame("volatility_settled") for frame in (complete.readable, complete.tables.get))
    assert shown.drop("metric").equals(exact.drop("metric"))


def test_a_judging_depth_by_share_is_called_so():
    collection = made(7, pool_depth=20)
    topic, document = collection.runs[0].table.sort("topic", "score", descending=[False, True]).row(0)[:2]
    rows = collection.qrels.table.filter((pl.col("topic") != topic) | (pl.col("doc") != document))
    result = answer(replace(collection, qrels=metameter.Qrels(rows)))
    assert result.answer()[0].startswith("The judgments reach depth 20 by the share judged: of the systems' first 20 ")
    assert "so the pool depth is unknown" in "\n".join(result.notes)
