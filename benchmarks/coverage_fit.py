"""How often does the interval of `fit` hold the true parameter, and how often is a fitted metric falsely better?

Pages are simulated of users who browse and react by a known metric; `fit` is asked for its parameters.

    python benchmarks/coverage_fit.py --data-sets 200
    python benchmarks/coverage_fit.py --held-out --data-sets 300
    python benchmarks/coverage_fit.py --views --data-sets 300
    python benchmarks/coverage_fit.py --walk --data-sets 50

``covered`` is the share of data sets whose 95% interval holds the true value. Where the true value is the canonical
one, nothing can be better than it: ``better`` is the share of data sets in which the fitted metric was said to be.

With ``--held-out`` only the test on held-out data is asked, of labels that say nothing, of users as the canonical
metric has them, and of others: how often the fitted metric is said to be better, or worse, and to be above chance.

With ``--walk`` every answer follows one walk down the page, as far as chance lets that user go, in place of what users
take away on average: how often the interval holds p, and how often it lies above and below it.

With ``--views`` users leave pages of ten results as a browsing model says, and the interval of its number is asked
for, and that of its lapses, where some ranks are any. Where users differ in patience the true value is the one that is
likeliest for all users together; ``independent`` is how often it is held by an interval that takes no notice of users.
Then the same of the share that goes on from each rank, with the smoothing of the data and without, the lowest of nine
ranks and their mean; ``outside`` is how often smoothing takes the estimate out of the interval of the share itself.
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
from metameter.meta.fit.browsing import candidates, data_driven, lapse_interval, parameter_estimate
from metameter.meta.fit.free_parameters import free_model
from metameter.meta.fit.last_ranks import LastRanks
from metameter.meta.fit.search import Objective, Samples, parameter_rows, search
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.simulation import simulate_pages
from metameter.stats.labels.counts import label_resamples
from metameter.stats.labels.rate_intervals import rate_intervals
from metameter.types import Pages, Views

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
    ("RBP", None, 300, 11, 0.0),
]
#: Patience of users who differ: p is drawn from this beta distribution.
PATIENCE = (6.0, 2.0)
#: The share that goes on from each rank, and how many pages each user has (a number: of nobody knows whom).
RATES = np.array([0.6, 0.66, 0.7, 0.72, 0.74, 0.75, 0.73, 0.68, 0.6])
VIEWERS = {
    "200 pages": (200, 0.0),
    "1,000 pages": (1000, 0.0),
    "5,000 pages": (5000, 0.0),
    "300 of 6 users": ([50] * 6, 0.0),
    "300 of 6 users who differ": ([50] * 6, 0.7),
    "300 of 20 users who differ": ([15] * 20, 0.7),
    "1,000 of 100 users who differ": ([10] * 100, 0.7),
    "10 users with 10, one with 200": ([10] * 10 + [200], 0.7),
}
#: What the test on held-out data is asked about: users, noise, pages, pairs.
TESTED = [
    ("no relation", None, "", 400, 0),
    ("no relation", None, "", 0, 400),
    ("canonical", "RBP(p=0.8)*max", "high", 400, 0),
    ("canonical", "RBP(p=0.8)*max", "high", 0, 400),
    ("canonical", "RBP(p=0.8)*max", "middle", 1000, 0),
    ("another", "RBP(p=0.6)*max", "middle", 400, 0),
    ("another", "RBP(p=0.6)*max", "middle", 1000, 0),
    ("another", "RBP(p=0.6)*max", "middle", 0, 1000),
    ("another", "RBP(p=0.5)*max", "middle", 1000, 0),
    ("another", "RBP(p=0.5)*max", "middle", 0, 1000),
]
NOISE = {"low": (0.05, 0.05), "middle": (0.5, 0.3), "high": (2.0, 1.0)}


#: Users each of whose answers follows one walk down the page.
WALKING = [
    ("RBP*ERG", "RBP(p=0.8)*ERG", 0.8),
    ("RBP*ERG", "RBP(p=0.6)*ERG", 0.6),
    ("RBP*max", "RBP(p=0.8)*max", 0.8),
    ("RBP*max", "RBP(p=0.6)*max", 0.6),
]


def interval(pages, model, seed, resamples=200):
    """The interval and the estimate of `fit`, without the test on held-out data."""
    counts, free = counts_of_labels(pages), free_model(model)
    samples = Samples(counts, counts.by_cell[None], label_resamples(counts, resamples, seed))
    found = parameter_rows(free, search(Objective(pages, 3), free, samples, 1, None))
    return [found[name][0] for name in ("low", "high", "estimate")]


def walks(asked):
    """Print how often the interval holds p where every answer follows one walk."""
    print(f"one walk an answer, {asked.data_sets} data sets of 1,000 pages of 100 users, middle noise:")
    print("model     p    covered  above  below  mean estimate  width")
    for model, truth, value in WALKING:
        rows = []
        for seed in range(asked.data_sets):
            noise = {"noise": 0.5, "user_spread": 0.3, "reaction": "walk"}
            made = simulate_pages(pages=1000, pairs=1, metric=truth, seed=seed, **noise)
            rows.append(interval(made.pages, model, seed))
        low, high, estimate = np.array(rows).T
        above, below = (low > value).mean(), (high < value).mean()
        shares = f"{1 - above - below:7.0%} {above:6.0%} {below:6.0%}"
        print(f"{model} {value:4} {shares}  {estimate.mean():13.3f} {np.mean(high - low):6.3f}", flush=True)


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
        # Eleven are of unlike size: ten with ten pages each, and one with all others.
        who = np.minimum(np.arange(pages) // 10, 10) if users == 11 else np.arange(pages) % users
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
    found, lapses = parameter_estimate(each, fitted, ranks, counts), lapse_interval(fitted, ranks, counts)
    apart = parameter_estimate(each, fitted, ranks, replace(counts, user=None))
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


def last_ranks(random, sizes, spread):
    """At which of ten ranks users leave who differ by so much, on the scale of logits, and which user it is."""
    who = np.repeat(np.arange(len(sizes)), sizes) if isinstance(sizes, list) else np.zeros(sizes, dtype=np.int64)
    own = random.normal(0, spread, len(sizes))[who] if spread else np.zeros(len(who))
    on = random.random((len(who), 9)) < 1 / (1 + np.exp(-(np.log(RATES / (1 - RATES)) + own[:, None])))
    return 1 + np.cumprod(on, axis=1).sum(axis=1), who


def rate_set(sizes, spread, truth, smoothing, seed):
    """Of each rank: whether somebody viewed it, its interval holds the true share, and not the estimate; its width."""
    last, who = last_ranks(np.random.default_rng(seed), sizes, spread)
    user = {"user": [f"u{each}" for each in who]} if isinstance(sizes, list) else {}
    views = Views.of(pl.DataFrame({"grades": [[1] + [0] * 9] * len(last), "last": last, **user}))
    ranks, counts, rank = LastRanks.of(views, 1), counts_of_labels(views), np.arange(1, 10)
    viewed = (ranks.last[:, None] >= rank) & (counts.by_cell[:, None] > 0)
    low, high = rate_intervals(counts, viewed, ranks.last[:, None] > rank)
    observed = data_driven(ranks, ranks.count, smoothing).model.observed
    rates = np.append(observed, np.full(9, observed[-1]))[:9]
    outside = (rates < low) | (rates > high)
    return np.isfinite(low), np.fmin(low, rates) <= truth, truth <= np.fmax(high, rates), outside, high - low


def print_rates(data_sets):
    """Print a line for each kind of viewers, with and without smoothing."""
    for name, (sizes, spread) in VIEWERS.items():
        many = last_ranks(np.random.default_rng(0), [1] * 400_000, spread)[0]
        truth = np.array([(many > n).sum() / (many >= n).sum() for n in range(1, 10)]) if spread else RATES
        for smoothing in (None, 0):
            seeds = range(1000, 1000 + data_sets)
            sets = np.array([rate_set(sizes, spread, truth, smoothing, seed) for seed in seeds], dtype=float)
            known = sets[:, 0].sum(axis=0)
            covered = np.nansum(sets[:, 0] * sets[:, 1] * sets[:, 2], axis=0) / known
            outside, width = (np.nansum(sets[:, n], axis=0) / known for n in (3, 4))
            print(f"{name:32} smoothing {smoothing!s:5} covered by rank {covered.min():.3f} to {covered.max():.3f} "
                  f"mean {covered.mean():.3f} outside {outside.mean():.3f} width {width[0]:.2f} to {width[-1]:.2f}",
                  flush=True)  # fmt: skip


def held_out_set(truth, noise, pages, pairs, seed, resamples):
    """The verdict on held-out data, and whether the fitted metric is above chance."""
    size, spread = NOISE.get(noise, (0.0, 0.0))
    users = {"metric": truth, "noise": size, "user_spread": spread} if truth else {"null": True}
    made = simulate_pages(max(pages, 1), pairs=max(pairs, 1), seed=seed, **users)
    rows = made.pairs if pairs else made.pages
    if pages and not truth:  # labels that say nothing, of nobody knows whom
        rows = Pages.of(made.rows.select("grades", "satisfaction"))
    found = fit(rows, model="RBP*max", max_grade=3, resamples=resamples, seed=seed, jobs=1)
    return found.tables["fit_folds"]["verdict"][-1], found.manifest["fitted"]["above_chance"]


def print_held_out(data_sets, cases, resamples=256):
    """Print a line for each kind of users."""
    for name, truth, noise, pages, pairs in (TESTED[number] for number in cases):
        start = time.perf_counter()
        sets = [held_out_set(truth, noise, pages, pairs, seed, resamples) for seed in range(5000, 5000 + data_sets)]
        better, worse = (np.mean([each[0] == verdict for each in sets]) for verdict in ("better", "worse"))
        above = np.mean([each[1] is True for each in sets])
        asked = f"{pages or pairs} {'pages' if pages else 'pairs'}"
        took = f"{time.perf_counter() - start:.0f} s"
        print(f"{name:12} {truth or '':16} {noise:7} {asked:11} better {better:.3f} worse {worse:.3f} "
              f"above chance {above:.3f} ({took})", flush=True)  # fmt: skip


def main():
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walk", action="store_true")
    parser.add_argument("--data-sets", type=int, default=200)
    parser.add_argument("--noise", choices=[*NOISE], nargs="*", default=["low", "middle", "high"])
    parser.add_argument("--case", type=int, nargs="*", default=range(len(CASES)))
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--held-out", action="store_true", help="the test on held-out data alone")
    parser.add_argument("--views", action="store_true", help="intervals of browsing models, from ranks viewed last")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.views:
        print_views(asked.data_sets)
        print_rates(asked.data_sets)
        return
    if asked.walk:
        walks(asked)
        return
    if asked.held_out:
        print_held_out(asked.data_sets, asked.case)
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
