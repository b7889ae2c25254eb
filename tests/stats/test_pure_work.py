"""Whatever takes jobs hands its workers pure pieces of work: pickled or not, one or many, the bits are the same."""

import inspect
import pickle
import pkgutil
from dataclasses import fields, is_dataclass
from importlib import import_module

import numpy as np
import pytest

from metameter import stats
from metameter.stats.consistency.resampled_metrics import resampled_power, resampled_taus, terciles
from metameter.stats.consistency.split_half import more_split_taus, split_half_tau, split_taus, tukey_over_splits
from metameter.stats.depth.changed_verdicts import stable_share
from metameter.stats.depth.orderings import depth_bounds
from metameter.stats.dimensions.disagreements import disagreements
from metameter.stats.dimensions.metric_wins import (
    resampled_pair_wins,
    resampled_scores,
    swapped_pair_wins,
    swapped_score_wins,
)
from metameter.stats.dimensions.simple_metrics import Dimensions
from metameter.stats.dimensions.topic_swaps import sign_flips, topic_swaps
from metameter.stats.dimensions.unanimity import improvements
from metameter.stats.intervals.means import mean_intervals, pair_widths
from metameter.stats.labels.counted_taus import resampled_agreements
from metameter.stats.labels.counted_taus import resampled_taus as resampled_label_taus
from metameter.stats.labels.counts import LabelCounts, label_resamples
from metameter.stats.rank_correlation.coefficients import coefficients_of_means
from metameter.stats.rank_correlation.correlation_intervals import bootstrap_bounds, simultaneous_lower_bounds
from metameter.stats.resampling.samples import (
    bootstrap_indices,
    bootstrap_splits,
    bootstrap_systems,
    repeated_splits,
    row_permutations,
    topic_splits,
)
from metameter.stats.resampling.studentised import resampled_pairs
from metameter.stats.significance.baselines import against_baselines, randomised_dunnett
from metameter.stats.significance.confirmation import confirmed_verdicts
from metameter.stats.significance.max_t import max_t
from metameter.stats.significance.pair_tests import convergence, run_test
from metameter.stats.significance.paired_bootstrap import paired_bootstrap
from metameter.stats.significance.pairs import TESTS
from metameter.stats.significance.tukey import randomised_tukey

RNG = np.random.default_rng(3)
MATRIX = RNG.random((3, 14, 6)) + np.linspace(0, 0.5, 6)
LABELS = RNG.integers(0, 3, 30)
TAUS = RNG.random((50, 3))
PAIRS = np.array([0, 0]), np.array([1, 2])
SESSIONS = RNG.integers(0, 5, (2, 11, 3, 6)).astype(float)
DIMENSIONS = Dimensions(((0,), (0, 1)), (0.75, 0.25))
COUNTS = RNG.integers(0, 20, (2, 11, 2, 3, 2))
DRAWN = ("topics", "systems", "both")
CODES = RNG.integers(0, 9, (4, 30))
PREFERRED = np.sign(np.arange(LABELS.max() + 1) - 1)
LABELLED = [LabelCounts(np.arange(30), LABELS, np.arange(1, 31), user) for user in (None, np.arange(30) % 7)]


def extremes(some):
    return np.stack([some.extreme.max(axis=0), some.means.min(axis=0)])


def correlations(jobs):
    statistic = coefficients_of_means(*PAIRS, "tau_b")
    return bootstrap_bounds(MATRIX, statistic, statistic(MATRIX.mean(axis=-2)), 150, 0, jobs)


def intervals(jobs):
    tested = run_test(MATRIX, "bootstrap", trials=150, alpha=0.05, seed=0, jobs=jobs)
    return pair_widths(MATRIX, "bootstrap", tested, alpha=0.05, correction="none", seed=0, jobs=jobs)


def against(jobs):
    options = {"trials": 150, "alpha": 0.05, "seed": 0, "jobs": jobs}
    return [against_baselines(MATRIX, test, [2], **options) for test in TESTS]


def settled(jobs):
    tested = run_test(MATRIX, "bootstrap", trials=150, alpha=0.05, seed=0, jobs=jobs)
    return convergence(MATRIX, tested, "none", 0.05, 0, jobs)


def lowest(jobs):
    statistic = coefficients_of_means(np.array([0, 0]), np.array([1, 2]), "tau_b")
    return simultaneous_lower_bounds(MATRIX, statistic, statistic(MATRIX.mean(axis=1)), resamples=150, jobs=jobs)


CALLS = {
    "simultaneous_lower_bounds": lowest,
    "against_baselines": against,
    "confirmed_verdicts": lambda jobs: [
        confirmed_verdicts(MATRIX, test, alpha=0.05, jobs=jobs, against=[(0, 1), (2, 1)]) for test in TESTS
    ],
    "bootstrap_bounds": correlations,
    "convergence": settled,
    "disagreements": lambda jobs: [
        disagreements(SESSIONS, SESSIONS[:, :, :2], DIMENSIONS, ties=ties, jobs=jobs) for ties in ("strict", "agree")
    ],
    "depth_bounds": lambda jobs: depth_bounds(MATRIX[None], resamples=150, jobs=jobs),
    "stable_share": lambda jobs: stable_share(MATRIX[:2], MATRIX[1:], at_least=0.5, resamples=150, jobs=jobs),
    "improvements": lambda jobs: [
        improvements(SESSIONS, SESSIONS[:, :, :2], DIMENSIONS, form=form, jobs=jobs) for form in ("code", "literal")
    ],
    "max_t": lambda jobs: [max_t(MATRIX, baselines=places, trials=150, jobs=jobs) for places in ((), (4, 1))],
    "mean_intervals": lambda jobs: mean_intervals(MATRIX, trials=150, jobs=jobs),
    "more_split_taus": lambda jobs: more_split_taus(MATRIX, TAUS[:64], 150, 0, jobs, None),
    "pair_widths": intervals,
    "paired_bootstrap": lambda jobs: paired_bootstrap(MATRIX, trials=150, jobs=jobs),
    "randomised_dunnett": lambda jobs: randomised_dunnett(MATRIX, [0, 3], trials=150, jobs=jobs),
    "randomised_tukey": lambda jobs: randomised_tukey(MATRIX, trials=150, jobs=jobs),
    "resampled_pair_wins": lambda jobs: [
        resampled_pair_wins(COUNTS, 3, wins=wins, resamples=150, jobs=jobs) for wins in ("significant", "any")
    ],
    "resampled_pairs": lambda jobs: resampled_pairs(MATRIX, bootstrap_indices(14, 150), extremes, jobs=jobs),
    "resampled_power": lambda jobs: [
        resampled_power(MATRIX, 150, alpha=0.05, seed=0, jobs=jobs, resample=what) for what in DRAWN
    ],
    "resampled_agreements": lambda jobs: [
        resampled_agreements(np.sign(CODES - 1), PREFERRED, counts, label_resamples(counts, 150), jobs=jobs)
        for counts in LABELLED
    ],
    "resampled_scores": lambda jobs: resampled_scores(COUNTS.sum(axis=-1)[None].repeat(4, 0), resamples=150, jobs=jobs),
    # Two functions have this name: of rankings of systems, and of scores of pages.
    "resampled_taus": lambda jobs: [
        *(resampled_taus(MATRIX, 150, seed=0, jobs=jobs, resample=what) for what in DRAWN),
        *(resampled_label_taus(CODES, counts, label_resamples(counts, 150), jobs=jobs) for counts in LABELLED),
    ],
    "run_test": lambda jobs: [run_test(MATRIX, test, trials=150, alpha=0.05, seed=0, jobs=jobs) for test in TESTS],
    "split_half_tau": lambda jobs: split_half_tau(MATRIX, trials=150, jobs=jobs),
    "split_taus": lambda jobs: split_taus(MATRIX, 150, 0.01, 0, jobs),
    "swapped_pair_wins": lambda jobs: swapped_pair_wins(
        np.random.default_rng(3).integers(0, 9, (2, 14, 1, 3, 2)), 3, trials=150, jobs=jobs
    ),
    "swapped_score_wins": lambda jobs: swapped_score_wins(
        np.random.default_rng(4).integers(1, 9, (4, 2, 14, 1, 3)).astype(float), trials=150, jobs=jobs
    ),
    "terciles": lambda jobs: terciles(MATRIX, MATRIX[0].mean(axis=-1), alpha=0.05, seed=0, jobs=jobs),
    "topic_swaps": lambda jobs: topic_swaps(COUNTS[0, :, 0, :, 0] - 9.0, trials=150, jobs=jobs),
    "tukey_over_splits": lambda jobs: tukey_over_splits(TAUS, {"a": [0, 1], "b": [2]}, 150, 0, jobs),
}


def bits(value):
    """All numbers of a result, as bytes."""
    if is_dataclass(value):
        value = [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, dict):
        return [(key, bits(each)) for key, each in value.items()]
    return [bits(each) for each in value] if isinstance(value, list | tuple) else np.asarray(value).tobytes()


@pytest.mark.parametrize("name", CALLS)
def test_any_workers_give_the_same_bits(name, pickling_workers):
    one = bits(CALLS[name](1))
    assert bits(CALLS[name](3)) == one
    assert bits(CALLS[name](pickling_workers)) == one


def test_every_function_with_jobs_is_tested():
    modules = [
        import_module(info.name) for info in pkgutil.walk_packages(stats.__path__, "metameter.stats.") if not info.ispkg
    ]
    functions = {
        name: function
        for module in modules
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }
    takes_jobs = {name for name, function in functions.items() if "jobs" in inspect.signature(function).parameters}
    assert takes_jobs - {"map_blocks"} == set(CALLS)


@pytest.mark.parametrize(
    "replicates",
    [
        topic_splits(9, 70, 2),
        row_permutations(9, 4, 70, 2),
        bootstrap_indices(9, 70, 2),
        bootstrap_splits(9, 70, 3, 2),
        repeated_splits(9, 70, 3, 2),
        bootstrap_systems(9, 70, 2, np.array([0, 0, 1, 2, 3, 3, 4, 5, 6])),
        sign_flips(9, 70, 2),
    ],
    ids=lambda replicates: replicates.stream.name,
)
def test_replicates_can_be_pickled(replicates):
    message = pickle.dumps(replicates)
    assert len(message) < 1000  # how to draw them, not what was drawn
    again = pickle.loads(message)
    assert all((a == b).all() for a, b in zip(again, replicates, strict=True))


@pytest.mark.parametrize(
    ("call", "last"),
    [
        (lambda told: randomised_tukey(MATRIX, trials=150, jobs=3, progress=told), (3, 3, "shuffling")),
        (lambda told: paired_bootstrap(MATRIX, trials=150, jobs=3, progress=told), (3, 3, "resampling")),
        (lambda told: max_t(MATRIX, trials=150, jobs=3, progress=told), (3, 3, "resampling")),
        (lambda told: split_taus(MATRIX, 150, None, 0, 3, told), (150, 150, "splits")),
        (lambda told: depth_bounds(MATRIX[None], resamples=150, jobs=3, progress=told), (3, 3, "resampling")),
        (lambda told: resampled_taus(MATRIX, 150, seed=0, jobs=3, progress=told), (150, 150, "resamples")),
    ],
)
def test_progress_is_reported_in_order_by_the_caller(call, last):
    told = []
    call(lambda *state: told.append(state))
    assert told[-1] == last
    assert told == sorted(told)
