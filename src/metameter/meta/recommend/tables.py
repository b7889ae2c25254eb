"""The table `recommendation`: each metric compared with its reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.comparison_sentences import verdict_sentence
from metameter.meta.recommend.verdict import Criteria, Difference

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.recommend.evidence import Evidence


_WHAT = ("consistency", "power")
_ENDS = ("low", "high")
_SCHEMA: dict[str, Any] = {
    "metric": str,
    "canonical": str,
    "tau_to_canonical": float,
    "tau_low": float,
    "tau_high": float,
    **{f"{what}_{end}": float for what in _WHAT for end in ("difference", *_ENDS)},
    **{f"{what}_{end}_row": float for what in _WHAT for end in _ENDS},
    "verdict": str,
    "close_call": bool,
    "words": str,
    "group": str,
    **{f"{what}{kind}_se": float for what in _WHAT for kind in ("", "_row")},
    "power_difference_randomised": float,
    "tau_low_together": float,
}


def recommendation_rows(
    metrics: tuple[str, ...], evidence: Evidence, criteria: Criteria, randomised: dict[str, float], interval: str
) -> pl.DataFrame:
    """Return the table ``recommendation``, in the order of the metrics.

    Parameters
    ----------
    metrics : tuple of str
    evidence : Evidence
    criteria : Criteria
    randomised : dict
        The power of each metric by the randomised test itself, if it was done.
    interval : str
        The name of the intervals that decide.
    """
    import polars as pl

    rows = [_row(metrics, evidence, number, criteria, randomised, interval) for number in range(len(evidence.taus))]
    return pl.DataFrame(rows, _SCHEMA)


def _row(
    metrics: tuple[str, ...],
    evidence: Evidence,
    number: int,
    criteria: Criteria,
    randomised: dict[str, float],
    interval: str,
) -> dict[str, Any]:
    pair = evidence.comparisons[number]
    metric, reference = metrics[pair.metric], metrics[pair.reference]
    assessment = evidence.assessment(number, criteria)
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
        "power_difference_randomised": _difference(randomised, metric, reference),
    }
    for part, what in enumerate(_WHAT):
        together, alone = (evidence.difference(number, part, by_row=by_row) for by_row in (False, True))
        row |= {f"{what}_difference": together.value, f"{what}_low": together.low, f"{what}_high": together.high}
        row |= {f"{what}_low_row": alone.low, f"{what}_high_row": alone.high}
        row |= {f"{what}_se": _finite_error(together), f"{what}_row_se": _finite_error(alone)}
    return row


def _finite_error(difference: Difference) -> float | None:
    return difference.error if difference.low is not None and math.isfinite(difference.error) else None


def _difference(powers: dict[str, float], metric: str, reference: str) -> float | None:
    return powers[metric] - powers[reference] if metric in powers and reference in powers else None
