"""Agreement with satisfaction: other people's numbers, what is marked and when, and input that cannot be used."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import metameter as mm
from metameter.meta.label_agreement.text import _better, label_answer
from metameter.metric.compose import parse_metric
from metameter.stats.significance.pairs import adjust_pvalues

RNG = np.random.default_rng(12)
LISTS = RNG.integers(0, 4, (400, 5)).tolist()
LABELS = [int(np.clip(max(grades[:3]) + RNG.integers(-1, 2), 0, 4)) for grades in LISTS]
PAGES = [{"grades": grades, "satisfaction": label} for grades, label in zip(LISTS, LABELS, strict=True)]
METRICS = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*ERR", "AP2*fin", "Prec@3", "Prec@3*max"]


@pytest.fixture(scope="module")
def found():
    return mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=300)


def row(table: pl.DataFrame, metric: str) -> dict[str, Any]:
    return table.row(by_predicate=pl.col("metric") == metric, named=True)


def test_tau_and_p_match_scipy(found):
    for name in METRICS:
        scores = [parse_metric(name)([grade / 3 for grade in grades]) for grades in LISTS]
        made = row(found.table, str(parse_metric(name)))
        if made["class"] == "X":
            assert made["tau_b"] is None
            assert made["p"] is None
            continue
        wanted = kendalltau(np.round(scores, 9), LABELS)
        assert made["tau_b"] == pytest.approx(wanted.statistic, abs=1e-12)
        assert made["p"] == pytest.approx(wanted.pvalue, rel=1e-9)


def test_agreement_and_ties_match_a_double_loop(found):
    for name in ("RBP(p=0.8)*max", "Prec@3*max"):
        scores = np.round([parse_metric(name)([grade / 3 for grade in grades]) for grades in LISTS], 9)
        order, labels = (np.sign(np.subtract.outer(each, each)) for each in (scores, np.array(LABELS)))
        apart = labels != 0
        made = row(found.table, name)
        assert made["agreement"] == pytest.approx((order == labels)[apart].mean())
        assert made["ties"] == pytest.approx((order == 0)[apart].mean())
        assert made["concordance"] == pytest.approx(made["agreement"] + made["ties"] / 2)
        assert 0 <= made["concordance_low"] < made["concordance"] < made["concordance_high"] <= 1


def test_constant_metrics_show_x_and_order_insensitive_ones_their_number(found):
    classes = dict(found.table.select("metric", "class").iter_rows())
    assert classes["RBP(p=0.8)*ERR"] == "X"
    assert classes["AP2*fin"] == "XX"
    assert row(found.table, "AP2*fin")["tau_b"] is not None
    assert found.glance()["tau_b"].to_list()[2] == "X"


def test_metrics_are_compared_with_their_models_canonical_metric(found):
    held = dict(found.table.select("metric", "canonical").iter_rows())
    assert held["RBP(p=0.8)*max"] == held["RBP(p=0.8)*ERG"] == "RBP(p=0.8)*ERG"
    # A canonical metric that was not requested, but is compared with.
    assert held["AP2*fin"] == "AP2*avg"
    assert "AP2*avg" not in held
    assert row(found.table, "RBP(p=0.8)*ERG")["p_vs_canonical"] is None


def test_marks_follow_from_the_intervals(found):
    for made in found.table.filter(pl.col("difference").is_not_null()).iter_rows(named=True):
        assert made["better"] == (made["difference_low"] > 0)
        assert made["better"] == (made["difference"] > 0 and made["p_table"] <= 0.05)
        assert made["better_row"] == (made["p_vs_canonical"] < 0.05 and made["difference"] > 0)
        assert made["concordance_better"] == (made["concordance_difference_low"] > 0)
    # Labels that follow the maximum are followed best by metrics of the maximum.
    assert row(found.table, "Prec@3*max")["better"]


def test_holm_corrects_within_each_row():
    metrics = ["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RBP(p=0.8)*avg", "RBP(p=0.8)*PE(beta=0.5)"]
    plain, holm = (
        mm.satisfaction(PAGES, metrics, max_grade=3, resamples=100, correction=each).table["p_vs_canonical"][1:]
        for each in ("none", "holm")
    )
    assert holm.to_list() == pytest.approx(adjust_pvalues(plain.to_numpy(), "holm").tolist())


@pytest.mark.parametrize("test", ["steiger", "williams", "zou", "fisher"])
def test_tests_by_formula_change_only_row_wise_marks(test, found):
    other = mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=300, test=test).table
    same = ["metric", "tau_b", "low", "high", "p", "better", "difference", "difference_low", "p_table", "beats"]
    assert other.select(same).equals(found.table.select(same))
    assert not other["p_vs_canonical"].equals(found.table["p_vs_canonical"])
    if test == "zou":
        held = other.filter(pl.col("difference").is_not_null())
        excludes = (held["difference_low_row"] > 0) | (held["difference_high_row"] < 0)
        alone = mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=0, test=test, correction="none").table
        assert excludes.to_list() == (alone["p_vs_canonical"].drop_nulls() < 0.05).to_list()


def test_a_reference_replaces_the_canonical_metrics():
    table = mm.satisfaction(PAGES, ["nDCG@5", "RR", "P@5"], max_grade=3, resamples=100, reference="RR").table
    assert table["canonical"].to_list() == ["RR"] * 3
    assert table["difference"].is_null().to_list() == [False, True, False]
    with pytest.raises(mm.MetameterError, match="the reference is not among the metrics"):
        mm.satisfaction(PAGES, ["nDCG@5"], max_grade=3, reference="RR")


def test_users_are_resampled_with_all_their_pages():
    # Ten users who each give one label, again and again: as many pages tell no more than ten.
    pages = [{**page, "user": f"u{number % 10}"} for number, page in enumerate(PAGES)]
    by_user = mm.satisfaction(pages, ["RBP(p=0.8)"], max_grade=3, resamples=200)
    assert "resamples of 10 users" in "\n".join(by_user.notes)
    repeated = [{**page, "user": f"u{number % 40}"} for number, page in enumerate(PAGES[:40] * 10)]
    narrow = mm.satisfaction(PAGES[:40] * 10, ["RBP(p=0.8)"], max_grade=3, resamples=300).table.row(0, named=True)
    wide = mm.satisfaction(repeated, ["RBP(p=0.8)"], max_grade=3, resamples=300).table.row(0, named=True)
    assert wide["high"] - wide["low"] > 2 * (narrow["high"] - narrow["low"])
    assert wide["p"] > narrow["p"]


def test_same_seed_gives_same_numbers_with_any_jobs_and_order():
    options: dict[str, Any] = {"max_grade": 3, "resamples": 130, "seed": 5}
    one = mm.satisfaction(PAGES, METRICS, jobs=1, **options).table
    assert mm.satisfaction(PAGES[::-1], METRICS, jobs=2, **options).table.equals(one)
    assert not mm.satisfaction(PAGES, METRICS, **options | {"seed": 6}).table.equals(one)


def test_levels_rise_to_one_along_the_score(found):
    levels = found.tables["satisfaction_levels"]
    assert set(levels["metric"]) == set(found.table.filter(pl.col("class") != "X")["metric"])
    for _, part in levels.group_by("metric", "satisfaction"):
        ordered = part.sort("score")
        assert ordered["share"].is_sorted()
        assert ordered["share"][-1] == pytest.approx(1)
        assert ordered["score"].n_unique() == ordered.height <= 41
    shares = levels.filter(pl.col("metric") == "Prec@3*max", pl.col("satisfaction") == 0).sort("score")
    own = [max(grades[:3]) / 3 for grades, label in zip(LISTS, LABELS, strict=True) if label == 0]
    wanted = [np.mean(np.array(own) <= score + 1e-9) for score in shares["score"]]
    assert shares["share"].to_list() == pytest.approx(wanted)


def test_without_resamples_there_are_no_marks():
    made = mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=0)
    assert made.table["low"].is_null().all()
    assert not made.table["better"].any()
    assert "without resamples, nothing can be inferred about others" in made.remark
    assert made.table["beaten_by"].is_null().all()
    assert made.table["better"].is_null().all()
    some = mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=60)
    assert "Warning: too few resamples for beats and beaten_by of all pairs: 99 or more are needed." in some.remark
    few = mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=20)
    assert "Warning: too few resamples to show anything at this level: it takes 24 or more." in few.remark


def test_shuffled_labels_favour_no_metric():
    rng = np.random.default_rng(3)
    shuffled = [
        {**page, "satisfaction": int(label)} for page, label in zip(PAGES, rng.permutation(LABELS), strict=True)
    ]
    made = mm.satisfaction(shuffled, max_grade=3, resamples=200)
    assert not made.table["better"].any()
    assert "no metric is shown to agree better than another" in made.answer()[0]


def _shuffled_within_users(seed):
    rng = np.random.default_rng(seed)
    rows = mm.simulate_pages(300, pairs=0, users=30, user_spread=1.0, seed=seed).rows.sort("user")
    label = pl.int_range(pl.len()).shuffle(int(rng.integers(2**32))).over("user")
    return rows.select("user", "grades", satisfaction=pl.col("satisfaction").gather(label).over("user"))


@pytest.mark.slow
def test_labels_shuffled_within_users_rarely_make_a_metric_better():
    metrics = [f"{model}*{name}" for model in ("RBP(p=0.8)", "AP1", "RRbin") for name in ("ERG", "ERR", "max", "fin")]
    tables = [
        mm.satisfaction(_shuffled_within_users(seed), metrics, max_grade=3, resamples=200, seed=seed, jobs=1).table
        for seed in range(40)
    ]
    # At 5% of tables, more than five of forty would be seen in 1.4% of such tests.
    for mark in ("better", "concordance_better"):
        assert sum(table[mark].any() for table in tables) <= 5
    assert sum((table["beats"] > 0).any() for table in tables) <= 6


def test_the_answer_names_the_better_of_two_metrics():
    pages = mm.simulate_pages(400, pairs=0, seed=1).rows
    made = mm.satisfaction(pages, ["RBP(p=0.8)*max", "RBP(p=0.8)*ERG"], max_grade=3, resamples=24)
    assert made.answer()[0].endswith("It is shown to agree better than RBP(p=0.8)*ERG.")
    assert made.table["better"].to_list() == [True, None]
    assert "too few resamples" not in "\n".join(made.answer())


def test_a_metric_with_one_score_for_all_pages_is_constant():
    pages = [{"grades": [1, 0], "satisfaction": label} for label in (0, 1, 2)]
    with pytest.warns(mm.MetameterWarning, match="gives every page the same score here"):
        made = mm.satisfaction(pages, ["RR"], max_grade=1)
    assert made.table["tau_b"].to_list() == [None]
    assert made.answer() == ["Agreement with satisfaction: no metric could be correlated."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_grade": 2}, "a grade is above max_grade"),
        ({"max_grade": 0}, "max_grade"),
        ({"test": "t"}, "test"),
        ({"correction": "fdr"}, "correction"),
        ({"alpha": 2}, "alpha"),
        ({"resamples": 1}, "resamples"),
        ({"preset": "albahem-2019"}, "evidence"),
        ({"metrics": ["AP(norm=pool)@10"]}, "needs"),
    ],
)
def test_refusals_are_one_line_with_a_fix(options, message):
    with pytest.raises(mm.MetameterError, match=message) as refused:
        mm.satisfaction(PAGES, **{"max_grade": 3, **options})
    assert "\n" not in str(refused.value)
    assert refused.value.fix


def test_without_max_grade_the_highest_grade_is_taken_with_notice():
    with pytest.warns(mm.MetameterWarning, match="max_grade is not given"):
        loose = mm.satisfaction(PAGES, ["RBP(p=0.8)"], resamples=0)
    with warnings.catch_warnings(action="error"):
        strict = mm.satisfaction(PAGES, ["RBP(p=0.8)"], resamples=0, max_grade=3)
    assert loose.table.equals(strict.table)


def test_marked_improvements_also_count_among_all_pairs():
    # Few pages: comparisons with canonical metrics have most of the level, and must count among all pairs, too.
    for start in range(0, 400, 100):
        made = mm.satisfaction(PAGES[start : start + 100], max_grade=3, resamples=200)
        held = made.table.filter(pl.col("better"))
        beaten = dict(made.table.select("metric", "beaten_by").iter_rows())
        assert all(beaten[canonical] > 0 for canonical in held["canonical"])
        assert not (held.height and "no metric is shown to agree better" in made.answer()[0])


def test_metrics_without_a_comparison_are_not_marked(found):
    marks = found.table.filter(pl.col("difference").is_null())
    assert marks.height
    for column in ("better", "better_row", "close_call", "p_table"):
        assert marks[column].is_null().all()


def test_intervals_stay_within_the_range_of_correlations():
    made = mm.satisfaction(PAGES[:6], METRICS, max_grade=3, resamples=100).table
    assert made["low"].min() >= -1
    assert made["high"].max() <= 1
    assert made["difference_low_row"].min() >= -2


def test_metrics_that_depend_on_recall_are_named(found):
    assert "normalised by the page" not in "\n".join(found.notes)
    made = mm.satisfaction(PAGES, ["nDCG@5", "RR", "AP"], max_grade=3, resamples=0)
    assert "nDCG@5, AP: normalised by the page, as if only its own results were relevant" in "\n".join(made.notes)


def test_added_canonical_metrics_are_named(found):
    assert "Also computed, as canonical metrics to compare with: AP2*avg (concordance ." in "\n".join(found.notes)


def test_one_metric_is_described_with_its_interval():
    made = mm.satisfaction(PAGES, ["P@5"], max_grade=3, resamples=100)
    row = made.table.row(0, named=True)
    assert made.answer() == [
        f"Agreement with satisfaction: P@5, which orders {row['concordance']:.1%} of the pairs of pages as users do, "
        f"ties counting half; 95% interval {row['concordance_low']:.1%} to {row['concordance_high']:.1%}; it ties "
        f"{row['ties']:.0%}; tau_b .{1000 * row['tau_b']:03.0f}."
    ]
    assert "beats" not in "\n".join(made.notes)


def test_a_constant_reference_is_refused():
    with pytest.raises(mm.MetameterError, match="the reference is not correlated"):
        mm.satisfaction(PAGES, ["Prec@3*ERR", "RBP(p=0.8)*max"], max_grade=3, reference="Prec@3*ERR")


def test_users_with_similar_names_stay_distinct():
    names = ["u", "u\0", "u" * 500, "ü", "1", "01"]
    pages = [{**page, "user": names[number % 6]} for number, page in enumerate(PAGES[:60])]
    assert mm.satisfaction(pages, ["RR"], max_grade=3, resamples=50).manifest["labels"]["users"] == 6


def test_the_manifest_holds_every_option_needed_to_repeat(found):
    options = found.manifest["options"]
    assert options["metrics"] == found.table["metric"].to_list()
    assert {"test", "correction", "alpha", "resamples", "seed", "max_grade", "reference"} <= set(options)


def test_progress_ends_at_its_total():
    told: list[tuple[int, int]] = []
    mm.satisfaction(PAGES, METRICS, max_grade=3, resamples=130, progress=lambda done, of, what: told.append((done, of)))
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_one_metric_is_compared_with_one_other():
    made = mm.satisfaction(PAGES, "Prec@3*max", max_grade=3, resamples=300)
    difference = 100 * made.table["concordance_difference"].item()
    assert made.table["concordance_better"].item()
    assert made.answer()[1] == f"Prec@3*max is shown to agree better than Prec@3 ({difference:+.1f} points)."
    rows = {"metric": "RR", "canonical": "AP", "concordance_difference": -0.02, "concordance_better": False}
    assert _better(pl.DataFrame([rows])) == ["RR is not shown to agree better than AP (-2.0 points)."]
    both = pl.DataFrame([rows, {**rows, "metric": "P@10", "concordance_better": True, "concordance_difference": 0.03}])
    assert _better(both) == ["1 of 2 metrics is shown to agree better than its reference: P@10 (+3.0 points on AP)."]


def test_metrics_level_with_the_best_are_not_called_exceeded():
    row = {"tau_b": 0.4, "concordance_low": 0.65, "concordance_high": 0.75, "ties": 0.1, "normalised_by_page": False}
    rows = [("RR", 0.72, 1, 0), ("AP", 0.71, 1, 0), ("P@10", 0.7, 1, 0), ("R@10", 0.5, 0, 3)]
    columns = ("metric", "concordance", "beats", "beaten_by")
    about = {"concordance_better": None, "concordance_difference": None}
    facts = {"rows": "pages", "size": 900, "users": None, "drawn": 1000, "resamples": 1000}
    for names, says in ((rows, "AP, P@10 are"), ([rows[0], rows[1], rows[3]], "AP is")):
        table = pl.DataFrame([{**dict(zip(columns, each, strict=True)), **row, **about} for each in names])
        [sentence] = label_answer(table, "satisfaction", facts)
        assert sentence.endswith(f"shown to be exceeded by another; {says} not shown to be exceeded either.")
