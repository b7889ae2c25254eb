"""Charts of a report: the title is text of the page, and a caption says in words what the chart shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.meta.base import Telling
from metameter.view.charts.export import spec_json
from metameter.view.charts.specification import specifications
from metameter.view.escape import visible
from metameter.view.metric_names import in_table
from metameter.view.tables.cells import rounded
from metameter.view.tables.columns import heading, label_of

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result


_NAMES = ("metric", "metric_a", "metric_b", "system")


@dataclass(frozen=True)
class Figure:
    """A chart: its name, its title, what it shows in words, and its specification."""

    name: str
    title: str
    caption: str
    spec: str

    @property
    def convergence(self) -> bool:
        """Whether it only shows that a simulation had enough draws."""
        return self.name.endswith("_convergence")


def figures(result: Result, tellings: Mapping[str, Telling]) -> list[Figure]:
    """All charts of a result, the most important first.

    Parameters
    ----------
    result : Result
    tellings : mapping
        Chart -> which column its caption is about.
    """
    with specifications():
        charts = result.charts()
    # A caption is about the table that the chart shows: the one of its name, if there is one.
    tables = {name: in_table(result.tables.get(name, result.table), result.names) for name in charts}
    return [figure(name, chart, tables[name], tellings.get(name)) for name, chart in charts.items()]


def figure(name: str, chart: Any, table: pl.DataFrame | None = None, telling: Telling | None = None) -> Figure:
    """One chart without its title, and a caption on the highest and the lowest value of a column."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    title = spec.pop("title", None) or label_of(name)
    # The subtitle of the chart goes into the caption below it.
    below = title.get("subtitle") or [] if isinstance(title, dict) else []
    title = visible(str(title.get("text", "") if isinstance(title, dict) else title))
    lines = [below] if isinstance(below, str) else list(below)
    ends = "" if telling is None or table is None else summary(table, telling)
    caption = " ".join(filter(None, [*map(visible, lines), ends]))
    # Screen readers read the description.
    spec["description"] = f"{title}. {caption}".replace("?.", "?").strip()
    return Figure(name, title, caption, spec_json(spec))


def summary(table: pl.DataFrame, telling: Telling) -> str:
    """A sentence on the highest and the lowest value of a column; empty if there is no such column.

    Examples
    --------
    >>> import polars as pl
    >>> summary(pl.DataFrame({"metric": ["AP", "RR"], "power": [0.5, 0.25]}), Telling("power"))
    'Highest power: AP (0.500); lowest: RR (0.250).'
    """
    import polars as pl

    column = telling.column
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
    return f"{telling.highest or f'Highest {heading(column)}'}: {first}; {telling.lowest}: {last}."
