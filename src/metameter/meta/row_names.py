"""What the rows of a table are about: names of metrics and systems, by their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["named", "pair_names"]


def named(names: Sequence[str], places: NDArray[Any]) -> pl.Series:
    """The name at each place.

    Examples
    --------
    >>> named(("AP", "RR"), np.array([0, 0, 1])).to_list()
    ['AP', 'AP', 'RR']
    """
    import polars as pl

    return pl.Series(list(names), dtype=pl.String).gather(places)


def pair_names(scores: Scores, a: NDArray[np.intp], b: NDArray[np.intp]) -> dict[str, pl.Series]:
    """The columns ``metric``, ``system_a``, ``system_b``: the pairs (a, b) of systems, for one metric after the other.

    Examples
    --------
    >>> scores = Scores(("AP", "RR"), ("x", "y"), ("1",), np.zeros((2, 2, 1)))
    >>> [column.to_list() for column in pair_names(scores, np.array([0]), np.array([1])).values()]
    [['AP', 'RR'], ['x', 'x'], ['y', 'y']]
    """
    metrics = len(scores.metrics)
    return {
        "metric": named(scores.metrics, np.repeat(np.arange(metrics), len(a))),
        "system_a": named(scores.systems, np.tile(a, metrics)),
        "system_b": named(scores.systems, np.tile(b, metrics)),
    }
