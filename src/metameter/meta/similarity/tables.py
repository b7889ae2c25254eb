"""The table of `similarity`, one row per pair of metrics; in LaTeX, a triangle for every group."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.metric_groups import short_names
from metameter.meta.framework.metric_names import is_canonical
from metameter.stats.checks import Floats
from metameter.stats.proportional_metrics import first_proportional
from metameter.types import Scores
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, tabular

if TYPE_CHECKING:
    import polars as pl


#: Two metrics rank the systems nearly alike if their correlation is at least this.
SIMILAR = 0.9
#: A triangle of more metrics does not fit a page.
MOST_METRICS = 9
#: A statistic and the ends of its interval.
_Cell: TypeAlias = tuple[float | None, float | None, float | None]


def similarity_rows(
    pairs: list[tuple[str, int, int]],
    scores: Scores,
    coefficient: str,
    estimates: Floats,
    bounds: dict[str, Floats],
    interval: str,
) -> pl.DataFrame:
    """The correlation of every pair of metrics, its interval, and whether it is shown to be high."""
    import polars as pl

    frame = pl.DataFrame(
        {
            "group": [group for group, _, _ in pairs],
            "metric_a": [scores.metrics[a] for _, a, _ in pairs],
            "metric_b": [scores.metrics[b] for _, _, b in pairs],
            "coefficient": [coefficient] * len(pairs),
            "statistic": estimates,
            "low": bounds["low"],
            "high": bounds["high"],
            "systems": [len(scores.systems)] * len(pairs),
            "alike": pl.Series(_alike(pairs, scores, estimates, bounds), dtype=pl.Boolean),
            "interval": [interval] * len(pairs),
            "low_se": bounds["low_se"],
            "high_se": bounds["high_se"],
        }
    )
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def are_multiples(pairs: list[tuple[str, int, int]], scores: Scores) -> NDArray[np.bool_]:
    """Whether the scores of each pair of metrics are positive multiples of each other."""
    first = first_proportional(scores.matrix)
    return np.array([first[a] == first[b] for _, a, b in pairs], dtype=bool)


def _alike(
    pairs: list[tuple[str, int, int]], scores: Scores, estimates: Floats, bounds: dict[str, Floats]
) -> list[bool | None]:
    """Whether each correlation is shown to be at least `SIMILAR`, or below it; None where neither is shown."""
    if len(scores.systems) < FEWEST_SYSTEMS:
        return [None] * len(pairs)
    multiples = are_multiples(pairs, scores)
    # Fieller's interval of a correlation of 1 has width 0 for any number of systems, so it shows nothing.
    known = np.abs(estimates) < 1.0
    high, low = known & (bounds["low_all"] >= SIMILAR), known & (bounds["high_all"] < SIMILAR)
    defined = multiples & ~np.isnan(estimates)
    return [True if yes else False if no else None for yes, no in zip(defined | high, low, strict=True)]


def marked_names(names: list[str], group: str) -> list[str]:
    """The short names of the metrics of a group; canonical metrics are marked with a star.

    The name of the group, which stands above the matrix, is left out.

    Examples
    --------
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*max"], "RBP(p=0.8)")
    ['ERG*', 'max']
    >>> marked_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max"], "RBP(p=0.8)")
    ['ERG*', '@10 ERG*', '@10 max']
    >>> marked_names(["RBP(p=0.8)*ERG", "AP"], "all")  # a star within a name is not the mark
    ['RBP(p=0.8)*ERG *', 'AP']
    """
    shorter = short_names(names, group)
    if shorter == names and all(name.startswith(group) for name in names):
        without = [name[len(group) :].replace("*", " ").strip() for name in names]
        shorter = without if len(set(without)) == len(names) else names
    marks = [" *" if "*" in short else "*" for short in shorter]
    return [short + mark * is_canonical(name) for name, short, mark in zip(names, shorter, marks, strict=True)]


def matrices(table: pl.DataFrame) -> str:
    r"""Return a lower triangle for every group in LaTeX: the statistic, and below it its interval, if it has one.

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
    cells: dict[frozenset[str], _Cell] = {
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


def _rows(label: str, cells: list[_Cell], rest: list[str]) -> list[str]:
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
