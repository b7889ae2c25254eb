"""The table of `tradeoff` as its sentences ask it: who leads, who is shown to exceed whom, figures in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.meta.recommend.leaders import leaders
from metameter.meta.recommend.sentence import figure
from metameter.meta.tradeoff.tables import KINDS, STABILITY

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Compared"]

_MOST_NAMES = 5


@dataclass(frozen=True, eq=False)
class Compared:
    """Metrics side by side.

    Attributes
    ----------
    table : polars.DataFrame
        The table ``tradeoff``, without simple metrics.
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
    def of(cls, table: pl.DataFrame, simple: Sequence[str] = ()) -> Compared:
        """Without the simple metrics, unless there are no others."""
        import polars as pl

        kinds = tuple(kind for kind in KINDS if kind in table.columns)
        counts = {kind: int(table[kind].is_not_null().sum()) for kind in kinds}
        others = table.filter(~pl.col("metric").is_in(list(simple)))
        table = others if others.height else table
        return cls(table, {row["metric"]: row for row in table.rows(named=True)}, kinds, counts)

    def value(self, metric: str, column: str) -> Any:
        """What stands in a cell."""
        return self.rows[metric][column]

    def known(self, what: str) -> bool:
        """Whether it is known who leads."""
        return bool(self.table[f"{what}_leader"].is_not_null().any())

    def decides(self, what: str) -> bool:
        """Whether any metric is shown to exceed another."""
        return bool((~self.table[f"{what}_leader"]).any())

    def leading(self, criteria: Sequence[str]) -> list[str]:
        """The metrics that lead in all of these, those with the highest figures first, then by name."""
        led = [name for name, row in self.rows.items() if all(row[f"{what}_leader"] for what in criteria)]
        sums = {name: sum(self.value(name, what) for what in criteria) for name in led}
        return sorted(led, key=lambda name: (-sums[name], name))

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
    def answered(self) -> list[str]:
        """The kinds of labels by which it is known who leads."""
        return [kind for kind in self.kinds if self.known(kind)]

    @property
    def deciding(self) -> list[str]:
        """The kinds of labels by which any metric is shown to exceed another."""
        return [kind for kind in self.kinds if self.decides(kind)]

    def told_together(self) -> list[list[str]]:
        """The kinds of labels that decide: together if one metric leads in all of them, else each for itself."""
        kinds = self.deciding
        return [kinds] if kinds and self.leading(kinds) else [[kind] for kind in kinds]

    def highest(self, what: str) -> str | None:
        """The metric with the highest figure; that alone shows nothing."""
        known = [name for name, row in self.rows.items() if row[what] is not None]
        return max(known, key=lambda name: self.value(name, what), default=None)

    def exceeding(self, metric: str, what: str) -> str | None:
        """Of the metrics that are shown to exceed this one in consistency, or in power, the highest."""
        above = [name for name in self.rows if self._shown_above(name, metric, what)]
        return max(above, key=lambda name: self.value(name, what), default=None)

    def _shown_above(self, one: str, other: str, what: str) -> bool:
        import polars as pl

        if not self.value(one, what) > self.value(other, what):
            return False
        found = leaders(self.table.filter(pl.col("metric").is_in([one, other])))
        return (
            found is not None
            and other not in dict(zip(STABILITY, (found.consistent, found.powerful), strict=True))[what]
        )

    def agreeing(self, metric: str, kinds: Sequence[str]) -> str:
        """How a metric that leads agrees with users: best only where that is shown against every other metric."""
        told = " and ".join(self._agreement(metric, kind) for kind in kinds)
        if all(self.value(metric, f"{kind}_beats") == self.counts[kind] - 1 for kind in kinds):
            return f"{metric} agrees best with users: {told}"
        return f"No metric is shown to agree better with users than {metric}: {told}"

    def _agreement(self, metric: str, kind: str) -> str:
        ahead, others = int(self.value(metric, f"{kind}_beats")), self.counts[kind] - 1
        shown, interval = self.figure(metric, kind, named=True).split(", ")
        above = f"{ahead} of the other {others}" if others > 1 else "the other" if ahead else "none"
        return f"{shown} ({interval}; shown to be above {above})"

    def figure(self, metric: str, what: str, *, named: bool = False) -> str:
        """A figure in words, with its interval where there is one; on request with the kind of label."""
        shown = self.value(metric, what)
        if shown is None:
            return f"no {what}"
        if what == "power":
            return f"power {shown:.0%}"
        if what == "consistency":
            return f"consistency {figure(shown, digits=2)}"
        low, high = (self.value(metric, f"{what}_{end}") for end in ("low", "high"))
        ends = "no interval" if low is None or high is None else f"95% interval {figure(low)} to {figure(high)}"
        return f"concordance {figure(shown)}{f' with {what}' if named else ''}, {ends}"

    def names(self, names: Sequence[str]) -> str:
        """A list of names that can be read."""
        left = len(names) - _MOST_NAMES
        return ", ".join(names[:_MOST_NAMES]) + (f" and {left} more" if left > 0 else "")
