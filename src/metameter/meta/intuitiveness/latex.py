"""Metrics against each other as Table 1 of Albahem et al. (2019) prints them: an upper triangle per iteration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import few_iterations, iterations_of
from metameter.meta.intuitiveness.tables import metrics_of
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


#: The most columns that fit a page, with the share of disagreements on a line of its own.
MOST_COLUMNS = 7
_FREE = 3  # columns that need no fixed width
_MARK, _NONE = r"\textsuperscript{+}", "--"
_SMALL = r"\scriptsize\setlength{\tabcolsep}{2pt}"


def matrix_latex(pairs: pl.DataFrame, alpha: float = 0.05, iterations: Sequence[Any] | None = None) -> str:
    r"""A ``table*`` for each set of simple metrics, and collection: scores of row and column, and their disagreements.

    With more than eight metrics, each iteration has tables of its own, of seven columns at most.

    Parameters
    ----------
    pairs : polars.DataFrame
        The table ``intuitiveness``; ``collection`` may be missing.
    alpha : float
        The higher score is marked where the p-value of the sign test is below.
    iterations : sequence, optional
        Those that are printed; by default the first and the last.

    Examples
    --------
    >>> import polars as pl
    >>> pair = {"iteration": 1, "simple": "Rel", "metric_a": "ACT", "metric_b": "nCT", "cases": 11090,
    ...         "disagreements": 474, "correct_a": 4, "correct_b": 39, "intuitiveness_a": 4 / 474,
    ...         "intuitiveness_b": 39 / 474, "p": 3.1e-8}
    >>> print(matrix_latex(pl.DataFrame([pair])).splitlines()[-4])
    ACT & 0.0084/0.0823\textsuperscript{+} (4.27\%) \\
    """
    by = [name for name in ("collection", "simple") if name in pairs.columns]
    parts = pairs.partition_by(by, maintain_order=True)
    tables = [each for part in parts for each in _tables(part, alpha, iterations)]
    labels = [f"tab:intuitiveness-{number}" if len(tables) > 1 else "tab:intuitiveness" for number in _from_one(tables)]
    written = (
        table(lines, caption, label, environment="table*")
        for (caption, lines), label in zip(tables, labels, strict=True)
    )
    return "\n\n".join("\n".join(lines) for lines in written)


def _from_one(values: Sequence[Any]) -> range:
    return range(1, len(values) + 1)


def _tables(part: pl.DataFrame, alpha: float, iterations: Sequence[Any] | None) -> Iterator[tuple[str, list[str]]]:
    """The captions and the lines of the tables of one set."""
    known = iterations_of(part)
    chosen = [each for each in known if each in iterations] if iterations else few_iterations(known)
    names = metrics_of(part)
    several = len(known) > 1
    caption = _caption(part, alpha)
    if len(names) - 1 <= MOST_COLUMNS:
        yield caption, _triangles(part, names, names[1:], chosen, alpha, several)
        return
    for iteration in chosen:
        for start in range(1, len(names), MOST_COLUMNS):
            columns = names[start : start + MOST_COLUMNS]
            yield caption, _triangles(part, names, columns, [iteration], alpha, several)


def _triangles(
    part: pl.DataFrame, names: list[str], columns: list[str], iterations: Sequence[Any], alpha: float, several: bool
) -> list[str]:
    cells = {(of["iteration"], of["metric_a"], of["metric_b"]): _cell(of, alpha) for of in part.iter_rows(named=True)}
    beside = ["it", ""] if several else [""]
    # The metric of the last column has no row, since only the upper triangle is printed.
    rows = names[: names.index(columns[-1])]
    body: list[str] = []
    for iteration in iterations:
        body += [r"\midrule"] * bool(body)
        for number, name in enumerate(rows):
            first = [escape_latex(str(iteration)) if not number else ""] * several
            own = [cells.get((iteration, name, column), _NONE) for column in columns]
            body.append(row([*first, escape_latex(name), *own]))
    headings = [_breakable(name) for name in columns]
    lines = tabular(
        _alignment(len(beside), len(columns)), [_over(part, len(columns), beside), row([*beside, *headings])], body
    )
    return [_SMALL, *lines]


def _over(part: pl.DataFrame, columns: int, beside: list[str]) -> str:
    simple = escape_latex(str(part["simple"][0]))
    first = len(beside) + 1
    over = row([*("" for _ in beside), rf"\multicolumn{{{columns}}}{{c}}{{{simple}}}"])
    return f"{over} \\cmidrule(l){{{first}-{first + columns - 1}}}"


def _alignment(beside: int, columns: int) -> str:
    # In a column of a given width a cell breaks before the parenthesis.
    width = f"p{{{0.76 / columns:.3f}\\textwidth}}"
    return "l" * beside + ("l" if columns <= _FREE else width) * columns


def _breakable(name: str) -> str:
    """A name that may be broken within its parentheses, where a heading is narrower than it."""
    return re.sub(r"([(,*])", r"\1\\allowbreak{}", escape_latex(name))


def _cell(pair: dict[str, Any], alpha: float) -> str:
    sure = pair["p"] is not None and pair["p"] < alpha
    a, b = pair["correct_a"], pair["correct_b"]
    left = f"{pair['intuitiveness_a']:.4f}{_MARK if sure and a > b else ''}"
    right = f"{pair['intuitiveness_b']:.4f}{_MARK if sure and b > a else ''}"
    return rf"{left}/{right} ({100 * pair['disagreements'] / max(1, pair['cases']):.2f}\%)"


def _caption(part: pl.DataFrame, alpha: float) -> str:
    simple = escape_latex(str(part["simple"][0]))
    where = f", {escape_latex(str(part['collection'][0]))}" if "collection" in part.columns else ""
    return (
        f"Intuitiveness with respect to {simple}{where}: scores of (metric in row)/(metric in column); in parentheses, "
        rf"the share of cases in which the two disagree. {_MARK}: higher by a sign test over cases, $p < {alpha:g}$."
    )
