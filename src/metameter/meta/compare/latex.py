"""Means with marks of significance, as papers print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metameter.stats.significance.compact_letter_display import abbreviated_letters
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import rounded
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


_ABREAST = 6


def marked_means(
    means: pl.DataFrame, against: pl.DataFrame | None, baseline: Sequence[str], alpha: float, caption: str
) -> str:
    r"""A LaTeX table of the means, one column per metric, the best in bold.

    Without a baseline every mean carries the letters of its groups. With baselines, which are numbered, a number above
    the mean says that it is significantly higher than this baseline, a number below that it is significantly lower, by
    the table of the comparisons with baselines.

    Examples
    --------
    >>> import polars as pl
    >>> means = pl.DataFrame({"metric": ["AP"] * 2, "system": ["a_1", "b"], "mean": [0.5, 0.2], "group": ["a", "b"]})
    >>> print(marked_means(means, None, (), 0.05, "Means."))
    \begin{table}
    \centering
    \caption{Means.}
    \begin{tabular}{ll}
    \toprule
    system & AP \\
    \midrule
    a\_1 & \textbf{0.5000}\textsuperscript{a} \\
    b & 0.2000\textsuperscript{b} \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    metrics = means["metric"].unique(maintain_order=True).to_list()
    cells = _cells(means, None if against is None else _against(against, baseline, alpha))
    systems = means["system"].unique(maintain_order=True).to_list()
    names = {name: _numbered(name, baseline) for name in systems}
    lines = []
    for start in range(0, len(metrics), _ABREAST):
        some = metrics[start : start + _ABREAST]
        rows = [row([names[system], *(cells[metric, system] for metric in some)]) for system in systems]
        lines += tabular("l" * (1 + len(some)), [row(["system", *map(escape_latex, some)])], rows)
    return "\n".join(table(lines, escape_latex(caption)))


def _numbered(name: str, baseline: Sequence[str]) -> str:
    safe = escape_latex(name)
    return f"{safe} ({baseline.index(name) + 1})" if name in baseline else safe


def _cells(means: pl.DataFrame, against: dict[tuple[str, str], tuple[str, str]] | None) -> dict[tuple[str, str], str]:
    best = {metric: means.filter(means["metric"] == metric)["mean"].max() for metric in means["metric"].unique()}
    cells = {}
    for metric, system, mean, group in means.select("metric", "system", "mean", "group").iter_rows():
        text = rf"\textbf{{{rounded(mean)}}}" if mean == best[metric] else rounded(mean)
        if against is None:
            cells[metric, system] = rf"{text}\textsuperscript{{{abbreviated_letters(group).replace('-', '--')}}}"
            continue
        marks = zip("^_", against.get((metric, system), ("", "")), strict=True)
        scripts = "".join(f"{sign}{{{numbers}}}" for sign, numbers in marks if numbers)
        cells[metric, system] = f"{text}${scripts}$" if scripts else text
    return cells


def _against(compared: pl.DataFrame, baseline: Sequence[str], alpha: float) -> dict[tuple[str, str], tuple[str, str]]:
    import polars as pl

    marks: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    numbers = {name: str(number) for number, name in enumerate(baseline, start=1)}
    significant = compared.filter(pl.col("p") < alpha).select("metric", "system", "baseline", "difference")
    for metric, a, b, difference in significant.iter_rows():
        # Of two baselines each is marked with the number of the other.
        for system, other, gain in ((a, b, difference), (b, a, -difference)):
            if other in numbers:
                marks.setdefault((metric, system), ([], []))[gain < 0].append(numbers[other])
    return {key: (",".join(sorted(up, key=int)), ",".join(sorted(down, key=int))) for key, (up, down) in marks.items()}
