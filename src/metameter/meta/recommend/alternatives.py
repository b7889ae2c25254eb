"""The table of alternatives: a row a browsing model, a column an aggregation, in each cell the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metameter.meta.framework.metric_groups import BY_NAME
from metameter.meta.framework.metric_names import aggregation_of
from metameter.meta.framework.verdicts import REFERENCE, SHORT
from metameter.meta.recommend.references import REFERENCE as REFERRED

if TYPE_CHECKING:
    import polars as pl


#: The first columns; the others are aggregations.
_MODEL, _COMPARED = "model", "compared_with"


def alternatives(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return the verdicts on products, compared with the canonical metrics of their browsing models.

    Parameters
    ----------
    table : polars.DataFrame
        ``recommendation``.

    Returns
    -------
    polars.DataFrame or None
        ``model``, ``compared_with``, and a column for each aggregation; None without such comparisons.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"metric": ["RBP(p=0.8)*max", "RBP(p=0.8)*fin"], "canonical": ["RBP(p=0.8)*ERG"] * 2,
    ...         "verdict": ["worse", "no-evidence"], "group": ["RBP(p=0.8)"] * 2}
    >>> alternatives(pl.DataFrame(rows)).rows(named=True)
    [{'model': 'RBP(p=0.8)', 'compared_with': 'RBP(p=0.8)*ERG', 'ERG': 'reference', 'max': 'worse', \
'fin': 'no-evidence'}]
    """
    import polars as pl

    cells: dict[tuple[str, str], dict[str, str]] = {}
    for metric, canonical, verdict, group in table.select("metric", "canonical", "verdict", "group").iter_rows():
        if group not in (BY_NAME, REFERRED):
            row = cells.setdefault((group, canonical), {aggregation_of(canonical): REFERENCE})
            row[aggregation_of(metric)] = verdict
    if not cells:
        return None
    columns = dict.fromkeys(name for row in cells.values() for name in row)
    return pl.DataFrame(
        [{_MODEL: model, _COMPARED: canonical, **row} for (model, canonical), row in cells.items()],
        dict.fromkeys((_MODEL, _COMPARED, *columns), pl.String),
    )


def readable_alternatives(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with short verdicts, as papers print it."""
    import polars as pl

    verdicts = [name for name in table.columns if name not in (_MODEL, _COMPARED)]
    return table.with_columns(pl.col(verdicts).replace(SHORT))
