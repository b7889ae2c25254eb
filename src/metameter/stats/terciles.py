"""Consistency and power within thirds of the topics: hard, medium, easy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metameter.parallel import Workers
from metameter.stats.monte_carlo import mean_error
from metameter.stats.resampled_metrics import approximate_power
from metameter.stats.split_half import split_half_tau

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["SPLITS", "TERCILES", "Tercile", "terciles"]

TERCILES = ("hard", "medium", "easy")
SPLITS = 100


class Tercile(NamedTuple):
    """A third of the topics: how many they are; and of each metric mean tau, its Monte-Carlo error, and power."""

    topics: int
    mean_tau: Floats
    mean_tau_se: Floats
    power: Floats


def terciles(matrix: Floats, ease: Floats, *, alpha: float, seed: int, jobs: int | Workers | None = 1) -> list[Tercile]:
    """Split-half tau and power of each metric on the hard, the medium and the easy third of the topics.

    Parameters
    ----------
    matrix : ndarray, (metrics, topics, systems)
    ease : ndarray, (topics,)
        The higher, the easier. Of equally easy topics, those that come first in the input count as harder.
    alpha : float
        For power, by the normal approximation of the randomised Tukey HSD.
    seed : int
        Of the splits.
    jobs : int or Workers, optional

    Examples
    --------
    >>> matrix = np.linspace(0, 1, 6) + np.random.default_rng(0).normal(0, [[9.0]] * 6 + [[0.1]] * 6, (1, 12, 6))
    >>> thirds = terciles(matrix, np.arange(12), alpha=0.05, seed=0)
    >>> [(third.topics, float(third.power[0].round(2))) for third in thirds]
    [(4, 0.0), (4, 0.0), (4, 0.2)]
    """
    order = np.argsort(ease, kind="stable")
    thirds = []
    for topics in np.array_split(order, len(TERCILES)):
        some = np.ascontiguousarray(matrix[:, np.sort(topics)])
        taus = np.nan_to_num(split_half_tau(some, trials=SPLITS, seed=seed, jobs=jobs))
        thirds.append(Tercile(len(topics), taus.mean(axis=0), mean_error(taus), approximate_power(some, alpha)))
    return thirds
