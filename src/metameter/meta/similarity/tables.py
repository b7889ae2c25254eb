"""The table of `similarity`: one row per pair of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_groups import short_names
from metameter.meta.framework.metric_names import is_canonical
from metameter.stats.checks import Floats
from metameter.stats.proportional_metrics import first_proportional
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


#: Two metrics rank the systems nearly alike if their correlation is at least this.
SIMILAR = 0.9


def similarity_rows(
    pairs: list[tuple[str, int, int]],
    scores: Scores,
    coefficient: str,
    estimates: Floats,
    bounds: dict[str, Floats],
    interval: str,
) -> pl.DataFrame:
    """The correlation of every pair of metrics, its interval, and whether it is shown to be high."""
    import polars as pl

    frame = pl.DataFrame(
        {
            "group": [group for group, _, _ in pairs],
            "metric_a": [scores.metrics[a] for _, a, _ in pairs],
            "metric_b": [scores.metrics[b] for _, _, b in pairs],
            "coefficient": [coefficient] * len(pairs),
            "statistic": estimates,
            "low": bounds["low"],
            "high": bounds["high"],
            "systems": [len(scores.systems)] * len(pairs),
            "alike": pl.Series(_alike(pairs, scores, estimates, bounds), dtype=pl.Boolean),
            "interval": [interval] * len(pairs),
            "low_se": bounds["low_se"],
            "high_se": bounds["high_se"],
        }
    )
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def are_multiples(pairs: list[tuple[str, int, int]], scores: Scores) -> NDArray[np.bool_]:
    """Which pairs of metrics have scores that are positive multiples of each other."""
    first = first_proportional(scores.matrix)
    return np.array([first[a] == first[b] for _, a, b in pairs], dtype=bool)


def _alike(
    pairs: list[tuple[str, int, int]], scores: Scores, estimates: Floats, bounds: dict[str, Floats]
) -> list[bool | None]:
    """Whether each correlation is shown to be at least `SIMILAR`, or below it; None where neither is shown."""
    if len(scores.systems) < FEWEST_SYSTEMS:
        return [None] * len(pairs)
    multiples = are_multiples(pairs, scores)
    # Fieller's interval of a correlation of 1 has width 0 for any number of systems, so it shows nothing.
    known = np.abs(estimates) < 1.0
    high, low = known & (bounds["low_all"] >= SIMILAR), known & (bounds["high_all"] < SIMILAR)
    defined = multiples & ~np.isnan(estimates)
    return [True if yes else False if no else None for yes, no in zip(defined | high, low, strict=True)]


def marked_names(names: list[str], group: str) -> list[str]:
    """The short names of the metrics of a group; canonical metrics are marked with a star.

    The name of the group, which stands above the matrix, is left out.

    Examples
    --------
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"], "RBP(p=0.8)")
    ['ERG*', 'max']
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max"], "RBP(p=0.8)")
    ['ERG*', '@10 ERG*', '@10 max']
    >>> marked_names(["RBP(p=0.8)*ERG", "AP"], "all")  # a star within a name is not the mark
    ['RBP(p=0.8)*ERG *', 'AP']
    """
    shorter = short_names(names, group)
    if shorter == names and all(name.startswith(group) for name in names):
        without = [name[len(group) :].replace("*", " ").strip() for name in names]
        shorter = without if len(set(without)) == len(names) else names
    marks = [" *" if "*" in short else "*" for short in shorter]
    shown = zip(names, shorter, marks, strict=True)
    return [short + mark * is_canonical(name) for name, short, mark in shown]
