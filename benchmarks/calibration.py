"""How often a whole study says something false when no metrics differ; and what it still finds when they do.

The null: all metrics are scaled to one standard deviation, and within every topic they are shuffled, so that none is
better than another, whatever their scores are like. Every study is one call of `recommend`, with the defaults but for
the shuffles of the randomised test, on which no verdict depends. Counted are the studies with a false ``better``,
``worse`` or ``mixed`` in any row, with a metric that the first sentence calls below another, and with a false ``same``.
Run it with ``--quick`` for a first look; docs/appendix/recommend.md has the table.

    python benchmarks/calibration.py [--quick] [--studies N] [--topics 12 30 50] [--systems 32] [--only NAME ...]
"""

import argparse
import os
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import metameter
from metameter.parallel import Workers

EVERYDAY, PAPER = metameter.preset("everyday"), metameter.preset("chen-sakai-2023")
#: Of the randomised test: no verdict depends on it.
TRIALS = 20


def main():
    asked = _arguments()
    warnings.simplefilter("ignore")
    print(f"{asked.studies} studies each, {asked.resamples} resamples to begin with, level 0.05")
    print(f"{'scores':22s} {'topics':>6s} {'rows':>5s} | null studies with a false                  | real differences")
    print(f"{'':22s} {'':>6s} {'':>5s} | verdict   below   same   row by row     any | rows with a verdict, row by row")
    for name, scores in _sources(asked):
        for topics in asked.topics:
            if topics <= len(scores.topics):
                _line(name, scores, topics, asked)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--studies", type=int)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--topics", type=int, nargs="*", default=[12, 30, 50])
    parser.add_argument("--systems", type=int, default=32, help="of simulated scores")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("METAMETER_DATA") or "../shared/data"))
    asked = parser.parse_args()
    asked.studies = asked.studies or (10 if asked.quick else 200)
    asked.population = 200 if asked.quick else 2500
    return asked


def _sources(asked):
    """Name and scores: simulated, and real where they are."""
    for name, chosen in (("everyday", EVERYDAY), ("paper", PAPER)):
        if asked.only is None or name in asked.only:
            made = metameter.simulate(topics=asked.population, systems=asked.systems, depth=100, seed=3)
            yield f"simulated, {name}", metameter.score(made.qrels, made.runs, list(chosen), max_grade=3)
    for name in ("adhoc5", "adhoc6", "web2010", "web2011"):
        files = sorted((asked.data / "score-matrices").glob(f"{name}_*.csv"))
        if files and (asked.only is None or name in asked.only):
            yield name, metameter.read_scores(files)


def _line(name, scores, topics, asked):
    begun = time.perf_counter()
    work = {"scores": scores, "topics": topics, "resamples": asked.resamples}
    null = np.array(list(Workers.of(None).map(study, range(asked.studies), null=True, **work)))
    real = np.array(list(Workers.of(None).map(study, range(max(asked.studies // 8, 2)), null=False, **work)))
    verdict, below, same, alone = (null[:, :4] > 0).sum(axis=0)
    any_false = (null[:, :3] > 0).any(axis=1).sum()
    print(
        f"{name:22s} {topics:6d} {int(null[0, 4]):5d} | {verdict:7d} {below:7d} {same:6d} {alone:12d} {any_false:7d} | "
        f"{real[:, 0].mean():8.1f} {real[:, 3].mean():12.1f}    ({time.perf_counter() - begun:.0f} s)",
        flush=True,
    )


def study(number, *, scores, topics, resamples, null):
    """How many rows say better, worse or mixed; how many metrics are below another; rows that are the same; rows with
    an interval of their own that leaves out 0; rows."""
    rng = np.random.default_rng([topics, number])
    drawn = np.sort(rng.choice(len(scores.topics), topics, replace=False))
    values = scores.values[:, :, drawn]
    if null:
        values = values / scores.values.std(axis=(1, 2), keepdims=True)
        values = np.stack([values[rng.permutation(len(values)), :, topic] for topic in range(topics)], axis=2)
    some = replace(scores, topics=tuple(scores.topics[topic] for topic in drawn), values=np.ascontiguousarray(values))
    found = metameter.recommend(some, resamples=resamples, trials=TRIALS, seed=number, jobs=1)
    rows = found.table.rows(named=True)
    verdicts = [row["verdict"] for row in rows]
    decided = sum(verdict.startswith(("better", "worse", "mixed")) for verdict in verdicts)
    below = int((found.tables["metrics"]["standing"] == "below").sum())
    return [decided, below, verdicts.count("same"), sum(map(_alone, rows)), len(rows)]


def _alone(row):
    """Whether an interval of this row for itself leaves out 0."""
    ends = [(row[f"{what}_low_row"], row[f"{what}_high_row"]) for what in ("consistency", "power")]
    return any(low is not None and (low > 0 or high < 0) for low, high in ends)


if __name__ == "__main__":
    main()
