"""All counts of the intuitiveness test and of unanimity against a plain double loop for one pair of metrics."""

import numpy as np
from clock import report, seconds

from metameter.stats.dimensions.disagreements import disagreements
from metameter.stats.dimensions.simple_metrics import Dimensions
from metameter.stats.dimensions.unanimity import improvements

SYSTEMS, TOPICS, ITERATIONS, COMPLEX, SIMPLE = 129, 50, 10, 18, 3
SETS = Dimensions(((0,), (1,), (2,), (0, 1), (0, 1, 2)))


def compare(data):
    rng = np.random.default_rng(1)
    # Three and two decimals, as tables of scores have them: there are ties.
    values = rng.random((ITERATIONS, TOPICS, COMPLEX, SYSTEMS)).round(3)
    simple = rng.random((ITERATIONS, TOPICS, SIMPLE, SYSTEMS)).round(2)
    disagreements(values[:1, :1], simple[:1, :1], SETS)  # what is imported late is imported now
    loop, counted = seconds(lambda: _double_loop(values[:, :, 0], values[:, :, 1], simple[:, :, 0]), repeat=2)
    print(f"  {SYSTEMS} systems x {TOPICS} topics x {ITERATIONS} iterations; {COMPLEX} metrics, {len(SETS.sets)} sets")
    for jobs, threads in ((1, "one thread"), (None, "all cores")):
        whole, found = seconds(lambda jobs=jobs: disagreements(values, simple, SETS, jobs=jobs))
        report(f"disagreements of all {found.cases.shape[-1]} pairs, {threads}: loop for one pair", loop / whole, 1)
        whole, _ = seconds(lambda jobs=jobs: improvements(values, simple, SETS, jobs=jobs))
        report(f"unanimity of all {COMPLEX} metrics, {threads}: loop for one pair", loop / whole, 1)
    first = found.correct[:, :, 0, 0].sum(axis=(0, 1))
    assert counted == (found.disagreements[:, 0, 0].sum(), *first), "the two count differently"
    print(f"  the loop took {loop:.2f} s and counted {counted[0]:,} disagreements, as the product of matrices does")


def _double_loop(first, second, simple):
    """Algorithm 1 for one pair of metrics and one simple metric, over lists, which plain Python reads fastest."""
    disagree = right = wrong = 0
    for one, other, judge in zip(first.tolist(), second.tolist(), simple.tolist(), strict=True):
        for a, b, s in zip(one, other, judge, strict=True):
            for i in range(SYSTEMS):
                for j in range(i + 1, SYSTEMS):
                    d1, d2, ds = a[i] - a[j], b[i] - b[j], s[i] - s[j]
                    if d1 * d2 < 0:
                        disagree += 1
                        right += d1 * ds > 0
                        wrong += d2 * ds > 0
    return disagree, right, wrong


if __name__ == "__main__":
    compare(None)
