"""Rank-biased overlap: the top-weighted similarity of two ranked lists."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from metameter.errors import MetameterError
from metameter.stats.checks import Floats, check_level


@dataclass(frozen=True)
class RankBiasedOverlap:
    """Rank-biased overlap of two ranked lists, in [0, 1].

    Attributes
    ----------
    extrapolated : float
        RBO_EXT, the point estimate: the agreement at the last rank is extrapolated.
    minimum : float
        RBO_MIN: no item beyond the lists agrees.
    residual : float
        RBO_RES: what items beyond the lists could add; ``minimum + residual`` is the maximum.
    """

    extrapolated: float
    minimum: float
    residual: float

    @property
    def statistic(self) -> float:
        """The point estimate, RBO_EXT."""
        return self.extrapolated


def rank_biased_overlap(first: Sequence[Hashable], second: Sequence[Hashable], p: float = 0.9) -> RankBiasedOverlap:
    r"""Return the rank-biased overlap of two lists, for a reader who continues to the next rank with probability p.

    .. math:: RBO = (1-p) \sum_d p^{d-1} A_d, \quad A_d = |S_{:d} \cap T_{:d}| / d

    Parameters
    ----------
    first, second : sequences without repeated items
        Ranked lists, best first; the lengths may differ.
    p : float in (0, 1)
        Persistence: the expected depth is 1/(1-p).

    References
    ----------
    webber2010

    Examples
    --------
    >>> overlap = rank_biased_overlap("abcde", "bxacy", p=0.9)
    >>> print(f"{overlap.extrapolated:.6f} {overlap.minimum:.7f} {overlap.residual:.7f}")
    0.547335 0.3505284 0.4231611
    """
    check_level(p, "p")
    short, long = sorted((list(first), list(second)), key=len)
    if len(set(short)) < len(short) or len(set(long)) < len(long):
        raise MetameterError("a ranked list repeats an item", fix="List every item once.")
    if not short:
        return RankBiasedOverlap(0.0, 0.0, 0.0) if long else RankBiasedOverlap(1.0, 1.0, 0.0)
    common = _overlaps(short, long)
    return RankBiasedOverlap(_extrapolate(common, len(short), p), _minimum(common, p), _residual(common, len(short), p))


def _overlaps(short: list[Hashable], long: list[Hashable]) -> Floats:
    # X_d for d = 1..len(long): an item counts from the depth at which both lists contain it.
    rank = {item: depth for depth, item in enumerate(short, 1)}
    depths = [max(rank[item], depth) for depth, item in enumerate(long, 1) if item in rank]
    return np.cumsum(np.bincount(depths, minlength=len(long) + 1)[1:]).astype(np.float64)


def _weights(p: float, depths: Floats) -> Floats:
    return np.asarray((1.0 - p) / p * p**depths / depths)


def _extrapolate(common: Floats, s: int, p: float) -> float:
    depths = np.arange(1.0, len(common) + 1)
    at_short, at_long = common[s - 1], common[-1]
    seen = common + at_short * np.maximum(depths - s, 0.0) / s
    end = (at_long - at_short) / len(common) + at_short / s
    return float((_weights(p, depths) * seen).sum() + end * p ** len(common))


def _minimum(common: Floats, p: float) -> float:
    depths = np.arange(1.0, len(common) + 1)
    return float((_weights(p, depths) * (common - common[-1])).sum() - (1.0 - p) / p * common[-1] * np.log1p(-p))


def _residual(common: Floats, s: int, p: float) -> float:
    end, agreed = len(common), common[-1]
    full = int(end + s - agreed)  # the depth from which the lists may agree completely
    weights = _weights(p, np.arange(1.0, full + 1))
    beyond = -(1.0 - p) / p * np.log1p(-p) - weights.sum()
    return float(p**s + p**end - p**full - s * weights[s:].sum() - end * weights[end:].sum() - agreed * beyond)
