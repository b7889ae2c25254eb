"""Search a grid of parameter values for the best agreement with labels, refined around the best of each sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.fit.free_parameters import Axis, FreeModel, axis_of
from metameter.scoring.pages import item_scores
from metameter.stats.checks import Floats
from metameter.stats.labels.counted_taus import resampled_agreements, resampled_taus
from metameter.stats.labels.likelihood import highest_points
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.parallel import Progress, Workers
    from metameter.stats.labels.counts import LabelCounts
    from metameter.types.labelled_pages import Labelled


#: For labelled pages: the share of the pairs of pages with different labels that the scores order as the labels.
CONCORDANCE = "concordance"
#: For preferences: the share of them whose sign is that of the difference of scores.
AGREEMENT = "agreement"
#: Either of them for scores unrelated to the labels: equal scores count half in both.
CHANCE = 0.5

#: Grids are refined until an interval is this many steps wide.
_STEPS = 20
#: The most grids, and the most values of a parameter by the number of free parameters.
_MOST_GRIDS, _MOST_VALUES = 4, {1: 201, 2: 51, 3: 15}
#: The number of grids without resamples, and so without intervals.
_GRIDS_ALONE = 2
_INTERVAL = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Objective:
    """Concordance with the labels of pages, or agreement with preferences between two pages.

    Concordance of preferences would compare one pair with another: whether b is better than a by more than d is better
    than c. No user judged that, and it would depend on which page of a pair is called a.
    """

    labelled: Labelled
    max_grade: float

    @property
    def name(self) -> str:
        """The name of the objective in tables and sentences."""
        return objective_of(self.labelled.label)

    def codes(self, measures: Sequence[Measure]) -> NDArray[np.int64]:
        """The scores of all items by each metric as ranks, ties shared; the rank of a score of 0 is last."""
        scores = item_scores(self.labelled, measures, self.max_grade)
        return tied_codes(np.concatenate([scores, np.zeros((len(scores), 1))], axis=1))

    def heights(
        self,
        codes: NDArray[np.int64],
        counts: LabelCounts,
        resamples: Iterable[NDArray[Any]],
        jobs: int | Workers | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """The objective of each metric in every sample of these counts, (samples, metrics); NaN where undefined."""
        if self.name == CONCORDANCE:
            return resampled_taus(codes, counts, resamples, jobs, progress, "concordance")
        signs = np.sign(codes[:, :-1] - codes[:, -1:])
        preferred = np.sign(self.labelled.levels).astype(np.int64)
        return resampled_agreements(signs, preferred, counts, resamples, jobs, progress)


def objective_of(label: str) -> str:
    """The objective for labels of this kind.

    Examples
    --------
    >>> objective_of("satisfaction"), objective_of("preference")
    ('concordance', 'agreement')
    """
    return AGREEMENT if label == "preference" else CONCORDANCE


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples that are searched: all rows, all rows but those of each fold, and resamples.

    Attributes
    ----------
    counts : LabelCounts
    fixed : ndarray, (1 + folds, cells)
        The count of each cell: in all rows, then in all but each fold.
    resamples : Replicates or None
    """

    counts: LabelCounts
    fixed: NDArray[Any]
    resamples: Any = None


@dataclass(frozen=True, eq=False)
class Grid:
    """One grid: its points, and the best of them for each sample.

    Attributes
    ----------
    points : ndarray, (points, parameters)
    heights, tau_b : ndarray, (points,)
        The best points on all rows; the height is the concordance of pages, or the agreement of preferences.
    best, lowest, furthest : ndarray, (samples, parameters)
        The best point of each sample (all rows, all but each fold, resamples), and the lowest and highest values of
        points that are as good.
    """

    points: Floats
    heights: Floats
    tau_b: Floats
    best: Floats
    lowest: Floats
    furthest: Floats


@dataclass(frozen=True, eq=False)
class GridSearch:
    """All grids, from the coarsest to the finest, the axes of the last one, and the number of fixed samples."""

    grids: tuple[Grid, ...]
    axes: tuple[Axis, ...]
    fixed: int

    @property
    def estimate(self) -> Floats:
        """The best values on all rows."""
        return np.asarray(self.grids[-1].best[0])

    @property
    def by_fold(self) -> Floats:
        """The best values on all but each fold, (folds, parameters)."""
        return np.asarray(self.grids[-1].best[1 : self.fixed])

    @property
    def resamples(self) -> int:
        """The number of resamples."""
        return len(self.grids[-1].best) - self.fixed

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of the 95% intervals, (parameters,) each: percentiles of the best values of resamples.

        If a whole range is as good in a resample, its outer end counts.
        """
        return _interval(self.grids[-1], self.fixed)


def search(
    objective: Objective,
    model: FreeModel,
    samples: Samples,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> GridSearch:
    """Search all samples at once: every grid is scored once, and covers the best of every sample."""
    longest, free = objective.labelled.lists[0].grades.shape[1], len(model.free)
    axes = [axis_of(parameter.bounds, max(longest, 1), free) for parameter in model.free]
    values, grids = [axis.values() for axis in axes], list[Grid]()
    while True:
        grid = _grid(objective, model, samples, values, jobs, progress)
        grids.append(grid)
        finer = [_finer(axis, grid, n, samples, len(grids)) for n, axis in enumerate(axes)]
        if finer == axes:
            return GridSearch(tuple(grids), tuple(axes), len(samples.fixed))
        values = [_values(old, new, grid, n) for n, (old, new) in enumerate(zip(axes, finer, strict=True))]
        axes = finer


def _grid(
    objective: Objective,
    model: FreeModel,
    samples: Samples,
    values: Sequence[Floats],
    jobs: int | Workers | None,
    progress: Callable[..., None] | None,
) -> Grid:
    points = np.array(list(product(*values)))
    codes = objective.codes([model.metric(values) for values in points])
    heights = [objective.heights(codes, samples.counts, [samples.fixed], jobs)]
    if samples.resamples is not None:
        heights.append(objective.heights(codes, samples.counts, samples.resamples, jobs, progress))
    steps = np.stack([np.searchsorted(own, points[:, n]) for n, own in enumerate(values)], axis=1).astype(np.float64)
    middle, lowest, furthest = highest_points(np.concatenate(heights), steps)
    ends = [
        np.stack([own[end[:, n].astype(np.int64)] for n, own in enumerate(values)], axis=1)
        for end in (lowest, furthest)
    ]
    taus = resampled_taus(codes, samples.counts, [samples.fixed[:1]], jobs)[0]
    return Grid(points, heights[0][0], taus, points[middle], *ends)


def _finer(axis: Axis, grid: Grid, n: int, samples: Samples, grids: int) -> Axis:
    """The next axis: the same one where it is fine enough, or would have too many values."""
    finer = axis.finer()
    if finer == axis or len(_values(axis, finer, grid, n)) > _MOST_VALUES[grid.points.shape[1]]:
        return axis
    if samples.resamples is None:
        return axis if grids > _GRIDS_ALONE else finer
    low, high = (float(each[n]) for each in _interval(grid, len(samples.fixed)))
    return axis if len(axis.values(low, high)) > _STEPS or grids >= _MOST_GRIDS else finer


def _interval(grid: Grid, fixed: int) -> tuple[Floats, Floats]:
    below, above = _INTERVAL
    # Ends are values of the grid, as estimates are, so that they print as short.
    low = np.quantile(grid.lowest[fixed:], below, axis=0, method="lower")
    return low, np.quantile(grid.furthest[fixed:], above, axis=0, method="higher")


def _values(old: Axis, new: Axis, grid: Grid, n: int) -> Floats:
    """The values of the new axis from one old step below the lowest of the best to one above the highest."""
    around = old.around(float(grid.lowest[:, n].min()), float(grid.furthest[:, n].max()))
    return new.values(float(around[0]), float(around[-1]))


def parameter_rows(model: FreeModel, grid_search: GridSearch) -> pl.DataFrame:
    """The table ``fit``: one row per parameter."""
    import polars as pl

    ends: Any = grid_search.interval if grid_search.resamples else [[None] * len(model.free)] * 2
    rows = []
    for n, (name, parameter, axis) in enumerate(zip(model.names, model.free, grid_search.axes, strict=True)):
        estimate = float(grid_search.estimate[n])
        rows.append(
            {
                "parameter": name,
                "estimate": estimate,
                "low": ends[0][n],
                "high": ends[1][n],
                "canonical_value": parameter.canonical,
                "at_bound": "low" if estimate == axis.low else "high" if estimate == axis.high else None,
                "searched_low": axis.low,
                "searched_high": axis.high,
            }
        )
    numbers = dict.fromkeys(("estimate", "low", "high", "canonical_value", "searched_low", "searched_high"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides={**numbers, "at_bound": pl.String})


def curve_rows(model: FreeModel, grid_search: GridSearch, objective: str) -> pl.DataFrame:
    """The table ``fit_curve``: the best objective for each value of a parameter, over all values of the others."""
    import polars as pl

    points = np.concatenate([grid.points for grid in grid_search.grids])
    heights = np.concatenate([grid.heights for grid in grid_search.grids])
    taus = np.concatenate([grid.tau_b for grid in grid_search.grids])
    parts = []
    for n, name in enumerate(model.names):
        # The best of the points with each value.
        order = np.lexsort((-heights, points[:, n]))
        first = np.unique(points[order, n], return_index=True)[1]
        highest = order[first]
        columns = {"value": points[highest, n], objective: heights[highest], "tau_b": taus[highest]}
        parts.append(pl.DataFrame({"parameter": [name] * len(highest), **columns}))
    return pl.concat(parts).with_columns(pl.selectors.float().fill_nan(None))
