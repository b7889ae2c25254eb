"""Whether the fitted metric is better than the canonical one, on labels that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.fit.nested_bootstrap import Refits, most_draws
from metameter.meta.fit.objective import CHANCE
from metameter.stats.checks import Floats
from metameter.stats.intervals.rows import FEWEST_UNITS, row_intervals
from metameter.stats.labels.counted_taus import resampled_taus
from metameter.stats.resampling.replicates import BLOCK

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.parallel import Workers


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The metrics fitted to all but each fold, and the reference, on that fold.

    Attributes
    ----------
    metrics : tuple of str
        What was fitted to all but each fold.
    rows : tuple of int
        How many pages, or pairs, each fold has.
    tau_b, heights : ndarray, (folds, 2)
        Of the fitted metric and of the reference; the height is the concordance of pages, or the agreement of
        preferences.
    difference, low, high, p : float
        The mean over folds of the difference in height, its 95% interval, and p of no difference.
    above_chance : bool or None
        Whether the mean height of the fitted metric is shown to be above that of chance, one half; None where
        nothing was drawn anew.
    """

    metrics: tuple[str, ...]
    rows: tuple[int, ...]
    tau_b: Floats
    heights: Floats
    difference: float
    low: float
    high: float
    p: float
    above_chance: bool | None = None

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` than the reference where that is shown, else ``no-evidence``."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "no-evidence"


def held_out(
    refits: Refits,
    fitted: Sequence[Measure],
    resamples: int,
    seed: int,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> HeldOut:
    """Hold what was fitted to the other folds against the reference, fold by fold.

    The interval is for other users (or rows), who are drawn anew and searched again.
    """
    objective, folds = refits.objective, refits.folds
    codes = objective.codes([*fitted, refits.reference])
    units = sum(fold.units for fold in folds)
    draws = min(resamples, most_draws(len(folds))) if min(fold.units for fold in folds) > 1 else 0
    draws = draws if units >= FEWEST_UNITS else 0
    whole = [(codes[[number, -1]], fold, [fold.by_cell[None]]) for number, fold in enumerate(folds)]
    taus = np.array([resampled_taus(*each, jobs)[0] for each in whole])
    heights = np.array([objective.heights(*each, jobs)[0] for each in whole])
    drawn = refits.heights(draws, seed, jobs, progress) if draws else np.empty((len(folds), 0, 2))
    mean = _mean(heights[:, 0] - heights[:, 1])
    low, high, p = _interval(mean, drawn[..., 0] - drawn[..., 1], units)
    above = _interval(_mean(heights[:, 0]) - CHANCE, drawn[..., 0] - CHANCE, units)[0]
    shown = bool(above > 0) if draws else None
    names, rows = tuple(each.name for each in fitted), tuple(each.total for each in folds)
    return HeldOut(names, rows, taus, heights, mean, low, high, p, shown)


def _mean(values: Floats) -> float:
    """The mean of those that are known.

    Examples
    --------
    >>> _mean(np.array([0.25, np.nan, 0.75])), _mean(np.array([np.nan]))
    (0.5, nan)
    """
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")


def _interval(mean: float, differences: Floats, units: int) -> tuple[float, float, float]:
    """The interval of a mean over folds, from draws of all of them, (folds, draws).

    Where the labels of a fold are all alike, in a draw too, it has no say.
    """
    if not differences.size or np.isnan(mean):
        return np.nan, np.nan, np.nan
    known = np.isfinite(differences)
    some = known.any(axis=0)
    drawn = (np.where(known, differences, 0.0).sum(axis=0)[some] / known.sum(axis=0)[some])[:, None]
    noise = np.zeros((-(-len(drawn) // BLOCK), 1))
    found = row_intervals(np.array([mean]), drawn, noise, np.zeros(1), units=units)
    return float(found.low[0]), float(found.high[0]), float(found.p[0])
