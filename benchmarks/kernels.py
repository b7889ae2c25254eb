"""The statistical kernels against what one would write by hand; one thread each, so that the code is compared."""

import subprocess
import sys

import numpy as np
import scipy.stats
from clock import report, seconds

from metameter.judge.ranked import ABSENT, JUDGED, Judgments, Ranked
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.stats.consistency.split_half import split_half_tau
from metameter.stats.resampling.samples import topic_splits
from metameter.stats.significance.tukey import randomised_tukey

METRICS, TOPICS, SYSTEMS, TRIALS, SPLITS = 39, 50, 129, 2000, 1000


def compare(data):
    scores = np.random.default_rng(1).random((METRICS, TOPICS, SYSTEMS))
    randomised_tukey(scores[:1, :, :5], trials=64)  # what is imported late is imported now
    plain, _ = seconds(lambda: _plain_tukey(scores[0], TRIALS))
    together, _ = seconds(lambda: randomised_tukey(scores, trials=TRIALS))
    alone, _ = seconds(lambda: randomised_tukey(scores[0], trials=TRIALS))
    print(f"  {METRICS} metrics x {SYSTEMS} systems x {TOPICS} topics; {TRIALS} trials, {SPLITS} splits")
    report("randomised Tukey, all together, per metric faster than a loop", plain * METRICS / together, 10)
    report("randomised Tukey, one metric alone, faster than a loop", plain / alone, 2.5)
    splits = np.concatenate(list(topic_splits(TOPICS, SPLITS)))
    loop, _ = seconds(lambda: _plain_split_half(scores[0], splits), repeat=2)
    kernel, _ = seconds(lambda: split_half_tau(scores, splits=splits))
    report("split-half tau_b, per metric faster than scipy.stats.kendalltau", loop * METRICS / kernel, 20)
    _linear(scores)
    _curves()
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
    whole, _ = seconds(lambda: randomised_tukey(scores, trials=TRIALS))
    halves = {
        "trials": lambda: randomised_tukey(scores, trials=TRIALS // 2),
        "metrics": lambda: randomised_tukey(scores[: METRICS // 2], trials=TRIALS),
        "topics": lambda: randomised_tukey(scores[:, : TOPICS // 2], trials=TRIALS),
    }
    ratios = [f"{what} {seconds(work)[0] / whole:.2f}" for what, work in halves.items()]
    print(f"  time of randomised Tukey with half as many, of the whole: {', '.join(ratios)}")


def _curves():
    """All depths of a run of 1,000 ranks against its scores at one depth, for the metrics of Lu et al. (2016)."""
    metrics = [parse_metric(name) for name in preset("lu-2016")]
    metrics += [metric.condensed() for metric in metrics]
    run = _run()
    once, _ = seconds(lambda: _all(metrics, run(), lambda metric, ranked: metric.at(1000).score(ranked)), repeat=9)
    curve, _ = seconds(lambda: _all(metrics, run(), lambda metric, ranked: metric.curve(ranked, range(1, 1001))), 9)
    report("curves of 1,000 depths, 14 metrics, in scores at one depth", curve / once, 2, at_most=True)


def _all(metrics, ranked, work):
    for metric in metrics:
        work(metric, ranked)


def _run(depth=1000, judged=1700):
    rng = np.random.default_rng(1)
    ideal = -np.sort(-rng.choice([0.0, 1.0, 2.0], p=[0.9, 0.07, 0.03], size=(TOPICS, judged)), axis=1)
    judgments = Judgments(tuple(map(str, range(TOPICS))), ideal, 2.0, rng.integers(1, 101, size=ideal.shape), 100)
    status = np.where(rng.random((TOPICS, depth)) < np.exp(-np.arange(depth) / 250), JUDGED, ABSENT).astype(np.int8)
    grade = np.where(status == JUDGED, rng.choice([0.0, 1.0, 2.0], p=[0.8, 0.14, 0.06], size=status.shape), 0.0)
    # A new object each time: nothing is known of it yet.
    return lambda: Ranked("run", judgments, grade, status, np.full(TOPICS, depth))


def _memory():
    code = (
        "import numpy as np, resource; from metameter.stats.significance.tukey import randomised_tukey;"
        "randomised_tukey(np.random.default_rng(1).random((5, 50, 129)), trials=100_000, jobs=2);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peak = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    print(f"  peak memory of 100,000 trials, 5 metrics: {peak / 1024:.0f} MB")
