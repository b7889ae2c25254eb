"""Whether the fitted metric is better than the canonical one, on labels that it was not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.meta.fit.goal import CHANCE, Goal
from metameter.stats.counted_taus import resampled_taus
from metameter.stats.label_counts import LabelCounts, label_resamples
from metameter.stats.replicates import BLOCK
from metameter.stats.row_intervals import FEWEST_UNITS, row_intervals

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.parallel import Workers
    from metameter.stats.checks import Floats

__all__ = ["HeldOut", "held_out"]


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
    goal: Goal,
    folds: Sequence[LabelCounts],
    fitted: Sequence[Measure],
    reference: Measure,
    resamples: int,
    seed: int,
    jobs: int | Workers | None = None,
) -> HeldOut:
    """Hold what was fitted to the other folds against the reference, fold by fold.

    The interval is for other users (or rows), given what was fitted: within each fold they are drawn anew.
    """
    codes = goal.codes([*fitted, reference])
    units = sum(fold.units for fold in folds)
    drawn = resamples if min(fold.units for fold in folds) > 1 and units >= FEWEST_UNITS else 0
    taus, shares, several = [], [], []
    for number, fold in enumerate(folds):
        two = codes[[number, -1]]
        whole = [fold.by_cell[None]]
        taus.append(resampled_taus(two, fold, whole, jobs)[0])
        shares.append(goal.heights(two, fold, whole, jobs)[0])
        if drawn:
            # Folds are drawn apart: one seed for all would draw the same users of each.
            resampled = label_resamples(fold, drawn, seed ^ number)
            several.append(goal.heights(two, fold, resampled, jobs))
    heights = np.array(shares)
    gains = [both[:, 0] - both[:, 1] for both in several]
    mean = _mean(heights[:, 0] - heights[:, 1])
    low, high, p = _interval(mean, gains, units)
    above = _interval(_mean(heights[:, 0]) - CHANCE, [both[:, 0] - CHANCE for both in several], units)[0]
    shown = bool(above > 0) if drawn else None
    names, rows = tuple(each.name for each in fitted), tuple(each.total for each in folds)
    return HeldOut(names, rows, np.array(taus), heights, mean, low, high, p, shown)


def _mean(values: Floats) -> float:
    """The mean of those that are known.

    Examples
    --------
    >>> _mean(np.array([0.25, np.nan, 0.75])), _mean(np.array([np.nan]))
    (0.5, nan)
    """
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")


def _interval(mean: float, differences: Sequence[Floats], units: int) -> tuple[float, float, float]:
    """The interval of a mean over folds; where the labels of a fold are all alike, in a draw too, it has no say."""
    if not differences or np.isnan(mean):
        return np.nan, np.nan, np.nan
    table = np.stack(differences)
    known = np.isfinite(table)
    some = known.any(axis=0)
    drawn = (np.where(known, table, 0.0).sum(axis=0)[some] / known.sum(axis=0)[some])[:, None]
    noise = np.zeros((-(-len(drawn) // BLOCK), 1))
    found = row_intervals(np.array([mean]), drawn, noise, np.zeros(1), units=units)
    return float(found.low[0]), float(found.high[0]), float(found.p[0])
