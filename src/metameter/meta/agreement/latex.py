"""Agreement of the two rankings as Table 4 of Albahem et al. (2019) prints it: a row an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import iterations_of, one_collection
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


_NARROW = 6  # columns that fit one column of a paper
_NULL = (
    r"In parentheses: its mean with the metrics permuted at random within topics, where both rankings share nothing "
    r"but noise; $p$: how often $\rho$ is then as high. "
)


def agreement_latex(correlations: pl.DataFrame, alpha: float = 0.05) -> str:
    r"""A column a set of simple metrics: Spearman's rho, and in parentheses that of swapped metrics where it is known.

    Parameters
    ----------
    correlations : polars.DataFrame
        The table ``agreement``; ``collection`` may be missing. What holds over all collections is printed, if there are
        such rows; else the first collection, and the caption says so.
    alpha : float
        A star stands where the p-value (of swapped metrics) is below.

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
    cells = {(of["iteration"], of["simple"]): _cell(of, alpha) for of in rows.iter_rows(named=True)}
    sets = rows["simple"].unique(maintain_order=True).to_list()
    head = [row(["Iteration", *(escape_latex(str(simple)) for simple in sets)])]
    body = [
        row([escape_latex(str(iteration)), *(cells.get((iteration, simple), "") for simple in sets)])
        for iteration in iterations_of(rows)
    ]
    caption = (
        r"Spearman's $\rho$ between the ranking of the metrics by intuitiveness and that by unanimity. "
        rf"{_NULL if 'null_mean' in rows.columns else ''}*: $p < {alpha:g}$. {escape_latex(which)}"
    )
    environment = "table*" if len(sets) > _NARROW else "table"
    lines = tabular("l" * (1 + len(sets)), head, body)
    return "\n".join(table(lines, caption.strip(), "tab:agreement", environment=environment))


def _cell(of: dict[str, Any], alpha: float) -> str:
    rho, p, null = of["rho"], of["p"], of.get("null_mean")
    if rho is None or rho != rho:
        return "--"
    star = "*" if p is not None and p < alpha else ""
    return f"{_number(rho)}{star}" + ("" if null is None else f" ({_number(null)})")


def _number(value: float) -> str:
    text = f"{abs(value):.2f}"
    return f"{'$-$' if value < 0 and float(text) else ''}{text}"
