"""From whatever names a metric to the metric."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from metameter.browse.base import Browsing
from metameter.errors import MetameterError
from metameter.metric.aliases import Alias, read_alias, unknown_metric
from metameter.metric.base import Measure
from metameter.metric.build import build, of_model
from metameter.metric.expressions import Named
from metameter.metric.ir_measures import Borrowed, borrowed_term, read_theirs
from metameter.metric.product import Product
from metameter.notation import Expression, parse
from metameter.notices import notice
from metameter.registry import find, reads_metric_names

#: What names one metric: its text, an expression such as ``mm.nDCG @ 10``, the metric itself, a browsing model, or a
#: measure of ir_measures.
MetricLike: TypeAlias = str | Named | Measure | Browsing | Borrowed

_MOST_KEPT = 4096


class _Kept(NamedTuple):
    metric: Measure
    alias: Alias | None
    names: tuple[str, ...]
    words: tuple[Any, ...]


_kept: dict[str, _Kept] = {}


def parse_metric(metric: MetricLike) -> Measure:
    """The metric of that name; what is a metric already is returned as it is.

    Names of trec_eval, ir_measures and ranx are understood, in capital letters or not; a notice says what they are
    read as. A measure of ir_measures is translated.

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


@reads_metric_names
def read_metric(metric: MetricLike, *, typed: bool = False) -> Measure:
    """The same without a notice; names of other tools are understood only where a person ``typed`` them.

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
    if isinstance(metric, Named):
        return metric.metric
    if isinstance(metric, Measure):
        return metric
    if isinstance(metric, Browsing):
        return of_model(metric)
    if isinstance(metric, Borrowed):
        return build(Expression(borrowed_term(metric)))
    raise MetameterError("not a metric", given=metric, fix='Write "nDCG@10", or mm.nDCG @ 10.')


def _named(text: str) -> _Kept:
    """The metric of that name; a study asks for the same ones again and again, so they are kept."""
    known = _kept.get(text)
    if known is not None and known.words == _meanings(known.names):
        return known
    read = read_alias(text) or read_theirs(text)
    term, alias = read or (None, None)
    expression = parse(text) if term is None else Expression(term)
    metric = build(expression)
    parts = (metric.model, metric.aggregation) if isinstance(metric, Product) else (metric,)
    typed = re.split(r"[(@*]", text)[0].strip()
    names = (typed, expression.left.name, *(getattr(part, "registered_name", "") for part in parts))
    if len(_kept) >= _MOST_KEPT:
        _kept.clear()
    _kept[text] = _Kept(metric, alias, names, _meanings(names))
    return _kept[text]


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
    one = isinstance(metrics, MetricLike)
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
        return () if given is None else (_ours(given),)
    named = tuple(given) if isinstance(given, Iterable) and not isinstance(given, Mapping | bytes) else (given,)
    for each in named:
        if not isinstance(each, MetricLike):
            raise MetameterError("neither a name nor a metric", given=each, fix="Give a text, or a list of texts.")
    return tuple(map(_ours, named))


def _ours(metric: Any) -> Any:
    # Its own text is not in our notation.
    return metric if isinstance(metric, str | Named) or not isinstance(metric, Borrowed) else read_metric(metric)
