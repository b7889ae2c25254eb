"""How often does the interval of `fit` hold the true parameter, and how often is a fitted metric falsely better?

Pages are simulated of users who browse and react by a known metric; `fit` is asked for its parameters.

    python benchmarks/coverage_fit.py --data-sets 200

``covered`` is the share of data sets whose 95% interval holds the true value. Where the true value is the canonical
one, nothing can be better than it: ``better`` is the share of data sets in which the fitted metric was said to be.
"""

import argparse
import time
import warnings

import numpy as np

from metameter import fit
from metameter.simulation import simulate_pages

#: The model with a free parameter, the users, the true values.
CASES = [
    ("RBP*max", "RBP(p=0.5)*max", [0.5]),
    ("RBP*max", "RBP(p=0.8)*max", [0.8]),
    ("RBP*max", "RBP(p=0.95)*max", [0.95]),
    ("RBP*ERG", "RBP(p=0.8)*ERG", [0.8]),
    ("INST*max", "INST(T=2.25)*max", [2.25]),
    ("RBP(p=0.8)*PE", "RBP(p=0.8)*PE(beta=0.5)", [0.5]),
    ("DCG@10*fgt", "DCG@10*fgt(delta=0.8)", [0.8]),
    ("DCG*max", "DCG@5*max", [5]),
    ("DCG*max", "DCG@10*max", [10]),
    ("RBP*PE", "RBP(p=0.8)*PE(beta=0.5)", [0.8, 0.5]),
]
NOISE = {"low": (0.05, 0.05), "middle": (0.5, 0.3), "high": (2.0, 1.0)}


def data_set(model, truth, values, noise, seed, *, pages=1000, pairs=False, resamples=200):
    """Whether each true value is covered, how wide its interval is, what is estimated, and the verdict."""
    sizes = {"pages": 1, "pairs": pages} if pairs else {"pages": pages, "pairs": 1}
    size, spread = NOISE[noise]
    made = simulate_pages(**sizes, metric=truth, noise=size, user_spread=spread, seed=seed)
    found = fit(made.pairs if pairs else made.pages, model=model, max_grade=3, resamples=resamples, seed=seed, jobs=1)
    rows = list(found.table.iter_rows(named=True))
    covered = [row["low"] <= value <= row["high"] for row, value in zip(rows, values, strict=True)]
    widths = [row["high"] - row["low"] for row in rows]
    return covered, widths, [row["estimate"] for row in rows], found.tables["fit_folds"]["verdict"][-1]


def main():
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--noise", choices=[*NOISE], nargs="*", default=["low", "middle", "high"])
    parser.add_argument("--case", type=int, nargs="*", default=range(len(CASES)))
    parser.add_argument("--pairs", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for noise in asked.noise:
        for model, truth, values in (CASES[number] for number in asked.case):
            start = time.perf_counter()
            seeds = range(1000, 1000 + asked.data_sets)
            sets = [data_set(model, truth, values, noise, seed, pairs=asked.pairs) for seed in seeds]
            covered, widths, means = (np.mean([each[n] for each in sets], axis=0).round(3).tolist() for n in (0, 1, 2))
            better = np.mean([each[3] == "better" for each in sets])
            took = f"{time.perf_counter() - start:.0f} s"
            print(f"{noise:6} {model:14} {truth:24} covered {covered} better {better:.3f} "
                  f"mean {means} width {widths} ({took})", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
