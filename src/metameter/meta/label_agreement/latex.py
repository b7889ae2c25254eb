"""Agreement with users as Tables 4 and 5 of Moffat et al. (2022) print it: a row per browsing model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.tables import is_table, meanings, table_cells
from metameter.meta.label_agreement.text import CANONICAL_TEST, ReferenceTest
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import rounded
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


#: The most aggregations that fit both columns of a paper, and one column.
_ABREAST, _NARROW = 10, 4
_BOLD, _OTHERS = "bold: the largest of the row", "metrics without a browsing model"
_CONCORDANCE = "concordance: the share of the pairs that a metric orders as users do, ties counting half"
#: Table -> the first sentence of its caption.
_CAPTIONS = {
    "satisfaction": r"Correlation (Kendall's $\tau_b$) of metric scores with people's satisfaction with the page.",
    "preference": r"Correlation (Kendall's $\tau_b$) of differences in metric score with which of two pages people "
    "prefer.",
}
_LIST = ("metric", "concordance", "ties", "tau_b", "low", "high", "difference", "p_vs_canonical")
_HEADINGS = {
    "metric": "metric",
    "tau_b": r"$\tau_b$",
    "concordance": "concordance",
    "ties": "ties",
    "difference": "difference",
    "p_vs_canonical": "$p$",
}


def label_latex(name: str, metrics: pl.DataFrame, about: str = "", test: ReferenceTest = CANONICAL_TEST) -> str:
    """Browsing models down, aggregations across; metrics without a browsing model as a list.

    Parameters
    ----------
    name : str
        ``satisfaction`` or ``preference``.
    metrics : polars.DataFrame
        The table of this name.
    about : str
        A sentence on the data and the parameters for the caption, as plain text.
    test : ReferenceTest
        What the metrics are compared with, and by which test.
    """
    data = escape_latex(about and about.rstrip(".") + ".")
    return agreement_latex(metrics, " ".join(filter(None, [_CAPTIONS[name], data])), f"tab:{name}", test)


def agreement_latex(metrics: pl.DataFrame, caption: str, label: str, test: ReferenceTest = CANONICAL_TEST) -> str:
    r"""The products as a table of browsing models and aggregations; all other metrics as a list below it.

    Parameters
    ----------
    metrics : polars.DataFrame
        The table ``satisfaction`` or ``preference``; of several collections one is printed, and the caption says which.
    caption : str
        LaTeX, printed as it is; the meanings of the marks are added.
    label : str
    test : ReferenceTest
        What the metrics are compared with, and by which test.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"metric": ["RR*ERR", "RR*max", "RR*avg"], "browse": ["RR"] * 3,
    ...     "aggregate": ["ERR", "max", "avg"], "class": ["metric", "metric", "X"], "tau_b": [0.268, 0.439, None],
    ...     "low": [0.25, 0.42, None], "high": [0.29, 0.46, None], "canonical": ["RR*ERR"] * 3,
    ...     "concordance": [0.6, 0.7, None],
    ...     "better": [False, True, False], "better_row": [False, True, False]})
    >>> print(agreement_latex(frame, "Agreement.", "tab:satisfaction"))
    \begin{table}
    \centering
    \caption{Agreement. \textsuperscript{a}: the canonical metric of the row; \textsuperscript{b}: $\tau_b$ shown to be
    higher than that of the canonical metric, all comparisons of the table taken together; bold: the largest of the row;
    X: a constant.}
    \label{tab:satisfaction}
    \begin{tabular}{llll}
    \toprule
     & ERR & max & avg \\
    \midrule
    RR & $0.268$\textsuperscript{a} & $\mathbf{0.439}$\textsuperscript{b} & X \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    rows, which = one_collection(metrics)
    if not is_table(rows):
        return _list_table(rows, caption, [], which, label, test)
    cells = table_cells(rows, test.reference)
    aggregations = cells["aggregate"].unique(maintain_order=True).to_list()
    lines: list[str] = []
    for start in range(0, len(aggregations), _ABREAST):
        lines += _band(cells, aggregations[start : start + _ABREAST])
    wide = min(len(aggregations), _ABREAST) > _NARROW
    small = [r"\small\setlength{\tabcolsep}{4pt}"] * wide
    whole = _whole_caption(caption, _legend(cells, test), which)
    products = "\n".join(table([*small, *lines], whole, label, environment="table*" if wide else "table"))
    others = rows.filter(~rows["metric"].is_in(cells["metric"].to_list()))
    if not others.height:
        return products
    return f"{products}\n\n{_list_table(others, caption, [_OTHERS], which, f'{label}-others', test)}"


def _band(cells: pl.DataFrame, aggregations: list[str]) -> list[str]:
    """The rows for aggregations that fit side by side."""
    texts = {(of["browse"], of["aggregate"]): _cell(of) for of in cells.iter_rows(named=True)}
    models = cells["browse"].unique(maintain_order=True).to_list()
    body = [row([escape_latex(model), *(texts.get((model, name), "") for name in aggregations)]) for model in models]
    return tabular("l" * (1 + len(aggregations)), [row(["", *map(escape_latex, aggregations)])], body)


def _cell(of: dict[str, Any]) -> str:
    raised = rf"\textsuperscript{{{of['mark']}}}" if of["mark"] else ""
    if of["tau_b"] is None:
        return escape_latex(of["written"]) + raised
    # In mathematics, where a hyphen is a minus.
    number = rounded(of["tau_b"], 3)
    return (rf"$\mathbf{{{number}}}$" if of["best"] else f"${number}$") + raised


def _legend(cells: pl.DataFrame, test: ReferenceTest) -> list[str]:
    """The meanings of the marks that occur."""
    marks, classes = meanings(cells, test.reference)
    texts = {mark: escape_latex(text).replace(r"tau\_b", r"$\tau_b$") for mark, text in marks.items()}
    raised = [rf"\textsuperscript{{{mark}}}: {text}" for mark, text in texts.items()]
    return [*raised, *[_BOLD] * bool(cells["best"].any()), *(f"{name}: {text}" for name, text in classes.items())]


def _whole_caption(caption: str, legend: list[str], which: str) -> str:
    joined = "; ".join(legend)
    added = f"{joined[:1].upper()}{joined[1:]}." if joined else ""
    return " ".join(filter(None, [caption, added, escape_latex(which)]))


def _list_table(
    rows: pl.DataFrame, caption: str, legend: list[str], which: str, label: str, test: ReferenceTest
) -> str:
    """One line per metric, the highest concordance first."""
    import polars as pl

    known = [name for name in _LIST if name in rows.columns and (rows[name].is_not_null().any() or name == "tau_b")]
    ordered = rows.with_columns(pl.col("concordance", "tau_b").fill_nan(None)).sort(
        "concordance", descending=True, nulls_last=True, maintain_order=True
    )
    columns = [name for name in known if name not in ("low", "high")]
    concordance = [_CONCORDANCE] * ("concordance" in columns)
    whole = _whole_caption(caption, [*legend, *concordance, *test.column_meanings(columns)], which)
    interval, after = {"low", "high"} <= set(known), columns.index("tau_b") + 1
    head = [_HEADINGS[name] for name in columns]
    head[after:after] = [r"95\% interval"] * interval
    body = []
    for of in ordered.iter_rows(named=True):
        cells = [_plain(of, name) for name in columns]
        cells[after:after] = [_interval(of)] * interval
        body.append(row(cells))
    return "\n".join(table(tabular("l" + "r" * (len(head) - 1), [row(head)], body), whole, label))


def _plain(of: dict[str, Any], name: str) -> str:
    if name == "metric":
        return escape_latex(str(of[name]))
    if of[name] is None:
        return escape_latex(of["class"]) if name == "tau_b" and of["class"] != "metric" else "--"
    small = name == "p_vs_canonical" and of[name] < 0.0005
    return "$<0.001$" if small else f"${rounded(float(of[name]), 3)}$"


def _interval(of: dict[str, Any]) -> str:
    if of["low"] is None or of["high"] is None:
        return "--"
    return f"$[{rounded(of['low'], 3)}, {rounded(of['high'], 3)}]$"
