"""The metrics that were asked for."""

from __future__ import annotations

from collections.abc import Iterable

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset as metrics_of

__all__ = ["measures_of"]


def measures_of(
    metrics: str | Measure | Iterable[str | Measure], preset: str | None = None, *, condensed: bool = False
) -> list[Measure]:
    """The metrics asked for, each once, in the order asked.

    Examples
    --------
    >>> measures_of(["nDCG@10", "RBP(p=0.8)", "nDCG@10"])
    [nDCG@10, RBP(p=0.8)*ERG]
    """
    asked = [metrics] if isinstance(metrics, str | Measure) else list(metrics)
    asked += metrics_of(preset) if preset else ()
    if not asked:
        raise MetameterError("no metric was asked for", fix="Name one, such as -m nDCG@10, or take a preset.")
    unique: dict[str, Measure] = {}
    for each in asked:
        measure = parse_metric(each) if isinstance(each, str) else each
        measure = measure.condensed() if condensed else measure
        unique.setdefault(measure.name, measure)
    return list(unique.values())
