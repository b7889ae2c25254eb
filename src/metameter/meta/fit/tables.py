"""The tables of `fit` that come from labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.scoring.pages import item_scores
from metameter.stats.checks import Floats
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.fit.free_parameters import FreeModel
    from metameter.meta.fit.labels import HeldOut
    from metameter.meta.fit.search import Searched
    from metameter.metric.base import Measure
    from metameter.stats.labels.counts import LabelCounts
    from metameter.types.labelled_pages import Labelled


_BINS = 10


def parameter_rows(model: FreeModel, found: Searched) -> pl.DataFrame:
    """The table ``fit``: a row a parameter."""
    import polars as pl

    ends: Any = found.interval if found.resamples else [[None] * len(model.free)] * 2
    rows = []
    for n, (name, place, axis) in enumerate(zip(model.names, model.free, found.axes, strict=True)):
        estimate = float(found.estimate[n])
        rows.append(
            {
                "parameter": name,
                "estimate": estimate,
                "low": ends[0][n],
                "high": ends[1][n],
                "canonical_value": place.canonical,
                "at_bound": "low" if estimate == axis.low else "high" if estimate == axis.high else None,
                "searched_low": axis.low,
                "searched_high": axis.high,
            }
        )
    numbers = dict.fromkeys(("estimate", "low", "high", "canonical_value", "searched_low", "searched_high"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides={**numbers, "at_bound": pl.String})


def fold_rows(tested: HeldOut, fitted: Measure, objective: str) -> pl.DataFrame:
    """The table ``fit_folds``: a row per fold and one of their means; ``objective`` names what was maximised."""
    import polars as pl

    taus, shares = tested.tau_b, tested.heights
    every = np.concatenate([taus, shares], axis=1)
    known = np.isfinite(every)
    sums, sizes = np.where(known, every, 0.0).sum(axis=0), known.sum(axis=0)
    mean = np.divide(sums, sizes, out=np.full(every.shape[1], np.nan), where=sizes > 0)
    several = np.vstack([every, mean])
    folds = len(tested.metrics)
    empty = [None] * folds
    columns: dict[str, Any] = {
        "fold": [*(str(n + 1) for n in range(folds)), "All"],
        "rows": [*tested.rows, sum(tested.rows)],
        "metric": [*tested.metrics, fitted.name],
        "tau_b": several[:, 0],
        "canonical_tau_b": several[:, 1],
        objective: several[:, 2],
        f"canonical_{objective}": several[:, 3],
        "difference": [*(shares[:, 0] - shares[:, 1]), tested.difference],
        "low": [*empty, tested.low],
        "high": [*empty, tested.high],
        "p": [*empty, tested.p],
        "verdict": [*empty, tested.verdict],
    }
    numbers = dict.fromkeys(("low", "high", "p"), pl.Float64)
    return pl.DataFrame(columns, schema_overrides=numbers).with_columns(pl.selectors.float().fill_nan(None))


def curve_rows(model: FreeModel, found: Searched, objective: str) -> pl.DataFrame:
    """The table ``fit_curve``: the best objective for each value of a parameter, over all values of the others."""
    import polars as pl

    points = np.concatenate([grid.points for grid in found.grids])
    heights = np.concatenate([grid.heights for grid in found.grids])
    taus = np.concatenate([grid.tau_b for grid in found.grids])
    parts = []
    for n, name in enumerate(model.names):
        # Of points with one value the best, then one row a value.
        order = np.lexsort((-heights, points[:, n]))
        first = np.unique(points[order, n], return_index=True)[1]
        kept = order[first]
        columns = {"value": points[kept, n], objective: heights[kept], "tau_b": taus[kept]}
        parts.append(pl.DataFrame({"parameter": [name] * len(kept), **columns}))
    return pl.concat(parts).with_columns(pl.selectors.float().fill_nan(None))


def calibration_rows(
    labelled: Labelled, counts: LabelCounts, kinds: Mapping[str, Measure | None], max_grade: float
) -> pl.DataFrame:
    """The table ``fit_calibration``: labels of pages that a metric scores alike: the fitted one, then the other."""
    import polars as pl

    ordered: dict[str, tuple[str, Measure]] = {}
    for kind, each in kinds.items():
        if each is not None:
            ordered.setdefault(each.name, (kind, each))  # where both are the same metric, it stands there once
    scores = item_scores(labelled, [each for _, each in ordered.values()], max_grade)
    parts = []
    for (kind, measure), own, codes in zip(ordered.values(), scores, tied_codes(scores), strict=True):
        bins = calibration(own, codes, counts, labelled.levels)
        parts.append(pl.DataFrame({"metric": [measure.name] * len(bins["bin"]), "kind": kind, **bins}))
    return pl.concat(parts)


def bins_of(codes: NDArray[np.int64], counts: NDArray[np.int64], bins: int = _BINS) -> NDArray[np.int64]:
    """Divide items, each of which occurs so often, into bins of about equal size by their codes; ties stay together.

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
    """Per bin of the score: its mean score, the mean label with a 95% interval for other users (or rows), how many.

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
    """Per bin, the sum of squares of what each user's (or row's) labels have beyond the mean."""
    bins, units = int(own.max()) + 1, counts.units
    if counts.user is None:
        sums = np.bincount(own, weights=counts.count * left**2, minlength=bins)
    else:
        by_user = np.bincount(own * units + counts.user, weights=counts.count * left, minlength=bins * units)
        sums = (by_user.reshape(bins, units) ** 2).sum(axis=1)
    return np.asarray(sums * units / max(units - 1, 1))
