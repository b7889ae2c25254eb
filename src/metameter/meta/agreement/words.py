"""What `agreement` asks, how it answers and how to read it."""

from __future__ import annotations

from metameter.meta.base import Words

__all__ = ["WORDS"]

WORDS = Words(
    "Agreement of intuitiveness and unanimity",
    "Do the intuitiveness test and metric unanimity rank the metrics alike?",
    "Both rank the metrics by how many others they beat: by the cases in which simple metrics side with them, and by "
    "unanimity. Spearman's rho compares the two counts of wins, for every set of simple metrics and every iteration.",
    "1 is the same ranking, 0 no relation. Both rankings count the same cases of the same systems and topics, so they "
    "share their noise and agree even about metrics that do not differ. How far, is measured: the metrics are permuted "
    "at random within each topic, and both rankings made again. Only a rho above null_high says more than that noise. "
    "Agreement does not show that the simple metrics are well chosen: both rankings take them for granted. Ranges come "
    "from resampled topics, in which both rankings move.",
    columns={
        "collection": "the collection; All: wins summed over all of them",
        "iteration": "how many iterations (turns) of the session are scored; All: wins summed over them",
        "simple": "the set of simple metrics; + joins those that must agree",
        "rho": "Spearman's rho of the wins by intuitiveness and by unanimity; empty where one of them orders nothing",
        "p": "share of permutations of the metrics within topics that give such a rho or a higher one, (b+1)/(B+1)",
        "n": "how many metrics are ranked",
        "low": "lower end of the range of 95% of rho over resampled topics",
        "high": "upper end of the range of 95% of rho over resampled topics",
        "null_mean": "mean rho with the metrics permuted at random within topics: agreement by shared noise alone",
        "null_high": "95% point of rho with the metrics permuted at random within topics",
        "p_rank": "two-sided p of rho by its approximate t distribution, as the paper has it; too small, see p",
        "p_exact": "share of all orders of the metrics with rho as far from zero; for up to eight metrics",
    },
)
