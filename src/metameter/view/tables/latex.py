"""Tables for a paper: LaTeX with booktabs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from metameter.errors import did_you_mean, refuse
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import DECIMALS, is_number, rounded_column

if TYPE_CHECKING:
    import polars as pl


#: The greatest number of rows in LaTeX.
MOST_ROWS = 1000


def first_rows_latex(frame: pl.DataFrame, of: int | None = None) -> str:
    """A table as LaTeX; of a long one the first 1,000 rows and a comment on the others.

    Parameters
    ----------
    frame : polars.DataFrame
    of : int, optional
        How many rows there were before some were left out; by default as many as there are.
    """
    text, left = to_latex(frame.head(MOST_ROWS)), (of or frame.height) - min(frame.height, MOST_ROWS)
    return f"{text}\n% and {left:,} more rows: the CSV file has all of them" if left > 0 else text


def latex_file(text: str) -> str:
    r"""The content of a LaTeX file: a comment on the packages needed, then the table.

    Examples
    --------
    >>> print(latex_file("x"), end="")
    % This compiles with pdflatex and \usepackage{booktabs}; no other package is needed.
    x
    """
    return f"% This compiles with pdflatex and \\usepackage{{booktabs}}; no other package is needed.\n{text}\n"


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
    heading = [escape_latex(text) for text in headings.values()]
    lines = tabular(alignment, [row(heading)], _body(chosen, marks or {}, digits))
    if caption is None and label is None:
        return "\n".join(lines)
    return "\n".join(table(lines, None if caption is None else escape_latex(caption), label))


def row(cells: Sequence[str]) -> str:
    r"""A line of a tabular; the cells are LaTeX already.

    Examples
    --------
    >>> print(row(["[a]", "0.5"]))
    {}[a] & 0.5 \\
    """
    line = " & ".join(cells)
    # Brackets or a star after the \\ or \midrule before this line would be read as its option.
    return ("{}" if line.startswith(("[", "*", "(")) else "") + line + r" \\"


def tabular(alignment: str, head: Sequence[str], body: Sequence[str]) -> list[str]:
    """The lines of a tabular, with a rule above, below and between its heading and its body."""
    begin, end = rf"\begin{{tabular}}{{{alignment}}}", r"\end{tabular}"
    return [begin, r"\toprule", *head, r"\midrule", *body, r"\bottomrule", end]


def table(
    lines: Sequence[str], caption: str | None = None, label: str | None = None, *, environment: str = "table"
) -> list[str]:
    r"""The lines in a floating environment under a caption, which is LaTeX already.

    Examples
    --------
    >>> print("\n".join(table(["x"], "Means of 50\\%.", "tab:means_")))
    \begin{table}
    \centering
    \caption{Means of 50\%.}
    \label{tab:means}
    x
    \end{table}
    """
    heading = [] if caption is None else [rf"\caption{{{caption}}}"]
    # A label is a key and never printed: characters that LaTeX would act on are left out.
    if label is not None:
        heading.append(rf"\label{{{''.join(char for char in label if char.isalnum() or char in ':-.')}}}")
    return [rf"\begin{{{environment}}}", r"\centering", *heading, *lines, rf"\end{{{environment}}}"]


def _headings(frame: pl.DataFrame, columns: Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    names = frame.columns if columns is None else columns
    for name in names:
        if name not in frame.columns:
            refuse("no such column", given=name, fix=did_you_mean(name, frame.columns))
    return dict(names) if isinstance(names, Mapping) else {name: name for name in names}


def _body(frame: pl.DataFrame, marks: Mapping[str, Collection[int]], digits: int) -> list[str]:
    columns = {column.name: _cells(column, digits) for column in frame}
    for name, rows in marks.items():
        cells = columns.get(name, [])
        for number in rows:
            if 0 <= number < len(cells):
                cells[number] = rf"\textbf{{{cells[number]}}}"
    return [row(cells) for cells in zip(*columns.values(), strict=True)]


def _cells(column: pl.Series, digits: int) -> list[str]:
    # Numbers need no escaping; names repeat, so each is escaped once.
    texts = rounded_column(column, digits)
    if column.dtype.is_numeric():
        return [text.replace("<", "$<$") for text in texts]  # a p-value below the last digit
    escaped = {text: escape_latex(text) for text in dict.fromkeys(texts)}
    return [escaped[text] for text in texts]
