"""How often `consistency`, `power` and `similarity` show what is not so: the tables of their pages in docs.

The scores of the metrics are swapped at random, topic by topic, so that no metric is more consistent or separates more
pairs than another: printed is the share of tables with any mark. With ``--similarity``, systems are drawn from a
simulated population in which tau is known: printed is the share of tables in which any ``alike`` is wrong.

    python benchmarks/null_marks.py [--tables 200] [--systems 20] [--sizes 12 25 50] [--similarity]
"""

import argparse

import numpy as np

import metameter
from metameter.parallel import Workers
from metameter.stats.rank_correlation.coefficients import coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import fieller_bounds
from metameter.types import Scores

SIMILAR = 0.9


def main():
    asked = _arguments()
    (_similarity if asked.similarity else _marks)(asked)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="*")
    parser.add_argument("--similarity", action="store_true")
    return parser.parse_args()


def _population(topics, systems):
    made = metameter.simulate(topics=topics, systems=systems, depth=100, seed=3)
    return metameter.score(made.qrels, made.runs, preset="everyday", max_grade=3)


def _marks(asked):
    tables, population = asked.tables or 200, _population(800, asked.systems)
    print(f"{tables} tables of {len(population.metrics)} metrics, {asked.systems} systems: share with any mark")
    print("topics  consistency  power")
    for size in asked.sizes or (12, 25, 50):
        work = {"population": population, "size": size}
        found = np.array(list(Workers.of(None).map(_table, range(tables), **work)))
        print(f"{size:6d} {found[:, 0].mean():12.3f} {found[:, 1].mean():6.3f}", flush=True)


def _table(number, *, population, size):
    """Whether one table of `consistency`, and one of `power`, shows any mark."""
    matrix = population.matrix
    rng = np.random.default_rng([size, matrix.shape[2], number])
    some = matrix[:, rng.choice(matrix.shape[1], size, replace=False)]
    order = np.argsort(rng.random(some.shape[:2]), axis=0)
    swapped = np.take_along_axis(some, order[:, :, None], axis=0)
    values = np.ascontiguousarray(swapped.transpose(0, 2, 1))
    scores = Scores(population.metrics, population.systems, tuple(map(str, range(size))), values)
    results = (
        metameter.consistency(scores, seed=number, jobs=1, by="all"),
        metameter.power(scores, seed=number, jobs=1, trials=200),
    )
    return [result.table["beats"].sum() > 0 for result in results]


def _similarity(asked):
    samples, means = asked.tables or 500, _population(50, 1000).matrix.mean(axis=1)
    first, second = np.triu_indices(len(means), 1)
    tau = coefficients_of_means(first, second, "tau_b")
    truth = tau(means) >= SIMILAR
    print(f"{samples} samples of systems; {truth.sum()} of {len(truth)} pairs have a tau of {SIMILAR} or more")
    print("systems | all pairs at once: any wrong, shown | each pair alone: any wrong, shown")
    for size in asked.sizes or (10, 20, 40, 80):
        rng = np.random.default_rng(size)
        drawn = [tau(means[:, rng.choice(means.shape[1], size, replace=False)]) for _ in range(samples)]
        shown = [
            f"{wrong:11.3f} {count:6.1f}" for wrong, count in (_shown(drawn, size, truth, end) for end in ("_all", ""))
        ]
        print(f"{size:7d} | {' | '.join(shown)}", flush=True)


def _shown(drawn, systems, truth, suffix):
    """The share of samples with any wrong verdict, and how many verdicts a sample has."""
    wrong, count = [], []
    for estimates in drawn:
        ends = fieller_bounds(estimates, systems, "tau_b", len(estimates))
        known = np.abs(estimates) < 1.0
        alike, apart = known & (ends[f"low{suffix}"] >= SIMILAR), known & (ends[f"high{suffix}"] < SIMILAR)
        wrong.append(((alike & ~truth) | (apart & truth)).any())
        count.append((alike | apart).sum())
    return np.mean(wrong), np.mean(count)


if __name__ == "__main__":
    main()
