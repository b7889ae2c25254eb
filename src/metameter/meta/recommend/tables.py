"""The tables of `recommend`: each metric compared with its reference, and the standing of every metric."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.metric_groups import BY_NAME
from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.recommend.comparison_sentences import verdict_sentence
from metameter.meta.recommend.references import named_metrics
from metameter.meta.recommend.standings import Standings, differences_of, resamples_of, top_shares
from metameter.meta.recommend.verdict import STATISTICS, Difference
from metameter.stats.checks import Floats
from metameter.stats.intervals.metric_pairs import MetricResamples, PairDifferences, pair_differences
from metameter.stats.proportional_metrics import constant_metrics, first_proportional
from metameter.stats.significance.compact_letter_display import letter_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from metameter.meta.recommend.evidence import ComparisonIntervals, Design


_ENDS = ("low", "high")
_RECOMMENDATION: dict[str, Any] = {
    "metric": str,
    "canonical": str,
    "tau_to_canonical": float,
    "tau_low": float,
    "tau_high": float,
    **{f"{what}_{end}": float for what in STATISTICS for end in ("difference", *_ENDS)},
    **{f"{what}_{end}_row": float for what in STATISTICS for end in _ENDS},
    "verdict": str,
    "close_call": bool,
    "words": str,
    "group": str,
    **{f"{what}{kind}_se": float for what in STATISTICS for kind in ("", "_row")},
    "power_difference_randomised": float,
    "tau_low_together": float,
}
_METRICS: dict[str, Any] = {
    "metric": str,
    "consistency": float,
    "consistency_low": float,
    "consistency_high": float,
    "power": float,
    "power_low": float,
    "power_high": float,
    "front": bool,
    "consistency_group": str,
    "power_group": str,
    "beats": int,
    "beaten_by": int,
    "named": bool,
    "standing": str,
    "leads": bool,
    "close_call": bool,
    "close_lead": bool,
    "top_share": float,
    "top_share_topics": float,
    "top_share_systems": float,
    "top_share_seeds": float,
    "judged": float,
    "diagnostic": bool,
    "constant": bool,
}


def recommendation_rows(
    metrics: tuple[str, ...],
    intervals: ComparisonIntervals,
    design: Design,
    randomised: Mapping[str, float],
    interval: str,
) -> pl.DataFrame:
    """Return the table ``recommendation``, in the order of the metrics.

    Parameters
    ----------
    metrics : tuple of str
    intervals : ComparisonIntervals
    design : Design
    randomised : mapping
        The power of each metric by the randomised test itself, if it was done.
    interval : str
        The name of the intervals that decide.
    """
    import polars as pl

    rows = [
        _comparison_row(metrics, intervals, number, design, interval)
        | {"power_difference_randomised": _difference(randomised, metrics[pair.metric], metrics[pair.reference])}
        for number, pair in enumerate(intervals.comparisons)
    ]
    return pl.DataFrame(rows, _RECOMMENDATION)


def _comparison_row(
    metrics: tuple[str, ...], intervals: ComparisonIntervals, number: int, design: Design, interval: str
) -> dict[str, Any]:
    pair = intervals.comparisons[number]
    metric, reference = metrics[pair.metric], metrics[pair.reference]
    assessment = intervals.assessment(number, design.criteria)
    row: dict[str, Any] = {
        "metric": metric,
        "canonical": reference,
        "tau_to_canonical": assessment.tau.value,
        "tau_low": assessment.tau.low,
        "tau_high": assessment.tau.high,
        "tau_low_together": assessment.tau.low_together,
        "verdict": assessment.verdict(),
        "close_call": assessment.close_call(),
        "words": verdict_sentence(metric, reference, assessment, interval),
        "group": pair.group,
    }
    for part, what in enumerate(STATISTICS):
        together, alone = (intervals.difference(number, part, by_row=by_row) for by_row in (False, True))
        row |= {f"{what}_difference": together.value, f"{what}_low": together.low, f"{what}_high": together.high}
        row |= {f"{what}_low_row": alone.low, f"{what}_high_row": alone.high}
        row |= {f"{what}_se": _finite_error(together), f"{what}_row_se": _finite_error(alone)}
    return row


def _finite_error(difference: Difference) -> float | None:
    return difference.error if difference.low is not None and math.isfinite(difference.error) else None


def _difference(powers: Mapping[str, float], metric: str, reference: str) -> float | None:
    return powers[metric] - powers[reference] if metric in powers and reference in powers else None


def metric_rows(
    metrics: tuple[str, ...],
    matrix: Floats,
    intervals: ComparisonIntervals,
    figures: tuple[Floats, Floats],
    design: Design,
    *,
    ends: Mapping[str, Sequence[float | None]] | None = None,
    simple: Sequence[str] = (),
    judged: Mapping[str, float] | None = None,
    systems: MetricResamples | None = None,
) -> pl.DataFrame:
    """Return one row for every metric: consistency, power, letters, and the standing among the candidates.

    Metrics whose scores are multiples of each other count as one metric, with the same letters and counts.

    Parameters
    ----------
    metrics : tuple of str
    matrix : ndarray, (metrics, topics, systems)
    intervals : ComparisonIntervals
        What these comparisons show is shown in this table, too.
    figures : tuple of ndarray, (metrics,)
        Consistency and power, as `consistency` and `power` print them.
    design : Design
        Its ``letter_alpha`` is the chance that any two metrics that do not differ, and were not compared in
        ``intervals``, share no letter.
    ends : mapping, optional
        ``consistency_low``, ``consistency_high``, ``power_low`` and ``power_high``: the interval of each metric alone.
    simple : sequence of str
        Metrics of one dimension of quality, which are not candidates.
    judged : mapping, optional
        Metric -> the share of the ranks it looks at that is judged.
    systems : MetricResamples, optional
        From `system_resamples`: they show how the standing changes with the systems.
    """
    import polars as pl

    consistency, power = figures
    diagnostic, constant = np.array([is_diagnostic(name) for name in metrics]), constant_metrics(matrix)
    named = np.isin(np.arange(len(metrics)), named_metrics(metrics))
    columns: dict[str, Any] = {
        "metric": list(metrics),
        "consistency": consistency,
        "power": power,
        **(ends or {}),
        "front": _front(consistency, power, diagnostic),
        "named": named,
        "judged": [(judged or {}).get(name) for name in metrics],
        "diagnostic": diagnostic,
        "constant": constant,
    }
    if len(intervals.draws.power) and intervals.comparisons:
        # Diagnostics are not compared; metrics that are multiples of each other count as one.
        multiples = first_proportional(matrix)
        distinct = np.unique(multiples[~diagnostic])
        column = np.searchsorted(distinct, multiples)
        pairs = _pair_differences(intervals, distinct, column, design)
        columns |= _letters(pairs, design.criteria.margin, figures, distinct, np.where(diagnostic, -1, column))
        candidates = ~(diagnostic | constant)
        # If all candidates are simple metrics, they stay candidates.
        others = candidates & ~np.isin(metrics, list(simple))
        candidates = others if others.any() else candidates
        # Where metrics with names of their own are compared with each other, the choice is among these.
        by_name = any(pair.group == BY_NAME for pair in intervals.comparisons)
        samples: dict[str, MetricResamples] = {design.sampling.resample: intervals.draws}
        samples |= {"systems": systems} if systems else {}
        samples = {name: resamples_of(draws, distinct) for name, draws in samples.items()}
        columns |= _standings(pairs, samples, column, candidates, candidates & named if by_name else candidates, design)
    columns |= {name: [None] * len(metrics) for name in _METRICS if name not in columns}
    return pl.DataFrame({name: columns[name] for name in _METRICS}, _METRICS)


def _pair_differences(
    intervals: ComparisonIntervals, distinct: NDArray[np.intp], column: NDArray[np.intp], design: Design
) -> PairDifferences:
    """The differences of all pairs; pairs that were compared with a reference get that interval if it is narrower."""
    draws = resamples_of(intervals.draws, distinct)
    pairs = pair_differences(draws, topics=design.sampling.units, alpha=design.letter_alpha)
    half, half_any, error = pairs.half.copy(), pairs.half_any.copy(), pairs.error.copy()
    for number, compared in enumerate(intervals.comparisons):
        i, j = column[compared.metric], column[compared.reference]
        for part in (0, 1) if i != j else ():
            each = intervals.difference(number, part, by_row=design.criteria.by_row)
            if each.low is None or each.high is None:
                continue
            own = max(each.high - each.value, each.value - each.low)
            half_any[part, [i, j], [j, i]] = min(own, half_any[part, i, j])
            if own < half[part, i, j]:
                half[part, [i, j], [j, i]] = own
                error[part, [i, j], [j, i]] = each.error
    return replace(pairs, half=half, half_any=half_any, error=error)


def _letters(
    pairs: PairDifferences,
    margin: float,
    figures: tuple[Floats, Floats],
    distinct: NDArray[np.intp],
    column: NDArray[np.intp],
) -> dict[str, list[str | None]]:
    """The letters of every metric; none where its column among the distinct metrics is -1."""
    columns: dict[str, list[str | None]] = {}
    for what, values, apart in zip(("consistency", "power"), figures, pairs.differs(margin), strict=True):
        names = letter_groups(apart, np.argsort(-values[distinct], kind="stable"))
        columns[f"{what}_group"] = [names[at] if at >= 0 else None for at in column]
    return columns


def _standings(
    pairs: PairDifferences,
    samples: Mapping[str, MetricResamples],
    column: NDArray[np.intp],
    candidates: NDArray[np.bool_],
    choice: NDArray[np.bool_],
    design: Design,
) -> dict[str, list[Any]]:
    """The standing of every candidate and its stability; None for other metrics.

    Parameters
    ----------
    pairs : PairDifferences
    samples : mapping of MetricResamples
        As for `top_shares`.
    column : ndarray of int, (metrics,)
        The position of each metric among those of ``pairs`` and ``samples``.
    candidates, choice : ndarray of bool, (metrics,)
        The metrics that have a standing; the metrics to choose from.
    design : Design
    """
    competing, margin = np.unique(column[candidates]), design.criteria.margin
    differences = differences_of(pairs, competing)
    columns = Standings.of(differences, margin).columns(np.isin(competing, column[choice]))
    if len(competing):
        competitors = {name: resamples_of(draws, competing) for name, draws in samples.items()}
        columns |= top_shares(differences, competitors, margin, design.seed)
    position = {at: number for number, at in enumerate(competing.tolist())}
    rows = [
        position[at] if is_candidate else None for at, is_candidate in zip(column.tolist(), candidates, strict=True)
    ]
    return {name: [None if row is None else values[row] for row in rows] for name, values in columns.items()}


def _front(consistency: Floats, power: Floats, diagnostic: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which metrics no other metric exceeds in both; diagnostics are left out.

    Examples
    --------
    >>> consistency, power = np.array([0.9, 0.8, 0.7, 1.0]), np.array([0.1, 0.3, 0.2, 1.0])
    >>> _front(consistency, power, np.array([False, False, False, True])).tolist()
    [True, True, False, False]
    """
    beaten = (consistency[:, None] < consistency) & (power[:, None] < power) & ~diagnostic
    return np.asarray(~beaten.any(axis=1) & ~diagnostic)
