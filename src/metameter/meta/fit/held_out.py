"""Compare the fitted metric with the reference on held-out folds; intervals repeat the search on resampled folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.fit.free_parameters import FreeModel
from metameter.meta.fit.search import CHANCE, GridSearch, Objective
from metameter.metric.base import Measure
from metameter.stats.checks import Floats
from metameter.stats.intervals.rows import FEWEST_UNITS, row_intervals
from metameter.stats.labels.counted_taus import resampled_taus
from metameter.stats.labels.counts import LabelCounts, label_resamples
from metameter.stats.labels.likelihood import highest_points
from metameter.stats.resampling.replicates import BLOCK

if TYPE_CHECKING:
    import polars as pl

    from metameter.parallel import Workers


#: Every draw takes one search per fold; draws are limited to about this many searches, but not below one block.
_SEARCHES = 20 * BLOCK
#: The most counts in memory at a time.
_CHUNK = 1 << 22


def most_draws(folds: int) -> int:
    """The most draws of this many folds, in whole blocks.

    Examples
    --------
    >>> [most_draws(folds) for folds in (2, 5, 10, 100)]
    [640, 256, 128, 64]
    """
    return max(_SEARCHES // (folds * BLOCK), 1) * BLOCK


@dataclass(frozen=True, eq=False)
class NestedBootstrap:
    """Bootstrap that repeats the search in every draw.

    Each draw resamples every fold. Then, for each fold, it repeats the search on the other resampled folds, and
    evaluates the resulting metric and the reference on this fold.

    The metric that is tested on a fold was fitted to the other folds: so folds depend on each other, though no user is
    in two of them. The dependence is strong where the search varies with the sample, weak where labels are clear. The
    search is therefore repeated in every draw.

    Attributes
    ----------
    objective : Objective
    counts : LabelCounts
        Of all labels.
    folds : sequence of LabelCounts
    model : FreeModel
    search : GridSearch
        Each draw searches only its first grid, which covers the whole range.
    reference : Measure
    """

    objective: Objective
    counts: LabelCounts
    folds: Sequence[LabelCounts]
    model: FreeModel
    search: GridSearch
    reference: Measure

    def heights(
        self,
        draws: int,
        seed: int,
        jobs: int | Workers | None = None,
        progress: Callable[..., None] | None = None,
    ) -> Floats:
        """The objective of the metric fitted to the other folds of a draw, and of the reference, (folds, draws, 2)."""
        points = self.search.grids[0].points
        codes = self.objective.codes([*(self.model.metric(values) for values in points), self.reference])
        steps = np.stack([np.unique(own, return_inverse=True)[1].reshape(-1) for own in points.T], axis=1)
        # Each fold has a stream of its own: one stream for all would draw the same users of each.
        resamples = [label_resamples(fold, draws, seed, (number,)) for number, fold in enumerate(self.folds)]
        cells = [self._cells(fold) for fold in self.folds]
        # As many blocks at a time as memory should hold: to prepare a metric takes longer than one block.
        together = max(_CHUNK // (BLOCK * len(self.counts.cells)), 1)
        parts = []
        for start in range(0, len(resamples[0]), together):
            numbers = range(start, min(start + together, len(resamples[0])))
            blocks = [np.concatenate([each.block(number) for number in numbers]) for each in resamples]
            parts.append(self._heights_of_draws(codes, steps.astype(np.float64), cells, blocks, jobs))
            if progress is not None:
                progress(numbers[-1] + 1, len(resamples[0]), "draws of folds")
        return np.concatenate(parts, axis=1)

    def _heights_of_draws(
        self,
        codes: NDArray[np.int64],
        steps: Floats,
        cells: Sequence[NDArray[np.int64]],
        blocks: Sequence[NDArray[np.int64]],
        jobs: int | Workers | None,
    ) -> Floats:
        """The result of `heights` for some draws; each of ``blocks`` is (draws, cells of the fold)."""
        whole = np.zeros((len(blocks[0]), len(self.counts.cells)), dtype=np.int64)
        for own, block in zip(cells, blocks, strict=True):
            whole[:, own] += block
        by_fold = []
        for fold, own, block in zip(self.folds, cells, blocks, strict=True):
            others = whole.copy()
            others[:, own] -= block
            best = highest_points(self.objective.heights(codes[:-1], self.counts, [others], jobs), steps).middle
            heights = self.objective.heights(codes, fold, [block], jobs)
            by_fold.append(np.stack([heights[np.arange(len(heights)), best], heights[:, -1]], axis=1))
        return np.stack(by_fold)

    def _cells(self, fold: LabelCounts) -> NDArray[np.int64]:
        """The positions of a fold's cells among all cells."""
        every, own = (each.cells[:, 0] * self.counts.levels + each.cells[:, 1] for each in (self.counts, fold))
        return np.searchsorted(every, own)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The metrics fitted to all but each fold, and the reference, on that fold.

    Attributes
    ----------
    metrics : tuple of str
        The metric fitted to all but each fold.
    rows : tuple of int
        The number of pages, or pairs, of each fold.
    tau_b, heights : ndarray, (folds, 2)
        Of the fitted metric and of the reference; the height is the concordance of pages, or the agreement of
        preferences.
    difference, low, high, p : float
        The mean over folds of the difference in height, its 95% interval, and p of no difference.
    above_chance : bool or None
        Whether the mean height of the fitted metric is significantly above chance, one half; None without resamples.
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
        """``better`` or ``worse`` if the interval of the difference excludes zero, else ``no-evidence``."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "no-evidence"


def held_out(
    bootstrap: NestedBootstrap,
    fitted: Sequence[Measure],
    resamples: int,
    seed: int,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> HeldOut:
    """Compare the metric fitted to the other folds with the reference, fold by fold.

    The interval is for other users (or rows): they are resampled, and the search is repeated.
    """
    objective, folds = bootstrap.objective, bootstrap.folds
    codes = objective.codes([*fitted, bootstrap.reference])
    units = sum(fold.units for fold in folds)
    draws = min(resamples, most_draws(len(folds))) if min(fold.units for fold in folds) > 1 else 0
    draws = draws if units >= FEWEST_UNITS else 0
    whole = [(codes[[number, -1]], fold, [fold.by_cell[None]]) for number, fold in enumerate(folds)]
    taus = np.array([resampled_taus(*each, jobs)[0] for each in whole])
    heights = np.array([objective.heights(*each, jobs)[0] for each in whole])
    resampled = bootstrap.heights(draws, seed, jobs, progress) if draws else np.empty((len(folds), 0, 2))
    mean = _mean(heights[:, 0] - heights[:, 1])
    low, high, p = _interval(mean, resampled[..., 0] - resampled[..., 1], units)
    least = _interval(_mean(heights[:, 0]) - CHANCE, resampled[..., 0] - CHANCE, units)[0]
    above_chance = bool(least > 0) if draws else None
    names, rows = tuple(each.name for each in fitted), tuple(each.total for each in folds)
    return HeldOut(names, rows, taus, heights, mean, low, high, p, above_chance)


def _mean(values: Floats) -> float:
    """The mean of the values that are not NaN.

    Examples
    --------
    >>> _mean(np.array([0.25, np.nan, 0.75])), _mean(np.array([np.nan]))
    (0.5, nan)
    """
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")


def _interval(mean: float, differences: Floats, units: int) -> tuple[float, float, float]:
    """The interval of a mean over folds, from draws of all of them, (folds, draws).

    A fold whose labels are all equal, also in a draw, is left out.
    """
    if not differences.size or np.isnan(mean):
        return np.nan, np.nan, np.nan
    known = np.isfinite(differences)
    some = known.any(axis=0)
    means = (np.where(known, differences, 0.0).sum(axis=0)[some] / known.sum(axis=0)[some])[:, None]
    noise = np.zeros((-(-len(means) // BLOCK), 1))
    intervals = row_intervals(np.array([mean]), means, noise, np.zeros(1), units=units)
    return float(intervals.low[0]), float(intervals.high[0]), float(intervals.p[0])


def fold_rows(test: HeldOut, fitted: Measure, objective: str) -> pl.DataFrame:
    """The table ``fit_folds``: one row per fold and one of their means; ``objective`` is the name of the objective."""
    import polars as pl

    taus, shares = test.tau_b, test.heights
    every = np.concatenate([taus, shares], axis=1)
    known = np.isfinite(every)
    sums, sizes = np.where(known, every, 0.0).sum(axis=0), known.sum(axis=0)
    mean = np.divide(sums, sizes, out=np.full(every.shape[1], np.nan), where=sizes > 0)
    several = np.vstack([every, mean])
    folds = len(test.metrics)
    empty = [None] * folds
    columns: dict[str, Any] = {
        "fold": [*(str(n + 1) for n in range(folds)), "All"],
        "rows": [*test.rows, sum(test.rows)],
        "metric": [*test.metrics, fitted.name],
        "tau_b": several[:, 0],
        "canonical_tau_b": several[:, 1],
        objective: several[:, 2],
        f"canonical_{objective}": several[:, 3],
        "difference": [*(shares[:, 0] - shares[:, 1]), test.difference],
        "low": [*empty, test.low],
        "high": [*empty, test.high],
        "p": [*empty, test.p],
        "verdict": [*empty, test.verdict],
    }
    numbers = dict.fromkeys(("low", "high", "p"), pl.Float64)
    return pl.DataFrame(columns, schema_overrides=numbers).with_columns(pl.selectors.float().fill_nan(None))
