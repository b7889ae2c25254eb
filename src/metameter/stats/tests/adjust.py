"""Corrections of p-values for testing many pairs. Never apply them to Tukey HSD, which needs none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from metameter.errors import MetameterError, did_you_mean
from metameter.stats.checks import Floats, as_finite


def adjust_pvalues(pvalues: ArrayLike, method: str = "holm") -> Floats:
    """Correct p-values for how many there are, keeping their order; never above 1.

    Parameters
    ----------
    pvalues : array-like, (n,)
    method : {"bonferroni", "holm", "sidak", "hommel", "fdr_bh", "fdr_by"}
        The first four control the chance of any false alarm (Sidak for independent tests, Hommel for positively
        dependent ones), the ``fdr`` ones the share of false alarms.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm")  # 3 * .01, then 2 * .03, then 1 * .04 raised to .06
    array([0.03, 0.06, 0.06])
    """
    if method not in ADJUSTMENTS:
        raise MetameterError("unknown adjustment", given=method, fix=did_you_mean(method, list(ADJUSTMENTS)))
    p = as_finite(pvalues, "p-values")
    if p.ndim != 1 or (p.size and not 0.0 <= p.min() <= p.max() <= 1.0):
        raise MetameterError(
            "these are not p-values", allowed="numbers from 0 to 1", fix="Give one flat list of p-values."
        )
    if not p.size:
        return p.copy()
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(ADJUSTMENTS[method](p[order]), 1.0)
    return adjusted


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _holm(p: Floats) -> Floats:
    return np.asarray(np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def _sidak(p: Floats) -> Floats:
    # -expm1(n log1p(-p)) is 1 - (1-p)**n without losing small p.
    capped = np.minimum(p, np.nextafter(1.0, 0.0))
    return np.where(p == 1.0, 1.0, -np.expm1(len(p) * np.log1p(-capped)))


def _hommel(p: Floats) -> Floats:
    adjusted = p.copy()
    for m in range(len(p), 1, -1):
        least = np.min(m * p[-m:] / np.arange(1, m + 1))
        adjusted[-m:] = np.maximum(adjusted[-m:], least)
        adjusted[:-m] = np.maximum(adjusted[:-m], np.minimum(m * p[:-m], least))
    return adjusted


def _fdr_bh(p: Floats) -> Floats:
    raised = p * len(p) / np.arange(1, len(p) + 1)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1])


def _fdr_by(p: Floats) -> Floats:
    return _fdr_bh(p) * float((1.0 / np.arange(1, len(p) + 1)).sum())


ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {
    "bonferroni": _bonferroni,
    "holm": _holm,
    "sidak": _sidak,
    "hommel": _hommel,
    "fdr_bh": _fdr_bh,
    "fdr_by": _fdr_by,
}
