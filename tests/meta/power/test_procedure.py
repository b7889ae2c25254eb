"""Discriminative power."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest
import scipy.stats

from metameter.errors import MetameterError
from metameter.meta.power.procedure import ordered_chart, power
from metameter.meta.power.text import conclusion
from metameter.read.scores import read_collections
from metameter.stats.consistency.resampled_metrics import resampled_power
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.confirmation import confirmed_verdicts
from metameter.stats.significance.pair_tests import run_test
from metameter.stats.significance.paired_bootstrap import paired_bootstrap
from metameter.stats.significance.pairs import adjust_pvalues
from metameter.stats.significance.tukey import randomised_tukey
from metameter.types import Scores
from metameter.view.charts import spec_json
from metameter.view.tables.csv import to_csv
from metameter.view.tables.formats import to_json
from tests.stats.exact_tukey import exact_tukey

ODD = ("x</script>", "a,b", r"50%_of{a\b}~$&#^", "[red]x[/red]", "Ω\u202e|\t\"q'")
TESTS = ("tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "sign")


def make(metrics=1, systems=5, topics=12, seed=0, names=None, spread=0.1):
    rng = np.random.default_rng(seed)
    values = rng.random((metrics, systems, topics)) + spread * np.arange(systems)[:, None]
    names = tuple(f"m{i}" for i in range(metrics)) if names is None else names
    return Scores(names, tuple(f"s{i}" for i in range(systems)), tuple(str(t) for t in range(topics)), values)


def matrix_of(scores):
    return np.ascontiguousarray(scores.values.transpose(0, 2, 1))


def test_tables_start_with_the_documented_columns():
    result = power(make())
    assert list(result.tables)[:2] == ["power", "power_pairs"]
    promised = ["metric", "pairs", "significant", "power", "required_difference", "low", "high"]
    assert result.table.columns[:7] == promised
    pairs = result.tables["power_pairs"]
    assert pairs.columns[:6] == ["metric", "system_a", "system_b", "difference", "effect", "p"]
    assert pairs.select("system_a", "system_b").rows()[:4] == [("s0", "s1"), ("s0", "s2"), ("s0", "s3"), ("s0", "s4")]
    assert result.table["power"][0] == result.table["significant"][0] / result.table["pairs"][0]


def test_small_case_agrees_with_exact_enumeration():
    scores = make(systems=3, topics=5)
    exact = exact_tukey(matrix_of(scores)[0])
    result = power(scores, trials=20_000)
    pairs = result.tables["power_pairs"]
    error = np.sqrt(exact.pvalue * (1 - exact.pvalue) / 20_000)
    assert (np.abs(pairs["p"].to_numpy() - exact.pvalue) <= 4 * error).all()
    assert result.table["required_difference"][0] == pytest.approx(float(exact.required_difference()), rel=0.05)


def test_two_systems_match_fishers_randomisation_test():
    scores = make(systems=2, topics=8, spread=0.2)
    z = scores.values[0, 0] - scores.values[0, 1]
    sums = np.array([abs(np.dot(signs, z)) for signs in product((-1, 1), repeat=8)])
    exact = (sums >= abs(z.sum()) - 1e-12).mean()
    row = power(scores, trials=20_000).tables["power_pairs"]
    assert row["p"][0] == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
    assert row["p_error"][0] == pytest.approx(np.sqrt(row["p"][0] * (1 - row["p"][0]) / 20_000))


def test_randomised_tukey_matches_stats():
    scores = make(metrics=2, systems=6, topics=20)
    expected = randomised_tukey(matrix_of(scores), trials=500, seed=3, smooth=True)
    result = power(scores, trials=500, seed=3)
    assert result.tables["power_pairs"]["p"].to_numpy() == pytest.approx(expected.pvalue.ravel(), abs=0)
    assert result.tables["power_pairs"]["difference"].to_numpy() == pytest.approx(expected.statistic.ravel(), abs=0)
    assert result.table["required_difference"].to_list() == expected.required_difference(0.05).tolist()
    assert result.table["power"].to_list() == expected.power(0.05).tolist()
    residual = two_way_anova(matrix_of(scores)).ms_residual[:, None]
    effect = (expected.statistic / np.sqrt(residual)).ravel()
    assert result.tables["power_pairs"]["effect"].to_numpy() == pytest.approx(effect)


def test_classical_tukey_matches_stats():
    scores = make(systems=6, topics=20)
    expected = two_way_anova(matrix_of(scores))
    result = power(scores, test="tukey")
    assert result.tables["power_pairs"]["p"].to_numpy() == pytest.approx(expected.tukey_pvalue.ravel(), abs=1e-12)
    assert result.table["power"].to_list() == expected.power(0.05).tolist()
    assert result.table["required_difference"][0] == pytest.approx(expected.required_difference(0.05)[0])
    assert result.table["power_error"].is_null().all()


def test_bootstrap_matches_stats():
    scores = make(systems=4, topics=15)
    expected = paired_bootstrap(matrix_of(scores), trials=400, seed=2, smooth=True)
    result = power(scores, test="bootstrap", trials=400, seed=2)
    assert result.tables["power_pairs"]["p"].to_list() == expected.pvalue.ravel().tolist()
    assert result.table["required_difference"].to_list() == expected.required_difference().tolist()
    assert result.table["required_difference_error"][0] > 0
    assert result.tables["power_convergence"]["trials"].to_list() == [50, 100, 200, 400]
    assert result.tables["power_convergence"]["power"][-1] == result.table["power"][0]


def test_pairwise_tests_match_scipy():
    scores = make(systems=3, topics=14)
    x = scores.values[0]
    pairs = [(0, 1), (0, 2), (1, 2)]
    t = power(scores, test="t").tables["power_pairs"]
    assert t["p"].to_numpy() == pytest.approx([scipy.stats.ttest_rel(x[i], x[j]).pvalue for i, j in pairs])
    dz = [(x[i] - x[j]).mean() / (x[i] - x[j]).std(ddof=1) for i, j in pairs]
    assert t["effect"].to_numpy() == pytest.approx(dz)
    w = power(scores, test="wilcoxon").tables["power_pairs"]
    assert w["p"].to_numpy() == pytest.approx([scipy.stats.wilcoxon(x[i] - x[j]).pvalue for i, j in pairs])
    assert w["effect"].to_numpy() == pytest.approx(dz)
    s = power(scores, test="sign").tables["power_pairs"]
    wins = [int((x[i] > x[j]).sum()) for i, j in pairs]
    assert s["p"].to_numpy() == pytest.approx([scipy.stats.binomtest(k, 14).pvalue for k in wins])


def test_the_t_test_requires_the_largest_difference_over_pairs():
    scores = make(systems=3, topics=14)
    x = scores.values[0]
    spreads = [(x[i] - x[j]).std(ddof=1) / np.sqrt(14) for i, j in [(0, 1), (0, 2), (1, 2)]]
    expected = scipy.stats.t.ppf(0.975, 13) * max(spreads)
    assert power(scores, test="t").table["required_difference"][0] == pytest.approx(expected)
    assert power(scores, test="sign").table["required_difference"][0] is None


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"])
def test_corrections_match_stats(correction):
    scores = make(systems=5, topics=14)
    plain = power(scores, test="t").tables["power_pairs"]["p"].to_numpy()
    result = power(scores, test="t", correction=correction)
    pairs = result.tables["power_pairs"]
    assert pairs["p"].to_numpy() == pytest.approx(adjust_pvalues(plain, correction))
    assert pairs["p_uncorrected"].to_list() == plain.tolist()
    assert result.table["significant"][0] == (pairs["p"] < 0.05).sum()
    assert result.table["required_difference"][0] is None


@pytest.mark.parametrize("test", ["tukey", "tukey-randomised"])
def test_corrections_are_refused_with_tukey(test):
    with pytest.raises(MetameterError, match="family-wise error already"):
        power(make(), test=test, correction="holm")


def test_the_curve_is_run_length_encoded():
    result = power(make(metrics=3, systems=9), trials=64)
    for name, part in result.tables["power_curve"].group_by("metric"):
        decoded = np.concatenate([[p] * (last - first + 1) for _, first, last, p in part.sort("first").rows()])
        pairs = result.tables["power_pairs"].filter(result.tables["power_pairs"]["metric"] == name[0])
        assert decoded.tolist() == sorted(pairs["p"].to_list(), reverse=True)


def test_equal_curves_are_drawn_once_with_both_names():
    base = make(systems=6, topics=10).values[0]
    names = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*ETG", "RBP(p=0.8)*max", "Prec@10*ERG")
    values = np.stack([base, 5 * base, base**3, base])
    scores = Scores(names, tuple("abcdef"), tuple(map(str, range(10))), values)
    result = power(scores, trials=200)
    assert any("RBP(p=0.8)*ERG = RBP(p=0.8)*ETG" in note for note in result.notes)
    chart = json.loads(spec_json(result.charts()["power_curve"]))
    text = json.dumps(chart)
    assert [panel["title"] for panel in chart["concat"]] == ["RBP(p=0.8)", "Prec"]
    assert '"ERG (canonical) = ETG"' in text
    assert '"ETG"' not in text


def test_any_number_of_jobs_gives_the_same_bits():
    scores = make(metrics=3, systems=7, topics=9)
    for test in TESTS:
        one, many = (power(scores, test=test, trials=150, jobs=jobs) for jobs in (1, 3))
        for name in one.tables:
            assert to_csv(one.tables[name]) == to_csv(many.tables[name]), (test, name)


def test_progress_is_reported_and_changes_nothing():
    told = []
    scores = make()
    result = power(scores, trials=200, progress=lambda done, of, what: told.append((done, of)))
    assert told[-1] == (4, 4)
    assert to_csv(result.tables["power_pairs"]) == to_csv(power(scores, trials=200).tables["power_pairs"])


def test_a_thousand_trials_are_a_prefix_of_two_thousand():
    matrix = matrix_of(make(metrics=2))
    short, long = (
        run_test(matrix, "tukey-randomised", trials=n, alpha=0.05, seed=0, jobs=n // 1000) for n in (1000, 2000)
    )
    assert (short.ranges == long.ranges[:, :1000]).all()


def test_until_bounds_the_error_of_every_p_value():
    scores = make(systems=8, topics=6, spread=0.01)
    result = power(scores, until=0.02)
    assert result.table["trials"][0] == 625
    assert result.tables["power_pairs"]["p_error"].max() <= 0.02
    # The number of trials follows from the precision alone, whatever the scores are.
    assert power(make(spread=9.0), until=0.02).table["trials"][0] == 625
    assert to_csv(power(scores, trials=625).table) == to_csv(result.table)


def test_until_is_refused_without_random_samples_or_out_of_range():
    with pytest.raises(MetameterError, match="no random samples"):
        power(make(), test="t", until=0.01)
    for until in (0.0, 1.0, 0.0001):
        with pytest.raises(MetameterError, match="precision is out of range"):
            power(make(), until=until)


def test_convergence_ends_where_the_result_is():
    result = power(make(metrics=2, systems=6), trials=300)
    last = result.tables["power_convergence"].filter(result.tables["power_convergence"]["trials"] == 300)
    assert last["power"].to_list() == result.table["power"].to_list()
    assert last["power_error"].to_list() == result.table["power_error"].to_list()
    assert last["required_difference"].to_list() == result.table["required_difference"].to_list()
    short = power(make(metrics=2, systems=6), trials=64)
    first = result.tables["power_convergence"].filter(result.tables["power_convergence"]["trials"] == 64)
    assert first["power"].to_list() == short.table["power"].to_list()


def test_monte_carlo_errors_cover_the_truth():
    # Required differences of independent seeds scatter as much as their error says.
    scores = make(systems=6, topics=20)
    options = {"trials": 400, "alpha": 0.05}
    found = [run_test(matrix_of(scores), "tukey-randomised", seed=seed, **options) for seed in range(40)]
    spread = np.std([each.required[0] for each in found])
    said = np.mean([each.required_error[0] for each in found])
    assert 0.5 < said / spread < 2.0


def test_no_monte_carlo_p_is_zero():
    result = power(make(systems=3, spread=5.0), trials=50)
    pairs = result.tables["power_pairs"]
    assert pairs["p"].to_list() == [1 / 51] * 3
    assert result.readable("power_pairs")["p"].to_list() == ["0.0196"] * 3
    assert json.loads(to_json(result.tables))["power_pairs"][0]["p"] == 1 / 51
    # A p that is too small to print is not printed as 0.
    assert set(power(make(spread=500.0), test="t").readable("power_pairs")["p"]) == {"< 0.0001"}


def test_too_few_trials_for_a_correction_give_a_note():
    scores = make(systems=8, spread=5.0)
    result = power(scores, test="bootstrap", trials=50, correction="bonferroni")
    note = "Too few trials for this correction: it turns the smallest p, 1/51, into 0.549. Raise trials."
    assert note in result.notes


@pytest.mark.parametrize("test", TESTS)
def test_constant_scores_do_not_differ(test):
    scores = Scores(("m",), ("a", "b", "c"), tuple("12345"), np.full((1, 3, 5), 0.3))
    result = power(scores, test=test, trials=64)
    assert result.table["significant"][0] == 0
    assert result.tables["power_pairs"]["p"].to_list() == [1.0, 1.0, 1.0]
    assert result.tables["power_pairs"]["difference"].to_list() == [0.0, 0.0, 0.0]
    assert result.table["agreement"][0] is None
    for chart in result.charts().values():
        spec_json(chart)


def test_too_few_systems_topics_or_scores_are_refused():
    whole = make()
    with pytest.raises(MetameterError, match="too few systems"):
        power(Scores(whole.metrics, ("a",), whole.topics, whole.values[:, :1]))
    with pytest.raises(MetameterError, match="too few topics"):
        power(Scores(whole.metrics, whole.systems, ("1",), whole.values[:, :, :1]))
    missing = whole.values.copy()
    missing[0, 1, 2] = np.nan
    with pytest.raises(MetameterError, match="missing='zero' or 'drop-topic'"):
        power(Scores(whole.metrics, whole.systems, whole.topics, missing))
    with pytest.raises(MetameterError, match="too large"):
        power(Scores(whole.metrics, whole.systems, whole.topics, np.where(missing > 9, 0, np.inf)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"resamples": 1},
        {"resample": "topic"},
        {"groups": {"s0": "us"}},
        {"alpha": 0.0},
        {"alpha": 1.5},
        {"trials": 0},
        {"seed": -1},
        {"jobs": 0},
        {"test": "z"},
        {"correction": "q"},
    ],
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(MetameterError):
        power(make(), **wrong)


@pytest.mark.parametrize(("resample", "df"), [("topics", 24), ("systems", 7), ("both", 7)])
def test_intervals_use_t_and_the_standard_error_of_resamples(resample, df):
    scores = make(metrics=2, systems=8, topics=25, spread=0.06)
    result = power(scores, trials=500, resamples=200, resample=resample)
    drawn = resampled_power(scores.matrix, 200, alpha=0.05, seed=0, resample=resample)
    assert (result.resampled == drawn).all()
    table = result.table
    observed, error = table["power"].to_numpy(), table["power_error"].to_numpy()
    half = scipy.stats.t.ppf(0.975, df) * np.sqrt(drawn.var(axis=0, ddof=1) + error**2)
    assert table["low"].to_numpy() == pytest.approx(np.maximum(observed - half, 0))
    assert table["high"].to_numpy() == pytest.approx(np.minimum(observed + half, 1))
    assert (table["low_se"] > 0).all()
    words = {"topics": "other topics", "systems": "other systems", "both": "other topics and other systems"}
    assert f"95% of power for {words[resample]}, from 200 resamples" in "\n".join(result.notes)
    assert result.manifest["options"]["resample"] == resample


def test_only_the_randomised_test_has_intervals():
    without = power(make(), trials=64, resamples=0)
    assert without.table["low"].null_count() == 1
    assert not any("interval" in note or "low, high" in note for note in without.notes)
    assert without.resampled.shape == (0, 1)
    other = power(make(), test="tukey")
    assert other.table["low"].null_count() == 1
    assert "only the randomised Tukey HSD has them" in other.notes[-1]
    few = power(make(topics=4), trials=64)
    assert few.table["high"].null_count() == 1
    assert few.notes[-1] == "No intervals for other topics: they need 5 topics or more, not 4."
    rough = power(make(topics=14), trials=64, resamples=64)
    assert "fewer than 15 topics are rough" in rough.notes[-1]
    assert "rough" not in power(make(topics=15), trials=64, resamples=64).remark
    rougher = power(make(systems=6), trials=64, resamples=64, resample="systems")
    assert "fewer than 15 systems are rough" in rougher.notes[-1]


def test_systems_of_a_group_are_resampled_together():
    scores = make(metrics=1, systems=8, topics=20)
    groups = {"s0": "us", "s1": "us", "s7": "them"}
    result = power(scores, trials=64, resamples=100, resample="both", groups=groups)
    drawn = resampled_power(
        scores.matrix, 100, alpha=0.05, seed=0, resample="both", clusters=np.array([0, 0, 1, 2, 3, 4, 5, 6])
    )
    assert (result.resampled == drawn).all()
    assert "resamples of the topics and systems (those of a group together)" in "\n".join(result.notes)
    assert "fewer than 15 topics or groups of systems are rough, and these are from 7" in result.notes[-1]
    assert result.manifest["options"]["groups"] == groups


def test_a_table_shows_what_each_metric_adds():
    names = ("RBP(p=0.8)*max", "RBP(p=0.8)*ERG", "nDCG@10", "AP", "mine")
    scores = make(metrics=5, systems=8, topics=20, names=names, spread=0.06)
    result = power(scores, trials=64, resamples=0)
    table = result.tables["power_added"]
    pairs = [("RBP(p=0.8)*max", "RBP(p=0.8)*ERG"), ("nDCG@10", "AP"), ("nDCG@10", "mine"), ("AP", "mine")]
    assert table.select("metric_a", "metric_b").rows() == [way for a, b in pairs for way in ((a, b), (b, a))]
    stats = confirmed_verdicts(scores.matrix, "tukey-randomised", alpha=0.05, against=[(0, 1)])
    names = ["added", "agreement_a", "agreement_b", "shared", "shared_agreement_a", "shared_agreement_b"]
    assert table.select(names).row(0) == pytest.approx(stats.added[:, 0])
    assert table.select(f"{name}_error" for name in names).row(0) == pytest.approx(stats.added_errors[:, 0])
    # What is added and what is shared make up all that A finds, as no pair is told apart in opposite directions here.
    found = result.tables["power_agreement"]["significant"][0]
    assert table["added"][0] + table["shared"][0] == pytest.approx(found)
    assert power(make(metrics=1), trials=64).tables["power_added"].height == 0


@pytest.mark.parametrize("topics", [2, 3])
def test_few_topics_give_no_split_halves(topics):
    result = power(make(metrics=2, topics=topics), trials=64)
    assert result.table["agreement"][0] is None
    assert result.tables["power_added"]["agreement_a"].null_count() == 2
    assert any("four topics" in note for note in result.notes)


def test_odd_names_are_kept_and_escaped():
    scores = make(metrics=2, systems=5, topics=6, names=(ODD[0], ODD[2]))
    scores = Scores(scores.metrics, ODD, scores.topics, scores.values)
    result = power(scores, trials=64)
    rows = list(csv.DictReader(io.StringIO(to_csv(result.tables["power_pairs"]))))
    assert {row["system_a"] for row in rows} | {row["system_b"] for row in rows} == set(ODD)
    assert {row["metric"] for row in rows} == {ODD[0], ODD[2]}
    for chart in result.charts().values():
        assert "</script" not in spec_json(chart)
    latex = "".join(result.latex().values())
    assert r"50\%\_of\{a\textbackslash{}b\}\textasciitilde{}\$\&\#\textasciicircum{}" in latex
    assert "\u202e" not in latex


def test_an_aggregation_has_the_same_colour_in_every_panel():
    names = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "Prec@5*avg", "Prec@5*max", "Prec@5*ERG")
    charts = power(make(metrics=5, names=names), trials=64).charts()
    assert "p up to 0.15" in spec_json(charts["power_curve"])
    for name in ("power_curve", "power_convergence"):
        found = {}
        for panel in charts[name].to_dict()["concat"]:
            scale = panel["layer"][1]["encoding"]["color"]["scale"]
            for label, colour in zip(scale["domain"], scale["range"], strict=True):
                found.setdefault(label.split(" ")[0], set()).add(colour)
        assert set(found) == {"ERG", "max", "avg"}
        assert all(len(colours) == 1 for colours in found.values())
        assert len(set.union(*found.values())) == 3


def test_latex_has_the_columns_of_a_paper():
    text = power(make(), trials=64).to_latex()
    assert r"Metric & Pairs & Significant & Power & Required & Agreement \\" in text
    assert "Randomised Tukey HSD, alpha = 0.05, 12 topics, 10 pairs." in text
    plain = power(make(topics=3), test="sign").to_latex()
    assert r"Metric & Pairs & Significant & Power \\" in plain


def test_large_tables_are_cut_in_latex_only():
    result = power(make(systems=60, topics=4), trials=64)
    assert result.tables["power_pairs"].height == 1770
    assert result.latex()["power_pairs"].count(r"\\") == 1001
    assert "770 more rows" in result.latex()["power_pairs"]


def test_write_saves_every_table(tmp_path):
    power(make(systems=3, topics=6), trials=64).write(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"power.csv", "power.tex", "power_pairs.csv", "power_curve.html", "manifest.json"} <= names
    options = json.loads((tmp_path / "manifest.json").read_text())["options"]
    assert options["trials"] == 64
    assert "jobs" not in options


@pytest.mark.slow
@pytest.mark.realdata
def test_real_matrices_run_unchanged(data):
    collections = read_collections(sorted((data / "score-matrices").glob("*.csv")))
    assert len(collections) == 4
    for scores in collections.values():
        result = power(scores, trials=500)
        assert 0.05 < result.table["power"].min() < result.table["power"].max() < 0.9
        assert 0.02 < result.table["agreement"].min() < result.table["agreement"].max() < 0.9
        assert result.table["reversed"].max() < 0.01
        # Shuffling counts the differences between systems as noise, so the randomised test is the more careful one.
        assert (power(scores, test="tukey").table["power"] > result.table["power"]).all()


def sharp_and_blurred(sharp=1, blurred=1, systems=12, topics=40):
    """Metrics that separate most pairs of systems, and metrics that separate hardly any."""
    rng = np.random.default_rng(4)
    noises = [0.3] * sharp + [8.0] * blurred
    quality = np.linspace(0, 1, systems)[:, None]
    values = np.stack([quality + rng.normal(0, noise, (systems, topics)) for noise in noises])
    names = tuple([f"sharp{n}" for n in range(sharp)] + [f"blurred{n}" for n in range(blurred)])
    return Scores(names, tuple(f"s{n}" for n in range(systems)), tuple(map(str, range(topics))), values)


BASIS = "Based on intervals of the differences for other topics that hold for"


def test_the_conclusion_names_metrics_that_separate_fewer_pairs():
    result = power(sharp_and_blurred(2, 2), trials=200, resamples=200)
    assert result.table["beats"].to_list() == [2, 2, 0, 0]
    assert result.table["beaten"].to_list() == ["blurred0;blurred1"] * 2 + [""] * 2
    said = (
        "Not shown to separate fewer pairs of systems than any other: sharp0, sharp1. Shown to separate fewer pairs of "
        f"systems than another: blurred0, blurred1. {BASIS} all 6 pairs of metrics at once (95%)."
    )
    assert result.conclusion() == [said]
    assert result.remark.splitlines()[-1] == said
    one = power(sharp_and_blurred(1, 2), trials=200, resamples=200)
    assert one.conclusion()[0].startswith(
        "sharp0 is shown to separate more pairs of systems than every other metric: blurred0, blurred1."
    )


def test_the_conclusion_leaves_out_diagnostics():
    options = {"alpha": 0.05, "resample": "topics", "systems": 20}
    rows = {"metric": ["Judged@100", "AP", "RR"], "beats": [2, 0, 0], "beaten": ["AP;RR", "", ""]}
    left_out = "Judged@100 is a diagnostic: it does not depend on relevance, so it is left out."
    assert conclusion(pl.DataFrame(rows), options) == [
        f"No metric is shown to separate fewer pairs of systems than another. {BASIS} the one pair of metrics (95%).",
        left_out,
    ]
    beaten = pl.DataFrame({**rows, "beaten": ["AP;RR", "Judged@100;RR", ""], "beats": [2, 2, 0]})
    assert conclusion(beaten, options)[0].startswith("AP is shown to separate more pairs of systems than RR. Based")
    assert conclusion(pl.DataFrame(rows)[:2], options) == [left_out]
    one = sharp_and_blurred(1, 1)
    scored = power(replace(one, metrics=("NumRet", "AP")), trials=100, resamples=100)
    assert scored.conclusion() == ["NumRet is a diagnostic: it does not depend on relevance, so it is left out."]


def test_the_conclusion_keeps_the_order_and_names_a_null():
    result = power(sharp_and_blurred(8, 0), trials=200, resamples=200)
    assert result.table["beats"].to_list() == [0] * 8
    said = f"No metric is shown to separate fewer pairs of systems than another. {BASIS} all 28 pairs"
    assert result.conclusion()[0].startswith(said)


@pytest.mark.parametrize("options", [{"resamples": 0}, {"test": "t"}, {"resamples": 10}])
def test_without_intervals_no_difference_is_shown(options):
    result = power(sharp_and_blurred(), **options)
    assert result.table["beats"].null_count() == 2
    assert result.conclusion() == [
        "Without intervals of the differences, no metric is shown to separate fewer pairs of systems than another."
    ]


@pytest.mark.parametrize("systems", [2, 4])
def test_fewer_than_five_systems_cannot_judge_metrics(systems):
    result = power(sharp_and_blurred(systems=systems), trials=100)
    assert result.table["low", "high", "beats"].null_count().row(0) == (2, 2, 2)
    assert result.conclusion() == [
        f"{systems} systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or "
        "more."
    ]
    # What the test says of the systems themselves stays.
    assert result.tables["power_pairs"].height == systems * (systems - 1)


def test_shares_and_their_intervals_stay_between_0_and_1():
    for seed in range(4):
        result = power(make(metrics=3, systems=5, topics=6, seed=seed), trials=64, resamples=64)
        table = result.table.drop_nulls(["low", "high"])
        assert ((table["low"] >= 0) & (table["low"] <= table["power"])).all()
        assert ((table["high"] <= 1) & (table["high"] >= table["power"])).all()
        assert result.conclusion()[-1].startswith("Warning: 5 systems are few")
    with_bars = ordered_chart(result.table, "power", "power", "").to_dict()
    ends = [row for rows in with_bars["datasets"].values() for row in rows]
    assert all(0 <= row["low"] <= row["high"] <= 1 for row in ends)


def test_the_named_metrics_of_many_are_listed():
    names = ["nDCG", "RR"] + [
        f"{model}*{how}"
        for model in ("RBP(p=0.8)", "RBP(p=0.5)", "INST(T=2.25)")
        for how in ("ERG", "ETG", "avg", "max", "fin", "PE(beta=0.5)", "PE(beta=0.8)", "PE(beta=0.2)")
    ]
    rows = {"metric": names, "beats": [24] + [0] * 25, "beaten": [";".join(names[2:])] + [""] * 25}
    table = pl.DataFrame(rows)
    (said,) = conclusion(table, {"alpha": 0.05, "resample": "topics", "systems": 20})
    assert said.startswith(
        "Not shown to separate fewer pairs of systems than any other: nDCG, RR. Shown to separate fewer pairs of "
        "systems than another: RBP(p=0.8)*ERG, RBP(p=0.5)*ERG, INST(T=2.25)*ERG. Of the 21 other metrics, 21 are "
        "shown to separate fewer pairs of systems than another. Based on"
    )
