"""Correlations between metrics as papers print them: a triangle for every browsing model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.similarity.tables import marked_names
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, tabular

if TYPE_CHECKING:
    import polars as pl


MOST_METRICS = 9  # more columns do not fit a page

Cell = tuple[float | None, float | None, float | None]


def matrices(table: pl.DataFrame) -> str:
    r"""A lower triangle for every group: the statistic, and below it its interval, if it has one.

    Parameters
    ----------
    table : polars.DataFrame
        ``group``, ``metric_a``, ``metric_b``, ``statistic``, ``low``, ``high``; every pair of a group once.

    Examples
    --------
    >>> import polars as pl
    >>> row = {"group": "RBP(p=0.8)", "metric_a": "RBP(p=0.8)*ERG", "metric_b": "RBP(p=0.8)*max",
    ...        "statistic": 0.9, "low": 0.8, "high": 0.95}
    >>> print(matrices(pl.DataFrame([row])))
    {\noindent\small\setlength{\tabcolsep}{2pt}
    \begin{tabular}{lc}
    \toprule
    RBP(p=0.8) & ERG* \\
    \midrule
    max & 0.900 \\
     & {\scriptsize [0.80, 0.95]} \\
    \bottomrule
    \end{tabular}}
    """
    parts = table.partition_by("group", maintain_order=True)
    return "\n\n\\bigskip\n".join(_triangle(part) for part in parts)


def _triangle(part: pl.DataFrame) -> str:
    import polars as pl

    group = str(part["group"][0])
    names = pl.concat([part["metric_a"], part["metric_b"]]).unique(maintain_order=True).to_list()
    labels = [escape_latex(label) for label in marked_names(names, group)]
    cells: dict[frozenset[str], Cell] = {
        frozenset((a, b)): (value, low, high)
        for a, b, value, low, high in part.select("metric_a", "metric_b", "statistic", "low", "high").iter_rows()
    }
    head = [row([escape_latex(group), *labels[:-1]])]
    body = []
    for i in range(1, len(names)):
        own = [cells[frozenset((names[i], other))] for other in names[:i]]
        body += _rows(labels[i], own, [""] * (len(names) - 1 - i))
    lines = tabular(f"l{'c' * (len(names) - 1)}", head, body)
    return "\n".join([r"{\noindent\small\setlength{\tabcolsep}{2pt}", *lines]) + "}"


def _rows(label: str, cells: list[Cell], rest: list[str]) -> list[str]:
    values = ["" if value is None else _number(value, 3) for value, _, _ in cells]
    rows = [row([label, *values, *rest])]
    if any(low is not None for _, low, _ in cells):
        rows.append(row(["", *(_interval(low, high) for _, low, high in cells), *rest]))
    return rows


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return rf"{{\scriptsize [{_number(low, 2)}, {_number(high, 2)}]}}"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    text = text.removeprefix("-") if not text.strip("-0.") else text
    return f"${text}$" if text.startswith("-") else text
