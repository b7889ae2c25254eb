"""Which metrics can be computed on a result page alone: those that see one list and its grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.registry import metric_named

__all__ = ["page_metrics", "refuse_no_page_metric"]


def page_metrics(names: Sequence[str]) -> list[str]:
    """Those of the metrics that are known here and see no more than a list and its grades.

    Examples
    --------
    >>> page_metrics(["nDCG@10", "somebody's metric", "sDCG"])
    ['nDCG@10']
    """
    known = ((name, metric_named(name)) for name in names)
    return [name for name, metric in known if metric is not None and issubclass(Ranked, metric.evidence)]


def refuse_no_page_metric(names: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse labels of pages where no metric can be computed on a page, before anything is scored."""
    if not page_metrics(names):
        fix = "Add a metric that does, such as nDCG@10, or leave the labels out."
        given = ", ".join(names[:5])
        raise MetameterError("none of the metrics can be computed on a labelled page", given=given, fix=fix)
