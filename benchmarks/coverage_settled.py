"""How often do the intervals of the depth at which an order settles hold the depth to be expected?

A population of topics is simulated and scored at many depths. Simulated systems are as good deep down as at the top,
so their order is settled at once; here, as the depth grows, the scores of each system go over from those of one run to
those of another, at a depth and to an extent that differ from case to case. The truth is where the mean of tau over
many samples of as many topics settles. Samples of topics are drawn; the interval of each holds that depth or does not.

    python benchmarks/coverage_settled.py                          # about two minutes
    python benchmarks/coverage_settled.py --quick                  # seconds
    python benchmarks/coverage_settled.py --every                  # the depth of all depths, as volatility prints it
    python benchmarks/coverage_settled.py --scores scores.parquet  # the topics of a table of scores as population

A table of scores holds metrics at the same depths each (`metameter score -m nDCG@1 -m nDCG@10 ...`); its rows are taken
as they are. All its topics are all there are, and samples are drawn from them with replacement.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import metameter
from metameter.read.scores import read_scores
from metameter.stats.depth.orderings import depth_bounds, tau_to_last
from metameter.stats.depth.stability_depth import first_stable_depth, interval_at_all_depths, stability_depth
from metameter.stats.ties import tied_codes

METRICS = ("nDCG", "AP(norm=min)", "RBP(p=0.8)")
DEPTHS = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 70, 85, 100)
ROWS = 6
SAMPLES = 200
TOPICS = (25, 50)
THRESHOLDS = (0.9, 0.8)
#: `volatility` takes the settled depth from all depths, and its interval from about twenty.
EVERY = tuple(range(1, 101))


@dataclass(frozen=True)
class Size:
    """How much is simulated."""

    population: int
    systems: int
    cases: int
    resamples: int


FULL = Size(population=2500, systems=30, cases=200, resamples=200)
QUICK = Size(population=300, systems=20, cases=5, resamples=100)
MIDDLE = Size(population=600, systems=30, cases=60, resamples=200)


def population(size, depths=DEPTHS, seed=3):
    """The scores of all systems on all topics, (metrics, depths, topics, systems)."""
    made = metameter.simulate(topics=size.population, systems=size.systems, depth=depths[-1], seed=seed)
    names = [f"{metric}@{depth}" for metric in METRICS for depth in depths]
    scores = metameter.score(made.qrels, made.runs, names, max_grade=3).matrix
    return scores.reshape(len(METRICS), len(depths), *scores.shape[1:])


def table(path):
    """The scores of a table, (metrics, depths, topics, systems), and the depths."""
    scores = read_scores([path])
    names = sorted((name.rpartition("@")[0], int(name.rpartition("@")[2])) for name in scores.metrics)
    metrics, depths = sorted({metric for metric, _ in names}), sorted({depth for _, depth in names})
    if names != [(metric, depth) for metric in metrics for depth in depths]:
        sys.exit("The metrics of the table have different depths.")
    places = [scores.metrics.index(f"{metric}@{depth}") for metric, depth in names]
    matrix = scores.matrix[places]
    return matrix.reshape(len(metrics), len(depths), *matrix.shape[1:]), tuple(depths)


def changing(rng, systems, depths=DEPTHS):
    """How the rows of a case change with depth: a function of scores (metrics, depths, ..., systems)."""
    orders = [rng.permutation(systems) for _ in range(ROWS)]
    middle, steep, most = (rng.uniform(*ends, ROWS) for ends in ((0.0, np.log(100.0)), (0.5, 4.0), (0.1, 0.7)))
    shares = most[:, None] / (1.0 + np.exp(steep[:, None] * (np.log(depths) - middle[:, None])))

    def rows(scores):
        plain = scores[np.arange(ROWS) % len(METRICS)]
        other = np.stack([each[..., order] for each, order in zip(plain, orders, strict=True)])
        return plain + shares.reshape(*shares.shape, *(1,) * (plain.ndim - 2)) * (other - plain)

    return rows


def as_they_are(_rng, _systems, _depths):
    """The rows of a table of scores."""
    return lambda scores: scores


def trials(scores, topics, size, depths=DEPTHS, chosen=changing):
    """Positions among the depths, (cases, thresholds, what, rows): the truth, the estimate, the ends of intervals."""
    found, true_taus = [], None
    for number in range(size.cases):
        rng = np.random.default_rng([topics, number])
        rows = chosen(rng, scores.shape[-1], depths)
        if true_taus is None or chosen is changing:
            true_taus = _expected(rows(scores), topics, rng)
        drawn = rows(scores[:, :, rng.integers(scores.shape[2], size=topics)])
        some = [at for at, depth in enumerate(depths) if depth in DEPTHS] if depths == EVERY else slice(None)
        taus = depth_bounds(drawn[:, some], resamples=size.resamples, seed=number, jobs=1).tau_to_final
        means = tied_codes(drawn.mean(axis=2))
        observed = tau_to_last(means, means[:, -1])
        ends = np.array(depths)[some]
        found.append([_depths(taus, ends, observed, true_taus, depths, threshold) for threshold in THRESHOLDS])
    positions = np.searchsorted(depths, np.array(found))  # NaN comes last
    return np.minimum(positions, len(depths) - 1)


def _expected(scores, topics, rng):
    """The mean of tau over many samples of topics."""
    samples = (rng.integers(scores.shape[2], size=topics) for _ in range(SAMPLES))
    codes = (tied_codes(scores[:, :, drawn].mean(axis=2)) for drawn in samples)
    return np.nanmean([tau_to_last(each, each[:, -1]) for each in codes], axis=0)


def _depths(taus, ends, observed, true_taus, depths, threshold):
    estimate = first_stable_depth(observed, depths, threshold)
    together, alone = (
        interval_at_all_depths(stability_depth(taus, ends, threshold, together=each), ends, estimate)
        for each in (True, False)
    )
    return [first_stable_depth(true_taus, depths, threshold), estimate, *together, *alone]


def shares(found, depths=DEPTHS):
    """What the table shows of one threshold, from positions (cases, what, rows)."""
    truth, estimate, low, high, row_low, row_high = np.moveaxis(found, 1, 0)
    covered, false, late = (low <= truth) & (truth <= high), truth > high, truth < low
    return {
        "cases": truth.size,
        "estimate too shallow": (estimate < truth).mean(),
        "too deep": (estimate > truth).mean(),
        "covered, row alone": ((row_low <= truth) & (truth <= row_high)).mean(),
        "settled too early, row alone": (truth > row_high).mean(),
        "covered, all rows": covered.all(axis=1).mean(),
        "settled too early, any row": false.any(axis=1).mean(),
        "too late, any row": late.any(axis=1).mean(),
        "depths in the interval": (high - low + 1).mean(),
        "row alone": (row_high - row_low + 1).mean(),
        "no end": (high == len(depths) - 1).mean(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    parser.add_argument("--every", action="store_true", help="the settled depth of all depths, its interval of some")
    parser.add_argument("--scores", type=Path, help="a table of scores, complete")
    options = parser.parse_args()
    size = QUICK if options.quick else MIDDLE if options.every else FULL
    if options.scores:
        (scores, depths), chosen = table(options.scores), as_they_are
    else:
        depths, chosen = EVERY if options.every else DEPTHS, changing
        scores = population(size, depths)
    print(f"{size}; depths {depths}; metrics, depths, topics, systems: {scores.shape}")
    for topics in TOPICS:
        found = trials(scores, topics, size, depths, chosen)
        for place, threshold in enumerate(THRESHOLDS):
            row = shares(found[:, place], depths)
            if (topics, threshold) == (TOPICS[0], THRESHOLDS[0]):
                head = ["topics", "threshold", *row]
                print("| " + " | ".join(head) + " |\n|" + "---:|" * len(head))
            numbers = (f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values())
            print(f"| {topics} | {threshold:g} | " + " | ".join(numbers) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
