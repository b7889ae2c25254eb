"""Metric families: a metric at all depths, on plain or on condensed lists; and tables with rows for each family."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from metameter.errors import MetameterError
from metameter.metric.base import Measure, Metric
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.metric.product import Product
from metameter.registry import metric_named
from metameter.types.display_names import everyday_name

if TYPE_CHECKING:
    import polars as pl


#: The most metrics of a study that are analysed if none is in the preset ``everyday``.
_MOST = 12

Condensed: TypeAlias = Literal["both", "yes", "no"]

_KINDS: dict[str, tuple[bool, ...]] = {"both": (False, True), "yes": (True,), "no": (False,)}


@dataclass(frozen=True)
class Family:
    """A metric at any depth, on plain lists or on condensed ones.

    Attributes
    ----------
    name : str
        The metric without its depth, the same for plain and condensed lists.
    condensed : bool
    measure : Measure
        The metric to score; at depth k it is ``measure.at(k)``.
    """

    name: str
    condensed: bool
    measure: Measure

    @property
    def is_mean(self) -> bool:
        """Whether the score of a system is the mean over topics, for which topics can be resampled."""
        return type(self.measure).summarise is Measure.summarise

    @property
    def label(self) -> str:
        """The name that tells plain and condensed lists apart."""
        return f"{self.name} (condensed)" if self.condensed else self.name


def families(measures: Sequence[Measure], condensed: Condensed) -> tuple[Family, ...]:
    """The families of the metrics, each once, in the order given; condensed lists follow plain ones.

    A metric whose own name says that lists are condensed is scored on condensed lists only.

    Examples
    --------
    >>> from metameter.scoring.measures import measures_of
    >>> [family.label for family in families(measures_of(["nDCG@10", "nDCG", "P@5"]), "both")]
    ['nDCG', 'nDCG (condensed)', 'P@k', 'P@k (condensed)']
    """
    by_name: dict[tuple[str, bool], Family] = {}
    for measure in measures:
        name, only_condensed = family_name(measure), measure.condensed() == measure
        for kind in (True,) if only_condensed else _KINDS[condensed]:
            scored = measure.condensed() if kind else measure
            by_name.setdefault((name, kind), Family(name, kind, scored))
    return tuple(by_name.values())


def family_name(measure: Measure) -> str:
    """The name of a metric without its depth; with the letter k if the metric needs a depth.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> [family_name(parse_metric(name)) for name in ("ERR@10", "P@5", "Prec@10*max", "RBP(p=0.8)@10*ERG")]
    ['ERR*ERR', 'P@k', 'Prec@k*max', 'RBP(p=0.8)@10*ERG']
    """
    if isinstance(measure, Product) and measure.model.needs_depth():
        return repr(replace(measure, cut=None)).replace(f"@{measure.model.k}*", "@k*", 1)
    try:
        if isinstance(measure, Product):
            return repr(replace(measure, cut=None))
        if isinstance(measure, Metric):
            return repr(replace(measure, k=None))
    except MetameterError:
        return repr(measure.at(1)).removesuffix("@1") + "@k"
    return measure.name


def family_names(measures: Iterable[Measure], typed: Mapping[str, str]) -> dict[str, str]:
    """Map the names of families to those that people see: as typed, or else the everyday ones.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metrics
    >>> metrics = parse_metrics(["ERR@10", "P@5", "Prec@10*ERG", "DCG@5*max", "R@20"])
    >>> family_names(metrics, {"R@20": "recall@20"})
    {'ERR*ERR': 'ERR', 'P@k': 'P@k', 'Prec@k*ERG': 'Prec@k', 'DCG@k*max': 'DCG@k*max', 'R@k': 'recall@k'}
    """
    names: dict[str, str] = {}
    for measure in measures:
        family, name = family_name(measure), typed.get(measure.name, "")
        at_no_depth = re.sub(r"@\d+$", "@k" if "@k" in family else "", name)
        names.setdefault(family, at_no_depth if _named(at_no_depth) == family else _everyday(family))
    return names


def _named(name: str) -> str | None:
    """The family that a name stands for; None if it stands for none."""
    measure = metric_named(name.replace("@k", "@1"), typed=True)
    return None if measure is None else family_name(measure)


def _everyday(family: str) -> str:
    return everyday_name(family.replace("@k", "@1")).replace("@1", "@k") if "@k" in family else everyday_name(family)


def stage_metrics(metrics: Sequence[Measure]) -> list[Measure]:
    """The metrics of a study that the preset ``everyday`` has at any depth; if none, its first twelve metrics.

    Metrics whose browsing model ends at a rank of its own are left out of these twelve.

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


def frame_of_rows(families: Sequence[Family], columns: Mapping[str, Any], size: int) -> pl.DataFrame:
    """A table of ``size`` rows for each family; columns are (families, size) arrays, or one value for all.

    NaN becomes null.
    """
    import polars as pl

    of_family = np.repeat(np.arange(len(families)), size)
    table: dict[str, Any] = {
        "metric": names_of_codes([family.name for family in families], of_family),
        "condensed": np.array([family.condensed for family in families])[of_family],
    }
    for name, values in columns.items():
        table[name] = np.broadcast_to(values, (len(families), size)).reshape(-1)
    return pl.DataFrame(table).with_columns(pl.selectors.float().fill_nan(None))


def names_of_codes(names: Sequence[str], codes: Any) -> pl.Series:
    """The name at each code."""
    import polars as pl

    return pl.Series(list(names), dtype=pl.String).gather(pl.Series(codes.astype(np.uint32)))


def in_family_order(table: pl.DataFrame, families: Sequence[Family], *by: Any) -> pl.DataFrame:
    """Sort a table with the columns ``metric`` and ``condensed`` by family, and then by other columns."""
    import polars as pl

    order = {family.label: number for number, family in enumerate(families)}
    label = pl.col("metric") + pl.when("condensed").then(pl.lit(" (condensed)")).otherwise(pl.lit(""))
    return table.sort(label.replace_strict(order, return_dtype=pl.Int64), *by, maintain_order=True)
