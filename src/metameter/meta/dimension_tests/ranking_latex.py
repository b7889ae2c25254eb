"""How metrics rank as Tables 2 and 3 of Albahem et al. (2019) print it: columns grouped by set of simple metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import few_iterations, iterations_of, one_collection
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


_ABREAST = 20  # columns of ranks that fit both columns of a paper
_NARROW = 8  # and one of them


def ranking_latex(ranking: pl.DataFrame, caption: str, label: str) -> str:
    r"""A row a metric; for each set of simple metrics its ranks at the first, third and last iteration and over all.

    Parameters
    ----------
    ranking : polars.DataFrame
        The table ``intuitiveness_ranking`` or ``unanimity_ranking``; ``collection`` may be missing. The ranks over all
        collections are printed, if there are such rows; else those of the first.
    caption : str
        LaTeX, printed as it is.
    label : str

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"iteration": ["1", "2", "All"] * 2, "simple": ["Rel"] * 6,
    ...                       "metric": ["ACT"] * 3 + ["nCT"] * 3, "rank": [2, 1, 2, 1, 1, 1]})
    >>> print(ranking_latex(frame, "Ranks.", "tab:ranks"))
    \begin{table}
    \centering
    \caption{Ranks.}
    \label{tab:ranks}
    \begin{tabular}{lrrr}
    \toprule
     & \multicolumn{3}{c}{Rel} \\
    \cmidrule(lr){2-4}
    Metric/Iteration & 1 & 2 & All \\
    \midrule
    ACT & 2 & 1 & 2 \\
    nCT & 1 & 1 & 1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    rows, _ = one_collection(ranking)
    iterations = few_iterations(iterations_of(rows), third=True)
    cells = {
        (simple, iteration, metric): "" if rank is None else str(rank)
        for simple, iteration, metric, rank in rows.select("simple", "iteration", "metric", "rank").iter_rows()
    }
    sets = rows["simple"].unique(maintain_order=True).to_list()
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    abreast = max(1, _ABREAST // max(1, len(iterations)))
    lines: list[str] = []
    for start in range(0, len(sets), abreast):
        lines += _band(cells, sets[start : start + abreast], iterations, metrics)
    wide = min(abreast, len(sets)) * len(iterations) > _NARROW
    small = [r"\small\setlength{\tabcolsep}{4pt}"] * wide
    return "\n".join(table([*small, *lines], caption, label, environment="table*" if wide else "table"))


def _band(
    cells: dict[tuple[Any, Any, Any], str], sets: Sequence[Any], iterations: Sequence[Any], metrics: Sequence[Any]
) -> list[str]:
    """The sets that stand side by side."""
    each = len(iterations)
    body = [
        row([escape_latex(str(metric)), *(cells.get((s, i, metric), "") for s in sets for i in iterations)])
        for metric in metrics
    ]
    names = [escape_latex(str(name)) for name in sets]
    if each == 1:
        head = [row(["Metric", *names])]
    else:
        over = [rf"\multicolumn{{{each}}}{{c}}{{{name}}}" for name in names]
        rules = " ".join(rf"\cmidrule(lr){{{2 + each * n}-{1 + each * (n + 1)}}}" for n in range(len(sets)))
        steps = [escape_latex(str(iteration)) for _ in sets for iteration in iterations]
        head = [row(["", *over]), rules, row(["Metric/Iteration", *steps])]
    return tabular("l" + "r" * (each * len(sets)), head, body)
