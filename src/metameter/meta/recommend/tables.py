"""The table of `recommend`: each metric compared with its reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.reasons import words
from metameter.meta.recommend.verdict import Difference

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
    metrics: tuple[str, ...], found: Evidence, case: dict[str, Any], randomised: dict[str, float], level: str
) -> pl.DataFrame:
    """The table ``recommendation``, in the order of the metrics.

    Parameters
    ----------
    metrics : tuple of str
    found : Evidence
    case : dict
        ``similar``, ``margin``, ``row``: what the verdicts depend on besides.
    randomised : dict
        The power of each metric by the randomised test itself, if it was done.
    level : str
        What the intervals that decide are called.
    """
    import polars as pl

    return pl.DataFrame([_row(metrics, found, n, case, randomised, level) for n in range(len(found.rows))], _SCHEMA)


def _row(
    metrics: tuple[str, ...],
    found: Evidence,
    number: int,
    case: dict[str, Any],
    randomised: dict[str, float],
    level: str,
) -> dict[str, Any]:
    held = found.rows[number]
    names = metrics[held.metric], metrics[held.reference]
    judged = found.case(number, **case)
    row: dict[str, Any] = {
        "metric": names[0],
        "canonical": names[1],
        "tau_to_canonical": judged.tau.value,
        "tau_low": judged.tau.low,
        "tau_high": judged.tau.high,
        "tau_low_together": judged.tau.low_together,
        "verdict": judged.verdict(),
        "close_call": judged.close_call(),
        "words": words(*names, judged, level),
        "group": held.group,
        "power_difference_randomised": _apart(randomised, *names),
    }
    for part, what in enumerate(_WHAT):
        together, alone = (found.difference(number, part, row=row_) for row_ in (False, True))
        row |= {f"{what}_difference": together.value, f"{what}_low": together.low, f"{what}_high": together.high}
        row |= {f"{what}_low_row": alone.low, f"{what}_high_row": alone.high}
        row |= {f"{what}_se": _finite(together), f"{what}_row_se": _finite(alone)}
    return row


def _finite(difference: Difference) -> float | None:
    return difference.error if difference.low is not None and math.isfinite(difference.error) else None


def _apart(powers: dict[str, float], metric: str, reference: str) -> float | None:
    return powers[metric] - powers[reference] if metric in powers and reference in powers else None
