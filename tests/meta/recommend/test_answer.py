"""The sentences of `recommend`, case by case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.meta.recommend.across_collections import across
from metameter.meta.recommend.candidate_groups import Groups, groups_of
from metameter.meta.recommend.procedure import recommend
from metameter.meta.recommend.standings import Standings
from metameter.types import Scores

SMALL = {"splits": 60, "trials": 100, "resamples": 128, "most_resamples": 128}
UNCHANGED = "nothing here is a reason to change"
EIGHT = ("nDCG@10", "nDCG", "AP", "P@10", "RR", "RBP(p=0.8)*ERG", "Bpref", "Q(beta=1)")


def scores_of(noises, names, systems=12, topics=40, seed=1):
    rng = np.random.default_rng(seed)
    quality = np.linspace(0, 1, systems)[:, None]
    values = np.stack([quality + rng.normal(0, noise, (systems, topics)) for noise in noises])
    return Scores(tuple(names), tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics))), values)


def standings(found):
    return dict(found.tables["metrics"]["metric", "standing"].iter_rows())


def test_one_clear_winner_is_named():
    found = recommend(scores_of([0.2, 3.0, 3.0], ["RR", "nDCG@10", "AP"]), **SMALL)
    assert found.answer()[0] == (
        "Use RR: it is shown to beat each of the other 2 metrics in consistency or in power, and is below none."
    )
    assert standings(found) == {"RR": "top", "nDCG@10": "below", "AP": "below"}
    two = recommend(scores_of([0.2, 3.0], ["RR", "AP"]), **SMALL)
    assert two.answer()[0] == "Use RR: it is shown to beat AP in consistency or in power, and is below none."


def test_a_group_is_named_in_conventional_order():
    names = ["mine", "AP", "nDCG@10", "RR", "ERR*ERR@10"]
    found = recommend(scores_of([0.2, 0.22, 0.24, 5.0, 5.0], names), **SMALL)
    assert found.answer()[0] == (
        "Not shown to be below any other: nDCG@10, AP, mine. Shown to be below: RR, ERR@10. "
        f"If you use one of the first group, {UNCHANGED}."
    )
    assert not any("serve as well" in each for each in found.answer())


def test_a_metric_not_shown_to_beat_all_is_not_recommended():
    # It beats RR, and is not shown to differ from what is left out for lack of judgments.
    scores = scores_of([0.3, 0.3, 4.0], ["nDCG@10", "AP", "RR"])
    scores.manifest["judged"] = {"nDCG@10": 0.9, "AP": 0.3, "RR": 0.9}
    found = recommend(scores, **SMALL)
    assert found.answer()[:2] == [
        f"nDCG@10 is not shown to be below another. Shown to be below: RR. If you use it, {UNCHANGED}.",
        "Not shown to be below any other either, but left out, since more than half of the ranks it looks at are "
        "unjudged: AP (30.0% judged).",
    ]


def test_eight_equivalent_metrics_form_one_group():
    found = recommend(scores_of([0.5] * 8, EIGHT), **SMALL)
    assert found.answer()[0] == (
        "None of the 8 metrics is shown to be below another: nDCG@10, nDCG, AP, P@10, RR, RBP(p=0.8), Bpref, "
        f"Q(beta=1). If you use one of them, {UNCHANGED}."
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
    assert found.answer()[:2] == [
        "The systems hardly differ here: no metric separates any two of them significantly.",
        f"Neither of the 2 metrics is shown to be below the other: AP, RR. If you use one of them, {UNCHANGED}.",
    ]
    shares = found.tables["metrics"]["top_share"].to_list()
    assert min(shares) > 0.95
    told = next(each for each in found.answer() if each.startswith("Stability of this answer"))
    assert told.endswith(f"systems and seeds): AP {shares[0]:.0%}, RR {shares[1]:.0%}.")
    assert any(each.startswith("RR and AP are not shown to differ (the interval reaches in") for each in found.answer())


def test_few_significant_pairs_are_counted_first():
    rng = np.random.default_rng(0)
    values = rng.random((2, 12, 30))
    values[:, 0] += np.array([[0.2], [0.12]])
    scores = Scores(("AP", "RR"), tuple(f"s{i}" for i in range(12)), tuple(map(str, range(30))), values)
    assert recommend(scores, **SMALL).answer()[0] == (
        "The systems hardly differ here: even AP, which separates most, finds about 1 of 66 pairs significantly "
        "different (1.5%)."
    )


def test_many_significant_pairs_give_no_such_sentence():
    assert not any("hardly differ" in each for each in recommend(scores_of([0.3, 0.3], ["AP", "RR"]), **SMALL).answer())


ZERO = (
    "P@10, AP are not candidates: all their scores are 0. No retrieved document counts as relevant for them: check the "
    "judgments, and rel= if grades are fractions."
)


def test_constant_metrics_are_no_candidates():
    scores = scores_of([0.3, 0.3, 1.0, 1.0, 1.0], ["nDCG@10", "RR", "P@10", "AP", "same"])
    values = scores.values.copy()
    values[2:4] = 0.0
    values[4] = np.arange(40)
    with pytest.warns(metameter.MetameterWarning, match="all systems have the same mean"):
        found = recommend(Scores(scores.metrics, scores.systems, scores.topics, values), **SMALL)
    assert standings(found) == {"nDCG@10": "open", "RR": "open", "P@10": None, "AP": None, "same": None}
    assert found.tables["metrics"]["constant"].to_list() == [False, False, True, True, True]
    assert found.answer()[:3] == [
        f"Neither of the 2 metrics is shown to be below the other: nDCG@10, RR. If you use one of them, {UNCHANGED}.",
        ZERO,
        "same is not a candidate: it gives all systems the same scores.",
    ]
    assert found.table.select("metric", "canonical").rows() == [("RR", "nDCG@10")]
    assert not any("Identical" in each or "identical" in each for each in found.answer())


def test_without_judgments_all_metrics_are_constant():
    runs = {f"s{n}": {str(t): {f"x{n + r}": -float(r) for r in range(5)} for t in range(6)} for n in range(6)}
    qrels = {str(t): {"other": 1} for t in range(6)}
    with pytest.warns(metameter.MetameterWarning, match="all systems have the same mean"):
        found = recommend(metameter.score(qrels, runs, ["P@10", "AP"]), **SMALL)
    assert found.answer() == [ZERO, "No two metrics here can be compared: nothing to recommend."]


def test_fractional_grades_below_rel_make_constant_metrics():
    rng = np.random.default_rng(0)
    docs = [f"d{n}" for n in range(12)]
    qrels = {str(t): {doc: float(rng.random()) * 0.9 for doc in docs} for t in range(10)}
    runs = {f"s{n}": {str(t): {doc: float(rng.random()) for doc in docs} for t in range(10)} for n in range(8)}
    with pytest.warns(metameter.MetameterWarning, match="count only grades of 1 and above"):
        scores = metameter.score(qrels, runs, ["nDCG@10", "nDCG", "P@10", "AP"], max_grade=1)
    with pytest.warns(metameter.MetameterWarning, match="all systems have the same mean"):
        found = recommend(scores, **SMALL)
    assert ZERO in found.answer()
    assert standings(found)["AP"] is None is standings(found)["P@10"]
    assert not any("P@10 = AP" in each for each in found.answer())


def test_contradicting_metrics_are_neither_above_nor_below():
    table = recommend(scores_of([0.5, 0.5], ["AP", "RR"]), **SMALL)
    metrics = table.tables["metrics"]
    assert metrics["beats"].to_list() == metrics["beaten_by"].to_list() == [0, 0]
    from metameter.stats.intervals.metric_pairs import PairDifferences

    apart = np.array([[[0.0, 0.3], [-0.3, 0.0]], [[0.0, -0.3], [0.3, 0.0]]])
    pairs = PairDifferences(apart, apart * 0, *np.full((2, 2, 2, 2), 0.1), apart * 0)
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


def test_omitted_metrics_of_two_systems_are_counted():
    scores = scores_of([0.1] * 8, EIGHT, systems=2)
    assert recommend(scores, **SMALL).answer()[3] == (
        "5 other metrics are left out here: metameter compare compares the systems by all."
    )
    four = replace(scores, metrics=scores.metrics[:4], values=scores.values[:4])
    assert recommend(four, **SMALL).answer()[3].startswith("1 other metric is left out here: ")


def test_two_systems_on_four_topics_give_a_warning_first():
    first, second, *_ = recommend(scores_of([0.1, 0.1], ["RR", "nDCG@10"], systems=2, topics=4), **SMALL).answer()
    assert first == "Draw no conclusion from these results: with 4 topics no test is reliable."
    assert second.startswith("By nDCG@10 ")


def test_five_to_nine_systems_give_a_warning():
    found = recommend(scores_of([0.2, 3.0, 3.0], ["RR", "nDCG@10", "AP"], systems=7), **SMALL)
    assert (
        "Warning: 7 systems are few, so a verdict on a metric may change with other systems; 10 or more are better."
        in found.answer()
    )


def test_metrics_in_use_are_answered_first():
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


def test_metrics_that_ignore_relevance_are_no_candidates():
    names = ["nDCG@10", "AP", "Judged@100", "NumRet"]
    found = recommend(scores_of([2.0, 2.0, 0.05, 0.05], names), **SMALL)
    first, second, *_ = found.answer()
    assert first == (
        f"Neither of the 2 metrics is shown to be below the other: nDCG@10, AP. If you use one of them, {UNCHANGED}."
    )
    assert second == ("Judged@100, NumRet are diagnostics: they do not depend on relevance, so they are left out.")
    assert standings(found) == {"nDCG@10": "open", "AP": "open", "Judged@100": None, "NumRet": None}
    today = recommend(scores_of([2.0, 2.0, 0.05], names[:3]), reference=["AP"], **SMALL).answer()[0]
    assert today == f"AP, which you use today, is not shown to be below the other metric: {UNCHANGED}."


def test_diagnostics_are_not_compared_and_change_nothing():
    scores = scores_of([2.0, 2.0, 1.0, 0.05], ["nDCG@10", "AP", "RR", "Judged@100"])
    with_it = recommend(scores, **SMALL)
    without = recommend(replace(scores, metrics=scores.metrics[:3], values=scores.values[:3]), **SMALL)
    assert with_it.table.equals(without.table)
    metrics = with_it.tables["metrics"]
    assert metrics["front"].to_list() == [*without.tables["metrics"]["front"], False]
    assert metrics["power_group"].to_list() == [*without.tables["metrics"]["power_group"], None]
    assert metrics[:3].equals(without.tables["metrics"])
    assert "Judged@100" not in str(with_it.charts()["metrics"])
    told = [each for each in with_it.answer() if "Judged@100" not in each]
    assert told == without.answer()


def test_an_unjudged_reference_is_not_recommended():
    scores = scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"])
    scores.manifest["judged"] = {"nDCG@10": 0.9, "AP": 0.496, "RR": 0.3}
    found = recommend(scores, reference=["AP", "RR"], **SMALL)
    doubt = "of the ranks it looks at are judged, so its scores may be far off: judge more documents first."
    assert found.answer()[0] == (
        f"AP, which you use today, is not shown to be below any of the 2 other metrics, but only 49.6% {doubt} "
        f"RR, which you use today, is shown to be below: nDCG@10, AP (49.6% judged). But only 30.0% {doubt}"
    )
    both = across({"A": found, "B": recommend(scores_of([0.3, 0.3], ["AP", "nDCG@10"]), reference=["AP"], **SMALL)})
    assert both.sentences[0] == (
        "AP, which you use today, is not shown to be below another metric in either of the 2 collections, but less "
        "than half of the ranks it looks at are judged in A (49.6%), so its scores there may be far off: judge more "
        "documents first."
    )


def test_a_single_first_metric_of_collections_is_no_group():
    scores = scores_of([0.3, 0.3, 4.0], ["nDCG@10", "AP", "RR"])
    scores.manifest["judged"] = {"nDCG@10": 0.9, "AP": 0.3, "RR": 0.9}
    found = recommend(scores, **SMALL)
    assert across({"A": found, "B": found}).sentences[0] == (
        "nDCG@10 is not shown to be below another in either of the 2 collections. Shown to be below another in both: "
        f"RR. If you use it, {UNCHANGED}. Left out, since more than half of the ranks looked at are unjudged: AP."
    )


def test_identical_metrics_are_named_in_the_first_sentence():
    scores = scores_of([0.3, 0.3, 4.0], ["a", "d", "c"])
    values = np.concatenate([scores.values, 2.0 * scores.values[[0]], scores.values[[0]]])
    found = recommend(Scores((*scores.metrics, "b", "e"), scores.systems, scores.topics, values), **SMALL)
    assert found.answer()[0] == (
        "Not shown to be below any other: a (and b, e: the same up to a factor), d. Shown to be below: c. If you use "
        f"one of the first group, {UNCHANGED}."
    )
    tie = recommend(Scores(("a", "d", "e"), scores.systems, scores.topics, values[[0, 1, 4]]), **SMALL)
    assert tie.answer()[0] == (
        "None of the 3 metrics is shown to be below another: a (and e: the same up to a factor), d. If you use one of "
        f"them, {UNCHANGED}."
    )


def test_a_narrow_terminal_shows_the_judged_share():
    scores = scores_of([0.3, 0.3], ["INST(T=2.25)*ERG", "nDCG@10"])
    scores.manifest["judged"] = dict.fromkeys(scores.metrics, 0.9)
    shown = recommend(scores, **SMALL).text("metrics", width=80)
    assert shown.count("0.9000") == 2


def test_a_diagnostic_in_use_is_not_compared():
    scores = scores_of([0.3, 0.3, 0.05], ["nDCG@10", "AP", "Judged@100"])
    found = recommend(scores, reference=["Judged@100"], **SMALL)
    assert found.answer()[:2] == [
        "Judged@100, which you use today, is a diagnostic: it does not depend on relevance, so it is not compared.",
        f"Neither of the 2 metrics is shown to be below the other: nDCG@10, AP. If you use one of them, {UNCHANGED}.",
    ]
    assert found.table.select("metric", "canonical").rows() == [("AP", "nDCG@10")]
    both = recommend(scores, reference=["Judged@100", "AP"], **SMALL).answer()
    assert both[:2] == [
        "Judged@100, which you use today, is a diagnostic: it does not depend on relevance, so it is not compared.",
        f"AP, which you use today, is not shown to be below the other metric: {UNCHANGED}.",
    ]


def test_a_constant_metric_is_not_compared_with_references():
    scores = scores_of([0.3, 0.3, 1.0], ["nDCG@10", "AP", "RR"])
    values = scores.values.copy()
    values[2] = 0.0
    with pytest.warns(metameter.MetameterWarning, match="all systems have the same mean"):
        found = recommend(Scores(scores.metrics, scores.systems, scores.topics, values), reference=["RR"], **SMALL)
    assert found.answer()[:2] == [
        "RR, which you use today, orders no systems here, so it is not compared.",
        f"Neither of the 2 metrics is shown to be below the other: nDCG@10, AP. If you use one of them, {UNCHANGED}.",
    ]


def test_constant_and_diagnostic_metrics_leave_no_choice():
    scores = scores_of([1.0, 1.0, 0.3, 0.3], ["P@10", "AP", "Judged@10", "NumRet"])
    values = scores.values.copy()
    values[:2] = 0.0
    with pytest.warns(metameter.MetameterWarning, match="all systems have the same mean"):
        found = recommend(Scores(scores.metrics, scores.systems, scores.topics, values), **SMALL)
    assert found.answer() == [ZERO, "No other metric here measures relevance: there is nothing to choose from."]


def test_diagnostics_as_references_are_not_recommended():
    scores = scores_of([0.3, 0.1, 0.1], ["AP", "Judged@10", "NumRet"])
    found = recommend(scores, reference=["Judged@10"], **SMALL)
    assert found.answer()[:2] == [
        "Judged@10, which you use today, is a diagnostic: it does not depend on relevance, so it is not compared.",
        f"There is one metric to choose from, AP. If you use it, {UNCHANGED}.",
    ]


def test_collections_with_only_unjudged_metrics_are_not_recommended():
    scores = scores_of([0.3, 0.3], ["AP", "RR"])
    scores.manifest["judged"] = {"AP": 0.3, "RR": 0.3}
    found = recommend(scores, **SMALL)
    assert across({"A": found, "B": found}).sentences[0] == (
        "Most of the ranks that both metrics look at are unjudged: judge more documents before you choose."
    )


def test_a_collection_without_candidates_is_left_out():
    scores = scores_of([1.0, 1.0, 0.3, 0.3], ["P@10", "AP", "Judged@10", "NumRet"])
    values = scores.values.copy()
    values[:2] = 0.0
    with pytest.warns(metameter.MetameterWarning, match="all systems have the same mean"):
        nothing = recommend(Scores(scores.metrics, scores.systems, scores.topics, values), reference=["AP"], **SMALL)
    assert nothing.answer()[0] == "AP, which you use today, orders no systems here, so it is not compared."
    small = recommend(scores_of([0.3, 0.3], ["AP", "RR"], systems=3), **SMALL)
    assert across({"A": nothing, "small": small}).sentences == (
        "Left out, since metrics cannot be judged by fewer than 5 systems: small (3).",
        "Left out, since nothing can be said about metrics there: A.",
    )


def test_a_single_judged_collection_states_its_confidence():
    large = recommend(scores_of([0.3, 0.3], ["AP", "RR"]), **SMALL)
    small = recommend(scores_of([0.3, 0.3], ["AP", "RR"], systems=3), **SMALL)
    shared = recommend(scores_of([0.3, 0.3], ["AP", "RR"]), collections=2, **SMALL)
    left_out, only, sure, validity = across({"large": shared, "small": small}).sentences
    # A collection that shares the level with no other says it itself.
    assert across({"large": large, "small": small}).sentences == (left_out, only)
    assert any(each.startswith("How sure: ") for each in large.answer())
    assert left_out == "Left out, since metrics cannot be judged by fewer than 5 systems: small (3)."
    assert only == "large is the only collection in which metrics can be judged: see its own answer."
    assert sure.startswith("How sure: all statements of better and worse hold together at the 5% level")
    assert validity.startswith("Stability is not validity")


def test_resampled_systems_do_not_generalise_to_other_topics():
    found = recommend(scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"]), resample="systems", **SMALL)
    told = next(each for each in found.answer() if each.startswith("Stability of this answer"))
    assert "with other systems and seeds): " in told
    assert found.tables["metrics"]["top_share_topics"].null_count() == 3


@pytest.mark.slow
def test_one_clear_loser_of_many_metrics_has_a_low_share():
    names = [f"m{number}" for number in range(20)]
    rng = np.random.default_rng(5)
    common = np.linspace(0, 1, 20)[:, None] + rng.normal(0, 0.3, (20, 40))
    noises = [*[0.3] * 19, 1.5]
    values = np.stack([common + rng.normal(0, noise, (20, 40)) for noise in noises])
    scores = Scores(tuple(names), tuple(f"s{i}" for i in range(20)), tuple(map(str, range(40))), values)
    table = recommend(scores, **SMALL).tables["metrics"]
    shares = dict(table["metric", "top_share"].iter_rows())
    assert table["beaten_by"][19] >= 10
    assert shares["m19"] < 0.2
    assert np.mean([shares[name] for name in names[:19]]) > 0.8


def test_shallow_judgments_keep_deep_metrics_out_of_the_group():
    made = metameter.simulate(topics=20, systems=12, depth=100, pool_depth=10, seed=2)
    found = recommend(metameter.score(made.qrels, made.runs, ["nDCG@10", "nDCG", "AP", "P@10"], max_grade=3), **SMALL)
    judged = dict(found.tables["metrics"]["metric", "judged"].iter_rows())
    assert judged["nDCG@10"] == judged["P@10"] == 1.0
    assert judged["nDCG"] == judged["AP"] < 0.5
    first, second, *_ = found.answer()
    assert "nDCG," not in first
    assert "AP" not in first.partition("Shown to be below")[0]
    assert f"nDCG ({judged['nDCG']:.1%} judged)" in second


def test_identical_metrics_share_their_letters_and_counts():
    scores = scores_of([0.3, 2.0, 4.0], ["nDCG@10", "AP", "RR"])
    values = np.concatenate([scores.values, 3.0 * scores.values[[1]]])
    found = recommend(Scores((*scores.metrics, "thrice"), scores.systems, scores.topics, values), **SMALL)
    same = found.tables["metrics"].filter(pl.col("metric").is_in(["AP", "thrice"])).drop("metric", "named")
    assert same.rows()[0] == same.rows()[1]
    assert "Identical here: AP = thrice." in found.answer()


def test_the_answer_names_close_calls():
    found = recommend(
        scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"]), **{**SMALL, "resamples": 64, "most_resamples": 64}
    )
    # One block of resamples has no known error: every standing may change.
    assert found.tables["metrics"]["close_call"].any()
    [sentence] = [each for each in found.answer() if each.startswith("Close call: with another seed ")]
    assert sentence.endswith(" might be in the other group.")


def test_a_close_call_is_about_what_the_answer_says():
    # Of three metrics, the first is surely above the second, perhaps above the third, and so may lead.
    surely = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    perhaps = surely | np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    every = np.ones(3, dtype=bool)
    columns = Standings(surely, surely, perhaps).columns(every)
    assert columns["close_call"] == [False, False, True]
    assert columns["close_lead"] == [True, False, False]
    # Whether a metric is above none or one, the answer does not say.
    nearly = Standings(np.zeros((3, 3), dtype=bool), np.zeros((3, 3), dtype=bool), surely).columns(every)
    assert nearly["close_call"] == [False, True, False]
    assert nearly["close_lead"] == [False] * 3


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        ({"AP": (False, False, False)}, []),
        (
            {"AP": (False, False, False), "RR": (True, False, False), "P@10": (True, False, False)},
            ["Close call: with another seed RR, P@10 might be in the other group."],
        ),
        (
            {"AP": (False, True, True), "RR": (False, False, False)},
            ["Close call: with another seed AP might not be shown to beat every other."],
        ),
        (
            {"AP": (False, True, False), "RR": (True, False, False)},
            [
                "Close call: with another seed RR might be in the other group; AP might be shown to beat every other.",
            ],
        ),
    ],
)
def test_close_calls_are_described(rows, sentences):
    named = {name: dict(zip(("close_call", "close_lead", "leads"), row, strict=True)) for name, row in rows.items()}
    assert Groups(named, list(named), [], [], [], []).close_calls() == sentences


def test_the_answer_gives_the_stability_of_each_name():
    found = recommend(scores_of([0.3, 0.3, 4.0], ["AP", "nDCG@10", "RR"]), **SMALL)
    shares = found.tables["metrics"].select("top_share", "top_share_topics", "top_share_systems", "top_share_seeds")
    assert shares.min_horizontal().min() >= 0
    assert shares.max_horizontal().max() <= 1
    top = dict(found.tables["metrics"]["metric", "top_share"].iter_rows())
    assert top["RR"] < 0.2 < 0.6 < top["AP"]
    told = next(each for each in found.answer() if each.startswith("Stability of this answer"))
    assert told.endswith(f"RR {top['RR']:.0%}, nDCG@10 {top['nDCG@10']:.0%}, AP {top['AP']:.0%}.")


@pytest.mark.slow
@pytest.mark.parametrize(("column", "others"), [("top_share_topics", False), ("top_share", True)])
def test_shares_predict_how_often_a_metric_is_not_below(column, others):
    predicted, above = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        quality = (rng.random(12) if others else np.linspace(0, 1, 12))[:, None]
        common = quality + rng.normal(0, 0.3, (12, 40))
        values = np.stack([common + rng.normal(0, noise, (12, 40)) for noise in (0.5, 0.5, 0.6, 0.8, 1.0, 1.2)])
        systems, topics = (tuple(map(str, range(count))) for count in (12, 40))
        table = recommend(Scores(tuple("abcdef"), systems, topics, values), **SMALL).tables["metrics"]
        predicted.append(table[column].to_numpy())
        above.append((table["standing"] != "below").to_numpy())
    assert np.mean(predicted) == pytest.approx(np.mean(above), abs=0.08)
    # Each metric for itself: the share of a clear loser errs upwards, that of the others by less.
    shares, truth = np.mean(predicted, axis=0), np.mean(above, axis=0)
    assert np.abs(shares - truth)[:-1].max() < 0.15
    assert shares.argmin() == truth.argmin() == 5
    assert truth[-1] < shares[-1] < 0.4


def test_interval_ends_stay_between_minus_1_and_1():
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
        "nDCG@10, AP, RR: in both collections none of them is shown to be below another. If you use one of them, "
        f"{UNCHANGED}."
    )


def test_two_collections_are_too_few_to_pool(collections):
    one, two, _ = collections
    assert (
        "Two collections are too few to pool differences: an interval from two has one degree of freedom, so each "
        "collection has its own answer." in across({"A": one, "B": two}).sentences
    )
    assert not any("Pooled over" in each for each in across({"A": one, "B": two}).sentences)


def test_collections_with_too_few_systems_are_named(collections):
    one, two, _ = collections
    small = recommend(scores_of([0.3, 0.3, 4.0], ["nDCG@10", "AP", "RR"], systems=3), **SMALL)
    left = "Left out, since metrics cannot be judged by fewer than 5 systems: small (3)."
    told = across({"A": one, "small": small, "B": two}).sentences
    assert told[1] == left
    assert told[0].startswith("Not shown to be below any other in either of the 2 collections: nDCG@10, AP.")
    assert across({"A": one, "small": small}).sentences[:2] == (
        left,
        "A is the only collection in which metrics can be judged: see its own answer.",
    )
    assert across({"small": small, "tiny": small}).sentences == (
        "Left out, since metrics cannot be judged by fewer than 5 systems: small (3), tiny (3).",
    )


def test_a_winner_leads_in_every_collection():
    names = ["nDCG@10", "AP", "RR"]
    won = [recommend(scores_of([0.2, 3.0, 3.0], names, seed=seed), **SMALL) for seed in (1, 2)]
    assert across({"A": won[0], "B": won[1]}).sentences[0] == (
        "Use nDCG@10: in both collections it is shown to beat every other metric."
    )
    open_ = recommend(scores_of([0.5, 0.5, 0.5], names, seed=3), **SMALL)
    assert not across({"A": won[0], "C": open_}).sentences[0].startswith("Use")


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


def test_without_candidates_there_is_no_choice():
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
            "leads": name in first and len(first) == 1 and not unjudged,
        }
        for name in names
    }
    return Groups(rows, list(first), list(unjudged), list(below), [], [])


def test_a_winner_by_a_close_call_is_not_recommended():
    assert groups(["AP"], below=["RR"]).first_sentence().startswith("Use AP: ")
    assert groups(["AP"], below=["RR"], close=True).first_sentence() == (
        "AP is not shown to be below another. Shown to be below: RR. If you use it, nothing here is a reason to change."
    )


def test_a_metric_that_barely_leads_is_a_close_call():
    beats = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    surely = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    every = np.ones(3, dtype=bool)
    assert Standings(beats, surely, beats).columns(every)["leads"] == [True, False, False]
    assert Standings(beats, surely, beats).columns(every)["close_lead"] == [True, False, False]
    # The second metric is not shown to be beaten, but might be with another seed: then the first would lead.
    assert Standings(surely, surely, beats).columns(every)["close_lead"][0]
    assert Standings(beats, surely, beats).columns(np.array([True, True, False]))["close_lead"][0] is False


def test_metrics_with_unjudged_ranks_are_not_recommended():
    assert groups(unjudged=["AP", "nDCG"]).first_sentence() == (
        "Most of the ranks that both metrics look at are unjudged: judge more documents before you choose."
    )
    assert groups(["nDCG@10"], unjudged=["AP"]).first_sentence() == (
        "nDCG@10 is not shown to be below another. If you use it, nothing here is a reason to change."
    )
    assert groups(["nDCG@10", "RR"], unjudged=["AP"]).first_sentence() == (
        "None of nDCG@10, RR is shown to be below another. If you use one of them, nothing here is a reason to change."
    )


def test_a_metric_without_a_judged_rank_is_left_out():
    found = recommend(scores_of([0.3, 0.3], ["nDCG@10", "AP"]), **SMALL)
    metrics = found.tables["metrics"].with_columns(judged=pl.Series([0.9, 0.0]))
    assert groups_of(found.table, metrics).unjudged == ["AP"]
