"""Agreement with users as Tables 4 and 5 of Moffat et al. (2022) print it: a row per browsing model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.tables import is_table, meanings, squares
from metameter.meta.label_agreement.text import CANONICAL_ONLY, Held
from metameter.view.escape import escape_latex
from metameter.view.tables.cells import rounded
from metameter.view.tables.latex import row, table, tabular

if TYPE_CHECKING:
    import polars as pl


#: So many aggregations fit both columns of a paper, and so many one of them.
_ABREAST, _NARROW = 10, 4
_BOLD = "bold: the largest of the row"
_CONCORDANCE = "concordance: the share of the pairs that a metric orders as users do, ties counting half"
_LIST = ("metric", "concordance", "ties", "tau_b", "low", "high", "difference", "p_vs_canonical")
_HEADINGS = {
    "metric": "metric",
    "tau_b": r"$\tau_b$",
    "concordance": "concordance",
    "ties": "ties",
    "difference": "difference",
    "p_vs_canonical": "$p$",
}


def agreement_latex(table_of: pl.DataFrame, caption: str, label: str, held: Held = CANONICAL_ONLY) -> str:
    r"""The products as a table of browsing models and aggregations; all other metrics as a list below it.

    Parameters
    ----------
    table_of : polars.DataFrame
        The table ``satisfaction`` or ``preference``; of several collections one is printed, and the caption says which.
    caption : str
        LaTeX, printed as it is; what the marks mean is added.
    label : str
    held : Held
        What metrics are held against, and by which test.

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
    rows, which = one_collection(table_of)
    if not is_table(rows):
        return _listed(rows, caption, [], which, label, held)
    made = squares(rows, held.reference)
    across = made["aggregate"].unique(maintain_order=True).to_list()
    lines: list[str] = []
    for start in range(0, len(across), _ABREAST):
        lines += _band(made, across[start : start + _ABREAST])
    wide = min(len(across), _ABREAST) > _NARROW
    small = [r"\small\setlength{\tabcolsep}{4pt}"] * wide
    environment = "table*" if wide else "table"
    whole = table([*small, *lines], _sentences(caption, _told(made, held), which), label, environment=environment)
    others = rows.filter(~rows["metric"].is_in(made["metric"].to_list()))
    further = [_listed(others, caption, ["metrics without a browsing model"], which, f"{label}-others", held)]
    return "\n".join(whole) + "".join(f"\n\n{each}" for each in further if others.height)


def _band(made: pl.DataFrame, across: list[str]) -> list[str]:
    cells = {(of["browse"], of["aggregate"]): _cell(of) for of in made.iter_rows(named=True)}
    models = made["browse"].unique(maintain_order=True).to_list()
    body = [row([escape_latex(model), *(cells.get((model, name), "") for name in across)]) for model in models]
    return tabular("l" * (1 + len(across)), [row(["", *map(escape_latex, across)])], body)


def _cell(of: dict[str, Any]) -> str:
    raised = rf"\textsuperscript{{{of['mark']}}}" if of["mark"] else ""
    if of["tau_b"] is None:
        return escape_latex(of["written"]) + raised
    # In mathematics, where a hyphen is a minus.
    number = rounded(of["tau_b"], 3)
    return (rf"$\mathbf{{{number}}}$" if of["best"] else f"${number}$") + raised


def _told(made: pl.DataFrame, held: Held) -> list[str]:
    """What the marks mean that are there."""
    marks, classes = meanings(made, held.reference)
    texts = {mark: escape_latex(text).replace(r"tau\_b", r"$\tau_b$") for mark, text in marks.items()}
    raised = [rf"\textsuperscript{{{mark}}}: {text}" for mark, text in texts.items()]
    return [*raised, *[_BOLD] * bool(made["best"].any()), *(f"{name}: {text}" for name, text in classes.items())]


def _sentences(caption: str, told: list[str], which: str) -> str:
    said = "; ".join(told)
    added = f"{said[:1].upper()}{said[1:]}." if said else ""
    return " ".join(filter(None, [caption, added, escape_latex(which)]))


def _listed(rows: pl.DataFrame, caption: str, told: list[str], which: str, label: str, held: Held) -> str:
    """A line a metric, the highest first."""
    import polars as pl

    chosen = [name for name in _LIST if name in rows.columns and (rows[name].is_not_null().any() or name == "tau_b")]
    ordered = rows.with_columns(pl.col("concordance", "tau_b").fill_nan(None)).sort(
        "concordance", descending=True, nulls_last=True, maintain_order=True
    )
    shown = [name for name in chosen if name not in ("low", "high")]
    whole = _sentences(caption, [*told, *[_CONCORDANCE] * ("concordance" in shown), *held.columns(shown)], which)
    ends = {"low", "high"} <= set(chosen)
    head = [_HEADINGS[name] for name in shown]
    after = shown.index("tau_b") + 1
    head[after:after] = [r"95\% interval"] * ends
    body = []
    for of in ordered.iter_rows(named=True):
        cells = [_plain(of, name) for name in shown]
        cells[after:after] = [_interval(of)] * ends
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
