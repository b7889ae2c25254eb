"""What does each combination of browsing model and aggregation measure, if anything? Found by trying each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.docstrings import summary
from metameter.meta.base import Words, procedure
from metameter.metric.examples import DEPTH
from metameter.metric.taxonomy.table import equivalent_table, left_out, models, taxonomy_table
from metameter.registry import get, names
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl


CAPTION = (
    "Browsing models (rows) and aggregations (columns): the metrics they make. X: a constant; XX: the order of the "
    "items does not matter; *: for binary gains; a dot: a metric without a name."
)

_COLUMNS = {
    "browse": "the browsing model",
    "aggregate": "the aggregation",
    "class": "metric, constant, or order-insensitive: the same whatever the order of the items",
    "name": "the known name of the metric; * for binary gains",
    "user": "what moves users on: not the gains (static), those seen (adaptive), also those to come (clairvoyant)",
    "monotone": "whether what users take away only grows, or only falls, with every further item",
    "carterette": "the number of Carterette's model (2011) that the aggregation belongs to, if any",
    "finite": "whether the expected number of items viewed is finite without a last rank",
    "metric": "the metric that was tried",
    "group": "metrics of one group order any two lists alike",
    "because": "how the metric follows from the first of its group",
}


class _Columns(Mapping[str, str]):
    """The fixed columns, and those of ``table3``: one for each aggregation, looked up late to include plug-ins."""

    def __getitem__(self, column: str) -> str:
        if column in _COLUMNS:
            return _COLUMNS[column]
        if column in names("aggregate"):
            return summary(get("aggregate", column))
        raise KeyError(column)

    def __iter__(self) -> Iterator[str]:
        yield from _COLUMNS
        yield from (name for name in names("aggregate") if name not in _COLUMNS)

    def __len__(self) -> int:
        return len(list(iter(self)))


WORDS = Words(
    "Taxonomy",
    "What does each combination of browsing model and aggregation measure, if anything?",
    "Every registered browsing model and aggregation is tried on random lists: whether scores change with the gains "
    "and with their order, what moves the users, which metrics order all lists alike.",
    "A square is a combination. X is a constant, XX does not depend on the order of the items, a dot is a metric "
    "without a name.",
    columns=_Columns(),
)


def notes(left_out: list[str]) -> tuple[str, ...]:
    """Return the notes: what the signs mean, where the table differs from the paper's, and what was left out."""
    return (
        "X is a constant, XX does not depend on the order of the items, * holds for binary gains, a dot has no name.",
        "ERR*ETG without a last rank is order-insensitive, which Moffat et al. (2022) do not say; with one it is a "
        "metric.",
        *(f"{name} is left out: its class has no `example` values." for name in left_out),
    )


_SIGNS = {"constant": "X", "order-insensitive": "XX"}
_UNNAMED = "·"


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy(Result):
    """What every combination measures: tables ``taxonomy``, ``equivalent`` and, as in the paper, ``table3``."""

    table_names: ClassVar[tuple[str, ...]] = ("taxonomy", "equivalent", "table3")

    def charts(self) -> dict[str, Any]:
        """The combinations as coloured squares with their names."""
        return {"taxonomy": squares(self.table.with_columns(label=labels(self.table)))}

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; the caption of ``table3`` explains its signs."""
        from metameter.view.tables.latex import to_latex

        return super().latex() | {"table3": to_latex(self.tables["table3"], caption=CAPTION, label="tab:taxonomy")}


@procedure(WORDS, result=Taxonomy, needs=())
def taxonomy() -> Taxonomy:
    """Find out what each browsing model and aggregation make together: a metric, a metric with a name, or no metric.

    Every registered combination scores random lists that are longer than any last rank. That shows whether scores
    depend on the gains and on their order, which known metric has the same scores, on which gains the users'
    continuation depends, and which metrics order all lists alike.

    References
    ----------
    moffat2022, carterette2011

    Examples
    --------
    >>> taxonomy().tables["table3"].row(0)[:6]
    ('Prec', 'RelRet@k', 'Prec@k', 'X', 'Prec@k', 'Succ@k')
    """
    from metameter import __version__

    table = taxonomy_table()
    tables = {"taxonomy": table, "equivalent": equivalent_table(table), "table3": grid(table)}
    return Taxonomy(tables, {"command": "taxonomy", "version": __version__, "depth": DEPTH}, notes(left_out()))


def labels(table: pl.DataFrame) -> pl.Series:
    """The text in the square of each combination: a sign, the metric's name, or a dot.

    Examples
    --------
    >>> import polars as pl
    >>> labels(pl.DataFrame({"class": ["metric", "metric", "constant"], "name": ["Prec@k", None, None]})).to_list()
    ['Prec@k', '·', 'X']
    """
    import polars as pl

    sign = pl.col("class").replace_strict(_SIGNS, default=None, return_dtype=pl.String)
    return table.select(label=pl.coalesce(sign, pl.col("name"), pl.lit(_UNNAMED)))["label"]


def grid(table: pl.DataFrame) -> pl.DataFrame:
    """The labels of all combinations in rows and columns."""
    import polars as pl

    rows, columns = models()
    cells = dict(zip(table.select("browse", "aggregate").iter_rows(), labels(table), strict=True))
    lines = [(row, *(cells[row, column] for column in columns)) for row in rows]
    return pl.DataFrame(lines, schema=dict.fromkeys(("browse", *columns), pl.String), orient="row")


# Light fills under dark text; none is the colour of a verdict.
_FILLS = {"named": "#B7C3CF", "metric": "#EDF0F3", "order-insensitive": "#E6DFC4", "constant": "#D9D9D9"}
_MEANINGS = {
    "named": "a metric with a name",
    "metric": "a metric without a name",
    "order-insensitive": "XX: the order does not matter",
    "constant": "X: a constant",
}
_WIDTH, _HEIGHT = 88, 26
_AXIS = {"title": None, "labelAngle": 0, "ticks": False, "domain": False}
_TITLE = "What browsing models and aggregations make together"


def squares(frame: pl.DataFrame) -> Any:
    """One square per row of the taxonomy, with its ``label``; hovering over it shows the whole row."""
    import polars as pl

    from metameter.view.charts.channels import data_of, in_order, tooltips
    from metameter.view.charts.specification import finished
    from metameter.view.charts.theme import INK, LETTERS, PAPER

    kind = pl.when(pl.col("name").is_not_null()).then(pl.lit("named")).otherwise(pl.col("class"))
    labelled = frame.with_columns(what=kind.replace_strict(_MEANINGS), user_of=pl.format("{} ({})", "browse", "user"))
    across, down = in_order(labelled, "aggregate"), in_order(labelled, "user_of")
    position = {
        "x": {"field": "aggregate", "type": "nominal", "sort": across, "axis": {**_AXIS, "orient": "top"}},
        "y": {"field": "user_of", "type": "nominal", "sort": down, "axis": _AXIS},
        "tooltip": tooltips(labelled, [column for column in frame.columns if column != "label"]),
    }
    text = {"text": {"field": "label", "type": "nominal"}}
    data = data_of(labelled)
    layers = [
        {"data": data, "mark": {"type": "rect", "stroke": PAPER}, "encoding": {**position, "color": _fill(labelled)}},
        {"data": data, "mark": {"type": "text", "fontSize": LETTERS, "color": INK}, "encoding": {**position, **text}},
    ]
    sized = {"width": _WIDTH * len(across), "height": _HEIGHT * len(down)}
    return finished({"layer": layers, **sized}, _TITLE)


def _fill(labelled: pl.DataFrame) -> dict[str, Any]:
    present = [kind for kind in _FILLS if _MEANINGS[kind] in set(labelled["what"])]
    scale = {"domain": [_MEANINGS[each] for each in present], "range": [_FILLS[each] for each in present]}
    return {
        "field": "what",
        "type": "nominal",
        "scale": scale,
        "legend": {"orient": "bottom", "title": None, "columns": 2},
    }
