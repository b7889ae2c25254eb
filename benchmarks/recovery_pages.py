"""Does the highest tau_b show how simulated users browse and react?

Users browse and react by one metric of the preset moffat-2022, each of the 53 in turn that can tell pages apart; all 56
are correlated with what they say. A metric is

- recovered if it, or one that orders all pages alike, has the highest tau_b;
- near if the highest is no more than .002 above it;
- not beaten if `satisfaction` shows no other metric to exceed it (beaten_by is 0).

Of those that are not recovered the metric with the highest tau_b is named, by how much it is ahead, and the share of
pairs of pages that each of the two does not tie: tau_b makes up for ties, so it prefers coarse metrics.

    python benchmarks/recovery_pages.py [--seeds N] [--pages N ...] [--noise X] [--user-spread X] [--levels N] ...
"""

import argparse
import collections
import warnings

import numpy as np

from metameter import satisfaction, simulate_pages
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores
from metameter.stats.labels.counted_taus import counted_taus
from metameter.stats.labels.counts import LabelCounts
from metameter.stats.ties import tied_codes
from metameter.types.labelled_pages import Pages

MEASURES = measures_of((), "moffat-2022")
NAMES = [measure.name for measure in MEASURES]
# The rest give every page the same score.
USERS = [name for name in NAMES if name not in ("Prec@5*ERR", "RBP(p=0.8)*ERR", "DCG@5*ERR")]
NEAR = 0.002


def main():
    asked = arguments()
    options = {name: getattr(asked, name) for name in ("noise", "user_spread", "levels", "steepness", "reaction")}
    print(
        ", ".join(f"{name} {value}" for name, value in options.items()) + f"; {asked.seeds} seeds, {len(USERS)} users"
    )
    found, lost = collections.defaultdict(list), collections.defaultdict(list)
    for metric in USERS:
        for seed in range(asked.seeds):
            made = simulate_pages(max(asked.pages), metric=metric, pairs=0, seed=seed, **options)
            for size in asked.pages:
                # More pages leave the earlier ones as they are.
                answer = recovery(metric, Pages.of(made.rows[:size].drop("id")), asked.resamples)
                found[size].append(answer[:3])
                if not answer[0]:
                    lost[size, metric].append(answer[3:])
    print("   pages  recovered   near  not beaten")
    for size in asked.pages:
        print(f"{size:8,} {counted(found[size], 0):>10} {counted(found[size], 1):>6} {counted(found[size], 2):>11}")
    print("not recovered:")
    for (size, metric), cases in sorted(lost.items()):
        winners = ", ".join(dict.fromkeys(winner for winner, *_ in cases))
        ahead, own, other = np.mean([numbers for _, *numbers in cases], axis=0)
        share = f"{len(cases)} of {asked.seeds}"
        print(f"{size:8,} {metric:28} {share}: {winners} ahead by {ahead:.4f}; not tied: {own:.4f}, other {other:.4f}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pages", type=int, nargs="+", default=[2000, 20_000, 100_000])
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--user-spread", type=float, default=0.05)
    parser.add_argument("--levels", type=int, default=7)
    parser.add_argument("--steepness", type=float, default=1.0)
    parser.add_argument("--reaction", default="expected")
    parser.add_argument("--resamples", type=int, default=500)
    return parser.parse_args()


def counted(answers, place):
    return f"{sum(answer[place] for answer in answers)}/{len(answers)}"


def recovery(metric, pages, resamples):
    """Recovered, near, not beaten; and which metric is the highest, by how much, with what shares of untied pairs."""
    codes = tied_codes(item_scores(pages, MEASURES, 3.0))
    level = np.searchsorted(pages.levels, pages.table["satisfaction"].to_numpy())
    count = pages.table["count"].to_numpy()
    tau_b = counted_taus(codes, LabelCounts(pages.item, level, count)).statistic
    own, first = NAMES.index(metric), int(np.nanargmax(tau_b))
    ahead = float(tau_b[first] - tau_b[own])
    if (codes[own] == codes[first]).all() or ahead < 1e-12:
        # What is the highest cannot be shown to be exceeded.
        return True, True, True, metric, 0.0, 0.0, 0.0
    shares = np.bincount(pages.item, weights=count) / count.sum()
    untied = [1 - float((np.bincount(codes[place], weights=shares) ** 2).sum()) for place in (own, first)]
    return False, ahead <= NEAR, not beaten(metric, pages, resamples), NAMES[first], ahead, *untied


def beaten(metric, pages, resamples):
    with warnings.catch_warnings(action="ignore"):
        table = satisfaction(pages, preset="moffat-2022", max_grade=3, resamples=resamples).table
    return table["beaten_by"][NAMES.index(metric)] > 0


if __name__ == "__main__":
    main()
