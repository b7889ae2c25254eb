"""What people say of pages that a metric scores alike: the mean label in bins of the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats
    from metameter.stats.label_counts import LabelCounts

__all__ = ["bins_of", "calibration"]

_BINS = 10


def bins_of(codes: NDArray[np.int64], counts: NDArray[np.int64], bins: int = _BINS) -> NDArray[np.int64]:
    """Divide items, each of which occurs so often, into bins of about equal size by their codes; ties stay together.

    Examples
    --------
    >>> bins_of(np.array([0, 1, 1, 2]), np.array([5, 1, 1, 5]), 2)
    array([0, 0, 0, 1])
    """
    sizes = np.bincount(codes, weights=counts)
    middle = np.cumsum(sizes) - sizes / 2
    own = np.minimum((middle * bins / sizes.sum() - 1e-9).astype(np.int64), bins - 1)
    return np.asarray(np.unique(own, return_inverse=True)[1].reshape(-1)[codes])


def calibration(scores: Floats, codes: NDArray[np.int64], counts: LabelCounts, levels: Floats) -> dict[str, Any]:
    """Per bin of the score: its mean score, the mean label with a 95% interval for other users (or rows), how many.

    Examples
    --------
    >>> from metameter.stats.label_counts import LabelCounts
    >>> counts = LabelCounts(np.array([0, 1]), np.array([0, 1]), np.array([3, 3]))
    >>> calibration(np.array([0.1, 0.9]), np.array([0, 1]), counts, np.array([1.0, 4.0]))["label"]
    [1.0, 4.0]
    """
    from scipy.special import stdtrit

    occurs = np.bincount(counts.item, weights=counts.count, minlength=len(codes)).astype(np.int64)
    own = bins_of(codes, occurs)[counts.item]
    size = np.bincount(own, weights=counts.count)
    label = levels[counts.level]
    mean = np.bincount(own, weights=counts.count * label) / size
    half = np.sqrt(_squares(own, counts, label - mean[own])) / size * stdtrit(max(counts.units - 1, 1), 0.975)
    return {
        "bin": list(range(1, len(size) + 1)),
        "score": (np.bincount(own, weights=counts.count * scores[counts.item]) / size).tolist(),
        "label": mean.tolist(),
        "low": (mean - half).tolist(),
        "high": (mean + half).tolist(),
        "rows": size.astype(np.int64).tolist(),
    }


def _squares(own: NDArray[np.int64], counts: LabelCounts, left: Floats) -> Floats:
    """Per bin, the sum of squares of what each user's (or row's) labels have beyond the mean."""
    bins, units = int(own.max()) + 1, counts.units
    if counts.user is None:
        sums = np.bincount(own, weights=counts.count * left**2, minlength=bins)
    else:
        by_user = np.bincount(own * units + counts.user, weights=counts.count * left, minlength=bins * units)
        sums = (by_user.reshape(bins, units) ** 2).sum(axis=1)
    return np.asarray(sums * units / max(units - 1, 1))
