"""How often the intuitiveness test marks a difference between copies of one metric, from simulated sessions on.

All systems are equally good. Three metrics are the mean of the standardised simple metrics, each with noise of its
own: no metric follows a dimension more closely than another. docs/appendix/dynamic_search.md has the numbers of the
full run.

    python benchmarks/calibration_sessions.py [--tables N] [--trials N]
"""

import argparse

import numpy as np

from metameter import intuitiveness, session, simulate_sessions
from metameter.types import Scores

SIMPLE = ("prec", "st_rec", "tot_time")
SETS = (*SIMPLE, "prec+st_rec", "prec+st_rec+tot_time")
COPIES = ("copy_1", "copy_2", "copy_3")
COLUMNS = ("p", "p_topics", "p_table")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--trials", type=int, default=500)
    asked = parser.parse_args()
    print(f"{asked.tables} tables each: {len(COPIES)} metrics, 3 iterations, {len(SETS)} sets; marked: below .05")
    print("systems topics | tables with a mark: p, p_topics, p_table | rows marked: p, p_topics, p_table")
    for systems, topics in ((5, 10), (10, 25), (20, 50)):
        marked = np.array([marks(seed, systems, topics, asked.trials) for seed in range(asked.tables)])
        tables, rows = marked.any(axis=2).mean(axis=0), marked.mean(axis=(0, 2))
        shown = " | ".join(" ".join(f"{share:.3f}" for share in each) for each in (tables, rows))
        print(f"{systems:7d} {topics:6d} | {shown}", flush=True)


def marks(seed, systems, topics, trials):
    """Which rows of a table are marked: columns x rows."""
    table = intuitiveness(
        copies(seed, systems, topics), simple=SETS, complex=COPIES, resamples=0, trials=trials, seed=seed
    ).table
    return np.array([(table[name] < 0.05).to_numpy() for name in COLUMNS])


def copies(seed, systems, topics):
    made = simulate_sessions(topics=topics, systems=systems, iterations=3, null=True, seed=seed)
    scores = session(made.truth, made.runs, SIMPLE, lengths=made.lengths, iterations=[1, 2, 3])
    spread = scores.values.std(axis=1, keepdims=True)
    known = (scores.values - scores.values.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    noise = np.random.default_rng(10_000 + seed).standard_normal((len(COPIES), systems, topics, 1))
    values = np.concatenate([scores.values, known.mean(axis=0) + 0.5 * noise])
    return Scores((*SIMPLE, *COPIES), scores.systems, scores.topics, values, iterations=scores.iterations)


if __name__ == "__main__":
    main()
