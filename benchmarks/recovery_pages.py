"""Does the highest tau_b show how simulated users browse and react?

Users browse and react by one metric; all 56 of the preset moffat-2022 are correlated with what they say. A metric is
recovered if it, or one that orders all pages alike, has the highest correlation. `tau_b` divides by the pairs of pages
that a metric does not tie; `tau_a` does not, so the two columns show what the correction for ties does. All users are
equally lenient: the noise, in standard deviations of the users' metric over pages, is all there is.

    python benchmarks/recovery_pages.py [--seeds N] [--pages N ...] [--noise X ...] [--steepness X]
"""

import argparse

import numpy as np

from metameter import simulate_pages
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores
from metameter.stats.counted_taus import counted_taus
from metameter.stats.label_counts import LabelCounts
from metameter.stats.ties import tied_codes
from metameter.types.pages import Pages

MEASURES = measures_of((), "moffat-2022")
NAMES = [measure.name for measure in MEASURES]
# Static, adaptive and clairvoyant users.
USERS = (
    "Prec@5*fin",
    "RBP(p=0.8)*ERG",
    "RBP(p=0.8)*max",
    "RBP(p=0.8)*avg",
    "RBP(p=0.8)*PE(beta=0.5)",
    "DCG@5*ERG",
    "DCG@5*fgt(delta=0.8)",
    "RRbin*ERG",
    "INST(T=2.25)*ERG",
    "INST(T=2.25)*max",
    "INST(T=2.25)*fin",
    "AP1*ERG",
    "AP1*max",
    "AP2*fgt(delta=0.8)",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--pages", type=int, nargs="+", default=[500, 2000, 8000, 32000])
    parser.add_argument("--noise", type=float, nargs="+", default=[0.05, 0.2, 1.0])
    parser.add_argument("--steepness", type=float, default=2.2)
    asked = parser.parse_args()
    print(f"steepness {asked.steepness}: share of {asked.seeds} seeds in which tau_b (tau_a) finds the users' metric")
    print("reaction noise metric | " + " ".join(f"{pages:>11}" for pages in asked.pages))
    for reaction in ("expected", "walk"):
        for noise in asked.noise:
            for metric in USERS:
                found = np.mean(
                    [recovered(metric, seed, reaction, noise, asked) for seed in range(asked.seeds)], axis=0
                )
                shown = " ".join(f"{b:4.0%} ({a:4.0%})" for b, a in found)
                print(f"{reaction:8} {noise:4} {metric:24} | {shown}", flush=True)


def recovered(metric, seed, reaction, noise, asked):
    """Whether it has the highest tau_b, and the highest tau_a, for each number of pages: pages x 2."""
    options = {"reaction": reaction, "noise": noise, "steepness": asked.steepness, "seed": seed, "user_spread": 0.0}
    made = simulate_pages(max(asked.pages), metric=metric, pairs=0, **options)
    # More pages leave the earlier ones as they are.
    return [both(metric, Pages.of(made.rows[:pages].drop("id"))) for pages in asked.pages]


def both(metric, pages):
    codes = tied_codes(item_scores(pages, MEASURES, 3.0))
    level = np.searchsorted(pages.levels, pages.table["satisfaction"].to_numpy())
    count = pages.table["count"].to_numpy()
    tau_b = counted_taus(codes, LabelCounts(pages.item, level, count)).statistic
    shares = np.bincount(pages.item, weights=count) / count.sum()
    untied = np.array([1 - (np.bincount(each, weights=shares) ** 2).sum() for each in codes])
    alike = (codes == codes[NAMES.index(metric)]).all(axis=1)
    return [bool(alike[np.nanargmax(each)]) for each in (tau_b, tau_b * np.sqrt(untied.clip(0)))]


if __name__ == "__main__":
    main()
