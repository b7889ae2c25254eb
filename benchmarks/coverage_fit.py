"""How often does the interval of `fit` hold the true parameter, and how often is a fitted metric falsely better?

Pages are simulated of users who browse and react by a known metric; `fit` is asked for its parameters.

    python benchmarks/coverage_fit.py --data-sets 200
    python benchmarks/coverage_fit.py --views --data-sets 300

``covered`` is the share of data sets whose 95% interval holds the true value. Where the true value is the canonical
one, nothing can be better than it: ``better`` is the share of data sets in which the fitted metric was said to be.

With ``--views`` users leave pages of ten results as a browsing model says, and the interval of its number is asked
for, and that of its lapses, where some ranks are any. Where users differ in patience the true value is the one that is
likeliest for all users together; ``independent`` is how often it is held by an interval that takes no notice of users.
"""

import argparse
import re
import time
import warnings
from dataclasses import replace

import numpy as np
import polars as pl

from metameter import fit, parse_metric
from metameter.browse.page import Page
from metameter.meta.fit.browsing import candidates
from metameter.meta.fit.ends import lapse_ends, number_ends
from metameter.meta.fit.last_ranks import LastRanks
from metameter.meta.label_question import counts_of_labels
from metameter.simulation import simulate_pages
from metameter.types import Views

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
#: The model of users who leave pages, the true value, how many pages, of how many users (none: all are independent),
#: the share of lapses.
LEAVING = [
    ("RBP(p=0.8)", 0.8, 200, 0, 0.0),
    ("RBP(p=0.8)", 0.8, 2000, 0, 0.0),
    ("RBP(p=0.05)", 0.05, 50, 0, 0.0),
    ("INSQ(T=2.25)", 2.25, 500, 0, 0.0),
    ("INST(T=2.25)", 2.25, 500, 0, 0.0),
    ("Prec@5", 5, 500, 0, 0.3),
    ("RBP", None, 1000, 100, 0.0),
    ("RBP", None, 300, 10, 0.0),
]
#: Patience of users who differ: p is drawn from this beta distribution.
PATIENCE = (6.0, 2.0)
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


def left(name, pages, users, lapse, seed):
    """Pages of ten results, and the ranks at which users leave them."""
    random = np.random.default_rng(seed)
    grades = random.integers(0, 4, size=(pages, 10)) * (random.random((pages, 10)) < 0.4)
    if users:
        who = np.arange(pages) % users
        view = random.beta(*PATIENCE, users)[who][:, None] ** np.arange(10)
        view[:, 0] = 1.0
    else:
        view = parse_metric(f"{name}*max").model.view(Page(grades / 3))
    last = (random.random((pages, 1)) < view).sum(axis=1)
    last = np.where(random.random(pages) < lapse, random.integers(1, 11, size=pages), last)
    who = {"user": [f"u{each}" for each in who]} if users else {}
    return Views.of(pl.DataFrame({"grades": grades.tolist(), "last": last, **who}))


def likeliest_for_all():
    """Of users who differ: how often they go on, of the times that they could."""
    a, b = PATIENCE
    moments = [np.prod([(a + i) / (a + b + i) for i in range(n)]) for n in range(10)]  # means of p ** n
    return sum(moments[1:]) / sum(moments[:-1])


def view_set(name, truth, pages, users, lapse, seed):
    """Whether the interval of the number holds it, how wide it is; the same of lapses, and without users."""
    views = left(name, pages, users, lapse, seed)
    ranks, counts = LastRanks.of(views, 3), counts_of_labels(views)
    [each] = [each for each in candidates() if each.name == re.match(r"\w+", name)[0]]
    fitted = each.fit(ranks, ranks.count)
    found, lapses = number_ends(each, fitted, ranks, counts), lapse_ends(fitted, ranks, counts)
    apart = number_ends(each, fitted, ranks, replace(counts, user=None))
    covered = found.low <= truth <= found.high
    of_lapses = lapses[0] <= lapse <= lapses[1] if lapse and lapses[0] is not None else np.nan
    return covered, found.high - found.low, found.estimate, of_lapses, apart.low <= truth <= apart.high


def print_views(data_sets):
    """Print a line for each model that users leave by."""
    for name, truth, pages, users, lapse in LEAVING:
        start = time.perf_counter()
        value = likeliest_for_all() if truth is None else truth
        sets = [view_set(name, value, pages, users, lapse, seed) for seed in range(1000, 1000 + data_sets)]
        covered, width, mean, lapses, apart = np.mean(np.array(sets, dtype=float), axis=0).round(3).tolist()
        who = f"{users} users, independent {apart}" if users else f"lapses {lapses}" if lapse else ""
        took = f"{time.perf_counter() - start:.0f} s"
        print(f"{name:14} {value:<6.4g} {pages:5} pages covered {covered} mean {mean} width {width} {who} ({took})",
              flush=True)  # fmt: skip


def main():
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--noise", choices=[*NOISE], nargs="*", default=["low", "middle", "high"])
    parser.add_argument("--case", type=int, nargs="*", default=range(len(CASES)))
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--views", action="store_true", help="intervals of browsing models, from ranks viewed last")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.views:
        print_views(asked.data_sets)
        return
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
