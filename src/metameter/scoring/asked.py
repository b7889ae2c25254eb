"""The metrics that were asked for."""

from __future__ import annotations

from collections.abc import Iterable

from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike, parse_metrics
from metameter.metric.presets import preset as metrics_of

__all__ = ["measures_of"]


def measures_of(
    metrics: MetricLike | Iterable[MetricLike], preset: str | None = None, *, condensed: bool = False
) -> list[Measure]:
    """The metrics asked for, each once, in the order asked.

    Examples
    --------
    >>> measures_of(["nDCG@10", "RBP(p=0.8)", "nDCG@10"])
    [nDCG@10, RBP(p=0.8)*ERG]
    """
    asked = [*parse_metrics(metrics), *parse_metrics(metrics_of(preset) if preset else ())]
    if not asked:
        raise MetameterError("no metric was asked for", fix="Name one, such as -m nDCG@10, or take a preset.")
    unique: dict[str, Measure] = {}
    for each in asked:
        measure = each.condensed() if condensed else each
        unique.setdefault(measure.name, measure)
    return list(unique.values())
