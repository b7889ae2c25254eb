r"""The tables of `volatility` as in papers: one row per metric, plain and condensed scores side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.volatility.charts import of_all_judgments
from metameter.meta.volatility.tables import within_judgments
from metameter.view.charts.axes import ticks
from metameter.view.charts.depth_intervals import KINDS
from metameter.view.escape import escape_latex
from metameter.view.tables.latex import MOST_ROWS, first_rows_latex, row, table, tabular

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MOST_ROWS", "latex_of", "planning_table", "settled_table"]

_NONE = "--"
Cells = Callable[[dict[str, Any]], list[str]]


def latex_of(tables: Mapping[str, pl.DataFrame], pool_depth: int | None, threshold: float) -> dict[str, str]:
    """Return every table as LaTeX; long tables have the depths that papers print, and at most 1,000 rows.

    Parameters
    ----------
    tables : mapping
        Name -> table, as the result has them.
    pool_depth : int or None
    threshold : float
        The ordering is settled where tau to the final ordering is at least this.
    """
    special = {
        "volatility": lambda frame: first_rows_latex(_of_marked(frame, tables.get("marked")), frame.height),
        "volatility_summary": lambda frame: first_rows_latex(_with_intervals(frame), frame.height),
        "volatility_settled": lambda frame: settled_table(frame, threshold, pool_depth),
        "volatility_planning": planning_table,
    }
    return {name: special.get(name, first_rows_latex)(frame) for name, frame in tables.items()}


def _of_marked(frame: pl.DataFrame, marked: pl.DataFrame | None) -> pl.DataFrame:
    """The scores; if the rows are too many, those of marked systems at round depths and at the last one."""
    import polars as pl

    if frame.height <= MOST_ROWS:
        return frame
    if marked is not None and marked.height:
        frame = frame.join(marked, on=["metric", "condensed", "system"], how="semi", maintain_order="left")
    depths = frame["depth"].unique().sort().to_list()
    return frame.filter(pl.col("depth").is_in([*ticks(depths[0], depths[-1]), depths[-1]]) if depths else pl.lit(True))


def _with_intervals(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the deepest pool that have an interval, and the columns that are not empty."""
    import polars as pl

    if frame.height > MOST_ROWS:
        known = of_all_judgments(frame).filter(pl.col("low").is_not_null())
        frame = known if known.height else frame
    return frame.select(column for column in frame if column.is_not_null().any() or column.name == "low")


def settled_table(frame: pl.DataFrame, threshold: float, pool_depth: int | None = None) -> str:
    r"""From which depth on the ordering by each metric is settled, with an interval, and tau at the pool depth.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``condensed``, ``depth``, ``low``, ``high``, ``final``, ``judging_depth``, ``tau_at_pool_depth``.
    threshold : float
    pool_depth : int, optional

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"metric": ["AP", "ERR"], "condensed": [False, False], "depth": [120, 8],
    ...                       "low": [60, 5], "high": [None, 15], "tau_at_pool_depth": [0.89, 0.98],
    ...                       "final": [1000, 1000], "judging_depth": [None, None]})
    >>> print(settled_table(frame, 0.9, 100))
    \begin{table}
    \centering
    \caption{The evaluation depth from which on the ordering of the systems is settled ($\tau$ to the final ordering at
    least 0.9 at it and all deeper ones), its interval over topics, and $\tau$ at the pool depth, 100. A dash: not
    within the depths evaluated.}
    \label{tab:volatilitysettled}
    \begin{tabular}{lrlr}
    \toprule
    Metric & Depth & Interval & $\tau$ \\
    \midrule
    AP & 120 & [60, --] & 0.89 \\
    ERR & 8 & [5, 15] & 0.98 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    tau = frame["tau_at_pool_depth"].is_not_null().any()
    frame = within_judgments(frame)

    def cells(of: dict[str, Any]) -> list[str]:
        interval = f"[{_whole(of['low'])}, {_whole(of['high'])}]"
        known = of["low"] is not None or of["high"] is not None
        return [_whole(of["depth"]), interval if known else _NONE, *([_share(of["tau_at_pool_depth"])] if tau else [])]

    depth = "" if pool_depth is None else f", {_whole(pool_depth)}"
    columns = (
        rf"its interval over topics, and $\tau$ at the pool depth{depth}" if tau else "and its interval over topics"
    )
    caption = (
        r"The evaluation depth from which on the ordering of the systems is settled ($\tau$ to the final ordering at "
        rf"least {threshold:g} at it and all deeper ones), {columns}. A dash: not within the depths evaluated."
    )
    headings = ["Depth", "Interval", *([r"$\tau$"] if tau else [])]
    return _side_by_side(frame, headings, "rlr"[: len(headings)], cells, caption, "tab:volatility_settled")


def planning_table(frame: pl.DataFrame) -> str:
    r"""For each metric the shallowest pool, and with it the shallowest evaluation, that keep the final verdicts.

    Parameters
    ----------
    frame : polars.DataFrame
        ``metric``, ``condensed``, ``pool_depth``, ``depth``, ``holds``, ``sure_pool_depth``, ``sure_depth``,
        ``sure_share``.
    """

    def cells(of: dict[str, Any]) -> list[str]:
        share = "" if of["sure_share"] is None else rf"{100 * of['sure_share']:.0f}\%"
        sure = [_pool(of["sure_pool_depth"]), _whole(of["sure_depth"]), share] if share else ["", "", ""]
        return [_pool(of["pool_depth"]), _whole(of["depth"]), _share(of["holds"]), *sure]

    caption = (
        "The shallowest pool depth (all: all judgments), and with it the shallowest evaluation depth, that keep 95\\% "
        "of the significant differences of the final evaluation and reverse none; the share of resampled topic sets "
        "for which this holds; and the same for 95\\% of these (sure), with the share of the judgments that it takes."
    )
    headings = ["Pool", "Depth", "Holds", "Sure pool", "Depth", "Judgments"]
    return _side_by_side(frame, headings, "rrrrrr", cells, caption, "tab:volatility_planning")


def _pool(depth: int | None) -> str:
    return "all" if depth is None else _whole(depth)


def _side_by_side(
    frame: pl.DataFrame, headings: Sequence[str], alignment: str, cells: Cells, caption: str, label: str
) -> str:
    """One row per metric, a block of columns for each kind of list; two blocks span both columns of a page."""
    kinds = sorted(set(frame["condensed"].to_list()))
    rows = {(of["metric"], of["condensed"]): cells(of) for of in frame.iter_rows(named=True)}
    empty = [""] * len(headings)
    metrics = list(dict.fromkeys(frame["metric"].to_list()))
    body = [
        row([escape_latex(str(metric)), *(cell for kind in kinds for cell in rows.get((metric, kind), empty))])
        for metric in metrics
    ]
    head = [row(["Metric", *(heading for _ in kinds for heading in headings)])]
    if len(kinds) > 1 or True in kinds:
        wide = len(headings)
        names = [rf"\multicolumn{{{wide}}}{{c}}{{{KINDS[kind].capitalize()}}}" for kind in kinds]
        rules = " ".join(rf"\cmidrule(lr){{{2 + wide * i}-{1 + wide * (i + 1)}}}" for i in range(len(kinds)))
        head = [row(["", *names]), rules, *head]
    lines = tabular("l" + alignment * len(kinds), head, body)
    if len(kinds) > 1:
        lines = [r"\small\setlength{\tabcolsep}{4pt}", *lines]
    return "\n".join(table(lines, caption, label, environment="table*" if len(kinds) > 1 else "table"))


def _whole(number: int | str | None) -> str:
    return _NONE if number is None else number if isinstance(number, str) else f"{number:,}"


def _share(number: float | bool | None) -> str:
    if isinstance(number, bool):
        return "yes" if number else "no"
    return "" if number is None or number != number else f"{number:.2f}"
