"""Arrays in, small result objects out: rank correlation, replicates, significance, discriminative power.

A score matrix is ``scores[..., topic, system]`` without missing cells; leading axes, such as metrics, share all
replicates.
Pairs of systems are in the order (0,1), (0,2), ..., (1,2), ... Names are as in scipy: ``statistic``, ``pvalue``,
``confidence_interval``.
"""

from metameter.stats.bootstrap import BootstrapInterval, bootstrap_interval, bootstrap_means_interval
from metameter.stats.checks import Interval, system_pairs
from metameter.stats.consistency.split_half import bootstrap_split_half_tau, split_half_tau
from metameter.stats.dimensions.topic_swaps import sign_flips
from metameter.stats.distributions.dunnett import dunnett_quantile, dunnett_tail
from metameter.stats.distributions.studentized_range import studentized_range_quantile, studentized_range_tail
from metameter.stats.intervals.means import MeanIntervals, mean_intervals
from metameter.stats.intervals.rows import percentile_interval
from metameter.stats.rank_correlation.correlation import Correlation, correlation_interval, kendall, pearson, spearman
from metameter.stats.rank_correlation.dependent_correlations import (
    CorrelationTest,
    fisher_independent,
    steiger,
    williams,
    zou_interval,
)
from metameter.stats.rank_correlation.kendall import tau_a, tau_b
from metameter.stats.rank_correlation.rank_biased_overlap import RankBiasedOverlap, rank_biased_overlap
from metameter.stats.rank_correlation.tau_ap import tau_ap, tau_ap_symmetric
from metameter.stats.resampling.replicates import BLOCK, Replicates
from metameter.stats.resampling.samples import (
    bootstrap_indices,
    bootstrap_pairs,
    bootstrap_splits,
    disjoint_subsets,
    row_permutations,
    topic_splits,
)
from metameter.stats.swap import Sensitivity, SwapRates, swap_rates
from metameter.stats.tau_difference import TauDifference, bootstrap_tau, bootstrap_tau_difference
from metameter.stats.tests.adjust import ADJUSTMENTS, adjust_pvalues
from metameter.stats.tests.anova import TwoWayAnova, two_way_anova
from metameter.stats.tests.baselines import randomised_dunnett
from metameter.stats.tests.max_t import MaxT, max_t
from metameter.stats.tests.pair_tests import EffectSizes, effect_sizes
from metameter.stats.tests.paired_bootstrap import PairedBootstrap, paired_bootstrap
from metameter.stats.tests.pairwise import PairedTest, paired_t, sign, wilcoxon
from metameter.stats.tests.signed_ranks import Friedman, friedman
from metameter.stats.tests.tukey import exact_tukey, randomised_tukey
from metameter.stats.tests.tukey_result import RandomisedTukey, asl_curve, discriminative_power
from metameter.stats.ties import average_ranks, tied_codes

__all__ = [
    "ADJUSTMENTS",
    "BLOCK",
    "BootstrapInterval",
    "Correlation",
    "CorrelationTest",
    "EffectSizes",
    "Friedman",
    "Interval",
    "MaxT",
    "MeanIntervals",
    "PairedBootstrap",
    "PairedTest",
    "RandomisedTukey",
    "RankBiasedOverlap",
    "Replicates",
    "Sensitivity",
    "SwapRates",
    "TauDifference",
    "TwoWayAnova",
    "adjust_pvalues",
    "asl_curve",
    "average_ranks",
    "bootstrap_indices",
    "bootstrap_interval",
    "bootstrap_means_interval",
    "bootstrap_pairs",
    "bootstrap_split_half_tau",
    "bootstrap_splits",
    "bootstrap_tau",
    "bootstrap_tau_difference",
    "correlation_interval",
    "discriminative_power",
    "disjoint_subsets",
    "dunnett_quantile",
    "dunnett_tail",
    "effect_sizes",
    "exact_tukey",
    "fisher_independent",
    "friedman",
    "kendall",
    "max_t",
    "mean_intervals",
    "paired_bootstrap",
    "paired_t",
    "pearson",
    "percentile_interval",
    "randomised_dunnett",
    "randomised_tukey",
    "rank_biased_overlap",
    "row_permutations",
    "sign",
    "sign_flips",
    "spearman",
    "split_half_tau",
    "steiger",
    "studentized_range_quantile",
    "studentized_range_tail",
    "swap_rates",
    "system_pairs",
    "tau_a",
    "tau_ap",
    "tau_ap_symmetric",
    "tau_b",
    "tied_codes",
    "topic_splits",
    "two_way_anova",
    "wilcoxon",
    "williams",
    "zou_interval",
]
