"""What `recommend` returns: tables, an answer in sentences, charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.meta.recommend.answer import answer, tally
from metameter.view.result import Result
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.mark_styles import MarkedColumn


# Table -> column -> its heading in a paper. The words stand in the answer; Monte-Carlo errors are for programs.
_HEADINGS = {
    "recommendation": {
        "metric": "metric",
        "verdict": "verdict",
        "close_call": "close call",
        "canonical": "reference",
        "tau_to_canonical": "tau",
        "consistency_difference": "consistency",
        "consistency_low": "low",
        "consistency_high": "high",
        "power_difference": "power",
        "power_low": "low",
        "power_high": "high",
    },
    "metrics": {
        "metric": "metric",
        "standing": "standing",
        "top_share": "top share",
        "consistency": "consistency",
        "consistency_group": "group",
        "power": "power",
        "power_group": "group",
        "front": "front",
        "beats": "beats",
        "beaten_by": "beaten by",
        "judged": "judged",
    },
    "recommendation_terciles": {name: name for name in ("metric", "tercile", "topics", "mean_tau", "power")},
}


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Metrics held against references: tables ``recommendation``, ``metrics`` and ``recommendation_terciles``."""

    table_names: ClassVar[tuple[str, ...]] = ("recommendation", "metrics", "recommendation_terciles")
    first_columns: ClassVar[tuple[str, ...]] = (
        "metric",
        "verdict",
        "canonical",
        "consistency_difference",
        "power_difference",
    )
    marked_column: ClassVar[MarkedColumn | None] = VERDICT_COLUMN

    def answer(self) -> list[str]:
        """The sentences that a report begins with: they say what the tables say, and no more."""
        return answer(self.table, self.tables["metrics"], self.manifest["options"])

    def tally(self) -> list[tuple[str, int]]:
        """How many comparisons got each verdict, the best news first."""
        return tally(self.table)

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    def readable(self, name: str | None = None, digits: int = 4) -> pl.DataFrame:
        """A table for the eye: without the words, which the answer gives, and without Monte-Carlo errors."""
        chosen = self.table_name(name)
        return self._deciding()[chosen].select(readable_columns(chosen))

    def important(self, name: str) -> tuple[str, ...]:
        """The columns that a terminal keeps longest; of the metrics, ``judged`` before letters and counts."""
        if name == "metrics":
            return "metric", "standing", "top_share", "judged", "consistency", "power"
        return super().important(name)

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX, in the columns that people read."""
        return {name: paper_table(name, frame) for name, frame in self._deciding().items()}

    def _deciding(self) -> dict[str, pl.DataFrame]:
        """The tables with the intervals that decide as low and high: where each row stands for itself, its own."""
        import polars as pl

        if self.manifest["options"]["level"] != "row":
            return dict(self.tables)
        ends = [f"{what}_{end}" for what in ("consistency", "power") for end in ("low", "high")]
        own = self.table.with_columns(pl.col(f"{name}_row").alias(name) for name in ends)
        return {**self.tables, "recommendation": own}

    def charts(self) -> dict[str, Any]:
        """``metrics``: all side by side; ``recommendation``: gains; ``recommendation_terciles``: by difficulty."""
        from metameter.meta.recommend.charts import recommendation_charts

        return recommendation_charts(self._deciding())


def readable_columns(name: str) -> list[str]:
    """The columns of a table that people read."""
    return list(_HEADINGS[name])


def paper_table(name: str, frame: pl.DataFrame) -> str:
    """A table as LaTeX, three decimals."""
    return to_latex(frame, columns=_HEADINGS[name], digits=3)
