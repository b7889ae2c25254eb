"""From whatever names a metric to the metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from metameter.browse.base import Browsing
from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.metric.build import build, of_model
from metameter.metric.named import Named
from metameter.notation import parse
from metameter.registry import reads_metric_names

__all__ = ["MetricLike", "parse_metric", "parse_metrics"]

#: What names one metric: its text, an expression such as ``mm.nDCG @ 10``, the metric itself, or a browsing model.
MetricLike: TypeAlias = str | Named | Measure | Browsing


@reads_metric_names
def parse_metric(metric: MetricLike) -> Measure:
    """The metric of that name; what is a metric already is returned as it is.

    Examples
    --------
    >>> parse_metric("RBP(p=0.8)"), parse_metric("ERR@10"), parse_metric("DCG@10"), parse_metric("SDCG@10")
    (RBP(p=0.8)*ERG, ERR*ERR@10, DCG@10*ETG, DCG@10*ERG)
    >>> parse_metric("RBP(p=0.5)")([1, 0, 1])
    0.625
    """
    if isinstance(metric, str):
        return build(parse(metric))
    if isinstance(metric, Named):
        return metric.metric
    if isinstance(metric, Measure):
        return metric
    if isinstance(metric, Browsing):
        return of_model(metric)
    raise MetameterError("not a metric", given=metric, fix='Write "nDCG@10", or mm.nDCG @ 10.')


def parse_metrics(metrics: MetricLike | Iterable[MetricLike]) -> list[Measure]:
    """The metrics of one name or of several.

    Examples
    --------
    >>> parse_metrics("AP"), parse_metrics(["AP", "P@5"])
    ([AP], [AP, P@5])
    """
    one = isinstance(metrics, str | Named | Measure | Browsing)
    several: list[Any] = [metrics] if one or not isinstance(metrics, Iterable) else list(metrics)
    return [parse_metric(each) for each in several]
