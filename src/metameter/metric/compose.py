"""From whatever names a metric to the metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from metameter.browse.base import Browsing
from metameter.errors import MetameterError
from metameter.metric.base import Measure
from metameter.metric.build import build, of_model
from metameter.metric.named import Named
from metameter.metric.product import Product
from metameter.notation import parse
from metameter.registry import find, reads_metric_names

__all__ = ["MetricLike", "parse_metric", "parse_metrics", "several"]

#: What names one metric: its text, an expression such as ``mm.nDCG @ 10``, the metric itself, or a browsing model.
MetricLike: TypeAlias = str | Named | Measure | Browsing

_MOST_KEPT = 4096


class _Kept(NamedTuple):
    metric: Measure
    names: tuple[str, ...]
    words: tuple[Any, ...]


_kept: dict[str, _Kept] = {}


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
        return _named(metric)
    if isinstance(metric, Named):
        return metric.metric
    if isinstance(metric, Measure):
        return metric
    if isinstance(metric, Browsing):
        return of_model(metric)
    raise MetameterError("not a metric", given=metric, fix='Write "nDCG@10", or mm.nDCG @ 10.')


def _named(text: str) -> Measure:
    """The metric of that name; a study asks for the same ones again and again, so they are kept."""
    known = _kept.get(text)
    if known is not None and known.words == _meanings(known.names):
        return known.metric
    expression = parse(text)
    metric = build(expression)
    parts = (metric.model, metric.aggregation) if isinstance(metric, Product) else (metric,)
    names = (expression.left.name, *(getattr(part, "registered_name", "") for part in parts))
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    _kept[text] = _Kept(metric, names, _meanings(names))
    return metric


def _meanings(names: tuple[str, ...]) -> tuple[Any, ...]:
    # What is registered later may give a name another meaning.
    return tuple(find(kind, name) for kind in ("metric", "browse", "aggregate") for name in names)


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


def several(given: Any) -> tuple[Any, ...]:
    """One value or several as a tuple; None gives an empty one.

    Examples
    --------
    >>> several("AP"), several(["AP", "RR"]), several(None)
    (('AP',), ('AP', 'RR'), ())
    """
    if given is None or isinstance(given, MetricLike):
        return () if given is None else (given,)
    named = tuple(given) if isinstance(given, Iterable) and not isinstance(given, Mapping | bytes) else (given,)
    for each in named:
        if not isinstance(each, MetricLike):
            raise MetameterError("neither a name nor a metric", given=each, fix="Give a text, or a list of texts.")
    return named
