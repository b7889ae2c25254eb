"""The names under which people see metrics: as they typed them, or else the everyday ones.

Files keep canonical names. A display name reads back as the same metric, and no two metrics of a table share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from metameter.registry import metric_named


def display_names(metrics: Iterable[str], typed: Mapping[str, str] | None = None) -> dict[str, str]:
    """Map each canonical name to its display name.

    Parameters
    ----------
    metrics : iterable of str
        The metrics that are shown together; names that are no metrics, such as those of other tools, stay as they are.
    typed : mapping, optional
        Canonical name -> the name that the user typed.

    Examples
    --------
    >>> display_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "ERR*ERR@10", "R@20"], {"R@20": "recall@20"})
    {'RBP(p=0.8)*ERG': 'RBP(p=0.8)', 'RBP(p=0.8)*max': 'RBP(p=0.8)*max', 'ERR*ERR@10': 'ERR@10', 'R@20': 'recall@20'}
    >>> display_names(["RBP(p=0.8)@10*ERG", "RBP(p=0.8)*ERG@10"])  # two different metrics
    {'RBP(p=0.8)@10*ERG': 'RBP(p=0.8)@10*ERG', 'RBP(p=0.8)*ERG@10': 'RBP(p=0.8)@10'}
    """
    known = dict.fromkeys(metrics)
    names = {name: (typed or {}).get(name) or everyday_name(name) for name in known}
    times = Counter(names.values())
    # A table of another tool may have a metric under the everyday name of ours.
    return {
        name: each if times[each] == 1 and (each == name or each not in known) else name for name, each in names.items()
    }


def everyday_name(name: str) -> str:
    """Return the everyday name of a metric; a name that is not canonical stays as it is.

    Examples
    --------
    >>> [everyday_name(name) for name in ("DCG@10*ETG", "DCG@10*ERG", "nDCG@10", "somebody's metric")]
    ['DCG@10', 'DCG@10*ERG', 'nDCG@10', "somebody's metric"]
    """
    metric = metric_named(name)
    return name if metric is None or metric.name != name else str(metric.everyday)


def typed_names(metrics: Iterable[Any]) -> dict[str, str]:
    """Map canonical names to the names that the user typed; metrics that are not texts have no typed name.

    Examples
    --------
    >>> typed_names(["recall@20", "RBP(p = 0.80)"])
    {'R@20': 'recall@20', 'RBP(p=0.8)*ERG': 'RBP(p=0.80)'}
    """
    names: dict[str, str] = {}
    for text in ("".join(each.split()) for each in metrics if isinstance(each, str)):
        metric = metric_named(text, typed=True)
        if metric is not None and text.isprintable():
            names.setdefault(metric.name, text)
    return names
