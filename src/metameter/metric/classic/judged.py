"""Judged and Unjudged: the share of a list that has been judged, or has not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import BEYOND, JUDGED, Ranked
from metameter.metric.classic.base import Summed
from metameter.parameters import depth
from metameter.registry import register


@register("metric")
@dataclass(frozen=True, repr=False)
class Judged(Summed):
    r"""The share of the first k documents that has been judged, which shows whether the list can be evaluated.

    .. math:: \frac{|\{ i \le k : judged \}|}{\min(k, n)}

    Documents with a grade below 0 are in the pool but not judged.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.

    References
    ----------
    macavaney2022

    Examples
    --------
    >>> Judged(k=10)([1, None, 0, 0])
    0.75
    """

    linear = True
    counts_judgments = True
    diagnostic = True
    reference = "macavaney2022"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each judged document counts 1."""
        return (ranked.status == JUDGED).astype(np.float64), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The length of the list."""
        return ranked.cut(self.k).length

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return np.minimum(ranked.length[:, None], depths)


@register("metric")
@dataclass(frozen=True, repr=False)
class Unjudged(Summed):
    r"""The share of the first k documents that has not been judged (trec_eval's unj): a warning sign if it is high.

    .. math:: \frac{|\{ i \le k : not \; judged \}|}{k}

    Parameters
    ----------
    k : int
        The depth; a shorter list counts as padded with judged documents.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> Unjudged(k=5)([1, None, 0, 0])
    0.2
    """

    k: int | None = depth(required=True)
    linear = True
    counts_judgments = True
    diagnostic = True
    reference = "trec_eval"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """Each document without judgment counts 1."""
        return ((ranked.status != JUDGED) & (ranked.status != BEYOND)).astype(np.float64), 1.0

    def divisor(self, ranked: Ranked) -> Any:
        """The depth."""
        return self.k

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return depths
