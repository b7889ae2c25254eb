"""How often the intuitiveness test marks a difference where there is none; and what it still finds where there is one.

The null: all metrics are noisy copies of one latent quality, and so are the simple metrics, so that no metric follows
them more closely than another. The alternative: the first metric has less noise. The numbers that `intuitiveness`
tells in words are of the full run.

With ``--agreement``: how often `agreement` finds that intuitiveness and unanimity agree more than by chance, under the
same null; `p` is that of metrics permuted within topics, `p_rank` the t approximation.

With ``--scores``: the share of rows with p below alpha where the metrics of real sessions (as scored for TREC Dynamic
Domain 2016) are permuted at random within topics, for 11 of the systems and for all of them.

    python benchmarks/calibration_intuitiveness.py [--tables N] [--trials N] [--quick] [--agreement] [--scores FILE]
"""

import argparse
import time

import numpy as np

from metameter.meta.agreement.procedure import agreement
from metameter.meta.dimension_tests.question import Question
from metameter.meta.intuitiveness.procedure import intuitiveness
from metameter.parallel import Workers
from metameter.stats.checks import system_pairs
from metameter.stats.dimensions.disagreements import disagreements
from metameter.stats.significance.pairwise import sign_test
from metameter.types import Scores

ALPHA = 0.05
METRICS, ITERATIONS = 4, 3
COMPLEX = ["act", "nct", "nEU", "nsDCG", "alpha-nDCG", "nERR-IA", "rbu_0.990_0.050"]
RANKED = 7  # by `agreement`, as in the paper
COLUMNS = ("p", "p_topics", "p_table")


def main():
    asked = _arguments()
    if asked.scores:
        _real(asked.scores)
        return
    if asked.agreement:
        _agreement(asked)
        return
    marks(0, systems=5, topics=5, levels=None, trials=10, better=0.0)  # what is imported late is imported now
    print(f"{asked.tables} tables each: {METRICS} metrics, {ITERATIONS} iterations, sets s1 and s1+s2; alpha {ALPHA:g}")
    print("systems topics noise | share of rows marked        | share of tables with a mark  | rows found if a differs")
    print(
        "                     |     p   p_topics  p_table   |     p   p_topics  p_table    |    p   p_topics  p_table"
    )
    for systems in (5, 20):
        for topics in (25, 50):
            for levels in (None, 10):
                _line(systems, topics, levels, asked)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--scores")
    asked = parser.parse_args()
    asked.tables = asked.tables or (20 if asked.quick else 400)
    return asked


def _real(path):
    question = Question.of(path, COMPLEX, (), [1, 3, 10], None)
    [part], rng = question.parts, np.random.default_rng(0)
    for systems, choices in ((11, 6), (part.values.shape[-1], 1)):
        found = []
        for _ in range(choices):
            some = rng.permutation(part.values.shape[-1])[:systems]
            given = (part.values[..., some], part.simple[..., some], question.dimensions)
            correct = disagreements(*given, jobs=1).correct
            found.append([_below(correct, rng) for _ in range(40)])
        shares = np.array(found)
        by_set = ", ".join(f"{name} {x:.3f}" for name, x in zip(question.sets.labels, shares.mean((0, 1)), strict=True))
        print(f"{systems} systems: {shares.mean():.3f} of rows; by choice {shares.mean((1, 2)).round(3)}; {by_set}")


def _below(correct, rng):
    """Permute the metrics within topics: the share of rows with p below alpha, by set."""
    metrics = len(COMPLEX)
    first, second = system_pairs(metrics)
    by_topic = np.moveaxis(correct.astype(np.int64), (1, 3, 4), (0, 1, 2))
    against = np.zeros((len(by_topic), metrics, metrics, *by_topic.shape[3:]), dtype=np.int64)
    against[:, first, second], against[:, second, first] = by_topic[:, :, 0], by_topic[:, :, 1]
    order = np.stack([rng.permutation(metrics) for _ in by_topic])
    topic, one, other = np.arange(len(by_topic))[:, None], order[:, first], order[:, second]
    p = sign_test(against[topic, one, other].sum(axis=0), against[topic, other, one].sum(axis=0))
    return (p < ALPHA).mean(axis=(0, 1))


def _agreement(asked):
    print(f"{asked.tables} tables each: {RANKED} metrics, {ITERATIONS} iterations, sets s1 and s1+s2; alpha {ALPHA:g}")
    print("systems topics noise | mean rho  null_mean | rows with p, p_rank below alpha | rows with a rho")
    for systems, topics, levels in ((5, 25, None), (20, 25, None), (20, 50, None), (20, 50, 10)):
        work = {"systems": systems, "topics": topics, "levels": levels, "trials": asked.trials}
        found = np.concatenate(list(Workers.of(None).map(agreements, range(asked.tables), **work)))
        known = found[~np.isnan(found[:, 0])]
        rho, null = known[:, 0].mean(), known[:, 1].mean()
        below = (known[:, 2:] < ALPHA).mean(axis=0)
        kind = "fine" if levels is None else "ties"
        figures = f"{rho:9.3f}{null:11.3f} | {below[0]:14.3f}{below[1]:10.3f}       | {len(known) / len(found):8.3f}"
        print(f"{systems:7d} {topics:6d} {kind:>5s} |{figures}", flush=True)


def agreements(number, *, systems, topics, levels, trials):
    """rho, null_mean, p and p_rank of the rows of a table."""
    scores = table_of(np.random.default_rng([systems, topics, number]), systems, topics, levels, metrics=RANKED)
    asked = {"simple": ["s1", "s1+s2"], "trials": trials, "resamples": 0, "seed": number, "jobs": 1}
    found = agreement({"all": scores}, **asked).table.filter(collection="all")
    return found.select("rho", "null_mean", "p", "p_rank").cast(float).to_numpy()


def _line(systems, topics, levels, asked):
    begun = time.perf_counter()
    work = {"systems": systems, "topics": topics, "levels": levels, "trials": asked.trials}
    null = np.array(list(Workers.of(None).map(marks, range(asked.tables), better=0.0, **work)))
    real = np.array(list(Workers.of(None).map(marks, range(asked.tables // 4), better=0.5, **work)))
    rows, tables = null.mean(axis=(0, 2)), (null.any(axis=2)).mean(axis=0)
    # Of the rows in which the first metric stands: the others do not differ.
    found = real[:, :, _first()].mean(axis=(0, 2))
    shown = " | ".join("".join(f"{share:9.3f}" for share in each) for each in (rows, tables, found))
    kind = "fine" if levels is None else "ties"
    print(f"{systems:7d} {topics:6d} {kind:>5s} | {shown}   ({time.perf_counter() - begun:.0f} s)", flush=True)


def _first():
    """Which rows compare the first metric, in the order of the table."""
    pairs = [a == 0 for a in range(METRICS) for _ in range(a + 1, METRICS)]
    return np.array(pairs * (2 * ITERATIONS))


def marks(number, *, systems, topics, levels, trials, better):
    """Which rows of a table have p below alpha, for each kind of p."""
    scores = table_of(np.random.default_rng([systems, topics, number]), systems, topics, levels, better)
    simple = ["s1", "s1+s2"]
    found = intuitiveness(scores, simple=simple, trials=trials, resamples=0, seed=number, jobs=1).table
    return np.stack([found[name].to_numpy() < ALPHA for name in COLUMNS])


def table_of(rng, systems, topics, levels=None, better=0.0, metrics=METRICS):
    """Scores of metrics m0 ... and of simple metrics s1, s2, whose noise is independent of each other's.

    Parameters
    ----------
    rng : numpy.random.Generator
    systems, topics : int
    levels : int, optional
        Scores are rounded to so many levels a unit, so that there are ties.
    better : float
        By which share the noise of m0 is smaller than that of the others.
    metrics : int
    """
    names = (*(f"m{number}" for number in range(metrics)), "s1", "s2")
    quality = 0.5 * rng.normal(size=(systems, 1, 1)) + rng.normal(size=(systems, topics, 1))
    # Sessions grow: the noise of an iteration is mostly that of the one before.
    noise = rng.normal(size=(len(names), systems, topics, 1)) + 0.5 * rng.normal(
        size=(len(names), systems, topics, ITERATIONS)
    )
    noise[0] *= 1 - better
    values = quality + noise
    if levels is not None:
        values = np.round(values * levels / 10) / levels * 10
    labels = (tuple(f"r{n}" for n in range(systems)), tuple(f"t{n}" for n in range(topics)))
    return Scores(names, *labels, values, iterations=tuple(range(1, ITERATIONS + 1)))


if __name__ == "__main__":
    main()
