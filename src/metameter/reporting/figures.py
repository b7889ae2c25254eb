"""Charts as a report shows them: the title in the page's own words, and what is seen said in words too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.reporting.glossary import heading, label_of
from metameter.view.cells import rounded
from metameter.view.charts.page import spec_json
from metameter.view.escape import visible

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result

__all__ = ["Figure", "figures", "summary"]

# Chart -> the column whose ends say most.
_TELLING = {
    "similarity": "statistic",
    "consistency": "mean_tau",
    "power": "power",
    "power_curve": "power",
    "required_difference": "required_share",
    "recommendation": "power_difference",
    "compare": "mean",
    "satisfaction": "tau_b",
    "preference": "agreement",
}
_ENDS = {"statistic": ("Most alike", "least alike"), "required_share": ("Largest share", "smallest")}
_NAMES = ("metric", "metric_a", "metric_b", "system")


@dataclass(frozen=True)
class Figure:
    """A chart: its name, its title, what it shows in words, and its specification."""

    name: str
    title: str
    caption: str
    spec: str

    @property
    def settling(self) -> bool:
        """Whether it only shows that a simulation drew often enough."""
        return self.name.endswith("_convergence")


def figures(result: Result) -> list[Figure]:
    """All charts of a result, the most important first."""
    from altair.utils.schemapi import debug_mode

    # The builders are tested; checking every value against the schema once more would double the time.
    with debug_mode(False):
        return [_figure(name, chart, result) for name, chart in result.charts().items()]


def _figure(name: str, chart: Any, result: Result) -> Figure:
    spec: dict[str, Any] = chart.to_dict(validate=False)
    title = spec.pop("title", None) or label_of(name)
    # What a chart says below its title the page says below the chart.
    how = title.get("subtitle") or [] if isinstance(title, dict) else []
    title = visible(str(title.get("text", "") if isinstance(title, dict) else title))
    told = [how] if isinstance(how, str) else list(how)
    caption = " ".join(filter(None, [*map(visible, told), summary(result.table, _TELLING.get(name, ""))]))
    # What a screen reader says of the drawing.
    spec["description"] = f"{title}. {caption}".replace("?.", "?").strip()
    return Figure(name, title, caption, spec_json(spec))


def summary(table: pl.DataFrame, column: str) -> str:
    """The two ends of a column in words; nothing if there is no such column.

    Examples
    --------
    >>> import polars as pl
    >>> summary(pl.DataFrame({"metric": ["AP", "RR"], "power": [0.5, 0.25]}), "power")
    'Highest power: AP (0.500); lowest: RR (0.250).'
    """
    import polars as pl

    named = [name for name in _NAMES if name in table.columns]
    if not named or column not in table.columns or not table.schema[column].is_numeric():
        return ""
    known = table.filter(pl.col(column).is_not_null()).sort(column, descending=True, maintain_order=True)
    if not known.height:
        return ""
    first, last = (
        f"{visible(' and '.join(str(row[name]) for name in named))} ({rounded(row[column], 3)})"
        for row in (known.row(0, named=True), known.row(-1, named=True))
    )
    if known.height > 1 and known[column].n_unique() == 1:
        return f"All have the same {heading(column)}: {rounded(known[column][0], 3)}."
    high, low = _ENDS.get(column, (f"Highest {heading(column)}", "lowest"))
    return f"{high}: {first}; {low}: {last}."
