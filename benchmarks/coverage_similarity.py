"""How often do the intervals of `similarity --interval bootstrap` hold the correlation over all topics?

A population of topics is simulated; the truth is the correlation of two metrics' system means over all of it. Samples
of its topics are drawn, and the interval of each sample holds that truth or does not. Pairs are of metrics as they are,
which in a simulated collection agree closely over all topics, and of a metric with a blend: another metric plus scores
of the systems in another order, such as a metric that looks for something else would give.

    python benchmarks/coverage_similarity.py                          # a minute or two
    python benchmarks/coverage_similarity.py --quick                  # seconds
    python benchmarks/coverage_similarity.py --scores scores.parquet  # the topics of a table of scores as population
"""

import argparse
import sys
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

import metameter
from metameter.read.scores import read_scores
from metameter.stats.rank_correlation.coefficients import COEFFICIENTS, coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import bootstrap_bounds
from metameter.stats.resampling.samples import bootstrap_indices

METRICS = ("nDCG@10", "AP", "RR", "ERR@10", "RBP(p=0.8)", "R@100", "P@10")
#: Positions of metrics: the first of each two is compared with a blend of the second.
BLENDED = ((0, 0), (0, 2), (1, 3), (4, 5), (1, 2), (6, 3))
PLAIN = ((0, 1), (0, 2), (0, 3), (1, 3), (4, 5), (0, 4), (4, 1))
EDGES = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
TOPICS = (12, 25, 50)


@dataclass(frozen=True)
class Size:
    """How much is simulated."""

    population: int
    systems: int
    depth: int
    blends: int
    samples: int
    resamples: int


FULL = Size(population=2500, systems=30, depth=100, blends=80, samples=4, resamples=300)
SLOW = Size(population=2500, systems=30, depth=100, blends=40, samples=1, resamples=60)
QUICK = Size(population=400, systems=20, depth=30, blends=3, samples=4, resamples=100)


def population(size, seed=3):
    """The scores of all systems on all topics, (metrics, topics, systems); each metric on a scale of its own spread."""
    made = metameter.simulate(topics=size.population, systems=size.systems, depth=size.depth, seed=seed)
    scores = metameter.score(made.qrels, made.runs, list(METRICS), max_grade=3).matrix
    return scores / scores.std(axis=(1, 2), keepdims=True)


def blended(scores, rng):
    """Metrics, blends of them, and the pairs to compare."""
    other = scores[rng.integers(len(METRICS))][:, rng.permutation(scores.shape[-1])]
    shares = rng.uniform(0.0, 0.55, len(BLENDED))
    blends = [(1 - share) * scores[base] + share * other for (_, base), share in zip(BLENDED, shares, strict=True)]
    pairs = [(first, len(scores) + place) for place, (first, _) in enumerate(BLENDED)] + list(PLAIN)
    return np.concatenate([scores, blends]), *np.array(pairs).T


def real(scores, rng):
    """Pairs of the metrics of a table of scores."""
    pairs = np.array(list(combinations(range(len(scores)), 2)))
    return scores, *rng.permutation(pairs)[:40].T


def trials(scores, topics, size, coefficient, chosen=blended):
    """Of every sample and pair: the truth, the estimate, the interval, and the percentiles that it replaces."""
    rows = []
    for number in range(size.blends):
        rng = np.random.default_rng([topics, number])
        whole, first, second = chosen(scores, rng)
        statistic = coefficients_of_means(first, second, coefficient)
        truth = statistic(whole.mean(axis=1))
        for sample in range(size.samples):
            drawn = whole[:, rng.integers(whole.shape[1], size=topics)]
            rows.append(_one(drawn, statistic, truth, size.resamples, number * size.samples + sample, coefficient))
    return np.concatenate(rows, axis=1)


def _one(drawn, statistic, truth, resamples, seed, coefficient):
    estimates = statistic(drawn.mean(axis=1))
    bounds = bootstrap_bounds(drawn, statistic, estimates, resamples, seed, None, coefficient)
    indices = np.concatenate(list(bootstrap_indices(drawn.shape[1], resamples, seed)))
    resampled = np.stack([statistic(drawn[:, topics].mean(axis=1)) for topics in indices])
    low, high = np.nanquantile(resampled, [0.025, 0.975], axis=0)
    percentiles = np.fmin(low, estimates), np.fmax(high, estimates)
    return np.stack([truth, estimates, bounds["low"], bounds["high"], *percentiles])


def shares(found):
    """Rows of the table: by the truth, how many cases, and how often and where the intervals miss it."""
    truth, estimate, low, high, old_low, old_high = found
    rounding = 1e-9
    for lower, upper in [*pairwise(EDGES), (1.0, 1.0)]:
        within = (truth >= lower) & (truth < upper) if lower < upper else truth == 1.0
        if not within.any():
            continue
        below, above = truth[within] < low[within] - rounding, truth[within] > high[within] + rounding
        old = (truth < old_low - rounding) | (truth > old_high + rounding)
        yield {
            "truth": f"{lower:g} to {upper:g}" if lower < upper else "1",
            "cases": int(within.sum()),
            "estimate": float((estimate - truth)[within].mean()),
            "covered": 1.0 - float((below | above).mean()),
            "below": float(below.mean()),
            "above": float(above.mean()),
            "width": float((high - low)[within].mean()),
            "percentiles": 1.0 - float(old[within].mean()),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    parser.add_argument("--coefficient", choices=list(COEFFICIENTS), default="tau_b")
    parser.add_argument("--systems", type=int, help="take fewer systems than are simulated")
    parser.add_argument("--scores", type=Path, help="a table of scores, complete")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL if options.coefficient == "tau_b" and not options.scores else SLOW
    scores = read_scores([options.scores]).matrix if options.scores else population(size)
    scores = scores[:, :, : options.systems]
    print(f"{options.coefficient}; {size}; metrics, topics, systems: {scores.shape}")
    head = ["topics", "true", "cases", "estimate less true", "covered", "below", "above", "width", "percentiles"]
    print("| " + " | ".join(head) + " |\n|" + "---:|" * len(head))
    for topics in TOPICS:
        found = trials(scores, topics, size, options.coefficient, real if options.scores else blended)
        for row in shares(found):
            numbers = (f"{value:.3f}" for value in list(row.values())[2:])
            print(f"| {topics} | {row['truth']} | {row['cases']} | " + " | ".join(numbers) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
