"""Tables for a paper: LaTeX with booktabs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from metameter.errors import did_you_mean, refuse
from metameter.view.cells import DECIMALS, is_number, rounded
from metameter.view.escape import escape_latex

if TYPE_CHECKING:
    import polars as pl

__all__ = ["to_latex"]


def to_latex(
    frame: pl.DataFrame,
    caption: str | None = None,
    label: str | None = None,
    columns: Sequence[str] | Mapping[str, str] | None = None,
    marks: Mapping[str, Collection[int]] | None = None,
    digits: int = DECIMALS,
) -> str:
    r"""Write a table as LaTeX; it needs ``\usepackage{booktabs}`` and nothing else.

    Parameters
    ----------
    frame : polars.DataFrame
    caption, label : str, optional
        With either of them the tabular stands in a ``table`` environment.
    columns : sequence or mapping, optional
        Which columns, in which order; a mapping gives them other headings. All text is escaped.
    marks : mapping of column to row numbers, optional
        The cells to print in bold, such as the best of each column.
    digits : int
        Decimals.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"run_id": ["a_1", "b"], "mean": [0.5, 0.25]})
    >>> print(to_latex(frame, marks={"mean": [0]}))
    \begin{tabular}{lr}
    \toprule
    run\_id & mean \\
    \midrule
    a\_1 & \textbf{0.5000} \\
    b & 0.2500 \\
    \bottomrule
    \end{tabular}
    """
    headings = _headings(frame, columns)
    chosen = frame.select(list(headings))
    alignment = "".join("r" if number else "l" for number in is_number(chosen))
    lines = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _line([escape_latex(heading) for heading in headings.values()]),
        r"\midrule",
        *_body(chosen, marks or {}, digits),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines if caption is None and label is None else _float(lines, caption, label))


def _headings(frame: pl.DataFrame, columns: Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    names = frame.columns if columns is None else columns
    for name in names:
        if name not in frame.columns:
            refuse("no such column", given=name, fix=did_you_mean(name, frame.columns))
    return dict(names) if isinstance(names, Mapping) else {name: name for name in names}


def _body(frame: pl.DataFrame, marks: Mapping[str, Collection[int]], digits: int) -> list[str]:
    lines = []
    for number, row in enumerate(frame.iter_rows()):
        cells = [escape_latex(rounded(value, digits)) for value in row]
        bold = [number in marks.get(column, ()) for column in frame.columns]
        lines.append(_line([rf"\textbf{{{cell}}}" if mark else cell for cell, mark in zip(cells, bold, strict=True)]))
    return lines


def _line(cells: list[str]) -> str:
    line = " & ".join(cells)
    # What follows the \\ or \midrule before this line would be read as its option.
    return ("{}" if line.startswith(("[", "*", "(")) else "") + line + r" \\"


def _float(lines: list[str], caption: str | None, label: str | None) -> list[str]:
    said = [] if caption is None else [rf"\caption{{{escape_latex(caption)}}}"]
    # A label is a key and never printed: characters that LaTeX would act on are left out.
    if label is not None:
        said.append(rf"\label{{{''.join(char for char in label if char.isalnum() or char in ':-.')}}}")
    return [r"\begin{table}", r"\centering", *said, *lines, r"\end{table}"]
