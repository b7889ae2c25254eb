"""gm_map and gm_bpref: averages in which the hard topics count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.judge.ranked import Ranked
from metameter.metric.classic.ap import AP
from metameter.metric.classic.bpref import Bpref
from metameter.metric.classic.relevance import Binary
from metameter.registry import register

_LEAST = 1e-5


def _logarithm(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(np.maximum(scores, _LEAST))


@register("metric", "gm_map")
@dataclass(frozen=True, repr=False)
class GeometricAP(Binary):
    r"""Average precision on a logarithmic scale: a topic that doubles counts the same wherever it starts.

    .. math:: \log \max(AP, 0.00001)

    The summary over topics is the exponential of the mean: the geometric mean of AP.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    robertson2006

    Examples
    --------
    >>> GeometricAP()([1]), round(GeometricAP()([0]), 4)
    (0.0, -11.5129)
    """

    distinguishes = "relevance"
    reference = "robertson2006"
    aliases = {"gmap": "gm_map"}

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The geometric mean over topics: the scores are logarithms."""
        return np.asarray(np.exp(values.mean(axis=-1)))

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return _logarithm(AP(k=self.k, rel=self.rel).values(ranked))

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths, in one pass."""
        return _logarithm(AP(rel=self.rel, judged_only=self.judged_only).curve(ranked, depths))


@register("metric", "gm_bpref")
@dataclass(frozen=True, repr=False)
class GeometricBpref(Binary):
    r"""Binary preference on a logarithmic scale: a topic that doubles counts the same wherever it starts.

    .. math:: \log \max(bpref, 0.00001)

    The summary over topics is the exponential of the mean: the geometric mean of bpref.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    rel : number above 0
        The lowest grade that counts as relevant.

    References
    ----------
    robertson2006

    Examples
    --------
    >>> GeometricBpref()([1, 0])
    0.0
    """

    reference = "robertson2006"

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The geometric mean over topics: the scores are logarithms."""
        return np.asarray(np.exp(values.mean(axis=-1)))

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return _logarithm(Bpref(k=self.k, rel=self.rel).values(ranked))

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths, in one pass."""
        return _logarithm(Bpref(rel=self.rel, judged_only=self.judged_only).curve(ranked, depths))
