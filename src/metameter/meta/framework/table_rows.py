"""Rows of tables: the names that they begin with, and which collection and iterations charts and papers show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


#: The name of sums over collections, or over iterations.
ALL = "All"


def names_at(names: Sequence[str], positions: NDArray[Any]) -> pl.Series:
    """The name at each position.

    Examples
    --------
    >>> names_at(("AP", "RR"), np.array([0, 0, 1])).to_list()
    ['AP', 'AP', 'RR']
    """
    import polars as pl

    return pl.Series(list(names), dtype=pl.String).gather(positions)


def pair_names(scores: Scores, a: NDArray[np.intp], b: NDArray[np.intp]) -> dict[str, pl.Series]:
    """The columns ``metric``, ``system_a``, ``system_b``: the pairs (a, b) of systems, for one metric after the other.

    Examples
    --------
    >>> scores = Scores(("AP", "RR"), ("x", "y"), ("1",), np.zeros((2, 2, 1)))
    >>> [column.to_list() for column in pair_names(scores, np.array([0]), np.array([1])).values()]
    [['AP', 'RR'], ['x', 'x'], ['y', 'y']]
    """
    metrics = len(scores.metrics)
    return {
        "metric": names_at(scores.metrics, np.repeat(np.arange(metrics), len(a))),
        "system_a": names_at(scores.systems, np.tile(a, metrics)),
        "system_b": names_at(scores.systems, np.tile(b, metrics)),
    }


def without_repeats(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table without sums over a single collection or iteration, which repeat its rows.

    Examples
    --------
    >>> import polars as pl
    >>> without_repeats(pl.DataFrame({"collection": ["web", "All"], "iteration": ["1", "1"]})).rows()
    [('web', '1')]
    """
    for column in ("collection", "iteration"):
        if column in table.columns and table[column].filter(table[column].cast(str) != ALL).n_unique() < 2:
            table = table.filter(table[column].cast(str) != ALL)
    return table


def one_collection(table: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Return the rows of one collection, and a sentence on which it is if there are several.

    These are the rows over all collections, if there are any; else those of the first collection. The table of a single
    collection need not have the column ``collection``.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"collection": ["web", "news"], "rank": [1, 2]})
    >>> one_collection(frame)[1]
    'Shown: web, the first of 2 collections.'
    >>> one_collection(pl.concat([frame, pl.DataFrame({"collection": ["All"], "rank": [1]})]))[1]
    'Shown: all 2 collections together.'
    """
    table = without_repeats(table)
    if "collection" not in table.columns:
        return table, ""
    names = table["collection"].unique(maintain_order=True).to_list()
    name = ALL if ALL in names else next(iter(names), ALL)
    single = [name for name in names if name != ALL]
    rows = table.filter(table["collection"] == name)
    if len(names) < 2:
        return rows, ""
    if name == ALL:
        return rows, f"Shown: all {len(single)} collections together."
    return rows, f"Shown: {name}, the first of {len(single)} collections."


def iterations_of(table: pl.DataFrame) -> list[Any]:
    """Return the iterations in order, as numbers or text, with sums over them last.

    Examples
    --------
    >>> import polars as pl
    >>> iterations_of(pl.DataFrame({"iteration": ["10", "All", "9", "10"]}))
    ['9', '10', 'All']
    """
    iterations = table["iteration"].unique(maintain_order=True).to_list()
    return sorted(iterations, key=lambda each: (each == ALL, int(each) if str(each).isdecimal() else 0))


def few_iterations(iterations: Sequence[Any], *, third: bool = False) -> list[Any]:
    """Return the iterations that papers print: the first, the last and their sum; with ``third``, also the third.

    If there are exactly three, ``third`` adds the second instead, so that all are printed.

    Examples
    --------
    >>> few_iterations(["1", "2", "3", "4", "5", "All"]), few_iterations([1, 2, 3, 4, 5], third=True)
    (['1', '5', 'All'], [1, 3, 5])
    """
    plain = [each for each in iterations if each != ALL]
    chosen = {0, len(plain) - 1, *([2 if len(plain) > 3 else 1] if third else [])}
    return [each for i, each in enumerate(plain) if i in chosen] + [each for each in iterations if each == ALL]
