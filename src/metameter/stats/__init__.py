"""Statistics of score matrices: rank correlation, resampling, significance tests, intervals.

Arrays in, small result objects out. A score matrix is ``scores[..., topic, system]`` without missing cells; leading
axes, such as metrics, share all replicates. Pairs of systems are in the order (0,1), (0,2), ..., (1,2), ... Results are
named as in SciPy: ``statistic``, ``pvalue``.
"""

from metameter.stats.checks import Interval, system_pairs
from metameter.stats.consistency.split_half import split_half_tau
from metameter.stats.dimensions.topic_swaps import sign_flips
from metameter.stats.distributions import (
    dunnett_quantile,
    dunnett_tail,
    studentized_range_quantile,
    studentized_range_tail,
)
from metameter.stats.intervals.means import MeanIntervals, mean_intervals
from metameter.stats.rank_correlation.correlation_intervals import correlation_interval
from metameter.stats.rank_correlation.dependent_correlations import (
    CorrelationTest,
    fisher_independent,
    steiger,
    williams,
    zou_interval,
)
from metameter.stats.rank_correlation.kendall import tau_b
from metameter.stats.rank_correlation.rank_biased_overlap import RankBiasedOverlap, rank_biased_overlap
from metameter.stats.rank_correlation.spearman import spearman
from metameter.stats.rank_correlation.tau_ap import tau_ap, tau_ap_symmetric
from metameter.stats.resampling.replicates import BLOCK, Replicates
from metameter.stats.resampling.samples import (
    bootstrap_indices,
    bootstrap_splits,
    row_permutations,
    topic_splits,
)
from metameter.stats.significance.anova import TwoWayAnova, two_way_anova
from metameter.stats.significance.baselines import randomised_dunnett
from metameter.stats.significance.max_t import MaxT, max_t
from metameter.stats.significance.pair_tests import EffectSizes, effect_sizes
from metameter.stats.significance.paired_bootstrap import PairedBootstrap, paired_bootstrap
from metameter.stats.significance.pairs import ADJUSTMENTS, adjust_pvalues
from metameter.stats.significance.pairwise import PairedTest, paired_t, sign, wilcoxon
from metameter.stats.significance.tukey import RandomisedTukey, discriminative_power, randomised_tukey
from metameter.stats.ties import average_ranks, tied_codes

__all__ = [
    "ADJUSTMENTS",
    "BLOCK",
    "CorrelationTest",
    "EffectSizes",
    "Interval",
    "MaxT",
    "MeanIntervals",
    "PairedBootstrap",
    "PairedTest",
    "RandomisedTukey",
    "RankBiasedOverlap",
    "Replicates",
    "TwoWayAnova",
    "adjust_pvalues",
    "average_ranks",
    "bootstrap_indices",
    "bootstrap_splits",
    "correlation_interval",
    "discriminative_power",
    "dunnett_quantile",
    "dunnett_tail",
    "effect_sizes",
    "fisher_independent",
    "max_t",
    "mean_intervals",
    "paired_bootstrap",
    "paired_t",
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
    "system_pairs",
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
