"""Metrics in blocks, one for every browsing model, as Table 3 of Chen and Sakai (2023) prints them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from metameter.errors import MetameterError
from metameter.notation import parse
from metameter.view.escape import escape_latex

if TYPE_CHECKING:
    import polars as pl

__all__ = ["short_names", "table3"]

ABREAST = 3  # with names such as PE(beta=0.5) no more fit an A4 page


def short_names(names: list[str], group: str) -> list[str]:
    """What tells the metrics of a group apart: their aggregations, if no two have the same one.

    Examples
    --------
    >>> short_names(["RBP(p=0.8)*ERG", "RBP(p=0.8)*PE(beta=0.5)"], "RBP(p=0.8)")
    ['ERG', 'PE(beta=0.5)']
    >>> short_names(["Prec@5*ERG", "Prec@10*ERG"], "Prec")
    ['Prec@5*ERG', 'Prec@10*ERG']
    """
    if group in ("all", "other"):
        return names
    short = [_aggregation(name) for name in names]
    return short if len(set(short)) == len(names) else names


def _aggregation(name: str) -> str:
    try:
        found = parse(name)
    except MetameterError:
        return name
    return str(found.right) if found.right else name


def table3(frame: pl.DataFrame, caption: str, label: str) -> str:
    r"""A ``table*`` with a block for every group, best metric first; a raised number says how many it beats.

    Parameters
    ----------
    frame : polars.DataFrame
        ``group``, ``metric``, ``mean_tau``, ``beats``, ``canonical``.
    caption : str
        LaTeX, printed as it is.
    label : str

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"group": ["Prec"] * 2, "metric": ["Prec@10*max", "Prec@10*ERG"],
    ...                       "mean_tau": [0.6, 0.755], "beats": [0, 1], "canonical": [False, True]})
    >>> print(table3(frame, "Mean $\\tau$.", "tab:consistency"))
    \begin{table*}
    \centering
    \caption{Mean $\tau$.}
    \label{tab:consistency}
    \small\setlength{\tabcolsep}{4pt}
    \begin{tabular}{lr}
    \toprule
    \multicolumn{2}{c}{Prec} \\
    \midrule
    ERG*\textsuperscript{1} & 0.755 \\
    max & 0.600 \\
    \bottomrule
    \end{tabular}
    \end{table*}
    """
    parts = [_block(part) for part in frame.partition_by("group", maintain_order=True)]
    bands = [parts[start : start + ABREAST] for start in range(0, len(parts), ABREAST)]
    width = max(len(band) for band in bands)
    body = [line for band in bands for line in _band(band, width)]
    return "\n".join(
        [
            r"\begin{table*}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            r"\small\setlength{\tabcolsep}{4pt}",
            rf"\begin{{tabular}}{{{'lr' * width}}}",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
        ]
    )


def _block(part: pl.DataFrame) -> tuple[str, list[str]]:
    group = str(part["group"][0])
    names = short_names(part["metric"].to_list(), group)
    rows = zip(names, part["mean_tau"], part["beats"], part["canonical"], strict=True)
    # sorted() keeps the order asked among equals.
    return group, [_cell(*row) for row in sorted(rows, key=lambda row: -row[1])]


def _cell(name: str, mean: float, beats: int | None, canonical: bool) -> str:
    mark = rf"\textsuperscript{{{beats}}}" if beats else ""
    return f"{escape_latex(name)}{'*' if canonical else ''}{mark} & {mean:.3f}".replace("-0.000", "0.000")


def _band(blocks: list[tuple[str, list[str]]], width: int) -> list[str]:
    short = [" & "] * (width - len(blocks))
    heads = [rf"\multicolumn{{2}}{{c}}{{{escape_latex(group)}}}" for group, _ in blocks]
    rows = zip_longest(*(cells for _, cells in blocks), fillvalue=" & ")
    return [r"\toprule", _line([*heads, *short]), r"\midrule", *(_line([*row, *short]) for row in rows)]


def _line(cells: list[str]) -> str:
    line = " & ".join(cells)
    # What follows a rule or a line end in brackets, or a star, would be read as its option.
    return ("{}" if line.startswith(("[", "*", "(")) else "") + line.rstrip() + r" \\"
