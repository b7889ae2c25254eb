"""Comparing systems."""

from __future__ import annotations

import csv
import io
import tracemalloc

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.meta.compare.procedure import compare
from metameter.meta.compare.tables import _outcomes
from metameter.meta.power.procedure import power
from metameter.read.scores import read_collections
from metameter.stats.checks import system_pairs
from metameter.stats.distributions import dunnett_tail
from metameter.stats.intervals.means import mean_intervals
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.baselines import randomised_dunnett
from metameter.stats.significance.max_t import max_t
from metameter.stats.significance.pairs import adjust_pvalues
from metameter.types import Scores
from metameter.view.charts import spec_json
from metameter.view.tables.csv import to_csv

ODD = ("x</script>", "a,b", r"50%_of{a\b}~$&#^", "[red]x[/red]", "Ω\u202e|\t\"q'")
TESTS = ("tukey-randomised", "max-t", "bootstrap", "tukey", "t", "wilcoxon", "sign")


def make(metrics=1, systems=5, topics=12, seed=0, spread=0.1):
    rng = np.random.default_rng(seed)
    values = rng.random((metrics, systems, topics)) + spread * np.arange(systems)[:, None]
    names = tuple(f"m{i}" for i in range(metrics))
    return Scores(names, tuple(f"s{i}" for i in range(systems)), tuple(str(t) for t in range(topics)), values)


def letters(text):
    return set(text.split(" ")) if " " in text else set(text)


def against(scores, *baseline, **options):
    """The table of the comparisons with baselines."""
    return compare(scores, baseline=list(baseline), **options).tables["compare_baseline"]


def test_tables_start_with_the_documented_columns():
    result = compare(make())
    assert list(result.tables)[:3] == ["compare", "compare_pairs", "compare_topics"]
    assert result.table.columns[:6] == ["metric", "system", "mean", "low", "high", "group"]
    numbers = ["difference", "low", "high", "effect", "p", "wins", "ties", "losses"]
    assert result.tables["compare_pairs"].columns[:11] == ["metric", "system_a", "system_b", *numbers]
    with_baseline = compare(make(), baseline=["s1"])
    assert list(with_baseline.tables)[:4] == ["compare_baseline", "compare", "compare_pairs", "compare_topics"]
    assert with_baseline.table.columns[:13] == ["metric", "system", "baseline", *numbers, "mean", "baseline_mean"]
    assert result.table["mean"].to_list() == sorted(result.table["mean"].to_list(), reverse=True)


def test_p_values_match_those_of_power():
    scores = make(metrics=2)
    for test in TESTS:
        ours, theirs = compare(scores, test=test, trials=200), power(scores, test=test, trials=200)
        common = ["metric", "system_a", "system_b", "difference", "effect", "p", "p_error"]
        assert ours.tables["compare_pairs"].select(common).equals(theirs.tables["power_pairs"].select(common))


def test_intervals_of_means_match_stats():
    scores = make(metrics=2)
    expected = mean_intervals(scores.values.transpose(0, 2, 1), trials=300, seed=5, level=0.9)
    table = compare(scores, resamples=300, seed=5, alpha=0.1, trials=64).table
    for m, metric in enumerate(scores.metrics):
        for s, system in enumerate(scores.systems):
            row = table.row(by_predicate=(pl.col("metric") == metric) & (pl.col("system") == system), named=True)
            assert row["mean"] == pytest.approx(scores.values[m, s].mean())
            assert row["low"] == expected.mean[m, s] - expected.width[m, s]
            assert row["high"] == expected.mean[m, s] + expected.width[m, s]
            assert row["low_error"] == row["high_error"] == pytest.approx(expected.width_error[m, s])
    assert table["low_error"].max() > 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(2, 10), st.sampled_from(TESTS))
def test_systems_share_a_letter_iff_they_do_not_differ(seed, systems, topics, test):
    result = compare(make(systems=systems, topics=topics, seed=seed, spread=0.2), test=test, trials=64, resamples=64)
    group = {system: letters(text) for system, text in result.tables["compare"].select("system", "group").rows()}
    for a, b, p in result.tables["compare_pairs"].select("system_a", "system_b", "p").rows():
        assert bool(group[a] & group[b]) == (p >= 0.05)


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("test", ["tukey-randomised", "max-t", "tukey", "t", "bootstrap"])
@pytest.mark.parametrize("baseline", [[], ["s3"], ["s3", "s0"]])
def test_an_interval_excludes_zero_iff_the_pair_differs(test, baseline, grid):
    scores = make(systems=9, topics=20)
    if grid:
        scores = Scores(scores.metrics, scores.systems, scores.topics, scores.values.round(1))
    result = compare(scores, test=test, trials=500, baseline=baseline)
    pairs = result.tables["compare_baseline" if baseline else "compare_pairs"]
    apart = (pairs["low"] > 0) | (pairs["high"] < 0)
    assert apart.to_list() == (pairs["p"] < 0.05).to_list()
    assert 0 < apart.sum() < len(apart)
    assert ((pairs["low"] <= pairs["difference"]) & (pairs["difference"] <= pairs["high"])).all()


def test_intervals_of_the_t_test_match_scipy():
    scores = make(systems=3)
    x = scores.values[0]
    for correction, level in (("none", 0.95), ("bonferroni", 1 - 0.05 / 3), ("sidak", 0.95 ** (1 / 3))):
        row = compare(scores, test="t", correction=correction).tables["compare_pairs"].row(1, named=True)
        expected = scipy.stats.ttest_rel(x[0], x[2]).confidence_interval(level)
        assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_a_test_not_about_means_uses_t_intervals(test):
    scores = make(systems=3)
    ends = ["difference", "low", "high"]
    ours, students = (compare(scores, test=each).tables["compare_pairs"].select(ends) for each in (test, "t"))
    assert ours.equals(students)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("topics", [2, 4])
def test_few_topics_have_no_intervals(test, topics):
    result = compare(make(topics=topics), test=test, baseline=["s0"], trials=64)
    for name in ("compare", "compare_pairs", "compare_baseline"):
        assert result.tables[name].select("low", "high").null_count().row(0) == (result.tables[name].height,) * 2
        assert "p" not in result.tables[name].columns or result.tables[name]["p"].null_count() == 0
    assert f"{topics} topics are too few for intervals: 5 are needed." in result.notes
    assert not any("Intervals" in note for note in result.notes)
    for chart in result.charts().values():
        spec_json(chart)


def test_fewer_than_fifteen_topics_give_a_warning():
    said = [any("no verdict is final" in note for note in compare(make(topics=n)).notes) for n in (5, 14, 15)]
    assert said == [True, True, False]
    assert compare(make(topics=5)).table["low"].null_count() == 0


def test_pairs_count_wins_ties_and_losses():
    values = np.array([[[0.1, 0.2, 0.3, 0.4], [0.1, 0.1 + 0.1, 0.2, 0.5]]])
    values[0, 1, 1] += 1e-15
    result = compare(Scores(("m",), ("a", "b"), tuple("1234"), values), trials=64)
    assert result.tables["compare_pairs"].select("wins", "ties", "losses").row(0) == (1, 2, 1)


def test_a_baseline_is_compared_with_every_system():
    scores = make(metrics=2, systems=4)
    result = compare(scores, baseline=["s2"], trials=200, test="t")
    table = result.table
    assert table.select("system", "baseline").rows()[:3] == [("s0", "s2"), ("s1", "s2"), ("s3", "s2")]
    every = compare(scores, trials=200, test="t").tables["compare_pairs"]
    assert result.tables["compare_pairs"].equals(every)
    flipped = every.row(by_predicate=(pl.col("metric") == "m1") & (pl.col("system_a") == "s2"), named=True)
    ours = table.row(by_predicate=(pl.col("metric") == "m1") & (pl.col("system") == "s3"), named=True)
    assert ours["difference"] == -flipped["difference"]
    assert (ours["low"], ours["high"]) == (-flipped["high"], -flipped["low"])
    assert (ours["wins"], ours["losses"], ours["p"]) == (flipped["losses"], flipped["wins"], flipped["p"])
    assert ours["effect"] == -flipped["effect"]


def test_several_baselines_are_compared_with_every_system():
    result = compare(make(systems=4), baseline=["s2", "s0", "s2"], trials=64)
    assert result.baseline == ("s2", "s0")
    compared = result.table.select("system", "baseline").rows()
    assert compared == [("s0", "s2"), ("s1", "s2"), ("s3", "s2"), ("s1", "s0"), ("s3", "s0")]
    assert set(result.tables["compare_topics"]["baseline"]) == {"s2", "s0"}
    assert compare(make(), baseline="s1", trials=64).baseline == ("s1",)
    assert "s3 against s2" in spec_json(result.charts()["compare_baseline"])


@pytest.mark.parametrize("baseline", [["s2"], ["s2", "s0"]])
def test_p_against_baselines_is_corrected_for_these_comparisons(baseline):
    scores = make(metrics=2, systems=5)
    matrix, places = scores.values.transpose(0, 2, 1), [int(name[1]) for name in baseline]
    shuffled = randomised_dunnett(matrix, places, trials=300, seed=2, smooth=True)
    table = against(scores, *baseline, trials=300, seed=2, test="tukey-randomised")
    assert table["p"].to_numpy() == pytest.approx(shuffled.pvalue.ravel(), abs=0)
    width = (table["high"] - table["difference"]).to_numpy().reshape(2, -1)
    assert width == pytest.approx(np.broadcast_to(shuffled.required_difference()[:, None], width.shape))
    drawn = max_t(matrix, baselines=places, trials=300, seed=2)
    table = against(scores, *baseline, trials=300, seed=2)
    assert table["p"].to_numpy() == pytest.approx(drawn.pvalue.ravel(), abs=0)
    anova = two_way_anova(matrix)
    t = drawn.mean_difference / np.sqrt(2 * anova.ms_residual[:, None] / anova.topics)
    table = against(scores, *baseline, test="tukey")
    expected = np.minimum(1, len(places) * dunnett_tail(t, 4, anova.df_residual))
    assert table["p"].to_numpy() == pytest.approx(expected.ravel(), abs=1e-9)


@pytest.mark.parametrize("test", ["tukey-randomised", "max-t", "tukey"])
def test_fewer_comparisons_give_smaller_p_and_narrower_intervals(test):
    scores = make(systems=12, topics=25, spread=0.03)
    result = compare(scores, baseline=["s0"], test=test)
    every = result.tables["compare_pairs"].filter(pl.col("system_a") == "s0")
    assert (result.table["p"].to_numpy() <= every["p"].to_numpy()).all()
    assert (result.table["p"].to_numpy() < every["p"].to_numpy()).any()
    assert (result.table["high"] - result.table["low"] < every["high"] - every["low"]).all()
    groups = compare(scores, test=test).table
    assert result.tables["compare"].equals(groups)


@pytest.mark.parametrize("test", TESTS)
def test_two_systems_are_compared_second_minus_first(test):
    scores = make(systems=2, metrics=2)
    result = compare(scores, test=test, trials=200)
    assert next(iter(result.tables)) == "compare_baseline"
    assert result.table.select("system", "baseline").unique().rows() == [("s1", "s0")]
    assert result.baseline == ("s0",)
    assert any("the one given first, s0, is the baseline" in note for note in result.notes)
    # There is only one comparison, so there is only one p.
    assert result.table["p"].to_numpy() == pytest.approx(result.tables["compare_pairs"]["p"].to_numpy(), abs=1e-9)
    other = compare(scores, baseline=["s1"], test=test, trials=200)
    assert other.table["difference"].to_list() == (-result.table["difference"]).to_list()
    assert not any("is the baseline" in note for note in other.notes)


def test_notes_say_which_comparisons_the_error_rate_covers():
    scores = make(systems=6)
    plain, robust = (" ".join(compare(scores, test=test).notes) for test in ("tukey-randomised", "max-t"))
    assert "among the 15 pairs of a metric is at most 0.05 if all systems have equal variances" in plain
    assert "among the 15 pairs of a metric is about 0.05, also where differences are skewed" in robust
    with_baseline = " ".join(compare(scores, baseline=["s1"]).notes)
    assert "among the 5 comparisons with s1 is about 0.05, also where differences are skewed" in with_baseline
    assert "in compare_pairs, and for the groups, for all 15 pairs" in with_baseline
    assert "0.25 of 5 would be false alarms" in " ".join(compare(scores, baseline=["s1"], test="t").notes)


def test_a_correction_covers_the_comparisons_of_its_table():
    scores = make(systems=5)
    plain, corrected = (compare(scores, baseline=["s0"], test="t", correction=each) for each in ("none", "holm"))
    for name in ("compare_baseline", "compare_pairs"):
        expected = adjust_pvalues(plain.tables[name]["p"].to_numpy(), "holm")
        assert corrected.tables[name]["p"].to_numpy() == pytest.approx(expected)
        assert corrected.tables[name]["p_uncorrected"].to_list() == plain.tables[name]["p"].to_list()
    assert any("are for the 4 comparisons with s0" in note for note in corrected.notes)


def test_the_smallest_p_is_corrected_for_its_table():
    scores = make(systems=8, spread=9.0)
    result = compare(scores, baseline=["s0"], test="bootstrap", trials=200, correction="bonferroni")
    assert result.readable()["p"].to_list() == ["0.0348"] * 7  # 7 / 201
    assert set(result.readable("compare_pairs")["p"]) == {"0.1393"}  # 28 / 201
    note = "Too few trials for this correction: it turns the smallest p, 1/201, into 0.1393. Raise trials."
    assert note in result.notes


@pytest.mark.parametrize("procedure", [compare, power])
def test_the_correction_is_named_first(procedure):
    result = procedure(make(), test="t", correction="holm")
    assert result.notes[0].startswith("Paired t test, Holm-corrected, alpha = 0.05, 12 topics")
    assert procedure(make(), test="t").notes[0].startswith("Paired t test, alpha = 0.05, 12 topics")


def test_the_caption_names_the_correction():
    assert "Paired t test, Benjamini-Hochberg-corrected" in compare(make(), test="t", correction="fdr_bh").to_latex()


@pytest.mark.parametrize("procedure", [compare, power])
@pytest.mark.parametrize("test", ["tukey-randomised", "max-t", "bootstrap"])
def test_few_trials_give_a_note(procedure, test):
    said = [any("Too few trials" in note for note in procedure(make(), test=test, trials=n).notes) for n in (1, 19, 20)]
    assert said == [True, True, False]


@pytest.mark.parametrize("resamples", [0, 1])
def test_too_few_resamples_are_refused(resamples):
    with pytest.raises(MetameterError, match="too few resamples"):
        compare(make(), resamples=resamples)


def test_until_is_refused_for_tests_without_random_trials():
    with pytest.raises(MetameterError, match="Leave until out"):
        compare(make(), test="t", until=0.01)


@pytest.mark.parametrize("test", TESTS)
def test_scaled_scores_give_the_same_p(test):
    grid = np.random.default_rng(1).integers(0, 11, (1, 4, 20)) / 10
    p = [
        compare(Scores(("m",), tuple("abcd"), tuple(map(str, range(20))), grid * scale), test=test, trials=100)
        .tables["compare_pairs"]["p"]
        .to_list()
        for scale in (1.0, 1 / 3, 0.7)
    ]
    for other in p[1:]:
        assert other == pytest.approx(p[0], abs=1e-12)


def test_an_unknown_baseline_is_refused():
    with pytest.raises(MetameterError, match=r"no system has this name.*Did you mean s1"):
        compare(make(), baseline=["s11"])


def test_tables_hold_the_differences_per_topic():
    scores = make(metrics=2, systems=3, topics=4)
    table = compare(scores, baseline=["s1"], trials=64).tables["compare_topics"]
    assert table.columns == ["metric", "system", "baseline", "topic", "score", "delta"]
    assert table.height == 2 * 2 * 4
    row = table.row(
        by_predicate=(pl.col("metric") == "m1") & (pl.col("system") == "s2") & (pl.col("topic") == "3"), named=True
    )
    assert row["delta"] == scores.values[1, 2, 3] - scores.values[1, 1, 3]
    assert row["score"] == scores.values[1, 2, 3]
    best = compare(scores, trials=64).tables["compare_topics"].filter(pl.col("metric") == "m0")
    assert set(best["baseline"]) == {scores.systems[int(scores.values[0].mean(axis=1).argmax())]}


@pytest.mark.parametrize("test", ["tukey-randomised", "max-t", "bootstrap"])
def test_no_monte_carlo_p_is_zero(test):
    result = compare(make(systems=2, spread=9.0), trials=100, test=test)
    for name in ("compare_pairs", "compare_baseline"):
        assert result.tables[name]["p"][0] == 1 / 101
        assert result.readable(name)["p"][0] == "0.0099"


def test_two_systems_show_both_means():
    scores = make(systems=2, metrics=2)
    result = compare(scores, trials=64)
    means = scores.values.mean(axis=-1)
    assert result.table["mean"].to_list() == means[:, 1].tolist()
    assert result.table["baseline_mean"].to_list() == means[:, 0].tolist()
    assert result.readable().columns[:4] == ["metric", "mean s0", "mean s1", "difference"]
    assert result.readable()["mean s1"].to_list() == means[:, 1].tolist()


@pytest.mark.parametrize("names", [("bm25", "splade"), ("input.orcl99man", "input.8manexT3D1N0")])
def test_two_systems_fit_eighty_columns_with_all_that_matters(names):
    scores = make(systems=2)
    scores = Scores(("nDCG@10",), names, scores.topics, scores.values)
    result = compare(scores, trials=64)
    lines = result.text(width=80).splitlines()
    assert max(map(len, lines)) <= 80
    row = result.table.row(0, named=True)
    numbers = [f"{row[name]:.4f}" for name in ("baseline_mean", "mean", "difference", "low", "high")]
    for text in (*numbers, f"{row['wins']}/{row['losses']}/{row['ties']}"):
        assert text in lines[-2]
    assert lines[-1].startswith("2 more columns (effect, p_error)")


def test_one_topic_is_singular():
    scores = Scores(("m",), ("a", "b"), tuple("123456"), np.array([[[0.0, 0.3, 0.4, 0.5, 0.6, 0.7], [0.1] * 6]]))
    assert "b is better on 1 topic, worse on 5, equal on 0." in compare(scores, trials=64).answer()[0]


def test_more_than_three_letters_become_ranks():
    scores = make(systems=14, topics=15, spread=0.06)
    result = compare(scores, trials=300)
    table = result.tables["compare"]
    assert table["group"].str.len_chars().max() > 3
    shown = result.readable("compare")
    assert "group" not in shown.columns
    assert shown["rank"].to_list() == list(range(1, 15))
    verdicts = {
        frozenset(pair): p < 0.05 for *pair, p in result.tables["compare_pairs"]["system_a", "system_b", "p"].rows()
    }
    for rank, system, text in shown.select("rank", "system", "not_different_from").rows():
        alike = [other for other in table["system"] if other == system or not verdicts[frozenset((system, other))]]
        ranks = sorted(table["system"].to_list().index(other) + 1 for other in alike)
        assert rank in ranks
        assert text.endswith(f"{ranks[0]}-{ranks[-1]}")
        assert text.startswith("ranks" if len(ranks) == ranks[-1] - ranks[0] + 1 else f"{len(ranks)} of ranks")


@pytest.mark.parametrize(("procedure", "size"), [(compare, "1.1 GB"), (power, "0.6 GB")])
def test_too_many_pairs_are_refused_before_allocation(procedure, size):
    scores = make(systems=3200, topics=2)
    with pytest.raises(MetameterError, match=f"3,200 systems make 5,118,400 pairs to test, which take about {size}"):
        procedure(scores)
    with pytest.raises(MetameterError, match="1,000 systems by 11 metrics make 5,494,500 pairs"):
        procedure(make(metrics=11, systems=1000, topics=2))


def test_any_number_of_jobs_gives_the_same_bits():
    scores = make(metrics=2, systems=6)
    for test in TESTS:
        one, many = (compare(scores, baseline=["s2"], test=test, trials=150, jobs=jobs) for jobs in (1, 3))
        for name in one.tables:
            assert to_csv(one.tables[name]) == to_csv(many.tables[name]), (test, name)


def test_until_sets_the_number_of_trials():
    result = compare(make(), until=0.02)
    assert result.manifest["options"]["trials"] == 625
    assert result.tables["compare_pairs"]["p_error"].max() <= 0.02


def test_odd_names_are_kept_and_escaped():
    scores = make(systems=5, topics=6)
    scores = Scores((ODD[0],), ODD, scores.topics, scores.values)
    result = compare(scores, baseline=[ODD[1]], trials=64)
    rows = list(csv.DictReader(io.StringIO(to_csv(result.tables["compare"]))))
    assert {row["system"] for row in rows} == set(ODD)
    assert {row["baseline"] for row in csv.DictReader(io.StringIO(to_csv(result.table)))} == {ODD[1]}
    assert len(result.charts()) == 4
    for chart in result.charts().values():
        assert "</script" not in spec_json(chart)
    latex = result.to_latex("compare")
    assert r"50\%\_of\{a\textbackslash{}b\}\textasciitilde{}\$\&\#\textasciicircum{}" in latex
    assert "\u202e" not in latex
    assert "{}[red]" in latex


@pytest.mark.parametrize("test", TESTS)
def test_constant_scores_form_one_group(test):
    scores = Scores(("m",), ("a", "b", "c"), tuple("12345"), np.full((1, 3, 5), 0.3))
    result = compare(scores, test=test, trials=64)
    assert result.table["group"].to_list() == ["a", "a", "a"]
    assert result.tables["compare_pairs"].select("difference", "p", "ties").unique().rows() == [(0.0, 1.0, 5)]
    for chart in result.charts().values():
        spec_json(chart)


def test_too_few_systems_topics_or_scores_are_refused():
    whole = make()
    with pytest.raises(MetameterError, match="too few systems"):
        compare(Scores(whole.metrics, ("a",), whole.topics, whole.values[:, :1]))
    with pytest.raises(MetameterError, match="too few topics"):
        compare(Scores(whole.metrics, whole.systems, ("1",), whole.values[:, :, :1]))
    with pytest.raises(MetameterError, match="missing"):
        compare(Scores(whole.metrics, whole.systems, whole.topics, np.full(whole.values.shape, np.nan)))


@pytest.mark.realdata
def test_real_matrices_run_unchanged(data):
    for scores in read_collections(sorted((data / "score-matrices").glob("*.csv"))).values():
        result = compare(scores, trials=500, resamples=200)
        for metric in scores.metrics:
            group = dict(result.table.filter(pl.col("metric") == metric).select("system", "group").rows())
            pairs = result.tables["compare_pairs"].filter(pl.col("metric") == metric)
            for a, b, p in pairs.select("system_a", "system_b", "p").rows()[::37]:
                assert bool(letters(group[a]) & letters(group[b])) == (p >= 0.05)


@pytest.mark.parametrize("procedure", [compare, power])
def test_latex_and_markdown_show_no_monte_carlo_errors(procedure):
    result = procedure(make(metrics=2), trials=64)
    for name, table in result.tables.items():
        errors = [column for column in table.columns if column.endswith(("_error", "_se"))]
        for text in (result.to_latex(name).replace("\\_", "_"), result.text(name, "markdown")):
            kept = [column for column in errors if column in text]
            assert kept == (errors if name.endswith("convergence") else [])
        assert all(column in result.text(name, "csv") for column in errors)


def test_wins_are_counted_in_blocks_of_pairs():
    """The differences of all pairs on all topics took 1,200 bytes a pair."""
    matrix = np.random.default_rng(0).random((1, 50, 400))
    first, second = system_pairs(400)
    tracemalloc.start()
    try:
        wins, ties, losses = _outcomes(matrix, first, second)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100 * len(first)
    assert (wins + ties + losses == 50).all()
    assert wins[0, -1] == (matrix[0, :, 398] > matrix[0, :, 399]).sum()


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("baselines", [["s1"], ["s2", "s0"]])
def test_baselines_do_not_need_all_pairs(test, baselines, monkeypatch):
    scores = make(metrics=2, systems=6)
    whole = compare(scores, baseline=baselines, test=test, trials=100, resamples=50)
    monkeypatch.setattr("metameter.meta.compare.procedure._PAIRS_BESIDE_BASELINES", 29)
    result = compare(scores, baseline=baselines, test=test, trials=100, resamples=50)
    assert list(result.tables) == ["compare_baseline", "compare", "compare_topics"]
    assert result.table.equals(whole.table)
    means, every = (each.tables["compare"].drop("group", "not_different_from") for each in (result, whole))
    assert means.equals(every)
    assert result.tables["compare"]["group"].null_count() == 12
    assert result.answer() == whole.answer()
    left_out = "compare_pairs, compare_convergence and the groups of systems are left out: 6 systems make 15 pairs."
    assert left_out in result.notes
    assert left_out not in whole.notes
    assert "in compare_pairs, and for the groups" not in result.remark
    assert {name.rstrip("_2") for name in result.charts()} == {"compare_baseline", "compare", "compare_topics"}
    assert set(result.latex()) == set(result.tables)
    assert "a, b" not in result.to_latex("compare")


def test_thousands_of_systems_are_compared_with_a_baseline():
    scores = make(systems=6000, topics=5, spread=0.0)
    tracemalloc.start()
    result = compare(scores, baseline=["s7"], trials=20, resamples=2, jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.table.height == 5999
    # All pairs would take 3.8 GB.
    assert peak < 200e6
    assert result.answer()[0].startswith("By m0")
    with pytest.raises(MetameterError, match=r"6,000 systems make 5,\d{3},\d{3} pairs to test"):
        compare(scores, baseline=[f"s{number}" for number in range(950)], trials=20)
