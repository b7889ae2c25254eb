"""How often `satisfaction` marks a difference between metrics where there is none, and how often intervals miss.

Pages are drawn from simulated lists. Users differ in leniency and in the pages they meet, independently of each other,
so that pages of one user resemble each other and so do their labels. Three parts:

no relation    labels have nothing to do with pages: any mark in the table of the preset moffat-2022 is false.
equal metrics  every metric is held against itself on the other half of the page; labels depend on both halves alike.
coverage       labels depend on RBP(p=0.8)*max; how often the 95% interval of tau_b has the value of all pages.

    python benchmarks/calibration_satisfaction.py [--tables N] [--resamples N] [--part null|equal|coverage]
                                                  [--only users|pages] [--quick]
"""

import argparse
import time
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from metameter import satisfaction, simulate_pages
from metameter.meta.label_agreement.estimates import label_estimates
from metameter.meta.label_agreement.question import LabelOptions, LabelQuestion
from metameter.parallel import Workers
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores
from metameter.stats.labels.correlation_tests import FORMULAS, TauTriple, formula_pvalue
from metameter.stats.labels.counted_taus import counted_taus
from metameter.stats.labels.counts import LabelCounts
from metameter.stats.rank_correlation.dependent_correlations import zou_interval
from metameter.stats.rank_correlation.kendall import weighted_tau_b
from metameter.stats.ties import tied_codes
from metameter.types.labelled_pages import Pages

ALPHA, TOP, LEVELS, POOL, NOISE = 0.05, 3.0, 5, 100_000, 1.0
MEASURES = measures_of((), "moffat-2022")
NAMES = [measure.name for measure in MEASURES]
TRUE = NAMES.index("RBP(p=0.8)*max")
#: Pages without users; users, and how many pages each has.
ROWS = ((100, None), (1000, None), (7479, None))
USERS = ((10, 10), (10, 45), (20, 10), (20, 45), (50, 20), (164, 45))


@dataclass(frozen=True)
class Setting:
    """A kind of table: ``units`` pages, or users with ``each`` so many; how users differ; what labels depend on."""

    units: int
    each: int | None
    part: str
    leniency: float = 0.0
    tilt: float = 0.0

    def __str__(self):
        return f"{self.units:5d} {'pages' if self.each is None else f'users x {self.each}':12s}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int)
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--part", choices=("null", "equal", "coverage"), action="append")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", choices=("users", "pages"))
    asked = parser.parse_args()
    asked.tables = asked.tables or (20 if asked.quick else 400)
    _check()
    parts = {"null": null_tables, "equal": equal_metrics, "coverage": coverage}
    for name in asked.part or parts:
        parts[name](asked)


def _spread(units, each, part):
    return Setting(units, each, part, *((0.0, 0.0) if each is None else (1.5, 0.7)))


def _sizes(asked, *sizes):
    return [size for size in sizes if asked.only in (None, "pages" if size[1] is None else "users")]


def _of_tables(work, setting, asked):
    begun = time.perf_counter()
    found = list(Workers.of(asked.jobs).map(work, range(asked.tables), setting=setting, resamples=asked.resamples))
    return np.array(found), f"({time.perf_counter() - begun:.0f} s)"


def _shares(found):
    share = found.mean(axis=0)
    error = np.sqrt(share * (1 - share) / len(found))
    return " ".join(f"{100 * s:6.1f} ± {100 * e:3.1f}" for s, e in zip(share, error, strict=True))


def null_tables(asked):
    print(f"no relation: % of {asked.tables} tables with a false mark, {asked.resamples} resamples, alpha {ALPHA:g}")
    print(f"{'':18s} | concordance_better  beats   better (tau_b)  better_row")
    for size in _sizes(asked, *ROWS, *USERS):
        found, took = _of_tables(null_table, _spread(*size, "null"), asked)
        print(f"{_spread(*size, 'null')} | {_shares(found)}  {took}", flush=True)


def null_table(number, *, setting, resamples):
    """Whether a table has a false concordance_better, a false beats (the former included), better, better_row."""
    lists = pool()
    counts, items = drawn(setting, number, lists.scores[TRUE])
    found = _evidence(tied_codes(lists.scores[:, items]), counts, lists, resamples, number)
    by_tau = [found.by_tau.better.any(), found.by_tau.better_row.any()]
    return [found.by_concordance.better.any(), found.exceeds.any(), *by_tau]


def equal_metrics(asked):
    tests = ["bootstrap", *FORMULAS, *(f"{test} sin" for test in FORMULAS)]
    print(
        f"equal metrics: % of {asked.tables} tables with a false better; % of comparisons with p < {ALPHA:g}, by test"
    )
    print(f"{'':18s} |  better (table) | " + " ".join(f"{test:>12s}" for test in tests))
    for size in _sizes(asked, *ROWS, (10, 45), (20, 45), (50, 20)):
        found, took = _of_tables(equal_table, _spread(*size, "equal"), asked)
        shown = " ".join(f"{100 * each:12.1f}" for each in found[:, 1:].mean(axis=0))
        print(f"{_spread(*size, 'equal')} | {_shares(found[:, :1])}    | {shown}  {took}", flush=True)


def equal_table(number, *, setting, resamples):
    """Whether any metric on one half is said to be better than on the other; share of p < alpha of each test."""
    halves = pool(half=True)
    counts, items = drawn(setting, number, halves.label)
    codes = tied_codes(halves.scores[:, items])
    found = _evidence(codes, counts, halves, resamples, number)
    compared = found.by_tau
    occurs = np.bincount(counts.item, weights=counts.count, minlength=len(items)).astype(np.int64)
    low = [(compared.p_row < ALPHA).mean()]
    threes = [
        TauTriple(found.tau[one], found.tau[other], weighted_tau_b(codes[one], codes[other], occurs))
        for one, other in zip(compared.metric, compared.reference, strict=True)
    ]
    for shown in (threes, [TauTriple(*np.sin(np.pi / 2 * np.array(three))) for three in threes]):
        low += [np.mean([_significant(test, three, counts.total) for three in shown]) for test in FORMULAS]
    return [compared.better.any(), *low]


def _significant(test, taus, n):
    if test == "zou":  # the interval says so at once; its p-value takes sixty of them
        low, high = zou_interval(*taus, n, 1 - ALPHA)
        return not low <= 0 <= high
    return formula_pvalue(test, taus, n) < ALPHA


def coverage(asked):
    print(f"coverage: % of {asked.tables} tables in which the 95% interval of tau_b has the true value")
    print(f"{'':18s} | over metrics: mean, lowest, highest; of the users' own metric; too low; too high")
    for size in _sizes(asked, *ROWS[:2], (10, 45), (20, 10), (20, 45), (50, 20)):
        setting = _spread(*size, "coverage")
        truth = true_taus(setting)
        found, took = _of_tables(covered, setting, asked)
        known = ~np.isnan(truth)
        below, above = (found[:, 0] < -1e-12)[:, known].mean(axis=0), (found[:, 1] > 1e-12)[:, known].mean(axis=0)
        hit = 1 - below - above
        own = 1 - (found[:, 0, TRUE] < 0).mean() - (found[:, 1, TRUE] > 0).mean()
        values = (hit.mean(), hit.min(), hit.max(), own, below.mean(), above.mean())
        print(f"{setting} | " + " ".join(f"{100 * each:6.1f}" for each in values), took, flush=True)


def covered(number, *, setting, resamples):
    """By how much the true value is below the upper end, and above the lower end; misses have the wrong sign."""
    lists = pool()
    counts, items = drawn(setting, number, lists.scores[TRUE])
    found = _evidence(tied_codes(lists.scores[:, items]), counts, lists, resamples, number)
    truth = true_taus(setting)
    return np.nan_to_num(np.stack([found.high - truth, found.low - truth]))


@dataclass(frozen=True, eq=False)
class Pool:
    """Distinct lists, how often each is shown, what metrics say of them, and the question that is asked of them."""

    weight: np.ndarray
    scores: np.ndarray
    question: LabelQuestion
    label: np.ndarray
    quality: np.ndarray


@cache
def pool(half=False):
    rows = simulate_pages(POOL, pairs=0, users=1, steepness=1.5 if half else 2.2, seed=7).rows
    if not half:
        pages = Pages.of(rows.select("grades", satisfaction=pl.lit(1.0)))
        question = LabelQuestion.of(pages, MEASURES, None, TOP)
        weight = np.bincount(pages.item, weights=pages.table["count"].to_numpy())
        return _pool(weight, question.scores, question, question.scores[TRUE])
    # Two lists a page, drawn alike: one metric on the first, the same one on the second.
    grades = rows["grades"].list.head(4).to_list()
    pages = Pages.of(pl.DataFrame({"grades": grades, "satisfaction": [1.0] * len(grades)}))
    own = item_scores(pages, MEASURES, TOP)
    first, second = (each.ravel() for each in np.indices((own.shape[1], own.shape[1])))
    often = np.bincount(pages.item, weights=pages.table["count"].to_numpy())
    scores = np.concatenate([own[:, first], own[:, second]])
    known = LabelQuestion.of(pages, MEASURES, None, TOP)
    references = (*range(len(own), 2 * len(own)), *(None,) * len(own))
    question = replace(known, names=(*NAMES, *NAMES), measures=known.measures * 2, references=references)
    return _pool(often[first] * often[second], scores, question, own[TRUE][first] + own[TRUE][second])


def _pool(weight, scores, question, label):
    weight = weight / weight.sum()
    quality = np.mean(tied_codes(scores), axis=0)
    quality = (quality - weight @ quality) / np.sqrt(weight @ (quality - weight @ quality) ** 2)
    return Pool(weight, scores, question, label, quality)


def _tilted(lists, tilt):
    weight = lists.weight * np.exp(tilt * lists.quality)
    return weight / weight.sum()


def _limits(setting):
    """Where the next level begins, so that levels are about equally frequent."""
    signal = 0.0 if setting.part == "null" else 1.0
    return ndtri(np.arange(1, LEVELS) / LEVELS) * np.sqrt(signal + NOISE**2 + setting.leniency**2)


def _felt(lists, reaction, setting):
    centred = reaction - lists.weight @ reaction
    return centred / np.sqrt(lists.weight @ centred**2) * (setting.part != "null")


def drawn(setting, number, reaction):
    """Pages and labels of a table: counts of the pages that occur, and which of the lists those are."""
    lists = pool(half=setting.part == "equal")
    rng = np.random.default_rng([setting.units, setting.each or 0, number])
    if setting.each is None:
        item, user = rng.choice(len(lists.weight), setting.units, p=lists.weight), None
        lenient = np.zeros(len(item))
    else:
        tilts = setting.tilt * rng.normal(size=setting.units)
        item = np.concatenate([rng.choice(len(lists.weight), setting.each, p=_tilted(lists, each)) for each in tilts])
        user = np.repeat(np.arange(setting.units), setting.each)
        lenient = (setting.leniency * rng.normal(size=setting.units))[user]
    felt = _felt(lists, reaction, setting)[item] + lenient + NOISE * rng.normal(size=len(item))
    level = np.searchsorted(_limits(setting), felt)
    level = np.unique(level, return_inverse=True)[1].astype(np.int64)
    items, item = np.unique(item, return_inverse=True)
    columns = (item, level) if user is None else (item, level, user)
    rows, count = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    own = () if user is None else (rows[:, 2],)
    return LabelCounts(rows[:, 0], rows[:, 1], count.astype(np.int64), *own), items


@cache
def true_taus(setting):
    """tau_b over all pages and users: from the chance of each list with each label."""
    lists = pool()
    points, chances = np.polynomial.hermite_e.hermegauss(31)
    weight = np.einsum("t,ti->i", chances / chances.sum(), [_tilted(lists, setting.tilt * each) for each in points])
    spread = np.hypot(setting.leniency, NOISE)
    limits = np.concatenate([[-np.inf], _limits(setting), [np.inf]])
    chance = np.diff(ndtr((limits - _felt(lists, lists.scores[TRUE], setting)[:, None]) / spread), axis=1)
    cells = np.rint(50_000_000 * weight[:, None] * chance).astype(np.int64)
    item, level = np.nonzero(cells)
    return counted_taus(tied_codes(lists.scores), LabelCounts(item, level, cells[item, level])).statistic


@dataclass(frozen=True, eq=False)
class Drawn:
    """What `label_estimates` needs of a `LabelQuestion`; scores and classes are those of the lists, found once."""

    names: tuple
    references: tuple
    classes: tuple
    codes: np.ndarray
    counts: LabelCounts
    preferred: None = None

    def refuse_uncorrelated_reference(self, tau):
        """No reference is asked for."""


def _evidence(codes, counts, lists, resamples, seed):
    question = Drawn(lists.question.names, lists.question.references, lists.question.classes, codes, counts)
    options = LabelOptions(alpha=ALPHA, resamples=resamples, seed=seed, jobs=Workers.of(1))
    return label_estimates(question, ("X",), options)


def _check():
    """The shortcut around reading and scoring finds what `satisfaction` finds."""
    rows = simulate_pages(300, pairs=0, users=20, seed=3).rows.drop("id")
    table = satisfaction(rows, max_grade=TOP, resamples=200, seed=5).table
    question = LabelQuestion.of(Pages.of(rows), MEASURES, None, TOP)
    lists = Pool(None, question.scores, question, None, None)
    found = _evidence(question.codes, question.counts, lists, 200, 5)
    ours = [found.tau, found.low, found.by_tau.better.sum(), found.exceeds.sum(axis=1)]
    theirs = [
        table["tau_b"].to_numpy(),
        table["low"].to_numpy(),
        table["better"].sum(),
        table["beats"].fill_null(0).to_numpy(),
    ]
    assert all(np.allclose(one, other, equal_nan=True) for one, other in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    main()
