"""Fit a metric to labels: search all of them, then compare it with the reference on held-out folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.fit.free_parameters import FreeModel
from metameter.meta.fit.search import CHANCE, Objective, Samples, Searched, search
from metameter.meta.fit.tables import calibration_rows, curve_rows, fold_rows, parameter_rows
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.metric.base import Measure
from metameter.read.labels.counts import check_labels
from metameter.scoring.pages import require_pages
from metameter.stats.checks import Floats
from metameter.stats.intervals.rows import FEWEST_UNITS, row_intervals
from metameter.stats.labels.counted_taus import resampled_taus
from metameter.stats.labels.counts import LabelCounts, in_cells, label_folds, label_resamples
from metameter.stats.labels.likelihood import highest_points
from metameter.stats.resampling.replicates import BLOCK

if TYPE_CHECKING:
    import polars as pl

    from metameter.parallel import Workers
    from metameter.types.labelled_pages import Labelled


#: Every draw is searched once for each fold: about so many searches are done, but never fewer than one block of draws.
_SEARCHES = 20 * BLOCK
#: Counts in memory at a time.
_CHUNK = 1 << 22


def most_draws(folds: int) -> int:
    """How many draws are enough of so many folds: whole blocks of them.

    Examples
    --------
    >>> [most_draws(folds) for folds in (2, 5, 10, 100)]
    [640, 256, 128, 64]
    """
    return max(_SEARCHES // (folds * BLOCK), 1) * BLOCK


@dataclass(frozen=True, eq=False)
class Refits:
    """All folds drawn anew, what is left of each draw searched again, and both metrics held against the fold's draw.

    What a fold is asked about was fitted to the other folds: so folds are not independent, though no user is in two of
    them. How dependent they are follows from how far the search is moved by who was drawn, which varies: much where
    labels say little, hardly at all where they are clear. So it is drawn, too.

    Attributes
    ----------
    objective : Objective
    counts : LabelCounts
        Of all labels.
    folds : sequence of LabelCounts
    model : FreeModel
    found : Searched
        The first of its grids, which covers all that may be found, is searched again.
    reference : Measure
    """

    objective: Objective
    counts: LabelCounts
    folds: Sequence[LabelCounts]
    model: FreeModel
    found: Searched
    reference: Measure

    def heights(
        self,
        draws: int,
        seed: int,
        jobs: int | Workers | None = None,
        progress: Callable[..., None] | None = None,
    ) -> Floats:
        """The height of what was fitted to the other folds of a draw, and of the reference, (folds, draws, 2)."""
        points = self.found.grids[0].points
        codes = self.objective.codes([*(self.model.metric(values) for values in points), self.reference])
        steps = np.stack([np.unique(own, return_inverse=True)[1].reshape(-1) for own in points.T], axis=1)
        # Folds are drawn apart: one stream for all would draw the same users of each.
        drawn = [label_resamples(fold, draws, seed, (number,)) for number, fold in enumerate(self.folds)]
        cells = [self._cells(fold) for fold in self.folds]
        # As many blocks at a time as memory should hold: to prepare a metric takes longer than one block.
        together = max(_CHUNK // (BLOCK * len(self.counts.cells)), 1)
        parts = []
        for start in range(0, len(drawn[0]), together):
            numbers = range(start, min(start + together, len(drawn[0])))
            blocks = [np.concatenate([each.block(number) for number in numbers]) for each in drawn]
            parts.append(self._asked(codes, steps.astype(np.float64), cells, blocks, jobs))
            if progress is not None:
                progress(numbers[-1] + 1, len(drawn[0]), "draws of folds")
        return np.concatenate(parts, axis=1)

    def _asked(
        self,
        codes: NDArray[np.int64],
        steps: Floats,
        cells: Sequence[NDArray[np.int64]],
        blocks: Sequence[NDArray[np.int64]],
        jobs: int | Workers | None,
    ) -> Floats:
        """The same for some draws, (draws, cells of the fold) each."""
        whole = np.zeros((len(blocks[0]), len(self.counts.cells)), dtype=np.int64)
        for own, block in zip(cells, blocks, strict=True):
            whole[:, own] += block
        several = []
        for fold, own, block in zip(self.folds, cells, blocks, strict=True):
            others = whole.copy()
            others[:, own] -= block
            best = highest_points(self.objective.heights(codes[:-1], self.counts, [others], jobs), steps).middle
            asked = self.objective.heights(codes, fold, [block], jobs)
            several.append(np.stack([asked[np.arange(len(asked)), best], asked[:, -1]], axis=1))
        return np.stack(several)

    def _cells(self, fold: LabelCounts) -> NDArray[np.int64]:
        """The places of a fold's cells among all."""
        every, own = (each.cells[:, 0] * self.counts.levels + each.cells[:, 1] for each in (self.counts, fold))
        return np.searchsorted(every, own)


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
