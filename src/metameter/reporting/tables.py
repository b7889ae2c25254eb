"""Tables as a report shows them: constant columns above the table, intervals in one column, long tables cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.verdicts import VERDICT_COLUMN
from metameter.view.metric_names import in_latex, in_table
from metameter.view.result import Result
from metameter.view.tables.cells import is_p, plain, rounded, rounded_p
from metameter.view.tables.columns import heading, is_error, other_end
from metameter.view.tables.csv import to_csv
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl


NAMES = ("metric", "metric_a", "metric_b", "system", "system_a", "system_b", "topic")
MOST_ROWS, FIRST_ROWS = 400, 100
# Columns that stay in the table even if all rows have the same value: readers look for them.
_ALWAYS = frozenset({*NAMES, "verdict", "canonical"})
CLOSE = "close_call"


@dataclass(frozen=True)
class ShownTable:
    """A table as the report shows it.

    Attributes
    ----------
    name, key : str
        The table's name, and one that is unique in the page.
    columns : list of ShownColumn
    same : list of (str, str)
        Columns whose value is the same in all rows.
    rows, total : int
        How many rows are shown, and how many there are.
    csv, latex : str
        The files of the download buttons: the rows shown, in full precision.
    column_meanings : mapping
        Column -> what it means.
    close : frozenset of int
        The rows whose verdict is a close call.
    marked : mapping
        The rows that are marked, and why.
    canonical : mapping
        The name that is shown of a metric -> its canonical name.
    """

    name: str
    key: str
    columns: list[ShownColumn]
    same: list[tuple[str, str]]
    rows: int
    total: int
    csv: str
    latex: str
    column_meanings: Mapping[str, str] = field(default_factory=dict)
    close: frozenset[int] = frozenset()
    marked: Mapping[int, str] = field(default_factory=dict)
    canonical: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_errors(self) -> bool:
        """Whether there are columns of Monte-Carlo errors."""
        return any(is_error(column.name) for column in self.columns)

    @property
    def row_by_row(self) -> bool:
        """Whether every row is about a different metric."""
        names = [text for column in self.columns if column.name == "metric" for text, _ in column.cells]
        return bool(names) and len(set(names)) == len(names)

    @property
    def by_p(self) -> bool:
        """Whether the rows of a cut table are those with the smallest p-values."""
        return any(column.name == "p" for column in self.columns)

    @property
    def meanings(self) -> list[tuple[str, str]]:
        """The headings of the columns that are explained, with their meanings."""
        explained = [column for column in self.columns if column.name in self.column_meanings]
        # An interval stands in the place of its lower end.
        return [
            (column.heading, self.column_meanings[column.name].removeprefix("lower end of ")) for column in explained
        ]


def shown_tables(result: Result, meanings: Mapping[str, str] | None = None, suffix: str = "") -> list[ShownTable]:
    """All tables of a result; of more than 400 rows 100: those with the smallest p-values, else the first."""
    short = {name: _cut(differences_first(frame)) for name, frame in result.tables.items()}
    # Some results print what their numbers mean, such as "< 0.0001" for a p-value.
    printed = replace(result, tables=short)
    papers = printed.latex() if type(result).latex is not Result.latex else {}
    tables = []
    for name, frame in short.items():
        total = result.tables[name].height
        readable = printed.readable(name)
        paper = papers[name] if name in papers else to_latex(readable)
        tables.append(
            shown_table(
                *(name, frame, readable, paper), meanings=meanings, total=total, suffix=suffix, names=result.names
            )
        )
    return tables


def shown_table(
    name: str,
    frame: pl.DataFrame,
    readable: pl.DataFrame | None = None,
    latex: str | None = None,
    *,
    meanings: Mapping[str, str] | None = None,
    total: int | None = None,
    suffix: str = "",
    marked: Mapping[int, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> ShownTable:
    """One table.

    Parameters
    ----------
    name : str
    frame : polars.DataFrame
    readable : polars.DataFrame, optional
        The table as people read it: some columns as text, some left out.
    latex : str, optional
        The table as a paper prints it.
    meanings : mapping, optional
        Column -> what it means.
    total : int, optional
        How many rows there are in all.
    suffix : str
        Tells tables of the same name apart.
    marked : mapping, optional
        The rows to mark, and why.
    names : mapping, optional
        Metric -> the name that people see, in the page and in LaTeX, but not in CSV.

    Examples
    --------
    >>> import polars as pl
    >>> power = shown_table("power", pl.DataFrame({"metric": ["AP", "RR"], "pairs": [3, 3], "power": [1 / 3, 0.0]}))
    >>> power.same, [column.cells[0] for column in power.columns]
    ([('pairs', '3')], [('AP', ''), ('0.333', '0.3333333333333333')])
    >>> means = pl.DataFrame({"system": ["a", "b"], "RBP(p=0.8)*ERG": [0.25, 0.5]})
    >>> [column.name for column in shown_table("means", means, names={"RBP(p=0.8)*ERG": "RBP(0.8)"}).columns]
    ['system', 'RBP(0.8)']
    """
    names = names or {}
    readable = in_table(frame if readable is None else readable, names)
    cut = total is not None and total > frame.height
    matrix = {column for column in frame.columns if column != VERDICT_COLUMN.name and _are_verdicts(frame[column])}
    same = {column: _same(readable, column) for column in readable.columns if not cut and column not in matrix}
    constant = {column: value for column, value in same.items() if value is not None}
    # That a verdict is a close call is said beside it.
    beside = {CLOSE} if "verdict" in readable.columns else set()
    left = [column for column in readable.columns if column not in constant and column not in beside]
    columns = shown_columns(in_table(frame, names), readable, left)
    close = frozenset(row for row, each in enumerate(frame[CLOSE]) if each) if CLOSE in frame.columns else frozenset()
    return ShownTable(
        name=name,
        key=re.sub(r"[^A-Za-z0-9.-]+", "_", f"{name}-{suffix}" if suffix else name),
        columns=columns,
        same=[(heading(column), value) for column, value in constant.items() if value and not is_error(column)],
        rows=frame.height,
        total=total or frame.height,
        csv=to_csv(frame) + "\n",
        latex=in_latex(latex or to_latex(readable), names) + "\n",
        column_meanings=meanings or {},
        close=close,
        marked=marked or {},
        canonical={shown: name for name, shown in names.items()},
    )


def differences_first(frame: pl.DataFrame) -> pl.DataFrame:
    """Sort rows so that those that show a difference come first.

    Examples
    --------
    >>> import polars as pl
    >>> differences_first(pl.DataFrame({"metric": ["a", "b"], "verdict": ["no-evidence", "worse"]}))["metric"].to_list()
    ['b', 'a']
    """
    import polars as pl

    if "finding" in frame.columns and frame.schema["finding"] == pl.String:
        return frame.sort(pl.col("finding").str.starts_with("no evidence"), maintain_order=True)
    if "verdict" not in frame.columns:
        return frame
    rank = {verdict: number for number, verdict in enumerate(VERDICT_COLUMN.in_order(frame["verdict"].to_list()))}
    order = pl.col("verdict").replace_strict(rank, return_dtype=pl.Int64)
    return frame.sort(order, maintain_order=True)


def _cut(frame: pl.DataFrame) -> pl.DataFrame:
    """The first rows of a table that is too long: by p-value, if it has any."""
    if frame.height <= MOST_ROWS:
        return frame
    return (frame.sort("p", nulls_last=True, maintain_order=True) if "p" in frame.columns else frame).head(FIRST_ROWS)


def _same(frame: pl.DataFrame, column: str) -> str | None:
    """The value of a constant column that need not be shown; empty if all rows are null, None for other columns."""
    values = frame[column]
    if frame.height > 1 and values.null_count() == frame.height:
        return ""
    if frame.height < 2 or column in _ALWAYS or frame.schema[column].is_nested() or values.n_unique() > 1:
        return None
    return text_of(values[0])


LONG, DECIMALS = 32, 3
_KINDS: dict[str, Callable[[str], bool]] = {
    "error": is_error,
    "bar": lambda column: column in ("judged_at_10", "power"),
    "verdict": lambda column: column == "verdict",
    "beaten": lambda column: column == "beaten",
    "canonical": lambda column: column in ("canonical", "compared_with"),
    "group": lambda column: column == "group",
}


@dataclass(frozen=True)
class ShownColumn:
    """One column: its name, its heading, its CSS classes, and its cells as (text, the value to sort by)."""

    name: str
    heading: str
    kind: str
    cells: list[tuple[str, str]]


def shown_columns(frame: pl.DataFrame, readable: pl.DataFrame, names: Sequence[str]) -> list[ShownColumn]:
    """These columns of a table.

    Parameters
    ----------
    frame, readable : polars.DataFrame
        The table, and the table as people read it, with some columns as text.
    names : sequence of str

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"low": [0.1], "high": [0.3], "verdict": ["worse"], "metric": ["AP"]})
    >>> [(column.heading, column.cells[0][0]) for column in shown_columns(frame, frame, frame.columns)]
    [('metric', 'AP'), ('verdict', 'worse'), ('interval', '[0.100, 0.300]')]
    """
    return _with_intervals([_column(frame, readable, name) for name in _ordered(names)])


def _ordered(columns: Sequence[str]) -> list[str]:
    """The columns with the verdict right after the names, so that readers need not scroll."""
    rank = {**dict.fromkeys((*NAMES, "group"), 0), "verdict": 1, "canonical": 2}
    return sorted(columns, key=lambda column: rank.get(column, 3))


def _with_intervals(columns: list[ShownColumn]) -> list[ShownColumn]:
    """Join the columns ``low`` and ``high`` into one column of intervals."""
    ends = {column.name: column for column in columns}
    joined = []
    for column in columns:
        high = ends.get(other_end(column.name, "low", "high"))
        if high is not None:
            cells = [
                (f"[{low}, {top or '–'}]" if low else "", value)  # an interval may have no end
                for (low, value), (top, _) in zip(column.cells, high.cells, strict=True)
            ]
            name = other_end(column.name, "low", "interval")
            joined.append(ShownColumn(column.name, heading(name), "number interval", cells))
        elif other_end(column.name, "high", "low") not in ends:
            joined.append(column)
    return joined


def _column(frame: pl.DataFrame, readable: pl.DataFrame, column: str) -> ShownColumn:
    number = frame.schema[column].is_numeric()
    # Errors and p-values are small: they get one more decimal.
    digits = DECIMALS + (is_p(column) or is_error(column))
    values = readable[column].to_list()
    texts = [
        rounded_p(v, digits) if is_p(column) and isinstance(v, float) and v == v else text_of(v, digits) for v in values
    ]
    kind = ["number"] if number else ["long"] if max(map(len, texts), default=0) > LONG else []
    kind += [name for name, applies in _KINDS.items() if applies(column)]
    if column != VERDICT_COLUMN.name and not number and _are_verdicts(frame[column]):
        kind, texts = ["cell"], [text_of(value) for value in frame[column].to_list()]
    if not number:
        texts = [text.replace(";", "; ") for text in texts] if column == "beaten" else texts
        return ShownColumn(column, heading(column), " ".join(kind), [(text, "") for text in texts])
    values = [plain(value) for value in frame[column].to_list()]
    cells = [(text, "" if value is None else repr(value)) for text, value in zip(texts, values, strict=True)]
    return ShownColumn(column, heading(column), " ".join(kind), cells)


def _are_verdicts(values: pl.Series) -> bool:
    """Whether a column of a matrix holds verdicts; its own name says something else."""
    if values.dtype.is_nested() or values.dtype.is_numeric():
        return False
    labels = set(values.drop_nulls().to_list())
    return bool(labels) and labels <= set(VERDICT_COLUMN.styles)


def text_of(value: Any, digits: int = DECIMALS) -> str:
    """A value as a page shows it.

    Examples
    --------
    >>> text_of(-0.25), text_of(12345), text_of(True)
    ('−0.250', '12,345', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    text = rounded(value, digits)
    return f"−{text[1:]}" if isinstance(value, float) and text.startswith("-") else text
