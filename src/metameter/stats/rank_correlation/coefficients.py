"""Rank correlations of many pairs of metrics by one of four coefficients: tau_b, tau_AP, rho, rank-biased overlap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.stats.checks import Floats
from metameter.stats.rank_correlation.kendall import tau_b_of_codes
from metameter.stats.rank_correlation.rank_biased_overlap import rank_biased_overlap
from metameter.stats.rank_correlation.spearman import spearman
from metameter.stats.rank_correlation.tau_ap import tau_ap_symmetric
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    Codes = NDArray[np.int64]


PERSISTENCE = 0.9


def correlate(codes: Codes, first: NDArray[np.intp], second: NDArray[np.intp], coefficient: str) -> Floats:
    """Return the correlations of pairs of metrics from the codes of the systems' means, (..., metrics, systems).

    Codes are those of `tied_codes`. NaN where a metric gives every system the same mean.

    Examples
    --------
    >>> codes = np.array([[0, 1, 2], [2, 1, 0], [0, 0, 0]])
    >>> correlate(codes, np.array([0, 0]), np.array([1, 2]), "tau_b")
    array([-1., nan])
    """
    systems = codes.shape[-1]
    x, y = (np.ascontiguousarray(codes[..., side, :]).reshape(-1, systems) for side in (first, second))
    values = COEFFICIENTS[coefficient](x, y)
    ordered = (x.max(axis=-1) > 0) & (y.max(axis=-1) > 0)
    return np.asarray(np.where(ordered, values, np.nan)).reshape(*codes.shape[:-2], len(first))


def coefficients_of_means(
    first: NDArray[np.intp], second: NDArray[np.intp], coefficient: str
) -> Callable[[Floats], Floats]:
    """Return `correlate` as a picklable function of the systems' means (..., metrics, systems).

    Examples
    --------
    >>> statistic = coefficients_of_means(np.array([0]), np.array([1]), "tau_b")
    >>> statistic(np.array([[0.1, 0.3, 0.2], [0.5, 0.6, 0.7]])).round(4)
    array([0.3333])
    """
    return partial(_of_means, first=first, second=second, coefficient=coefficient)


def _of_means(means: Floats, *, first: NDArray[np.intp], second: NDArray[np.intp], coefficient: str) -> Floats:
    return correlate(tied_codes(means), first, second, coefficient)


def _tau_ap(x: Codes, y: Codes) -> Floats:
    return np.array([tau_ap_symmetric(a, b) for a, b in zip(x, y, strict=True)])


def _rho(x: Codes, y: Codes) -> Floats:
    return np.array([1.0 if (a == b).all() else spearman(a, b) for a, b in zip(x, y, strict=True)])


def _rbo(x: Codes, y: Codes) -> Floats:
    down = [np.argsort(-side, axis=-1, kind="stable").tolist() for side in (x, y)]
    both = zip(*down, strict=True)
    return np.array([1.0 if a == b else rank_biased_overlap(a, b, PERSISTENCE).statistic for a, b in both])


COEFFICIENTS: dict[str, Callable[[Codes, Codes], Floats]] = {
    "tau_b": tau_b_of_codes,
    "tau_ap": _tau_ap,
    "rho": _rho,
    "rbo": _rbo,
}
