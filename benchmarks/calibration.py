"""How often a whole study contains a false verdict when no metrics differ; and what it still finds when they do.

The null: within every topic the metrics that are compared are shuffled, so that none is better than another, whatever
their scores are like. Run it with ``--quick`` for a first look; the table in docs/recommend.md is of the full run.

    python benchmarks/calibration.py [--quick] [--studies N] [--topics 12 30 50] [--data FOLDER]
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np

import metameter
from metameter.meta.recommend.comparisons import comparisons
from metameter.meta.recommend.evidence import VERDICTS_SHARE, evidence
from metameter.parallel import Workers
from metameter.stats.all_pairs import differing_pairs
from metameter.stats.metric_draws import MetricDraws
from metameter.stats.resampled_metrics import resampled_taus
from metameter.stats.split_taus import split_taus

ALPHA = 0.05
EVERYDAY, PAPER = metameter.preset("everyday"), metameter.preset("chen-sakai-2023")


def main():
    asked = _arguments()
    print(f"{asked.studies} studies each, {asked.resamples} resamples, alpha = {ALPHA:g}, nothing drawn on")
    print(f"{'scores':22s} {'topics':>6s} {'rows':>5s} | share of null studies with a false        | real differences")
    print(f"{'':22s} {'':>6s} {'':>5s} | better/worse   row by row   letter   same  | rows with a verdict, row by row")
    for name, matrix, metrics in _sources(asked):
        for topics in asked.topics:
            if topics <= matrix.shape[1]:
                _line(name, matrix, metrics, topics, asked)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--studies", type=int)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--topics", type=int, nargs="*", default=[12, 30, 50])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("METAMETER_DATA") or "../shared/data"))
    asked = parser.parse_args()
    asked.studies = asked.studies or (10 if asked.quick else 400)
    asked.population = 200 if asked.quick else 2500
    return asked


def _sources(asked):
    """Name, scores (metrics, topics, systems) and names of the metrics: simulated, and real where they are."""
    made = metameter.simulate(topics=asked.population, systems=32, depth=100, seed=3)
    for name, chosen in (("simulated, everyday", EVERYDAY), ("simulated, paper", PAPER)):
        scores = metameter.score(made.qrels, made.runs, list(chosen), max_grade=3)
        yield name, scores.matrix, scores.metrics
    folder = asked.data / "score-matrices"
    for name in ("adhoc5", "adhoc6", "web2010", "web2011"):
        files = sorted(folder.glob(f"{name}_*.csv"))
        if files:
            scores = metameter.read_scores(files)
            yield name, scores.matrix, scores.metrics


def _line(name, matrix, metrics, topics, asked):
    begun = time.perf_counter()
    work = {"matrix": matrix, "metrics": metrics, "topics": topics, "resamples": asked.resamples}
    null = np.array(list(Workers.of(None).map(study, range(asked.studies), null=True, **work)))
    real = np.array(list(Workers.of(None).map(study, range(max(asked.studies // 8, 2)), null=False, **work)))
    false, alone, letters, same = (null[:, :4] > 0).mean(axis=0)
    rows = len(comparisons(metrics))
    print(
        f"{name:22s} {topics:6d} {rows:5d} | {false:12.3f} {alone:12.3f} {letters:8.3f} {same:6.3f}  | "
        f"{real[:, 0].mean():8.1f} {real[:, 1].mean():12.1f}    ({time.perf_counter() - begun:.0f} s)",
        flush=True,
    )


def study(number, *, matrix, metrics, topics, resamples, null):
    """How many rows have a false (or any) better or worse: together, row by row; how many letters; how many same."""
    rng = np.random.default_rng([topics, number])
    some = matrix[:, rng.choice(matrix.shape[1], topics, replace=False)].copy()
    rows = comparisons(metrics)
    if null:
        for members in _compared(rows):
            for topic in range(topics):
                some[members, topic] = some[rng.permutation(members), topic]
    how = {"seed": number, "jobs": 1}
    taus = np.nan_to_num(split_taus(some, 500, None, **how))
    draws = MetricDraws.of(some, taus, resampled_taus(some, resamples, **how), alpha=ALPHA, **how)
    found = evidence(
        some,
        rows,
        draws,
        units=topics,
        alpha=ALPHA,
        row_alpha=ALPHA,
        case={"similar": 0.9, "margin": 0.01},
        most=0,
        drawn={},
    )
    cases = [[found.case(n, similar=0.9, margin=0.01, row=row) for n in range(len(rows))] for row in (False, True)]
    decided = [sum(case.verdict()[:5] in ("bette", "worse", "mixed") for case in each) for each in cases]
    differ = differing_pairs(draws, topics=topics, alpha=(1 - VERDICTS_SHARE) * ALPHA)
    pairs = tuple(np.array([row[:2] for row in rows]).T)
    same = sum(case.verdict() == "same" for case in cases[0])
    return [*decided, sum(int(each[pairs].sum()) for each in differ), same]


def _compared(rows):
    """The metrics that are compared with each other, directly or through a third."""
    groups = []
    for row in rows:
        joined = [group for group in groups if group & set(row[:2])]
        groups = [group for group in groups if group not in joined] + [set(row[:2]).union(*joined)]
    return [sorted(group) for group in groups]


if __name__ == "__main__":
    main()
