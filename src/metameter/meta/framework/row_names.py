"""The names of metrics and systems that the rows of a table begin with, from their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


def names_at(names: Sequence[str], positions: NDArray[Any]) -> pl.Series:
    """The name at each position.

    Examples
    --------
    >>> names_at(("AP", "RR"), np.array([0, 0, 1])).to_list()
    ['AP', 'AP', 'RR']
    """
    import polars as pl

    return pl.Series(list(names), dtype=pl.String).gather(positions)


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
        "metric": names_at(scores.metrics, np.repeat(np.arange(metrics), len(a))),
        "system_a": names_at(scores.systems, np.tile(a, metrics)),
        "system_b": names_at(scores.systems, np.tile(b, metrics)),
    }
