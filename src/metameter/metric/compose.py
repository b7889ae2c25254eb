"""Parse metrics: from a text, an expression, a model or a measure of ir_measures to the metric."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from metameter.browse.base import Browsing
from metameter.errors import MetameterError
from metameter.metric.aliases import Alias, read_alias, unknown_metric
from metameter.metric.base import Measure
from metameter.metric.build import build, of_model
from metameter.metric.expressions import MetricExpression
from metameter.metric.ir_measures import IrMeasure, read_ir_measure, term_of_ir_measure
from metameter.metric.product import Product
from metameter.notation import Expression, parse, split_outside
from metameter.notices import notice
from metameter.registry import find

#: One metric: its name, an expression such as ``mm.nDCG @ 10``, the metric itself, a browsing model, or a measure of
#: ir_measures.
MetricLike: TypeAlias = str | MetricExpression | Measure | Browsing | IrMeasure

_MOST_CACHED = 4096


class _Cached(NamedTuple):
    metric: Measure
    alias: Alias | None
    names: tuple[str, ...]
    classes: tuple[Any, ...]


_cache: dict[str, _Cached] = {}


def parse_metric(metric: MetricLike) -> Measure:
    """Return the metric of a name; a metric is returned as it is.

    Names of trec_eval, ir_measures and ranx are accepted in any case; a notice says how they are read. Measures of
    ir_measures are translated.

    Examples
    --------
    >>> parse_metric("RBP(p=0.8)"), parse_metric("ERR@10"), parse_metric("DCG@10"), parse_metric("SDCG@10")
    (RBP(p=0.8)*ERG, ERR*ERR@10, DCG@10*ETG, DCG@10*ERG)
    >>> parse_metric("RBP(p=0.5)")([1, 0, 1])
    0.625
    >>> parse_metric("ndcg@10")
    nDCG@10
    """
    if isinstance(metric, str):
        known = _named(metric)
        if known.alias is not None and known.alias.declared:
            notice(f"{metric.strip()}: read as {known.metric}{known.alias.remark and '; '}{known.alias.remark}")
        return known.metric
    return read_metric(metric)


def read_metric(metric: MetricLike, *, typed: bool = False) -> Measure:
    """Like `parse_metric`, without a notice; names of other tools are accepted only if ``typed`` by a person.

    Examples
    --------
    >>> read_metric("map", typed=True)
    AP
    >>> read_metric("map")
    Traceback (most recent call last):
    metameter.errors.MetameterError: unknown metric (given 'map'). Did you mean AP or gm_map? metameter metrics lists
    all.
    """
    if isinstance(metric, str):
        known = _named(metric)
        if known.alias is not None and not typed:
            raise unknown_metric(metric)
        return known.metric
    if isinstance(metric, MetricExpression):
        return metric.metric
    if isinstance(metric, Measure):
        return metric
    if isinstance(metric, Browsing):
        return of_model(metric)
    if isinstance(metric, IrMeasure):
        return build(Expression(term_of_ir_measure(metric)))
    raise MetameterError("not a metric", given=metric, fix='Write "nDCG@10", or mm.nDCG @ 10.')


def _named(text: str) -> _Cached:
    """The metric of a name, cached, since a study parses the same names many times."""
    known = _cache.get(text)
    if known is not None and known.classes == _registered(known.names):
        return known
    read = read_alias(text) or read_ir_measure(text)
    term, alias = read or (None, None)
    expression = parse(text) if term is None else Expression(term)
    metric = build(expression)
    parts = (metric.model, metric.aggregation) if isinstance(metric, Product) else (metric,)
    typed = re.split(r"[(@*]", text)[0].strip()
    names = (typed, expression.left.name, *(getattr(part, "registered_name", "") for part in parts))
    if len(_cache) >= _MOST_CACHED:
        _cache.clear()
    _cache[text] = _Cached(metric, alias, names, _registered(names))
    return _cache[text]


def _registered(names: tuple[str, ...]) -> tuple[Any, ...]:
    # A later registration may change the meaning of a name.
    return tuple(find(kind, name) for kind in ("metric", "browse", "aggregate") for name in names)


def parse_metrics(metrics: MetricLike | Iterable[MetricLike]) -> list[Measure]:
    """The metrics of one text or of several; a text may name several metrics, separated by commas.

    Examples
    --------
    >>> parse_metrics("AP"), parse_metrics(["AP", "P@5"]), parse_metrics("RBU(p=0.99,e=0.05), P@5")
    ([AP], [AP, P@5], [RBU(p=0.99,e=0.05), P@5])
    """
    one = isinstance(metrics, MetricLike)
    listed: list[Any] = [metrics] if one or not isinstance(metrics, Iterable) else list(metrics)
    return [parse_metric(part) for each in listed for part in _parts(each)]


def metrics_named(metrics: Any) -> tuple[Any, ...]:
    """The metrics that a value names, each by itself, not parsed yet; none for None.

    Examples
    --------
    >>> metrics_named("AP,nDCG(judged_only=True)@10"), metrics_named(["AP", "P@5"]), metrics_named(None)
    (('AP', 'nDCG(judged_only=True)@10'), ('AP', 'P@5'), ())
    """
    return tuple(part for each in several(metrics) for part in _parts(each))


def _parts(metric: Any) -> list[Any]:
    return split_outside(metric, ",") if isinstance(metric, str) else [metric]


def several(metrics: Any) -> tuple[Any, ...]:
    """One value or several as a tuple; None gives an empty one.

    Examples
    --------
    >>> several("AP"), several(["AP", "RR"]), several(None)
    (('AP',), ('AP', 'RR'), ())
    """
    if metrics is None or isinstance(metrics, MetricLike):
        return () if metrics is None else (_without_ir_measures(metrics),)
    named = tuple(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, Mapping | bytes) else (metrics,)
    for each in named:
        if not isinstance(each, MetricLike):
            raise MetameterError("neither a name nor a metric", given=each, fix="Give a text, or a list of texts.")
    return tuple(map(_without_ir_measures, named))


def _without_ir_measures(metric: Any) -> Any:
    # The text of a measure of ir_measures is not in our notation.
    return (
        metric
        if isinstance(metric, str | MetricExpression) or not isinstance(metric, IrMeasure)
        else read_metric(metric)
    )
