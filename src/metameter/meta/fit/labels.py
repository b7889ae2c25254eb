"""Fit a metric to labels: search the parameters, test them on held-out folds, and calibrate scores against labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.fit.free_parameters import FreeModel
from metameter.meta.fit.held_out import HeldOut, NestedBootstrap, fold_rows, held_out
from metameter.meta.fit.search import GridSearch, Objective, Samples, curve_rows, parameter_rows, search
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.metric.base import Measure
from metameter.read.labels.counts import check_labels
from metameter.scoring.pages import item_scores, require_pages
from metameter.stats.checks import Floats
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.labels.counts import LabelCounts, counts_by_cell, label_folds, label_resamples
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    import polars as pl

    from metameter.parallel import Workers
    from metameter.types.labelled_pages import Labelled


#: Bins of the calibration.
_BINS = 10


@dataclass(frozen=True)
class FitSettings:
    """The options that all models share."""

    max_grade: float
    folds: int = 5
    resamples: int = 1000
    seed: int = 0
    jobs: int | Workers | None = None
    progress: Callable[..., None] | None = None


@dataclass(frozen=True, eq=False)
class LabelFit:
    """A metric that was fitted to labels.

    Attributes
    ----------
    model : FreeModel
    metric : Measure
        The fitted metric.
    reference : Measure or None
        The metric that it is compared with.
    counts : LabelCounts
        The labels.
    search : GridSearch
    test : HeldOut or None
        None without a reference.
    tables : dict of polars.DataFrame
    """

    model: FreeModel
    metric: Measure
    reference: Measure | None
    counts: LabelCounts
    search: GridSearch
    test: HeldOut | None
    tables: dict[str, pl.DataFrame]

    @property
    def flat(self) -> list[str]:
        """The parameters that make no difference on these pages."""
        grid = self.search.grids[0]
        heights = grid.heights
        names = []
        for n, name in enumerate(self.model.names):
            others = np.delete(grid.points, n, axis=1)
            groups = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1) if others.shape[1] else 0 * heights
            spans = [np.ptp(heights[groups == group]) for group in np.unique(groups)]
            names += [name] * bool(np.nanmax(spans) < 1e-12)
        return names


def fit_labels(labelled: Labelled, model: FreeModel, reference: Measure | None, settings: FitSettings) -> LabelFit:
    """Search the parameters on all labels, on all but each fold and on resamples, and test the fitted metric.

    Parameters
    ----------
    labelled : Pages or Pairs
    model : FreeModel
    reference : Measure or None
        The metric to compare with; by default the model with its canonical values.
    settings : FitSettings
    """
    import polars as pl

    check_labels(labelled.levels, labelled.label, labelled.source)
    kind = "canonical" if reference is None else "reference"
    reference = model.canonical() if reference is None else reference
    require_pages([model.example(), *([] if reference is None else [reference])])
    counts = counts_of_labels(labelled)
    folds = label_folds(counts, settings.folds, settings.seed)
    objective = Objective(labelled, settings.max_grade)
    grid_search = search(objective, model, _samples(counts, folds, settings), settings.jobs, settings.progress)
    metric = model.metric(grid_search.estimate)
    test = None
    if reference is not None:
        fitted = [model.metric(values) for values in grid_search.by_fold]
        bootstrap = NestedBootstrap(objective, counts, folds, model, grid_search, reference)
        test = held_out(bootstrap, fitted, settings.resamples, settings.seed, settings.jobs, settings.progress)
    tables = {
        "fit": parameter_rows(model, grid_search),
        **({} if test is None else {"fit_folds": fold_rows(test, metric, objective.name)}),
        "fit_curve": curve_rows(model, grid_search, objective.name),
        "fit_calibration": calibration_rows(labelled, counts, {"fitted": metric, kind: reference}, settings.max_grade),
    }
    # A study may have pages of one collection and pairs of another: rows name the kind of labels.
    tables = {name: frame.with_columns(labels=pl.lit(labelled.label)) for name, frame in tables.items()}
    return LabelFit(model, metric, reference, counts, grid_search, test, tables)


def _samples(counts: LabelCounts, folds: Sequence[LabelCounts], settings: FitSettings) -> Samples:
    whole = counts.by_cell
    fixed = np.stack([whole, *(whole - counts_by_cell(fold, counts) for fold in folds)])
    if not settings.resamples or counts.units < FEWEST_UNITS:
        return Samples(counts, fixed)
    return Samples(counts, fixed, label_resamples(counts, settings.resamples, settings.seed))


def calibration_rows(
    labelled: Labelled, counts: LabelCounts, kinds: Mapping[str, Measure | None], max_grade: float
) -> pl.DataFrame:
    """The table ``fit_calibration``: mean labels of pages with similar scores, by the fitted metric and the other."""
    import polars as pl

    ordered: dict[str, tuple[str, Measure]] = {}
    for kind, each in kinds.items():
        if each is not None:
            ordered.setdefault(each.name, (kind, each))  # a metric that is both is listed once
    scores = item_scores(labelled, [each for _, each in ordered.values()], max_grade)
    parts = []
    for (kind, measure), own, codes in zip(ordered.values(), scores, tied_codes(scores), strict=True):
        bins = calibration(own, codes, counts, labelled.levels)
        parts.append(pl.DataFrame({"metric": [measure.name] * len(bins["bin"]), "kind": kind, **bins}))
    return pl.concat(parts)


def bins_of(codes: NDArray[np.int64], counts: NDArray[np.int64], bins: int = _BINS) -> NDArray[np.int64]:
    """Divide items with these counts into bins of about equal size by their codes; ties stay together.

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
    """By bin: the mean score, the mean label with its 95% interval for other users (or rows), and the number of rows.

    Examples
    --------
    >>> from metameter.stats.labels.counts import LabelCounts
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
    """By bin, the sum of the squared deviations of each user's (or row's) labels from the mean."""
    bins, units = int(own.max()) + 1, counts.units
    if counts.user is None:
        sums = np.bincount(own, weights=counts.count * left**2, minlength=bins)
    else:
        by_user = np.bincount(own * units + counts.user, weights=counts.count * left, minlength=bins * units)
        sums = (by_user.reshape(bins, units) ** 2).sum(axis=1)
    return np.asarray(sums * units / max(units - 1, 1))
