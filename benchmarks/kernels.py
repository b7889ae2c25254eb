"""The statistical kernels against what one would write by hand; one thread each, so that the code is compared."""

import subprocess
import sys

import numpy as np
import scipy.stats
from clock import report, seconds

from metameter import stats

METRICS, TOPICS, SYSTEMS, TRIALS, SPLITS = 39, 50, 129, 2000, 1000


def compare(data):
    scores = np.random.default_rng(1).random((METRICS, TOPICS, SYSTEMS))
    stats.randomised_tukey(scores[:1, :, :5], trials=64)  # what is imported late is imported now
    plain, _ = seconds(lambda: _plain_tukey(scores[0], TRIALS))
    together, _ = seconds(lambda: stats.randomised_tukey(scores, trials=TRIALS))
    alone, _ = seconds(lambda: stats.randomised_tukey(scores[0], trials=TRIALS))
    print(f"  {METRICS} metrics x {SYSTEMS} systems x {TOPICS} topics; {TRIALS} trials, {SPLITS} splits")
    report("randomised Tukey, all together, per metric faster than a loop", plain * METRICS / together, 10)
    report("randomised Tukey, one metric alone, faster than a loop", plain / alone, 2.5)
    splits = np.concatenate(list(stats.topic_splits(TOPICS, SPLITS)))
    loop, _ = seconds(lambda: _plain_split_half(scores[0], splits), repeat=2)
    kernel, _ = seconds(lambda: stats.split_half_tau(scores, splits=splits))
    report("split-half tau_b, per metric faster than scipy.stats.kendalltau", loop * METRICS / kernel, 20)
    _linear(scores)
    _memory()


def _plain_tukey(matrix, trials):
    rng, shuffled, ranges = np.random.default_rng(0), np.empty_like(matrix), np.empty(trials)
    for trial in range(trials):
        for topic, row in enumerate(matrix):
            shuffled[topic] = rng.permutation(row)
        means = shuffled.mean(axis=0)
        ranges[trial] = means.max() - means.min()
    return ranges


def _plain_split_half(matrix, splits):
    return [scipy.stats.kendalltau(matrix[s].mean(axis=0), matrix[~s].mean(axis=0)).statistic for s in splits]


def _linear(scores):
    whole, _ = seconds(lambda: stats.randomised_tukey(scores, trials=TRIALS))
    halves = {
        "trials": lambda: stats.randomised_tukey(scores, trials=TRIALS // 2),
        "metrics": lambda: stats.randomised_tukey(scores[: METRICS // 2], trials=TRIALS),
        "topics": lambda: stats.randomised_tukey(scores[:, : TOPICS // 2], trials=TRIALS),
    }
    ratios = [f"{what} {seconds(work)[0] / whole:.2f}" for what, work in halves.items()]
    print(f"  time of randomised Tukey with half as many, of the whole: {', '.join(ratios)}")


def _memory():
    code = (
        "import numpy as np, resource; from metameter import stats;"
        "stats.randomised_tukey(np.random.default_rng(1).random((5, 50, 129)), trials=100_000, jobs=2);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peak = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    print(f"  peak memory of 100,000 trials, 5 metrics: {peak / 1024:.0f} MB")
