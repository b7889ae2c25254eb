"""Intervals of the differences between systems, which agree with the test where such intervals exist."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from metameter.parallel import Workers
from metameter.stats.checks import Floats
from metameter.stats.resampling.monte_carlo_error import attainable, quantile_ranks
from metameter.stats.resampling.samples import bootstrap_indices
from metameter.stats.resampling.studentised import Resampled, resampled_pairs
from metameter.stats.tests.pairs import FAMILYWISE, NAMES, Pairs
from metameter.stats.tests.pairwise import critical_t, standard_errors


def pair_widths(
    matrix: Floats,
    test: str,
    tested: Pairs,
    *,
    alpha: float,
    correction: str,
    seed: int,
    places: Any = slice(None),
    jobs: int | Workers | None = 1,
) -> tuple[Floats, Floats]:
    """Half the width of the interval of every difference, and its Monte-Carlo error, metrics x pairs.

    The interval is the difference plus or minus the width. It leaves out 0 exactly when the test calls the pair
    different, for the tests with one error rate for all pairs (simultaneously for all of them), the t test and the
    bootstrap, uncorrected or with the corrections that use one level for all pairs (bonferroni, sidak). The Wilcoxon
    and sign tests are not about means: theirs are t intervals of the mean difference. NaN where no width suffices.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    test : str
    tested : Pairs
        What the test says of the pairs; a correction is for as many.
    alpha : float
    correction : str
    seed : int
    places : index
        Where these pairs stand among all pairs; by default they are all.
    jobs : int or Workers, optional

    Examples
    --------
    >>> from metameter.stats.tests.pair_tests import run_test
    >>> x = np.array([[[2.0, 1.0], [4.0, 1.0], [3.0, 1.0]]])
    >>> pairs = run_test(x, "t", trials=1, alpha=0.05, seed=0)
    >>> width, _ = pair_widths(x, "t", pairs, alpha=0.05, correction="none", seed=0)
    >>> width.round(3)  # 4.303 standard errors of 1 / sqrt(3)
    array([[2.484]])
    """
    if test in FAMILYWISE:
        # Up to the tolerance a difference ties with the one required, and does not differ significantly.
        required, error = (part[:, None] * tested.scale for part in (tested.required, tested.required_error))
        shape = tested.difference.shape
        return np.broadcast_to(required + tested.zero, shape), np.broadcast_to(error, shape)
    level = _per_pair(alpha, correction, tested.difference.shape[1])
    errors = standard_errors(matrix)[:, places]
    if test == "bootstrap":
        trials = tested.trials or 1
        if not attainable(level, trials):
            return np.full_like(errors, np.nan), np.full_like(errors, np.nan)
        needed, above, below = _studentised(matrix, level, trials, seed, jobs)[..., places]
        # Where more than a share alpha of the resamples have no spread, no t suffices.
        needed, above = (np.where(np.isfinite(part), part, np.nan) for part in (needed, above))
        return needed * errors, (above - below) / 2.0 * errors
    return critical_t(level, matrix.shape[1]) * errors, np.full_like(errors, np.nan)


def describe_intervals(test: str, alpha: float, correction: str) -> str:
    """What the intervals of the differences are, in one sentence.

    Examples
    --------
    >>> print(describe_intervals("tukey", 0.05, "none"))
    Intervals of differences hold for all pairs of a table at once (95%): \
the difference plus or minus the difference that the test requires of the pair.
    """
    share = f"{100 * (1 - alpha):g}%"
    if test in FAMILYWISE:
        what = "the difference plus or minus the difference that the test requires of the pair"
        return f"Intervals of differences hold for all pairs of a table at once ({share}): {what}."
    kind = {"t": "t intervals", "bootstrap": "studentised bootstrap intervals"}.get(
        test, f"t intervals of the mean difference, since the {NAMES[test]} is not about means"
    )
    if correction in ("bonferroni", "sidak"):
        return f"Intervals of differences hold for all pairs of a table at once ({share}, {correction}): {kind}."
    apart = "" if correction == "none" else f" (there are none for {correction})"
    return f"Intervals of differences are for each pair alone ({share}){apart}: {kind}."


def says_what_is_required(test: str, correction: str) -> bool:
    """Whether half the width of an interval is the least difference that the test would have called significant.

    Examples
    --------
    >>> says_what_is_required("tukey", "none"), says_what_is_required("sign", "none")
    (True, False)
    """
    return test not in ("wilcoxon", "sign") and correction in ("none", "bonferroni", "sidak")


def _per_pair(alpha: float, correction: str, family: int) -> float:
    if correction == "bonferroni":
        return alpha / family
    return -float(np.expm1(np.log1p(-alpha) / family)) if correction == "sidak" else alpha


def _studentised(matrix: Floats, alpha: float, trials: int, seed: int, jobs: int | Workers | None) -> Floats:
    """The abs(t) that the bootstrap test requires of each pair, and one Monte-Carlo error above and below it.

    It is the ceil(alpha * trials)-th largest one drawn.
    """
    indices = bootstrap_indices(matrix.shape[1], trials, seed)
    return resampled_pairs(matrix, indices, partial(_required_t, ranks=quantile_ranks(alpha, trials)), jobs=jobs)


def _required_t(some: Resampled, *, ranks: tuple[int, int, int]) -> Floats:
    places = [-rank for rank in ranks]
    return np.asarray(np.partition(some.extreme, sorted(set(places)), axis=0)[places])
