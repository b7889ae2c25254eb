"""The chart of `intuitiveness`: a matrix of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import few_iterations, iterations_of, one_collection
from metameter.meta.intuitiveness.tables import metrics_of

if TYPE_CHECKING:
    import polars as pl


ROW, COLUMN, VALUE, PANEL, FRAMED = "metric", "against", "row − column", "panel", "framed"
_PS = ("p", "p_topics", "p_table")
#: The tooltip of a square, beside its metrics and its value; the metric of the row first.
TOOLTIP = ("scores", "sided with", "disagreements", *_PS)
_SQUARE, _LETTER = 44, 6.2
_BOTH = (
    "The share of the cases in which two metrics disagree where all simple metrics side with the metric of the "
    "row, less the share in which they side with that of the column."
)


def matrix_chart(table: pl.DataFrame, alpha: float = 0.05) -> Any:
    """A heat map of pairs of metrics: how much more intuitive the metric of the row is than that of the column.

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
    cells = matrix_cells(rows, alpha)
    known = [abs(value) for value in cells[VALUE].to_list() if value is not None]
    furthest = max([*known, 0.01])
    tooltip = [name for name in TOOLTIP if cells[name].is_not_null().any()]
    return heat_map(
        cells.select(PANEL, ROW, COLUMN, VALUE, *tooltip, FRAMED),
        *(COLUMN, ROW, VALUE, tooltip, PANEL),
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


def matrix_cells(table: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """One row per ordered pair of metrics and panel; the pair of a metric with itself has no value.

    Parameters
    ----------
    table : polars.DataFrame
        The rows of one collection of the table ``intuitiveness``.
    alpha : float
        Pairs with a p-value below it are framed.

    Examples
    --------
    >>> import polars as pl
    >>> pair = {"iteration": 1, "simple": "Rel", "metric_a": "ACT", "metric_b": "nCT", "cases": 11090,
    ...         "disagreements": 474, "correct_a": 4, "correct_b": 39, "intuitiveness_a": 4 / 474,
    ...         "intuitiveness_b": 39 / 474, "p": 3.1e-8}
    >>> cells = matrix_cells(pl.DataFrame([pair]), 0.05)
    >>> cells.filter(pl.col("metric") == "ACT").row(1)[1:6]
    ('ACT', 'nCT', -0.0738, '0.0084 / 0.0823', '4 / 39')
    """
    import polars as pl

    names = metrics_of(table)
    order = {name: number for number, name in enumerate(names)}
    iterations = iterations_of(table)
    rows: list[dict[str, Any]] = []
    for panel in table["simple"].unique(maintain_order=True).to_list():
        for iteration in few_iterations(iterations):
            title = f"{panel}, iteration {iteration}" if len(iterations) > 1 else str(panel)
            pairs = table.filter(pl.col("simple") == panel, pl.col("iteration") == iteration).rows(named=True)
            itself = [{ROW: name, COLUMN: name} for name in names]
            cells = [*itself, *(_cell(pair, alpha, turned) for pair in pairs for turned in (False, True))]
            cells.sort(key=lambda cell: (order[cell[ROW]], order[cell[COLUMN]]))
            rows += [{PANEL: title, **cell} for cell in cells]
    texts = dict.fromkeys((PANEL, ROW, COLUMN), pl.String)
    schema = {**texts, VALUE: pl.Float64, **dict.fromkeys(TOOLTIP, pl.String), FRAMED: pl.Boolean}
    return pl.DataFrame(rows, schema=schema)


def _cell(pair: dict[str, Any], alpha: float, turned: bool) -> dict[str, Any]:
    a, b = ("b", "a") if turned else ("a", "b")
    scores, correct = ([pair[f"{name}_{side}"] for side in (a, b)] for name in ("intuitiveness", "correct"))
    share = pair["disagreements"] / max(1, pair["cases"])
    texts = [
        f"{scores[0]:.4f} / {scores[1]:.4f}",
        f"{correct[0]:,} / {correct[1]:,}",
        f"{pair['disagreements']:,} of {pair['cases']:,} ({share:.2%})",
        *(_small(pair.get(name)) for name in _PS),
    ]
    decides = pair["p"] if _unknown(pair.get("p_table")) else pair["p_table"]
    tooltip = dict(zip(TOOLTIP, texts, strict=True))
    # The chart prints fewer decimals: more would only make pages larger.
    value = round(scores[0] - scores[1], 4) + 0.0
    framed = not _unknown(decides) and decides < alpha
    return {ROW: pair[f"metric_{a}"], COLUMN: pair[f"metric_{b}"], VALUE: value, **tooltip, FRAMED: framed}


def _small(p: float | None) -> str | None:
    if p is None or _unknown(p):
        return None
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _unknown(p: float | None) -> bool:
    return p is None or p != p
