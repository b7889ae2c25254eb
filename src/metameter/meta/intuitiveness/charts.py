"""The chart of `intuitiveness`: metrics against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import one_collection
from metameter.meta.intuitiveness.matrix import COLUMN, FRAMED, PANEL, ROW, TOLD, VALUE, metrics_of, squares

if TYPE_CHECKING:
    import polars as pl


_SQUARE, _LETTER = 44, 6.2
_BOTH = (
    "Of the cases in which two metrics disagree: the share in which all simple metrics side with the metric of the "
    "row, less the share in which they side with that of the column."
)


def matrix_chart(table: pl.DataFrame, alpha: float = 0.05) -> Any:
    """A square for every two metrics: how much more intuitive the metric of the row is than that of the column.

    Panels are the sets of simple metrics, at the first and at the last iteration. Of several collections the first is
    shown, and the chart says so.

    Parameters
    ----------
    table : polars.DataFrame
        The table ``intuitiveness``; ``collection``, ``p_topics`` and ``p_table`` may be missing.
    alpha : float
        Squares are framed where the p-value for the whole table, or if there is none that of the sign test, is below.
    """
    from metameter.view.charts import heat_map

    rows, which = one_collection(table)
    made = squares(rows, alpha)
    known = [abs(value) for value in made[VALUE].to_list() if value is not None]
    furthest = max([*known, 0.01])
    told = [name for name in TOLD if made[name].is_not_null().any()]
    return heat_map(
        made.select(PANEL, ROW, COLUMN, VALUE, *told, FRAMED),
        *(COLUMN, ROW, VALUE, told, PANEL),
        domain=(-furthest, furthest),
        title="When two metrics disagree, with which of them do the simple metrics side?",
        below=[" ".join(filter(None, [_BOTH, _framed(rows, alpha), which]))],
        outlined=None if _many(rows) else FRAMED,
        dotted=FRAMED if _many(rows) else None,
        square=_SQUARE,
        abreast=_abreast(rows),
        form=".3f",
        # The metrics of a large set seldom all agree: its shares are small beside those of a single metric.
        middle=0.2,
    )


def _abreast(rows: pl.DataFrame) -> int | None:
    """Two panels side by side if they fit the page: the first and the last iteration of a set."""
    from metameter.view.charts.heat_maps import TIGHT
    from metameter.view.charts.theme import ACROSS

    names = metrics_of(rows)
    wide = (TIGHT if _many(rows) else _SQUARE) * len(names) + _LETTER * max(map(len, names), default=0) + 4
    return 2 if 2 * wide + 30 <= ACROSS else 1


def _framed(rows: pl.DataFrame, alpha: float) -> str:
    whole = "p_table" in rows.columns and rows["p_table"].is_not_null().any()
    test = "for the whole table at once" if whole else "by the sign test"
    return f"{'Dotted' if _many(rows) else 'Framed'}: p < {alpha:g} {test}."


def _many(rows: pl.DataFrame) -> bool:
    from metameter.view.charts.heat_maps import MOST_WRITTEN

    return len(metrics_of(rows)) > MOST_WRITTEN
