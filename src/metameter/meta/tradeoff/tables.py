"""The table of `tradeoff`: each metric's stability and agreement with users, and in what it leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.recommend.candidate_groups import leaders
from metameter.registry import metric_named

if TYPE_CHECKING:
    import polars as pl


STABILITY = ("consistency", "power")
#: What users say: how satisfied they were, and which page they prefer.
KINDS = ("satisfaction", "preference")


def tradeoff_rows(
    metrics: pl.DataFrame,
    satisfaction: pl.DataFrame | None = None,
    preference: pl.DataFrame | None = None,
    simple: Sequence[str] = (),
) -> pl.DataFrame:
    """Return every metric with its figures, in what it leads, and whether it is on the front.

    Diagnostics have figures, but do not compete.

    Parameters
    ----------
    metrics : polars.DataFrame
        The table ``metrics`` of the recommendation.
    satisfaction, preference : polars.DataFrame, optional
        The tables of these names, without metrics that are normalised by the page; other metrics have no figure.
    simple : sequence of str
        Metrics of one dimension only, which do not compete for the lead in stability.

    Examples
    --------
    >>> import polars as pl
    >>> metrics = pl.DataFrame({"metric": ["AP", "RR"], "consistency": [0.8, 0.5], "power": [0.5, 0.2],
    ...                         "consistency_group": ["a", "b"], "power_group": ["a", "a"]})
    >>> users = pl.DataFrame({"metric": ["AP", "RR"], "concordance": [0.6, 0.7], "beats": [0, 1], "beaten_by": [1, 0]})
    >>> tradeoff_rows(metrics, users)["metric", "consistency_leader", "satisfaction_leader", "front"].rows()
    [('AP', True, False, True), ('RR', False, True, True)]
    """
    import polars as pl

    table = _stable(metrics, simple)
    for kind, users in zip(KINDS, (satisfaction, preference), strict=True):
        if users is not None:
            known = _agreeing(users, kind).rename({"metric": "_name"}).unique("_name", maintain_order=True)
            named = table.with_columns(_names(table))
            table = named.join(known, on="_name", how="left", maintain_order="left").drop("_name")
    figures = [name for name in (*STABILITY, *KINDS) if name in table.columns]
    competing = ~pl.col("metric").is_in(diagnostics_of(table))
    return table.with_columns(front=_front(table.select(pl.when(competing).then(pl.col(name)) for name in figures)))


def without_stability(metrics: pl.DataFrame) -> pl.DataFrame:
    """The table ``metrics`` of a recommendation without consistency and power: of few systems they say nothing."""
    import polars as pl

    kinds = {name: metrics.schema[name] for name in (*STABILITY, *(f"{what}_group" for what in STABILITY))}
    return metrics.with_columns(pl.lit(None, kind).alias(name) for name, kind in kinds.items())


def diagnostics_of(table: pl.DataFrame) -> list[str]:
    """The metrics of a table that do not depend on relevance: they do not compete."""
    return [name for name in table["metric"] if is_diagnostic(name)]


def _stable(metrics: pl.DataFrame, simple: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    groups = [f"{what}_group" for what in STABILITY]
    table = metrics.select("metric", *STABILITY, *groups)
    relevant = table.filter(~pl.col("metric").is_in(diagnostics_of(table)))
    competing = relevant.filter(~pl.col("metric").is_in(list(simple)))
    competing = competing if competing.height else relevant
    leading = leaders(competing)
    known = set(competing["metric"]) if leading else set()
    columns = {
        f"{what}_leader": [name in leading[what] if leading and name in known else None for name in table["metric"]]
        for what in STABILITY
    }
    return table.with_columns(pl.Series(name, values, dtype=pl.Boolean) for name, values in columns.items())


def _names(table: pl.DataFrame) -> pl.Series:
    """The names under which pages are scored: a table may call RBP(p=0.8)*ERG just RBP(p=0.8)."""
    import polars as pl

    return pl.Series("_name", [str(metric_named(name) or name) for name in table["metric"]], dtype=pl.String)


def _agreeing(users: pl.DataFrame, kind: str) -> pl.DataFrame:
    import polars as pl

    # A constant metric beats no other and is beaten by no other, which does not make it a leader.
    known = pl.col("concordance").is_not_null() & pl.col("concordance").is_not_nan()
    figures = {"": "concordance", "_low": "concordance_low", "_high": "concordance_high", "_ties": "ties"}
    counts = {"_tau_b": "tau_b", "_beats": "beats", "_beaten_by": "beaten_by"}
    columns = {end: name for end, name in {**figures, **counts}.items() if name in users.columns}
    return users.select(
        "metric",
        *(pl.when(known).then(pl.col(name)).alias(f"{kind}{end}") for end, name in columns.items()),
        pl.when(known).then(pl.col("beaten_by") == 0).alias(f"{kind}_leader"),
    )


def _front(figures: pl.DataFrame) -> pl.Series:
    """Which metrics no other exceeds in all figures; null where a figure is missing.

    Examples
    --------
    >>> import polars as pl
    >>> _front(pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, None]})).to_list()
    [False, True, None]
    """
    import polars as pl

    values: NDArray[np.float64] = figures.cast(pl.Float64).to_numpy()
    # A figure that is not known is neither higher nor lower than another.
    higher: NDArray[np.bool_] = np.all(values[:, None, :] < values[None, :, :], axis=2)
    unbeaten = pl.Series("front", ~np.any(higher, axis=1), pl.Boolean)
    known = pl.Series(~np.any(np.isnan(values), axis=1))
    return unbeaten.set(~known, None)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """What a table says of metrics in stability and with users.

    Attributes
    ----------
    table : polars.DataFrame
        The table ``tradeoff``, without diagnostics and simple metrics.
    rows : dict
        Metric -> its row.
    kinds : tuple of str
        What is known of users: ``satisfaction``, ``preference``.
    counts : dict
        Kind -> how many metrics have a figure, simple ones included: they count among those that a metric exceeds.
    """

    table: pl.DataFrame
    rows: dict[str, dict[str, Any]]
    kinds: tuple[str, ...]
    counts: dict[str, int]

    @classmethod
    def of(cls, table: pl.DataFrame, simple: Sequence[str] = ()) -> SideBySide:
        """Return what the table says, without diagnostics and without simple metrics, unless there are no others."""
        import polars as pl

        kinds = tuple(kind for kind in KINDS if kind in table.columns)
        counts = {kind: int(table[kind].is_not_null().sum()) for kind in kinds}
        relevant = table.filter(~pl.col("metric").is_in(diagnostics_of(table)))
        others = relevant.filter(~pl.col("metric").is_in(list(simple)))
        table = others if others.height else relevant
        return cls(table, {row["metric"]: row for row in table.rows(named=True)}, kinds, counts)

    def value(self, metric: str, column: str) -> Any:
        """The value of a metric in a column of the table."""
        return self.rows[metric][column]

    def is_known(self, what: str) -> bool:
        """Whether it is known which metrics lead in this."""
        return bool(self.table[f"{what}_leader"].is_not_null().any())

    def decides(self, what: str) -> bool:
        """Whether any metric is shown to exceed another in this."""
        return bool((~self.table[f"{what}_leader"]).any())

    def leading(self, criteria: Sequence[str]) -> list[str]:
        """The metrics that lead in all of these, those with the highest figures first, then by name."""
        names = [name for name, row in self.rows.items() if all(row[f"{what}_leader"] for what in criteria)]
        sums = {name: sum(self.value(name, what) for what in criteria) for name in names}
        return sorted(names, key=lambda name: (-sums[name], name))

    def without_users(self) -> dict[tuple[str, ...], list[str]]:
        """The kinds of labels, of those with figures, that metrics lack -> these metrics."""
        kinds = [kind for kind in self.kinds if self.highest(kind) is not None]
        lacking: dict[tuple[str, ...], list[str]] = {}
        for name, row in self.rows.items():
            absent = tuple(kind for kind in kinds if row[kind] is None)
            lacking.setdefault(absent, []).append(name)
        lacking.pop((), None)
        return lacking

    @property
    def known_kinds(self) -> list[str]:
        """The kinds of labels by which it is known which metrics lead."""
        return [kind for kind in self.kinds if self.is_known(kind)]

    @property
    def deciding(self) -> list[str]:
        """The kinds of labels by which any metric is shown to exceed another."""
        return [kind for kind in self.kinds if self.decides(kind)]

    def deciding_together(self) -> list[list[str]]:
        """The kinds of labels that decide: as one group if one metric leads in all of them, else as groups of one."""
        kinds = self.deciding
        return [kinds] if kinds and self.leading(kinds) else [[kind] for kind in kinds]

    def highest(self, what: str) -> str | None:
        """The metric with the highest figure; that alone shows nothing."""
        known = [name for name, row in self.rows.items() if row[what] is not None]
        return max(known, key=lambda name: self.value(name, what), default=None)

    def exceeding(self, metric: str, what: str) -> str | None:
        """The highest of the metrics that are shown to exceed this one in consistency, or in power."""
        above = [name for name in self.rows if self._shown_above(name, metric, what)]
        return max(above, key=lambda name: self.value(name, what), default=None)

    def _shown_above(self, one: str, other: str, what: str) -> bool:
        import polars as pl

        if not self.value(one, what) > self.value(other, what):
            return False
        leading = leaders(self.table.filter(pl.col("metric").is_in([one, other])))
        return leading is not None and other not in leading[what]
