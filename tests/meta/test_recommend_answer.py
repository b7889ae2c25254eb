"""The sentences of `recommend`, case by case."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.meta.recommend.across_collections import across
from metameter.meta.recommend.answer import Groups, groups_of
from metameter.meta.recommend.procedure import recommend
from metameter.types import Scores

SMALL = {"splits": 60, "trials": 100, "resamples": 128, "most_resamples": 128}
UNCHANGED = "nothing here speaks for changing"
EIGHT = ("nDCG@10", "nDCG", "AP", "P@10", "RR", "RBP(p=0.8)*ERG", "Bpref", "Q(beta=1)")


def scores_of(noises, names, systems=12, topics=40, seed=1):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1, systems)[:, None]
    values = np.stack([quality + rng.normal(0, noise, (systems, topics)) for noise in noises])
    return Scores(tuple(names), tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics))), values)


def standings(found):
    return dict(found.tables["metrics"]["metric", "standing"].iter_rows())


def test_one_clear_winner_is_named_alone():
    found = recommend(scores_of([0.2, 3.0, 3.0], ["RR", "nDCG@10", "AP"]), **SMALL)
    assert found.answer()[0] == (
        "Use RR: it is shown to beat each of the other 2 metrics in consistency or in power, and is below none."
    )
    assert standings(found) == {"RR": "top", "nDCG@10": "below", "AP": "below"}
    two = recommend(scores_of([0.2, 3.0], ["RR", "AP"]), **SMALL)
    assert two.answer()[0] == "Use RR: it is shown to beat AP in consistency or in power, and is below none."


def test_a_group_is_named_in_the_order_of_convention_and_not_by_figures():
    names = ["mine", "AP", "nDCG@10", "RR", "ERR*ERR@10"]
    found = recommend(scores_of([0.2, 0.22, 0.24, 5.0, 5.0], names), **SMALL)
    assert found.answer()[0] == (
        "Not shown to be below any other: nDCG@10, AP, mine. Shown to be below: RR, ERR*ERR@10. "
        f"If you use one of the first group, {UNCHANGED}."
    )
    assert not any("serve as well" in each for each in found.answer())


def test_one_metric_that_is_not_shown_to_beat_all_is_not_recommended():
    # It beats RR, and is not shown to differ from what is left out for lack of judgments.
    scores = scores_of([0.3, 0.3, 4.0], ["nDCG@10", "AP", "RR"])
    scores.manifest["judged"] = {"nDCG@10": 0.9, "AP": 0.3, "RR": 0.9}
    found = recommend(scores, **SMALL)
    assert found.answer()[:2] == [
        f"Not shown to be below any other: nDCG@10 alone. Shown to be below: RR. If you use nDCG@10, {UNCHANGED}.",
        "Not shown to be below any other either, but left out, since more than half of the ranks it looks at are "
        "unjudged: AP (30.0% judged).",
    ]


def test_a_tie_of_eight():
    found = recommend(scores_of([0.5] * 8, EIGHT), **SMALL)
    assert found.answer()[0] == (
        "None of the 8 metrics is shown to be below another: nDCG@10, nDCG, AP, P@10, RR, RBP(p=0.8)*ERG, Bpref, "
        "Q(beta=1). Nothing here speaks for changing the metric you use."
    )
    assert set(standings(found).values()) == {"open"}
    assert any(
        each.startswith("Not shown to differ is not the same: within the first group") for each in found.answer()
    )


def test_a_null_recommends_nothing():
    rng = np.random.default_rng(3)
    values = rng.random((2, 12, 30))
    scores = Scores(("AP", "RR"), tuple(f"s{i}" for i in range(12)), tuple(map(str, range(30))), values)
    found = recommend(scores, **SMALL)
    assert found.answer()[0] == (
        "Neither of the 2 metrics is shown to be below the other: AP, RR. Nothing here speaks for changing the metric "
        "you use."
    )
    assert any(each.startswith("RR and AP are not shown to differ (the interval reaches in") for each in found.answer())


def test_better_in_one_and_worse_in_the_other_is_neither_above_nor_below():
    table = recommend(scores_of([0.5, 0.5], ["AP", "RR"]), **SMALL)
    metrics = table.tables["metrics"]
    assert metrics["beats"].to_list() == metrics["beaten_by"].to_list() == [0, 0]
    from metameter.stats.all_pairs import PairDifferences

    apart = np.array([[[0.0, 0.3], [-0.3, 0.0]], [[0.0, -0.3], [0.3, 0.0]]])
    pairs = PairDifferences(apart, apart * 0, np.full((2, 2, 2), 0.1), apart * 0)
    assert not pairs.beats().any()


def test_two_systems_are_compared_instead_of_metrics():
    found = recommend(scores_of([0.1, 0.1], ["RR", "nDCG@10"], systems=2), **SMALL)
    *compared, last = found.answer()
    assert last == (
        "2 systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more."
    )
    assert [each.split()[:2] for each in compared] == [["By", "nDCG@10"], ["By", "RR"]]
    assert not any("Use " in each for each in found.answer())
    assert found.table.height == 0
    assert found.tables["metrics"]["standing"].null_count() == 2


def test_five_to_nine_systems_are_warned_of():
    found = recommend(scores_of([0.2, 3.0, 3.0], ["RR", "nDCG@10", "AP"], systems=7), **SMALL)
    assert (
        "Warning: 7 systems are few, so a verdict on a metric may change with other systems; 10 or more are better."
        in found.answer()
    )


def test_what_you_use_today_is_answered_first():
    scores = scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"])
    good = recommend(scores, reference=["AP"], **SMALL).answer()
    assert good[0] == f"AP, which you use today, is not shown to be below any of the 2 other metrics: {UNCHANGED}."
    assert good[1].startswith("Not shown to be below any other: nDCG@10, AP. Shown to be below: RR.")
    bad = recommend(scores, reference=["RR"], **SMALL).answer()
    assert bad[0] == "RR, which you use today, is shown to be below: AP, nDCG@10."
    both = recommend(scores, reference=["RR", "AP"], **SMALL).answer()
    assert both[0] == (
        "RR, which you use today, is shown to be below: AP, nDCG@10. "
        f"AP, which you use today, is not shown to be below any of the 2 other metrics: {UNCHANGED}."
    )


def test_a_metric_that_does_not_measure_relevance_is_no_candidate():
    names = ["nDCG@10", "AP", "Judged@100", "NumRet"]
    found = recommend(scores_of([2.0, 2.0, 0.05, 0.05], names), **SMALL)
    first, second, *_ = found.answer()
    assert first == (
        "Neither of the 2 metrics is shown to be below the other: nDCG@10, AP. Nothing here speaks for changing the "
        "metric you use."
    )
    assert second == (
        "Judged@100, NumRet do not measure relevance: they are shown for diagnosis only, not compared for the choice."
    )
    assert standings(found) == {"nDCG@10": "open", "AP": "open", "Judged@100": None, "NumRet": None}
    today = recommend(scores_of([2.0, 2.0, 0.05], names[:3]), reference=["AP"], **SMALL).answer()[0]
    assert today == f"AP, which you use today, is not shown to be below the other metric: {UNCHANGED}."


def test_judgments_to_depth_10_leave_deep_metrics_out_of_the_first_group():
    made = metameter.simulate(topics=20, systems=12, depth=100, pool_depth=10, seed=2)
    found = recommend(metameter.score(made.qrels, made.runs, ["nDCG@10", "nDCG", "AP", "P@10"], max_grade=3), **SMALL)
    judged = dict(found.tables["metrics"]["metric", "judged"].iter_rows())
    assert judged["nDCG@10"] == judged["P@10"] == 1.0
    assert judged["nDCG"] == judged["AP"] < 0.5
    first, second, *_ = found.answer()
    assert "nDCG," not in first
    assert "AP" not in first.partition("Shown to be below")[0]
    assert f"nDCG ({judged['nDCG']:.1%} judged)" in second


def test_identical_metrics_have_one_rows_letters_and_counts():
    scores = scores_of([0.3, 2.0, 4.0], ["nDCG@10", "AP", "RR"])
    values = np.concatenate([scores.values, 3.0 * scores.values[[1]]])
    found = recommend(Scores((*scores.metrics, "thrice"), scores.systems, scores.topics, values), **SMALL)
    same = found.tables["metrics"].filter(pl.col("metric").is_in(["AP", "thrice"])).drop("metric", "named")
    assert same.rows()[0] == same.rows()[1]
    assert "Identical here: AP = thrice." in found.answer()


def test_a_close_call_is_said_in_the_answer():
    found = recommend(
        scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"]), **{**SMALL, "resamples": 64, "most_resamples": 64}
    )
    # One block of resamples has no known error: every standing may change.
    assert found.tables["metrics"]["close_call"].any()
    assert any(each.startswith("Close call: with another seed the group of ") for each in found.answer())


def test_stability_of_the_answer_stands_beside_the_name():
    found = recommend(scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"]), **SMALL)
    shares = found.tables["metrics"].select("top_share", "top_share_topics", "top_share_systems", "top_share_seeds")
    assert shares.min_horizontal().min() >= 0
    assert shares.max_horizontal().max() <= 1
    top = dict(found.tables["metrics"]["metric", "top_share"].iter_rows())
    assert top["RR"] < 0.2 < 0.6 < top["AP"]
    told = next(each for each in found.answer() if each.startswith("Stability of this answer"))
    assert told.endswith(f"RR {top['RR']:.0%}, nDCG@10 {top['nDCG@10']:.0%}, AP {top['AP']:.0%}.")


def test_ends_of_intervals_stay_within_what_is_possible():
    found = recommend(scores_of([0.5, 0.5], ["AP", "RR"], systems=5, topics=5), **SMALL)
    for what in ("consistency", "power"):
        for end in ("low", "high", "low_row", "high_row"):
            assert found.table[f"{what}_{end}"].is_between(-1, 1).all()


@pytest.fixture(scope="module")
def collections():
    names = ["nDCG@10", "AP", "RR"]
    one = recommend(scores_of([0.3, 0.3, 4.0], names), **SMALL)
    two = recommend(scores_of([0.3, 0.3, 4.0], names, seed=2), **SMALL)
    tie = recommend(scores_of([0.5, 0.5, 0.5], names, seed=3), **SMALL)
    return one, two, tie


def test_several_collections_are_answered_together(collections):
    one, two, tie = collections
    both = across({"A": one, "B": two})
    assert both.sentences[0] == (
        "Not shown to be below any other in either of the 2 collections: nDCG@10, AP. Shown to be below another in "
        f"both: RR. If you use one of the first group, {UNCHANGED}."
    )
    some = across({"A": one, "B": two, "C": tie})
    assert some.sentences[0] == (
        "Not shown to be below any other in any of the 3 collections: nDCG@10, AP. Shown to be below another in some: "
        f"RR (A, B). If you use one of the first group, {UNCHANGED}."
    )
    none = across({"C": tie, "D": tie})
    assert none.sentences[0] == (
        "In both collections none of the 3 metrics is shown to be below another: nDCG@10, AP, RR. Nothing here speaks "
        "for changing the metric you use."
    )


def test_differences_are_pooled_over_collections(collections):
    one, two, tie = collections
    found = across({"A": one, "B": two, "C": tie}).tables["findings"]
    row = found.filter(pl.col("metric") == "RR", pl.col("canonical") == "AP").row(0, named=True)
    each = [
        result.table.filter(pl.col("metric") == "RR", pl.col("canonical") == "AP")["power_difference"][0]
        for result in (one, two, tie)
    ]
    assert row["collections"] == 3
    assert min(each) <= row["power_pooled"] <= max(each)
    assert row["power_low"] < row["power_pooled"] < row["power_high"]
    assert row["power_between"] > 0.1
    assert across({"A": one, "B": two, "C": tie}).sentences[2].startswith("Pooled over collections (random effects), ")


def test_without_a_candidate_there_is_no_choice():
    found = recommend(scores_of([0.3, 0.3], ["Judged@10", "NumRet"]), **SMALL)
    assert found.answer() == ["No metric here measures relevance: there is nothing to choose from."]
    simple = recommend(scores_of([0.3, 0.3], ["AP", "RR"]), simple=["AP", "RR"], **SMALL)
    assert simple.answer()[0].startswith("Neither of the 2 metrics is shown to be below the other: AP, RR.")


def groups(first=(), unjudged=(), below=(), close=False):
    names = [*first, *unjudged, *below]
    letters = {name: "b" if name in below else "a" for name in names}
    rows = {
        name: {
            "metric": name,
            "consistency": 0.0 if name in below else 1.0,
            "power": 0.5,
            "consistency_group": letters[name],
            "power_group": "a",
            "close_call": close,
        }
        for name in names
    }
    return Groups(rows, list(first), list(unjudged), list(below), [], [])


def test_a_winner_that_another_seed_might_change_is_not_named_alone():
    assert groups(["AP"], below=["RR"]).first_sentence().startswith("Use AP: ")
    assert groups(["AP"], below=["RR"], close=True).first_sentence() == (
        "Not shown to be below any other: AP alone. Shown to be below: RR. "
        "If you use AP, nothing here speaks for changing."
    )


def test_metrics_whose_ranks_are_unjudged_are_not_vouched_for():
    assert groups(unjudged=["AP", "nDCG"]).first_sentence() == (
        "Of all 2 metrics more than half of the ranks they look at are unjudged: judge more first."
    )
    assert groups(["nDCG@10"], unjudged=["AP"]).first_sentence() == (
        "nDCG@10 is not shown to be below another. If you use it, nothing here speaks for changing."
    )
    assert groups(["nDCG@10", "RR"], unjudged=["AP"]).first_sentence() == (
        "None of nDCG@10, RR is shown to be below another. If you use one of them, nothing here speaks for changing."
    )


def test_a_metric_without_a_single_judged_rank_is_left_out():
    found = recommend(scores_of([0.3, 0.3], ["nDCG@10", "AP"]), **SMALL)
    metrics = found.tables["metrics"].with_columns(judged=pl.Series([0.9, 0.0]))
    assert groups_of(found.table, metrics).unjudged == ["AP"]
