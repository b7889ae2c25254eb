"""Which metrics order any lists alike: those that are positive multiples of each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from metameter.metric.taxonomy.probing import same

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["groups_of", "multiple_of"]


def multiple_of(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """By what the other's scores must be multiplied to give these; None if no positive number does it.

    Examples
    --------
    >>> multiple_of(np.array([1.0, 2]), np.array([0.5, 1])), multiple_of(np.array([1.0, 2]), np.array([1.0, 3]))
    (2.0, None)
    """
    largest = int(np.argmax(np.abs(other)))
    if not other[largest] or one[largest] / other[largest] <= 0:
        return None
    ratio = float(one[largest] / other[largest])
    return ratio if same(one / np.abs(one).max(), other * ratio / np.abs(one).max()) else None


def groups_of(scores: Mapping[str, NDArray[np.float64]]) -> list[dict[str, str]]:
    """Metrics that are multiples of each other, with why; each group in the order of the metrics.

    Parameters
    ----------
    scores : mapping of name to array
        The scores of each metric on the same lists; no metric is a constant.

    Examples
    --------
    >>> groups_of({"a": np.array([1.0, 2]), "b": np.array([1.0, 3]), "c": np.array([0.5, 1]), "d": np.array([1.0, 3])})
    [{'a': '', 'c': '0.5 x a'}, {'b': '', 'd': 'the same scores as b'}]
    """
    groups: list[dict[str, str]] = []
    for name, values in scores.items():
        # To be a multiple is transitive: the first of each group speaks for all of it.
        for group in groups:
            first = next(iter(group))
            ratio = multiple_of(values, scores[first])
            if ratio is not None:
                group[name] = f"the same scores as {first}" if same(np.array(ratio), 1.0) else f"{ratio:.6g} x {first}"
                break
        else:
            groups.append({name: ""})
    return [group for group in groups if len(group) > 1]
