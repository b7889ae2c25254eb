"""Whether the mean taus of metrics differ on exactly these topics: randomised Tukey HSD over splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from metameter.parallel import Workers
from metameter.stats.tukey import randomised_tukey

if TYPE_CHECKING:
    from metameter.stats.checks import Floats

__all__ = ["tukey_over_splits"]


def tukey_over_splits(
    taus: Floats, groups: Mapping[str, Sequence[int]], trials: int, seed: int, jobs: int | Workers | None
) -> dict[str, Floats]:
    """P-values of the pairs of metrics within each group, with splits for topics and metrics for systems.

    They are (b + 1) / (trials + 1), never 0.

    Groups of one size share the shuffles, and the work of drawing them. Groups of one metric have no pairs and are
    left out.

    Parameters
    ----------
    taus : ndarray, (splits, metrics)
    groups : mapping
        Name of a group -> positions of its metrics.
    trials, seed : int
    jobs : int or Workers, optional

    References
    ----------
    chen2023

    Examples
    --------
    >>> taus = np.random.default_rng(0).random((50, 3)) + [0.0, 0.0, 1.0]
    >>> tukey_over_splits(taus, {"a": [0, 2], "b": [1]}, trials=100, seed=0, jobs=1)
    {'a': array([0.00990099])}
    """
    pvalues: dict[str, Floats] = {}
    for size in {len(members) for members in groups.values()} - {1}:
        names = [name for name, members in groups.items() if len(members) == size]
        stacked = np.stack([taus[:, groups[name]] for name in names])
        result = randomised_tukey(stacked, trials=trials, seed=seed, jobs=jobs)
        pvalues |= dict(zip(names, result.pvalue, strict=True))
    return pvalues
