"""Other tools' numbers, and numbers printed in papers."""

import json
from pathlib import Path

import numpy as np
import pytest

from metameter.stats.consistency.split_half import split_half_tau
from metameter.stats.rank_correlation.correlation_intervals import correlation_interval
from metameter.stats.rank_correlation.kendall import tau_b
from metameter.stats.rank_correlation.rank_biased_overlap import rank_biased_overlap
from metameter.stats.rank_correlation.spearman import rho_pvalue, spearman
from metameter.stats.rank_correlation.tau_ap import tau_ap
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.pair_tests import effect_sizes
from metameter.stats.significance.paired_bootstrap import paired_bootstrap
from metameter.stats.significance.pairs import ADJUSTMENTS, adjust_pvalues
from metameter.stats.significance.pairwise import paired_t, sign, wilcoxon
from metameter.stats.significance.tukey import randomised_tukey
from tests.stats.exact_tukey import exact_tukey

GOLDEN = Path(__file__).parents[1] / "golden"


def load(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


CORRELATION = load("stats_correlation")
TESTS = load("stats_tests")
REPLICATES = load("stats_replicates")
RBO = load("stats_rbo")


@pytest.mark.parametrize("name", CORRELATION["cases"])
def test_correlations_match_the_golden_file(name):
    case = CORRELATION["cases"][name]
    x, y = case["x"], case["y"]
    tau = tau_b(x, y)
    found = {
        "tau_b": tau,
        "spearman": spearman(x, y),
        "spearman_p": float(rho_pvalue(np.array(spearman(x, y)), len(x))),
        "tau_ap(x=truth,y=estimate)": tau_ap(x, y),
        "tau_ap(x=estimate,y=truth)": tau_ap(y, x),
        "fieller95": correlation_interval(tau, len(x)),
    }
    compared = found.keys() & case.keys()
    assert len(compared) >= 3
    for key in compared:
        assert found[key] == pytest.approx(case[key], abs=CORRELATION["tolerance"]), key


@pytest.mark.parametrize("case", RBO["cases"], ids=lambda case: str(case["p"]))
def test_rank_biased_overlap_matches_the_golden_file(case):
    found = rank_biased_overlap(case["S"], case["T"], case["p"])
    assert found.extrapolated == pytest.approx(case["rbo_ext"], abs=RBO["tolerance"])
    assert found.minimum <= found.extrapolated <= found.minimum + found.residual


def test_fieller_intervals_match_paper_000():
    golden = load("paper000_fieller")
    assert len(golden["cells"]) == 70
    for cell in golden["cells"]:
        pairs = cell["n"] * (cell["n"] - 1) // 2
        odd = 2 * round((cell["tau_printed"] * pairs - 1) / 2) + 1
        found = correlation_interval(odd / pairs, cell["n"])
        assert found == pytest.approx((cell["lower"], cell["upper"]), abs=golden["tolerance"]), cell


MATRIX = np.array(TESTS["input"]["matrix[topic][system]"])
EXPECTED = TESTS["expected"]


def by_pair(table, key):
    assert list(table) == EXPECTED["pair_order"]
    return [row[key] for row in table.values()]


@pytest.mark.parametrize(
    ("test", "statistic", "pvalue"),
    [(paired_t, "t", "t_p"), (sign, "sign_pos", "sign_p")],
)
def test_paired_tests_match_the_golden_file(test, statistic, pvalue):
    found = test(MATRIX)
    assert found.statistic == pytest.approx(by_pair(EXPECTED["pairwise"], statistic), abs=1e-8)
    assert found.pvalue == pytest.approx(by_pair(EXPECTED["pairwise"], pvalue), abs=1e-8)
    assert found.mean_difference == pytest.approx(by_pair(EXPECTED["pairwise"], "mean_diff"), abs=1e-8)


def test_wilcoxon_matches_the_golden_file():
    found = wilcoxon(MATRIX, method="asymptotic")
    assert found.statistic == pytest.approx(by_pair(EXPECTED["pairwise"], "wilcoxon_stat"))
    assert found.pvalue == pytest.approx(by_pair(EXPECTED["pairwise"], "wilcoxon_p_asymptotic"), abs=1e-8)


@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_adjustments_match_the_golden_file(method):
    found = adjust_pvalues(by_pair(EXPECTED["pairwise"], "t_p"), method)
    assert found == pytest.approx(EXPECTED["t_p_adjusted"][method], abs=1e-8)


def test_two_way_anova_and_tukey_match_the_golden_file():
    found, golden = two_way_anova(MATRIX), EXPECTED["anova_two_way_no_replication"]
    assert found.ss_system == pytest.approx(golden["SS_system"])
    assert found.ss_residual == pytest.approx(golden["SS_resid"])
    assert found.df_residual == golden["df_resid"]
    assert found.ms_residual == pytest.approx(golden["MS_resid"])
    tukey = EXPECTED["tukey_hsd_randomised_block"]
    assert found.tukey_statistic == pytest.approx(by_pair(tukey, "q"), abs=1e-8)
    assert found.tukey_pvalue == pytest.approx(by_pair(tukey, "p"), abs=1e-8)
    significant = np.abs(found.mean_difference) > found.required_difference()
    assert (significant == (found.tukey_pvalue < 0.05)).all()


def test_effect_sizes_match_the_golden_file():
    found = effect_sizes(MATRIX)
    assert found.cohen_dz == pytest.approx(by_pair(EXPECTED["pairwise"], "cohen_dz"), abs=1e-8)
    residual = EXPECTED["anova_two_way_no_replication"]["MS_resid"]
    assert found.hsd == pytest.approx(np.abs(found.mean_difference) / np.sqrt(residual))


def test_exact_randomisation_tests_match_the_golden_file():
    pair = EXPECTED["paired_randomisation_exact"]
    assert exact_tukey(pair["matrix"]).pvalue == [pair["p_two_sided(scipy permutation_test exact)"]]
    three = EXPECTED["randomised_tukey_exact"]
    found = exact_tukey(three["matrix"])
    assert found.pvalue == pytest.approx([row["p"] for row in three["pairs"].values()], abs=1e-15)


INPUT, WANTED = REPLICATES["input"], REPLICATES["expected"]
SMALL = np.array(INPUT["matrix[topic][system]"])


def values(table, key):
    return [row[key] for row in table.values()]


@pytest.mark.parametrize("smooth", [False, True])
def test_randomised_tukey_matches_for_given_permutations(smooth):
    found = randomised_tukey(SMALL, permutations=INPUT["permutations"], smooth=smooth)
    table = WANTED["randomised_tukey"]
    assert found.ranges == pytest.approx(WANTED["hsd_per_trial"], abs=1e-9)
    assert np.abs(found.statistic) == pytest.approx(values(table, "abs_diff"), abs=1e-9)
    assert found.pvalue == pytest.approx(values(table, "p_plus_one" if smooth else "p"), abs=1e-9)


def test_discriminative_power_matches_for_given_permutations():
    found = randomised_tukey(SMALL, permutations=INPUT["permutations"], smooth=False)
    assert np.sort(found.pvalue) == pytest.approx(WANTED["asl_curve_sorted_p"], abs=1e-9)
    assert found.power(INPUT["alpha"]) == WANTED["discriminative_power"]
    assert found.required_difference() == pytest.approx(WANTED["required_diff_alpha05"], abs=1e-9)


def test_paired_bootstrap_matches_for_given_indices():
    found = paired_bootstrap(SMALL, indices=INPUT["bootstrap_indices"], smooth=False)
    table = WANTED["bootstrap"]
    assert found.statistic == pytest.approx(values(table, "t"), abs=1e-9)
    assert found.pvalue == pytest.approx(values(table, "asl"), abs=1e-9)
    assert found.differences_required == pytest.approx(values(table, "delta_at_alpha05"), abs=1e-9)
    assert found.power() == WANTED["bootstrap_discriminative_power"]
    assert found.required_difference() == pytest.approx(WANTED["bootstrap_required_diff(max over pairs)"], abs=1e-9)


def test_consistency_matches_for_given_splits():
    splits = np.zeros((len(INPUT["splits"]), len(SMALL)), dtype=bool)
    for row, split in zip(splits, INPUT["splits"], strict=True):
        row[split["T1"]] = True
    found = split_half_tau(SMALL, splits=splits)
    assert found == pytest.approx(WANTED["consistency_tau_b"], abs=1e-9)
    assert found.mean() == pytest.approx(WANTED["consistency_mean_tau"], abs=1e-9)
