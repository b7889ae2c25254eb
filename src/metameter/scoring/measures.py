"""Parse the metrics to score."""

from __future__ import annotations

from collections.abc import Iterable

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.metric.base import Measure, require_evidence
from metameter.metric.compose import MetricLike, parse_metrics, several
from metameter.metric.presets import preset as metrics_of


def measure_of(metric: MetricLike, *, condensed: bool = False, evidence: type = Ranked) -> Measure:
    """Return the one metric that is named; refuse several, and one of another kind of ``evidence``.

    Examples
    --------
    >>> measure_of("RBP(p=0.8)")
    RBP(p=0.8)*ERG
    """
    measures = measures_of(metric, condensed=condensed, evidence=evidence)
    if len(measures) > 1:
        raise MetameterError("several metrics are given", given=metric, allowed="one metric", fix="Name one metric.")
    return measures[0]


def measures_of(
    metrics: MetricLike | Iterable[MetricLike],
    preset: str | Iterable[str] | None = None,
    *,
    condensed: bool = False,
    evidence: type = Ranked,
) -> list[Measure]:
    """Return the metrics that are named and those of the presets, each once, in order.

    A metric of another kind of ``evidence`` is refused.

    Examples
    --------
    >>> measures_of(["nDCG@10", "RBP(p=0.8)", "nDCG@10"])
    [nDCG@10, RBP(p=0.8)*ERG]
    >>> len(measures_of("AP", ["lu-2016", "moffat-2022"]))
    62
    """
    chosen = [metric for each in several(preset) for metric in metrics_of(each)]
    named = [*parse_metrics(metrics), *parse_metrics(chosen)]
    if not named:
        raise MetameterError("no metric is named", fix="Name one in metrics, such as nDCG@10, or choose a preset.")
    unique: dict[str, Measure] = {}
    for each in named:
        measure = each.condensed() if condensed else each
        unique.setdefault(measure.name, measure)
    require_evidence(unique.values(), evidence)
    return list(unique.values())
