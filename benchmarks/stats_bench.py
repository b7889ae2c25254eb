"""Ratios of the statistical kernels against what one would write by hand; run: python benchmarks/stats_bench.py."""

import time

import numpy as np
import scipy.stats

from metameter import stats

METRICS, TOPICS, SYSTEMS, TRIALS, SPLITS = 39, 50, 129, 2000, 1000


def seconds(function, repeat=5, clock=time.process_time):
    # Processor time and the best of several: the machine may be shared.
    times = []
    for _ in range(repeat):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def plain_tukey(matrix, trials):
    rng, shuffled, ranges = np.random.default_rng(0), np.empty_like(matrix), np.empty(trials)
    for trial in range(trials):
        for topic, row in enumerate(matrix):
            shuffled[topic] = rng.permutation(row)
        means = shuffled.mean(axis=0)
        ranges[trial] = means.max() - means.min()
    return ranges


def plain_split_half(matrix, splits):
    return [scipy.stats.kendalltau(matrix[s].mean(axis=0), matrix[~s].mean(axis=0)).statistic for s in splits]


def main():
    scores = np.random.default_rng(1).random((METRICS, TOPICS, SYSTEMS))
    stats.randomised_tukey(scores[:1, :, :5], trials=64)  # imports

    plain = seconds(lambda: plain_tukey(scores[0], TRIALS))
    together = seconds(lambda: stats.randomised_tukey(scores, trials=TRIALS)) / METRICS
    alone = seconds(lambda: stats.randomised_tukey(scores[0], trials=TRIALS))
    print(f"randomised Tukey, {METRICS} metrics x {SYSTEMS} systems x {TOPICS} topics x {TRIALS} trials, per metric")
    print(f"  plain loop {plain:.3f} s, together {together:.4f} s: {plain / together:.1f}x (wanted 10x)")
    print(f"  one metric alone {alone:.3f} s: {plain / alone:.1f}x (wanted 2.5x)")
    threads = seconds(lambda: stats.randomised_tukey(scores, trials=TRIALS, jobs=2), clock=time.perf_counter) / METRICS
    print(f"  two threads {threads:.4f} s by the clock on the wall")

    splits = np.concatenate(list(stats.topic_splits(TOPICS, SPLITS)))
    loop = seconds(lambda: plain_split_half(scores[0], splits), repeat=3)
    kernel = seconds(lambda: stats.split_half_tau(scores, splits=splits)) / METRICS
    print(f"split-half tau_b, {METRICS} metrics x {SPLITS} splits x {SYSTEMS} systems, per metric")
    print(f"  scipy in a loop {loop:.3f} s, kernel {kernel:.4f} s: {loop / kernel:.1f}x (wanted 20x)")

    for trials in (500, 1000, 2000):
        taken = seconds(lambda count=trials: stats.randomised_tukey(scores, trials=count))
        print(f"  linear in trials: {trials} in {taken:.3f} s")
    bootstrap = seconds(lambda: stats.paired_bootstrap(scores[0]), repeat=1)
    print(f"paired bootstrap, all pairs of one metric, 1000 resamples: {bootstrap:.2f} s")
    tukey = seconds(lambda: stats.two_way_anova(scores).tukey_pvalue, repeat=1)
    print(f"ANOVA Tukey HSD, exact p of all pairs of {METRICS} metrics: {tukey:.2f} s")


if __name__ == "__main__":
    main()
