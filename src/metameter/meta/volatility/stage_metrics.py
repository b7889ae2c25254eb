"""The metrics of a study that are followed along depth: the everyday ones."""

from __future__ import annotations

from collections.abc import Sequence

from metameter.meta.volatility.families import family_name
from metameter.metric.base import Measure
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.metric.product import Product

__all__ = ["stage_metrics"]

_MOST = 12


def stage_metrics(metrics: Sequence[Measure]) -> list[Measure]:
    """Those of a study's metrics that the preset ``everyday`` has, at any depth; if there are none, the first twelve.

    Metrics whose users have a last rank of their own are not followed beyond it.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metrics
    >>> stage_metrics(parse_metrics(["nDCG@20", "RBP(p=0.8)@10*max", "AP"]))
    [nDCG@20, AP]
    >>> stage_metrics(parse_metrics(["RBP(p=0.8)*max", "RBP(p=0.8)@10*max"]))
    [RBP(p=0.8)*max]
    """
    everyday = {family_name(parse_metric(name)) for name in preset("everyday")}
    chosen = [measure for measure in metrics if family_name(measure) in everyday]
    return chosen or [measure for measure in metrics if _goes_on(measure)][:_MOST] or list(metrics[:_MOST])


def _goes_on(measure: Measure) -> bool:
    return not isinstance(measure, Product) or measure.model.k is None or measure.model.needs_depth()
