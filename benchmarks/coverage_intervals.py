"""How often the 95% intervals of consistency and power hold what they are about, by simulation from a population.

Topics (or, with ``--resample systems``, systems) are drawn from a large simulated population, again and again. What an
interval should hold is the mean of its statistic over all these samples. Beside the share that do stands by how much
the intervals are wider than the statistic's deviation from sample to sample needs them to be. The tables in
docs/appendix (consistency.md, power.md) are of the full run; ``--quick`` takes seconds. With ``--null``, how often two
equally consistent metrics (their scores are swapped on half of the topics, chosen at random) differ significantly.

    python benchmarks/coverage_intervals.py [--quick] [--null] [--samples N] [--resample topics|systems] [--sizes 12 50]
"""

import argparse
import time

import numpy as np

import metameter
from metameter.parallel import Workers
from metameter.stats.consistency.resampled_metrics import approximate_power, resampled_power, resampled_taus
from metameter.stats.consistency.split_half import split_taus, tukey_over_splits
from metameter.stats.intervals.rows import noise_of_differences, row_intervals
from metameter.stats.resampling.monte_carlo_error import mean_error
from metameter.stats.significance.pair_tests import power_error, run_test

ALPHA, SYSTEMS, TOPICS = 0.05, 32, 50
METRICS = [
    *("nDCG@10", "nDCG", "AP", "P@10", "RR", "ERR@10", "INST(T=2.25)", "R@100", "Bpref", "Q(beta=1)"),
    *(f"RBP(p=0.8)@10*{aggregation}" for aggregation in ("ERG", "avg", "max", "fin", "PE(beta=0.5)")),
]
SWAPPED = [
    *(("nDCG@10", "AP"), ("nDCG@10", "P@10"), ("AP", "Bpref")),
    *((f"RBP(p=0.8)@10*{a}", f"RBP(p=0.8)@10*{b}") for a, b in (("ERG", "max"), ("ERG", "fin"), ("ERG", "avg"))),
]
STATISTICS = ("consistency: mean tau", "consistency: difference", "power: level", "power: difference")


def main():
    asked = _arguments()
    population = _population(asked)
    print(f"{asked.samples} samples of {asked.resample}, {len(METRICS)} metrics, {asked.resamples} resamples")
    if asked.null:
        _null(population, asked)
        return
    print(f"{'statistic':24s} {asked.resample:>8s} | coverage: mean, lowest, highest | width, of what is needed")
    for size in asked.sizes:
        begun = time.perf_counter()
        work = {"population": population, "size": size, "resamples": asked.resamples, "resample": asked.resample}
        samples = list(Workers.of(None).map(_sample, range(asked.samples), **work))
        for statistic, parts in zip(STATISTICS, zip(*samples, strict=True), strict=True):
            _line(statistic, size, np.array(parts))
        print(f"{'':33s} | {time.perf_counter() - begun:.0f} s", flush=True)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--null", action="store_true")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--resamples", type=int)
    parser.add_argument("--resample", choices=["topics", "systems"], default="topics")
    parser.add_argument("--sizes", type=int, nargs="*")
    asked = parser.parse_args()
    asked.samples = asked.samples or (20 if asked.quick else 300)
    asked.resamples = asked.resamples or (128 if asked.quick else 320)
    asked.sizes = asked.sizes or ([12, 25, 50] if asked.resample == "topics" else [16, 32, 64])
    asked.population = {"topics": (600, 2500), "systems": (300, 1000)}[asked.resample][not asked.quick]
    return asked


def _population(asked):
    """Scores (metrics, topics, systems) of a population of topics, or of systems."""
    drawn = {asked.resample: asked.population}
    made = metameter.simulate(**{"topics": TOPICS, "systems": SYSTEMS, **drawn}, depth=100, seed=3)
    return metameter.score(made.qrels, made.runs, METRICS, max_grade=3).matrix


def _sample(number, *, population, size, resamples, resample):
    """Estimate, low and high of every statistic of one sample: arrays (3, metrics) and (3, pairs)."""
    rng = np.random.default_rng([size, number])
    axis = 1 if resample == "topics" else 2
    some = np.ascontiguousarray(population.take(rng.choice(population.shape[axis], size, replace=False), axis=axis))
    how = {"seed": number, "jobs": 1, "resample": resample}
    taus = np.nan_to_num(split_taus(some, 500, None, number, 1))
    halves = resampled_taus(some, resamples, **how)
    drawn = resampled_power(some, resamples, alpha=ALPHA, **how)
    first, second = np.triu_indices(len(some), 1)
    each = taus[:, first] - taus[:, second]
    # The level of power is that of the test; differences are taken between its approximations.
    tested = run_test(some, "tukey-randomised", trials=1000, alpha=ALPHA, seed=number, jobs=1)
    power = approximate_power(some, ALPHA)
    noise = np.einsum("bii->bi", halves.noise)
    statistics = [
        (taus.mean(axis=0), halves.taus, noise, mean_error(taus) ** 2),
        (
            *(each.mean(axis=0), halves.taus[:, first] - halves.taus[:, second]),
            *(noise_of_differences(halves.noise, first, second), mean_error(each) ** 2),
        ),
        (
            *((tested.pvalue < ALPHA).mean(axis=-1), drawn),
            *(np.zeros_like(noise), power_error(tested, "none", ALPHA) ** 2),
        ),
        (
            *(power[first] - power[second], drawn[:, first] - drawn[:, second]),
            *(np.zeros((len(noise), len(first))), np.zeros(len(first))),
        ),
    ]
    rows = [row_intervals(*each, units=size) for each in statistics]
    return [np.stack([each[0], row.low, row.high]) for each, row in zip(statistics, rows, strict=True)]


def _line(statistic, size, samples):
    """Samples are (samples, 3, columns)."""
    estimate, low, high = samples.transpose(1, 0, 2)
    deviation = estimate.std(axis=0, ddof=1)
    varies = deviation > 1e-9
    target = estimate.mean(axis=0)
    covered = ((low <= target) & (target <= high)).mean(axis=0)[varies]
    width = ((high - low).mean(axis=0)[varies] / (2 * 1.96 * deviation[varies])).mean()
    print(
        f"{statistic:24s} {size:8d} | {covered.mean():13.3f} {covered.min():8.3f} {covered.max():8.3f} | {width:6.2f}",
        flush=True,
    )


def _null(population, asked):
    print(f"{'topics':>6s} | p_splits below .05: mean, lowest, highest | p below .05: mean, lowest, highest")
    for size in asked.sizes:
        work = {"population": population, "size": size, "resamples": asked.resamples}
        low = np.array(list(Workers.of(None).map(_swapped, range(asked.samples), **work))).mean(axis=0)
        shown = " | ".join(f"{part.mean():17.3f} {part.min():9.3f} {part.max():9.3f}" for part in low)
        print(f"{size:6d} | {shown}", flush=True)


def _swapped(number, *, population, size, resamples):
    """Whether p_splits and p are below .05, of pairs of metrics whose scores are swapped on some topics: (2, pairs)."""
    rng = np.random.default_rng([size, number])
    some = population[:, rng.choice(population.shape[1], size, replace=False)]
    places = np.array([[METRICS.index(name) for name in pair] for pair in SWAPPED])
    pairs = np.where(rng.random((len(places), 1, size, 1)) < 0.5, some[places], some[places[:, ::-1]])
    matrix = np.ascontiguousarray(pairs.reshape(-1, *some.shape[1:]))
    first, second = np.arange(0, len(matrix), 2), np.arange(1, len(matrix), 2)
    taus = np.nan_to_num(split_taus(matrix, 1000, None, number, 1))
    groups = {str(place): [place, place + 1] for place in first}
    tested = tukey_over_splits(taus, groups, 2000, number, 1)
    halves = resampled_taus(matrix, resamples, seed=number, jobs=1)
    each, drawn = taus[:, first] - taus[:, second], halves.taus[:, first] - halves.taus[:, second]
    noise = noise_of_differences(halves.noise, first, second)
    rows = row_intervals(each.mean(axis=0), drawn, noise, mean_error(each) ** 2, units=size)
    return np.array([np.concatenate([tested[name] for name in groups]) < ALPHA, rows.p < ALPHA])


if __name__ == "__main__":
    main()
