"""Agreement of the two rankings as Table 4 of Albahem et al. (2019) prints it: a row an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.shown_rows import iterations_of, one_collection
from metameter.view.escape import escape_latex
from metameter.view.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl

__all__ = ["agreement_latex"]

_NARROW = 6  # columns that fit one column of a paper


def agreement_latex(correlations: pl.DataFrame, alpha: float = 0.05) -> str:
    r"""A column a set of simple metrics: Spearman's rho, with a star where it is significant.

    Parameters
    ----------
    correlations : polars.DataFrame
        The table ``agreement``; ``collection`` may be missing. What holds over all collections is printed, if there are
        such rows; else the first collection, and the caption says so.
    alpha : float
        A star stands where the p-value is below.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"iteration": ["1", "10", "All"] * 2, "simple": ["Rel"] * 3 + ["Div"] * 3,
    ...                       "rho": [0.44, 0.8, 0.89, 0.94, 0.96, None], "p": [0.32, 0.03, 0.007, 0.002, 0.001, None],
    ...                       "n": [7] * 6})
    >>> print("\n".join(agreement_latex(frame).splitlines()[4:-1]))
    \begin{tabular}{lll}
    \toprule
    Iteration & Rel & Div \\
    \midrule
    1 & 0.44 & 0.94* \\
    10 & 0.80* & 0.96* \\
    All & 0.89* & -- \\
    \bottomrule
    \end{tabular}
    """
    rows, which = one_collection(correlations)
    found = rows.select("iteration", "simple", "rho", "p").iter_rows()
    cells = {(iteration, simple): _cell(rho, p, alpha) for iteration, simple, rho, p in found}
    sets = rows["simple"].unique(maintain_order=True).to_list()
    head = [row(["Iteration", *(escape_latex(str(simple)) for simple in sets)])]
    body = [
        row([escape_latex(str(iteration)), *(cells.get((iteration, simple), "") for simple in sets)])
        for iteration in iterations_of(rows)
    ]
    caption = (
        r"Spearman's $\rho$ between the ranking of the metrics by intuitiveness and that by unanimity. "
        rf"*: $p < {alpha:g}$. {escape_latex(which)}"
    )
    environment = "table*" if len(sets) > _NARROW else "table"
    lines = tabular("l" * (1 + len(sets)), head, body)
    return "\n".join(table(lines, caption.strip(), "tab:agreement", environment=environment))


def _cell(rho: float | None, p: float | None, alpha: float) -> str:
    if rho is None or rho != rho:
        return "--"
    text = f"{abs(rho):.2f}"
    sign = "$-$" if rho < 0 and float(text) else ""
    return f"{sign}{text}{'*' if p is not None and p < alpha else ''}"
