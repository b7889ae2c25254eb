"""Metrics in blocks, one per browsing model, as Table 3 of Chen and Sakai (2023) prints them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from metameter.meta.consistency.text import ABOUT_SPLITS
from metameter.meta.framework.metric_groups import short_names
from metameter.meta.framework.sampling import OTHERS
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


ABREAST = 3  # with names such as PE(beta=0.5), more do not fit an A4 page


def blocks_table(frame: pl.DataFrame, caption: str, label: str) -> str:
    r"""A ``table*`` with one block per group, best metric first; a raised number says how many metrics it beats.

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
    >>> print(blocks_table(frame, "Mean $\\tau$.", "tab:consistency"))
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
    (head, body), *further = (_band(band, width) for band in bands)
    for heading, rows in further:
        body += [r"\toprule", heading, r"\midrule", *rows]
    lines = [r"\small\setlength{\tabcolsep}{4pt}", *tabular("lr" * width, [head], body)]
    return "\n".join(table(lines, caption, label, environment="table*"))


def _block(part: pl.DataFrame) -> tuple[str, list[str]]:
    group = str(part["group"][0])
    names = short_names(part["metric"].to_list(), group)
    rows = zip(names, part["mean_tau"], part["beats"], part["canonical"], strict=True)
    # sorted() keeps the order of equal means.
    return group, [_cell(*each) for each in sorted(rows, key=lambda each: -each[1])]


def _cell(name: str, mean: float, beats: int | None, canonical: bool) -> str:
    mark = rf"\textsuperscript{{{beats}}}" if beats else ""
    return f"{escape_latex(name)}{'*' if canonical else ''}{mark} & {mean:.3f}".replace("-0.000", "0.000")


def _band(blocks: list[tuple[str, list[str]]], width: int) -> tuple[str, list[str]]:
    """The heading and the rows of blocks side by side; a block that is missing or shorter is left empty."""
    empty = [" & "] * (width - len(blocks))
    heads = [rf"\multicolumn{{2}}{{c}}{{{escape_latex(group)}}}" for group, _ in blocks]
    rows = zip_longest(*(cells for _, cells in blocks), fillvalue=" & ")
    return _row([*heads, *empty]), [_row([*cells, *empty]) for cells in rows]


def _row(blocks: list[str]) -> str:
    return row([" & ".join(blocks).rstrip()])


def caption_of(options: dict[str, Any]) -> str:
    """The caption as LaTeX, with its symbols set as mathematics."""
    splits, tested, trials = (f"{options[name]:,}" for name in ("splits", "tested", "trials"))
    caption = (
        rf"System ranking consistency: mean $\tau$ over $B$ = {splits} splits of the {options['topics']} topics into "
        f"halves, {options['systems']} systems. The asterisk marks the canonical aggregation."
    )
    if options["paper_marks"]:
        return (
            rf"{caption} A raised $j$: significantly better ($p_\mathrm{{splits}} < {options['alpha']:g}$) than the "
            rf"worst $j$ of its block, by a randomised Tukey HSD test over {tested} splits with {trials} trials. "
            rf"{escape_latex(ABOUT_SPLITS)}"
        )
    if not options["resamples"]:
        return caption
    level = escape_latex(f"{100 * (1 - options['alpha']):.4g}%")
    return (
        f"{caption} A raised $j$: shown to be more consistent than $j$ metrics that it is compared with, by {level} "
        f"intervals for {OTHERS[options['resample']]} that hold for all pairs at once."
    )
