"""A metric fitted to labels: searched on all of them, tested on what was held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.fit.free_parameters import FreeModel
from metameter.meta.fit.held_out import HeldOut, held_out
from metameter.meta.fit.nested_bootstrap import Refits
from metameter.meta.fit.objective import Objective
from metameter.meta.fit.search import Samples, Searched, search
from metameter.meta.fit.tables import calibration_rows, curve_rows, fold_rows, parameter_rows
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.metric.base import Measure
from metameter.read.labels.counts import check_labels
from metameter.scoring.pages import require_pages
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.labels.counts import LabelCounts, in_cells, label_folds, label_resamples

if TYPE_CHECKING:
    import polars as pl

    from metameter.parallel import Workers
    from metameter.types.labelled_pages import Labelled


@dataclass(frozen=True)
class FitSettings:
    """How it is fitted: the options that concern no particular model."""

    max_grade: float
    folds: int = 5
    resamples: int = 1000
    seed: int = 0
    jobs: int | Workers | None = None
    progress: Callable[..., None] | None = None


@dataclass(frozen=True, eq=False)
class LabelFit:
    """What was found.

    Attributes
    ----------
    model : FreeModel
    metric : Measure
        The fitted one.
    reference : Measure or None
        What it is held against.
    counts : LabelCounts
        What was searched on.
    found : Searched
    tested : HeldOut or None
        None without a reference.
    tables : dict of polars.DataFrame
    """

    model: FreeModel
    metric: Measure
    reference: Measure | None
    counts: LabelCounts
    found: Searched
    tested: HeldOut | None
    tables: dict[str, pl.DataFrame]

    @property
    def flat(self) -> list[str]:
        """The parameters that make no difference on these pages."""
        grid = self.found.grids[0]
        heights = grid.heights
        names = []
        for n, name in enumerate(self.model.names):
            others = np.delete(grid.points, n, axis=1)
            groups = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1) if others.shape[1] else 0 * heights
            spans = [np.ptp(heights[groups == group]) for group in np.unique(groups)]
            names += [name] * bool(np.nanmax(spans) < 1e-12)
        return names


def fit_labels(labelled: Labelled, model: FreeModel, reference: Measure | None, settings: FitSettings) -> LabelFit:
    """Search the parameters on all labels, on all but each fold and on resamples, and test what was found.

    Parameters
    ----------
    labelled : Pages or Pairs
    model : FreeModel
    reference : Measure or None
        What the fitted metric is held against; by default the model with its canonical values.
    settings : FitSettings
    """
    import polars as pl

    check_labels(labelled.levels, labelled.label, labelled.source)
    kind = "canonical" if reference is None else "reference"
    reference = model.canonical() if reference is None else reference
    require_pages([model.example(), *([] if reference is None else [reference])])
    counts = counts_of_labels(labelled)
    folds = label_folds(counts, settings.folds, settings.seed)
    whole = counts.by_cell
    fixed = np.stack([whole, *(whole - in_cells(fold, counts) for fold in folds)])
    draws = settings.resamples and counts.units >= FEWEST_UNITS
    samples = Samples(counts, fixed, label_resamples(counts, settings.resamples, settings.seed) if draws else None)
    objective = Objective(labelled, settings.max_grade)
    found = search(objective, model, samples, settings.jobs, settings.progress)
    metric = model.metric(found.estimate)
    tested = None
    if reference is not None:
        fitted = [model.metric(values) for values in found.by_fold]
        refits = Refits(objective, counts, folds, model, found, reference)
        tested = held_out(refits, fitted, settings.resamples, settings.seed, settings.jobs, settings.progress)
    tables = {
        "fit": parameter_rows(model, found),
        **({} if tested is None else {"fit_folds": fold_rows(tested, metric, objective.name)}),
        "fit_curve": curve_rows(model, found, objective.name),
        "fit_calibration": calibration_rows(labelled, counts, {"fitted": metric, kind: reference}, settings.max_grade),
    }
    # Where a study has pages of one collection and pairs of another, rows say what they come from.
    tables = {name: frame.with_columns(labels=pl.lit(labelled.label)) for name, frame in tables.items()}
    return LabelFit(model, metric, reference, counts, found, tested, tables)


def facts_of(labelled: Labelled) -> dict[str, Any]:
    """What the figures rest on."""
    return {
        "inputs": [each.entry() for each in labelled.fingerprints] or [{"name": labelled.source}],
        "rows": "pairs" if labelled.label == "preference" else "pages",
        "size": labelled.size,
        "distinct": labelled.items.height,
        "users": None if labelled.users is None else len(labelled.users),
    }
